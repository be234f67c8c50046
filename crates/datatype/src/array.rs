//! Subarrays and distributed arrays (sections 5.1.3 and 5.1.4).
//!
//! Both are composed from the other constructors, one loop per dimension from the fastest to the
//! slowest; the result keeps the composition as its body.

use std::rc::Rc;

use crate::combiner::DISTRIBUTE_DEFAULT;
use crate::construct::{Built, Draft};
use crate::{Combiner, Datatype, Distribution, ErrorKind, Order, TypeError};

fn argument(message: String) -> TypeError {
    TypeError::new(ErrorKind::Argument, message)
}

/// Dimensions from the fastest varying to the slowest.
fn fastest_first(ndims: usize, order: Order) -> Box<dyn Iterator<Item = usize>> {
    match order {
        Order::C => Box::new((0..ndims).rev()),
        Order::Fortran => Box::new(0..ndims),
    }
}

fn check_dims(ndims: usize, arrays: &[(&str, usize)]) -> Result<(), TypeError> {
    if ndims == 0 {
        let message = "ndims is 0, but must be at least 1";
        return Err(TypeError::new(ErrorKind::Dimension, message));
    }
    for (name, len) in arrays {
        if *len != ndims {
            let message = format!("{name} has {len} entries, but ndims is {ndims}");
            return Err(TypeError::new(ErrorKind::Dimension, message));
        }
    }
    Ok(())
}

fn times(a: i64, b: i64) -> Result<i64, TypeError> {
    a.checked_mul(b).ok_or_else(|| TypeError::too_large("the extent"))
}

/// The composed type with the bounds of the whole array.
fn whole_array(body: Rc<Datatype>, extent: i64, combiner: Combiner) -> Built {
    let body = Datatype::resized(0, extent, &body)?;
    Draft::of(&body).finish(combiner, Some(body))
}

impl Datatype {
    /// `MPI_Type_create_subarray`
    ///
    /// # Errors
    /// A dimension whose part does not lie inside the whole, or arrays of different lengths.
    pub fn subarray(
        sizes: &[i64],
        subsizes: &[i64],
        starts: &[i64],
        order: Order,
        inner: &Rc<Datatype>,
    ) -> Built {
        let lengths = [("array_of_subsizes", subsizes.len()), ("array_of_starts", starts.len())];
        check_dims(sizes.len(), &lengths)?;
        for (i, ((size, sub), start)) in sizes.iter().zip(subsizes).zip(starts).enumerate() {
            if *size < 1 {
                return Err(argument(format!("array_of_sizes[{i}] is {size}, must be positive")));
            }
            if *sub < 1 || sub > size {
                let range = format!("must be from 1 to array_of_sizes[{i}], which is {size}");
                return Err(argument(format!("array_of_subsizes[{i}] is {sub}, {range}")));
            }
            if *start < 0 || *start > size - sub {
                let range = format!("must be from 0 to {} (size minus subsize)", size - sub);
                return Err(argument(format!("array_of_starts[{i}] is {start}, {range}")));
            }
        }
        let mut body = inner.clone();
        let mut stride = inner.extent();
        let mut displ = 0i64;
        for dim in fastest_first(sizes.len(), order) {
            body = Datatype::hvector(subsizes[dim], 1, stride, &body)?;
            let step = times(starts[dim], stride)?;
            displ = displ.checked_add(step).ok_or_else(|| TypeError::too_large("a bound"))?;
            stride = times(stride, sizes[dim])?;
        }
        body = Datatype::hindexed_block(1, &[displ], &body)?;
        let (sizes, subsizes, starts) = (sizes.into(), subsizes.into(), starts.into());
        let inner = inner.clone();
        whole_array(body, stride, Combiner::Subarray { sizes, subsizes, starts, order, inner })
    }

    /// `MPI_Type_create_darray`; [`DISTRIBUTE_DEFAULT`] asks for the default argument.
    ///
    /// # Errors
    /// A rank outside of the grid, a grid that is not as large as `size`, a block size that does
    /// not cover its dimension, or arrays of different lengths.
    #[allow(clippy::too_many_arguments)] // The standard's.
    pub fn darray(
        size: i64,
        rank: i64,
        gsizes: &[i64],
        distribs: &[Distribution],
        dargs: &[i64],
        psizes: &[i64],
        order: Order,
        inner: &Rc<Datatype>,
    ) -> Built {
        let lengths = [
            ("array_of_distribs", distribs.len()),
            ("array_of_dargs", dargs.len()),
            ("array_of_psizes", psizes.len()),
        ];
        check_dims(gsizes.len(), &lengths)?;
        let coords = grid_coordinates(size, rank, psizes)?;
        let mut body = inner.clone();
        let mut stride = inner.extent();
        for i in fastest_first(gsizes.len(), order) {
            let dim = Dimension::new(i, gsizes[i], distribs[i], dargs[i], psizes[i], coords[i])?;
            body = dim.deal(stride, &body)?;
            stride = times(stride, gsizes[i])?;
        }
        let combiner = Combiner::Darray {
            size,
            rank,
            gsizes: gsizes.into(),
            distribs: distribs.into(),
            dargs: dargs.into(),
            psizes: psizes.into(),
            order,
            inner: inner.clone(),
        };
        whole_array(body, stride, combiner)
    }
}

