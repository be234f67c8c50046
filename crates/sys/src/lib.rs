//! The operating system and the CPU: maps, futex, fences, rings, cross-memory copy.
