//! One account on an IMAP server: what is new there comes in, what changed here goes out.

mod beside;
mod drafts;
pub(in crate::sync) mod pass;
mod plan;
pub(in crate::sync) mod push;