/// The place of `rank` in the process grid, which is always in C order.
fn grid_coordinates(size: i64, rank: i64, psizes: &[i64]) -> Result<Vec<i64>, TypeError> {
    if let Some(i) = psizes.iter().position(|p| *p < 1) {
        return Err(argument(format!("array_of_psizes[{i}] is {}, must be positive", psizes[i])));
    }
    let product = psizes.iter().try_fold(1i64, |product, p| product.checked_mul(*p));
    if product != Some(size) {
        let message = format!("size is {size}, but array_of_psizes {psizes:?} multiply to another");
        return Err(argument(message));
    }
    if rank < 0 || rank >= size {
        return Err(argument(format!("rank is {rank}, must be from 0 to {}", size - 1)));
    }
    let mut rest = rank;
    let mut coords: Vec<i64> = psizes
        .iter()
        .rev()
        .map(|p| {
            let coord = rest % p;
            rest /= p;
            coord
        })
        .collect();
    coords.reverse();
    Ok(coords)
}

/// One dimension of a distributed array, seen from one process.
struct Dimension {
    gsize: i64,
    block: i64,
    psize: i64,
    coord: i64,
}

impl Dimension {
    fn new(
        i: usize,
        gsize: i64,
        distrib: Distribution,
        darg: i64,
        psize: i64,
        coord: i64,
    ) -> Result<Dimension, TypeError> {
        if gsize < 1 {
            return Err(argument(format!("array_of_gsizes[{i}] is {gsize}, must be positive")));
        }
        if distrib != Distribution::None && darg != DISTRIBUTE_DEFAULT && darg < 1 {
            return Err(argument(format!("array_of_dargs[{i}] is {darg}, must be positive")));
        }
        let block = match distrib {
            Distribution::None if psize != 1 => {
                let why = "must be 1 for MPI_DISTRIBUTE_NONE";
                return Err(argument(format!("array_of_psizes[{i}] is {psize}, {why}")));
            }
            Distribution::None => gsize,
            Distribution::Block if darg == DISTRIBUTE_DEFAULT => (gsize - 1) / psize + 1,
            Distribution::Block if i128::from(darg) * i128::from(psize) < gsize.into() => {
                let why = format!("{psize} such blocks do not cover {gsize}");
                return Err(argument(format!("array_of_dargs[{i}] is {darg}, but {why}")));
            }
            Distribution::Cyclic if darg == DISTRIBUTE_DEFAULT => 1,
            Distribution::Block | Distribution::Cyclic => darg,
        };
        Ok(Dimension { gsize, block, psize, coord })
    }

    /// This process's elements of the dimension: whole blocks, dealt out in turn, and at the end
    /// perhaps a cut one. `stride` is the distance between consecutive elements.
    fn deal(&self, stride: i64, inner: &Rc<Datatype>) -> Built {
        let Dimension { gsize, block, psize, coord } = *self;
        let (whole, cut) = (gsize / block, gsize % block);
        // Blocks coord, coord + psize, ... of those that are whole.
        let mine = if whole > coord { (whole - 1 - coord) / psize + 1 } else { 0 };
        let cut = if whole % psize == coord { cut } else { 0 };
        let one = Datatype::hvector(block.min(gsize), 1, stride, inner)?;
        let cycle = i128::from(block) * i128::from(psize) * i128::from(stride);
        let cycle = i64::try_from(cycle).or(if mine > 1 {
            Err(TypeError::too_large("a stride"))
        } else {
            Ok(0)
        })?;
        let blocks = Datatype::hvector(mine, 1, cycle, &one)?;
        let rest = Datatype::hvector(cut, 1, stride, inner)?;
        let first = if mine > 0 { times(times(coord, block)?, stride)? } else { 0 };
        let last = if cut > 0 { times(times(whole, block)?, stride)? } else { 0 };
        Datatype::structured(&[1, 1], &[first, last], &[blocks, rest])
    }
}
