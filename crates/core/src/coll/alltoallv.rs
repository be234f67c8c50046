//! Alltoall of blocks of different sizes (`MPI_Alltoallv`) and types (`MPI_Alltoallw`). Nobody
//! knows others' sizes, so there is no choice: pairs exchange.

use super::alltoall::windows;
use super::{Blocks, Coll};
use crate::error::Result;

/// `MPI_Alltoallv`. `send` is `None` for `MPI_IN_PLACE`.
pub async fn alltoallv(c: Coll, send: Option<Blocks>, recv: Blocks) -> Result<()> {
    windows::blocks(&c, send, &recv).await
}

/// `MPI_Alltoallw`. `send` is `None` for `MPI_IN_PLACE`; blocks made by [`Blocks::typed`].
pub async fn alltoallw(c: Coll, send: Option<Blocks>, recv: Blocks) -> Result<()> {
    windows::blocks(&c, send, &recv).await
}
