//! How one revision of an item differs from another: header fields, recipients and files by name, the text line by line
//! with the changed words marked. And which revision a person saw last, by the audit chain.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;
use similar::{ChangeTag, DiffTag, TextDiff};

use crate::drafts::{Contents, FileContents};
use crate::model::{Address, DraftHash, DraftId, ItemHash, Recipients, Route};
use crate::outbox::OutboxError;
use crate::outbox::channels::Reading;
use crate::store::{AuditRow, Item, Reader};

/// Lines that stay the same are shown so far around what changes.
const AROUND: usize = 2;
/// So many lines are told.
const TOLD: usize = 400;
/// In longer lines words are not compared.
const LONGEST_LINE: usize = 4_000;
/// After so long whole stretches count as changed.
const PATIENCE: Duration = Duration::from_millis(30);

/// How a revision differs from an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RevisionDiff {
    /// Number of the earlier revision.
    pub from_revision: i64,
    /// Number of the later one.
    pub to_revision: i64,
    /// Fields that say something else: `from`, `reply_to`, `subject`.
    pub fields: Vec<FieldChange>,
    /// Lists that hold others: `to`, `cc`, `bcc`, `attachments`.
    pub lists: Vec<ListChange>,
    /// The text, where it changes, with a few lines around.
    pub body: Vec<DiffLine>,
    /// Lines of the difference that are not told.
    pub more_lines: usize,
    /// Whether the HTML beside the text is another.
    pub html_changed: bool,
}

/// A field that says something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldChange {
    /// Which.
    pub field: &'static str,
    /// What it said.
    pub before: String,
    /// What it says.
    pub after: String,
}

/// A list that holds others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListChange {
    /// Which.
    pub field: &'static str,
    /// What is in it now and was not.
    pub added: Vec<String>,
    /// What was in it and is not now.
    pub removed: Vec<String>,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineChange {
    /// It stayed.
    Same,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Lines that stayed and are not told.
    Skipped,
}

/// A line of the difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiffLine {
    /// What became of it.
    pub change: LineChange,
    /// Its pieces, which together are the line; of skipped lines, how many there are.
    pub pieces: Vec<Piece>,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// The characters.
    pub text: String,
    /// Whether these are what makes the line another.
    pub changed: bool,
}

impl RevisionDiff {
    /// How two revisions of an item differ; `None` when one of them is not there.
    pub fn between(reader: &Reader, id: DraftId, from: i64, to: i64) -> Result<Option<Self>, OutboxError> {
        let (Some(before), Some(after)) = (Side::read(reader, id, from)?, Side::read(reader, id, to)?) else {
            return Ok(None);
        };
        Ok(Some(Self::of(&before, &after)))
    }

    /// Whether nothing that leaves is different.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.lists.is_empty() && self.body.is_empty() && !self.html_changed
    }

    fn of(before: &Side, after: &Side) -> Self {
        let field = |field, before: &str, after: &str| {
            let change = || FieldChange { field, before: before.to_owned(), after: after.to_owned() };
            (before != after).then(change)
        };
        let fields = [
            field("from", &before.from, &after.from),
            field("reply_to", &before.reply_to, &after.reply_to),
            field("subject", &before.subject, &after.subject),
        ];
        let (was, is) = (&before.recipients, &after.recipients);
        let lists = [
            list("to", &shown(&was.to), &shown(&is.to)),
            list("cc", &shown(&was.cc), &shown(&is.cc)),
            list("bcc", &shown(&was.bcc), &shown(&is.bcc)),
            list("attachments", &files(&before.contents.files), &files(&after.contents.files)),
        ];
        let mut body = lines(&before.text, &after.text);
        let more_lines = body.len().saturating_sub(TOLD);
        body.truncate(TOLD);
        Self {
            from_revision: before.revision,
            to_revision: after.revision,
            fields: fields.into_iter().flatten().collect(),
            lists: lists.into_iter().flatten().collect(),
            body,
            more_lines,
            html_changed: before.html() != after.html(),
        }
    }
}

/// A revision, as it would leave: read from its bytes and its envelope, which its hash stands for.
struct Side {
    revision: i64,
    from: String,
    reply_to: String,
    subject: String,
    recipients: Recipients,
    text: String,
    contents: Contents,
}

