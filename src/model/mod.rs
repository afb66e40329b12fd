//! What mailkeep talks about: addresses, messages, attachments, ids. No I/O, nothing of ours is used here.

pub mod address;
pub mod audience;
pub mod findings;
pub mod flags;
pub mod ids;
pub mod message;
pub mod shield;

pub use address::Address;
pub use audience::Audience;
pub use findings::{Findings, Flag, Reason, SenderVerdicts};
pub use flags::Flags;
pub use ids::{AccountKey, ContentHash, MailboxKey, MessageKey, PlacementKey, ShortId, ThreadKey};
pub use message::{Attachment, DateHints, DateSource, Defect, Disposition, MessageDate, ParsedMessage};
pub use shield::{CLASSIFIER, Secret, ShieldRules};
