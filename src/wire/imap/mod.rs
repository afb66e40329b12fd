//! IMAP (RFC 9051, RFC 3501) as far as reading and flagging mail needs it, with the extensions that make it fast:
//! CONDSTORE and QRESYNC (RFC 7162), LIST-STATUS (RFC 5819), SPECIAL-USE (RFC 6154), IDLE (RFC 2177), MOVE and
//! UIDPLUS, COMPRESS (RFC 4978), and Gmail's X-GM-EXT-1.
//!
//! The client sends what it is told and gives back what it hears. Literals are read once, straight into the memory
//! they stay in.

mod client;
pub mod mailbox_name;
mod moment;
mod parser;
mod response;
mod sign_in;

pub use client::Client;
pub use response::{Code, Fetched, Listed, MailboxStatus, Response, Status, When};
