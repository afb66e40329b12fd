//! A page of messages for a person: when, from whom, about what, the text around the hit, the words in colour.

use std::collections::HashSet;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::{counted, grouped};
use crate::cli::layout::{column, cut, filled, width, wrapped};
use crate::cli::local_time::{TIME_COLUMNS, local_time};
use crate::clock::Clock;
use crate::index::Words;
use crate::query::{Page, Results, Summary};

/// How wide an id is, with the blanks behind it.
const ID_COLUMNS: usize = 15;
/// How many lines of text are shown of a message.
const SNIPPET_LINES: usize = 2;
/// The widest a sender is shown.
const SENDER_COLUMNS: usize = 30;

/// Prints an answer.
pub(super) fn print(answer: &Results, page: Page, context: &mut Context) -> Result<(), Failure> {
    if answer.items.is_empty() {
        let what = match answer.total {
            0 => "no messages match".to_owned(),
            total => format!("nothing more: there are only {}", counted(total, "message")),
        };
        return Ok(context.output.line(what)?);
    }
    let list = MessageList::new(answer, context);
    for item in &answer.items {
        for line in list.item(item) {
            context.output.put(&line)?;
        }
    }
    print_position(answer, page, context)
}

fn print_position(answer: &Results, page: Page, context: &mut Context) -> Result<(), Failure> {
    let dim = anstyle::Style::new().dimmed();
    let last = page.offset + answer.covered;
    let full = last.saturating_sub(answer.partial);
    let out = &mut context.output;
    out.line(format!("{dim}{}, {:.1} ms{dim:#}", shown(answer, page.offset + 1, full), answer.took_ms))?;
    if answer.more {
        out.line(format!("{dim}next page: add --offset {last}{dim:#}"))?;
    }
    Ok(())
}

/// What part of what was found this is.
fn shown(answer: &Results, first: usize, last: usize) -> String {
    let partial = match answer.partial {
        0 => String::new(),
        1 => "1 partial match".to_owned(),
        many => format!("{} partial matches", grouped(many)),
    };
    let full = format!("{} to {} of {}", grouped(first), grouped(last), grouped(answer.total));
    match (last >= first, partial.is_empty()) {
        (true, true) => full,
        (true, false) => format!("{full}, and {partial}"),
        (false, _) => partial,
    }
}

/// How the messages of one answer are laid out.
struct MessageList<'a> {
    columns: Option<usize>,
    clock: Clock,
    /// All forms of the words that were asked for.
    words: HashSet<&'a str>,
}

impl<'a> MessageList<'a> {
    fn new(answer: &'a Results, context: &Context) -> Self {
        let words = answer.words.iter().flatten().map(String::as_str).collect();
        Self { columns: context.output.columns(), clock: context.clock.clone(), words }
    }

    fn item(&self, item: &Summary) -> Vec<String> {
        let mut lines = vec![self.head(item)];
        lines.extend(self.text(item));
        let dim = anstyle::Style::new().dimmed();
        lines.extend(remark(item).map(|remark| format!("{}{dim}{remark}{dim:#}", " ".repeat(ID_COLUMNS))));
        lines
    }

    /// When, from whom, about what.
    fn head(&self, item: &Summary) -> String {
        let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
        let date = local_time(&item.date, &self.clock);
        let gone = if item.gone.is_some() { "  (gone)" } else { "" };
        let subject = if item.subject.is_empty() { "(no subject)" } else { &item.subject };
        let (from, subject) = match self.columns {
            None => (filled(&item.from, SENDER_COLUMNS), subject.to_owned()),
            Some(columns) => {
                let sender = (columns / 4).min(SENDER_COLUMNS);
                let left = columns.saturating_sub(TIME_COLUMNS + sender + 4 + width(gone));
                (column(shortened(&item.from, sender), sender), cut(subject, left))
            }
        };
        format!(
            "{date}  {}  {}{dim}{gone}{dim:#}",
            self.marked(&from, None),
            self.marked(&subject, Some(bold))
        )
    }

    /// The id, and the text around the hit.
    fn text(&self, item: &Summary) -> Vec<String> {
        let dim = anstyle::Style::new().dimmed();
        let snippet = match self.columns {
            None => vec![item.snippet.clone()],
            Some(columns) => self.best_lines(&item.snippet, columns - ID_COLUMNS),
        };
        let id = std::iter::once(item.id.as_str()).chain(std::iter::repeat(""));
        let line = |(id, text): (&str, String)| {
            let line = format!("{dim}{}{dim:#}{}", filled(id, ID_COLUMNS), self.marked(&text, None));
            if text.is_empty() { format!("{dim}{id}{dim:#}") } else { line }
        };
        id.zip(snippet).map(line).collect()
    }

    /// As much of a text as is shown: from the line on that first holds a word that was asked for.
    fn best_lines(&self, text: &str, columns: usize) -> Vec<String> {
        // Two columns are left for the ellipsis of a text that goes on.
        let lines = wrapped(text, columns - 2, 0);
        let hit = lines.iter().position(|line| !self.hits(line).is_empty()).unwrap_or(0);
        let first = hit.min(lines.len().saturating_sub(SNIPPET_LINES));
        let goes_on = first + SNIPPET_LINES < lines.len();
        let mut shown: Vec<String> =
            lines.iter().skip(first).take(SNIPPET_LINES).map(|line| cut(line, columns - 2)).collect();
        if let Some(last) = shown.last_mut().filter(|last| goes_on && !last.ends_with('…')) {
            last.push_str(" …");
        }
        shown
    }

    /// Where words stand that were asked for.
    fn hits(&self, text: &str) -> Vec<(usize, usize)> {
        let mut hits: Vec<(usize, usize)> = Vec::new();
        let mut words = Words::new(text);
        while let Some(word) = words.advance() {
            if !self.words.contains(words.text()) {
                continue;
            }
            match hits.last_mut() {
                Some((_, end)) if word.start < *end => *end = word.end.max(*end),
                _ => hits.push((word.start, word.end)),
            }
        }
        hits
    }

    /// The text in a style of its own, with the words that were asked for in colour.
    fn marked(&self, text: &str, style: Option<anstyle::Style>) -> String {
        let style = style.unwrap_or_default();
        let mark = anstyle::AnsiColor::Red.on_default().bold();
        let mut marked = String::new();
        let mut at = 0;
        for (start, end) in self.hits(text) {
            let (before, hit) = (&text[at..start], &text[start..end]);
            marked.push_str(&format!("{style}{before}{style:#}{mark}{hit}{mark:#}"));
            at = end;
        }
        marked.push_str(&format!("{style}{}{style:#}", &text[at..]));
        marked
    }
}

/// What a message lacks, and what it stands for.
fn remark(item: &Summary) -> Option<String> {
    let missing = &item.matched.missing;
    let lacks = (!missing.is_empty()).then(|| format!("lacks: {}", missing.join(", ")));
    let copies = item.matched.copies.len();
    let more = (copies > 0).then(|| format!("and {copies} more that say nearly the same"));
    let remarks: Vec<_> = lacks.into_iter().chain(more).collect();
    (!remarks.is_empty()).then(|| remarks.join("; "))
}

/// A sender without the address, where only the name has room.
fn shortened(from: &str, columns: usize) -> &str {
    match from.split_once(" <") {
        Some((name, _)) if width(from) > columns && !name.is_empty() => name,
        _ => from,
    }
}
