//! A naive model of datatypes: the type map as a list of (offset, basic type).
//!
//! Written from section 5.1 of the standard alone, with loops over every element, and shared by the
//! tests of this folder. [`Spec`] describes a type; `build` makes it with the library and `map`
//! with the model.
#![allow(dead_code)] // Each test file uses a part of it.

use std::rc::Rc;

use proptest::collection::vec;
use proptest::prelude::*;
use starling_datatype::{Basic, Datatype, Distribution, Order, DISTRIBUTE_DEFAULT};

#[derive(Clone, Debug)]
pub enum Spec {
    Basic(Basic),
    Dup(Box<Spec>),
    Contiguous(i64, Box<Spec>),
    Vector(i64, i64, i64, Box<Spec>),
    Hvector(i64, i64, i64, Box<Spec>),
    Indexed(Vec<(i64, i64)>, Box<Spec>),
    Hindexed(Vec<(i64, i64)>, Box<Spec>),
    IndexedBlock(i64, Vec<i64>, Box<Spec>),
    HindexedBlock(i64, Vec<i64>, Box<Spec>),
    Struct(Vec<(i64, i64, Spec)>),
    Resized(i64, i64, Box<Spec>),
    /// Size, subsize and start of each dimension.
    Subarray(Vec<(i64, i64, i64)>, Order, Box<Spec>),
    /// Rank, and of each dimension: array size, distribution, argument, processes.
    Darray(i64, Vec<(i64, Distribution, i64, i64)>, Order, Box<Spec>),
}

/// The type map with its bounds.
#[derive(Clone, Debug, Default)]
pub struct Map {
    pub entries: Vec<(i64, Basic)>,
    /// Bounds; `None` for a type map without anything in it.
    pub bounds: Option<(i64, i64)>,
    pub explicit: bool,
}

impl Map {
    pub fn lb(&self) -> i64 {
        self.bounds.map_or(0, |b| b.0)
    }

    pub fn extent(&self) -> i64 {
        self.bounds.map_or(0, |b| b.1 - b.0)
    }

    fn add(&mut self, displ: i64, other: &Map) {
        self.entries.extend(other.entries.iter().map(|(offset, b)| (offset + displ, *b)));
        let Some((lb, ub)) = other.bounds.map(|(lb, ub)| (lb + displ, ub + displ)) else {
            return;
        };
        self.bounds = match self.bounds {
            Some(_) if other.explicit && !self.explicit => Some((lb, ub)),
            Some(mine) if self.explicit && !other.explicit => Some(mine),
            Some(mine) => Some((mine.0.min(lb), mine.1.max(ub))),
            None => Some((lb, ub)),
        };
        self.explicit |= other.explicit;
    }

    fn of_blocks(blocks: impl IntoIterator<Item = (i64, i64)>, inner: &Map) -> Map {
        let mut map = Map::default();
        for (len, displ) in blocks {
            (0..len).for_each(|i| map.add(displ + i * inner.extent(), inner));
        }
        map
    }

    /// Offsets of the packed bytes of one element, in order.
    pub fn bytes(&self) -> Vec<i64> {
        let fields = self.entries.iter().flat_map(|(offset, basic)| match basic.pair() {
            None => vec![(*offset, basic.size())],
            Some((value, index)) => {
                let second = offset + basic.pair_index_offset() as i64;
                vec![(*offset, value.size()), (second, index.size())]
            }
        });
        fields.flat_map(|(at, size)| (0..size as i64).map(move |i| at + i)).collect()
    }

    /// Offsets of the packed bytes of `count` elements.
    pub fn all_bytes(&self, count: i64) -> Vec<i64> {
        let one = self.bytes();
        (0..count).flat_map(|i| one.iter().map(move |at| at + i * self.extent())).collect()
    }

    pub fn true_bounds(&self) -> (i64, i64) {
        let low = self.entries.iter().map(|(at, _)| *at).min().unwrap_or(0);
        let high = self.entries.iter().map(|(at, b)| at + b.true_extent() as i64).max();
        (low, high.unwrap_or(0))
    }
}

