//! Foreign protocols, spoken without opinions: what is said and heard, not what it means for anybody's mail.

mod credential;
#[cfg(all(feature = "notices", target_os = "linux"))]
pub mod desktop;
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
