//! Answers questions about the mail that is kept. Reads only.

pub mod language;
