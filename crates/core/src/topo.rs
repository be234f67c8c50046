//! Process topologies: what hangs off a communicator (MPI 5.0, chapter 8). Made by `abi`; read by
//! the neighbourhood collectives.

/// The topology of a communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// A Cartesian grid.
    Cart {
        /// Processes per dimension.
        dims: Vec<i32>,
        /// Whether each dimension wraps around.
        periods: Vec<bool>,
    },
    /// A graph, in `MPI_Graph_create`'s arrays.
    Graph {
        /// Running sums of the degrees.
        index: Vec<i32>,
        /// Neighbours of all processes, one after the other.
        edges: Vec<i32>,
    },
    /// A distributed graph: this process's neighbours only.
    DistGraph {
        /// Where messages come from.
        sources: Vec<i32>,
        /// Where messages go to.
        destinations: Vec<i32>,
        /// Weights of the sources and of the destinations, if given.
        weights: Option<(Vec<i32>, Vec<i32>)>,
    },
}

impl Topology {
    /// Coordinates of `rank` in a grid of `dims` (row-major, section 8.5.1).
    pub fn coordinates(dims: &[i32], rank: i32) -> Vec<i32> {
        let mut rest = rank;
        let mut coordinates = vec![0; dims.len()];
        for (c, d) in coordinates.iter_mut().zip(dims).rev() {
            *c = rest % d;
            rest /= d;
        }
        coordinates
    }

    /// Rank at `coordinates`; `None` if one is out of range in a dimension that does not wrap.
    pub fn rank_at(dims: &[i32], periods: &[bool], coordinates: &[i32]) -> Option<i32> {
        let mut rank = 0;
        for ((&d, &wraps), &c) in dims.iter().zip(periods).zip(coordinates) {
            let c = if wraps { c.rem_euclid(d) } else { c };
            if !(0..d).contains(&c) {
                return None;
            }
            rank = rank * d + c;
        }
        Some(rank)
    }

    /// From where neighbourhood collectives receive and to where they send on `rank`, in the
    /// standard's order (section 8.6); `None` stands for `MPI_PROC_NULL`.
    pub fn neighbours(&self, rank: i32) -> (Vec<Option<u32>>, Vec<Option<u32>>) {
        let list = |ranks: &[i32]| {
            ranks.iter().map(|r| u32::try_from(*r).ok()).collect::<Vec<Option<u32>>>()
        };
        match self {
            Topology::Cart { dims, periods } => {
                let here = Topology::coordinates(dims, rank);
                let mut out = Vec::new();
                for d in 0..dims.len() {
                    for step in [-1, 1] {
                        let mut there = here.clone();
                        there[d] += step;
                        let rank = Topology::rank_at(dims, periods, &there);
                        out.push(rank.map(|r| r as u32));
                    }
                }
                (out.clone(), out)
            }
            Topology::Graph { index, edges } => {
                let start = if rank == 0 { 0 } else { index[rank as usize - 1] } as usize;
                let out = list(&edges[start..index[rank as usize] as usize]);
                (out.clone(), out)
            }
            Topology::DistGraph { sources, destinations, .. } => {
                (list(sources), list(destinations))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_and_ranks_are_inverse() {
        let dims = [3, 4, 2];
        for rank in 0..24 {
            let c = Topology::coordinates(&dims, rank);
            assert_eq!(Topology::rank_at(&dims, &[false; 3], &c), Some(rank));
        }
        assert_eq!(Topology::rank_at(&dims, &[true, false, false], &[-1, 0, 0]), Some(16));
        assert_eq!(Topology::rank_at(&dims, &[false; 3], &[-1, 0, 0]), None);
    }
}
