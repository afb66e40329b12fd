//! Answers questions about the mail that is kept. Reads only.

mod archive;
mod error;
pub mod language;
mod list;
mod read_message;
mod reading;
mod search;
mod statistics;
mod withheld;

pub use archive::Archive;
pub use error::QueryError;
pub use read_message::{FullMessage, PartSummary, PlacementSummary};
pub use reading::Reading;
pub(crate) use search::iso_date;
pub use search::{Answer, Item, Page};
pub use statistics::{Figures, Share};
