//! Everybody sends to the root.

use crate::buffer::Data;
use crate::coll::{given, Blocks, Coll, Started};
use crate::error::Result;
use crate::status::{PROC_NULL, ROOT};

/// Within one group.
pub(in crate::coll) async fn run(
    c: &Coll,
    send: Option<Data>,
    recv: Option<Blocks>,
    root: u32,
) -> Result<()> {
    if c.me() != root {
        return c.send(root, &given(send, "sendbuf")?).await;
    }
    let recv = given(recv, "recvbuf")?;
    let receives = from_all(c, &recv, c.size(), Some(root))?;
    let copied = match send {
        Some(send) => c.copy(&send, &recv.block(root)),
        None => Ok(()),
    };
    Started::finish_all(receives).await.and(copied)
}

/// From the group of the process that gives its peer as root to the one that gives `ROOT`.
pub(in crate::coll) async fn between(
    c: &Coll,
    send: Option<Data>,
    recv: Option<Blocks>,
    root: i32,
) -> Result<()> {
    match root {
        ROOT => {
            let recv = given(recv, "recvbuf")?;
            Started::finish_all(from_all(c, &recv, c.comm.peers().size(), None)?).await
        }
        PROC_NULL => Ok(()),
        root => c.send(root as u32, &given(send, "sendbuf")?).await,
    }
}

fn from_all(c: &Coll, recv: &Blocks, n: u32, except: Option<u32>) -> Result<Vec<Started>> {
    let peers = (0..n).filter(|peer| Some(*peer) != except);
    peers.map(|peer| c.recv_start(peer, &recv.block(peer))).collect()
}
