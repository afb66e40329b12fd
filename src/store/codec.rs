//! How a message's content is packed: envelope, visible text and raw bytes in one zstd frame with a dictionary.
//!
//! The envelope and the text stand first. They can be read without the raw bytes, and the raw bytes behind
//! them compress to little more than what they add.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Read, Seek, Write};
use std::sync::{Arc, OnceLock};

use rusqlite::{Connection, params};
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::stream::read::Decoder;
use zstd::stream::write::Encoder;
use zstd::zstd_safe::DCtx;

use crate::model::MessageKey;
use crate::store::StoreError;

/// Typical byte sequences of mail, our own writing: what makes a single short message compress well.
pub(super) const BUILT_IN_DICTIONARY: &[u8] = include_bytes!("dictionary.txt");

/// Level 2 takes a sixth longer and saves two parts in a hundred of the mail.
const LEVEL: i32 = 1;
/// Frames whose content is at most this long are unpacked whole, which is faster than in pieces.
const WHOLE: usize = 256 << 10;
/// Raw bytes, text and envelope of the largest message that is taken.
const LARGEST: usize = 1 << 30;

/// Packed content and where its three pieces end.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Which dictionary packed it.
    pub dictionary: i64,
    /// Length of the envelope.
    pub envelope_length: usize,
    /// Length of the visible text.
    pub text_length: usize,
    /// The zstd frame.
    pub bytes: Vec<u8>,
}

impl Frame {
    /// Reads the content of a message.
    pub(super) fn read(connection: &Connection, key: MessageKey) -> Result<Self, StoreError> {
        const SELECT: &str =
            "SELECT dictionary, envelope_length, text_length, frame FROM contents WHERE message = ?1";
        let mut statement = connection.prepare_cached(SELECT)?;
        Ok(statement.query_row([key.0], |row| {
            Ok(Self {
                dictionary: row.get(0)?,
                envelope_length: row.get(1)?,
                text_length: row.get(2)?,
                bytes: row.get(3)?,
            })
        })?)
    }
}

/// Frames whose packed bytes are longer than this are unpacked from the store piece by piece and never read whole.
const LONG_FRAME: i64 = 1 << 20;

/// A frame that is too long to be read whole.
pub(super) struct LongFrame {
    key: MessageKey,
    dictionary: i64,
    envelope_length: usize,
    text_length: usize,
}

/// A frame as far as it was read from the store.
pub(super) enum StoredFrame {
    Short(Frame),
    Long(LongFrame),
}

impl StoredFrame {
    pub(super) fn read(connection: &Connection, key: MessageKey) -> Result<Self, StoreError> {
        const SELECT: &str = "
            SELECT dictionary, envelope_length, text_length, CASE WHEN length(frame) <= ?2 THEN frame END
            FROM contents WHERE message = ?1";
        let mut statement = connection.prepare_cached(SELECT)?;
        Ok(statement.query_row(params![key.0, LONG_FRAME], |row| {
            let (dictionary, envelope_length, text_length) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(match row.get(3)? {
                Some(bytes) => Self::Short(Frame { dictionary, envelope_length, text_length, bytes }),
                None => Self::Long(LongFrame { key, dictionary, envelope_length, text_length }),
            })
        })?)
    }
}

struct Dictionary {
    bytes: Vec<u8>,
    /// Made when first needed: most who open a store only read.
    encoder: OnceLock<EncoderDictionary<'static>>,
    decoder: DecoderDictionary<'static>,
}

impl Dictionary {
    fn new(bytes: Vec<u8>) -> Self {
        Self { decoder: DecoderDictionary::copy(&bytes), encoder: OnceLock::new(), bytes }
    }

    fn encoder(&self) -> &EncoderDictionary<'static> {
        self.encoder.get_or_init(|| EncoderDictionary::copy(&self.bytes, LEVEL))
    }
}

/// The dictionaries of one store, ready to pack and unpack.
#[derive(Clone)]
pub struct Codec {
    dictionaries: Arc<HashMap<i64, Dictionary>>,
    newest: i64,
}

