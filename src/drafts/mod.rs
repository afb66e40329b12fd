//! What leaves is written here: drafts with frozen bytes and a hash that stands for all of them. Refuses what could become
//! something else on its way (header fields that break out, characters nobody sees), what the owner did not allow (other
//! senders, files from elsewhere), and programs.

mod allowed_files;
mod attachment;
mod content;
mod contents;
mod draft;
mod error;
mod executable;
mod file_kind;
mod forward;
mod html;
mod listing;
mod mime;
mod new_draft;
mod quoted_printable;
mod reading;
mod recipient;
mod reply;
mod sender;
mod subject;

pub use contents::{Contents, FileContents, HtmlContents};
pub use draft::{Drafts, PreparedRevision};
pub use error::DraftError;
pub use html::Link;
pub use new_draft::{DraftChange, Forward, NewAttachment, NewDraft, ReplyTo};
pub use recipient::read_address;
