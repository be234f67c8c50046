//! Attributes: values that a user hangs off an object under a key (MPI 5.0, section 7.7).
//! The engine keeps them; `abi` calls the copy and delete callbacks, since it knows the C types.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// For which kind of object a key was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum On {
    Comm,
    Datatype,
    Win,
}

/// An attribute key. Attributes share it, so it outlives `MPI_Comm_free_keyval`.
#[derive(Debug)]
pub struct Keyval {
    /// The kind of object.
    pub on: On,
    /// Address of the copy callback, or a predefined number (0: none, 1: duplicate).
    pub copy: usize,
    /// Address of the delete callback, or 0.
    pub delete: usize,
    /// The user's extra state.
    pub extra_state: usize,
    /// The handle.
    pub handle: Cell<u32>,
    /// Whether the user has freed it; attributes may still use it.
    pub freed: Cell<bool>,
}

/// The attributes of an object, in the order in which they were set.
#[derive(Default)]
pub struct Attributes {
    list: RefCell<Vec<(Rc<Keyval>, usize)>>,
}

impl Attributes {
    /// The value under `key`.
    pub fn get(&self, key: &Rc<Keyval>) -> Option<usize> {
        self.list.borrow().iter().find(|(k, _)| Rc::ptr_eq(k, key)).map(|(_, v)| *v)
    }

    /// Sets the value under `key`; returns the old one.
    pub fn set(&self, key: &Rc<Keyval>, value: usize) -> Option<usize> {
        let mut list = self.list.borrow_mut();
        if let Some((_, old)) = list.iter_mut().find(|(k, _)| Rc::ptr_eq(k, key)) {
            return Some(std::mem::replace(old, value));
        }
        list.push((key.clone(), value));
        None
    }

    /// Removes the value under `key`.
    pub fn remove(&self, key: &Rc<Keyval>) -> Option<usize> {
        let mut list = self.list.borrow_mut();
        let index = list.iter().position(|(k, _)| Rc::ptr_eq(k, key))?;
        Some(list.remove(index).1)
    }

    /// All of them, oldest first.
    pub fn all(&self) -> Vec<(Rc<Keyval>, usize)> {
        self.list.borrow().clone()
    }
}
