//! The vault as tools get it. They read everywhere and write wherever notes are worked on, but not into `Approved`,
//! `Done` and `Logs`: a tool that could put a note there would approve its own draft, or rewrite what happened.

use std::path::Path;

use unicode_normalization::UnicodeNormalization;

use crate::vault::{Entry, Note, Vault, VaultError, VaultPath};

/// The folders that tools cannot write into, move into or move out of.
pub const PROTECTED: [&str; 3] = ["approved", "done", "logs"];

/// The vault that tools work with.
#[derive(Debug, Clone)]
pub struct ToolVault(Vault);

impl ToolVault {
    /// The vault at this directory.
    pub fn open(root: &Path) -> Result<Self, VaultError> {
        Ok(Self(Vault::open(root)?.closing(is_protected)))
    }

    /// Reads a note.
    pub fn read(&self, path: &VaultPath) -> Result<Note, VaultError> {
        self.0.read(note(path)?)
    }

    /// Writes a note; see [`Vault::save`].
    pub fn save(&self, changed: &mut Note) -> Result<(), VaultError> {
        note(changed.path())?;
        self.0.save(changed)
    }

    /// Gives a note another place; see [`Vault::rename`].
    pub fn rename(&self, from: &VaultPath, to: &VaultPath) -> Result<(), VaultError> {
        self.0.rename(note(from)?, note(to)?)
    }

    /// What lies in a folder.
    pub fn list(&self, folder: &VaultPath) -> Result<Vec<Entry>, VaultError> {
        self.0.list(folder)
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
    let short = name.split_once('~').filter(|(_, rest)| rest.chars().all(|c| c.is_ascii_digit()));
    PROTECTED.iter().any(|protected| match short {
        Some((begin, _)) => !begin.is_empty() && protected.starts_with(begin),
        None => name == *protected,
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
        'а' | 'α' | 'ɑ' | '@' | '4' => 'a',
        'р' | 'ρ' | 'ҏ' => 'p',
        'г' | 'ᴦ' => 'r',
        'о' | 'ο' | 'օ' | '0' | 'ӧ' | 'ø' => 'o',
        'ν' | 'ѵ' | 'υ' => 'v',
        'е' | 'ε' | 'є' | '3' | 'ҽ' => 'e',
        'ԁ' | 'ɗ' | 'đ' => 'd',
        'п' | 'ո' | 'η' => 'n',
        'і' | 'ı' | '1' | '|' | 'ӏ' | 'ł' | 'ι' => 'l',
        'ɡ' | 'ց' | 'ǥ' => 'g',
        'ѕ' | 'ꜱ' | '5' | '$' | 'ʂ' => 's',
        other => other,
    }
}
