//! What is in a zip. Programs read one in two ways, by the directory at its end or file by file from its beginning: one that
//! holds something else in the one way than in the other is refused.

use std::io::Cursor;

use memchr::memmem;
use zip::ZipArchive;

use super::{Entry, MOST_ENTRIES, Room, TOO_LARGE, UNREADABLE, holds_more, read_entry};

type Archive<'b> = ZipArchive<Cursor<&'b [u8]>>;

const LOCAL: &[u8] = b"PK\x03\x04";
const END: &[u8] = b"PK\x05\x06";
const END_LENGTH: usize = 22;
const LOCAL_LENGTH: usize = 30;
const JOINED: &str = "several archives are joined in it, or something stands before or behind it";
const TWO_NAMES: &str = "it names its files in two ways";
const UNLISTED: &str = "it holds files that it does not list";

/// Names stand open in a zip, also in an encrypted one; what has to be looked into in an encrypted one does not.
pub(super) fn entries(bytes: &[u8], room: &mut Room) -> Result<Vec<Entry>, &'static str> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| UNREADABLE)?;
    if archive.len() > MOST_ENTRIES {
        return Err(TOO_LARGE);
    }
    check_end(&archive, bytes)?;
    check_files(&mut archive, bytes)?;
    let mut entries = Vec::new();
    for index in 0..archive.len() {
        entries.extend(entry(&mut archive, index, room)?);
    }
    Ok(entries)
}

/// An entry; a second one for the name it has beside its first.
fn entry(archive: &mut Archive<'_>, index: usize, room: &mut Room) -> Result<Vec<Entry>, &'static str> {
    let raw = archive.by_index_raw(index).map_err(|_| UNREADABLE)?;
    let (name, is_encrypted) = (raw.name().map_err(|_| UNREADABLE)?.into_owned(), raw.encrypted());
    let other = String::from_utf8_lossy(raw.name_raw()).into_owned();
    drop(raw);
    let entry = if is_encrypted {
        if holds_more(&name, &[]) {
            return Err("an archive in it is encrypted or damaged");
        }
        Entry { name, bytes: Vec::new(), is_whole: false }
    } else {
        let file = archive.by_index(index).map_err(|_| "a file in it cannot be unpacked")?;
        read_entry(name, file, room)?
    };
    let second = (other != entry.name).then(|| Entry { name: other, bytes: Vec::new(), is_whole: false });
    Ok(std::iter::once(entry).chain(second).collect())
}

/// Nothing stands before the archive and nothing behind it, and it ends once.
fn check_end(archive: &Archive<'_>, bytes: &[u8]) -> Result<(), &'static str> {
    let start = usize::try_from(archive.central_directory_start()).unwrap_or(usize::MAX);
    let ends: Vec<usize> = memmem::find_iter(bytes.get(start..).unwrap_or_default(), END).collect();
    let is_last = |end: usize| {
        let comment = bytes.get(end + 20..end + END_LENGTH)?;
        Some(end + END_LENGTH + usize::from(u16::from_le_bytes([comment[0], comment[1]])) == bytes.len())
    };
    match ends.as_slice() {
        [end] if archive.offset() == 0 && is_last(start + end) == Some(true) => Ok(()),
        _ => Err(JOINED),
    }
}

/// Every file is called the same at its place and in the directory, and there are no others between them.
fn check_files(archive: &mut Archive<'_>, bytes: &[u8]) -> Result<(), &'static str> {
    let mut places = Vec::new();
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(|_| UNREADABLE)?;
        let start = usize::try_from(file.header_start()).map_err(|_| UNREADABLE)?;
        let (name, data) = local(bytes, start).ok_or(UNREADABLE)?;
        if name != file.name_raw() {
            return Err(TWO_NAMES);
        }
        let length = usize::try_from(file.compressed_size()).map_err(|_| UNREADABLE)?;
        places.push((start, data.saturating_add(length)));
    }
    places.sort_unstable();
    let directory = usize::try_from(archive.central_directory_start()).map_err(|_| UNREADABLE)?;
    places.push((directory, directory));
    let mut end = 0;
    for (start, next) in places {
        let between = bytes.get(end..start).ok_or(UNLISTED)?;
        if memmem::find(between, LOCAL).is_some() {
            return Err(UNLISTED);
        }
        end = next;
    }
    Ok(())
}

/// The name that stands before a file, and where its data begins (APPNOTE.TXT, 4.3.7).
fn local(bytes: &[u8], start: usize) -> Option<(&[u8], usize)> {
    let header = bytes.get(start..start.checked_add(LOCAL_LENGTH)?)?;
    let number = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
    let name_end = start + LOCAL_LENGTH + number(26);
    let name = bytes.get(start + LOCAL_LENGTH..name_end)?;
    header.starts_with(LOCAL).then_some((name, name_end + number(28)))
}
