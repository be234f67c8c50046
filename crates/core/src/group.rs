//! Groups: ordered sets of processes (MPI 5.0, section 7.3). Called by `comm` and `abi`.
//! A group is immutable; it holds world ranks.

use std::cell::{Cell, OnceCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

enum Members {
    /// `first, first + 1, …`: costs nothing, whatever the size.
    Range {
        first: u32,
        len: u32,
    },
    List(Box<[u32]>),
}

/// See the module's page.
pub struct Group {
    members: Members,
    ranks: OnceCell<HashMap<u32, u32>>,
    /// Handle of the session that it comes from, by whatever set operations; 0 is the world.
    pub origin: Cell<u32>,
}

/// How two groups compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The same processes in the same order.
    Identical,
    /// The same processes in another order.
    Similar,
    /// Different processes.
    Unequal,
}

impl Group {
    /// The world ranks `first .. first + len`.
    pub fn range(first: u32, len: u32) -> Rc<Group> {
        Group::new(Members::Range { first, len })
    }

    /// These world ranks, in this order, each once.
    pub fn of(list: Vec<u32>) -> Rc<Group> {
        let in_a_row = list.windows(2).all(|w| w[0].checked_add(1) == Some(w[1]));
        match list.first() {
            None => Group::range(0, 0),
            Some(&first) if in_a_row => Group::range(first, list.len() as u32),
            Some(_) => Group::new(Members::List(list.into_boxed_slice())),
        }
    }

    fn new(members: Members) -> Rc<Group> {
        Rc::new(Group { members, ranks: OnceCell::new(), origin: Cell::new(0) })
    }

    /// A group made of this one.
    fn derive(&self, list: Vec<u32>) -> Rc<Group> {
        let group = Group::of(list);
        group.origin.set(self.origin.get());
        group
    }

    /// Number of processes.
    #[inline(always)]
    pub fn size(&self) -> u32 {
        match &self.members {
            Members::Range { len, .. } => *len,
            Members::List(list) => list.len() as u32,
        }
    }

    /// World rank of `rank`, which must be below the size.
    #[inline(always)]
    pub fn world(&self, rank: u32) -> u32 {
        match &self.members {
            Members::Range { first, len } => {
                debug_assert!(rank < *len);
                first + rank
            }
            Members::List(list) => list[rank as usize],
        }
    }

    /// Rank of a process in the group.
    pub fn rank_of(&self, world: u32) -> Option<u32> {
        match &self.members {
            Members::Range { first, len } => {
                let rank = world.checked_sub(*first)?;
                (rank < *len).then_some(rank)
            }
            Members::List(list) => {
                let index = || list.iter().enumerate().map(|(r, w)| (*w, r as u32)).collect();
                self.ranks.get_or_init(index).get(&world).copied()
            }
        }
    }

    /// The world ranks, in order.
    pub fn worlds(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.size()).map(|rank| self.world(rank))
    }

    /// Section 7.3.1, `MPI_Group_compare`.
    pub fn compare(&self, other: &Group) -> Comparison {
        if self.size() != other.size() {
            return Comparison::Unequal;
        }
        if self.worlds().eq(other.worlds()) {
            return Comparison::Identical;
        }
        match self.worlds().all(|world| other.rank_of(world).is_some()) {
            true => Comparison::Similar,
            false => Comparison::Unequal,
        }
    }

    /// Those of `self`, then those of `other` that are not in `self`.
    pub fn union(&self, other: &Group) -> Rc<Group> {
        let new = other.worlds().filter(|w| self.rank_of(*w).is_none());
        self.derive(self.worlds().chain(new).collect())
    }

    /// Those of `self` that are in `other` too.
    pub fn intersection(&self, other: &Group) -> Rc<Group> {
        self.derive(self.worlds().filter(|w| other.rank_of(*w).is_some()).collect())
    }

    /// Those of `self` that are not in `other`.
    pub fn difference(&self, other: &Group) -> Rc<Group> {
        self.derive(self.worlds().filter(|w| other.rank_of(*w).is_none()).collect())
    }

    /// The given ranks, in the given order; they are distinct and below the size.
    pub fn include(&self, ranks: &[u32]) -> Rc<Group> {
        self.derive(ranks.iter().map(|r| self.world(*r)).collect())
    }

    /// All but the given ranks.
    pub fn exclude(&self, ranks: &[u32]) -> Rc<Group> {
        let out: HashSet<u32> = ranks.iter().copied().collect();
        let stay = (0..self.size()).filter(|r| !out.contains(r));
        self.derive(stay.map(|r| self.world(r)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_operations_keep_the_standard_order() {
        let a = Group::of(vec![4, 2, 7]);
        let b = Group::of(vec![7, 9, 4]);
        let list = |g: &Group| g.worlds().collect::<Vec<_>>();
        assert_eq!(list(&a.union(&b)), [4, 2, 7, 9]);
        assert_eq!(list(&a.intersection(&b)), [4, 7]);
        assert_eq!(list(&a.difference(&b)), [2]);
        assert_eq!(list(&a.exclude(&[1])), [4, 7]);
        assert_eq!(list(&a.include(&[2, 0])), [7, 4]);
        assert_eq!(a.compare(&Group::of(vec![2, 7, 4])), Comparison::Similar);
        assert_eq!(a.compare(&b), Comparison::Unequal);
        assert_eq!(Group::of(vec![3, 4, 5]).compare(&Group::range(3, 3)), Comparison::Identical);
    }
}
