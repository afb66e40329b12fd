//! The Gmail API, spoken without opinions: what its methods cost, what they answer, and what its refusals mean.

mod answers;
mod batch;
mod method;
mod problem;

pub use answers::{
    Changes, DraftPage, GmailDraft, GmailLabel, GmailMessage, HistoryPage, HistoryRecord, LabelChange,
    LabelList, MessageId, MessagePage, Profile, parse_id, raw_bytes, written_id,
};
pub use batch::{BatchAnswer, BatchBody, BatchPart, read_batch};
pub use method::GmailMethod;
pub use problem::{Problem, ProblemKind};
