//! Where packets enter from the transports. Called for each by `progress`.
//! Everything in a packet was written by another process: ids are looked up, lengths compared.

use super::matching::{Arrival, Unexpected};
use super::{kind, TransferId, Work};
use crate::error::Result;
use crate::rank::Rank;
use crate::status::Status;
use starling_transport::Packet;

impl Rank {
    /// Takes one packet. An error that concerns no call of ours (a reply could not be sent) ends
    /// the job: the peer would wait for ever.
    #[inline]
    pub(crate) fn deliver(&'static self, packet: Packet<'_>) {
        let result = match packet.head.kind {
            kind::EAGER => {
                self.deliver_whole(packet);
                Ok(())
            }
            _ => self.deliver_protocol(packet),
        };
        if let Err(error) = result {
            self.abort(1, &format!("cannot answer a message: {error}"));
        }
    }

    #[inline]
    fn deliver_whole(&self, packet: Packet<'_>) {
        let head = packet.head;
        let queue = self.p2p.queue(head.context);
        match queue.match_posted(head.source, head.tag) {
            Some(posted) => {
                if let Some(Work::Posted { buffer, .. }) = self.p2p.take_work(posted.transfer) {
                    let (source, tag) = (head.source, head.tag);
                    self.receive_whole(posted.transfer, &buffer, source, tag, packet.body);
                }
            }
            None => {
                self.note_unexpected(packet.from, head.tag, packet.body.len() as u64);
                queue.add_unexpected(Unexpected {
                    from: packet.from,
                    source: head.source,
                    tag: head.tag,
                    arrival: Arrival::Whole { data: packet.body.into(), sync: None },
                });
            }
        }
    }

    fn deliver_protocol(&'static self, packet: Packet<'_>) -> Result<()> {
        let (from, head) = (packet.from, packet.head);
        let target = TransferId(head.context);
        match head.kind {
            kind::EAGER_SYNC if packet.body.len() >= 8 => self.deliver_sync(packet),
            kind::READY_TO_SEND if packet.body.len() == 24 => self.deliver_announced(packet),
            kind::CLEAR_TO_SEND if packet.body.len() == 8 => {
                self.start_stream(from, target, word(packet.body, 0));
                Ok(())
            }
            kind::FRAGMENT => {
                self.deliver_fragment(from, target, packet.body);
                Ok(())
            }
            kind::DONE => {
                if self.is_announced_to(target, from) {
                    self.p2p.complete(target, Status::EMPTY);
                }
                Ok(())
            }
            kind::CANCEL if packet.body.len() == 8 => {
                self.answer_cancel(from, head.context, word(packet.body, 0))
            }
            kind::CANCELLED => {
                self.finish_cancel(from, target, head.tag == 1);
                Ok(())
            }
            kind::RMA_REQUEST => self.serve_rma(packet),
            kind::RMA_ANSWER => {
                self.take_rma_answer(packet);
                Ok(())
            }
            other => {
                let text = format!("rank {from} sent a packet of the unknown kind {other}");
                self.abort(1, &text);
                Ok(())
            }
        }
    }

    fn deliver_sync(&'static self, packet: Packet<'_>) -> Result<()> {
        let (head, sender) = (packet.head, word(packet.body, 0));
        let data = &packet.body[8..];
        let queue = self.p2p.queue(head.context);
        if let Some(posted) = queue.match_posted(head.source, head.tag) {
            if let Some(Work::Posted { buffer, .. }) = self.p2p.take_work(posted.transfer) {
                self.receive_whole(posted.transfer, &buffer, head.source, head.tag, data);
            }
            return self.tell_done(packet.from, sender);
        }
        self.note_unexpected(packet.from, head.tag, data.len() as u64);
        let arrival = Arrival::Whole { data: data.into(), sync: Some(sender) };
        let (from, source, tag) = (packet.from, head.source, head.tag);
        queue.add_unexpected(Unexpected { from, source, tag, arrival });
        Ok(())
    }

    fn deliver_announced(&'static self, packet: Packet<'_>) -> Result<()> {
        let (from, head) = (packet.from, packet.head);
        let [transfer, bytes, address] = [0, 1, 2].map(|i| word(packet.body, i));
        let queue = self.p2p.queue(head.context);
        let Some(posted) = queue.match_posted(head.source, head.tag) else {
            self.note_unexpected(from, head.tag, bytes);
            let arrival = Arrival::Announced { transfer, bytes, address };
            let (source, tag) = (head.source, head.tag);
            queue.add_unexpected(Unexpected { from, source, tag, arrival });
            return Ok(());
        };
        let Some(Work::Posted { buffer, .. }) = self.p2p.take_work(posted.transfer) else {
            return Ok(());
        };
        let status = Status { source: head.source, tag: head.tag, bytes, ..Status::EMPTY };
        self.receive_announced(posted.transfer, from, status, transfer, address, buffer)
    }

    /// Whether `id` is a send of ours that waits for an answer of `peer`.
    pub(crate) fn is_announced_to(&self, id: TransferId, peer: u32) -> bool {
        self.p2p
            .with(id, |t| matches!(&t.work, Some(Work::Announced { peer: to, .. }) if *to == peer))
            == Some(true)
    }
}

fn word(body: &[u8], index: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&body[8 * index..8 * index + 8]);
    u64::from_ne_bytes(bytes)
}
