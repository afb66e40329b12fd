//! The vault as tools get it. They read everywhere and write wherever notes are worked on, but not into `Approved`,
//! `Done` and `Logs`: a tool that could put a note there would approve its own draft, or rewrite what happened.

use std::path::PathBuf;
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use crate::clock::Clock;
use crate::vault::catalog::{Catalog, Look, Seen, folded};
use crate::vault::snippet::snippet;
use crate::vault::{Entry, Filter, Note, Vault, VaultError, VaultPath};

/// The folders that tools cannot write into, move into or move out of, wherever they lie: the owner may have set the
/// orchestrator up in a folder of the vault that tools know.
pub const PROTECTED: [&str; 3] = ["Approved", "Done", "Logs"];

/// The vault that tools work with.
#[derive(Debug, Clone)]
pub struct ToolVault {
    vault: Vault,
    catalog: Arc<Catalog>,
}

/// A piece of a list of notes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matches {
    /// The notes, in the order of their paths.
    pub notes: Vec<Match>,
    /// Whether there are more behind the last one.
    pub has_more: bool,
    /// Notes whose frontmatter could not be read, so that it is not known whether they belong here.
    pub unreadable: Vec<VaultPath>,
}

/// A note of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Where it is.
    pub path: VaultPath,
    /// What stands around the words that were looked for.
    pub snippet: Option<String>,
}

/// Which piece of a list is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// Only notes behind this one.
    pub after: Option<&'a VaultPath>,
    /// At most so many.
    pub limit: usize,
}

impl ToolVault {
    /// The vault at this directory, whether it is there yet or not.
    #[must_use]
    pub fn at(root: PathBuf, clock: Clock) -> Self {
        Self { vault: Vault::at(root).closing(is_protected), catalog: Arc::new(Catalog::new(clock)) }
    }

    /// Reads a note.
    pub fn read(&self, path: &VaultPath) -> Result<Note, VaultError> {
        self.vault.read(note(path)?)
    }

    /// A note to change: the one that is there, or a new one.
    pub fn read_or_new(&self, path: &VaultPath) -> Result<Note, VaultError> {
        self.vault.refuse_closed(path)?;
        match self.read(path) {
            Err(VaultError::NotFound { .. }) => Ok(Note::new(path.clone())),
            read => read,
        }
    }

    /// Writes a note; see [`Vault::save`].
    pub fn save(&self, changed: &mut Note) -> Result<(), VaultError> {
        note(changed.path())?;
        self.vault.save(changed)
    }

    /// Gives a note another place; see [`Vault::rename`].
    pub fn rename(&self, from: &VaultPath, to: &VaultPath) -> Result<(), VaultError> {
        self.vault.rename(note(from)?, note(to)?)
    }

    /// What lies in a folder.
    pub fn entries(&self, folder: &VaultPath) -> Result<Vec<Entry>, VaultError> {
        self.vault.list(folder)
    }

    /// The notes of a folder whose frontmatter has what the filter wants.
    pub fn filtered(
        &self,
        folder: &VaultPath,
        filter: &Filter,
        piece: Piece<'_>,
    ) -> Result<Matches, VaultError> {
        let mut matches = Matches::default();
        self.catalog.folder(&self.vault, folder, piece.after, &mut |seen| {
            match &seen.known.frontmatter {
                Some(frontmatter) if filter.matches(frontmatter) => return matches.add(seen, piece.limit),
                Some(_) => {}
                None => matches.unreadable.push(seen.path()),
            }
            Look::GoesOn
        })?;
        Ok(matches)
    }

    /// The notes that hold a text in their body or in a value of their frontmatter, in whatever case it is written.
    pub fn search(&self, query: &str, piece: Piece<'_>) -> Result<Matches, VaultError> {
        let wanted = folded(query.trim());
        let finder = memchr::memmem::Finder::new(wanted.as_bytes());
        let mut matches = Matches::default();
        self.catalog.everything(&self.vault, piece.after, &mut |seen| {
            let is_found = finder.find(seen.known.folded.as_bytes()).is_some();
            if is_found { matches.add(seen, piece.limit) } else { Look::GoesOn }
        })?;
        for found in &mut matches.notes {
            let bytes = self.vault.read_bytes(&found.path).unwrap_or_default();
            found.snippet = Some(snippet(&found.path, bytes, &wanted));
        }
        Ok(matches)
    }
}

