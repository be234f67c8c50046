//! Scatter of blocks of different sizes. Only the root knows them all, so it sends to everybody.

use super::scatter::linear;
use super::{Blocks, Coll};
use crate::buffer::Data;
use crate::error::Result;

/// `MPI_Scatterv`. `recv` is `None` for `MPI_IN_PLACE` (at the root), `send` is given at the root
/// only.
pub async fn scatterv(c: Coll, send: Option<Blocks>, recv: Option<Data>, root: i32) -> Result<()> {
    match c.comm.is_inter() {
        true => linear::between(&c, send, recv, root).await,
        false => linear::run(&c, send, recv, root as u32).await,
    }
}
