//! The texts that tools answer with, and the limit they keep to: an answer fits the assistant's window, or says how to
//! go on.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::model::{Address, Findings};
use crate::query::{FullMessage, PlacementSummary, Reading, Summary};
use crate::text_safety::{Nonce, fence, fence_server, many_lines, one_line};
use crate::tools::Reply;

/// The most characters of an answer, text and data together: 10,000 tokens at four characters each, less what is
/// said around them.
pub(super) const WINDOW: usize = 38_000;
/// The same with what is said around them.
const WHOLE: usize = 40_000;

/// The most characters of a name: of a person, a file, a mailbox, a label (of which Gmail allows 225).
const LONGEST_NAME: usize = 225;
/// The most characters of an address (RFC 5321, 4.5.3.1: 64 before the sign, 255 behind it).
const LONGEST_ADDRESS: usize = 320;
/// The most characters of a list of names on one line, or of attachments.
const LONGEST_LIST: usize = 3_000;

/// A sender as every text shows it; it ends in the address, where there is one.
pub(super) fn sender(name: &str, address: &str) -> String {
    let (name, address) = (shortened(name, LONGEST_NAME), shortened(address, LONGEST_ADDRESS));
    match (name.as_str(), address.as_str()) {
        ("", "") => "(no sender)".to_owned(),
        (name, "") => name.to_owned(),
        ("", address) => format!("<{address}>"),
        (name, address) => format!("{} <{address}>", quoted(name)),
    }
}

/// What a stranger, a server or another program calls something, on one line and no longer than names are.
pub(super) fn name(text: &str) -> String {
    shortened(&one_line(text), LONGEST_NAME)
}

/// The beginning of a list of names, and how many more there are.
pub(super) struct Few {
    pub(super) shown: Vec<String>,
    pub(super) more: usize,
}

impl Few {
    /// As many as a list shows: `most`, and what fits.
    fn of(names: impl ExactSizeIterator<Item = String>, most: usize) -> Self {
        let (all, mut used) = (names.len(), 0);
        let fits = |name: &String| {
            used += name.chars().count();
            used <= LONGEST_LIST
        };
        let shown: Vec<_> = names.take(most).take_while(fits).collect();
        Self { more: all - shown.len(), shown }
    }

    /// All in one text, which says what it leaves out.
    fn joined(&self, between: &str) -> String {
        let rest = (self.more > 0).then(|| format!("and {} more", self.more));
        self.shown.iter().cloned().chain(rest).collect::<Vec<_>>().join(between)
    }
}

/// A name that could be read as more than one person stands in quotes (RFC 5322, 3.2.4).
fn quoted(name: &str) -> String {
    if !name.contains([',', ';', ':', '<', '>', '@', '"', '\\']) {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Somebody as every text shows them.
pub(super) fn person(written: &str) -> String {
    let written = one_line(written);
    let Address { name, address } = Address::from_shown(&written);
    if name.is_empty() || address.is_empty() {
        return shortened(&written, LONGEST_ADDRESS);
    }
    sender(&name, &address)
}

/// Where a message belongs, for lists of all accounts.
pub(super) fn place_lines(item: &Summary, several_accounts: bool) -> String {
    let account = if several_accounts { format!("Account: {}\n", item.account) } else { String::new() };
    format!("Thread ID: {}\n{account}", item.thread)
}

/// A message in a list; more lines may follow those that every list has.
pub(super) fn list_entry(item: &Summary, more: &str) -> String {
    format!(
        "ID: {}\nFrom: {}\nSubject: {}\nDate: {}\nUnread: {}\nStarred: {}\n{more}{}---",
        item.id,
        sender(&item.name, &item.address),
        shortened(&item.subject, 300),
        item.date,
        item.unread,
        item.starred,
        gone(item)
    )
}

/// A message among search results with so many characters of its snippet; more lines may follow those that every search
/// has.
pub(super) fn search_entry(item: &Summary, snippet: usize, more: &str) -> String {
    let from = name(if item.name.is_empty() { &item.address } else { &item.name });
    format!(
        "ID: {}\nFrom: {from}\nSubject: {}\nDate: {}\nSnippet: {}...\n{more}{}---",
        item.id,
        shortened(&item.subject, 300),
        item.date,
        shortened(&item.snippet, snippet),
        gone(item)
    )
}

/// The line that marks a message which no server shows any more; nothing for all others.
fn gone(item: &Summary) -> String {
    let since = |since: &String| format!("Gone: from {} since {since}\n", name(&item.mailbox));
    item.gone.as_ref().map(since).unwrap_or_default()
}

/// A message in a list, as data, with where it belongs.
pub(super) fn placed_json(item: &Summary, detailed: bool) -> Value {
    let mut value = summary_json(item);
    value["account"] = json!(item.account);
    value["thread_id"] = json!(item.thread);
    if detailed {
        value["mailbox"] = json!(name(&item.mailbox));
        value["labels"] = json!(Few::of(item.labels.iter().map(|label| name(label)), MOST_LABELS).shown);
        value["has_attachments"] = json!(item.has_attachments);
    }
    value
}

/// A message in a list, as data.
pub(super) fn summary_json(item: &Summary) -> Value {
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
                "account": text, "thread_id": text,
            } } },
            "total": { "type": "integer" }, "next_cursor": text, "synced_at": text,
        },
        "required": ["items"],
    })
}

