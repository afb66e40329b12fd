//! Keeps our secrets out of what servers say: their words are shown, stored and given to assistants, and a server that
//! repeats a password in them must not make it known.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::text_safety::one_line;

/// What stands in the place of a secret.
const MARK: &[u8] = b"...";
/// A shorter secret may be a part of honest names; it is only taken out of text for people.
const TELLING: usize = 8;
/// Shorter pieces of an encoded secret tell nothing, and stand in other words too.
const SHORTEST_PIECE: usize = 6;

/// Knows the forms in which secrets can come back.
#[derive(Clone, Default)]
pub struct Redactor {
    /// The longest first, so that none is cut by another.
    forms: Vec<Vec<u8>>,
    /// The secrets as they are.
    plain: Vec<Vec<u8>>,
}

impl Redactor {
    /// Knows these secrets.
    #[must_use]
    pub fn new(secrets: &[&str]) -> Self {
        let mut forms: Vec<Vec<u8>> = secrets.iter().flat_map(|secret| forms(secret)).collect();
        forms.retain(|form| !form.is_empty());
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        let plain = secrets.iter().filter(|secret| !secret.is_empty());
        Self { forms, plain: plain.map(|secret| secret.as_bytes().to_vec()).collect() }
    }

    /// Knows one more secret from now on.
    pub fn learn(&mut self, secret: &str) {
        let Self { forms, plain } = Self::new(&[secret]);
        self.forms.extend(forms);
        self.plain.extend(plain);
        self.forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        self.forms.dedup();
    }

    /// Text for people, without any secret.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let bytes = self.without(text.as_bytes(), 0);
        bytes.map_or_else(|| text.to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A name as it was decoded, without a secret that can be read in it when it is shown.
    pub(super) fn clean_name(&self, name: &mut String) {
        let shown = one_line(name);
        if let Some(cleaned) = self.without(shown.as_bytes(), TELLING) {
            *name = String::from_utf8_lossy(&cleaned).into_owned();
        }
    }

    /// Takes secrets out of text for people.
    pub fn clean_text(&self, line: &mut Vec<u8>) {
        if let Some(cleaned) = self.without(line, 0) {
            *line = cleaned;
        }
    }

    /// Takes secrets out of names and other data, as far as they cannot be anything else.
    pub(super) fn clean_data(&self, line: &mut Vec<u8>) {
        if let Some(cleaned) = self.without(line, TELLING) {
            *line = cleaned;
        }
    }

    /// Takes secrets out of bytes that may be anything, where they stand as they are.
    pub fn clean_plain(&self, bytes: &mut Vec<u8>) {
        for secret in &self.plain {
            if memchr::memmem::find(bytes, secret).is_some() {
                *bytes = replaced(bytes, secret);
            }
        }
    }

    /// The bytes without forms of at least this length; `None` when there are none in them.
    fn without(&self, bytes: &[u8], least: usize) -> Option<Vec<u8>> {
        let mut cleaned: Option<Vec<u8>> = None;
        for form in self.forms.iter().filter(|form| form.len() >= least) {
            let text = cleaned.as_deref().unwrap_or(bytes);
            if memchr::memmem::find(text, form).is_some() {
                cleaned = Some(replaced(text, form));
            }
        }
        cleaned
    }
}

fn replaced(text: &[u8], form: &[u8]) -> Vec<u8> {
    let mut cleaned = Vec::with_capacity(text.len());
    let mut rest = 0;
    for found in memchr::memmem::find_iter(text, form) {
        cleaned.extend_from_slice(&text[rest..found]);
        cleaned.extend_from_slice(MARK);
        rest = found + form.len();
    }
    cleaned.extend_from_slice(&text[rest..]);
    cleaned
}

/// A secret as it is, in quotes of IMAP and in a URL, and in base64 wherever it may stand in a longer text.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let quoted = secret.replace('\\', "\\\\").replace('"', "\\\"");
    let percent = utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string();
    let mut all = vec![secret.as_bytes().to_vec(), quoted.into_bytes(), percent.into_bytes()];
    for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
        all.push(engine.encode(secret).into_bytes());
        for offset in 0..3 {
            all.extend(base64_core(secret, offset, |bytes| engine.encode(bytes)));
        }
    }
    all
}

/// The characters of an encoded text that depend on nothing but the secret in it, when `offset` bytes stand before it.
fn base64_core(secret: &str, offset: usize, encode: impl Fn(&[u8]) -> String) -> Option<Vec<u8>> {
    let mut bytes = vec![0; offset];
    bytes.extend_from_slice(secret.as_bytes());
    let encoded = encode(&bytes);
    let first = (offset * 8).div_ceil(6);
    let last = bytes.len() * 8 / 6;
    let core = encoded.get(first..last)?.as_bytes().to_vec();
    (core.len() >= SHORTEST_PIECE).then_some(core)
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};

    use super::Redactor;

    #[test]
    fn no_form_of_a_secret_stays_in_a_text() {
        let secret = "canary\"4711/ä";
        let redactor = Redactor::new(&[secret]);

        for before in ["", "u", "us", "\0ada@example.org\0", "user=ada\x01auth=Bearer "] {
            let whole = format!("{before}{secret}");
            for form in [whole.clone(), STANDARD.encode(&whole), URL_SAFE.encode(&whole)] {
                let said = redactor.text(&format!("no: {form} is wrong"));
                assert!(said.starts_with("no: ") && said.ends_with(" is wrong"), "{said}");
                assert!(!said.contains("4711") && said.len() < form.len() + 12, "{said}");
                assert!(!STANDARD.encode(&whole).is_empty() && said.contains("..."), "{said}");
            }
        }
        assert_eq!(redactor.text("canary%224711%2F%C3%A4"), "...");
        assert_eq!(redactor.text("canary\\\"4711/ä"), "...");
    }

    #[test]
    fn honest_names_stay_as_they_are() {
        let redactor = Redactor::new(&["secret"]);
        let mut name = b"* LIST () \"/\" \"Secret/secret plans\"".to_vec();

        redactor.clean_data(&mut name);

        assert!(name.ends_with(b"secret plans\""));
        assert_eq!(redactor.text("the secret is wrong"), "the ... is wrong");
        assert_eq!(Redactor::default().text("anything"), "anything");
    }
}
