//! A message as the index takes it, from the parser's hand or out of the store.

use crate::index::attachment_text::Extractor;
use crate::model::{MessageKey, ParsedMessage};
use crate::parse::{self, document};
use crate::store::{Envelope, Reader, StoreError};

/// The largest message whose attachments are read for a search that looks through it itself.
const LARGEST_IN_PASSING: i64 = 8 << 20;

/// And so much of the text of one that is larger.
const MOST_IN_PASSING: usize = 1 << 20;

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
    part: String,
    pub(super) name: Option<String>,
    pub(super) content_type: String,
    pub(super) counts: bool,
}

impl AttachedFile {
    fn is_readable(&self) -> bool {
        document::kind(&self.content_type, self.name.as_deref()).is_some()
    }
}

impl Document {
    /// The document of a message that was just parsed; its row becomes known when it is stored.
    #[must_use]
    pub fn of_parsed(
        parsed: &mut ParsedMessage,
        envelope: Envelope,
        raw: &[u8],
        extractor: &Extractor,
    ) -> Self {
        let files = parsed.attachments.iter().map(|a| AttachedFile {
            part: a.part.clone(),
            name: a.name.clone(),
            content_type: a.content_type.clone(),
            counts: a.counts,
        });
        let files: Vec<_> = files.collect();
        Self {
            key: MessageKey(0),
            epoch: parsed.date.epoch,
            size: raw.len() as u64,
            subject: parsed.subject.clone(),
            from: envelope.from,
            to: envelope.to,
            cc: envelope.cc,
            bcc: envelope.bcc,
            list: parsed.list_id.clone(),
            text: std::mem::take(&mut parsed.text),
            attachment_texts: texts(&files, raw, extractor),
            files,
        }
    }

    /// The document of a stored message; `None` when it has been removed.
    pub fn of_stored(
        reader: &Reader,
        key: MessageKey,
        extractor: &Extractor,
    ) -> Result<Option<Self>, StoreError> {
        Self::read(reader, key, extractor, i64::MAX)
    }

    /// The same for who looks through it in passing: of a message of many megabytes the
    /// beginning of the text, and no attachments.
    pub(super) fn in_passing(
        reader: &Reader,
        key: MessageKey,
        extractor: &Extractor,
    ) -> Result<Option<Self>, StoreError> {
        Self::read(reader, key, extractor, LARGEST_IN_PASSING)
    }

    fn read(
        reader: &Reader,
        key: MessageKey,
        extractor: &Extractor,
        largest: i64,
    ) -> Result<Option<Self>, StoreError> {
        let Some(message) = reader.message(key)? else { return Ok(None) };
        let envelope = reader.envelope(key)?;
        let files = reader.parts(key)?.into_iter().map(|p| AttachedFile {
            part: p.part,
            name: p.name,
            content_type: p.content_type,
            counts: p.counts,
        });
        let files: Vec<_> = files.collect();
        let is_small = message.size <= largest;
        let is_read = is_small && files.iter().any(AttachedFile::is_readable);
        let raw = if is_read { reader.raw(key)? } else { Vec::new() };
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
            text: reader.text_up_to(key, if is_small { usize::MAX } else { MOST_IN_PASSING })?,
            attachment_texts: texts(&files, &raw, extractor),
            files,
        }))
    }

    /// Says which row the message got.
    #[must_use]
    pub fn stored_as(mut self, key: MessageKey) -> Self {
        self.key = key;
        self
    }

    /// Marks for exact filters: `has:attachment`, and a type by its full name, either half, or the file's ending.
    pub(super) fn marks(&self) -> Vec<String> {
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
        marks
    }
}

/// The text of each attachment that has one we can read.
fn texts(files: &[AttachedFile], raw: &[u8], extractor: &Extractor) -> Vec<String> {
    let readable = files.iter().filter(|file| file.is_readable());
    let text = |file: &AttachedFile| {
        extractor.text(&file.content_type, file.name.as_deref(), &parse::part_bytes(raw, &file.part)?)
    };
    readable.filter_map(text).collect()
}
