//! The texts that tools answer with, and the limit they keep to: an answer fits the assistant's window, or says how to
//! go on.

use serde_json::{Value, json};

use crate::query::{FullMessage, PartSummary, Reading, Summary};
use crate::text_safety::{Nonce, fence, fence_server, many_lines, one_line};
use crate::tools::Reply;

/// The most characters of an answer, text and data together: 10,000 tokens at four characters each, less what is
/// said around them.
pub(super) const WINDOW: usize = 38_000;

/// A sender as every text shows it; it always ends in the address.
pub(super) fn sender(name: &str, address: &str) -> String {
    if name.is_empty() { format!("<{address}>") } else { format!("{name} <{address}>") }
}

/// A message in a list.
pub(super) fn list_entry(item: &Summary) -> String {
    format!(
        "ID: {}\nFrom: {}\nSubject: {}\nDate: {}\nUnread: {}\nStarred: {}\n{}---",
        item.id,
        sender(&item.name, &item.address),
        shortened(&item.subject, 300),
        item.date,
        item.unread,
        item.starred,
        gone(item)
    )
}

/// A message among search results.
pub(super) fn search_entry(item: &Summary) -> String {
    let name = if item.name.is_empty() { &item.address } else { &item.name };
    format!(
        "ID: {}\nFrom: {name}\nSubject: {}\nDate: {}\nSnippet: {}...\n{}---",
        item.id,
        shortened(&item.subject, 300),
        item.date,
        shortened(&item.snippet, 100),
        gone(item)
    )
}

/// The line that marks a message which no server shows any more; nothing for all others.
fn gone(item: &Summary) -> String {
    let since = |since: &String| format!("Gone: from {} since {since}\n", one_line(&item.mailbox));
    item.gone.as_ref().map(since).unwrap_or_default()
}

/// A message in a list, as data.
pub(super) fn summary_json(item: &Summary, detailed: bool) -> Value {
    let mut value = json!({
        "id": item.id,
        "subject": shortened(&item.subject, 300),
        "sender": sender(&item.name, &item.address),
        "date": item.date,
        "snippet": item.snippet,
        "unread": item.unread,
        "starred": item.starred,
    });
    if let Some(since) = &item.gone {
        value["gone"] = json!(since);
    }
    if detailed {
        value["thread_id"] = json!(item.thread);
        value["mailbox"] = json!(item.mailbox);
        value["labels"] = json!(item.labels);
        value["has_attachments"] = json!(item.has_attachments);
    }
    value
}

/// The schema of a list of messages.
pub(super) fn summaries_schema() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "properties": {
            "items": { "type": "array", "items": { "type": "object", "properties": {
                "id": text, "subject": text, "sender": text, "date": text, "snippet": text,
                "unread": { "type": "boolean" }, "starred": { "type": "boolean" }, "gone": text,
            } } },
            "total": { "type": "integer" }, "next_cursor": text, "synced_at": text,
        },
        "required": ["items"],
    })
}

/// As many entries as fit the window, each with its text and its data.
pub(super) fn fitting(entries: impl Iterator<Item = (String, Value)>) -> (Vec<String>, Vec<Value>) {
    let (mut texts, mut values, mut used) = (Vec::new(), Vec::new(), 0);
    for (text, value) in entries {
        used += text.chars().count() + value.to_string().chars().count() + 2;
        if used > WINDOW && !texts.is_empty() {
            break;
        }
        texts.push(text);
        values.push(value);
    }
    (texts, values)
}

/// The fields above a message's body.
pub(super) fn header(message: &FullMessage, summary: &Summary) -> String {
    let cc = if message.cc.is_empty() { String::new() } else { format!("Cc: {}\n", people(&message.cc)) };
    format!(
        "ID: {}\nThread ID: {}\nFrom: {}\nTo: {}\n{cc}Subject: {}\nDate: {}\nLabels: {}\n",
        message.id,
        message.thread,
        sender(&summary.name, &summary.address),
        people(&message.to),
        shortened(&summary.subject, 1_000),
        message.date,
        labels(message).join(", ")
    )
}

