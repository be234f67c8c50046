//! Predefined reductions over basic types.
