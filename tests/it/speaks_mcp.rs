//! What an assistant meets: the server over stdio and HTTP, in raw bytes, with good and bad input.

mod bounds;
pub(crate) mod client;
mod ends;
mod framing;
mod large_mail;
mod limits;
pub(crate) mod over_http;
mod pressure;
mod revisions;
mod scenarios;
mod six_tools;
mod to_the_letter;
mod together;