/// Recipients on one line; a long list is cut, and says so.
pub(super) fn people(list: &[String]) -> String {
    const SHOWN: usize = 50;
    let shown: Vec<_> = list.iter().take(SHOWN).map(|person| shortened(&one_line(person), 200)).collect();
    let more = list.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

/// The mailboxes and labels of a message, and what its flags are called among labels.
pub(super) fn labels(message: &FullMessage) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let flag = |name: &str| message.placements.iter().any(|place| place.flags.contains(&name));
    let unseen = message.placements.iter().any(|place| !place.flags.contains(&"seen"));
    let held = message.placements.iter().map(|place| (place, place.gone.is_none().then_some(&place.mailbox)));
    let names = held.flat_map(|(place, mailbox)| mailbox.into_iter().chain(&place.labels));
    let gone = message.placements.iter().all(|place| place.gone.is_some());
    let system = [("UNREAD", unseen), ("STARRED", flag("flagged")), ("GONE", gone)];
    let system = system.into_iter().filter(|(_, is)| *is).map(|(name, _)| name.to_owned());
    for name in names.map(|name| one_line(name)).chain(system) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The list of attachments below a message's body.
pub(super) fn attachments(parts: &[PartSummary]) -> String {
    let line = |part: &PartSummary| {
        format!(
            "- {} ({}, {})",
            one_line(&part.shown_name()),
            display_size(part.size),
            one_line(&part.content_type)
        )
    };
    let lines: Vec<_> = parts.iter().take(100).map(line).collect();
    format!("\n--- Attachments ---\n{}", lines.join("\n"))
}

/// A size as people write it.
pub(super) fn display_size(bytes: i64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut size = bytes as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS[unit])
}

/// At most this many characters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((cut, _)) => text[..cut].trim_end().to_owned(),
        None => text.to_owned(),
    }
}

/// A stranger's text between marks that it cannot know.
pub(super) fn fenced(text: &str) -> String {
    fence(text.trim_end(), &Nonce::random())
}

/// What a server said, as far as an assistant needs it.
pub(super) fn server_words(text: &str) -> String {
    shortened(&one_line(text), 200)
}

/// The same between marks that it cannot know.
pub(super) fn fenced_server(text: &str) -> String {
    fence_server(&server_words(text), &Nonce::random())
}

/// Says beside a message what was noticed in it: flags, what was left out and why, what the provider says of the sender.
pub(super) fn with_findings(reply: Reply, reading: &Reading) -> Reply {
    let mut reply =
        reply.with_meta("flags", json!(reading.flags)).with_meta("dropped", json!(reading.dropped));
    if !reading.doubtful.is_empty() {
        reply = reply.with_meta("doubtful", json!(reading.doubtful));
    }
    match &reading.sender {
        Some(verdicts) => reply.with_meta("sender", json!(verdicts)),
        None => reply,
    }
}

/// Says how many messages the shield keeps back, where there are any; never which.
pub(super) fn with_withheld(mut reply: Reply, withheld: usize) -> Reply {
    if withheld == 0 {
        return reply;
    }
    let note = if withheld == 1 { "1 email is".to_owned() } else { format!("{withheld} emails are") };
    reply.text.push_str(&format!("\n\n{note} withheld by the shield."));
    reply.with_meta("withheld", withheld)
}

/// A part of a long text.
pub(super) struct Window {
    /// The part.
    pub(super) text: String,
    /// Where the next part begins, in characters; `None` at the end.
    pub(super) next: Option<usize>,
    /// How long the whole is, in characters.
    pub(super) total: usize,
}

/// The part of a text from `offset` on, at most `most` characters, cut at the end of a line where one is near.
pub(super) fn window(text: &str, offset: usize, most: usize) -> Window {
    let text = many_lines(text);
    let total = text.chars().count();
    let start = text.char_indices().nth(offset).map_or(text.len(), |(at, _)| at);
    let rest = &text[start..];
    let Some((hard, _)) = rest.char_indices().nth(most) else {
        return Window { text: rest.to_owned(), next: None, total };
    };
    let soft = rest[..hard].rfind('\n').map(|at| at + 1).filter(|at| *at > hard / 2).unwrap_or(hard);
    let next = offset + rest[..soft].chars().count();
    Window { text: rest[..soft].to_owned(), next: Some(next), total }
}

#[cfg(test)]
mod tests {
    use super::{display_size, sender, window};

    #[test]
    fn a_sender_always_ends_in_the_address() {
        assert_eq!(sender("Ada Berg", "ada@example.org"), "Ada Berg <ada@example.org>");
        assert_eq!(sender("", "ada@example.org"), "<ada@example.org>");
    }

    #[test]
    fn windows_cover_the_text_without_gap_or_overlap() {
        let text = "zeile ä\n".repeat(50);
        let (mut whole, mut offset) = (String::new(), 0);

        loop {
            let part = window(&text, offset, 37);
            whole.push_str(&part.text);
            assert!(part.text.chars().count() <= 37);
            match part.next {
                Some(next) => offset = next,
                None => break,
            }
        }

        assert_eq!(whole, text);
        assert_eq!(window(&text, 9_999, 10).text, "");
    }

    #[test]
    fn sizes_read_well() {
        let shown: Vec<_> = [0, 1023, 1024, 1_572_864, 5 << 30].into_iter().map(display_size).collect();

        assert_eq!(shown, ["0 bytes", "1023 bytes", "1.0 KB", "1.5 MB", "5.0 GB"]);
    }
}
