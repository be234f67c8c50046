//! Barrier: dissemination (Hensgen, Finkel, Manber 1988): in round k a process tells the one
//! 2^k further on and hears from the one 2^k before; ceil(log2 n) rounds. On a crowded node, where
//! every message may have to wake a rank, up and down a flat tree (`tree.rs`).
//! Between two groups: both gather to their leaders, the leaders meet, both release.

use super::table::is_crowded;
use super::{tree, Coll};
use crate::error::Result;

/// `MPI_Barrier`, `MPI_Ibarrier`, `MPI_Barrier_init`.
pub async fn barrier(c: Coll) -> Result<()> {
    if c.comm.is_inter() {
        let local = c.local();
        within(&local).await?;
        if c.me() == 0 {
            c.send_bytes(0, &[]).await?;
            c.recv_bytes(0, &mut []).await?;
        }
        return within(&local).await;
    }
    within(&c).await
}

async fn within(c: &Coll) -> Result<()> {
    match is_crowded(c.size()) {
        true => tree::barrier(c).await,
        false => dissemination(c).await,
    }
}

async fn dissemination(c: &Coll) -> Result<()> {
    let (me, n) = (c.me(), c.size());
    let mut distance = 1;
    while distance < n {
        c.send_bytes((me + distance) % n, &[]).await?;
        c.recv_bytes((me + n - distance) % n, &mut []).await?;
        distance *= 2;
    }
    Ok(())
}
