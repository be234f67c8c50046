//! Where in the user's program a failing call was made: the first frame of the stack outside of
//! this library, with its source line if the program carries debug information. Called when an
//! error ends the job, so it may take its time. Switched off by `STARLING_ERROR_BACKTRACE=0`.

use std::ffi::c_void;

/// Start address of the loaded object that contains `address`; 0 if none does.
fn object_of(address: *const c_void) -> usize {
    // SAFETY: a zeroed Dl_info is a valid out-parameter; dladdr takes any address.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        match libc::dladdr(address, &mut info) {
            0 => 0,
            _ => info.dli_fbase as usize,
        }
    }
}

/// "function at file:line" of the caller, as far as it can be found.
pub(crate) fn describe() -> Option<String> {
    if !starling_settings::tunables().error_backtrace {
        return None;
    }
    let own = object_of(describe as *const c_void);
    let mut found = None;
    backtrace::trace(|frame| {
        // The return address lies behind the call; one byte before it is inside.
        let address = frame.ip().wrapping_byte_sub(1);
        if object_of(address) == own {
            return true;
        }
        backtrace::resolve(address, |symbol| {
            let name = symbol.name().map(|name| name.to_string());
            let place = symbol.filename().zip(symbol.lineno());
            if let (None, Some(name), Some((file, line))) = (&found, name, place) {
                found = Some(format!("{name} at {}:{line}", file.display()));
            }
        });
        false
    });
    found
}
