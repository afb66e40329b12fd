//! One attachment of a message: found by its name, its part or its number, and read when asked.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::model::{Audience, Findings, MessageKey};
use crate::parse;
use crate::query::{Archive, FullMessage, PartSummary, QueryError};

/// The largest message whose attachments an assistant gets.
const LARGEST_FOR_ASSISTANT: i64 = 36 << 20;

/// What a person sees in an attachment.
#[derive(Debug, Clone, Default)]
pub struct AttachmentText {
    /// The text. A stranger wrote it.
    pub text: String,
    /// What is not in it, and why.
    pub findings: Findings,
}

impl FullMessage {
    /// The names its attachments are shown and asked for by, in order; no two are the same.
    #[must_use]
    pub fn attachment_names(&self) -> Vec<String> {
        names(&self.attachments)
    }
}

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
        let found = position(&parts, id.trim()).or_else(|| position(&parts, last_of_path(id)));
        found.map(|index| parts[index].clone()).ok_or_else(|| QueryError::UnknownAttachment {
            name: crate::text_safety::one_line(id),
            known: names(&parts),
        })
    }

    /// Its decoded bytes. Read one at a time, because a whole message is unpacked for it; for an assistant not from a
    /// message that is larger than its server may become.
    pub fn attachment_bytes(&self, key: MessageKey, part: &PartSummary) -> Result<Vec<u8>, QueryError> {
        self.note_opened(key);
        static TURN: Mutex<()> = Mutex::new(());
        let size = self.reader.message(key)?.map_or(0, |message| message.size);
        if self.audience == Audience::Assistant && size > LARGEST_FOR_ASSISTANT {
            return Err(too_large(size));
        }
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let raw = self.reader.raw(key)?;
        Ok(parse::part_bytes(&raw, &part.part).unwrap_or_default())
    }

    /// What a person sees in it, where it is of a kind that has text.
    #[must_use]
    pub fn attachment_text(&self, part: &PartSummary, bytes: &[u8]) -> Option<AttachmentText> {
        let seen = self.extractor.read(&part.content_type, part.name.as_deref(), bytes)?;
        Some(AttachmentText { text: seen.text, findings: seen.findings })
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

/// The names of a message's attachments, each once: of several with one name the second is `report (2).pdf`.
fn names(parts: &[PartSummary]) -> Vec<String> {
    let mut taken: HashSet<String> = parts.iter().map(|part| part.shown_name().to_lowercase()).collect();
    let mut met: HashSet<String> = HashSet::new();
    let mut unique = |name: String| {
        if met.insert(name.to_lowercase()) {
            return name;
        }
        let free = (2..).map(|number| numbered(&name, number)).find(|name| taken.insert(name.to_lowercase()));
        free.unwrap_or(name)
    };
    parts.iter().map(|part| unique(part.shown_name())).collect()
}

/// `report.pdf` as the second, third, ... of its name.
fn numbered(name: &str, number: usize) -> String {
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => format!("{stem} ({number}).{ending}"),
        _ => format!("{name} ({number})"),
    }
}

/// Senders write whole paths; what is kept and shown is the last part.
fn last_of_path(id: &str) -> &str {
    id.trim().rsplit(['/', '\\']).next().unwrap_or_default()
}

fn position(parts: &[PartSummary], id: &str) -> Option<usize> {
    let by_name = |part: &PartSummary| part.name.as_deref() == Some(id);
    let by_shown_name = || names(parts).iter().position(|name| name.eq_ignore_ascii_case(id));
    let by_part = |part: &PartSummary| part.part == id;
    let number = id.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    parts
        .iter()
        .position(by_name)
        .or_else(|| parts.iter().position(by_part))
        .or_else(by_shown_name)
        .or_else(|| number.filter(|number| *number < parts.len()))
}

#[cfg(test)]
mod tests {
    use super::{PartSummary, last_of_path, names, position};

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

    #[test]
    fn attachments_of_one_name_can_be_told_apart() {
        let same = [
            part("2", Some("report.pdf")),
            part("3", Some("Report.pdf")),
            part("4", Some("report (2).pdf")),
            part("5", Some("README")),
            part("6", Some("README")),
        ];

        let shown = names(&same);

        assert_eq!(shown, ["report.pdf", "Report (3).pdf", "report (2).pdf", "README", "README (2)"]);
        let found: Vec<_> = shown.iter().map(|name| position(&same, name)).collect();
        assert_eq!(found, (0..5).map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn a_name_with_its_path_is_known_by_its_last_part() {
        assert_eq!(last_of_path(" ../secret/plan.txt"), "plan.txt");
        assert_eq!(last_of_path(r"C:\Users\ada\plan.txt"), "plan.txt");
    }
}
