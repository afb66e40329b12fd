//! How an item differs from the revision that the person saw before, as a page shows it.

use crate::figures::counted;
use crate::outbox::revisions::{DiffLine, LineChange, RevisionDiff};
use crate::text_safety::many_lines;
use crate::web::outbox::card::short;

/// A line of a difference.
pub(super) struct ChangedLine {
    /// `ins`, `del`, `same`.
    pub(super) kind: &'static str,
    pub(super) text: String,
}

/// A field or list that holds something else.
pub(super) struct ChangedField {
    pub(super) name: String,
    pub(super) lines: Vec<ChangedLine>,
}

/// What is different.
pub(super) struct Changes {
    pub(super) from_revision: i64,
    pub(super) fields: Vec<ChangedField>,
    pub(super) body: Vec<ChangedLine>,
    pub(super) more: Option<String>,
    pub(super) html_changed: bool,
}

impl Changes {
    pub(super) fn of(diff: &RevisionDiff) -> Self {
        let fields = diff.fields.iter().map(|change| {
            let lines = vec![line("del", &change.before), line("ins", &change.after)];
            ChangedField { name: change.field.replace('_', " "), lines }
        });
        let lists = diff.lists.iter().map(|change| {
            let removed = change.removed.iter().map(|it| line("del", it));
            let lines = removed.chain(change.added.iter().map(|it| line("ins", it))).collect();
            ChangedField { name: change.field.replace('_', " "), lines }
        });
        let more = (diff.more_lines > 0).then(|| counted(diff.more_lines, "more line"));
        Self {
            from_revision: diff.from_revision,
            fields: fields.chain(lists).collect(),
            body: diff.body.iter().map(body_line).collect(),
            more,
            html_changed: diff.html_changed,
        }
    }
}

fn line(kind: &'static str, text: &str) -> ChangedLine {
    ChangedLine { kind, text: short(text) }
}

fn body_line(line: &DiffLine) -> ChangedLine {
    let text: String = line.pieces.iter().map(|piece| piece.text.as_str()).collect();
    let (kind, text) = match line.change {
        LineChange::Added => ("ins", text),
        LineChange::Removed => ("del", text),
        LineChange::Same => ("same", text),
        LineChange::Skipped => ("same", format!("({text} unchanged lines)")),
    };
    ChangedLine { kind, text: many_lines(text.trim_end_matches('\n')) }
}