impl Matches {
    fn add(&mut self, seen: &Seen<'_>, limit: usize) -> Look {
        self.has_more = self.notes.len() >= limit;
        if self.has_more {
            return Look::Ends;
        }
        self.notes.push(Match { path: seen.path(), snippet: None });
        Look::GoesOn
    }
}

/// Tools see notes and nothing else.
fn note(path: &VaultPath) -> Result<&VaultPath, VaultError> {
    match path.is_note() {
        true => Ok(path),
        false => Err(VaultError::BadPath { path: path.to_string(), problem: "it does not end in `.md`" }),
    }
}

/// Whether a name is, or reads as, that of a protected folder: in any case, in any of Unicode's ways to write its
/// letters, with letters of other scripts that look the same, with a stream or a short name of other systems.
fn is_protected(name: &str) -> bool {
    let name = skeleton(name.split(':').next().unwrap_or_default());
    let short = name.split_once('~').filter(|(_, rest)| rest.chars().all(|c| c.is_ascii_digit() || c == 'l'));
    PROTECTED.iter().map(|name| name.to_ascii_lowercase()).any(|protected| match short {
        Some((begin, _)) => !begin.is_empty() && protected.starts_with(begin),
        None => name == protected,
    })
}

/// The letters that a reader sees, in lower case and without marks.
fn skeleton(name: &str) -> String {
    let plain = name.nfkd().filter(|c| !unicode_normalization::char::is_combining_mark(*c));
    let lower = plain.flat_map(char::to_lowercase).map(look_alike);
    lower.filter(|c| c.is_alphanumeric() || matches!(c, '~')).collect()
}

/// The Latin letter that another letter is read as, for the letters of the protected names.
fn look_alike(c: char) -> char {
    match c {
        'а' | 'α' | 'ɑ' | '@' | '4' | 'ᴀ' | 'ａ' => 'a',
        'р' | 'ρ' | 'ҏ' | 'ᴘ' => 'p',
        'г' | 'ᴦ' | 'ʀ' => 'r',
        'о' | 'ο' | 'օ' | '0' | 'ø' | 'ᴏ' => 'o',
        'ν' | 'ѵ' | 'υ' | 'ᴠ' | 'ⅴ' => 'v',
        'е' | 'ε' | 'є' | '3' | 'ҽ' | 'ᴇ' => 'e',
        'ԁ' | 'ɗ' | 'đ' | 'ᴅ' | 'ⅾ' => 'd',
        'п' | 'ո' | 'η' | 'ɴ' => 'n',
        'і' | 'ı' | '1' | '|' | 'ӏ' | 'ł' | 'ι' | 'ʟ' | 'ⅼ' => 'l',
        'ɡ' | 'ց' | 'ǥ' | 'ɢ' => 'g',
        'ѕ' | 'ꜱ' | '5' | '$' | 'ʂ' => 's',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::is_protected;

    #[test]
    fn a_protected_folder_is_known_in_every_spelling() {
        for name in [
            "Approved",
            "approved",
            "APPROVED",
            "aPpRoVeD",
            "Ａpproved",
            "Аpproved",
            "Αpproved",
            "Approve\u{301}d",
            "𝐀𝐩𝐩𝐫𝐨𝐯𝐞𝐝",
            "Approved::$INDEX_ALLOCATION",
            "APPROV~1",
            "Appr0ved",
            "App.roved",
            "Done",
            "DONE",
            "Ｄｏｎｅ",
            "Dоne",
            "Döne",
            "D0ne",
            "Logs",
            "ＬＯＧＳ",
            "ⓛⓞⓖⓢ",
            "1ogs",
            "LOG$",
            "Ⅼogs",
            "Done ",
            "lo-gs",
        ] {
            assert!(is_protected(name), "{name}");
        }
        for name in [
            "Drafts",
            "Needs_Action",
            "Approvals",
            "Done2",
            "Abandoned",
            "Blogs",
            "Log",
            "Approved.md",
            "Undone",
            "Done.md",
        ] {
            assert!(!is_protected(name), "{name}");
        }
    }
}
