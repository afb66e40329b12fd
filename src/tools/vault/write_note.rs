//! Writes one note, made anew or changed.

use std::collections::HashMap;

use crate::tools::vault::{LONGEST_BODY, content, content_schema, path};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};
use crate::vault::{Note, ToolVault, VaultError, VaultPath, Yaml};

const PATH: Argument = Argument::text("path", "Vault-relative path (created if not exists)")
    .required()
    .like("Drafts/reply-001.md");
const FRONTMATTER: Argument =
    Argument::object("frontmatter", "YAML key-value pairs; keys that are left out stay as they are")
        .required();
const BODY: Argument = Argument::text("body", "Markdown body content").required().like("Dear Bob, ...");

/// Objects of JSON have no order; the server tells in which one the keys came.
const ORDER: Argument =
    Argument::texts("frontmatter_order", "The keys of `frontmatter`, first to last").unlisted();

/// So many keys at once.
const MOST_KEYS: usize = 1_000;
/// How often it is tried again when somebody else writes the same note at the same time.
const TRIES: usize = 5;

pub(super) const WRITE_NOTE: Tool = Tool {
    name: "write_note",
    title: "Write a note",
    description: "Write a note of the vault, with its folders if they are missing: sets these keys of the frontmatter and \
                  replaces the body. Not in Approved, Done or Logs, where only the user changes notes.",
    effect: Effect::Changes,
    arguments: &[PATH, FRONTMATTER, BODY, ORDER],
    output: content_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let path = path(arguments, &PATH)?;
    let frontmatter = frontmatter(arguments);
    if frontmatter.len() > MOST_KEYS {
        let problem =
            format!("`frontmatter` has {} keys; at most {MOST_KEYS} are allowed", frontmatter.len());
        return Err(ToolError::invalid("frontmatter", problem));
    }
    let change = Change { path: &path, frontmatter: &frontmatter, body: arguments.verbatim(&BODY) };
    Ok(content(&written(context.vault()?, &change)?, 0))
}

/// The keys and their values, in the order in which the call wrote them.
fn frontmatter(arguments: &Arguments) -> Vec<(String, Yaml)> {
    let order = arguments.texts(&ORDER);
    let members = arguments.members(&FRONTMATTER).map(|(key, value)| (key.clone(), Yaml::from(value)));
    let mut frontmatter: Vec<_> = members.collect();
    let place: HashMap<_, _> = order.iter().enumerate().map(|(place, key)| (key, place)).collect();
    frontmatter.sort_by_key(|(key, _)| place.get(key).copied().unwrap_or(usize::MAX));
    frontmatter
}

/// What is to stand in a note.
struct Change<'a> {
    path: &'a VaultPath,
    frontmatter: &'a [(String, Yaml)],
    body: &'a str,
}

/// Writes it. Somebody who was faster is read anew, so that their keys stay.
fn written(vault: &ToolVault, change: &Change<'_>) -> Result<Note, VaultError> {
    let mut tries = 1;
    loop {
        match write_once(vault, change) {
            Err(VaultError::Changed { .. } | VaultError::AlreadyExists { .. }) if tries < TRIES => tries += 1,
            done => return done,
        }
    }
}

fn write_once(vault: &ToolVault, change: &Change<'_>) -> Result<Note, VaultError> {
    let mut note = vault.read_or_new(change.path)?;
    // Nobody can have read it whole, so nobody can mean to replace it.
    if note.body().len() > LONGEST_BODY {
        let size = note.text().len() as u64;
        return Err(VaultError::TooLarge { path: change.path.to_string(), size });
    }
    note.set_all(change.frontmatter)?;
    note.set_body(change.body);
    vault.save(&mut note)?;
    Ok(note)
}
