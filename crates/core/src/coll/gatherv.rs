//! Gather of blocks of different sizes. Only the root knows them all, so everybody sends to it.

use super::gather::linear;
use super::{Blocks, Coll};
use crate::buffer::Data;
use crate::error::Result;

/// `MPI_Gatherv`. `send` is `None` for `MPI_IN_PLACE` (at the root), `recv` is given at the root
/// only.
pub async fn gatherv(c: Coll, send: Option<Data>, recv: Option<Blocks>, root: i32) -> Result<()> {
    match c.comm.is_inter() {
        true => linear::between(&c, send, recv, root).await,
        false => linear::run(&c, send, recv, root as u32).await,
    }
}