impl Spec {
    pub fn map(&self) -> Map {
        match self {
            Spec::Basic(basic) => Map {
                entries: vec![(0, *basic)],
                bounds: Some((0, basic.extent() as i64)),
                explicit: false,
            },
            Spec::Dup(inner) => inner.map(),
            Spec::Contiguous(count, inner) => Map::of_blocks([(*count, 0)], &inner.map()),
            Spec::Vector(count, len, stride, inner) => {
                let inner = inner.map();
                let blocks = (0..*count).map(|i| (*len, i * stride * inner.extent()));
                Map::of_blocks(blocks, &inner)
            }
            Spec::Hvector(count, len, stride, inner) => {
                Map::of_blocks((0..*count).map(|i| (*len, i * stride)), &inner.map())
            }
            Spec::Indexed(blocks, inner) => {
                let inner = inner.map();
                let blocks = blocks.iter().map(|(len, displ)| (*len, displ * inner.extent()));
                Map::of_blocks(blocks, &inner)
            }
            Spec::Hindexed(blocks, inner) => Map::of_blocks(blocks.iter().copied(), &inner.map()),
            Spec::IndexedBlock(len, displs, inner) => {
                let inner = inner.map();
                Map::of_blocks(displs.iter().map(|d| (*len, d * inner.extent())), &inner)
            }
            Spec::HindexedBlock(len, displs, inner) => {
                Map::of_blocks(displs.iter().map(|d| (*len, *d)), &inner.map())
            }
            Spec::Struct(fields) => struct_map(fields),
            Spec::Resized(lb, extent, inner) => {
                Map { bounds: Some((*lb, lb + extent)), explicit: true, ..inner.map() }
            }
            Spec::Subarray(dims, order, inner) => {
                let sizes: Vec<i64> = dims.iter().map(|d| d.0).collect();
                array_map(&sizes, *order, &inner.map(), |dim, i| {
                    let (_, sub, start) = dims[dim];
                    (start..start + sub).contains(&i)
                })
            }
            Spec::Darray(rank, dims, order, inner) => {
                let sizes: Vec<i64> = dims.iter().map(|d| d.0).collect();
                array_map(&sizes, *order, &inner.map(), |dim, i| owns(*rank, dims, dim, i))
            }
        }
    }

