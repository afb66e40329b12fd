//! Answers questions about the mail that is kept. Reads only.

mod accounts;
mod archive;
mod attachment;
mod audience;
mod browse;
pub mod analytics;
mod drafts;
mod error;
mod find_in_text;
mod guarded_sql;
mod known_names;
pub mod language;
mod list;
mod mentions;
mod people;
mod quoted;
mod read_message;
mod reading;
mod search;
mod shared_tail;
mod statistics;
mod tally;

pub use accounts::{AccountInfo, MailboxInfo};
pub use archive::Archive;
pub use attachment::AttachmentText;
pub use audience::schema_version;
pub use browse::{Browse, FOLDERS, Listing, Summary};
pub use drafts::{DraftItem, DraftList};
pub use error::QueryError;
pub use find_in_text::{Section, Stretch, sections, stretches};
pub use guarded_sql::{
    GuardedSql, SUBCOMMAND as SQL_SUBCOMMAND, SqlAnswer, SqlError, SqlOptions, run_child as run_sql_child,
};
pub use people::Person;
pub use quoted::{Folded, fold_history, new_text};
pub use read_message::{FullMessage, PartSummary, PlacementSummary};
pub use reading::Reading;
pub(crate) use search::iso_date;
pub use search::{
    Indexed, Leniency, Match, MatchedBy, Mode, Page, Question, Results, SearchScope, Sort, WordCount, as_text,
};
pub use statistics::{Figures, Share};
pub use tally::{Counted, Tally, TallyBy};
