//! What a reply takes from the message it answers: whom to write to, and which conversation it belongs to.

use crate::drafts::DraftError;
use crate::drafts::recipient::cleaned;
use crate::model::{Address, Audience, MessageKey, NotFound};
use crate::store::{Reader, StoreError};
use crate::text_safety::one_line;

/// Longest References we write: what servers take without cutting it (Postfix stops at 100 kB of header).
const LONGEST_REFERENCES: usize = 32 * 1024;
/// A header line without a break may have 998 octets (RFC 5322, 2.1.1).
const LONGEST_ID: usize = 900;

/// The message that is answered.
pub(super) struct Parent {
    /// Its row.
    pub(super) key: MessageKey,
    /// Its subject.
    pub(super) subject: String,
    /// Who wrote it.
    pub(super) from: Vec<Address>,
    /// Who got it.
    pub(super) to: Vec<Address>,
    /// Who got a copy.
    pub(super) cc: Vec<Address>,
    reply_to: Vec<Address>,
    message_id: Option<String>,
    in_reply_to: Vec<String>,
    references: Vec<String>,
}

/// The message that an id names, if this audience may see it: what the shield withholds is not there for others.
pub(super) fn seen(reader: &Reader, id: &str, audience: Audience) -> Result<MessageKey, DraftError> {
    for key in reader.resolve(id)? {
        if is_shown(reader, key, audience)? {
            return Ok(key);
        }
    }
    Err(NotFound::Message { id: one_line(id) }.into())
}

fn is_shown(reader: &Reader, key: MessageKey, audience: Audience) -> Result<bool, StoreError> {
    Ok(audience == Audience::Person || !reader.is_withheld(key)?)
}

impl Parent {
    /// The message that an id names, in this account.
    pub(super) fn find(
        reader: &Reader,
        id: &str,
        account: &str,
        audience: Audience,
    ) -> Result<Self, DraftError> {
        let mut held_by = Vec::new();
        for key in reader.resolve(id)? {
            if !is_shown(reader, key, audience)? {
                continue;
            }
            let holders: Vec<_> = reader.placements(key)?.into_iter().map(|place| place.account).collect();
            if holders.iter().any(|holder| holder == account) {
                return Ok(Self::read(reader, key)?);
            }
            held_by.extend(holders);
        }
        Err(NotFound::in_account(id, account, held_by).into())
    }

    /// The message in this row.
    pub(super) fn read(reader: &Reader, key: MessageKey) -> Result<Self, StoreError> {
        let message = reader.message(key)?;
        let envelope = reader.envelope(key)?;
        let list =
            |shown: &[String]| shown.iter().filter_map(|text| cleaned(&Address::from_shown(text))).collect();
        let (subject, message_id) = message.map_or_else(Default::default, |m| (m.subject, m.message_id));
        Ok(Self {
            key,
            subject,
            message_id: message_id.filter(|id| can_be_written(id)),
            in_reply_to: envelope.in_reply_to.into_iter().filter(|id| can_be_written(id)).collect(),
            references: envelope.references.into_iter().filter(|id| can_be_written(id)).collect(),
            from: list(&envelope.from),
            reply_to: list(&envelope.reply_to),
            to: list(&envelope.to),
            cc: list(&envelope.cc),
        })
    }

    /// Everybody it was sent to.
    pub(super) fn addressed(&self) -> Vec<Address> {
        self.to.iter().chain(&self.cc).cloned().collect()
    }

    /// Whom an answer goes to: Reply-To before From, and for a message of one's own those it went to.
    pub(super) fn sender(&self, own: &[String]) -> Vec<Address> {
        let is_own = |address: &Address| own.iter().any(|known| known.eq_ignore_ascii_case(&address.address));
        let asked = if self.reply_to.is_empty() { &self.from } else { &self.reply_to };
        if !asked.iter().all(is_own) {
            return asked.clone();
        }
        let others: Vec<_> = self.to.iter().filter(|address| !is_own(address)).cloned().collect();
        if others.is_empty() { asked.clone() } else { others }
    }

    /// Everybody else in the conversation, without one's own addresses.
    pub(super) fn others(&self, own: &[String]) -> Vec<Address> {
        let is_own = |address: &Address| own.iter().any(|known| known.eq_ignore_ascii_case(&address.address));
        self.to.iter().chain(&self.cc).filter(|address| !is_own(address)).cloned().collect()
    }

    /// The Message-ID that In-Reply-To names; none when the message has none.
    pub(super) fn in_reply_to(&self) -> Vec<String> {
        self.message_id.iter().cloned().collect()
    }

