//! The zip archive around office documents, unpacked within a budget: sizes an archive states about itself
//! are not believed.

use std::io::{self, Cursor, Read};

use zip::ZipArchive;

use super::DocumentError;

/// Bytes all parts of one document may unpack to.
pub(super) const MAX_UNPACKED: u64 = 64 << 20;
/// Parts one document may have.
pub(super) const MAX_PARTS: usize = 2_000;

/// An archive and what is left of its budget.
pub(super) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    budget: u64,
}

impl<'a> Archive<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, DocumentError> {
        let zip = ZipArchive::new(Cursor::new(bytes))?;
        if zip.len() > MAX_PARTS {
            return Err(DocumentError::TooManyParts(zip.len()));
        }
        Ok(Self { zip, budget: MAX_UNPACKED })
    }

    /// The names of the parts that `wanted` picks, in natural order: slide 2 before slide 10.
    pub(super) fn names(&self, wanted: fn(&str) -> bool) -> Vec<String> {
        let mut names: Vec<String> =
            self.zip.file_names().flatten().filter(|name| wanted(name)).map(Into::into).collect();
        names.sort_by_key(|name| (name.len(), name.clone()));
        names
    }

    /// One part as text, XML in practice.
    pub(super) fn part(&mut self, name: &str) -> Result<String, DocumentError> {
        let mut bytes = Vec::new();
        let budget = self.budget;
        let read = self.zip.by_name(name)?.take(budget + 1).read_to_end(&mut bytes)?;
        self.spend(read as u64)?;
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// The same for a part that need not be there.
    pub(super) fn part_if_any(&mut self, name: &str) -> Result<Option<String>, DocumentError> {
        match self.zip.index_for_name(name) {
            Some(_) => self.part(name).map(Some),
            None => Ok(None),
        }
    }

    /// Unpacks everything into nothing, for readers that keep no budget of their own.
    pub(super) fn check_size(mut self) -> Result<(), DocumentError> {
        for index in 0..self.zip.len() {
            let budget = self.budget;
            let read = io::copy(&mut self.zip.by_index(index)?.take(budget + 1), &mut io::sink())?;
            self.spend(read)?;
        }
        Ok(())
    }

    fn spend(&mut self, bytes: u64) -> Result<(), DocumentError> {
        self.budget = self.budget.checked_sub(bytes).ok_or(DocumentError::TooLarge)?;
        Ok(())
    }
}
