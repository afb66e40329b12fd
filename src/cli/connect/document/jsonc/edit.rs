//! Puts one member in, changes it or takes it out. Finds out how the document is laid out and goes on like that.

use std::ops::Range;

use serde_json::Value;

use super::super::{BYTE_ORDER_MARK, Fresh, Refusal};
use super::scan::{self, Member, Node};

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// Gives the member at the end of the path this value, and makes the objects on the way to it.
pub(in super::super) fn set(text: &str, path: &[&str], value: &Fresh) -> Result<String, Refusal> {
    let Some(root) = scan::document(text)? else {
        return Ok(first_value(text, &value.below(path)));
    };
    let style = Style::of(text, &root);
    let mut node = &root;
    for (depth, key) in path.iter().enumerate() {
        let Some(members) = node.members() else {
            let refusal = Refusal::no_mapping(path[..depth].last());
            return Err(Refusal::at(text, node.span.start, refusal.message));
        };
        match node.position(key) {
            Some(position) => node = &members[position].value,
            None => return Ok(insert(text, node, &style, &(*key, value.below(&path[depth + 1..])))),
        }
    }
    let written = style.write(value, style.outer, line_indent(text, node.span.start));
    Ok(apply(text, vec![(node.span.clone(), written)]))
}

/// Takes the member at the end of the path out; nothing when it is not there.
pub(in super::super) fn remove(text: &str, path: &[&str]) -> Result<Option<String>, Refusal> {
    let Some(mut text) = remove_last(text, path)? else { return Ok(None) };
    // An earlier member with the same name would come to light.
    while let Some(shorter) = remove_last(&text, path)? {
        text = shorter;
    }
    Ok(Some(text))
}

fn remove_last(text: &str, path: &[&str]) -> Result<Option<String>, Refusal> {
    let root = scan::document(text)?;
    let Some((last, way)) = path.split_last() else { return Ok(None) };
    let step = |node, key: &&str| {
        let node: &Node = node;
        Some(&node.members()?[node.position(key)?].value)
    };
    let object = root.as_ref().and_then(|root| way.iter().try_fold(root, step));
    let found = object.and_then(|object| Some((object.members()?, object.position(last)?, object)));
    Ok(found.map(|(members, position, object)| apply(text, cuts(text, object, members, position))))
}

/// How values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// A line for each member.
    Lines,
    /// `{ "a": 1, "b": 2 }` without the outer blanks.
    Spaced,
    /// `{"a":1,"b":2}`
    Dense,
}

struct Style {
    newline: &'static str,
    unit: String,
    /// The layout of the document as a whole.
    outer: Layout,
}

impl Style {
    fn of(text: &str, root: &Node) -> Self {
        let first = root.members().and_then(<[Member]>::first);
        let unit = first.and_then(|member| own_line(text, member.start)).filter(|indent| !indent.is_empty());
        let in_lines = first.is_none() || text[root.span.clone()].contains('\n');
        Self {
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            unit: unit.unwrap_or("  ").to_owned(),
            outer: if in_lines { Layout::Lines } else { on_one_line(text, first) },
        }
    }

    fn plain() -> Self {
        Self { newline: "\n", unit: "  ".to_owned(), outer: Layout::Lines }
    }

    fn member(&self, member: &(&str, Fresh), layout: Layout, indent: &str) -> String {
        let colon = if layout == Layout::Dense { ":" } else { ": " };
        format!("{}{colon}{}", Value::from(member.0), self.write(&member.1, layout, indent))
    }

