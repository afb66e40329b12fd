//! What leaves: drafts are written here, with frozen bytes and a hash that stands for all of them. Refuses what
//! could become something else on its way: header fields that break out, characters nobody sees.

mod draft;
mod error;
mod mime;
mod quoted_printable;
mod recipient;
mod reply;
mod subject;

pub use draft::{DraftChange, Drafts, NewDraft, ReplyTo};
pub use error::DraftError;
