//! How a datatype was made: what `MPI_Type_get_envelope` and `MPI_Type_get_contents` return.
//!
//! `abi` reads it; `leaves.rs` and the destructor of a datatype follow the inner types through it.

use std::rc::Rc;

use crate::{Basic, Datatype};

/// `MPI_DISTRIBUTE_DFLT_DARG`, the distribution argument that asks for the default.
pub const DISTRIBUTE_DEFAULT: i64 = 19;

/// `MPI_UNDEFINED`, which stands for a missing precision or range in the contents.
const UNDEFINED: i64 = -32766;

/// Storage order of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last dimension varies fastest.
    C,
    /// The first dimension varies fastest.
    Fortran,
}

impl Order {
    /// `MPI_ORDER_C` or `MPI_ORDER_FORTRAN`.
    pub const fn abi_value(self) -> i32 {
        match self {
            Order::C => 0xC,
            Order::Fortran => 0xF,
        }
    }

    /// The order with this number in the ABI.
    pub const fn from_abi_value(value: i32) -> Option<Order> {
        match value {
            0xC => Some(Order::C),
            0xF => Some(Order::Fortran),
            _ => None,
        }
    }
}

/// How one dimension of a distributed array is spread over the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Distribution {
    /// Not distributed.
    None,
    /// One block per process.
    Block,
    /// Blocks dealt out in turn.
    Cyclic,
}

impl Distribution {
    /// `MPI_DISTRIBUTE_NONE`, `_BLOCK` or `_CYCLIC`.
    pub const fn abi_value(self) -> i32 {
        match self {
            Distribution::None => 16,
            Distribution::Block => 17,
            Distribution::Cyclic => 18,
        }
    }

    /// The distribution with this number in the ABI.
    pub const fn from_abi_value(value: i32) -> Option<Distribution> {
        match value {
            16 => Some(Distribution::None),
            17 => Some(Distribution::Block),
            18 => Some(Distribution::Cyclic),
            _ => None,
        }
    }
}

/// The constructor that made a datatype, with its arguments as they were given.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // The fields are the arguments of the constructors, under their names.
pub enum Combiner {
    /// A predefined type.
    Named(Basic),
    /// `MPI_Type_dup`
    Dup { inner: Rc<Datatype> },
    /// `MPI_Type_contiguous`
    Contiguous { count: i64, inner: Rc<Datatype> },
    /// `MPI_Type_vector`
    Vector { count: i64, blocklength: i64, stride: i64, inner: Rc<Datatype> },
    /// `MPI_Type_create_hvector`
    Hvector { count: i64, blocklength: i64, stride: i64, inner: Rc<Datatype> },
    /// `MPI_Type_indexed`
    Indexed { blocklengths: Box<[i64]>, displacements: Box<[i64]>, inner: Rc<Datatype> },
    /// `MPI_Type_create_hindexed`
    Hindexed { blocklengths: Box<[i64]>, displacements: Box<[i64]>, inner: Rc<Datatype> },
    /// `MPI_Type_create_indexed_block`
    IndexedBlock { blocklength: i64, displacements: Box<[i64]>, inner: Rc<Datatype> },
    /// `MPI_Type_create_hindexed_block`
    HindexedBlock { blocklength: i64, displacements: Box<[i64]>, inner: Rc<Datatype> },
    /// `MPI_Type_create_struct`
    Struct { blocklengths: Box<[i64]>, displacements: Box<[i64]>, types: Box<[Rc<Datatype>]> },
    /// `MPI_Type_create_subarray`
    Subarray {
        sizes: Box<[i64]>,
        subsizes: Box<[i64]>,
        starts: Box<[i64]>,
        order: Order,
        inner: Rc<Datatype>,
    },
    /// `MPI_Type_create_darray`
    Darray {
        size: i64,
        rank: i64,
        gsizes: Box<[i64]>,
        distribs: Box<[Distribution]>,
        dargs: Box<[i64]>,
        psizes: Box<[i64]>,
        order: Order,
        inner: Rc<Datatype>,
    },
    /// `MPI_Type_create_f90_real`
    F90Real { precision: Option<i32>, range: Option<i32> },
    /// `MPI_Type_create_f90_complex`
    F90Complex { precision: Option<i32>, range: Option<i32> },
    /// `MPI_Type_create_f90_integer`
    F90Integer { range: i32 },
    /// `MPI_Type_create_resized`
    Resized { lb: i64, extent: i64, inner: Rc<Datatype> },
    /// `MPI_Type_get_value_index`
    ValueIndex { value: Rc<Datatype>, index: Rc<Datatype> },
}

/// The arguments of a constructor, sorted into the arrays of `MPI_Type_get_contents`.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// `array_of_integers`
    pub integers: Vec<i64>,
    /// `array_of_addresses`
    pub addresses: Vec<i64>,
    /// `array_of_large_counts`
    pub large_counts: Vec<i64>,
    /// `array_of_datatypes`
    pub datatypes: Vec<Rc<Datatype>>,
}

