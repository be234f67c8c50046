//! Datatypes: constructors, flattening, pack and unpack.
//!
//! Called by `core`, for every buffer that a user describes, and by `abi`, for the constructors
//! and queries of chapter 5 of the standard. It relies on nothing but `std`, knows no handles, and
//! keeps no global state. A [`Datatype`] belongs to one thread (`Rc`).
//!
//! | file | holds |
//! |---|---|
//! | `basic.rs` | the predefined types of the ABI |
//! | `datatype.rs` | the [`Datatype`] itself and its queries |
//! | `construct.rs`, `array.rs`, `predefined.rs` | its constructors |
//! | `combiner.rs` | how a type was made, for envelope and contents |
//! | `bounds.rs` | lower and upper bounds, padding |
//! | `plan.rs` | the compiled form: a small tree of loops over blocks of bytes |
//! | `walk.rs` | visits the part of a plan that a packed range covers |
//! | `strided.rs` | copies evenly spaced blocks |
//! | `pack.rs` | pack, unpack, typed copy, list of blocks |
//! | `signature.rs`, `leaves.rs` | the basic elements, without and with their places |
//! | `external32.rs`, `binary128.rs` | the portable representation of section 14.5.2 |

mod array;
mod basic;
mod binary128;
mod bounds;
mod combiner;
mod construct;
mod datatype;
mod error;
pub mod external32;
mod leaves;
mod pack;
mod plan;
mod predefined;
mod signature;
mod strided;
mod walk;

pub use basic::{Basic, Group, Repr};
pub use combiner::{Combiner, Contents, Distribution, Order, DISTRIBUTE_DEFAULT};
pub use datatype::Datatype;
pub use error::{ErrorKind, TypeError};
pub use leaves::Leaf;
pub use pack::{blocks, copy, pack, unpack, Block};
pub use signature::Elements;
