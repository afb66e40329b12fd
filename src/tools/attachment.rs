//! What an attachment becomes in an answer: text, a placeholder, or a file in a private directory for an hour.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::model::MessageKey;
use crate::query::PartSummary;
use crate::text_safety::one_line;
use crate::tools::image_size::image_size;
use crate::tools::json_text::laid_out;
use crate::tools::text::display_size;
use crate::tools::{ToolContext, ToolError};

/// Up to here an attachment is answered inline.
const INLINE: i64 = 1 << 20;
/// Beyond this it is refused.
const REFUSED: i64 = 10 << 20;

/// An attachment, ready to be shown.
pub(super) struct Shown {
    /// What it is.
    pub(super) part: PartSummary,
    /// The text in it, where it has some.
    pub(super) text: Option<String>,
    /// What stands for the bytes that cannot be shown.
    pub(super) placeholder: Option<String>,
    /// Where it was saved, when it is too large for an answer.
    pub(super) saved: Option<String>,
    bytes: Vec<u8>,
}

impl Shown {
    /// The bytes, for who asked for them.
    pub(super) fn base64(&self) -> String {
        STANDARD.encode(&self.bytes)
    }

    /// The bytes as a part of an answer, which clients show as what they are.
    pub(super) fn item(&self) -> Value {
        let kind = one_line(&self.part.content_type);
        if kind.starts_with("image/") {
            return json!({ "type": "image", "data": self.base64(), "mimeType": kind });
        }
        let uri = format!("mailkeep://attachment/{}", self.part.sha256);
        json!({ "type": "resource", "resource": { "uri": uri, "mimeType": kind, "blob": self.base64() } })
    }

    /// How many bytes there are.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The lines above the content.
    pub(super) fn header(&self) -> String {
        format!(
            "Attachment: {}\nSize: {}\nType: {}\n\n--- Content ---\n",
            one_line(&self.part.shown_name()),
            display_size(self.part.size),
            one_line(&self.part.content_type)
        )
    }

    /// Saves the bytes and remembers where.
    pub(super) fn save(&mut self, context: &ToolContext) -> Result<(), ToolError> {
        self.saved = Some(context.save_for_an_hour(&self.part.shown_name(), &self.bytes)?);
        Ok(())
    }

    /// What is said about a saved file.
    pub(super) fn saved_note(&self) -> Option<String> {
        let path = self.saved.as_ref()?;
        Some(format!("[Large file saved to: {path}]\n[File will be deleted in 1 hour]"))
    }
}

/// Reads the attachment of a message that `id` names.
pub(super) fn shown(context: &mut ToolContext, key: MessageKey, id: &str) -> Result<Shown, ToolError> {
    let archive = context.archive()?;
    let part = archive.find_attachment(key, id)?;
    if part.size > REFUSED {
        return Err(ToolError::invalid(
            "attachment_id",
            format!(
                "Attachment too large: {} has {} bytes, the limit is {REFUSED} ({})",
                one_line(&part.shown_name()),
                part.size,
                display_size(REFUSED)
            ),
        )
        .with_hint("the user can save it with `mailkeep export`"));
    }
    let bytes = archive.attachment_bytes(key, &part)?;
    let text = text_of(archive, &part, &bytes);
    let placeholder = placeholder(&part, &bytes);
    let large = part.size >= INLINE;
    let mut shown = Shown { part, text, placeholder, saved: None, bytes };
    if large {
        shown.save(context)?;
    }
    Ok(shown)
}

fn is_json(part: &PartSummary) -> bool {
    part.content_type == "application/json" || part.content_type.ends_with("+json")
}

fn text_of(archive: &crate::query::Archive, part: &PartSummary, bytes: &[u8]) -> Option<String> {
    if is_json(part) {
        return laid_out(bytes).or_else(|| Some(String::from_utf8_lossy(bytes).into_owned()));
    }
    let extracted = archive.attachment_text(part, bytes);
    let plain =
        || part.content_type.starts_with("text/").then(|| String::from_utf8_lossy(bytes).into_owned());
    extracted.or_else(plain)
}

fn placeholder(part: &PartSummary, bytes: &[u8]) -> Option<String> {
    let size = bytes.len();
    match part.content_type.as_str() {
        kind if kind.starts_with("text/") => None,
        _ if is_json(part) => None,
        "application/pdf" => Some(format!("[PDF content - {size} bytes. Use a PDF viewer to read.]")),
        kind if kind.starts_with("image/") => {
            let dimensions = image_size(kind, bytes)
                .map(|(width, height)| format!("\n[Image - {width}x{height}]"))
                .unwrap_or_default();
            Some(format!("[Image file - {size} bytes. Base64 available on request.]{dimensions}"))
        }
        _ => Some(format!("[Binary file - {size} bytes]")),
    }
}
