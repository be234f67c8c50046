//! The root sends to everybody.

use crate::buffer::Data;
use crate::coll::{given, Blocks, Coll, Started};
use crate::error::Result;
use crate::status::{PROC_NULL, ROOT};

/// Within one group.
pub(in crate::coll) async fn run(
    c: &Coll,
    send: Option<Blocks>,
    recv: Option<Data>,
    root: u32,
) -> Result<()> {
    if c.me() != root {
        return c.recv(root, &given(recv, "recvbuf")?).await;
    }
    let send = given(send, "sendbuf")?;
    let sends = to_all(c, &send, c.size(), Some(root))?;
    let copied = match recv {
        Some(recv) => c.copy(&send.block(root), &recv),
        None => Ok(()),
    };
    Started::finish_all(sends).await.and(copied)
}

/// From the process that gives `ROOT` to the group of those that give its rank.
pub(in crate::coll) async fn between(
    c: &Coll,
    send: Option<Blocks>,
    recv: Option<Data>,
    root: i32,
) -> Result<()> {
    match root {
        ROOT => {
            let send = given(send, "sendbuf")?;
            Started::finish_all(to_all(c, &send, c.comm.peers().size(), None)?).await
        }
        PROC_NULL => Ok(()),
        root => c.recv(root as u32, &given(recv, "recvbuf")?).await,
    }
}

fn to_all(c: &Coll, send: &Blocks, n: u32, except: Option<u32>) -> Result<Vec<Started>> {
    let peers = (0..n).filter(|peer| Some(*peer) != except);
    peers.map(|peer| c.send_start(peer, &send.block(peer))).collect()
}
