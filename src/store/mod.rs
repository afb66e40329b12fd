//! SQLite, the system of record. Everything that must never be lost is written here and only here;
//! the text index beside it can be deleted and built again. One process writes at a time, in short
//! transactions; readers have their own read-only connections.

mod accounts;
mod backup;
mod batch;
mod changes;
mod codec;
mod counts;
mod drafts;
mod duplicates;
mod envelope;
mod error;
mod functions;
mod labels;
mod open;
mod placements;
mod pending;
mod reader;
mod repack;
mod responses;
mod servers;
mod shield;
mod subjects;
mod threads;
mod verify;
mod withheld;

pub use accounts::{Account, Mailbox};
pub use backup::{backup, restore};
pub(crate) use batch::crash_point;
pub use batch::{Batch, NewMessage, OnServer, Place, Stored};
pub use changes::{Change, ChangeKind};
pub use codec::{Codec, Frame, FrameEncoder};
pub use drafts::{NewDraft, Revision};
pub use envelope::Envelope;
pub use error::StoreError;
pub use functions::content_functions;
pub use labels::{Labelled, PlacedMessage};
pub(crate) use open::create_private_directory;
pub use open::{SCHEMA_VERSION, Store};
pub use pending::{ChangeAction, PendingChange, Settled};
pub use placements::{Loose, NewFacts};
pub use reader::{Part, Placement, Reader, StoredMessage};
pub use servers::{Placed, RemoteMailbox, SyncProblem};
pub use shield::ShieldState;
pub use subjects::{each_subject, folded};
pub use verify::{Finding, VerifyReport};
