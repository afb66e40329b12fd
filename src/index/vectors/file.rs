//! The file with the records, read in blocks.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::index::vectors::record::{Record, record_size};

/// So much is read at once.
const BLOCK: usize = 1 << 20;

/// Where the records of a number are.
pub(super) fn path(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number}.vectors"))
}

/// Shows every record from `from` to before `to` with its place.
pub(super) fn each(
    file: &File,
    dimensions: usize,
    places: std::ops::Range<usize>,
    mut show: impl FnMut(usize, Record<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let size = record_size(dimensions);
    let at_once = (BLOCK / size).max(1);
    let mut block = vec![0; at_once * size];
    let mut place = places.start;
    while place < places.end {
        let count = at_once.min(places.end - place);
        let bytes = &mut block[..count * size];
        read_at(file, bytes, (place * size) as u64)?;
        for record in bytes.chunks_exact(size) {
            show(place, Record(record))?;
            place += 1;
        }
    }
    Ok(())
}

/// Fills the buffer with what lies there.
#[cfg(unix)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

/// Fills the buffer with what lies there.
#[cfg(not(unix))]
pub(super) fn read_at(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(buffer)
}
