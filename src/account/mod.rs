//! Accounts and their credentials: what is known about providers, and where secrets are kept. Settings are rows of
//! the store; secrets never are, and never stand in a configuration, an argument or a log.

mod credentials;
mod error;
mod keyring;
pub mod oauth;
mod page_access;
pub mod providers;
#[cfg(all(unix, not(target_os = "macos")))]
mod secret_service;
mod secrets;
mod tokens;

pub use credentials::Credentials;
pub use error::AccountError;
pub use page_access::{Admission, PageAccess};
pub use providers::Provider;
pub use secrets::Secrets;
pub use tokens::{Login, Tokens};
