//! What mailkeep talks about: addresses, messages, attachments, ids. No I/O, nothing of ours is used here.

pub mod account;
pub mod address;
pub mod flags;
pub mod ids;
pub mod message;

pub use account::{AccountSettings, Endpoint, SignIn, Tls};
pub use address::Address;
pub use flags::Flags;
pub use ids::{AccountKey, ContentHash, MailboxKey, MessageKey, PlacementKey, ShortId, ThreadKey};
pub use message::{Attachment, DateHints, DateSource, Defect, Disposition, MessageDate, ParsedMessage};
