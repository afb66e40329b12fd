//! Reads an attachment.

use serde_json::{Value, json};

use crate::tools::attachment::{self, Shown};
use crate::tools::core::{EMAIL_ID, HOLDER, find_message, object_schema};
use crate::tools::text::{fenced, name, window, with_left_out};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const ATTACHMENT_ID: Argument =
    Argument::text("attachment_id", "Name, part or number.").required().like("report.pdf");
const OFFSET: Argument = Argument::number("offset", 0, i64::MAX, "");
const BASE64: Argument = Argument::flag("base64", "Give the bytes too.");

pub(super) const GET_ATTACHMENT: Tool = Tool {
    name: "get_attachment",
    title: "Get attachment",
    description: "Read an attachment: text, JSON, text of PDF and office files; large ones as a path.",
    effect: Effect::Reads,
    arguments: &[EMAIL_ID, ATTACHMENT_ID, HOLDER, OFFSET, BASE64],
    output,
    run,
};

/// The most characters of its text in one answer.
const WINDOW_CHARS: usize = 8_000;
/// Bytes beyond this are saved to a file rather than written into the answer, which holds them twice beside the text.
const INLINE_BYTES: usize = 6 << 10;

fn output() -> Value {
    let text = json!({ "type": "string" });
    object_schema(json!({
        "name": text, "type": text, "size": { "type": "integer" }, "text": text, "base64": text, "path": text,
        "next_offset": { "type": "integer" }, "total_chars": { "type": "integer" },
    }))
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let scope = context.account_scope(arguments.text(&HOLDER))?;
    let key = find_message(context, arguments.required(&EMAIL_ID)?, scope.named.as_ref())?;
    let mut shown = attachment::shown(context, key, arguments.required(&ATTACHMENT_ID)?)?;
    // What people do not see in a document stands in its bytes.
    let wants_bytes = arguments.flag(&BASE64) && !shown.hides_something();
    if wants_bytes && shown.size() > INLINE_BYTES && shown.saved.is_none() {
        shown.save(context)?;
    }
    let mut structured = json!({ "name": name(&shown.part.shown_name()), "type": name(&shown.part.content_type), "size": shown.part.size });
    let mut blocks = Vec::new();
    blocks.extend(shown.saved_note());
    blocks.extend(text_block(&shown, arguments, &mut structured));
    blocks.extend(shown.left_out());
    if wants_bytes && shown.saved.is_none() {
        structured["base64"] = json!(shown.base64());
        blocks.push(format!("[Base64]\n{}", shown.base64()));
    }
    if let Some(path) = &shown.saved {
        structured["path"] = json!(path);
    }
    if blocks.is_empty() {
        blocks.extend(shown.placeholder.clone());
    }
    let reply = Reply::new(format!("{}{}", shown.header(), blocks.join("\n")), structured);
    Ok(with_left_out(reply, &shown.findings))
}

fn text_block(shown: &Shown, arguments: &Arguments, structured: &mut Value) -> Option<String> {
    let part = window(shown.text.as_deref()?, arguments.count(&OFFSET), WINDOW_CHARS);
    structured["text"] = json!(part.text);
    structured["total_chars"] = json!(part.total);
    let Some(next) = part.next else { return Some(fenced(&part.text)) };
    structured["next_offset"] = json!(next);
    Some(format!("{}\n\n[{next} of {} characters; go on with offset {next}]", fenced(&part.text), part.total))
}
