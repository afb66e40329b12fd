//! Values as YAML text, as Obsidian writes properties: block lists, plain texts where every reader takes them for
//! texts, quotes elsewhere.

use crate::vault::Yaml;

const STEP: usize = 2;

/// A key and its value as lines, each ended by `newline`, indented so far.
pub(super) fn entry(key: &str, value: &Yaml, indent: usize, newline: &str) -> String {
    format!("{}{}:{}{newline}", " ".repeat(indent), key_text(key), behind_colon(value, indent, newline))
}

/// What stands behind the colon of a key: a blank and the value, or the lines below it, the last without its end.
pub(super) fn behind_colon(value: &Yaml, indent: usize, newline: &str) -> String {
    match inline(value) {
        Some(text) if text.is_empty() => text,
        Some(text) => format!(" {text}"),
        None => block(value, indent + STEP, newline),
    }
}

/// The value on the line of its key, where it can stand there; nothing for `null`.
pub(super) fn inline(value: &Yaml) -> Option<String> {
    match value {
        Yaml::Null => Some(String::new()),
        Yaml::Bool(value) => Some(value.to_string()),
        Yaml::Number(number) => Some(number.to_string()),
        Yaml::Text(text) => Some(text_of(text)),
        Yaml::List(items) if items.is_empty() => Some("[]".to_owned()),
        Yaml::Map(entries) if entries.is_empty() => Some("{}".to_owned()),
        Yaml::List(_) | Yaml::Map(_) => None,
    }
}

/// The value in braces and brackets, for places that are written so already.
pub(super) fn flow(value: &Yaml) -> String {
    match value {
        Yaml::Null => "null".to_owned(),
        Yaml::Text(text) => quoted(text),
        Yaml::List(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Yaml::Map(entries) => {
            let entry = |(key, value): &(String, Yaml)| format!("{}: {}", quoted(key), flow(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        scalar => inline(scalar).unwrap_or_default(),
    }
}

/// A key, in quotes unless every reader takes it for a text.
pub(super) fn key_text(key: &str) -> String {
    text_of(key)
}

fn block(value: &Yaml, indent: usize, newline: &str) -> String {
    let blanks = " ".repeat(indent);
    let mut lines = String::new();
    match value {
        Yaml::List(items) => {
            for item in items {
                lines.push_str(newline);
                lines.push_str(&format!("{blanks}-{}", item_text(item, indent, newline)));
            }
        }
        Yaml::Map(entries) => {
            for (key, value) in entries {
                lines.push_str(newline);
                lines.push_str(&format!(
                    "{blanks}{}:{}",
                    key_text(key),
                    behind_colon(value, indent, newline)
                ));
            }
        }
        _ => {}
    }
    lines
}

/// What stands behind the dash of an item.
fn item_text(item: &Yaml, indent: usize, newline: &str) -> String {
    match item {
        Yaml::Null => " null".to_owned(),
        // The first key stands beside the dash, the others below it.
        Yaml::Map(entries) if !entries.is_empty() => {
            let lines = block(item, indent + STEP, newline);
            format!(" {}", lines[newline.len()..].trim_start_matches(' '))
        }
        other => behind_colon(other, indent, newline),
    }
}

fn text_of(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// Whether every reader of YAML, old or new, takes these letters for this text.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let begins = first.is_alphanumeric() || matches!(first, '_' | '/' | '(' | '+' | '$' | '^' | ';');
    begins
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains(|c: char| c.is_control() || is_unprinted(c) || matches!(c, '\u{2028}' | '\u{2029}'))
        && !looks_like_another_kind(text)
}

/// Numbers, booleans, nothing, in the words of any YAML.
fn looks_like_another_kind(text: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    if WORDS.contains(&text.to_ascii_lowercase().as_str()) {
        return true;
    }
    let first = text.trim_start_matches(['+', '-']);
    let begins_like_number = first.starts_with(|c: char| c.is_ascii_digit()) || first.starts_with('.');
    begins_like_number
        && !is_date(text)
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.,:_".contains(c))
}

/// `2026-02-24`, with a time behind it or not: Obsidian wants dates without quotes.
fn is_date(text: &str) -> bool {
    let (day, time) = text.split_at_checked(10).unwrap_or((text, ""));
    let is_time = |time: &str| {
        time.starts_with(['T', ' ']) && time[1..].chars().all(|c| c.is_ascii_digit() || ":.+-Z".contains(c))
    };
    day.len() == 10 && day.parse::<jiff::civil::Date>().is_ok() && (time.is_empty() || is_time(time))
}

/// Between double quotes, with everything escaped that does not print.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || is_unprinted(c) || matches!(c, '\u{2028}' | '\u{2029}') => {
                out.push_str(&match u32::from(c) {
                    code @ 0..=0xff => format!("\\x{code:02x}"),
                    code @ 0x100..=0xffff => format!("\\u{code:04x}"),
                    code => format!("\\U{code:08x}"),
                });
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn is_unprinted(c: char) -> bool {
    crate::text_safety::is_invisible(c) || matches!(c, '\u{fffe}' | '\u{ffff}')
}
