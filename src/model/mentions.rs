//! Where an address was seen.

use serde::Serialize;

/// The messages that hold an address, in their text or header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mentions {
    /// How many.
    pub messages: u64,
    /// Short id of the newest.
    pub message: String,
}
