//! Foreign protocols, spoken without opinions: what is said and heard, not what it means for anybody's mail.

mod answer;
pub mod chat_model;
mod credential;
#[cfg(all(unix, not(target_os = "macos")))]
pub mod dbus;
#[cfg(all(unix, not(target_os = "macos")))]
pub mod desktop;
mod error;
pub mod gmail;
pub mod http;
pub mod imap;
mod link;
pub mod linkedin;
mod redactor;
pub mod smtp;
pub mod whatsapp;

pub use answer::{Answer, Refusal};
pub use credential::Credential;
pub use error::WireError;
pub use link::{Link, addresses, is_loopback};
pub use redactor::Redactor;
