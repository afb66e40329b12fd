//! What happened, so that it can be shown later: the chain in the store, calls of tools beside it, and the lines that other
//! programs want to read. The chain itself is written where things happen, in the same transaction.

mod calls;
mod chain;
mod preview;
mod records;

pub use calls::{CallLog, CallNote, Evidence, EvidenceError};
pub use chain::{Broken, Head, Verified, head, verify};
pub use preview::preview;
pub use records::{
    ActionLine, FallbackLine, PreSend, SendLine, check_log, note_action, note_fallback, write_after,
    write_before,
};