impl Side {
    fn read(reader: &Reader, id: DraftId, revision: i64) -> Result<Option<Self>, OutboxError> {
        let Some(draft) = reader.draft_at(id, revision)? else { return Ok(None) };
        let bytes = reader.draft_bytes(draft.key, revision)?.unwrap_or_default();
        if DraftHash::of(&draft.account, &draft.from.address, &draft.recipients, &bytes) != draft.hash {
            return Err(OutboxError::Changed { id: id.to_string() });
        }
        let route = reader.item(id)?.map(|item| item.route);
        let route = route.unwrap_or_else(|| Route::Folder(PathBuf::new()));
        let Reading { message, contents } = Reading::of(&route, &bytes);
        let envelope = &draft.recipients;
        Ok(Some(Self {
            revision,
            from: shown(&message.from).join(", "),
            reply_to: shown(&message.reply_to).join(", "),
            subject: message.subject,
            recipients: Recipients {
                to: named(&envelope.to, &message.to),
                cc: named(&envelope.cc, &message.cc),
                bcc: named(&envelope.bcc, &[]),
            },
            text: contents.text.clone(),
            contents,
        }))
    }

    fn html(&self) -> Option<&str> {
        self.contents.html.as_ref().map(|html| html.source.as_str())
    }
}

/// The addresses of an envelope, with the names that the message gives them.
fn named(envelope: &[Address], header: &[Address]) -> Vec<Address> {
    let name = |to: &Address| {
        let written = header.iter().find(|written| written.address.eq_ignore_ascii_case(&to.address));
        Address::new(written.map(|written| written.name.as_str()).unwrap_or_default(), to.address.as_str())
    };
    envelope.iter().map(name).collect()
}

fn shown(list: &[Address]) -> Vec<String> {
    list.iter().map(Address::to_string).collect()
}

/// A file is another one when its bytes are.
fn files(list: &[FileContents]) -> Vec<String> {
    list.iter().map(|it| format!("{} ({} bytes, SHA-256 {})", it.name, it.size, brief(&it.sha256))).collect()
}

fn brief(hex: &str) -> &str {
    hex.get(..12).unwrap_or(hex)
}

fn list(field: &'static str, before: &[String], after: &[String]) -> Option<ListChange> {
    let has = |list: &[String]| list.iter().cloned().collect::<std::collections::HashSet<_>>();
    let (old, new) = (has(before), has(after));
    let added: Vec<_> = after.iter().filter(|it| !old.contains(*it)).cloned().collect();
    let removed: Vec<_> = before.iter().filter(|it| !new.contains(*it)).cloned().collect();
    (!added.is_empty() || !removed.is_empty()).then_some(ListChange { field, added, removed })
}

/// The lines in which two texts differ, with a few around.
fn lines(before: &str, after: &str) -> Vec<DiffLine> {
    let deadline = Instant::now() + PATIENCE;
    let diff = TextDiff::configure().deadline(deadline).diff_lines(before, after);
    let mut out = Vec::new();
    let mut last = 0;
    for group in diff.grouped_ops(AROUND) {
        let Some(first) = group.first() else { continue };
        skip(&mut out, first.new_range().start.saturating_sub(last));
        for op in &group {
            let is_short = op.old_range().len() + op.new_range().len() <= TOLD;
            if op.tag() == DiffTag::Replace && is_short {
                out.extend(with_words(&diff, op, deadline));
            } else {
                out.extend(diff.iter_changes(op).map(|change| whole(change.tag(), change.value())));
            }
            last = op.new_range().end;
            if out.len() > 2 * TOLD {
                return out;
            }
        }
    }
    out
}

fn skip(out: &mut Vec<DiffLine>, count: usize) {
    if count > 0 {
        let pieces = vec![Piece { text: count.to_string(), changed: false }];
        out.push(DiffLine { change: LineChange::Skipped, pieces });
    }
}

fn whole(tag: ChangeTag, line: &str) -> DiffLine {
    let text = line.trim_end_matches(['\n', '\r']).to_owned();
    DiffLine { change: change_of(tag), pieces: vec![Piece { text, changed: tag != ChangeTag::Equal }] }
}

/// Lines in the place of others, with the words marked that make the difference.
fn with_words<'t>(
    diff: &'t TextDiff<'t, 't, 't, str>,
    op: &similar::DiffOp,
    deadline: Instant,
) -> Vec<DiffLine> {
    let is_long = diff.iter_changes(op).any(|change| change.value().len() > LONGEST_LINE);
    if is_long {
        return diff.iter_changes(op).map(|change| whole(change.tag(), change.value())).collect();
    }
    let line = |change: similar::InlineChange<'_, str>| {
        let pieces = change
            .iter_strings_lossy()
            .map(|(changed, text)| Piece { text: text.trim_end_matches(['\n', '\r']).to_owned(), changed });
        let pieces = pieces.filter(|piece| !piece.text.is_empty()).collect();
        DiffLine { change: change_of(change.tag()), pieces }
    };
    diff.iter_inline_changes_deadline(op, Some(deadline)).map(line).collect()
}

