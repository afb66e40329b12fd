//! SMTP submission (RFC 5321, RFC 6409): greeting, EHLO, STARTTLS (RFC 3207), AUTH (RFC 4954), and one message after
//! another, with SIZE (RFC 1870), DSN (RFC 3461) and SMTPUTF8 (RFC 6531) where the server has them.
//!
//! Whether a message has left must never be a guess. So the steps are types ([`Ready`], [`DataOpen`], [`BodySent`],
//! [`Outcome`]): what fails before the final dot is [`NotSent`], what happens after it is an [`Outcome`], and neither can
//! be taken for the other. There is no step back from the dot.

mod client;
mod reply;
mod submission;
#[cfg(test)]
mod submission_tests;

pub use client::SmtpClient;
pub use reply::Reply;
pub use submission::{BodySent, DataOpen, Envelope, NotSent, Outcome, Ready, RefusedRecipient};
