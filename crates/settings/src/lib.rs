//! Tunables and counters, generated from spec/*.toml.
