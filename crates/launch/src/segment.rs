//! The shared memory of the node: made by the agent, inherited by the ranks. Each process has a
//! place in it; the places behind those of the job are for processes that it starts later.

use starling_transport::shm::segment::{self, Segment};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// What has become of a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Unused,
    Lives,
    Ended,
}

/// The segment and who has which place.
pub struct Places {
    segment: OwnedFd,
    /// Mapped when the first process is started in the running job.
    map: Option<Segment>,
    places: Vec<Place>,
    /// Where the search for free places goes on: old ones are given out again as late as possible.
    next: usize,
}

impl Places {
    /// Makes the segment for a number of ranks, and places for more.
    ///
    /// # Errors
    /// When memory or descriptors are short.
    pub fn create(ranks: usize) -> io::Result<Places> {
        let count = u32::try_from(ranks).map_err(io::Error::other)?;
        let segment = segment::create(count, segment::spare_places(count))?;
        Ok(Places { segment, map: None, places: vec![Place::Lives; ranks], next: ranks })
    }

    /// Takes the segment over that a process has made for itself alone.
    pub fn adopt(segment: OwnedFd) -> Places {
        Places { segment, map: None, places: vec![Place::Lives], next: 1 }
    }

    /// Finds free places in a row and prepares them; the first of them.
    ///
    /// # Errors
    /// A sentence, when there are none.
    pub fn take(&mut self, count: usize) -> Result<u32, String> {
        let map = match self.map.take() {
            Some(map) => map,
            None => {
                let copy = self.segment.try_clone();
                let map = copy.and_then(Segment::map);
                map.map_err(|error| format!("cannot map the node's segment: {error}"))?
            }
        };
        let all = map.places() as usize;
        self.places.resize(all.max(self.places.len()), Place::Unused);
        let free = |first: usize| {
            let row = self.places.get(first..first + count)?;
            row.iter().all(|place| *place != Place::Lives).then_some(first)
        };
        let found = (self.next..all).chain(0..self.next).find_map(free);
        if let Some(first) = found {
            let row = first..first + count;
            self.places[row.clone()].fill(Place::Lives);
            self.next = row.end;
            for place in row {
                map.renew(place as u32, self.known());
            }
        }
        self.map = Some(map);
        self.tell_load();
        found.map(|first| first as u32).ok_or_else(|| {
            let living = self.living();
            format!(
                "{count} more processes do not fit beside the {living} that live: the node has \
                 {all} places (STARLING_SPAWN_MAX says how many a running job may start; with a \
                 limit of address space, ulimit -v, it may start none)"
            )
        })
    }

    /// The process at this place has ended.
    pub fn ended(&mut self, place: u32) {
        self.places[place as usize] = Place::Ended;
        if let Some(map) = &self.map {
            let dead = |place: &u32| self.places[*place as usize] == Place::Ended;
            map.bury(place, self.known().filter(dead));
        }
        self.tell_load();
    }

    /// The places that have been given out.
    fn known(&self) -> impl Iterator<Item = u32> + '_ {
        let used = |(_, place): &(u32, &Place)| **place != Place::Unused;
        (0..).zip(&self.places).filter(used).map(|(number, _)| number)
    }

    fn living(&self) -> usize {
        self.places.iter().filter(|place| **place == Place::Lives).count()
    }

    /// Processes poll or sleep at once, depending on how many there are.
    fn tell_load(&self) {
        if let Some(map) = &self.map {
            map.set_living(self.living() as u32);
        }
    }
}

impl AsFd for Places {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.segment.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_given_out_again_as_late_as_possible() {
        let mut places = Places {
            segment: segment::create(2, 4).unwrap(),
            map: None,
            places: vec![Place::Lives; 2],
            next: 2,
        };
        assert_eq!(places.take(2), Ok(2));
        places.ended(2);
        places.ended(3);
        assert_eq!(places.take(2), Ok(4));
        assert_eq!(places.take(1), Ok(2));
        assert_eq!(places.take(1), Ok(3));
        assert!(places.take(1).unwrap_err().contains("STARLING_SPAWN_MAX"));
        places.ended(4);
        places.ended(3);
        assert!(places.take(3).is_err());
        assert_eq!(places.take(2), Ok(3));
    }
}
