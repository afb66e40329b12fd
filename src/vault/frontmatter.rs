//! The lines between the two `---` of a note, changed key by key. What is not the value of that key stays as it is:
//! comments, order, quotes, blanks, line ends.

use std::ops::Range;

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};

use crate::vault::Yaml;
use crate::vault::yaml_text::{behind_colon, entry, flow, inline, key_text};

/// Where the pieces of a note are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pieces {
    /// The YAML between the marks, if there are marks.
    pub(super) yaml: Option<Range<usize>>,
    /// Where the body begins.
    pub(super) body: usize,
    /// How lines end.
    pub(super) newline: &'static str,
    /// The length of the byte order mark.
    pub(super) mark: usize,
}

/// Finds the frontmatter as Obsidian does: `---` on the very first line, and a line `---` that closes it.
pub(super) fn pieces(text: &str) -> Pieces {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let first_end = text.find('\n').unwrap_or(text.len());
    let newline = if text[..first_end].ends_with('\r') { "\r\n" } else { "\n" };
    let none = Pieces { yaml: None, body: mark, newline, mark };
    if first_end == text.len() || !is_fence(&text[mark..first_end]) {
        return none;
    }
    let (start, mut at) = (first_end + 1, first_end + 1);
    for line in text[start..].split_inclusive('\n') {
        if is_fence(line) {
            return Pieces { yaml: Some(start..at), body: at + line.len(), ..none };
        }
        at += line.len();
    }
    none
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

/// The YAML with another value for one key, which is added behind the others if it is not there. `None` where it
/// cannot be told where the value begins and ends.
pub(super) fn with_value(yaml: &str, key: &str, value: &Yaml, newline: &str) -> Option<String> {
    let layout = Layout::of(yaml)?;
    match layout.slots.iter().position(|slot| slot.key == key) {
        Some(index) => layout.replaced(index, value, newline),
        None => layout.added(key, value, newline),
    }
}

/// Where the keys of a YAML mapping and their values are.
struct Layout<'a> {
    text: &'a str,
    style: StructureStyle,
    /// Behind the brace of a mapping in flow style.
    inside: usize,
    /// How far keys are indented.
    indent: usize,
    slots: Vec<Slot>,
}

struct Slot {
    key: String,
    key_start: usize,
    /// Behind the colon.
    colon: usize,
    value: ValueAt,
}

/// Where a value is.
enum ValueAt {
    /// Nothing stands there.
    Nowhere,
    /// Between these bytes, whatever surrounds it.
    Between(Range<usize>),
    /// In lines of its own, up to the next key.
    Below,
}

