//! Registrations of the tools interface's events, and calling their callbacks (MPI 5.0, section
//! 15.3.8). The engine tells of an event (`core::tool::Watch`) while somebody is registered.
//!
//! A registration has one callback per safety level. An event needs one that may run inside an
//! MPI call, and gets the least safe of those; where there is none it counts as dropped.

use crate::decode::Extra;
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::info;
use crate::tool::{at, fails, open, require};
use crate::tool_event::{no_instance, put_info, Record, EVENT_NAMES};
use starling_core::error::Result;
use starling_core::now_ns;
use starling_core::rank::Rank;
use starling_core::tool::Unexpected;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// The safety levels, the least safe first.
const LEVELS: [MPI_T_cb_safety; 4] = [
    MPI_T_CB_REQUIRE_NONE,
    MPI_T_CB_REQUIRE_MPI_RESTRICTED,
    MPI_T_CB_REQUIRE_THREAD_SAFE,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE,
];

/// What our events need.
const NEEDED: MPI_T_cb_safety = MPI_T_CB_REQUIRE_MPI_RESTRICTED;

/// A callback and what it is given.
#[derive(Clone, Copy)]
struct Callback {
    function: MPI_T_event_cb_function,
    user_data: *mut c_void,
}

#[derive(Clone)]
struct Registration {
    /// By safety level.
    callbacks: BTreeMap<MPI_T_cb_safety, Callback>,
    dropped: MPI_T_event_dropped_cb_function,
}

/// An event during its callbacks.
#[derive(Clone, Copy)]
pub(crate) struct Instance {
    pub record: Record,
    pub time_ns: u64,
}

#[derive(Default)]
struct Events {
    registrations: RefCell<BTreeMap<usize, Registration>>,
    instances: RefCell<BTreeMap<usize, Instance>>,
    number: std::cell::Cell<usize>,
}

fn events(rank: &Rank) -> Rc<Events> {
    rank.extra(Events::default)
}

/// Tells everybody who is registered.
fn tell(rank: &'static Rank, message: Unexpected) {
    let events = events(rank);
    let Unexpected { source, tag, bytes } = message;
    let record = Record { source: source as c_int, tag, bytes };
    let handle = 0x1000 + events.number.get();
    events.number.set(events.number.get() + 1);
    events.instances.borrow_mut().insert(handle, Instance { record, time_ns: now_ns() });
    // A copy: callbacks may change the list.
    let registrations = events.registrations.borrow().clone();
    for (registration, Registration { callbacks, dropped }) in registrations {
        let registration = MPI_T_event_registration(registration);
        if let Some((level, callback)) = callbacks.range(NEEDED..).next() {
            // SAFETY: the tool registered this address as a function of this type.
            unsafe {
                let function = callback.function.function();
                function(MPI_T_event_instance(handle), registration, *level, callback.user_data);
            }
        } else if let (false, Some(callback)) = (dropped.0 == 0, callbacks.values().next()) {
            // SAFETY: as above.
            unsafe { (dropped.function())(1, registration, 0, NEEDED, callback.user_data) };
        }
    }
    events.instances.borrow_mut().remove(&handle);
}

/// Listens to the engine while there are registrations.
fn listen(call: &Call) {
    let rank = call.rank;
    let is_idle = events(rank).registrations.borrow().is_empty();
    match is_idle {
        true => rank.watch.set(None),
        false => rank.watch.set(Some(Rc::new(move |message| tell(rank, message)))),
    }
}

/// Forgets all registrations (`MPI_T_finalize`).
pub(crate) fn close_events(call: &Call) {
    events(call.rank).registrations.borrow_mut().clear();
    listen(call);
}

/// The event that a callback has been called with.
pub(crate) fn find_instance(call: &Call, instance: MPI_T_event_instance) -> Result<Instance> {
    open(call)?;
    let found = events(call.rank).instances.borrow().get(&instance.0).copied();
    found.ok_or_else(|| no_instance(instance))
}

/// Looks at a registration.
fn with_registration<R>(
    call: &Call,
    registration: MPI_T_event_registration,
    look: impl FnOnce(&mut Registration) -> Result<R>,
) -> Result<R> {
    open(call)?;
    let events = events(call.rank);
    let mut all = events.registrations.borrow_mut();
    match all.get_mut(&registration.0) {
        Some(found) => look(found),
        None => {
            let text = format!("{:#x} is not a registration of an event", registration.0);
            Err(fails(MPI_T_ERR_INVALID_HANDLE, text))
        }
    }
}

