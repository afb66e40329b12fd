//! iCalendar files (RFC 5545): what an event is called, where it is, who takes part, and what it says.

use super::text::Text;
use crate::model::Reason;
use crate::parse::visible_text::Verdict;

/// What programs show of a calendar: its events, tasks and notes.
const SHOWN: [&str; 3] = ["VEVENT", "VTODO", "VJOURNAL"];

/// Adds the values that are shown of a calendar, one a line, each kind once for each of its entries.
pub(super) fn read(calendar: &str, out: &mut Text) {
    let mut open: Vec<String> = Vec::new();
    let mut told: Vec<String> = Vec::new();
    let mut has_ended = false;
    for line in unfold(calendar).lines() {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        match name.trim().to_ascii_uppercase().as_str() {
            "BEGIN" => {
                told.clear();
                open.push(value.trim().to_ascii_uppercase());
            }
            "END" => {
                has_ended |= open.pop().is_some_and(|name| name == "VCALENDAR");
            }
            _ => {
                let is_shown = !has_ended && is_entry(&open);
                tell(line, is_shown, &mut told, out);
            }
        }
        if out.is_full() {
            break;
        }
    }
}

/// Whether what is open is an entry of a calendar, and nothing inside of one.
fn is_entry(open: &[String]) -> bool {
    match open {
        [entry] => SHOWN.contains(&entry.as_str()),
        [calendar, entry] => calendar == "VCALENDAR" && SHOWN.contains(&entry.as_str()),
        _ => false,
    }
}

fn tell(line: &str, is_shown: bool, told: &mut Vec<String>, out: &mut Text) {
    let Some((name, value)) = readable(line) else { return };
    // An entry has one of each; which of several is shown is not known.
    let is_first = matches!(name.as_str(), "ATTENDEE" | "ORGANIZER" | "CATEGORIES") || !told.contains(&name);
    let is_usual = name != "COMMENT";
    told.push(name);
    let verdict = match () {
        () if !is_shown => Verdict::Hidden(Reason::NotRendered),
        () if is_first && is_usual => Verdict::Shown,
        () => Verdict::Doubtful("not understood"),
    };
    out.put(&value, verdict);
    if verdict == Verdict::Shown {
        out.push("\n");
    }
}

/// A line break followed by a blank only wraps a long line (RFC 5545, 3.1).
fn unfold(calendar: &str) -> String {
    calendar.replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "")
}

/// The name of a line and what it says to people.
fn readable(line: &str) -> Option<(String, String)> {
    let colon = colon_outside_quotes(line)?;
    let (head, value) = (&line[..colon], &line[colon + 1..]);
    let (name, parameters) = head.split_once(';').unwrap_or((head, ""));
    let name = name.to_ascii_uppercase();
    let said = match name.as_str() {
        "SUMMARY" | "DESCRIPTION" | "LOCATION" | "COMMENT" | "CATEGORIES" => unescape(value),
        "ATTENDEE" | "ORGANIZER" => person(parameters, value),
        _ => return None,
    };
    Some((name, said))
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
