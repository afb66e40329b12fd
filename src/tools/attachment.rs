//! What an attachment becomes in an answer: text, a placeholder, or a file in a private directory for an hour.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::model::{Findings, MessageKey, Reason};
use crate::query::{AttachmentText, PartSummary};
use crate::text_safety::one_line;
use crate::tools::image_size::image_size;
use crate::tools::json_text::laid_out;
use crate::tools::text::{display_size, name};
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
    /// What is in it and not in the text, and why.
    pub(super) findings: Findings,
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

    /// Whether the bytes say more than a person sees.
    pub(super) fn hides_something(&self) -> bool {
        !self.findings.dropped.is_empty() || !self.findings.doubtful.is_empty()
    }

    /// How much text is not shown, and why.
    pub(super) fn left_out(&self) -> Option<String> {
        let told = |counts: Vec<(&str, usize)>, what: &str| {
            let total: usize = counts.iter().map(|(_, count)| count).sum();
            let reasons: Vec<&str> = counts.iter().map(|(reason, _)| *reason).collect();
            (total > 0).then(|| format!("{total} characters left out that {what}: {}", reasons.join(", ")))
        };
        let hidden = self.findings.dropped.iter().map(|(reason, count)| (Reason::name(*reason), *count));
        let doubtful = self.findings.doubtful.iter().map(|(reason, count)| (*reason, *count));
        let lines = [told(hidden.collect(), "are hidden"), told(doubtful.collect(), "may be hidden")];
        let lines: Vec<String> = lines.into_iter().flatten().collect();
        (!lines.is_empty()).then(|| format!("[{}]", lines.join("; ")))
    }

    /// How many bytes there are.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The lines above the content.
    pub(super) fn header(&self) -> String {
        format!(
            "Attachment: {}\nSize: {}\nType: {}\n\n--- Content ---\n",
            name(&self.part.shown_name()),
            display_size(self.part.size),
            name(&self.part.content_type)
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
                name(&part.shown_name()),
                part.size,
                display_size(REFUSED)
            ),
        )
        .with_hint("the user can save it with `mailkeep export`"));
    }
    let bytes = archive.attachment_bytes(key, &part)?;
    let AttachmentText { text, findings } = text_of(archive, &part, &bytes).unwrap_or_default();
    let text = (!text.is_empty()).then_some(text);
    let placeholder = placeholder(&part, &bytes);
    let large = part.size >= INLINE;
    let mut shown = Shown { part, text, findings, placeholder, saved: None, bytes };
    if large {
        shown.save(context)?;
    }
    Ok(shown)
}

fn is_json(part: &PartSummary) -> bool {
    part.content_type == "application/json" || part.content_type.ends_with("+json")
}

fn text_of(archive: &crate::query::Archive, part: &PartSummary, bytes: &[u8]) -> Option<AttachmentText> {
    if is_json(part) {
        let text = laid_out(bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned());
        return Some(AttachmentText { text, findings: Findings::default() });
    }
    archive.attachment_text(part, bytes)
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