impl Codec {
    /// Reads the dictionaries of a store.
    pub(super) fn load(connection: &Connection) -> Result<Self, StoreError> {
        let mut statement = connection.prepare("SELECT id, bytes FROM dictionaries")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?)))?;
        let mut dictionaries = HashMap::new();
        for row in rows {
            let (id, bytes) = row?;
            dictionaries.insert(id, Dictionary::new(bytes));
        }
        let newest =
            dictionaries.keys().copied().max().ok_or(StoreError::content(&"the store has no dictionary"))?;
        Ok(Self { dictionaries: Arc::new(dictionaries), newest })
    }

    /// Whether the store got no dictionary since these were read.
    pub(super) fn knows_newest_of(&self, connection: &Connection) -> Result<bool, StoreError> {
        let newest: i64 =
            connection.prepare_cached("SELECT max(id) FROM dictionaries")?.query_row([], |row| row.get(0))?;
        Ok(newest == self.newest)
    }

    /// A packer for one thread.
    pub fn encoder(&self) -> Result<FrameEncoder<'_>, StoreError> {
        let dictionary = self.dictionary(self.newest)?;
        let compressor = Compressor::with_prepared_dictionary(dictionary.encoder())
            .map_err(|e| StoreError::content(&e))?;
        let prepared = dictionary.encoder();
        Ok(FrameEncoder {
            compressor,
            prepared,
            dictionary: self.newest,
            plain: Vec::new(),
            packed: Vec::new(),
        })
    }

    /// The envelope of a frame.
    pub fn envelope(&self, frame: &Frame) -> Result<Vec<u8>, StoreError> {
        self.slice(frame, 0, Some(frame.envelope_length))
    }

    /// The visible text of a frame.
    pub fn text(&self, frame: &Frame) -> Result<String, StoreError> {
        let end = frame.envelope_length + frame.text_length;
        let bytes = self.slice(frame, frame.envelope_length, Some(end))?;
        String::from_utf8(bytes).map_err(|e| StoreError::content(&e))
    }

    /// The raw bytes of a frame, as received.
    pub fn raw(&self, frame: &Frame) -> Result<Vec<u8>, StoreError> {
        self.slice(frame, frame.envelope_length + frame.text_length, None)
    }

    /// The first bytes of the raw message, at most `most`.
    pub fn raw_up_to(&self, frame: &Frame, most: usize) -> Result<Vec<u8>, StoreError> {
        let start = frame.envelope_length + frame.text_length;
        let end = start.saturating_add(most);
        self.slice(
            frame,
            start,
            Some(end).filter(|end| content_size(&frame.bytes).is_ok_and(|total| total > *end)),
        )
    }

    /// The envelope of a long frame.
    pub(super) fn long_envelope(&self, store: &Connection, frame: &LongFrame) -> Result<Vec<u8>, StoreError> {
        self.long_slice(store, frame, (0, Some(frame.envelope_length)))
    }

    /// The first bytes of the visible text of a long frame, at most `most`, up to a whole character.
    pub(super) fn long_text(
        &self,
        store: &Connection,
        frame: &LongFrame,
        most: usize,
    ) -> Result<String, StoreError> {
        let start = frame.envelope_length;
        let bytes = self.long_slice(store, frame, (start, Some(start + frame.text_length.min(most))))?;
        if most >= frame.text_length {
            return String::from_utf8(bytes).map_err(|e| StoreError::content(&e));
        }
        Ok(bytes.utf8_chunks().next().map(|chunk| chunk.valid().to_owned()).unwrap_or_default())
    }

    /// The raw bytes of a long frame, or only the first of them.
    pub(super) fn long_raw(
        &self,
        store: &Connection,
        frame: &LongFrame,
        most: Option<usize>,
    ) -> Result<Vec<u8>, StoreError> {
        let start = frame.envelope_length + frame.text_length;
        self.long_slice(store, frame, (start, most.map(|most| start.saturating_add(most))))
    }

    /// Writes the raw bytes of a long frame as they are unpacked.
    pub(super) fn write_long_raw(
        &self,
        store: &Connection,
        frame: &LongFrame,
        out: &mut dyn Write,
    ) -> Result<(), StoreError> {
        let start = frame.envelope_length + frame.text_length;
        let (mut content, length) = self.long_content(store, frame, (start, None))?;
        let written = io::copy(&mut content, out).map_err(|error| StoreError::content(&error))?;
        if written < length as u64 {
            return Err(StoreError::content(&"the content is shorter than recorded"));
        }
        Ok(())
    }

    /// Unpacks what stands from the start of a span to its end, as it is read from the store.
    fn long_slice(
        &self,
        store: &Connection,
        frame: &LongFrame,
        span: (usize, Option<usize>),
    ) -> Result<Vec<u8>, StoreError> {
        let (mut unpacked, length) = self.long_content(store, frame, span)?;
        let mut content = Vec::with_capacity(length);
        unpacked.read_to_end(&mut content).map_err(|error| StoreError::content(&error))?;
        if content.len() < length {
            return Err(StoreError::content(&"the content is shorter than recorded"));
        }
        Ok(content)
    }

    /// What stands in a span of a long frame, and how long it is.
    fn long_content<'a>(
        &'a self,
        store: &'a Connection,
        frame: &LongFrame,
        (start, end): (usize, Option<usize>),
    ) -> Result<(impl Read + 'a, usize), StoreError> {
        let failed = |error: io::Error| StoreError::content(&error);
        let mut blob = store.blob_open("main", "contents", "frame", frame.key.0, true)?;
        let mut head = [0; 18];
        blob.read_exact(&mut head).map_err(failed)?;
        blob.rewind().map_err(failed)?;
        let total = zstd::zstd_safe::get_frame_content_size(&head).ok().flatten();
        let total = total.and_then(|total| usize::try_from(total).ok()).filter(|total| *total <= LARGEST);
        let total = total.ok_or_else(|| StoreError::content(&"the frame is damaged"))?;
        let end = end.map_or(total, |end| end.min(total));
        let dictionary = self.dictionary(frame.dictionary)?;
        let packed = io::BufReader::with_capacity(64 << 10, blob);
        let mut decoder = Decoder::with_prepared_dictionary(packed, &dictionary.decoder).map_err(failed)?;
        io::copy(&mut decoder.by_ref().take(start as u64), &mut io::sink()).map_err(failed)?;
        let length = end.saturating_sub(start);
        Ok((decoder.take(length as u64), length))
    }

    /// The first bytes of the visible text, at most `most`, up to a whole character.
    pub fn text_up_to(&self, frame: &Frame, most: usize) -> Result<String, StoreError> {
        if frame.text_length <= most {
            return self.text(frame);
        }
        let bytes = self.slice(frame, frame.envelope_length, Some(frame.envelope_length + most))?;
        Ok(bytes.utf8_chunks().next().map(|chunk| chunk.valid().to_owned()).unwrap_or_default())
    }

    fn slice(&self, frame: &Frame, start: usize, end: Option<usize>) -> Result<Vec<u8>, StoreError> {
        let dictionary = self.dictionary(frame.dictionary)?;
        let total = content_size(&frame.bytes)?;
        let mut content = match end {
            Some(end) if total > WHOLE => unpack_head(&frame.bytes, dictionary, end.min(total))?,
            _ => unpack_whole(&frame.bytes, dictionary, total)?,
        };
        if content.len() < end.unwrap_or(start) {
            return Err(StoreError::content(&"the content is shorter than recorded"));
        }
        content.truncate(end.unwrap_or(content.len()));
        content.drain(..start);
        Ok(content)
    }

    fn dictionary(&self, id: i64) -> Result<&Dictionary, StoreError> {
        self.dictionaries
            .get(&id)
            .ok_or_else(|| StoreError::content(&format_args!("dictionary {id} is not loaded")))
    }
}