const fn change_of(tag: ChangeTag) -> LineChange {
    match tag {
        ChangeTag::Equal => LineChange::Same,
        ChangeTag::Insert => LineChange::Added,
        ChangeTag::Delete => LineChange::Removed,
    }
}

/// The revisions of an item that a person saw whole, in a review, on a page or when they decided. Who edits sees what they
/// write, and not all that leaves with it: an edit is no look.
pub(super) fn seen(reader: &Reader, item: DraftId) -> Result<Vec<i64>, OutboxError> {
    let is_look = |row: &&AuditRow| matches!(row.kind.as_str(), "looked" | "approved" | "rejected");
    let rows = reader.audit_of(item)?;
    let bodies = rows.iter().filter(is_look).map(body);
    let seen = bodies.filter(|body| body["door"] != "rule").filter_map(|body| body["revision"].as_i64());
    Ok(seen.collect())
}

/// Whether a person was shown exactly this, whole.
pub(super) fn was_shown(reader: &Reader, item: DraftId, hash: &ItemHash) -> Result<bool, OutboxError> {
    Ok(shown_as(reader, item, &hash.0.to_hex())?.is_some())
}

/// The revision that a person was shown under this hash.
pub(super) fn shown_as(reader: &Reader, item: DraftId, hash: &str) -> Result<Option<i64>, OutboxError> {
    let rows = reader.audit_of(item)?;
    let looks = rows.iter().filter(|row| row.kind == "looked").map(body);
    Ok(looks.filter(|body| body["hash"] == hash).filter_map(|body| body["revision"].as_i64()).max())
}

/// The revision of an item that a person saw last; `None`: none.
pub fn last_seen(reader: &Reader, item: DraftId) -> Result<Option<i64>, OutboxError> {
    Ok(seen(reader, item)?.into_iter().max())
}

/// How an item differs from what a person saw last of it; `None` when they saw this, or nothing of it.
pub fn since_last_seen(reader: &Reader, item: &Item) -> Result<Option<RevisionDiff>, OutboxError> {
    match last_seen(reader, item.draft.id)? {
        Some(seen) if seen < item.draft.revision => {
            RevisionDiff::between(reader, item.draft.id, seen, item.draft.revision)
        }
        _ => Ok(None),
    }
}

/// What the owner changed in an item since it was last proposed; `None`: nothing.
pub(super) fn by_owner(reader: &Reader, item: &Item) -> Result<Option<RevisionDiff>, OutboxError> {
    let rows = reader.audit_of(item.draft.id)?;
    let proposed = rows.iter().rposition(|row| row.kind == "proposed").unwrap_or_default();
    let first = rows.iter().skip(proposed).find(|row| row.kind == "edited");
    let from = first.and_then(|row| body(row)["from_revision"].as_i64());
    match from {
        Some(from) => RevisionDiff::between(reader, item.draft.id, from, item.draft.revision),
        None => Ok(None),
    }
}

fn body(row: &AuditRow) -> Value {
    serde_json::from_str(&row.body).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{DiffLine, LineChange, lines};

    fn told(before: &str, after: &str) -> Vec<String> {
        let told = |line: &DiffLine| {
            let sign = match line.change {
                LineChange::Same => ' ',
                LineChange::Added => '+',
                LineChange::Removed => '-',
                LineChange::Skipped => '~',
            };
            let pieces = line.pieces.iter();
            let marked = pieces.map(|it| if it.changed { format!("[{}]", it.text) } else { it.text.clone() });
            format!("{sign}{}", marked.collect::<String>())
        };
        lines(before, after).iter().map(told).collect()
    }

    #[test]
    fn changed_words_are_marked_and_what_stays_is_counted() {
        let before = "Dear Bob,\na\nb\nc\nd\nWe meet on Monday at ten.\n";
        let after = "Dear Bob,\na\nb\nc\nd\nWe meet on Friday at ten.\nBye\n";

        assert_eq!(
            told(before, after),
            ["~3", " c", " d", "-We meet on [Monday] at ten.", "+We meet on [Friday] at ten.", "+[Bye]"]
        );
        assert!(told(before, before).is_empty());
    }

    #[test]
    fn two_megabytes_are_compared_in_bounded_time_and_space() {
        let line = |n: usize| format!("line {n} of a long text\n");
        let before: String = (0..80_000).map(line).collect();
        let after: String = (0..80_000).rev().map(line).collect();
        let one = "x ".repeat(1 << 20);

        assert!(!lines(&before, &after).is_empty());
        assert_eq!(lines(&one, &format!("{one}y")).len(), 2);
    }
}