    fn write(&self, value: &Fresh, layout: Layout, indent: &str) -> String {
        match value {
            Fresh::Plain(value) => plain(value, layout),
            Fresh::Object(members) if members.is_empty() => "{}".to_owned(),
            Fresh::Object(members) => {
                let inner = format!("{indent}{}", self.unit);
                let members = members
                    .iter()
                    .map(|(key, value)| self.member(&(key, value.clone()), layout, &inner))
                    .collect::<Vec<_>>();
                match layout {
                    Layout::Lines => {
                        let newline = self.newline;
                        let members = members.join(&format!(",{newline}{inner}"));
                        format!("{{{newline}{inner}{members}{newline}{indent}}}")
                    }
                    Layout::Spaced => format!("{{{}}}", members.join(", ")),
                    Layout::Dense => format!("{{{}}}", members.join(",")),
                }
            }
        }
    }
}

fn on_one_line(text: &str, first: Option<&Member>) -> Layout {
    let dense = first.is_some_and(|member| text[..member.value.span.start].ends_with(':'));
    if dense { Layout::Dense } else { Layout::Spaced }
}

/// Lists stay on one line: they are short.
fn plain(value: &Value, layout: Layout) -> String {
    match value {
        Value::Array(items) => {
            let items = items.iter().map(|item| plain(item, layout)).collect::<Vec<_>>();
            format!("[{}]", items.join(if layout == Layout::Dense { "," } else { ", " }))
        }
        other => other.to_string(),
    }
}

fn first_value(text: &str, value: &Fresh) -> String {
    let mut style = Style::plain();
    style.newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let blank = text.trim_start_matches(BYTE_ORDER_MARK).trim().is_empty();
    let kept =
        if blank { &text[..text.len() - text.trim_start_matches(BYTE_ORDER_MARK).len()] } else { text };
    let gap = if blank || text.ends_with('\n') { "" } else { style.newline };
    format!("{kept}{gap}{}{}", style.write(value, Layout::Lines, ""), style.newline)
}

fn insert(text: &str, object: &Node, style: &Style, member: &(&str, Fresh)) -> String {
    match object.members() {
        Some([first, ..]) => append(text, object, style, (first, member)),
        _ => fill(text, object, style, member),
    }
}

/// Puts a member into an object that has none; comments in it stay.
fn fill(text: &str, object: &Node, style: &Style, member: &(&str, Fresh)) -> String {
    let inner = object.span.start + 1..object.span.end - 1;
    let is_blank = text[inner.clone()].trim().is_empty();
    if is_blank && style.outer != Layout::Lines {
        return apply(text, vec![(inner, style.member(member, style.outer, ""))]);
    }
    let start = if is_blank { inner.start } else { end_of_content(text, inner.end) };
    let (newline, base) = (style.newline, line_indent(text, object.span.start));
    let indent = format!("{base}{}", style.unit);
    let written = format!("{newline}{indent}{}{newline}{base}", style.member(member, Layout::Lines, &indent));
    apply(text, vec![(start..inner.end, written)])
}

/// Puts a member behind the last one and behind the comments that follow it.
fn append(text: &str, object: &Node, style: &Style, (first, member): (&Member, &(&str, Fresh))) -> String {
    let members = object.members().unwrap_or_default();
    let last = members.last().unwrap_or(first);
    let place = end_of_content(text, object.span.end - 1);
    let written = if gaps(object, members).any(|gap| text[gap].contains('\n')) {
        let indent = own_line(text, last.start).map_or_else(
            || format!("{}{}", line_indent(text, object.span.start), style.unit),
            ToOwned::to_owned,
        );
        format!("{}{indent}{}", style.newline, style.member(member, Layout::Lines, &indent))
    } else {
        let layout = on_one_line(text, Some(first));
        let space = if layout == Layout::Dense { "" } else { " " };
        format!("{space}{}", style.member(member, layout, ""))
    };
    match last.comma {
        Some(_) => apply(text, vec![(place..place, format!("{written},"))]),
        None => {
            let end = last.value.span.end;
            apply(text, vec![(end..end, ",".to_owned()), (place..place, written)])
        }
    }
}

