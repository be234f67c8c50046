//! Making communicators: who is in them, in which order, and that their messages stay apart.

use super::{create, intercomm, Comm, Use};
use crate::coll::{bcast, Coll};
use crate::error::Result;
use crate::group::Group;
use crate::harness::on_ranks;
use crate::rank::Rank;
use crate::status::UNDEFINED;
use std::future::Future;
use std::rc::Rc;

fn make<T, F: Future<Output = Result<T>>>(
    rank: &'static Rank,
    comm: &Rc<Comm>,
    call: impl FnOnce(Coll) -> F,
) -> T {
    // SAFETY: the calls of these tests take no buffers of users.
    rank.block_on(call(unsafe { Coll::new(rank, comm) })).unwrap().unwrap()
}

fn worlds(comm: &Comm) -> Vec<u32> {
    comm.group.worlds().collect()
}

/// Rank 0 tells all others a number on `comm`.
fn tell(rank: &'static Rank, comm: &Rc<Comm>, number: u64) -> u64 {
    let mut word = [if comm.rank == 0 { number } else { 0 }];
    let byte = rank.predefined_datatype(0x247).unwrap().clone();
    let data = crate::buffer::Data { addr: word.as_mut_ptr().cast(), count: 8, ty: byte };
    make(rank, comm, |c| bcast::bcast(c, data, 0));
    // SAFETY: our own array; read anew, as the collective wrote to it through a pointer.
    unsafe { word.as_ptr().read_volatile() }
}

#[test]
fn duplicates_have_the_same_group_and_messages_of_their_own() {
    on_ranks(4, |rank| {
        let world = rank.world().unwrap();
        let first = make(rank, &world, create::duplicate);
        let second = make(rank, &first, create::duplicate);
        let contexts = [world.context, first.context, second.context];
        for (i, a) in contexts.iter().enumerate() {
            assert!(contexts[..i].iter().all(|b| a.abs_diff(*b) >= super::CONTEXTS));
        }
        for comm in [&first, &second] {
            assert_eq!(worlds(comm), worlds(&world));
            assert_eq!(comm.rank, world.rank);
        }
        // Crosswise: on rank 0 the second one's message is sent first.
        let order = if world.rank == 0 { [&second, &first] } else { [&first, &second] };
        for comm in order {
            let number = comm.context;
            assert_eq!(tell(rank, comm, number), number);
        }
    });
}

#[test]
fn split_orders_by_key_then_by_rank() {
    on_ranks(7, |rank| {
        let world = rank.world().unwrap();
        let me = world.rank as i32;
        let color = [0, 1, 0, 1, UNDEFINED, 0, 1][me as usize];
        let key = [5, -1, 3, -1, 0, 3, -2][me as usize];
        let comm = make(rank, &world, |c| create::split(c, color, key));
        let Some(comm) = comm else {
            assert_eq!(me, 4);
            return;
        };
        let expected = if color == 0 { vec![2, 5, 0] } else { vec![6, 1, 3] };
        assert_eq!(worlds(&comm), expected);
        assert_eq!(expected[comm.rank as usize], world.rank);
        assert_eq!(tell(rank, &comm, 100 + color as u64), 100 + color as u64);
    });
}

#[test]
fn create_makes_one_communicator_per_group() {
    on_ranks(6, |rank| {
        let world = rank.world().unwrap();
        let me = world.rank;
        let list = match me {
            1 | 4 => vec![4, 1],
            0 | 5 => vec![0, 5],
            _ => vec![],
        };
        let group = Group::of(list.clone());
        let comm = make(rank, &world, |c| create::create(c, group));
        assert_eq!(comm.is_some(), !list.is_empty());
        if let Some(comm) = comm {
            assert_eq!(worlds(&comm), list);
            assert_eq!(tell(rank, &comm, list[0] as u64), list[0] as u64);
        }
    });
}

#[test]
fn create_group_is_called_by_its_members_only() {
    on_ranks(5, |rank| {
        let world = rank.world().unwrap();
        if world.rank == 2 {
            return;
        }
        let group = Group::of(vec![3, 0, 4, 1]);
        for tag in [1, 2] {
            let made = create::create_group(rank, world.clone(), group.clone(), tag);
            let comm = rank.block_on(made).unwrap().unwrap().unwrap();
            assert_eq!(worlds(&comm), [3, 0, 4, 1]);
            assert_eq!(tell(rank, &comm, tag as u64), tag as u64);
        }
    });
}

