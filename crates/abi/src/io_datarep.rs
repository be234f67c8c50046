//! Data representations that a program registers (MPI 5.0, section 14.5.3): bodies of the chapter
//! `io`, and the calls of the program's functions.

use crate::datatype::new_handle;
use crate::decode::{bad, narrow, require, Extra};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::text;
use starling_core::buffer::Data;
use starling_core::error::{Class, Error, Result};
use starling_core::io::{Conversion, Representation};
use starling_core::rank::Rank;
use starling_datatype::Basic;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::rc::Rc;

/// A rank's registered representations, by name; they stay until the end.
#[derive(Default)]
struct Registered(RefCell<HashMap<String, Rc<Functions>>>);

/// The program's functions: addresses, 0 for `MPI_CONVERSION_FN_NULL`.
struct Functions {
    name: String,
    read: usize,
    write: usize,
    extent: MPI_Datarep_extent_function,
    extra_state: *mut c_void,
    /// Whether the conversions were given to `MPI_Register_datarep_c`.
    is_large: bool,
}

/// # Safety
/// `name` is null or points to a C string.
unsafe fn checked_name(name: *const c_char) -> Result<String> {
    require(name, "datarep")?;
    let room = MPI_MAX_DATAREP_STRING as usize;
    // SAFETY: not null, so a C string.
    let bytes = unsafe { text::bytes(name, room) };
    if bytes.len() >= room {
        let text = format!("the datarep is longer than {} characters", room - 1);
        return Err(bad(Class::ARG, text));
    }
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// The representation of this name.
///
/// # Safety
/// `name` is null or points to a C string.
pub(crate) unsafe fn representation(call: &Call, name: *const c_char) -> Result<Representation> {
    // SAFETY: as for this function.
    let name = unsafe { checked_name(name) }?;
    match name.as_str() {
        "native" => return Ok(Representation::Native),
        "internal" => return Ok(Representation::Internal),
        "external32" => return Ok(Representation::External32),
        _ => {}
    }
    let registered = call.rank.extra(Registered::default);
    let found = registered.0.borrow().get(&name).cloned();
    match found {
        Some(functions) => Ok(Representation::User(name.into(), functions)),
        None => Err(bad(
            Class::UNSUPPORTED_DATAREP,
            format!(
                "there is no data representation \"{name}\"; it is \"native\", \"internal\", \
                 \"external32\", or registered with MPI_Register_datarep"
            ),
        )),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn register_datarep(
    call: &Call,
    datarep: *const c_char,
    read: usize,
    write: usize,
    extent: MPI_Datarep_extent_function,
    extra_state: *mut c_void,
    is_large: bool,
) -> Result<()> {
    // SAFETY: as for this function.
    let name = unsafe { checked_name(datarep) }?;
    require(extent.0 as *const u8, "dtype_file_extent_fn")?;
    if name.is_empty() {
        return Err(bad(Class::ARG, "the datarep is empty; give it a name"));
    }
    let registered = call.rank.extra(Registered::default);
    let mut registered = registered.0.borrow_mut();
    let predefined = ["native", "internal", "external32"].contains(&name.as_str());
    if predefined || registered.contains_key(&name) {
        let text = format!("there is a data representation \"{name}\" already");
        return Err(bad(Class::DUP_DATAREP, text));
    }
    let key = name.clone();
    registered.insert(key, Rc::new(Functions { name, read, write, extent, extra_state, is_large }));
    Ok(())
}

impl Functions {
    fn failed(&self, what: &str, code: c_int) -> Error {
        let name = &self.name;
        let text = format!("the {what} function of the data representation \"{name}\" gave {code}");
        bad(Class::CONVERSION, text)
    }

    fn convert(
        &self,
        rank: &'static Rank,
        what: &str,
        function: usize,
        user: &Data,
        items: i64,
        file: &mut [u8],
    ) -> Result<()> {
        // The type may have lost its handle meanwhile: it gets one for the call.
        let function_name = &crate::entry::Function { name: "a conversion", any_time: false };
        let call = Call { function: function_name, rank };
        let own = user.ty.as_basic().is_none().then(|| new_handle(&call, user.ty.clone()));
        let own = own.transpose()?;
        let handle = own.unwrap_or_else(|| {
            MPI_Datatype(user.ty.as_basic().map_or(0, |basic| basic.abi_value() as usize))
        });
        // SAFETY: the user gave this address as a function of the type that belongs to
        // `is_large`; the buffers hold that many items.
        let code = unsafe { self.call(function, user.addr.cast(), handle, items, file) };
        if let Some(own) = own {
            drop(rank.datatypes.borrow_mut().remove(narrow(own.0)));
        }
        match code? {
            MPI_SUCCESS => Ok(()),
            code => Err(self.failed(what, code)),
        }
    }

    /// # Safety
    /// `function` is the address of a function of the user, the buffers hold `items` items.
    unsafe fn call(
        &self,
        function: usize,
        userbuf: *mut c_void,
        datatype: MPI_Datatype,
        items: i64,
        file: &mut [u8],
    ) -> Result<c_int> {
        let (filebuf, extra_state) = (file.as_mut_ptr().cast(), self.extra_state);
        if self.is_large {
            let function = MPI_Datarep_conversion_function_c(function);
            // SAFETY: the caller's contract.
            return Ok(unsafe {
                (function.function())(userbuf, datatype, items, filebuf, 0, extra_state)
            });
        }
        let items = c_int::try_from(items).map_err(|_| {
            let text = format!(
                "{items} items do not fit in the int of the conversion function; register it with \
                 MPI_Register_datarep_c"
            );
            bad(Class::VALUE_TOO_LARGE, text)
        })?;
        let function = MPI_Datarep_conversion_function(function);
        // SAFETY: the caller's contract.
        Ok(unsafe { (function.function())(userbuf, datatype, items, filebuf, 0, extra_state) })
    }
}

impl Conversion for Functions {
    fn file_extent(&self, basic: Basic) -> Result<i64> {
        let mut extent: MPI_Aint = 0;
        let datatype = MPI_Datatype(basic.abi_value() as usize);
        // SAFETY: the user registered this address as a function of this type; the extent is a
        // local.
        let code = unsafe { (self.extent.function())(datatype, &mut extent, self.extra_state) };
        match (code, extent) {
            (MPI_SUCCESS, 0..) => Ok(extent as i64),
            (MPI_SUCCESS, _) => {
                let text = format!(
                    "the extent function of the data representation \"{}\" gave {extent}",
                    self.name
                );
                Err(bad(Class::CONVERSION, text))
            }
            _ => Err(self.failed("extent", code)),
        }
    }

    fn is_plain(&self, reads: bool) -> bool {
        let function = if reads { self.read } else { self.write };
        function == MPI_CONVERSION_FN_NULL.0
    }

    fn read(&self, rank: &'static Rank, into: &Data, items: i64, file: &mut [u8]) -> Result<()> {
        self.convert(rank, "read conversion", self.read, into, items, file)
    }

    fn write(&self, rank: &'static Rank, from: &Data, items: i64, file: &mut [u8]) -> Result<()> {
        self.convert(rank, "write conversion", self.write, from, items, file)
    }
}