/// The schema of what a search found: each entry says what it was found by, what it lacks and what it stands for.
pub(super) fn found_schema() -> Value {
    let mut schema = summaries_schema();
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    for name in ["matched", "missing", "copies"] {
        schema["properties"]["items"]["items"]["properties"][name] = texts.clone();
    }
    schema["properties"]["mode"] = json!({ "type": "string" });
    schema["properties"]["indexed"] = json!({ "type": "object" });
    schema["properties"]["partial"] = json!({ "type": "integer" });
    schema["properties"]["words"] = json!({ "type": "array", "items": { "type": "object" } });
    schema
}

/// How many characters of the window a text and its data take.
pub(super) fn length(text: &str, data: &Value) -> usize {
    text.chars().count() + data.to_string().chars().count()
}

/// An answer that keeps the promise whatever stands in the mail that it tells of: each tool bounds what it says, and what
/// is too long all the same is cut here, and says so.
pub(super) fn within_window(mut reply: Reply) -> Reply {
    const LAST_WORDS: &str = "\n\n[cut: this answer would be too long; ask for less]";
    let json = reply.structured.to_string();
    let is_json = reply.text == json;
    let mut longest = WINDOW / 4;
    while length(&reply.text, &reply.structured) > WHOLE && longest > 0 {
        cut(&mut reply.structured, longest);
        reply.text = match is_json {
            true => reply.structured.to_string(),
            false => shortened(&reply.text, WINDOW / 2 - LAST_WORDS.len()) + LAST_WORDS,
        };
        longest /= 2;
    }
    reply
}

/// Cuts every text and every list in some data; its shape stays what a schema says.
fn cut(data: &mut Value, longest: usize) {
    match data {
        Value::String(text) => *text = shortened(text, longest),
        Value::Array(items) => {
            items.truncate(longest / 20);
            items.iter_mut().for_each(|item| cut(item, longest));
        }
        Value::Object(fields) => fields.values_mut().for_each(|field| cut(field, longest)),
        _ => {}
    }
}

/// As many entries as fit the window, each with its text and its data.
pub(super) fn fitting(entries: impl Iterator<Item = (String, Value)>) -> (Vec<String>, Vec<Value>) {
    let (mut texts, mut values, mut used) = (Vec::new(), Vec::new(), 0);
    for (text, value) in entries {
        used += length(&text, &value) + 2;
        if used > WINDOW && !texts.is_empty() {
            break;
        }
        texts.push(text);
        values.push(value);
    }
    (texts, values)
}

/// The fields above a message's body, as this account knows it.
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
        labels(message, &summary.account).joined(", ")
    )
}

/// Recipients on one line; a long list is cut, and says so.
pub(super) fn people(list: &[String]) -> String {
    few_people(list).joined(", ")
}

/// The first recipients of a list.
pub(super) fn few_people(list: &[String]) -> Few {
    Few::of(list.iter().map(|one| person(one)), 50)
}

const MOST_LABELS: usize = 100;