/// Even ranks on one side, odd ones on the other; the leaders are the last of each.
fn even_and_odd(rank: &'static Rank) -> Rc<Comm> {
    let world = rank.world().unwrap();
    let odd = world.rank % 2;
    let local = make(rank, &world, |c| create::split(c, odd as i32, 0)).unwrap();
    let leader = local.size() - 1;
    let last_of = |odd: u32| (0..world.size()).rfind(|r| r % 2 == odd).unwrap();
    let remote = last_of(1 - odd);
    let bridge =
        (local.rank == leader).then(|| intercomm::Bridge::over(&world, Use::Creation, remote, 3));
    make(rank, &local, |c| intercomm::create(c, leader, bridge))
}

#[test]
fn intercommunicators_join_two_groups() {
    for n in [2, 3, 6] {
        on_ranks(n, |rank| {
            let inter = even_and_odd(rank);
            let me = rank.node().me;
            let all_of = |odd: u32| (0..n).filter(|r| r % 2 == odd).collect::<Vec<u32>>();
            let copy = make(rank, &inter, create::duplicate);
            for comm in [&inter, &copy] {
                assert_eq!(worlds(comm), all_of(me % 2));
                assert_eq!(comm.peers().worlds().collect::<Vec<_>>(), all_of(1 - me % 2));
                assert_eq!(comm.group.world(comm.rank), me);
                assert!(comm.is_inter() && comm.local.is_some());
            }
            assert!(inter.context.abs_diff(copy.context) >= super::CONTEXTS);
        });
    }
}

#[test]
fn merging_puts_the_low_group_first() {
    on_ranks(5, |rank| {
        let inter = even_and_odd(rank);
        let me = rank.node().me;
        for (even_high, expected) in [(false, [0, 2, 4, 1, 3]), (true, [1, 3, 0, 2, 4])] {
            let high = (me % 2 == 0) == even_high;
            let comm = make(rank, &inter, |c| intercomm::merge(c, high));
            assert_eq!(worlds(&comm), expected);
            assert_eq!(expected[comm.rank as usize], me);
            assert!(!comm.is_inter());
            assert_eq!(tell(rank, &comm, 5), 5);
        }
        // Both say the same: any order, but the same one for all.
        let comm = make(rank, &inter, |c| intercomm::merge(c, true));
        assert_eq!(comm.group.world(comm.rank), me);
        let first = comm.group.world(0) as u64;
        assert_eq!(tell(rank, &comm, first), first);
    });
}

#[test]
fn intercommunicators_split_side_by_side() {
    on_ranks(6, |rank| {
        let inter = even_and_odd(rank);
        let me = rank.node().me;
        // 0, 2 with 1, 3; the pair 4 and 5 in reverse roles; a color of one side only.
        let color = (me / 4) as i32;
        let part = make(rank, &inter, |c| create::split(c, color, -(me as i32))).unwrap();
        let expected = match (color, me % 2) {
            (0, 0) => (vec![2, 0], vec![3, 1]),
            (0, _) => (vec![3, 1], vec![2, 0]),
            (_, 0) => (vec![4], vec![5]),
            _ => (vec![5], vec![4]),
        };
        assert_eq!((worlds(&part), part.peers().worlds().collect::<Vec<_>>()), expected);
        let alone = make(rank, &inter, |c| create::split(c, (me % 2) as i32, 0));
        assert!(alone.is_none());
    });
}

#[test]
fn create_on_an_intercommunicator_joins_the_two_subgroups() {
    on_ranks(6, |rank| {
        let inter = even_and_odd(rank);
        let me = rank.node().me;
        let list = if me % 2 == 0 { vec![4, 0] } else { vec![3] };
        let group = Group::of(list.clone());
        let part = make(rank, &inter, |c| create::create(c, group));
        assert_eq!(part.is_some(), list.contains(&me));
        if let Some(part) = part {
            assert_eq!(worlds(&part), list);
            let others = if me % 2 == 0 { vec![3] } else { vec![4, 0] };
            assert_eq!(part.peers().worlds().collect::<Vec<_>>(), others);
        }
    });
}

#[test]
fn groups_with_a_process_in_common_are_refused() {
    on_ranks(2, |rank| {
        let world = rank.world().unwrap();
        let own = rank.self_comm().unwrap();
        // Each side claims to be the whole world.
        let bridge = intercomm::Bridge::over(&own, Use::Creation, 0, 0);
        let bridge = (world.rank == 0).then_some(bridge);
        // SAFETY: no buffers.
        let c = unsafe { Coll::new(rank, &world) };
        let result = rank.block_on(intercomm::create(c, 0, bridge)).unwrap();
        let text = result.err().expect("the groups are the same").to_string();
        assert!(text.contains("process in common"), "{text}");
    });
}
