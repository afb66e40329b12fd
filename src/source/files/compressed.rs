//! Opens a file as a stream of plain bytes, whether it is stored plain, as gzip or as zstd.
//! Knows how far it is on disk; knows nothing about mail.

use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

/// A gzip decoder forgets what it wrote when it meets damage within a call, so calls are kept this short; shorter ones
/// would keep it from its fast way.
const GZIP_STEP: usize = 4096;
const INPUT_BUFFER: usize = 128 * 1024;

/// What must agree before a file is decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evidence {
    /// The first bytes alone.
    Magic,
    /// The first bytes and a name in `.gz` or `.zst`.
    NameAndMagic,
}

/// The decompressed content of a file.
pub(super) struct Stream {
    head: Vec<u8>,
    served: usize,
    failure: Option<io::Error>,
    decoder: Decoder,
}

type Raw = Chain<Cursor<Vec<u8>>, Counted>;

enum Decoder {
    Plain(Raw),
    Gzip(Box<MultiGzDecoder<BufReader<Raw>>>),
    Zstd(zstd::Decoder<'static, BufReader<Raw>>),
}

impl Stream {
    /// Opens `file`, which stands at `path`.
    pub(super) fn new(file: File, path: &Path, evidence: Evidence) -> io::Result<Self> {
        let mut file = Counted { file, position: 0 };
        let mut magic = Vec::new();
        if evidence == Evidence::Magic || has_suffix(path) {
            file.by_ref().take(4).read_to_end(&mut magic)?;
        }
        let decoder = Decoder::new(magic, file)?;
        Ok(Self { head: Vec::new(), served: 0, failure: None, decoder })
    }

    /// The first bytes, up to `count`, which stay to be read. Fails only when there is not a single one.
    pub(super) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.head.len() < count && self.failure.is_none() {
            let mut piece = vec![0; count - self.head.len()];
            match self.decoder.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => self.head.extend_from_slice(&piece[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.failure = Some(error),
            }
        }
        match self.failure.take() {
            Some(error) if self.head.is_empty() => Err(error),
            failure => {
                self.failure = failure;
                Ok(&self.head)
            }
        }
    }

    /// How many bytes of the file on disk have been read.
    pub(super) fn position(&self) -> u64 {
        match &self.decoder {
            Decoder::Plain(raw) => position(raw),
            Decoder::Gzip(decoder) => position(decoder.get_ref().get_ref()),
            Decoder::Zstd(decoder) => position(decoder.get_ref().get_ref()),
        }
    }

    /// Whether the bytes are those on disk.
    pub(super) const fn is_plain(&self) -> bool {
        matches!(self.decoder, Decoder::Plain(_))
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.served < self.head.len() {
            let count = (&self.head[self.served..]).read(buffer)?;
            self.served += count;
            return Ok(count);
        }
        match self.failure.take() {
            Some(error) => Err(error),
            None => self.decoder.read(buffer),
        }
    }
}

impl Decoder {
    fn new(magic: Vec<u8>, file: Counted) -> io::Result<Self> {
        let is_gzip = magic.starts_with(&[0x1f, 0x8b]);
        let is_zstd = matches!(magic[..], [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18]);
        let raw = Cursor::new(magic).chain(file);
        Ok(if is_gzip {
            Self::Gzip(Box::new(MultiGzDecoder::new(BufReader::with_capacity(INPUT_BUFFER, raw))))
        } else if is_zstd {
            let buffered = BufReader::with_capacity(INPUT_BUFFER, raw);
            Self::Zstd(zstd::Decoder::with_buffer(buffered)?)
        } else {
            Self::Plain(raw)
        })
    }
}

impl Read for Decoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(raw) => raw.read(buffer),
            Self::Gzip(decoder) => {
                let end = buffer.len().min(GZIP_STEP);
                decoder.read(&mut buffer[..end])
            }
            Self::Zstd(decoder) => decoder.read(buffer),
        }
    }
}

fn position(raw: &Raw) -> u64 {
    raw.get_ref().1.position
}

fn has_suffix(path: &Path) -> bool {
    path.extension()
        .is_some_and(|suffix| suffix.eq_ignore_ascii_case("gz") || suffix.eq_ignore_ascii_case("zst"))
}

/// A file that counts what has been read from it.
struct Counted {
    file: File,
    position: u64,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.position += count as u64;
        Ok(count)
    }
}