fn check_level(level: MPI_T_cb_safety) -> Result<()> {
    match LEVELS.contains(&level) {
        true => Ok(()),
        false => {
            let text = format!("the safety level {level:#x} is none of MPI_T_CB_REQUIRE_*");
            Err(fails(MPI_T_ERR_INVALID, text))
        }
    }
}

/// No event is bound to an object, so `obj_handle` does not count.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_handle_alloc(
    call: &Call,
    event_index: c_int,
    _obj_handle: *mut c_void,
    hints: MPI_Info,
    event_registration: *mut MPI_T_event_registration,
) -> Result<()> {
    let tool = open(call)?;
    require(event_registration, "event_registration")?;
    at(&EVENT_NAMES, event_index, "events")?;
    check_hints(call, hints)?;
    let new = tool.new_handle();
    let dropped = MPI_T_event_dropped_cb_function(0);
    let registration = Registration { callbacks: BTreeMap::new(), dropped };
    events(call.rank).registrations.borrow_mut().insert(new, registration);
    listen(call);
    // SAFETY: a pointer of the caller, not null.
    unsafe { *event_registration = MPI_T_event_registration(new) };
    Ok(())
}

/// Hints must exist; none is known.
fn check_hints(call: &Call, hints: MPI_Info) -> Result<()> {
    let found = info::find_hints(call, hints);
    found.map(|_| ()).map_err(|error| fails(MPI_T_ERR_INVALID, error.text()))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_handle_set_info(
    call: &Call,
    event_registration: MPI_T_event_registration,
    hints: MPI_Info,
) -> Result<()> {
    with_registration(call, event_registration, |_| Ok(()))?;
    check_hints(call, hints)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_handle_get_info(
    call: &Call,
    event_registration: MPI_T_event_registration,
    info_used: *mut MPI_Info,
) -> Result<()> {
    with_registration(call, event_registration, |_| Ok(()))?;
    require(info_used, "info_used")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { put_info(call, info_used) }
}

/// No function takes the callback of that level away.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_register_callback(
    call: &Call,
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    hints: MPI_Info,
    user_data: *mut c_void,
    function: MPI_T_event_cb_function,
) -> Result<()> {
    with_registration(call, event_registration, |_| check_level(cb_safety))?;
    check_hints(call, hints)?;
    with_registration(call, event_registration, |registration| {
        match function.0 {
            0 => registration.callbacks.remove(&cb_safety),
            _ => registration.callbacks.insert(cb_safety, Callback { function, user_data }),
        };
        Ok(())
    })
}

/// A callback of a level must be registered.
fn check_callback(
    call: &Call,
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
) -> Result<()> {
    with_registration(call, event_registration, |registration| {
        check_level(cb_safety)?;
        match registration.callbacks.contains_key(&cb_safety) {
            true => Ok(()),
            false => {
                let text = format!("no callback is registered for the level {cb_safety:#x}");
                Err(fails(MPI_T_ERR_INVALID, text))
            }
        }
    })
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_callback_set_info(
    call: &Call,
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    hints: MPI_Info,
) -> Result<()> {
    check_callback(call, event_registration, cb_safety)?;
    check_hints(call, hints)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_callback_get_info(
    call: &Call,
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    info_used: *mut MPI_Info,
) -> Result<()> {
    check_callback(call, event_registration, cb_safety)?;
    require(info_used, "info_used")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { put_info(call, info_used) }
}

/// No callback runs any more when this returns, so the function is called at once.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_handle_free(
    call: &Call,
    event_registration: MPI_T_event_registration,
    user_data: *mut c_void,
    free_function: MPI_T_event_free_cb_function,
) -> Result<()> {
    with_registration(call, event_registration, |_| Ok(()))?;
    events(call.rank).registrations.borrow_mut().remove(&event_registration.0);
    listen(call);
    if free_function.0 != 0 {
        // SAFETY: the tool passed this address as a function of this type.
        unsafe { (free_function.function())(event_registration, NEEDED, user_data) };
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_set_dropped_handler(
    call: &Call,
    event_registration: MPI_T_event_registration,
    function: MPI_T_event_dropped_cb_function,
) -> Result<()> {
    with_registration(call, event_registration, |registration| {
        registration.dropped = function;
        Ok(())
    })
}
