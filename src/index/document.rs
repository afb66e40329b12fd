//! A message as the index takes it, from the parser's hand or out of the store.

use crate::index::attachment_text::Extractor;
use crate::model::{Address, MessageKey, ParsedMessage};
use crate::parse::{self, document};
use crate::store::{Reader, StoreError};

/// What of a message can be searched.
#[derive(Debug, Clone, Default)]
pub struct Document {
    pub(super) key: MessageKey,
    pub(super) epoch: i64,
    pub(super) size: u64,
    pub(super) subject: String,
    pub(super) from: Vec<String>,
    pub(super) to: Vec<String>,
    pub(super) cc: Vec<String>,
    pub(super) bcc: Vec<String>,
    pub(super) list: Option<String>,
    pub(super) text: String,
    pub(super) files: Vec<AttachedFile>,
    pub(super) attachment_texts: Vec<String>,
}

/// An attachment, as far as it can be searched without its text.
#[derive(Debug, Clone)]
pub(super) struct AttachedFile {
    pub(super) name: Option<String>,
    pub(super) content_type: String,
    pub(super) counts: bool,
}

impl Document {
    /// The document of a message that was just parsed; its row becomes known when it is stored.
    #[must_use]
    pub fn of_parsed(parsed: &mut ParsedMessage, raw: &[u8], extractor: &Extractor) -> Self {
        let attachment_texts = parsed
            .attachments
            .iter()
            .filter(|a| document::kind(&a.content_type, a.name.as_deref()).is_some())
            .filter_map(|a| {
                extractor.text(&a.content_type, a.name.as_deref(), &parse::part_bytes(raw, &a.part)?)
            })
            .collect();
        let files = parsed.attachments.iter().map(|a| AttachedFile {
            name: a.name.clone(),
            content_type: a.content_type.clone(),
            counts: a.counts,
        });
        let shown = |list: &[Address]| list.iter().map(Address::to_string).collect();
        Self {
            key: MessageKey(0),
            epoch: parsed.date.epoch,
            size: raw.len() as u64,
            subject: parsed.subject.clone(),
            from: shown(&parsed.from),
            to: shown(&parsed.to),
            cc: shown(&parsed.cc),
            bcc: shown(&parsed.bcc),
            list: parsed.list_id.clone(),
            files: files.collect(),
            attachment_texts,
            text: std::mem::take(&mut parsed.text),
        }
    }

    /// The document of a stored message; `None` when it has been removed.
    pub fn of_stored(
        reader: &Reader,
        key: MessageKey,
        extractor: &Extractor,
    ) -> Result<Option<Self>, StoreError> {
        let Some(message) = reader.message(key)? else {
            return Ok(None);
        };
        let envelope = reader.envelope(key)?;
        let parts = reader.parts(key)?;
        let readable: Vec<_> =
            parts.iter().filter(|p| document::kind(&p.content_type, p.name.as_deref()).is_some()).collect();
        let raw = if readable.is_empty() { Vec::new() } else { reader.raw(key)? };
        let attachment_texts = readable
            .iter()
            .filter_map(|p| {
                extractor.text(&p.content_type, p.name.as_deref(), &parse::part_bytes(&raw, &p.part)?)
            })
            .collect();
        let files = parts.iter().map(|p| AttachedFile {
            name: p.name.clone(),
            content_type: p.content_type.clone(),
            counts: p.counts,
        });
        Ok(Some(Self {
            key,
            epoch: message.date.epoch,
            size: message.size.cast_unsigned(),
            subject: message.subject,
            from: envelope.from,
            to: envelope.to,
            cc: envelope.cc,
            bcc: envelope.bcc,
            list: message.list_id,
            text: reader.text(key)?,
            files: files.collect(),
            attachment_texts,
        }))
    }

    /// Says which row the message got.
    #[must_use]
    pub fn stored_as(mut self, key: MessageKey) -> Self {
        self.key = key;
        self
    }

    /// Marks for exact filters: `has:attachment`, and a type by its full name, either half, or the file's ending.
    pub(super) fn marks(&self) -> impl Iterator<Item = String> {
        let mut marks = Vec::new();
        if self.files.iter().any(|file| file.counts) {
            marks.push("attachment".to_owned());
        }
        for file in &self.files {
            let content_type = file.content_type.to_lowercase();
            let halves = content_type.split_once('/').into_iter().flat_map(|(main, sub)| [main, sub]);
            let ending =
                file.name.as_deref().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
            let kinds = halves.chain(ending).map(str::to_lowercase).chain([content_type.clone()]);
            marks.extend(kinds.map(|kind| format!("type={kind}")));
        }
        marks.sort_unstable();
        marks.dedup();
        marks.into_iter()
    }
}
