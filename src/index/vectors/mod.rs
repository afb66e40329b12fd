//! Vectors in a file beside the store: `vectors/` of a home. Derived, can be deleted. Readers hold a sketch of each in
//! memory, choose by it, and compare exactly what they have read and checked; a damaged record is never a neighbour.
//! One process writes, in commits that a kill cannot tear.

mod file;
mod manifest;
mod reader;
mod record;
mod rows;
mod sketch;
mod writer;

pub use manifest::Manifest;
pub use reader::{Near, Passage, Vectors};
pub use record::RecordHead;
pub use rows::Rows;
pub use writer::VectorWriter;
