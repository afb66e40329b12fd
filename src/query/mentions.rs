//! Where in the archive an address was seen, be it as a sender, a recipient or a word of a text.

use crate::index::Order;
use crate::model::Mentions;
use crate::query::{Archive, Page, QueryError};

impl Archive {
    /// The messages that hold this address anywhere; `None`: no message does.
    pub fn mentions(&mut self, address: &str) -> Result<Option<Mentions>, QueryError> {
        self.look_again()?;
        let address = address.replace(['"', '\\'], " ");
        // The proposal itself may lie among the drafts.
        let anywhere = format!(
            "(\"{address}\" OR from:\"{address}\" OR to:\"{address}\" OR cc:\"{address}\") -in:drafts"
        );
        let query = self.understand(&anywhere, None)?;
        let (found, _) = self.find_sorted(&query, Order::Newest, Page { limit: 1, offset: 0 })?;
        let Some(hit) = found.hits.first() else { return Ok(None) };
        let message = self.reader.message(hit.key)?;
        Ok(message.map(|message| Mentions { messages: found.total, message: message.id.to_string() }))
    }
}