    pub fn build(&self) -> Rc<Datatype> {
        let split =
            |blocks: &[(i64, i64)]| -> (Vec<i64>, Vec<i64>) { blocks.iter().copied().unzip() };
        match self {
            Spec::Basic(basic) => Ok(Datatype::basic(*basic)),
            Spec::Dup(inner) => Datatype::dup(&inner.build()),
            Spec::Contiguous(count, inner) => Datatype::contiguous(*count, &inner.build()),
            Spec::Vector(n, len, stride, inner) => {
                Datatype::vector(*n, *len, *stride, &inner.build())
            }
            Spec::Hvector(n, len, stride, inner) => {
                Datatype::hvector(*n, *len, *stride, &inner.build())
            }
            Spec::Indexed(blocks, inner) => {
                let (lens, displs) = split(blocks);
                Datatype::indexed(&lens, &displs, &inner.build())
            }
            Spec::Hindexed(blocks, inner) => {
                let (lens, displs) = split(blocks);
                Datatype::hindexed(&lens, &displs, &inner.build())
            }
            Spec::IndexedBlock(len, displs, inner) => {
                Datatype::indexed_block(*len, displs, &inner.build())
            }
            Spec::HindexedBlock(len, displs, inner) => {
                Datatype::hindexed_block(*len, displs, &inner.build())
            }
            Spec::Struct(fields) => {
                let lens: Vec<i64> = fields.iter().map(|f| f.0).collect();
                let displs: Vec<i64> = fields.iter().map(|f| f.1).collect();
                let types: Vec<_> = fields.iter().map(|f| f.2.build()).collect();
                Datatype::structured(&lens, &displs, &types)
            }
            Spec::Resized(lb, extent, inner) => Datatype::resized(*lb, *extent, &inner.build()),
            Spec::Subarray(dims, order, inner) => {
                let sizes: Vec<i64> = dims.iter().map(|d| d.0).collect();
                let subsizes: Vec<i64> = dims.iter().map(|d| d.1).collect();
                let starts: Vec<i64> = dims.iter().map(|d| d.2).collect();
                Datatype::subarray(&sizes, &subsizes, &starts, *order, &inner.build())
            }
            Spec::Darray(rank, dims, order, inner) => {
                let gsizes: Vec<i64> = dims.iter().map(|d| d.0).collect();
                let distribs: Vec<_> = dims.iter().map(|d| d.1).collect();
                let dargs: Vec<i64> = dims.iter().map(|d| d.2).collect();
                let psizes: Vec<i64> = dims.iter().map(|d| d.3).collect();
                let (size, inner) = (psizes.iter().product(), inner.build());
                Datatype::darray(size, *rank, &gsizes, &distribs, &dargs, &psizes, *order, &inner)
            }
        }
        .unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

fn struct_map(fields: &[(i64, i64, Spec)]) -> Map {
    let mut map = Map::default();
    for (len, displ, inner) in fields {
        let inner = inner.map();
        (0..*len).for_each(|i| map.add(displ + i * inner.extent(), &inner));
    }
    if let (Some((lb, ub)), false) = (map.bounds, map.explicit) {
        let align = map.entries.iter().map(|(_, basic)| basic.align() as i64).max().unwrap_or(1);
        let extent = (0..).map(|pad| ub - lb + pad).find(|extent| extent % align == 0);
        map.bounds = Some((lb, lb + extent.unwrap()));
    }
    map
}

/// The elements of an array that `picked(dimension, index)` selects, in storage order.
fn array_map(sizes: &[i64], order: Order, inner: &Map, picked: impl Fn(usize, i64) -> bool) -> Map {
    let mut map = Map::default();
    let total: i64 = sizes.iter().product();
    for place in 0..total {
        let mut rest = place;
        let mut all = true;
        let dims: Vec<usize> = match order {
            Order::C => (0..sizes.len()).rev().collect(),
            Order::Fortran => (0..sizes.len()).collect(),
        };
        for dim in dims {
            all &= picked(dim, rest % sizes[dim]);
            rest /= sizes[dim];
        }
        if all {
            map.add(place * inner.extent(), inner);
        }
    }
    map.bounds = Some((0, total * inner.extent()));
    map.explicit = true;
    map
}

/// Whether the process owns index `i` of a dimension of a distributed array.
fn owns(rank: i64, dims: &[(i64, Distribution, i64, i64)], dim: usize, i: i64) -> bool {
    let later: i64 = dims[dim + 1..].iter().map(|d| d.3).product();
    let (gsize, distribution, darg, psize) = dims[dim];
    let coord = rank / later % psize;
    let block = match (distribution, darg) {
        (Distribution::None, _) => return true,
        (Distribution::Block, DISTRIBUTE_DEFAULT) => (gsize + psize - 1) / psize,
        (Distribution::Cyclic, DISTRIBUTE_DEFAULT) => 1,
        (_, darg) => darg,
    };
    i / block % psize == coord
}

fn distributed_dimension() -> impl Strategy<Value = (i64, Distribution, i64, i64)> {
    (1..7i64, 0..5, 1..4i64, 1..4i64).prop_map(|(gsize, kind, darg, psize)| match kind {
        0 => (gsize, Distribution::None, DISTRIBUTE_DEFAULT, 1),
        1 => (gsize, Distribution::Block, DISTRIBUTE_DEFAULT, psize),
        2 => (gsize, Distribution::Block, (gsize + psize - 1) / psize + darg - 1, psize),
        3 => (gsize, Distribution::Cyclic, DISTRIBUTE_DEFAULT, psize),
        _ => (gsize, Distribution::Cyclic, darg, psize),
    })
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::C), Just(Order::Fortran)]
}

