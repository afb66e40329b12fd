//! Paths inside a vault. One that exists as a value has passed every check that needs no file system: it is relative,
//! climbs nowhere, hides nothing, and reads as what it is.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use crate::text_safety::{brief, is_invisible, one_line, visible};
use crate::vault::VaultError;

/// The longest name that file systems take, in bytes.
const LONGEST_NAME: usize = 255;
/// The longest path, in bytes.
const LONGEST_PATH: usize = 2_000;

/// A path of a note or of a folder inside the vault: names joined by `/`. The root is the empty one.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VaultPath(String);

impl VaultPath {
    /// Reads a path. `.` and doubled slashes are left out; everything that could lead elsewhere is refused.
    pub fn new(text: &str) -> Result<Self, VaultError> {
        let refused = |problem| VaultError::Refused { path: shown(text), problem };
        if text.starts_with('/') || has_drive(text) || text == "~" || text.starts_with("~/") {
            return Err(refused("it does not begin inside the vault"));
        }
        if text.len() > LONGEST_PATH {
            return Err(VaultError::BadPath { path: shown(text), problem: "it is too long" });
        }
        let names: Vec<_> = text.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        for name in &names {
            check(name).map_err(refused)?;
            if name.len() > LONGEST_NAME {
                return Err(VaultError::BadPath { path: shown(text), problem: "a name in it is too long" });
            }
        }
        Ok(Self(names.join("/")))
    }

    /// The path of the vault itself.
    #[must_use]
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// Whether it is the vault itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it is named like a note.
    #[must_use]
    pub fn is_note(&self) -> bool {
        is_note_name(self.name())
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The names from the root down.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    /// The last name; empty for the root.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The folder it lies in; the root's is the root.
    #[must_use]
    pub fn parent(&self) -> Self {
        Self(self.0.rsplit_once('/').map_or_else(String::new, |(parent, _)| parent.to_owned()))
    }

    /// A name inside this folder.
    pub fn join(&self, name: &str) -> Result<Self, VaultError> {
        Self::new(format!("{}/{name}", self.0).trim_start_matches('/'))
    }

    /// A name that came from a directory; `None` for what no path can name.
    pub(super) fn child(&self, name: &str) -> Option<Self> {
        check(name).ok()?;
        Some(Self(if self.0.is_empty() { name.to_owned() } else { format!("{}/{name}", self.0) }))
    }
}

impl fmt::Display for VaultPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a file of this name is a note.
pub(super) fn is_note_name(name: &str) -> bool {
    name.len() > 3 && name.as_bytes()[name.len() - 3..].eq_ignore_ascii_case(b".md")
}

/// A path in an error: on one line and not too long.
fn shown(text: &str) -> String {
    one_line(&brief(text, 200))
}

/// `C:/x` and `c:x`, by which other systems leave the current directory; `C: a title.md` is an honest name.
fn has_drive(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.next() == Some(':')
        && !chars.next().is_some_and(char::is_whitespace)
}

/// Whether one name may stand in a path.
fn check(name: &str) -> Result<(), &'static str> {
    if is_usual(name) {
        return Ok(());
    }
    if name == ".." {
        return Err("it climbs out of its folder");
    }
    if name.starts_with('.') {
        return Err("hidden files are not for notes");
    }
    if name.contains('\\') || name.chars().any(is_slash) {
        return Err("it has a character that looks like a separator");
    }
    if name.chars().any(|c| is_invisible(c) || is_direction(c)) || visible(name).0 != name {
        return Err("it has characters that nobody sees");
    }
    if name.starts_with(char::is_whitespace) || name.ends_with(|c: char| c.is_whitespace() || c == '.') {
        return Err("a name in it begins or ends with a blank, or ends with a dot");
    }
    if is_encoded(name) {
        return Err("it has separators or dots in disguise");
    }
    let plain: String = name.nfkc().collect();
    match plain.starts_with("..") && plain.chars().all(|c| c == '.') || plain.contains(['/', '\\']) {
        true => Err("it has separators or dots in disguise"),
        false => Ok(()),
    }
}

/// Most names are letters, digits and dashes with dots between them, which no check below minds.
fn is_usual(name: &str) -> bool {
    let bytes = name.as_bytes();
    let is_plain =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b' ' | b'(' | b')');
    let ends = |byte: Option<&u8>| byte.is_some_and(|byte| !matches!(byte, b'.' | b' '));
    ends(bytes.first()) && ends(bytes.last()) && bytes.iter().all(is_plain)
}

/// Marks of direction, which reorder what is read, and the soft hyphen.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200e}' | '\u{200f}')
}

/// Characters that look like a slash or a backslash.
fn is_slash(c: char) -> bool {
    matches!(
        c,
        '\u{2044}'
            | '\u{2215}'
            | '\u{2216}'
            | '\u{29f5}'
            | '\u{29f8}'
            | '\u{29f9}'
            | '\u{ff0f}'
            | '\u{ff3c}'
            | '\u{fe68}'
    )
}

/// `%2f`, `%5c`, `%00`, `%2e%2e`: nothing decodes them here, and no honest note is called so.
fn is_encoded(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["%2f", "%5c", "%00", "%2e%2e", "%2e.", ".%2e", "%252f", "%252e", "%c0%af"]
        .iter()
        .any(|code| name.contains(code))
}

#[cfg(test)]
mod tests {
    use super::VaultPath;

    #[test]
    fn a_path_is_spelt_in_one_way() {
        for (given, path) in [
            ("Needs_Action/email-001.md", "Needs_Action/email-001.md"),
            ("./Needs_Action//a.md", "Needs_Action/a.md"),
            ("Drafts/", "Drafts"),
            ("", ""),
            (".", ""),
            ("Ärger/Ünïcode 日本語 👩\u{200d}👧.md", "Ärger/Ünïcode 日本語 👩\u{200d}👧.md"),
            ("a/Re: hello (50%).md", "a/Re: hello (50%).md"),
            ("Wait….md", "Wait….md"),
        ] {
            assert_eq!(VaultPath::new(given).unwrap().as_str(), path);
        }
    }

    #[test]
    fn what_could_lead_elsewhere_is_refused() {
        for given in [
            "/etc/passwd",
            "..",
            "../x.md",
            "a/../../x.md",
            "a/..",
            "~/x.md",
            "C:/x.md",
            "C:\\x.md",
            "a\\..\\x.md",
            "a\0.md",
            "a\n.md",
            ".obsidian/app.json",
            "a/.hidden.md",
            "a/\u{202e}dm.x",
            "a\u{200b}b.md",
            "Appro\u{200d}ved/x.md",
            "．．/x.md",
            "‥/x.md",
            "a／b.md",
            "a/%2e%2e/b.md",
            "a%2fb.md",
            "Approved /x.md",
            "Approved./x.md",
            "\u{feff}a.md",
            "a\u{200e}.md",
        ] {
            assert_eq!(VaultPath::new(given).unwrap_err().code(), "permission_denied", "{given:?}");
        }
    }

    #[test]
    fn a_name_that_no_disk_takes_is_no_path() {
        assert_eq!(VaultPath::new(&"x".repeat(300)).unwrap_err().code(), "bad_path");
    }
}
