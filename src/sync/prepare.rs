//! The work that can be done beside others: hash, parse and pack messages before the one writer takes them.

use crate::index::Document;
use crate::index::attachment_text::Extractor;
use crate::model::{ContentHash, DateHints, ParsedMessage};
use crate::parse;
use crate::store::{Envelope, Frame, FrameEncoder, Identity, Reader, StoreError};

/// A message as it was found.
pub(super) struct Raw {
    pub(super) bytes: Vec<u8>,
    pub(super) hints: DateHints,
    pub(super) gmail: Option<GmailIds>,
}

/// The numbers Gmail gives a message and its thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct GmailIds {
    pub(super) message: u64,
    pub(super) thread: Option<u64>,
}

/// A message ready for the store.
pub(super) struct Prepared {
    pub(super) hash: ContentHash,
    pub(super) gmail: Option<GmailIds>,
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
    pub(super) encoder: FrameEncoder<'a>,
    pub(super) extractor: &'a Extractor,
}

impl Preparer<'_> {
    /// Parses and packs a message, unless its content is known.
    pub(super) fn prepare(&mut self, message: &Raw, known: Option<&Reader>) -> Result<Prepared, StoreError> {
        let unknown = || Identity { hash: ContentHash::of_message(&message.bytes), is_known: false };
        let Identity { hash, is_known } =
            known.map_or_else(|| Ok(unknown()), |reader| reader.identify(&message.bytes))?;
        let content = if is_known { None } else { Some(Box::new(self.content(message)?)) };
        Ok(Prepared { hash, gmail: message.gmail, content })
    }

    fn content(&mut self, message: &Raw) -> Result<Content, StoreError> {
        let mut parsed = parse::message(&message.bytes, &message.hints);
        parsed.gmail_thread = message.gmail.and_then(|ids| ids.thread).or(parsed.gmail_thread);
        let envelope = Envelope::of(&parsed);
        let frame = self.encoder.pack(&envelope.to_json(), &parsed.text, &message.bytes)?;
        let document = Document::of_parsed(&mut parsed, envelope, &message.bytes, self.extractor);
        Ok(Content { size: message.bytes.len(), parsed, frame, document })
    }
}
