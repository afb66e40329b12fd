//! Answers questions about the mail that is kept. Reads only.

mod archive;
pub mod db;
mod error;
mod guarded_sql;
pub mod language;
mod list;
mod read_message;
mod search;
mod statistics;

pub use archive::Archive;
pub use error::QueryError;
pub use guarded_sql::{GuardedSql, SqlAnswer, SqlError, SqlOptions};
pub use read_message::{FullMessage, PartSummary, PlacementSummary};
pub(crate) use search::iso_date;
pub use search::{Answer, Item, Page};
pub use statistics::{Figures, Share};
