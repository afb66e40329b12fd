//! What is in an archive: zip, tar, and both packed with gzip. Reads names, how files begin, and the whole of what has to be
//! looked into itself; never more than a bounded amount.

mod zipped;

use std::io::{Cursor, Read};

use flate2::read::MultiGzDecoder;

/// The most that is unpacked while a file is looked through.
const MOST_UNPACKED: u64 = 64 << 20;
const MOST_ENTRIES: usize = 20_000;

/// What is in a file.
pub(super) enum Listing {
    /// It is no archive.
    None,
    /// It is one, and this is in it.
    Entries(Vec<Entry>),
    /// It is one, and cannot be read; why.
    Closed(&'static str),
}

/// A file in an archive.
pub(super) struct Entry {
    /// Its name with its directories.
    pub(super) name: String,
    /// Its bytes, or how it begins; nothing if it is encrypted.
    pub(super) bytes: Vec<u8>,
    /// Whether those are all: of archives, messages and Office's lists of parts.
    pub(super) is_whole: bool,
}

/// What may still be unpacked, of all archives that stand in each other together.
pub(super) struct Room(u64);

impl Default for Room {
    fn default() -> Self {
        Self(MOST_UNPACKED)
    }
}

/// Kinds of archives, by first bytes and endings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Zip,
    Tar,
    Gzip,
    Other,
}

const BEGINNINGS: [(&[u8], Kind); 9] = [
    (b"PK\x03\x04", Kind::Zip),
    (b"PK\x05\x06", Kind::Zip),
    (b"\x1f\x8b", Kind::Gzip),
    (b"Rar!", Kind::Other),
    (b"7z\xbc\xaf\x27\x1c", Kind::Other),
    (b"\xfd7zXZ\0", Kind::Other),
    (b"BZh", Kind::Other),
    (b"MSCF", Kind::Other),
    (b"\x28\xb5\x2f\xfd", Kind::Other),
];
const ENDINGS: [(&str, Kind); 22] = [
    ("lzma", Kind::Other),
    ("zipx", Kind::Other),
    ("alz", Kind::Other),
    ("egg", Kind::Other),
    ("zip", Kind::Zip),
    ("tar", Kind::Tar),
    ("gz", Kind::Gzip),
    ("tgz", Kind::Gzip),
    ("rar", Kind::Other),
    ("7z", Kind::Other),
    ("xz", Kind::Other),
    ("txz", Kind::Other),
    ("bz2", Kind::Other),
    ("tbz", Kind::Other),
    ("tbz2", Kind::Other),
    ("zst", Kind::Other),
    ("lzh", Kind::Other),
    ("lha", Kind::Other),
    ("arj", Kind::Other),
    ("ace", Kind::Other),
    ("z", Kind::Other),
    ("lz", Kind::Other),
];
const UNREADABLE: &str = "its listing cannot be read";
const TOO_LARGE: &str = "it is too large to be looked through";

/// How much of a file tells what it is.
const BEGINNING: u64 = 512;

/// What is in a file with this name.
pub(super) fn of(name: &str, bytes: &[u8], room: &mut Room) -> Listing {
    match kind(name, bytes) {
        None => Listing::None,
        Some(Kind::Zip) => opened(zipped::entries(bytes, room)),
        Some(Kind::Tar) => opened(of_tar(bytes, room)),
        Some(Kind::Gzip) => opened(of_gzip(name, bytes, room)),
        Some(Kind::Other) => Listing::Closed("only .zip, .tar and .tar.gz can be read"),
    }
}

fn opened(entries: Result<Vec<Entry>, &'static str>) -> Listing {
    entries.map_or_else(Listing::Closed, Listing::Entries)
}

/// What the bytes say goes before what the name says.
fn kind(name: &str, bytes: &[u8]) -> Option<Kind> {
    let begins = BEGINNINGS.iter().find(|(beginning, _)| bytes.starts_with(beginning));
    let is_tar = bytes.get(257..262) == Some(b"ustar");
    begins.map(|(_, kind)| *kind).or(is_tar.then_some(Kind::Tar)).or_else(|| by_ending(name))
}

fn by_ending(name: &str) -> Option<Kind> {
    let ending = ending(name)?;
    ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, kind)| *kind)
}

/// The ending of a name, without what Windows leaves away.
pub(super) fn ending(name: &str) -> Option<String> {
    let bare = name.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    Some(bare.rsplit_once('.')?.1.to_lowercase())
}

fn of_tar(bytes: &[u8], room: &mut Room) -> Result<Vec<Entry>, &'static str> {
    let mut archive = tar::Archive::new(Cursor::new(bytes));
    let mut entries = Vec::new();
    for entry in archive.entries().map_err(|_| UNREADABLE)? {
        let entry = entry.map_err(|_| UNREADABLE)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        entries.push(read_entry(name, entry, room)?);
        if entries.len() > MOST_ENTRIES {
            return Err(TOO_LARGE);
        }
    }
    Ok(entries)
}

/// A packed tar is listed as the tar it is; anything else is the one file in it.
fn of_gzip(name: &str, bytes: &[u8], room: &mut Room) -> Result<Vec<Entry>, &'static str> {
    let unpacked = read_within(MultiGzDecoder::new(bytes), room)?;
    let lower = name.to_ascii_lowercase();
    let is_tar = lower.ends_with(".tgz") || lower.ends_with(".tar.gz");
    if is_tar || unpacked.get(257..262) == Some(b"ustar") {
        return of_tar(&unpacked, room);
    }
    let name = lower.strip_suffix(".gz").unwrap_or(&lower).to_owned();
    Ok(vec![Entry { name, bytes: unpacked, is_whole: true }])
}

/// Reads how a file begins, and the rest of it where that has to be looked into.
fn read_entry(name: String, mut reader: impl Read, room: &mut Room) -> Result<Entry, &'static str> {
    let mut bytes = Vec::new();
    (&mut reader).take(BEGINNING).read_to_end(&mut bytes).map_err(|_| UNREADABLE)?;
    let is_whole = holds_more(&name, &bytes);
    if is_whole {
        bytes.extend(read_within(reader, room)?);
    }
    Ok(Entry { name, bytes, is_whole })
}

/// Archives, messages, compound files of Office, and the lists of what is in its documents.
fn holds_more(name: &str, beginning: &[u8]) -> bool {
    kind(name, beginning).is_some()
        || beginning.starts_with(b"\xd0\xcf\x11\xe0")
        || name.to_lowercase().ends_with("[content_types].xml")
        || ending(name).is_some_and(|ending| ["eml", "mht", "mhtml", "nws"].contains(&ending.as_str()))
}

fn read_within(reader: impl Read, room: &mut Room) -> Result<Vec<u8>, &'static str> {
    let mut bytes = Vec::new();
    reader.take(room.0 + 1).read_to_end(&mut bytes).map_err(|_| UNREADABLE)?;
    room.0 = room.0.checked_sub(bytes.len() as u64).ok_or(TOO_LARGE)?;
    Ok(bytes)
}
