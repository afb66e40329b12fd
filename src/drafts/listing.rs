//! What is in an archive: zip, tar, and both packed with gzip. Reads names, and the bytes of archives within; unpacks
//! nothing else, and never more than a bounded amount.

use std::io::{Cursor, Read};

use flate2::read::MultiGzDecoder;
use zip::ZipArchive;

/// The most that is unpacked while one archive is looked through.
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
    /// Its bytes, if it is an archive itself.
    pub(super) bytes: Option<Vec<u8>>,
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
const ENDINGS: [(&str, Kind); 18] = [
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

/// What is in a file with this name.
pub(super) fn of(name: &str, bytes: &[u8]) -> Listing {
    match kind(name, bytes) {
        None => Listing::None,
        Some(Kind::Zip) => opened(of_zip(bytes)),
        Some(Kind::Tar) => opened(of_tar(bytes)),
        Some(Kind::Gzip) => opened(of_gzip(name, bytes)),
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
    let ending = name.trim_end_matches(['.', ' ']).rsplit_once('.')?.1.to_ascii_lowercase();
    ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, kind)| *kind)
}

/// Names stand open in a zip, also in an encrypted one; an archive in an encrypted one does not.
fn of_zip(bytes: &[u8]) -> Result<Vec<Entry>, &'static str> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| UNREADABLE)?;
    if archive.len() > MOST_ENTRIES {
        return Err(TOO_LARGE);
    }
    let mut room = MOST_UNPACKED;
    let mut entries = Vec::new();
    for index in 0..archive.len() {
        let name = archive.name_for_index(index).ok_or(UNREADABLE)?.map_err(|_| UNREADABLE)?.into_owned();
        let bytes = match by_ending(&name) {
            None => None,
            Some(_) => {
                let file = archive.by_index(index).map_err(|_| "an archive in it is encrypted or damaged")?;
                Some(read_within(file, &mut room)?)
            }
        };
        entries.push(Entry { name, bytes });
    }
    Ok(entries)
}

fn of_tar(bytes: &[u8]) -> Result<Vec<Entry>, &'static str> {
    let mut archive = tar::Archive::new(Cursor::new(bytes));
    let mut room = MOST_UNPACKED;
    let mut entries = Vec::new();
    for entry in archive.entries().map_err(|_| UNREADABLE)? {
        let entry = entry.map_err(|_| UNREADABLE)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let bytes = by_ending(&name).map(|_| read_within(entry, &mut room)).transpose()?;
        entries.push(Entry { name, bytes });
        if entries.len() > MOST_ENTRIES {
            return Err(TOO_LARGE);
        }
    }
    Ok(entries)
}

/// A packed tar is listed as the tar it is; anything else is the one file in it.
fn of_gzip(name: &str, bytes: &[u8]) -> Result<Vec<Entry>, &'static str> {
    let mut room = MOST_UNPACKED;
    let unpacked = read_within(MultiGzDecoder::new(bytes), &mut room)?;
    let lower = name.to_ascii_lowercase();
    let is_tar = lower.ends_with(".tgz") || lower.ends_with(".tar.gz");
    if is_tar || unpacked.get(257..262) == Some(b"ustar") {
        return of_tar(&unpacked);
    }
    let name = lower.strip_suffix(".gz").unwrap_or(&lower).to_owned();
    Ok(vec![Entry { name, bytes: Some(unpacked) }])
}

fn read_within(reader: impl Read, room: &mut u64) -> Result<Vec<u8>, &'static str> {
    let mut bytes = Vec::new();
    reader.take(*room + 1).read_to_end(&mut bytes).map_err(|_| UNREADABLE)?;
    *room = room.checked_sub(bytes.len() as u64).ok_or(TOO_LARGE)?;
    Ok(bytes)
}