    /// The conversation up to and with this message (RFC 5322, 3.6.4). A chain too long for a header keeps its
    /// first id and its newest ones.
    pub(super) fn references(&self) -> Vec<String> {
        let before = match (self.references.as_slice(), self.in_reply_to.as_slice()) {
            ([], [parent]) => std::slice::from_ref(parent),
            (references, _) => references,
        };
        let mut chain: Vec<String> = Vec::new();
        for id in before.iter().filter(|id| Some(*id) != self.message_id.as_ref()).chain(&self.message_id) {
            chain.push(id.clone());
        }
        shortened(chain)
    }
}

fn shortened(chain: Vec<String>) -> Vec<String> {
    let length = |id: &String| id.len() + "<> ".len();
    let Some((first, rest)) = chain.split_first() else { return chain };
    let mut room = LONGEST_REFERENCES.saturating_sub(length(first));
    let fits = |id: &&String| {
        let fits = length(id) <= room;
        room = room.saturating_sub(length(id));
        fits
    };
    let newest = rest.iter().rev().take_while(fits).count();
    if newest == rest.len() {
        return chain;
    }
    let mut kept = vec![first.clone()];
    kept.extend_from_slice(&rest[rest.len() - newest..]);
    kept
}

/// Ids come from strangers: one that could end its brackets or its line is left out.
fn can_be_written(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= LONGEST_ID
        && id.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_REFERENCES, Parent, can_be_written};
    use crate::model::{Address, MessageKey};

    fn list(text: &str) -> Vec<Address> {
        text.split_whitespace().map(|address| Address::new("", address)).collect()
    }

    fn parent() -> Parent {
        Parent {
            key: MessageKey(1),
            subject: "Kitchen".to_owned(),
            message_id: Some("c@x".to_owned()),
            in_reply_to: vec!["b@x".to_owned()],
            references: vec!["a@x".to_owned(), "b@x".to_owned()],
            from: list("bob@stone.example"),
            reply_to: Vec::new(),
            to: list("ada@example.org carl@x.example"),
            cc: list("dora@x.example ADA@work.example"),
        }
    }

    fn own() -> Vec<String> {
        vec!["ada@example.org".to_owned(), "ada@work.example".to_owned()]
    }

    #[test]
    fn an_answer_goes_to_the_sender_or_where_the_sender_wants_it() {
        let elsewhere = Parent { reply_to: list("list@x.example"), ..parent() };

        assert_eq!(parent().sender(&own()), list("bob@stone.example"));
        assert_eq!(elsewhere.sender(&own()), list("list@x.example"));
    }

    #[test]
    fn an_answer_to_one_s_own_message_goes_where_that_went() {
        let sent = Parent { from: list("Ada@example.org"), ..parent() };
        let note_to_self = Parent { from: list("ada@example.org"), to: list("ada@example.org"), ..parent() };

        assert_eq!(sent.sender(&own()), list("carl@x.example"));
        assert_eq!(note_to_self.sender(&own()), list("ada@example.org"));
    }

    #[test]
    fn one_s_own_addresses_get_no_copy() {
        assert_eq!(parent().others(&own()), list("carl@x.example dora@x.example"));
    }

    #[test]
    fn references_hold_the_whole_conversation_in_order() {
        let first_answer = Parent { references: Vec::new(), ..parent() };
        let start = Parent { references: Vec::new(), in_reply_to: Vec::new(), ..parent() };
        let nameless = Parent { message_id: None, ..parent() };

        assert_eq!(parent().references(), ["a@x", "b@x", "c@x"]);
        assert_eq!(first_answer.references(), ["b@x", "c@x"]);
        assert_eq!(start.references(), ["c@x"]);
        assert_eq!(nameless.references(), ["a@x", "b@x"]);
        assert_eq!(nameless.in_reply_to(), [""; 0]);
    }

    #[test]
    fn a_chain_too_long_for_a_header_keeps_its_first_and_newest_ids() {
        let chain: Vec<String> = (0..5000).map(|number| format!("message-{number}@list.example")).collect();
        let long = Parent { references: chain, ..parent() };

        let references = long.references();

        assert_eq!(references[0], "message-0@list.example");
        assert_eq!(references.last().unwrap(), "c@x");
        assert_eq!(references[references.len() - 2], "message-4999@list.example");
        let length: usize = references.iter().map(|id| id.len() + 3).sum();
        assert!(length <= LONGEST_REFERENCES && length > LONGEST_REFERENCES - 100, "{length}");
    }

    #[test]
    fn an_id_that_could_break_out_is_left_out() {
        assert!(can_be_written("a.b+c$d@x.example"));
        for id in ["", "a b@x", "a\r\nBcc: e@x", "a>b@x", "ä@x", &"x".repeat(1000)] {
            assert!(!can_be_written(id), "{id}");
        }
    }
}
