//! Mail from files: one import, from the paths that were given to the index.

mod import;

pub use import::{ImportReport, ImportRequest, Progress, import};
