//! The words, links and files of a message as lines for a terminal. None of them can pass for a line of ours: a stranger's
//! words stand behind a margin.

use unicode_width::UnicodeWidthChar;

use crate::cli::figures::{counted, size};
use crate::cli::outbox::field;
use crate::drafts::{Contents, FileContents, HtmlContents, Link};
use crate::text_safety::{brief, many_lines, plain_line};

/// What the message says, and where its links lead.
pub(super) fn words(contents: &Contents) -> Vec<String> {
    let shown = |text: &str| quoted(&many_lines(text.trim_end()), "  | ");
    let mut lines = match &contents.html {
        None => vec![shown(&contents.text)],
        Some(html) if html.is_same_as_text => {
            vec![shown(&contents.text), String::new(), field("HTML", "the same is sent as HTML too")]
        }
        Some(HtmlContents { words, .. }) => vec![
            field("Text", "seen where HTML is not shown"),
            shown(&contents.text),
            String::new(),
            field("HTML", "differs from the text, and is what most people see"),
            shown(words),
        ],
    };
    lines.extend(links(contents.links()));
    lines
}

/// What goes along with it.
pub(super) fn files(contents: &Contents) -> Vec<String> {
    contents.files.iter().map(|file| field("Attached", &file_line(file))).collect()
}

fn file_line(file: &FileContents) -> String {
    let name = if file.name.is_empty() { "(no name)" } else { &file.name };
    let doubt = if file.is_disguised { "; NOT what its name says" } else { "" };
    let declared = if file.content_type.is_empty() { "no type" } else { &file.content_type };
    format!("{name} ({}, sent as {declared}, {}{doubt})", file.kind, size(file.size))
}

fn links(links: &[Link]) -> Vec<String> {
    if links.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), field("Links", &counted(links.len(), "link"))];
    for (index, link) in links.iter().enumerate() {
        lines.push(format!("  [{}] {}", index + 1, link_line(link)));
        lines.push(quoted(&plain_line(&link.target), "      | "));
    }
    lines
}

/// The most of a link's words that stand beside it: all of them stand in the text.
const LINK_WORDS: usize = 60;

fn link_line(link: &Link) -> String {
    let site = if link.site.is_empty() { "no host" } else { &link.site };
    let spelt = link.spelt.as_ref().map(|spelt| format!(" (reads `{spelt}`)")).unwrap_or_default();
    let poses = link.poses_as.as_ref().map(|named| format!("  WARNING: its words say `{named}`"));
    let words = brief(&link.words, LINK_WORDS);
    plain_line(&format!("{site}{spelt}, behind `{words}`{}", poses.unwrap_or_default()))
}

/// Columns of a text beside its margin; with it they fit an ordinary terminal.
const QUOTED_COLUMNS: usize = 72;

/// A text with a margin before each of its lines. Long lines are cut, so that the terminal begins none without the margin.
fn quoted(text: &str, margin: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8 + 8);
    for line in text.split('\n') {
        let mut used = 0;
        out.push_str(margin);
        for c in line.chars() {
            let columns = if c == '\t' { TAB_COLUMNS } else { c.width().unwrap_or_default() };
            if used + columns > QUOTED_COLUMNS {
                out.push('\n');
                out.push_str(margin);
                used = 0;
            }
            used += columns;
            out.push(c);
        }
        out.push('\n');
    }
    out.pop();
    out
}

/// The most that a tab takes.
const TAB_COLUMNS: usize = 8;