impl Combiner {
    /// The `MPI_COMBINER_*` number.
    pub const fn abi_value(&self) -> i32 {
        match self {
            Combiner::Named(_) => 101,
            Combiner::Dup { .. } => 102,
            Combiner::Contiguous { .. } => 103,
            Combiner::Vector { .. } => 104,
            Combiner::Hvector { .. } => 105,
            Combiner::Indexed { .. } => 106,
            Combiner::Hindexed { .. } => 107,
            Combiner::IndexedBlock { .. } => 108,
            Combiner::HindexedBlock { .. } => 109,
            Combiner::Struct { .. } => 110,
            Combiner::Subarray { .. } => 111,
            Combiner::Darray { .. } => 112,
            Combiner::F90Real { .. } => 113,
            Combiner::F90Complex { .. } => 114,
            Combiner::F90Integer { .. } => 115,
            Combiner::Resized { .. } => 116,
            Combiner::ValueIndex { .. } => 117,
        }
    }

    /// The inner types, in the order of `array_of_datatypes`.
    pub fn inner_types(&self) -> Vec<Rc<Datatype>> {
        match self {
            Combiner::Named(_)
            | Combiner::F90Real { .. }
            | Combiner::F90Complex { .. }
            | Combiner::F90Integer { .. } => Vec::new(),
            Combiner::Dup { inner }
            | Combiner::Contiguous { inner, .. }
            | Combiner::Vector { inner, .. }
            | Combiner::Hvector { inner, .. }
            | Combiner::Indexed { inner, .. }
            | Combiner::Hindexed { inner, .. }
            | Combiner::IndexedBlock { inner, .. }
            | Combiner::HindexedBlock { inner, .. }
            | Combiner::Subarray { inner, .. }
            | Combiner::Darray { inner, .. }
            | Combiner::Resized { inner, .. } => vec![inner.clone()],
            Combiner::Struct { types, .. } => types.to_vec(),
            Combiner::ValueIndex { value, index } => vec![value.clone(), index.clone()],
        }
    }

    /// The arguments in the order that section 5.1.13 gives. `large` says that the type was made by
    /// the large-count version of its constructor, which moves counts and displacements to
    /// `large_counts`. A named type has no contents.
    pub fn contents(&self, large: bool) -> Contents {
        let mut out = Contents { datatypes: self.inner_types(), ..Contents::default() };
        self.plain_contents(large, &mut out);
        if large {
            // What went to `integers` or `addresses` above are counts in the large versions.
            let counts = [std::mem::take(&mut out.integers), std::mem::take(&mut out.addresses)];
            out.large_counts.extend(counts.into_iter().flatten());
        }
        self.always_integer_contents(large, &mut out);
        out
    }

    /// Arguments that are `int` or `MPI_Aint` in the plain and `MPI_Count` in the large version.
    fn plain_contents(&self, large: bool, out: &mut Contents) {
        let Contents { integers, addresses, .. } = out;
        match self {
            Combiner::Contiguous { count, .. } => integers.push(*count),
            Combiner::Vector { count, blocklength, stride, .. } => {
                integers.extend([count, blocklength, stride]);
            }
            Combiner::Hvector { count, blocklength, stride, .. } => {
                integers.extend([count, blocklength]);
                addresses.push(*stride);
            }
            Combiner::Indexed { blocklengths, displacements, .. } => {
                integers.push(blocklengths.len() as i64);
                integers.extend(blocklengths.iter().chain(displacements.iter()));
            }
            Combiner::Hindexed { blocklengths, displacements, .. }
            | Combiner::Struct { blocklengths, displacements, .. } => {
                integers.push(blocklengths.len() as i64);
                integers.extend(blocklengths.iter());
                addresses.extend(displacements.iter());
            }
            Combiner::IndexedBlock { blocklength, displacements, .. } => {
                integers.extend([displacements.len() as i64, *blocklength]);
                integers.extend(displacements.iter());
            }
            Combiner::HindexedBlock { blocklength, displacements, .. } => {
                integers.extend([displacements.len() as i64, *blocklength]);
                addresses.extend(displacements.iter());
            }
            Combiner::Resized { lb, extent, .. } => addresses.extend([lb, extent]),
            Combiner::Subarray { sizes, subsizes, starts, .. } if large => {
                integers.extend(sizes.iter().chain(subsizes.iter()).chain(starts.iter()));
            }
            Combiner::Darray { gsizes, .. } if large => integers.extend(gsizes.iter()),
            _ => {}
        }
    }

    /// Arguments that stay `int` in the large version, and the plain form of the array types.
    fn always_integer_contents(&self, large: bool, out: &mut Contents) {
        let integers = &mut out.integers;
        match self {
            Combiner::Subarray { sizes, subsizes, starts, order, .. } => {
                integers.push(sizes.len() as i64);
                if !large {
                    integers.extend(sizes.iter().chain(subsizes.iter()).chain(starts.iter()));
                }
                integers.push(order.abi_value().into());
            }
            Combiner::Darray { size, rank, gsizes, distribs, dargs, psizes, order, .. } => {
                integers.extend([*size, *rank, gsizes.len() as i64]);
                if !large {
                    integers.extend(gsizes.iter());
                }
                integers.extend(distribs.iter().map(|d| i64::from(d.abi_value())));
                integers.extend(dargs.iter().chain(psizes.iter()));
                integers.push(order.abi_value().into());
            }
            Combiner::F90Real { precision, range } | Combiner::F90Complex { precision, range } => {
                integers.extend([precision, range].map(|x| x.map_or(UNDEFINED, i64::from)));
            }
            Combiner::F90Integer { range } => integers.push((*range).into()),
            _ => {}
        }
    }
}
