//! Bytes in, meaning out. Pure and total: nothing here opens a file, starts a process or panics on a
//! stranger's bytes.

pub mod document;
pub mod visible_text;