fn basic() -> impl Strategy<Value = Basic> {
    prop_oneof![
        3 => Just(Basic::Double),
        2 => Just(Basic::Int),
        2 => Just(Basic::Char),
        3 => proptest::sample::select(Basic::ALL),
    ]
}

/// Random types, up to four constructors deep.
pub fn spec() -> impl Strategy<Value = Spec> {
    basic().prop_map(Spec::Basic).prop_recursive(4, 24, 3, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let count = 0..5i64;
        let block = (0..4i64, -6..12i64);
        let byte_block = (0..4i64, -60..120i64);
        let dim = (1..5i64, 0..4i64, 0..4i64).prop_map(|(size, sub, start)| {
            let sub = 1 + sub % size;
            (size, sub, start % (size - sub + 1))
        });
        let strided = (count.clone(), 0..4i64, -8..12i64, boxed.clone());
        let hstrided = (count.clone(), 0..4i64, -80..120i64, boxed.clone());
        prop_oneof![
            1 => boxed.clone().prop_map(Spec::Dup),
            2 => (count, boxed.clone()).prop_map(|(n, i)| Spec::Contiguous(n, i)),
            3 => strided.prop_map(|(n, l, s, i)| Spec::Vector(n, l, s, i)),
            2 => hstrided.prop_map(|(n, l, s, i)| Spec::Hvector(n, l, s, i)),
            2 => (vec(block, 0..5), boxed.clone()).prop_map(|(b, i)| Spec::Indexed(b, i)),
            2 => (vec(byte_block, 0..5), boxed.clone()).prop_map(|(b, i)| Spec::Hindexed(b, i)),
            1 => (0..4i64, vec(-6..12i64, 0..5), boxed.clone())
                .prop_map(|(l, d, i)| Spec::IndexedBlock(l, d, i)),
            1 => (0..4i64, vec(-60..120i64, 0..5), boxed.clone())
                .prop_map(|(l, d, i)| Spec::HindexedBlock(l, d, i)),
            4 => vec((0..3i64, -40..100i64, inner), 0..4).prop_map(Spec::Struct),
            2 => (-20..20i64, -10..100i64, boxed.clone())
                .prop_map(|(lb, extent, i)| Spec::Resized(lb, extent, i)),
            1 => (vec(dim, 1..4), order(), boxed.clone())
                .prop_map(|(dims, order, i)| Spec::Subarray(dims, order, i)),
            1 => (vec(distributed_dimension(), 1..4), 0..64i64, order(), boxed)
                .prop_map(|(dims, rank, order, i)| {
                    let size: i64 = dims.iter().map(|d| d.3).product();
                    Spec::Darray(rank % size, dims, order, i)
                }),
        ]
    })
}

/// A memory area in which `count` elements of a type map lie, and where the buffer argument points.
pub struct Area {
    pub memory: Vec<u8>,
    pub base: usize,
}

impl Area {
    /// Room for these byte offsets and a margin, filled with a pattern that depends on `seed`.
    pub fn new(offsets: &[i64], seed: u32) -> Area {
        let low = offsets.iter().min().copied().unwrap_or(0).min(0) - 8;
        let high = offsets.iter().max().copied().unwrap_or(0).max(0) + 9;
        let mut state = seed.wrapping_mul(747796405).wrapping_add(2891336453);
        let memory = (low..high).map(|_| {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 24) as u8
        });
        Area { memory: memory.collect(), base: -low as usize }
    }

    pub fn pointer(&mut self) -> *mut u8 {
        self.memory.as_mut_ptr().wrapping_add(self.base)
    }

    pub fn at(&self, offset: i64) -> u8 {
        self.memory[(self.base as i64 + offset) as usize]
    }

    pub fn set(&mut self, offset: i64, value: u8) {
        self.memory[(self.base as i64 + offset) as usize] = value;
    }
}
