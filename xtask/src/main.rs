//! Tasks of the project: generate, tidy, stage.
fn main() {}
