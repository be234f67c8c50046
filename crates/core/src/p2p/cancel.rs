//! Cancelling (MPI 5.0, section 3.8.4). A receive is cancelled if it is still posted. A send is
//! cancelled if its message has not left, or if the receiver still has it unmatched: the receiver
//! is asked and answers when it next makes progress. In any case the transfer completes.
//! Called by `abi`, and by `deliver.rs` for the two packets.

use super::{kind, TransferId, Work};
use crate::error::Result;
use crate::rank::Rank;
use crate::status::Status;
use starling_transport::Head;

impl Rank {
    /// Asks for a transfer to be cancelled. `context` is that of the send's communicator.
    pub fn cancel(&'static self, transfer: TransferId, context: u64) -> Result<()> {
        enum Way {
            Receive(std::rc::Rc<super::matching::Queue>),
            AskReceiver(u32),
            TakeBack,
            Nothing,
        }
        let way = self.p2p.with(transfer, |t| match &mut t.work {
            Some(Work::Posted { queue, .. }) => Way::Receive(queue.clone()),
            Some(Work::Announced { peer, cancelling, .. }) if !*cancelling => {
                *cancelling = true;
                Way::AskReceiver(*peer)
            }
            Some(Work::Unsent) => Way::TakeBack,
            _ => Way::Nothing,
        });
        match way {
            Some(Way::Receive(queue)) if queue.withdraw(transfer) => self.cancelled(transfer),
            Some(Way::TakeBack) if self.p2p.take_back(transfer) => self.cancelled(transfer),
            Some(Way::AskReceiver(peer)) => {
                // Sent behind the announcement, so the receiver has that when it reads this.
                let head = Head { context: transfer.0, kind: kind::CANCEL, ..Head::default() };
                self.send_control(peer, head, &[context])?;
            }
            _ => {}
        }
        Ok(())
    }

    fn cancelled(&self, transfer: TransferId) {
        self.p2p.complete(transfer, Status { cancelled: true, ..Status::EMPTY });
    }

    /// `from` wants its message `sender` back.
    pub(crate) fn answer_cancel(&self, from: u32, sender: u64, context: u64) -> Result<()> {
        let forgotten = self.p2p.queue(context).forget_unexpected(from, sender);
        let head = Head { context: sender, kind: kind::CANCELLED, ..Head::default() };
        self.send_control(from, Head { tag: forgotten as i32, ..head }, &[])
    }

    /// The receiver's answer. Where it had matched the message already, the send goes on.
    pub(crate) fn finish_cancel(&self, from: u32, transfer: TransferId, forgotten: bool) {
        if forgotten && self.is_announced_to(transfer, from) {
            self.cancelled(transfer);
        }
    }
}
