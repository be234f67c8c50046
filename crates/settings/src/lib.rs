//! Tunables and counters of Starling.
//!
//! Every row of `spec/tunables.toml` and `spec/counters.toml` becomes a field here (see
//! `generated.rs`, written by `xtask generate`). Every crate that has something to tune reads
//! [`tunables`]; every rank owns one [`Counters`]; `starling info` prints [`describe`].
//! This crate depends on nothing but the standard library.

mod counter;
mod generated;
mod tunable;

pub use counter::Counter;
pub use generated::{Counters, Tunables};
pub use tunable::{Kind, Source, TunableInfo};

use std::sync::OnceLock;

static SETTINGS: OnceLock<tunable::Settings> = OnceLock::new();

fn settings() -> &'static tunable::Settings {
    SETTINGS.get_or_init(|| tunable::Settings::read(|name| std::env::var_os(name)))
}

/// The tunables of this process, read from the environment at the first call and fixed from then
/// on. A variable that cannot be used leaves its tunable at the default; see [`warnings`].
pub fn tunables() -> &'static Tunables {
    &settings().tunables
}

/// One entry per tunable in the order of `spec/tunables.toml`: what it is, its value in this
/// process and where the value comes from.
pub fn describe() -> Vec<TunableInfo> {
    settings().infos.clone()
}

/// One line per environment variable that was set to something unusable. Each names the variable,
/// its value, what would have been accepted and the default that is used instead.
pub fn warnings() -> &'static [String] {
    &settings().warnings
}
