//! What parallel debuggers look for in a launcher: the MPIR interface ("The MPIR Process
//! Acquisition Interface", version 1.0 of the MPI Forum).
//!
//! A debugger sets `MPIR_being_debugged`, waits at `MPIR_Breakpoint`, and reads the table of
//! processes. The front calls `publish` when it knows the processes of all ranks. This program
//! only writes these variables; their readers are outside.

#![allow(non_upper_case_globals, non_snake_case)]

use super::Pid;
use std::ffi::CString;
use std::os::raw::{c_char, c_int};
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

/// One process, as the interface lays it out.
#[repr(C)]
pub struct MpirProcess {
    host_name: *const c_char,
    executable_name: *const c_char,
    pid: c_int,
}

const _: () = assert!(size_of::<MpirProcess>() == 24 && align_of::<MpirProcess>() == 8);

const DEBUG_SPAWNED: i32 = 1;

/// Set by the debugger.
#[no_mangle]
#[used]
pub static MPIR_being_debugged: AtomicI32 = AtomicI32::new(0);
/// Why the breakpoint was reached.
#[no_mangle]
#[used]
pub static MPIR_debug_state: AtomicI32 = AtomicI32::new(0);
/// The table, an entry per rank.
#[no_mangle]
#[used]
pub static MPIR_proctable: AtomicPtr<MpirProcess> = AtomicPtr::new(std::ptr::null_mut());
/// Its entries.
#[no_mangle]
#[used]
pub static MPIR_proctable_size: AtomicI32 = AtomicI32::new(0);
/// Its presence says that this program starts processes and is none of them.
#[no_mangle]
#[used]
pub static MPIR_i_am_starter: AtomicI32 = AtomicI32::new(0);
/// Its presence says that a debugger may attach to some of the processes only.
#[no_mangle]
#[used]
pub static MPIR_partial_attach_ok: AtomicI32 = AtomicI32::new(0);

/// Where the debugger waits.
#[no_mangle]
#[inline(never)]
pub extern "C" fn MPIR_Breakpoint() {
    // Something that the optimiser keeps, so that calls are kept too.
    MPIR_debug_state.fetch_add(0, Ordering::SeqCst);
}

/// Fills the table: host, program and process of each rank. Once per program: the table stays.
pub fn publish(host: &str, processes: impl Iterator<Item = (CString, Pid)>) {
    // A host's name has no zero byte; should it have one, the debugger is shown none.
    let host = CString::new(host).unwrap_or_default().into_raw();
    let entry = |(program, pid): (CString, Pid)| MpirProcess {
        host_name: host,
        executable_name: program.into_raw(),
        pid,
    };
    let table: &'static mut [MpirProcess] =
        Box::leak(processes.map(entry).collect::<Vec<_>>().into_boxed_slice());
    // Relaxed: the reader is a debugger, which stops this thread in `MPIR_Breakpoint` first.
    MPIR_proctable_size.store(table.len() as i32, Ordering::Relaxed);
    MPIR_proctable.store(table.as_mut_ptr(), Ordering::Relaxed);
    MPIR_debug_state.store(DEBUG_SPAWNED, Ordering::Relaxed);
    MPIR_Breakpoint();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debugger_finds_every_rank() {
        let ranks = [(c"./a".to_owned(), 11), (c"./b".to_owned(), 12)];
        publish("node7", ranks.into_iter());
        assert_eq!(MPIR_proctable_size.load(Ordering::Relaxed), 2);
        assert_eq!(MPIR_debug_state.load(Ordering::Relaxed), DEBUG_SPAWNED);
        let table = MPIR_proctable.load(Ordering::Relaxed);
        // SAFETY: `publish` leaked a table of two entries, whose strings end with zero bytes.
        unsafe {
            let second = &*table.add(1);
            assert_eq!(second.pid, 12);
            assert_eq!(std::ffi::CStr::from_ptr(second.executable_name), c"./b");
            assert_eq!(std::ffi::CStr::from_ptr(second.host_name), c"node7");
        }
    }
}
