//! Finds notes by their text.

use crate::tools::vault::{CURSOR, cursor, list, list_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};
use crate::vault::Piece;

const QUERY: Argument = Argument::text("query", "Text to search for in note body or frontmatter values")
    .required()
    .like("invoice");

/// Notes in one answer.
const LONGEST_LIST: usize = 50;

pub(super) const SEARCH_NOTES: Tool = Tool {
    name: "search_notes",
    title: "Search notes",
    description: "Find notes of the vault whose body or a frontmatter value holds this text, in upper or lower case, with \
                  what stands around it. Where the answer has `next_cursor`, call again with it as `cursor` for the rest.",
    effect: Effect::Reads,
    arguments: &[QUERY, CURSOR],
    output: || list_schema(true),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let query = arguments.required(&QUERY)?;
    let after = cursor(arguments)?;
    let piece = Piece { after: after.as_ref(), limit: LONGEST_LIST };
    Ok(list(&context.vault()?.search(query, piece)?))
}
