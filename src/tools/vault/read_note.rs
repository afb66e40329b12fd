//! Shows one note.

use crate::tools::vault::{CURSOR, content, content_schema, path};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const PATH: Argument = Argument::text("path", "Vault-relative path, e.g. \"Needs_Action/email-001.md\"")
    .required()
    .like("Needs_Action/email-001.md");

pub(super) const READ_NOTE: Tool = Tool {
    name: "read_note",
    title: "Read a note",
    description: "Read a note of the vault: its frontmatter and its body. Where the answer has `next_cursor`, call again \
                  with it as `cursor` for the rest.",
    effect: Effect::Reads,
    arguments: &[PATH, CURSOR],
    output: content_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let path = path(arguments, &PATH)?;
    let from = match arguments.text(&CURSOR) {
        Some(cursor) => cursor
            .parse()
            .map_err(|_| ToolError::invalid("cursor", "`cursor` is `next_cursor` of an answer"))?,
        None => 0,
    };
    Ok(content(&context.vault()?.read(&path)?, from))
}
