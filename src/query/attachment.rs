//! One attachment of a message: found by its name, its part or its number, and read when asked.

use std::sync::{Mutex, PoisonError};

use crate::model::{Audience, MessageKey};
use crate::parse;
use crate::query::{Archive, PartSummary, QueryError};

/// The largest message whose attachments an assistant gets.
const LARGEST_FOR_ASSISTANT: i64 = 36 << 20;

impl PartSummary {
    /// The name it is shown and asked for by.
    #[must_use]
    pub fn shown_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("part-{}", self.part))
    }
}

impl Archive {
    /// The attachment that `id` names: a file name, a part such as `2` or `1.3`, `part-1.3`, or the number in the
    /// list counted from 1. The error names those there are.
    pub fn find_attachment(&self, key: MessageKey, id: &str) -> Result<PartSummary, QueryError> {
        let parts = self.attachments(key)?;
        let found = position(&parts, id.trim());
        found.map(|index| parts[index].clone()).ok_or_else(|| QueryError::UnknownAttachment {
            name: crate::text_safety::one_line(id),
            known: parts.iter().map(PartSummary::shown_name).collect(),
        })
    }

    /// Its decoded bytes. Read one at a time, because a whole message is unpacked for it; for an assistant not from a
    /// message that is larger than its server may become.
    pub fn attachment_bytes(&self, key: MessageKey, part: &PartSummary) -> Result<Vec<u8>, QueryError> {
        static TURN: Mutex<()> = Mutex::new(());
        let size = self.reader.message(key)?.map_or(0, |message| message.size);
        if self.audience == Audience::Assistant && size > LARGEST_FOR_ASSISTANT {
            return Err(too_large(size));
        }
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let raw = self.reader.raw(key)?;
        Ok(parse::part_bytes(&raw, &part.part).unwrap_or_default())
    }

    /// The text in it, where it is of a kind that has some.
    #[must_use]
    pub fn attachment_text(&self, part: &PartSummary, bytes: &[u8]) -> Option<String> {
        self.extractor.text(&part.content_type, part.name.as_deref(), bytes)
    }
}

fn too_large(size: i64) -> QueryError {
    QueryError::Argument {
        name: "attachment_id",
        problem: format!(
            "the message has {} MB, attachments of messages over {} MB are not read here",
            size >> 20,
            LARGEST_FOR_ASSISTANT >> 20
        ),
        hint: "the user can save it with `mailkeep show`".to_owned(),
    }
}

fn position(parts: &[PartSummary], id: &str) -> Option<usize> {
    let by_name = |part: &PartSummary| part.name.as_deref() == Some(id);
    let by_shown_name = |part: &PartSummary| part.shown_name().eq_ignore_ascii_case(id);
    let by_part = |part: &PartSummary| part.part == id;
    let number = id.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    parts
        .iter()
        .position(by_name)
        .or_else(|| parts.iter().position(by_part))
        .or_else(|| parts.iter().position(by_shown_name))
        .or_else(|| number.filter(|number| *number < parts.len()))
}

#[cfg(test)]
mod tests {
    use super::{PartSummary, position};

    fn part(part: &str, name: Option<&str>) -> PartSummary {
        PartSummary {
            part: part.to_owned(),
            name: name.map(str::to_owned),
            content_type: "text/plain".to_owned(),
            size: 1,
            sha256: String::new(),
        }
    }

    #[test]
    fn a_name_a_part_or_a_number_finds_it_in_this_order() {
        let parts = [part("2", Some("a.pdf")), part("3", Some("2")), part("4.1", None)];

        assert_eq!(position(&parts, "a.pdf"), Some(0));
        assert_eq!(position(&parts, "A.PDF"), Some(0));
        assert_eq!(position(&parts, "2"), Some(1), "a name wins over a part");
        assert_eq!(position(&parts, "3"), Some(1), "a part wins over a number");
        assert_eq!(position(&parts, "part-4.1"), Some(2));
        assert_eq!(position(&parts, "1"), Some(0));
        assert_eq!(position(&parts, "9"), None);
    }
}
