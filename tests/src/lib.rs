//! Launched tests.
