//! What the owner changed in a proposal, in words that an assistant reads: field by field, and the text line by line.

use crate::outbox::propose::Status;
use crate::outbox::revisions::{DiffLine, LineChange, RevisionDiff};

/// So many characters are told; the rest is counted in lines.
const LONGEST: usize = 4_000;

impl Status {
    /// What the owner changed since it was proposed; `None` when nothing.
    #[must_use]
    pub fn owners_changes(&self) -> Option<String> {
        self.changes_by_owner.as_ref().filter(|diff| !diff.is_empty()).map(told)
    }
}

fn told(diff: &RevisionDiff) -> String {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(
        diff.fields.iter().map(|it| format!("{}: \"{}\" instead of \"{}\"", it.field, it.after, it.before)),
    );
    for list in &diff.lists {
        lines.extend(list.added.iter().map(|it| format!("{}: + {it}", list.field)));
        lines.extend(list.removed.iter().map(|it| format!("{}: - {it}", list.field)));
    }
    lines.extend(diff.body.iter().map(line));
    if diff.html_changed && diff.body.is_empty() {
        lines.push("the HTML is another".to_owned());
    }
    shortened(&lines, diff.more_lines)
}

fn line(line: &DiffLine) -> String {
    let text: String = line.pieces.iter().map(|piece| piece.text.as_str()).collect();
    match line.change {
        LineChange::Same => format!("  {text}"),
        LineChange::Added => format!("+ {text}"),
        LineChange::Removed => format!("- {text}"),
        LineChange::Skipped => "  ...".to_owned(),
    }
}

fn shortened(lines: &[String], more: usize) -> String {
    let mut text = String::new();
    let mut told = 0;
    for line in lines {
        if !text.is_empty() && text.len() + line.len() > LONGEST {
            break;
        }
        text.extend(line.trim_end().chars().take(LONGEST).chain(['\n']));
        told += 1;
    }
    match lines.len() - told + more {
        0 => text.trim_end().to_owned(),
        left => format!("{text}{left} more lines"),
    }
}
