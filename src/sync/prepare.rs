//! The work that can be done beside others: hash, parse and pack messages before the one writer takes them.

use crate::index::Document;
use crate::index::attachment_text::Extractor;
use crate::model::{ContentHash, Flags, ParsedMessage};
use crate::parse;
use crate::source::files::FileMessage;
use crate::store::{Envelope, Frame, FrameEncoder, Reader, StoreError};

/// A message ready for the store.
pub(super) struct Prepared {
    pub(super) hash: ContentHash,
    pub(super) mailbox: Option<String>,
    pub(super) flags: Flags,
    pub(super) labels: Vec<String>,
    /// `None` when the store knows the content already.
    pub(super) content: Option<Box<Content>>,
}

/// What is stored of a message that is new.
pub(super) struct Content {
    pub(super) size: usize,
    pub(super) parsed: ParsedMessage,
    pub(super) frame: Frame,
    pub(super) document: Document,
}

/// Prepares messages, one worker thread each.
pub(super) struct Preparer<'a> {
    pub(super) known: Option<Reader>,
    pub(super) encoder: FrameEncoder<'a>,
    pub(super) extractor: &'a Extractor,
}

impl Preparer<'_> {
    /// Parses and packs a message, unless its content is known.
    pub(super) fn prepare(&mut self, message: FileMessage) -> Result<Prepared, StoreError> {
        let hash = ContentHash::of(&message.bytes);
        let content = if self.knows(&hash)? { None } else { Some(Box::new(self.content(&message)?)) };
        let FileMessage { mailbox, flags, labels, .. } = message;
        Ok(Prepared { hash, mailbox, flags, labels, content })
    }

    fn knows(&self, hash: &ContentHash) -> Result<bool, StoreError> {
        self.known.as_ref().map_or(Ok(false), |reader| reader.knows(hash))
    }

    fn content(&mut self, message: &FileMessage) -> Result<Content, StoreError> {
        let mut parsed = parse::message(&message.bytes, &message.hints);
        let envelope = Envelope::of(&parsed);
        let frame = self.encoder.pack(&envelope.to_json(), &parsed.text, &message.bytes)?;
        let document = Document::of_parsed(&mut parsed, envelope, &message.bytes, self.extractor);
        Ok(Content { size: message.bytes.len(), parsed, frame, document })
    }
}
