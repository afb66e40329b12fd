//! Notes of the owner's vault: five tools with their document's inputs, outputs and errors. They write through the gate
//! of `vault`, which keeps them out of the folders where the owner's decisions and records lie.

mod list_notes;
mod move_note;
mod read_note;
mod search_notes;
mod write_note;

use serde::Serialize;
use serde_json::{Value, json};

use crate::text_safety::visible;
use crate::tools::argument::Named;
use crate::tools::{Argument, Arguments, Reply, Tool, ToolError};
use crate::vault::{Match, Matches, Note, VaultPath, Yaml};

/// The tools, in the order they are listed.
pub(super) const TOOLS: &[&Tool] = &[
    &read_note::READ_NOTE,
    &write_note::WRITE_NOTE,
    &list_notes::LIST_NOTES,
    &move_note::MOVE_NOTE,
    &search_notes::SEARCH_NOTES,
];

/// The document has no word for the rest of a long answer; an answer that has one says so.
const CURSOR: Argument =
    Argument::text("cursor", "Where to go on: `next_cursor` of the answer before").unlisted();

/// The body of a note is shown in pieces of so many bytes, which is as much as `write_note` takes.
const LONGEST_BODY: usize = 1 << 20;

/// A path that was given.
fn path(arguments: &Arguments, argument: impl Named) -> Result<VaultPath, ToolError> {
    let name = argument.name().to_owned();
    let path = VaultPath::new(arguments.verbatim(argument))?;
    match path.is_root() {
        true => Err(ToolError::invalid(&name, format!("`{name}` must not be empty"))),
        false => Ok(path),
    }
}

/// Where a list goes on.
fn cursor(arguments: &Arguments) -> Result<Option<VaultPath>, ToolError> {
    Ok(arguments.text(&CURSOR).map(VaultPath::new).transpose()?)
}

/// A note as the document's `NoteContent`.
#[derive(Serialize)]
struct NoteContent<'a> {
    path: &'a str,
    frontmatter: Yaml,
    body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// The note from a byte of its body on, without characters that nobody sees.
fn content(note: &Note, from: usize) -> Reply {
    let body = note.body();
    let from = body.floor_char_boundary(from);
    let to = body.floor_char_boundary(from.saturating_add(LONGEST_BODY));
    let content = NoteContent {
        path: note.path().as_str(),
        frontmatter: seen(&Yaml::Map(note.frontmatter().to_vec())),
        body: seen_lines(&body[from..to]),
        next_cursor: (to < body.len()).then(|| to.to_string()),
    };
    // The text keeps the order of the keys.
    let text = serde_json::to_string(&content).unwrap_or_default();
    let structured = serde_json::to_value(&content).unwrap_or_default();
    Reply::new(text, structured).with_meta("untrusted", true)
}

fn seen(value: &Yaml) -> Yaml {
    match value {
        Yaml::Text(text) => Yaml::Text(seen_lines(text)),
        Yaml::List(items) => Yaml::List(items.iter().map(seen).collect()),
        Yaml::Map(entries) => {
            Yaml::Map(entries.iter().map(|(key, value)| (visible(key).0.into_owned(), seen(value))).collect())
        }
        other => other.clone(),
    }
}

/// A text without what nobody sees; lines end as they did.
fn seen_lines(text: &str) -> String {
    text.split("\r\n").map(|lines| visible(lines).0).collect::<Vec<_>>().join("\r\n")
}

fn content_schema() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "properties": { "path": text, "frontmatter": { "type": "object" }, "body": text, "next_cursor": text },
        "required": ["path", "frontmatter", "body"],
    })
}

/// Notes as the document's `NoteList`.
fn list(matches: &Matches) -> Reply {
    let row = |note: &Match| {
        let mut row = json!({ "path": note.path.as_str() });
        if let Some(snippet) = &note.snippet {
            row["snippet"] = json!(snippet);
        }
        row
    };
    let mut answer = json!({ "notes": matches.notes.iter().map(row).collect::<Vec<_>>() });
    if let Some(last) = matches.notes.last().filter(|_| matches.has_more) {
        answer["next_cursor"] = json!(last.path.as_str());
    }
    let reply = Reply::object(answer);
    match matches.unreadable.as_slice() {
        [] => reply,
        unreadable => {
            let named: Vec<_> = unreadable.iter().take(20).map(VaultPath::as_str).collect();
            reply.with_meta("unreadable", json!({ "count": unreadable.len(), "paths": named }))
        }
    }
}

fn list_schema(with_snippet: bool) -> Value {
    let text = json!({ "type": "string" });
    let mut properties = json!({ "path": text });
    if with_snippet {
        properties["snippet"] = json!({ "type": ["string", "null"] });
    }
    json!({
        "type": "object",
        "properties": {
            "notes": {
                "type": "array",
                "items": { "type": "object", "properties": properties, "required": ["path"] },
            },
            "next_cursor": text,
        },
        "required": ["notes"],
    })
}
