//! Reads an attachment's content.

use serde_json::{Value, json};

use crate::tools::assistant::{ACCOUNT, EMAIL_ID};
use crate::tools::attachment;
use crate::tools::core::find_message;
use crate::tools::text::{fenced, window};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const GET_ATTACHMENT: Tool = Tool {
    name: "get_attachment",
    title: "Get attachment",
    description: "Download and read attachment content, by the name of the attachment",
    effect: Effect::Reads,
    arguments: &[
        EMAIL_ID,
        Argument::text("attachment_id", "Name of the attachment, its part or its number")
            .required()
            .like("report.pdf"),
        ACCOUNT,
    ],
    output,
    run,
};

/// The most characters of an attachment's text.
const LONGEST_TEXT: usize = 30_000;

fn output() -> Value {
    let text = json!({ "type": "string" });
    json!({ "type": "object", "properties": {
        "name": text, "type": text, "size": { "type": "integer" }, "path": text,
    } })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let id = arguments.required("email_id")?.to_owned();
    let account = context.account(arguments)?;
    let key = find_message(context, &id, Some(&account))?;
    let shown = attachment::shown(context, key, arguments.required("attachment_id")?)?;
    let mut structured =
        json!({ "name": shown.part.shown_name(), "type": shown.part.content_type, "size": shown.part.size });
    let blocks = match shown.saved_note() {
        Some(note) => vec![note],
        None => {
            let text = shown.text.as_deref().map(|text| window(text, 0, LONGEST_TEXT));
            let cut = text.as_ref().and_then(|text| text.next.map(|next| (next, text.total)));
            let note = cut.map(|(shown, total)| format!("[{shown} of {total} characters shown]"));
            [shown.placeholder.clone(), text.map(|text| fenced(&text.text)), note]
                .into_iter()
                .flatten()
                .collect()
        }
    };
    if let Some(path) = &shown.saved {
        structured["path"] = json!(path);
    }
    Ok(Reply::new(format!("{}{}", shown.header(), blocks.join("\n")), structured))
}
