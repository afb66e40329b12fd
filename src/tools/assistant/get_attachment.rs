//! Reads an attachment's content.

use serde_json::{Value, json};

use crate::tools::assistant::{ACCOUNT, EMAIL_ID};
use crate::tools::attachment;
use crate::tools::core::find_message;
use crate::tools::text::{fenced, window, with_left_out};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const ATTACHMENT_ID: Argument =
    Argument::text("attachment_id", "Name of the attachment, its part or its number")
        .required()
        .like("report.pdf");
const BASE64: Argument = Argument::flag("base64", "Also give the bytes as base64, under 1 MB");

pub(super) const GET_ATTACHMENT: Tool = Tool {
    name: "get_attachment",
    title: "Get attachment",
    description: "Download and read attachment content, by the name of the attachment",
    effect: Effect::Reads,
    arguments: &[EMAIL_ID, ATTACHMENT_ID, ACCOUNT, BASE64],
    output,
    run,
};

/// The most characters of the text in an attachment; files under 1 MB that are text are answered whole.
const LONGEST_TEXT: usize = 2 << 20;

fn output() -> Value {
    let text = json!({ "type": "string" });
    json!({ "type": "object", "properties": {
        "name": text, "type": text, "size": { "type": "integer" }, "path": text,
    } })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let account = context.account(arguments.text(&ACCOUNT))?;
    let key = find_message(context, arguments.required(&EMAIL_ID)?, Some(&account))?;
    let shown = attachment::shown(context, key, arguments.required(&ATTACHMENT_ID)?)?;
    let mut structured =
        json!({ "name": shown.part.shown_name(), "type": shown.part.content_type, "size": shown.part.size });
    let blocks = match shown.saved_note() {
        Some(note) => vec![note],
        None => {
            let text = shown.text.as_deref().map(|text| window(text, 0, LONGEST_TEXT));
            let cut = text.as_ref().and_then(|text| text.next.map(|next| (next, text.total)));
            let note = cut.map(|(shown, total)| format!("[{shown} of {total} characters shown]"));
            [shown.placeholder.clone(), text.map(|text| fenced(&text.text)), note, shown.left_out()]
                .into_iter()
                .flatten()
                .collect()
        }
    };
    if let Some(path) = &shown.saved {
        structured["path"] = json!(path);
    }
    let bytes =
        (arguments.flag(&BASE64) && shown.saved.is_none() && !shown.hides_something()).then(|| shown.item());
    let text = format!("{}{}", shown.header(), blocks.join("\n"));
    Ok(with_left_out(Reply::new(text, structured).with_attached(bytes), &shown.findings))
}
