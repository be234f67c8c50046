//! Procedures that the standard removed long ago (MPI 3.0, section 16.1.1) and that old programs
//! still call. They are exported but not declared in `mpi.h`; each runs the body of the procedure
//! that took its place. Called by C programs only.

#![allow(non_snake_case)] // the names of the C functions

use crate::entry::{run, Function, On};
use crate::generated::types::*;
use crate::ints::{IntArray, IntPtr};
use crate::{datatype, errhandler};
use std::ffi::{c_int, c_void};

macro_rules! removed {
    ($($name:ident $pname:ident ($($arg:ident: $type:ty),*), $on:expr,
       |$call:ident| $body:expr;)*) => { $(
        /// # Safety
        /// The arguments are what the standard asked for.
        #[no_mangle]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> c_int {
            static FUNCTION: Function = Function { name: stringify!($name), any_time: false };
            // SAFETY: the C caller passed what the standard asked of the arguments.
            unsafe { run(&FUNCTION, $on, |$call| $body) }
        }
        /// # Safety
        /// The arguments are what the standard asked for.
        #[no_mangle]
        pub unsafe extern "C" fn $pname($($arg: $type),*) -> c_int {
            static FUNCTION: Function = Function { name: stringify!($name), any_time: false };
            // SAFETY: as above.
            unsafe { run(&FUNCTION, $on, |$call| $body) }
        }
    )* };
}

removed! {
    MPI_Address PMPI_Address(location: *mut c_void, address: *mut MPI_Aint), On::None,
        |call| datatype::get_address(call, location, address);

    MPI_Type_hvector PMPI_Type_hvector(
        count: c_int, blocklength: c_int, stride: MPI_Aint, oldtype: MPI_Datatype,
        newtype: *mut MPI_Datatype
    ), On::None,
        |call| datatype::type_create_hvector(
            call, i64::from(count), i64::from(blocklength), stride as i64, oldtype, newtype
        );

    MPI_Type_hindexed PMPI_Type_hindexed(
        count: c_int, blocklengths: *const c_int, displacements: *const MPI_Aint,
        oldtype: MPI_Datatype, newtype: *mut MPI_Datatype
    ), On::None,
        |call| datatype::type_create_hindexed(
            call, i64::from(count), IntArray::i32(blocklengths),
            IntArray::i64(displacements.cast()), oldtype, newtype
        );

    MPI_Type_struct PMPI_Type_struct(
        count: c_int, blocklengths: *const c_int, displacements: *const MPI_Aint,
        types: *const MPI_Datatype, newtype: *mut MPI_Datatype
    ), On::None,
        |call| datatype::type_create_struct(
            call, i64::from(count), IntArray::i32(blocklengths),
            IntArray::i64(displacements.cast()), types, newtype
        );

    MPI_Type_extent PMPI_Type_extent(datatype: MPI_Datatype, extent: *mut MPI_Aint), On::None,
        |call| {
            let mut lb = 0;
            datatype::type_get_extent(
                call, datatype, IntPtr::i64(&mut lb), IntPtr::i64(extent.cast())
            )
        };

    MPI_Type_lb PMPI_Type_lb(datatype: MPI_Datatype, displacement: *mut MPI_Aint), On::None,
        |call| {
            let mut extent = 0;
            datatype::type_get_extent(
                call, datatype, IntPtr::i64(displacement.cast()), IntPtr::i64(&mut extent)
            )
        };

    MPI_Type_ub PMPI_Type_ub(datatype: MPI_Datatype, displacement: *mut MPI_Aint), On::None,
        |call| {
            crate::decode::require(displacement, "displacement")?;
            let ty = call.datatype(datatype)?;
            *displacement = (ty.lb() + ty.extent()) as MPI_Aint;
            Ok(())
        };

    MPI_Errhandler_create PMPI_Errhandler_create(
        function: MPI_Comm_errhandler_function, errhandler: *mut MPI_Errhandler
    ), On::None,
        |call| errhandler::comm_create_errhandler(call, function, errhandler);

    MPI_Errhandler_set PMPI_Errhandler_set(comm: MPI_Comm, errhandler: MPI_Errhandler),
        On::Comm(comm),
        |call| errhandler::comm_set_errhandler(call, comm, errhandler);

    MPI_Errhandler_get PMPI_Errhandler_get(comm: MPI_Comm, errhandler: *mut MPI_Errhandler),
        On::Comm(comm),
        |call| errhandler::comm_get_errhandler(call, comm, errhandler);
}
