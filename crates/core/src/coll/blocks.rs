//! A buffer argument with one block per process: the three ways in which the standard lets users
//! describe one. Made by `abi`; the algorithms only ask for blocks.

use crate::buffer::Data;
use starling_datatype::Datatype;
use std::rc::Rc;

/// See the module's page.
#[derive(Clone)]
pub struct Blocks {
    addr: *mut u8,
    layout: Layout,
}

#[derive(Clone)]
enum Layout {
    Even { count: i64, ty: Rc<Datatype> },
    Varying { counts: Rc<[i64]>, displs: Rc<[i64]>, ty: Rc<Datatype> },
    Typed { counts: Rc<[i64]>, displs: Rc<[i64]>, types: Rc<[Rc<Datatype>]> },
}

impl Blocks {
    /// Blocks of equal size, one behind the other; `data` is the first (`MPI_Gather`).
    pub fn even(data: &Data) -> Blocks {
        let layout = Layout::Even { count: data.count, ty: data.ty.clone() };
        Blocks { addr: data.addr, layout }
    }

    /// Counts and displacements in extents of one type (`MPI_Gatherv`).
    pub fn varying(
        addr: *mut u8,
        counts: Rc<[i64]>,
        displs: Rc<[i64]>,
        ty: Rc<Datatype>,
    ) -> Blocks {
        Blocks { addr, layout: Layout::Varying { counts, displs, ty } }
    }

    /// A type of its own for each block, displacements in bytes (`MPI_Alltoallw`).
    pub fn typed(
        addr: *mut u8,
        counts: Rc<[i64]>,
        displs: Rc<[i64]>,
        types: Rc<[Rc<Datatype>]>,
    ) -> Blocks {
        Blocks { addr, layout: Layout::Typed { counts, displs, types } }
    }

    /// The block of process (or neighbour) `index`.
    pub fn block(&self, index: u32) -> Data {
        let i = index as usize;
        let (offset, count, ty) = match &self.layout {
            Layout::Even { count, ty } => (index as i64 * count * ty.extent(), *count, ty),
            Layout::Varying { counts, displs, ty } => (displs[i] * ty.extent(), counts[i], ty),
            Layout::Typed { counts, displs, types } => (displs[i], counts[i], &types[i]),
        };
        let addr = self.addr.wrapping_offset(offset as isize);
        Data { addr, count, ty: ty.clone() }
    }
}
