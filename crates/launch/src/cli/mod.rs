//! The command line: from words to options, and from mistakes to one clear line.
//!
//! `options` declares everything once, `words` reads MPI's spellings of it, `usage` is what a
//! mistake looks like.

pub mod options;
pub mod usage;
pub mod words;
