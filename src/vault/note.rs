//! One note: its bytes as they are, and what they say.

use std::collections::HashMap;

use crate::text_safety::{brief, one_line};
use crate::vault::frontmatter::{Pieces, pieces, with_value};
use crate::vault::{VaultError, VaultPath, Yaml};

/// A note that was read, or one that is to be written. Changing it changes nothing on the disk:
/// [`Vault::save`](crate::vault::Vault::save) does, and notices if somebody else was faster.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    path: VaultPath,
    text: String,
    pieces: Pieces,
    frontmatter: Vec<(String, Yaml)>,
    original: Option<Vec<u8>>,
}

impl Note {
    /// A note that is not there yet, without frontmatter and text.
    #[must_use]
    pub fn new(path: VaultPath) -> Self {
        Self { path, text: String::new(), pieces: pieces(""), frontmatter: Vec::new(), original: None }
    }

    /// Reads the bytes of a note.
    pub(super) fn parse(path: VaultPath, bytes: Vec<u8>) -> Result<Self, VaultError> {
        let unreadable =
            |problem: String, line| VaultError::Unreadable { path: path.to_string(), problem, line };
        let text = match str::from_utf8(&bytes) {
            Ok(text) => text.to_owned(),
            Err(error) => {
                let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
                return Err(unreadable("it is not UTF-8 text".to_owned(), Some(line)));
            }
        };
        let pieces = pieces(&text);
        let frontmatter = match &pieces.yaml {
            // The line of the first mark comes before the YAML.
            Some(range) => Yaml::mapping(&text[range.clone()])
                .map_err(|flaw| unreadable(flaw.problem, flaw.line.map(|line| line + 1)))?,
            None => Vec::new(),
        };
        Ok(Self { path, text, pieces, frontmatter, original: Some(bytes) })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &VaultPath {
        &self.path
    }

    /// The whole text, frontmatter and all.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text behind the frontmatter.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.text[self.pieces.body..]
    }

    /// The keys of the frontmatter and their values, in their order.
    #[must_use]
    pub fn frontmatter(&self) -> &[(String, Yaml)] {
        &self.frontmatter
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Yaml> {
        self.frontmatter.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The value of a key as text, when it is a text, a number or a boolean.
    #[must_use]
    pub fn get_text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(Yaml::as_text)
    }

    /// Gives a key another value, in its place; a new key comes behind the others. Every other byte stays.
    pub fn set(&mut self, key: &str, value: impl Into<Yaml>) -> Result<(), VaultError> {
        self.set_all(&[(key.to_owned(), value.into())])
    }

    /// Gives several keys other values; keys that are not named stay as they are. All are changed, or none.
    pub fn set_all(&mut self, changes: &[(String, Yaml)]) -> Result<(), VaultError> {
        let mut wanted = self.clone();
        let mut last = None;
        for (key, value) in changes.iter().filter(|(key, value)| self.get(key) != Some(value)) {
            let text = wanted.with_key(key, value).ok_or_else(|| self.entangled(key))?;
            match wanted.frontmatter.iter_mut().find(|(name, _)| name == key) {
                Some((_, old)) => *old = value.clone(),
                None => wanted.frontmatter.push((key.clone(), value.clone())),
            }
            wanted.become_text(text);
            last = Some(key);
        }
        if let Some(key) = last.filter(|_| !wanted.says_so(self.body())) {
            return Err(self.entangled(key));
        }
        *self = wanted;
        Ok(())
    }

    /// Gives it another body; the frontmatter stays.
    pub fn set_body(&mut self, body: &str) {
        let head = &self.text[..self.pieces.body];
        let gap = if head.trim_start_matches('\u{feff}').is_empty() || head.ends_with('\n') || body.is_empty()
        {
            ""
        } else {
            self.pieces.newline
        };
        let mut text = [head, gap, body].concat();
        // A body that begins like a frontmatter would be taken for one.
        if text[pieces(&text).body..] != *body {
            let mark = &self.text[..self.pieces.mark];
            text = [mark, "---", self.pieces.newline, "---", self.pieces.newline, body].concat();
        }
        self.become_text(text);
    }

    /// What was read, unless it is new.
    pub(super) fn original(&self) -> Option<&[u8]> {
        self.original.as_deref()
    }

    /// It is on the disk as it is here.
    pub(super) fn saved(&mut self) {
        self.original = Some(self.text.clone().into_bytes());
    }

    fn with_key(&self, key: &str, value: &Yaml) -> Option<String> {
        let newline = self.pieces.newline;
        match &self.pieces.yaml {
            Some(range) => {
                let yaml = with_value(&self.text[range.clone()], key, value, newline)?;
                Some([&self.text[..range.start], &yaml, &self.text[range.end..]].concat())
            }
            None => {
                let (mark, body) = self.text.split_at(self.pieces.mark);
                let yaml = with_value("", key, value, newline)?;
                Some([mark, "---", newline, &yaml, "---", newline, body].concat())
            }
        }
    }

    /// Whether its text has the frontmatter that it should have, and this body.
    fn says_so(&self, body: &str) -> bool {
        let Some(Ok(entries)) = self.pieces.yaml.clone().map(|range| Yaml::mapping(&self.text[range])) else {
            return false;
        };
        let known: HashMap<_, _> = entries.iter().map(|(key, value)| (key, value)).collect();
        self.body() == body
            && known.len() == self.frontmatter.len()
            && self.frontmatter.iter().all(|(key, value)| known.get(key) == Some(&value))
    }

    fn entangled(&self, key: &str) -> VaultError {
        VaultError::Entangled { path: self.path.to_string(), key: one_line(&brief(key, 80)) }
    }

    fn become_text(&mut self, text: String) {
        self.pieces = pieces(&text);
        self.text = text;
    }
}