impl<'a> Layout<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let mut layout = Self { text, style: StructureStyle::Block, inside: 0, indent: 0, slots: Vec::new() };
        let mut nodes = Vec::new();
        let mut depth = 0_usize;
        let mut begun: Option<(usize, StructureStyle)> = None;
        for event in Parser::new_from_str(text) {
            let (event, span) = event.ok()?;
            let at = bytes(&span)?;
            match event {
                Event::MappingStart(style, ..) if depth == 0 => {
                    (layout.style, layout.inside, depth) = (style, at.start + 1, 1);
                }
                Event::MappingStart(style, ..) | Event::SequenceStart(style, ..) => {
                    if depth == 1 {
                        begun = Some((at.start, style));
                    }
                    depth += 1;
                }
                Event::MappingEnd | Event::SequenceEnd => {
                    depth -= 1;
                    if let Some((start, style)) = begun.take_if(|_| depth == 1) {
                        nodes.push(Node { key: None, at: collection(start..at.end, style) });
                    }
                }
                Event::Scalar(value, style, ..) if depth == 1 => {
                    nodes.push(Node { at: scalar(text, at, style), key: Some(value.into_owned()) });
                }
                Event::Alias(_) if depth == 1 => nodes.push(Node { key: None, at: ValueAt::Between(at) }),
                Event::Scalar(..) if depth == 0 && !text[at].trim().is_empty() => return None,
                _ => {}
            }
        }
        layout.fill(nodes)
    }

    fn fill(mut self, nodes: Vec<Node>) -> Option<Self> {
        let mut nodes = nodes.into_iter();
        while let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
            let ValueAt::Between(range) = key.at else { return None };
            let behind = &self.text[range.end..];
            let colon = range.end + behind.len() - behind.trim_start().strip_prefix(':')?.len();
            self.slots.push(Slot { key: key.key?, key_start: range.start, colon, value: value.at });
        }
        if let Some(first) = self.slots.first().filter(|_| self.style == StructureStyle::Block) {
            let line = self.text[..first.key_start].rfind('\n').map_or(0, |at| at + 1);
            self.indent =
                self.text[line..first.key_start].chars().all(|c| c == ' ').then(|| first.key_start - line)?;
        }
        Some(self)
    }

    fn replaced(&self, index: usize, value: &Yaml, newline: &str) -> Option<String> {
        let (text, slot) = (self.text, &self.slots[index]);
        let (before, after) = match &slot.value {
            ValueAt::Nowhere => (&text[..slot.colon], slot.colon),
            ValueAt::Between(range) => (&text[..range.start], range.end),
            ValueAt::Below => (&text[..slot.colon], self.end_of(index)),
        };
        let comment = self.comment(slot);
        if self.style == StructureStyle::Flow {
            return Some([before, &blank(before), &flow(value), &text[after..]].concat());
        }
        match (inline(value), &slot.value) {
            (Some(new), _) if new.is_empty() => Some([&text[..slot.colon], comment, &text[after..]].concat()),
            (Some(new), ValueAt::Below) => Some([before, " ", &new, comment, &text[after..]].concat()),
            (Some(new), _) => Some([before, &blank(before), &new, &text[after..]].concat()),
            (None, ValueAt::Below) => {
                let lines = behind_colon(value, self.indent, newline);
                Some([before, comment, &lines, &text[after..]].concat())
            }
            (None, _) => {
                let rest = text[after..].find(['\r', '\n']).map_or(text.len(), |end| after + end);
                let lines = behind_colon(value, self.indent, newline);
                Some([&text[..slot.colon], text[after..rest].trim_end(), &lines, &text[rest..]].concat())
            }
        }
    }

    /// A comment on the line of a key whose value stands below it.
    fn comment(&self, slot: &Slot) -> &'a str {
        let line = self.text[slot.colon..].split(['\r', '\n']).next().unwrap_or_default();
        let is_comment = matches!(slot.value, ValueAt::Below) && line.trim_start().starts_with('#');
        if is_comment { line.trim_end() } else { "" }
    }

    /// Where the lines of a value end, without the blank lines and comments behind them, and without the last line end.
    fn end_of(&self, index: usize) -> usize {
        let start = self.slots[index].colon;
        let next = self.slots.get(index + 1).map_or(self.text.len(), |slot| slot.key_start - self.indent);
        let mut end = start;
        let mut at = start;
        for line in self.text[start..next].split_inclusive('\n') {
            let content = line.trim_start_matches(' ');
            let is_between = content.trim().is_empty()
                || (content.starts_with('#') && line.len() - content.len() <= self.indent);
            if at == start || !is_between {
                end = at + line.trim_end_matches(['\r', '\n']).len();
            }
            at += line.len();
        }
        end
    }

    fn added(&self, key: &str, value: &Yaml, newline: &str) -> Option<String> {
        let text = self.text;
        if self.style == StructureStyle::Flow {
            let comma = if self.slots.is_empty() { "" } else { ", " };
            let new = flow(&Yaml::Map(vec![(key.to_owned(), value.clone())]));
            return Some(
                [&text[..self.inside], &new[1..new.len() - 1], comma, &text[self.inside..]].concat(),
            );
        }
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
        debug_assert!(!key_text(key).is_empty());
        Some([text, gap, &entry(key, value, self.indent, newline)].concat())
    }
}

struct Node {
    key: Option<String>,
    at: ValueAt,
}

fn bytes(span: &Span) -> Option<Range<usize>> {
    Some(span.start.byte_offset()?..span.end.byte_offset()?)
}

fn scalar(text: &str, at: Range<usize>, style: ScalarStyle) -> ValueAt {
    match style {
        ScalarStyle::Literal | ScalarStyle::Folded => ValueAt::Below,
        _ if text[at.clone()].trim().is_empty() => ValueAt::Nowhere,
        _ => ValueAt::Between(at.start..at.start + text[at].trim_end().len()),
    }
}

fn collection(at: Range<usize>, style: StructureStyle) -> ValueAt {
    match style {
        StructureStyle::Flow => ValueAt::Between(at),
        StructureStyle::Block => ValueAt::Below,
    }
}

/// The blank that a value needs behind its colon.
fn blank(before: &str) -> String {
    if before.ends_with(':') { " ".to_owned() } else { String::new() }
}