/// What the frame says it holds; a damaged one may say anything, so it must not be more than a message can be.
fn content_size(frame: &[u8]) -> Result<usize, StoreError> {
    let size = Decompressor::upper_bound(frame).filter(|size| *size <= LARGEST);
    size.ok_or_else(|| StoreError::content(&"the frame is damaged"))
}

thread_local! {
    /// Making a context costs more than unpacking a message with it.
    static CONTEXT: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

fn unpack_whole(frame: &[u8], dictionary: &Dictionary, total: usize) -> Result<Vec<u8>, StoreError> {
    let mut content = Vec::with_capacity(total);
    let unpacked = CONTEXT.with_borrow_mut(|context| {
        context.decompress_using_ddict(&mut content, frame, dictionary.decoder.as_ddict())
    });
    unpacked.map_err(|code| StoreError::content(&zstd::zstd_safe::get_error_name(code)))?;
    Ok(content)
}

fn unpack_head(frame: &[u8], dictionary: &Dictionary, length: usize) -> Result<Vec<u8>, StoreError> {
    let decoder =
        Decoder::with_prepared_dictionary(frame, &dictionary.decoder).map_err(|e| StoreError::content(&e))?;
    let mut head = Vec::with_capacity(length);
    decoder.take(length as u64).read_to_end(&mut head).map_err(|e| StoreError::content(&e))?;
    Ok(head)
}

/// Packs content. Each worker thread has one.
pub struct FrameEncoder<'a> {
    compressor: Compressor<'a>,
    prepared: &'a EncoderDictionary<'static>,
    dictionary: i64,
    plain: Vec<u8>,
    packed: Vec<u8>,
}

