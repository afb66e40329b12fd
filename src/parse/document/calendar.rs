//! iCalendar files (RFC 5545): what an event is called, where it is, who takes part, and what it says.

use super::text::Text;

/// Adds the readable values of a calendar, one a line.
pub(super) fn read(calendar: &str, out: &mut Text) {
    for line in unfold(calendar).lines() {
        if let Some(value) = readable(line) {
            out.push(&value);
            out.push("\n");
        }
        if out.is_full() {
            break;
        }
    }
}

/// A line break followed by a blank only wraps a long line (RFC 5545, 3.1).
fn unfold(calendar: &str) -> String {
    calendar.replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "")
}

fn readable(line: &str) -> Option<String> {
    let colon = colon_outside_quotes(line)?;
    let (head, value) = (&line[..colon], &line[colon + 1..]);
    let (name, parameters) = head.split_once(';').unwrap_or((head, ""));
    match name.to_ascii_uppercase().as_str() {
        "SUMMARY" | "DESCRIPTION" | "LOCATION" | "COMMENT" | "CATEGORIES" => Some(unescape(value)),
        "ATTENDEE" | "ORGANIZER" => Some(person(parameters, value)),
        _ => None,
    }
}

fn colon_outside_quotes(line: &str) -> Option<usize> {
    let mut quoted = false;
    line.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b':' && !quoted
    })
}

fn person(parameters: &str, value: &str) -> String {
    let address = value.strip_prefix("mailto:").or_else(|| value.strip_prefix("MAILTO:")).unwrap_or(value);
    let name = parameters.split(';').find_map(|parameter| parameter.strip_prefix("CN=")).unwrap_or_default();
    format!("{} {address}", name.trim_matches('"')).trim_start().to_owned()
}

fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().map(
                |escaped| {
                    if matches!(escaped, 'n' | 'N') { '\n' } else { escaped }
                },
            )),
            c => out.push(c),
        }
    }
    out
}
