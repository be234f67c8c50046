//! Broadcast: a binomial tree, ceil(log2 n) rounds. Between two groups: the root sends to the
//! other group's rank 0, which broadcasts there.

use super::{Coll, Started};
use crate::buffer::Data;
use crate::error::Result;
use crate::status::{PROC_NULL, ROOT};

/// `MPI_Bcast`, `MPI_Ibcast`, `MPI_Bcast_init`. `root` may be `ROOT` or `PROC_NULL` on an
/// intercommunicator.
pub async fn bcast(c: Coll, data: Data, root: i32) -> Result<()> {
    if !c.comm.is_inter() {
        return binomial(&c, &data, root as u32).await;
    }
    match root {
        ROOT => c.send(0, &data).await,
        PROC_NULL => Ok(()),
        root => {
            if c.me() == 0 {
                c.recv(root as u32, &data).await?;
            }
            binomial(&c.local(), &data, 0).await
        }
    }
}

/// The tree within one group; other collectives use it too.
pub(crate) async fn binomial(c: &Coll, data: &Data, root: u32) -> Result<()> {
    let n = c.size();
    let relative = (c.me() + n - root) % n;
    let absolute = |r: u32| (r + root) % n;
    let mut mask = 1;
    while mask < n && relative & mask == 0 {
        mask <<= 1;
    }
    if relative != 0 {
        c.recv(absolute(relative - mask), data).await?;
    }
    let mut sends = Vec::new();
    while mask > 1 {
        mask >>= 1;
        if relative + mask < n {
            sends.push(c.send_start(absolute(relative + mask), data)?);
        }
    }
    Started::finish_all(sends).await
}
