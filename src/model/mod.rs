//! What mailkeep talks about: addresses, messages, attachments, ids. No I/O, nothing of ours is used here.

pub mod account;
pub mod address;
pub mod audience;
pub mod date_field;
pub mod draft;
mod fault;
pub mod findings;
pub mod fit_message;
pub mod flags;
pub mod gone_rule;
pub mod ids;
pub mod io_limits;
pub mod item;
pub mod mailbox;
pub mod mentions;
mod message;
mod not_found;
pub mod oauth;
pub mod orchestrator;
pub mod outbox_settings;
pub mod policy;
pub mod route;
pub mod shield;
pub mod subject;
pub mod uid_set;

pub use account::{AccountSettings, Endpoint, SignIn, Tls, Via};
pub use address::Address;
pub use audience::Audience;
pub use date_field::{dated, undated};
pub use draft::{Answered, Draft, DraftAttachment, DraftHash, Recipients};
pub use fault::Fault;
pub use findings::{Findings, Flag, Reason, SenderVerdicts};
pub use fit_message::{FitMessage, Unfit};
pub use flags::Flags;
pub use gone_rule::GoneRule;
pub use ids::{
    AccountKey, ContentHash, DraftId, DraftKey, MailboxKey, MessageKey, PlacementKey, ShortId, ThreadKey,
};
pub use io_limits::IoLimits;
pub use item::{Channel, ItemCode, ItemHash, ItemState, Lane};
pub use mailbox::{GONE_MAILBOX, GONE_NAMESAKE, MailboxRole};
pub use mentions::Mentions;
pub use message::{Attachment, DateHints, DateSource, Defect, Disposition, MessageDate, ParsedMessage};
pub use not_found::NotFound;
pub use oauth::{OauthClient, OauthClients, SecretStore};
pub use orchestrator::{ChatModelSettings, McpServerSettings, OrchestratorSettings};
pub use outbox_settings::OutboxSettings;
pub use policy::{Factor, PolicySettings, SendRecords, SendRule, VaultApproval};
pub use route::Route;
pub use shield::{CLASSIFIER, Released, ReleasedThread, SecretKind, ShieldRules};
pub use subject::{answered_subject, behind_reply_prefix};
pub use uid_set::UidSet;
