//! SQLite, the system of record. Everything that must never be lost is written here and only here;
//! the text index beside it can be deleted and built again. One process writes at a time, in short
//! transactions; readers have their own read-only connections.

mod accounts;
mod backup;
mod batch;
mod changes;
mod codec;
mod counts;
mod envelope;
mod error;
mod functions;
mod open;
mod placements;
mod reader;
mod repack;
mod servers;
mod threads;
mod verify;

pub use accounts::{Account, Mailbox};
pub use backup::{backup, restore};
pub(crate) use batch::crash_point;
pub use batch::{Batch, NewMessage, OnServer, Place, Stored};
pub use changes::{Change, ChangeKind};
pub use codec::{Codec, Frame, FrameEncoder};
pub use envelope::Envelope;
pub use error::StoreError;
pub(crate) use open::create_private_directory;
pub use open::{SCHEMA_VERSION, Store};
pub use placements::{Loose, NewFacts};
pub use reader::{Part, Placement, Reader, StoredMessage};
pub use servers::{Placed, RemoteMailbox, SyncProblem};
pub use verify::{Finding, VerifyReport};
