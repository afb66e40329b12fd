//! Lists the notes of one folder.

use serde_json::{Value, json};

use crate::tools::vault::{CURSOR, cursor, list, list_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};
use crate::vault::{Entry, EntryKind, Filter, Match, Matches, Piece, ToolVault, VaultError, VaultPath};

const DIRECTORY: Argument = Argument::text("directory", "Vault-relative directory, e.g. \"Needs_Action\"")
    .required()
    .like("Needs_Action");
const FILTER: Argument =
    Argument::text("filter", "Frontmatter filter \"field:value\", e.g. \"status:pending\"")
        .like("status:pending");

/// Notes in one answer.
const LONGEST_LIST: usize = 500;

pub(super) const LIST_NOTES: Tool = Tool {
    name: "list_notes",
    title: "List notes",
    description: "List the notes of one directory of the vault by name, or those whose frontmatter `field` is `value` or a \
                  list that holds it. Where the answer has `next_cursor`, call again with it as `cursor` for the rest.",
    effect: Effect::Reads,
    arguments: &[DIRECTORY, FILTER, CURSOR],
    output: || list_schema(false),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let directory = VaultPath::new(arguments.verbatim(&DIRECTORY))?;
    let after = cursor(arguments)?;
    let piece = Piece { after: after.as_ref(), limit: LONGEST_LIST };
    let vault = context.vault()?;
    let matches = match arguments.text(&FILTER) {
        Some(text) => vault.filtered(&directory, &filter(text)?, piece),
        None => all(vault, &directory, piece),
    };
    let folders = || folders(vault, &directory);
    match matches {
        Ok(matches) => Ok(list(&matches).with_meta("folders", folders())),
        Err(error @ VaultError::NotFound { .. }) => {
            Err(ToolError::from(error).with_details(json!({ "code": "not_found", "folders": folders() })))
        }
        Err(error) => Err(error.into()),
    }
}

fn filter(text: &str) -> Result<Filter, ToolError> {
    Filter::new(text).ok_or_else(|| {
        ToolError::invalid("filter", "`filter` must be `field:value`, such as `status:pending`")
    })
}

fn all(vault: &ToolVault, directory: &VaultPath, piece: Piece<'_>) -> Result<Matches, VaultError> {
    let entries = vault.entries(directory)?.into_iter().filter(|entry| entry.kind == EntryKind::Note);
    let mut rest = entries.skip_while(|entry| piece.after.is_some_and(|after| entry.path <= *after));
    let note = |entry: Entry| Match { path: entry.path, snippet: None };
    let notes: Vec<_> = rest.by_ref().take(piece.limit).map(note).collect();
    Ok(Matches { notes, has_more: rest.next().is_some(), unreadable: Vec::new() })
}

/// The folders of a directory, or of the nearest one above it that is there.
fn folders(vault: &ToolVault, directory: &VaultPath) -> Value {
    let entries = match vault.entries(directory) {
        Err(_) if !directory.is_root() => return folders(vault, &directory.parent()),
        entries => entries.unwrap_or_default(),
    };
    let folders = entries.into_iter().filter(|entry| entry.kind == EntryKind::Folder);
    json!(folders.take(100).map(|entry| entry.path.to_string()).collect::<Vec<_>>())
}
