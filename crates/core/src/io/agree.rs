//! What the processes of a file tell each other, and how they agree on errors: if one cannot go
//! on, all return an error, so that nobody waits for ever. Used by the collective calls.

use crate::buffer::Data;
use crate::coll::{allgather, bcast, Coll};
use crate::error::{Error, Result};
use starling_datatype::Basic;

fn bytes_of(c: &Coll, words: &mut [u64], count: usize) -> Data {
    let byte = c.rank.predefined_datatype(Basic::Byte.abi_value());
    let ty = byte.expect("MPI_BYTE is predefined").clone();
    Data { addr: words.as_mut_ptr().cast(), count: 8 * count as i64, ty }
}

/// Everybody learns everybody's words.
pub(super) async fn everybody<const N: usize>(c: &Coll, mine: [u64; N]) -> Result<Vec<[u64; N]>> {
    let size = c.size() as usize;
    let mut all = vec![0u64; N * size];
    let me = c.me() as usize;
    all[N * me..N * (me + 1)].copy_from_slice(&mine);
    let room = bytes_of(c, &mut all, N);
    allgather::allgather(c.clone(), None, room).await?;
    Ok(all.chunks_exact(N).map(|row| row.try_into().expect("rows have N words")).collect())
}

/// Everybody learns the words of rank 0.
pub(super) async fn from_first<const N: usize>(c: &Coll, mine: [u64; N]) -> Result<[u64; N]> {
    let mut words = Box::new(mine);
    let room = bytes_of(c, &mut words[..], N);
    bcast::bcast(c.clone(), room, 0).await?;
    Ok(*words)
}

/// The error code of a result, 0 for success.
pub(super) fn code<T>(result: &Result<T>) -> u64 {
    result.as_ref().err().map_or(0, |error| error.code() as u32 as u64)
}

/// The own result, or an error where another process has one; `codes` are everybody's.
pub(super) fn decide<T>(own: Result<T>, codes: impl Iterator<Item = u64>) -> Result<T> {
    let own = own?;
    match codes.enumerate().find(|(_, code)| *code != 0) {
        None => Ok(own),
        Some((rank, code)) => {
            let text = format!("rank {rank} of the file's group failed, so the call has no effect");
            Err(Error::from_code(code as i32, text))
        }
    }
}

/// The own result if nobody has an error.
pub(super) async fn agree<T>(c: &Coll, own: Result<T>) -> Result<T> {
    let codes = everybody(c, [code(&own)]).await?;
    decide(own, codes.iter().map(|[code]| *code))
}
