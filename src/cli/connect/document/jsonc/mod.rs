//! Edits JSON as people write it in settings: with comments, with trailing commas, with a byte order mark.
//! Works on the text: one member is put in, changed or taken out, and every other byte stays as it is.

mod edit;
mod scan;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub(super) use edit::{remove, set};

use super::Refusal;

/// What a document says; null when it says nothing.
pub(super) fn value(text: &str) -> Result<Value, Refusal> {
    Ok(scan::document(text)?.map_or(Value::Null, |root| root.value()))
}
