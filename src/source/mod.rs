//! Raw bytes come in here, and go out again to files. Nothing in this folder parses a message body,
//! knows the store or decides what is kept.

mod error;
pub mod files;
pub mod gmail;
pub mod imap;

pub use error::SourceError;
