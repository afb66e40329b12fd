//! Derived data, can be deleted and rebuilt.

pub mod attachment_text;
