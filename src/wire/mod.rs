//! Foreign protocols, spoken without opinions: what is said and heard, not what it means for anybody's mail.

pub mod chat_model;
mod credential;
mod error;
pub mod gmail;
pub mod http;
pub mod imap;
mod link;
mod redactor;
pub mod smtp;

pub use credential::Credential;
pub use error::WireError;
pub use link::{Link, is_loopback};
pub use redactor::Redactor;
