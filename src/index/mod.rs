//! Derived data: a tantivy index beside the store. It can be deleted and built again at any time;
//! what it has seen is a change number of the store, so that whoever opens it knows what is missing.

pub mod attachment_text;
mod closeness;
mod collect;
mod document;
pub mod embedder;
mod error;
mod filled;
mod forms;
mod full_text;
mod gate;
mod ids_query;
mod occurrences;
mod readable_directory;
mod schema;
pub mod semantic;
mod spelling;
mod steady_query;
mod tail;
pub mod vectors;
mod words;
mod writer;

pub use closeness::{closeness, holding};
pub use collect::{Best, Found, Hit, Order};
pub use document::Document;
pub use error::IndexError;
pub use forms::{forms_of, stem};
pub use full_text::{FullText, lag};
pub use ids_query::IdsQuery;
pub use occurrences::{Occurrence, PlacedWord, occurrences};
pub use schema::Fields;
pub use spelling::{Lookalike, words_like};
pub use steady_query::SteadyQuery;
pub use tail::{LOOKED_THROUGH, MAY_WAIT, Tail};
pub use words::{Word, WordKind, Words};
pub use writer::{Effort, Indexer};