/// The mailboxes and labels of a message in an account, and what its flags are called among labels. Mailboxes with a
/// purpose go by the names under which labels are added.
pub(super) fn labels(message: &FullMessage, account: &str) -> Few {
    let places: Vec<_> = message.placements.iter().filter(|place| place.account == account).collect();
    let mut all: Vec<String> = Vec::new();
    let flag = |name: &str| places.iter().any(|place| place.flags.contains(&name));
    let unseen = places.iter().any(|place| !place.flags.contains(&"seen"));
    let names = places.iter().flat_map(|place| {
        let mailbox = place.gone.is_none().then(|| mailbox_label(place));
        mailbox.into_iter().chain(place.labels.iter().map(String::as_str))
    });
    let gone = places.iter().all(|place| place.gone.is_some());
    let system = [("UNREAD", unseen), ("STARRED", flag("flagged")), ("GONE", gone)];
    let system = system.into_iter().filter(|(_, is)| *is).map(|(name, _)| name.to_owned());
    for name in names.map(name).chain(system) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    Few::of(all.into_iter(), MOST_LABELS)
}

fn mailbox_label(place: &PlacementSummary) -> &str {
    match place.role.as_deref() {
        Some("inbox") => "INBOX",
        Some("sent") => "SENT",
        Some("drafts") => "DRAFT",
        Some("trash") => "TRASH",
        Some("spam") => "SPAM",
        _ => &place.mailbox,
    }
}

/// The list of attachments below a message's body, each with a name of its own; nothing where there are none.
pub(super) fn attachments(message: &FullMessage) -> String {
    let names = message.attachment_names();
    let parts = message.attachments.iter().map(|part| (part.size, part.content_type.as_str()));
    files(names.iter().map(String::as_str).zip(parts))
}

/// A list of files, each with its size and its type, as it stands below a text.
pub(super) fn files<'a>(list: impl ExactSizeIterator<Item = (&'a str, (i64, &'a str))>) -> String {
    let line = |(file, (size, kind)): (&str, (i64, &str))| {
        format!("{} ({}, {})", name(file), display_size(size), name(kind))
    };
    match Few::of(list.map(line), MOST_ATTACHMENTS) {
        Few { shown, more: 0 } if shown.is_empty() => String::new(),
        lines => format!("\n\n--- Attachments ---\n- {}", lines.joined("\n- ")),
    }
}

/// The names of the first attachments.
pub(super) fn attachment_names(message: &FullMessage) -> Vec<String> {
    Few::of(message.attachment_names().iter().map(|file| name(file)), MOST_ATTACHMENTS).shown
}

const MOST_ATTACHMENTS: usize = 100;

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
        Some((end, _)) => text[..end].trim_end().to_owned(),
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

/// The same beside a document, where there is anything to say.
pub(super) fn with_left_out(reply: Reply, findings: &Findings) -> Reply {
    if *findings == Findings::default() {
        return reply;
    }
    let flags: Vec<&str> = findings.flags.iter().map(|flag| flag.name()).collect();
    let dropped: BTreeMap<&str, usize> =
        findings.dropped.iter().map(|(reason, count)| (reason.name(), *count)).collect();
    let reply = reply.with_meta("flags", json!(flags)).with_meta("dropped", json!(dropped));
    match findings.doubtful.is_empty() {
        true => reply,
        false => reply.with_meta("doubtful", json!(findings.doubtful)),
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

/// Adds what whoever asked should know: how a query was read, names that do not exist, what may have been meant.
pub(super) fn with_notes(mut reply: Reply, notes: &[String]) -> Reply {
    for note in notes {
        reply.text.push_str(&format!("\n\nNote: {note}"));
    }
    reply
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
    use super::{display_size, people, sender, window};

    #[test]
    fn a_name_that_reads_as_two_people_stands_in_quotes() {
        let list =
            ["Doe, Jane <j@x.example>", "Bob <b@x.example>", r#"A "B" C <c@x.example>"#, "d@x.example"];

        assert_eq!(
            people(&list.map(str::to_owned)),
            r#""Doe, Jane" <j@x.example>, Bob <b@x.example>, "A \"B\" C" <c@x.example>, d@x.example"#
        );
    }

    #[test]
    fn a_sender_ends_in_the_address_where_there_is_one() {
        assert_eq!(sender("Ada Berg", "ada@example.org"), "Ada Berg <ada@example.org>");
        assert_eq!(sender("", "ada@example.org"), "<ada@example.org>");
        assert_eq!(sender("Ada Berg", ""), "Ada Berg");
        assert_eq!(sender("", ""), "(no sender)");
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