/// Content that is longer than this is packed in pieces: a message that takes a quarter of a gigabyte must not take it
/// twice.
const LONG: usize = 8 << 20;

impl FrameEncoder<'_> {
    /// Packs the three pieces into one frame.
    pub fn pack(&mut self, envelope: &[u8], text: &str, raw: &[u8]) -> Result<Frame, StoreError> {
        let pieces = [envelope, text.as_bytes(), raw];
        let total: usize = pieces.iter().map(|piece| piece.len()).sum();
        let packed = if total > LONG { self.pack_long(pieces, total) } else { self.pack_whole(pieces) };
        Ok(Frame {
            dictionary: self.dictionary,
            envelope_length: envelope.len(),
            text_length: text.len(),
            bytes: packed.map_err(|e| StoreError::content(&e))?,
        })
    }

    fn pack_whole(&mut self, pieces: [&[u8]; 3]) -> io::Result<Vec<u8>> {
        self.plain.clear();
        for piece in pieces {
            self.plain.extend_from_slice(piece);
        }
        self.packed.clear();
        self.packed.reserve(zstd::zstd_safe::compress_bound(self.plain.len()));
        self.compressor.compress_to_buffer(&self.plain, &mut self.packed)?;
        Ok(self.packed.clone())
    }

    fn pack_long(&self, pieces: [&[u8]; 3], total: usize) -> io::Result<Vec<u8>> {
        let mut encoder = Encoder::with_prepared_dictionary(Vec::new(), self.prepared)?;
        encoder.set_pledged_src_size(Some(total as u64))?;
        for piece in pieces {
            encoder.write_all(piece)?;
        }
        encoder.finish()
    }
}

#[cfg(test)]
mod tests {
    use crate::store::Store;

    #[test]
    fn each_piece_of_a_frame_can_be_read_alone() {
        let store = Store::in_memory().unwrap();
        let codec = store.codec();
        for raw in [b"Subject: x\r\n\r\nhello".to_vec(), Vec::new(), vec![7_u8; 1 << 20], vec![7_u8; 9 << 20]]
        {
            let frame = codec.encoder().unwrap().pack(b"{}", "hello", &raw).unwrap();

            assert_eq!(codec.envelope(&frame).unwrap(), b"{}");
            assert_eq!(codec.text(&frame).unwrap(), "hello");
            assert_eq!(codec.raw(&frame).unwrap(), raw);
        }
    }

    #[test]
    fn a_damaged_frame_is_an_error_and_not_a_panic() {
        let store = Store::in_memory().unwrap();
        let mut frame = store.codec().encoder().unwrap().pack(b"{}", "hello", b"raw").unwrap();
        frame.bytes.truncate(6);

        assert!(store.codec().raw(&frame).is_err());
    }
}