/// What stands between the members of an object and around them.
fn gaps<'a>(object: &Node, members: &'a [Member]) -> impl Iterator<Item = Range<usize>> + use<'a> {
    let starts = members.iter().map(|member| member.start).chain([object.span.end - 1]);
    let ends = [object.span.start + 1].into_iter().chain(members.iter().map(|member| member.value.span.end));
    ends.zip(starts).map(|(end, start)| end..start)
}

/// Where the last thing before a closing bracket ends; at the end of its line when it has the line's end.
fn end_of_content(text: &str, bracket: usize) -> usize {
    let end = text[..bracket].trim_end_matches(BLANKS).len();
    let line_end = end + text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
    if text[line_end..].starts_with(['\r', '\n']) { line_end } else { end }
}

/// What to cut so that a member goes and comments stay.
fn cuts(text: &str, object: &Node, members: &[Member], position: usize) -> Vec<(Range<usize>, String)> {
    let member = &members[position];
    let inner = object.span.start + 1..object.span.end - 1;
    let value_end = member.value.span.end;
    let comma = member.comma.filter(|comma| text[value_end..*comma].trim().is_empty());
    let end = comma.map_or(value_end, |comma| comma + 1);
    let nothing_else = members.len() == 1
        && text[inner.start..member.start].trim().is_empty()
        && text[end..inner.end].trim().is_empty();
    if nothing_else {
        return vec![(inner, String::new())];
    }
    let previous = position.checked_sub(1).and_then(|previous| members[previous].comma);
    let is_last = position + 1 == members.len();
    let before = previous.map_or(inner.start, |comma| comma + 1);
    let mut cuts = vec![(with_blanks(text, member.start..end, before, is_last), String::new())];
    let far_comma = member.comma.filter(|_| comma.is_none());
    let loose_comma = previous.filter(|_| is_last && member.comma.is_none());
    cuts.extend(far_comma.into_iter().chain(loose_comma).map(|comma| (comma..comma + 1, String::new())));
    cuts
}

/// A member with the blanks that would be left over: its whole lines, or the space to its neighbour.
fn with_blanks(text: &str, member: Range<usize>, before: usize, is_last: bool) -> Range<usize> {
    let tail = &text[member.end..];
    let next = member.end + tail.len() - tail.trim_start_matches([' ', '\t']).len();
    let line_break = ["\r\n", "\n"].into_iter().find(|line_break| text[next..].starts_with(line_break));
    match (own_line(text, member.start), line_break) {
        (Some(indent), Some(line_break)) => member.start - indent.len()..next + line_break.len(),
        _ if !is_last => member.start..next,
        _ if ends_in_line_comment(&text[before..member.start]) => member,
        _ => text[..member.start].trim_end_matches(BLANKS).len()..member.end,
    }
}

/// Whether the last comment of a gap needs the end of its line.
fn ends_in_line_comment(gap: &str) -> bool {
    let mut rest = gap;
    let mut is_line = false;
    while let Some(start) = rest.find('/') {
        rest = &rest[start..];
        is_line = rest.starts_with("//");
        let end = if is_line { rest.find('\n') } else { rest.find("*/").map(|end| end + 2) };
        rest = &rest[end.unwrap_or(rest.len())..];
    }
    is_line
}

/// The blanks before a place, when nothing else stands before it on its line.
fn own_line(text: &str, place: usize) -> Option<&str> {
    let start = text[..place].rfind('\n')? + 1;
    let before = &text[start..place];
    before.chars().all(|c| matches!(c, ' ' | '\t')).then_some(before)
}

/// The blanks at the start of the line a place is on.
fn line_indent(text: &str, place: usize) -> &str {
    let start = text[..place].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..place];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Makes the changes, which must not overlap; those at one place in their order.
fn apply(text: &str, mut changes: Vec<(Range<usize>, String)>) -> String {
    changes.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len() + 256);
    let mut done = 0;
    for (range, written) in changes {
        out.push_str(&text[done..range.start]);
        out.push_str(&written);
        done = range.end;
    }
    out.push_str(&text[done..]);
    out
}
