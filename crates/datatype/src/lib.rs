//! Datatypes: constructors, flattening, pack and unpack.
