//! Groups (MPI 5.0, section 7.3).

use crate::decode::{bad, insert, look_up, narrow, null_handle, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use starling_core::error::{Class, Error, Result};
use starling_core::group::{Comparison, Group};
use starling_core::handle::Kind;
use std::collections::HashSet;
use std::ffi::c_int;
use std::rc::Rc;

/// The group of a handle.
pub(crate) fn find(call: &Call, group: MPI_Group) -> Result<Rc<Group>> {
    match group {
        MPI_GROUP_NULL => Err(null_handle(Class::GROUP, "MPI_GROUP_NULL")),
        MPI_GROUP_EMPTY => Ok(Group::range(0, 0)),
        _ => look_up(&call.rank.groups.borrow(), group.0, Kind::Group, Class::GROUP),
    }
}

/// Gives a group to the caller; without members it is `MPI_GROUP_EMPTY`.
///
/// # Safety
/// `to` points to a group handle of the caller.
pub(crate) unsafe fn give(call: &Call, group: Rc<Group>, to: *mut MPI_Group) -> Result<()> {
    let handle = match group.size() {
        0 => MPI_GROUP_EMPTY,
        _ => MPI_Group(insert(&call.rank.groups, group, "groups")? as usize),
    };
    // SAFETY: the caller's contract.
    unsafe { *to = handle };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn group_free(call: &Call, group: *mut MPI_Group) -> Result<()> {
    require(group, "group")?;
    // SAFETY: a pointer of the caller, not null.
    let handle = unsafe { *group };
    find(call, handle)?;
    if handle != MPI_GROUP_EMPTY {
        call.rank.groups.borrow_mut().remove(narrow(handle.0)).ok();
    }
    // SAFETY: as above.
    unsafe { *group = MPI_GROUP_NULL };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn group_size(call: &Call, group: MPI_Group, size: *mut c_int) -> Result<()> {
    require(size, "size")?;
    let group = find(call, group)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *size = group.size() as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn group_rank(call: &Call, group: MPI_Group, rank: *mut c_int) -> Result<()> {
    require(rank, "rank")?;
    let group = find(call, group)?;
    let mine = group.rank_of(call.rank.node().me);
    // SAFETY: a pointer of the caller, not null.
    unsafe { *rank = mine.map_or(MPI_UNDEFINED, |r| r as c_int) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn group_compare(
    call: &Call,
    group1: MPI_Group,
    group2: MPI_Group,
    result: *mut c_int,
) -> Result<()> {
    require(result, "result")?;
    let (group1, group2) = (find(call, group1)?, find(call, group2)?);
    let outcome = match group1.compare(&group2) {
        Comparison::Identical => MPI_IDENT,
        Comparison::Similar => MPI_SIMILAR,
        Comparison::Unequal => MPI_UNEQUAL,
    };
    // SAFETY: a pointer of the caller, not null.
    unsafe { *result = outcome };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn group_translate_ranks(
    call: &Call,
    group1: MPI_Group,
    n: c_int,
    ranks1: *const c_int,
    group2: MPI_Group,
    ranks2: *mut c_int,
) -> Result<()> {
    let (from, to) = (find(call, group1)?, find(call, group2)?);
    // SAFETY: as for this function.
    let ranks = unsafe { list(n, ranks1, "ranks1")? };
    if n > 0 {
        require(ranks2, "ranks2")?;
    }
    let translated = ranks.iter().map(|rank| match *rank {
        MPI_PROC_NULL => Ok(MPI_PROC_NULL),
        rank => {
            let world = from.world(member(&from, rank)?);
            Ok(to.rank_of(world).map_or(MPI_UNDEFINED, |r| r as c_int))
        }
    });
    for (i, rank) in translated.collect::<Result<Vec<c_int>>>()?.into_iter().enumerate() {
        // SAFETY: the caller's array has n elements.
        unsafe { *ranks2.add(i) = rank };
    }
    Ok(())
}

/// An array of the caller with `n` elements.
///
/// # Safety
/// `array` is null or has that many.
unsafe fn list<'a, T>(n: c_int, array: *const T, name: &str) -> Result<&'a [T]> {
    match n {
        ..0 => Err(bad(Class::ARG, format!("n is {n}; it must not be negative"))),
        0 => Ok(&[]),
        _ => {
            require(array, name)?;
            // SAFETY: not null; the caller's contract.
            Ok(unsafe { std::slice::from_raw_parts(array, n as usize) })
        }
    }
}

/// A rank that has to be one of the group.
fn member(group: &Group, rank: c_int) -> Result<u32> {
    match u32::try_from(rank) {
        Ok(r) if r < group.size() => Ok(r),
        _ => Err(not_member(group, rank)),
    }
}

#[cold]
fn not_member(group: &Group, rank: c_int) -> Error {
    let text = match group.size() {
        0 => format!("rank {rank} is not in the group, which is empty"),
        n => format!("rank {rank} is not in the group, which has the ranks 0 to {}", n - 1),
    };
    bad(Class::RANK, text)
}

/// Ranks of a group, each of which may be given once.
struct Chosen<'a> {
    group: &'a Group,
    ranks: Vec<u32>,
    seen: HashSet<u32>,
}

impl<'a> Chosen<'a> {
    fn new(group: &'a Group) -> Chosen<'a> {
        Chosen { group, ranks: Vec::new(), seen: HashSet::new() }
    }

    fn add(&mut self, rank: c_int) -> Result<()> {
        let member = member(self.group, rank)?;
        if !self.seen.insert(member) {
            return Err(bad(Class::RANK, format!("rank {rank} is given more than once")));
        }
        self.ranks.push(member);
        Ok(())
    }

    /// Adds `first`, `first + stride` … up to and with `last` (section 7.3.2).
    fn add_range(&mut self, [first, last, stride]: [c_int; 3]) -> Result<()> {
        let wrong = match stride {
            0 => Some("the stride is 0"),
            1.. if first > last => Some("the stride goes up, but last is below first"),
            ..0 if first < last => Some("the stride goes down, but last is above first"),
            _ => None,
        };
        if let Some(wrong) = wrong {
            let text = format!("the range ({first}, {last}, {stride}) is not valid: {wrong}");
            return Err(bad(Class::ARG, text));
        }
        let (mut rank, last, stride) = (i64::from(first), i64::from(last), i64::from(stride));
        while (stride > 0 && rank <= last) || (stride < 0 && rank >= last) {
            self.add(rank as c_int)?;
            rank += stride;
        }
        Ok(())
    }
}

/// The ranks that a list names.
///
/// # Safety
/// `ranks` is null or has `n` elements.
unsafe fn chosen(group: &Group, n: c_int, ranks: *const c_int) -> Result<Vec<u32>> {
    let mut chosen = Chosen::new(group);
    // SAFETY: the caller's contract.
    for rank in unsafe { list(n, ranks, "ranks")? } {
        chosen.add(*rank)?;
    }
    Ok(chosen.ranks)
}

/// The ranks that a list of ranges names.
///
/// # Safety
/// `ranges` is null or has `n` elements.
unsafe fn chosen_ranges(group: &Group, n: c_int, ranges: *const [c_int; 3]) -> Result<Vec<u32>> {
    let mut chosen = Chosen::new(group);
    // SAFETY: the caller's contract.
    for range in unsafe { list(n, ranges, "ranges")? } {
        chosen.add_range(*range)?;
    }
    Ok(chosen.ranks)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn group_incl(
    call: &Call,
    group: MPI_Group,
    n: c_int,
    ranks: *const c_int,
    newgroup: *mut MPI_Group,
) -> Result<()> {
    require(newgroup, "newgroup")?;
    let group = find(call, group)?;
    // SAFETY: as for this function; `newgroup` is not null.
    unsafe { give(call, group.include(&chosen(&group, n, ranks)?), newgroup) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn group_excl(
    call: &Call,
    group: MPI_Group,
    n: c_int,
    ranks: *const c_int,
    newgroup: *mut MPI_Group,
) -> Result<()> {
    require(newgroup, "newgroup")?;
    let group = find(call, group)?;
    // SAFETY: as for this function; `newgroup` is not null.
    unsafe { give(call, group.exclude(&chosen(&group, n, ranks)?), newgroup) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn group_range_incl(
    call: &Call,
    group: MPI_Group,
    n: c_int,
    ranges: *mut [c_int; 3],
    newgroup: *mut MPI_Group,
) -> Result<()> {
    require(newgroup, "newgroup")?;
    let group = find(call, group)?;
    // SAFETY: as for this function; `newgroup` is not null.
    unsafe { give(call, group.include(&chosen_ranges(&group, n, ranges)?), newgroup) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn group_range_excl(
    call: &Call,
    group: MPI_Group,
    n: c_int,
    ranges: *mut [c_int; 3],
    newgroup: *mut MPI_Group,
) -> Result<()> {
    require(newgroup, "newgroup")?;
    let group = find(call, group)?;
    // SAFETY: as for this function; `newgroup` is not null.
    unsafe { give(call, group.exclude(&chosen_ranges(&group, n, ranges)?), newgroup) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn group_union(
    call: &Call,
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: *mut MPI_Group,
) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { combine(call, group1, group2, newgroup, Group::union) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn group_intersection(
    call: &Call,
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: *mut MPI_Group,
) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { combine(call, group1, group2, newgroup, Group::intersection) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn group_difference(
    call: &Call,
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: *mut MPI_Group,
) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { combine(call, group1, group2, newgroup, Group::difference) }
}

/// # Safety
/// `newgroup` is a pointer of the C caller.
unsafe fn combine(
    call: &Call,
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: *mut MPI_Group,
    how: fn(&Group, &Group) -> Rc<Group>,
) -> Result<()> {
    require(newgroup, "newgroup")?;
    let (group1, group2) = (find(call, group1)?, find(call, group2)?);
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, how(&group1, &group2), newgroup) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_go_both_ways_and_stop_at_the_last_rank() {
        let group = Group::range(0, 10);
        let ranks = |ranges: &[[c_int; 3]]| {
            let mut chosen = Chosen::new(&group);
            ranges.iter().try_for_each(|r| chosen.add_range(*r)).map(|_| chosen.ranks)
        };
        assert_eq!(ranks(&[[1, 6, 2], [9, 8, -3]]).unwrap(), [1, 3, 5, 9]);
        assert_eq!(ranks(&[[4, 4, 7]]).unwrap(), [4]);
        let class = |ranges: &[[c_int; 3]]| ranks(ranges).unwrap_err().class();
        assert_eq!(class(&[[0, 5, 0]]), Class::ARG);
        assert_eq!(class(&[[5, 0, 1]]), Class::ARG);
        assert_eq!(class(&[[0, 3, 1], [3, 5, 1]]), Class::RANK);
        assert_eq!(class(&[[0, c_int::MAX, 1]]), Class::RANK);
        assert_eq!(class(&[[-1, 2, 1]]), Class::RANK);
        assert_eq!(class(&[[0, c_int::MIN, c_int::MIN]]), Class::RANK);
    }
}
