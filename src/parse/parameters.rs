//! Content-Type and Content-Disposition: a value and its parameters, with RFC 2231 continuations and charsets,
//! encoded words where they do not belong, missing quotes and stray semicolons. Refuses nothing.

use super::charset;
use super::transfer;
use super::words;

/// A field such as `text/plain; charset=utf-8`.
#[derive(Debug, Default, Clone)]
pub(super) struct Parametered {
    /// The value before the first semicolon, in lower case, without blanks.
    pub value: String,
    parameters: Vec<Parameter>,
}

#[derive(Debug, Clone)]
struct Parameter {
    /// In lower case, as written, with its stars.
    name: String,
    value: String,
}

/// No field needs more; a hostile one may have thousands.
const MAX_PARAMETERS: usize = 200;

impl Parametered {
    /// Reads a field value.
    pub(super) fn read(value: &[u8]) -> Self {
        let text = charset::decode_unlabelled(value);
        let text = words::unfolded(&text);
        let (head, mut rest) = split_head(&text);
        let mut field = Self { value: bare(head), parameters: Vec::new() };
        while !rest.is_empty() && field.parameters.len() < MAX_PARAMETERS {
            let piece;
            (piece, rest) = split_at_semicolon(rest);
            field.parameters.extend(Parameter::read(piece));
        }
        field
    }

    /// A parameter as written, for those that are plain tokens.
    pub(super) fn plain(&self, name: &str) -> Option<&str> {
        self.parameters
            .iter()
            .find(|parameter| parameter.name == name)
            .map(|parameter| parameter.value.as_str())
    }

    /// A parameter decoded by RFC 2231, or by RFC 2047 where a mailer used that.
    pub(super) fn decoded(&self, name: &str) -> Option<String> {
        if let Some(text) = self.extended(name) {
            return Some(words::one_line(&text));
        }
        let plain = self.plain(name)?;
        Some(words::one_line(&words::encoded_words(plain)))
    }

    /// Whether a parameter is given at most once, or always the same: one program takes the first, another the last.
    pub(super) fn is_clear(&self, name: &str) -> bool {
        let is_named = |parameter: &&Parameter| {
            parameter.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('*'))
        };
        let mut values = self.parameters.iter().filter(is_named).map(|parameter| &parameter.value);
        values.next().is_none_or(|first| values.all(|value| value.eq_ignore_ascii_case(first)))
    }

    /// Joins `name*`, `name*0*`, `name*1` ... in the order of their numbers.
    fn extended(&self, name: &str) -> Option<String> {
        let mut segments: Vec<(u32, bool, &str)> = self
            .parameters
            .iter()
            .filter_map(|parameter| {
                let stars = parameter.name.strip_prefix(name)?.strip_prefix('*')?;
                let (number, encoded) = match stars.strip_suffix('*') {
                    Some(number) => (number, true),
                    None => (stars, stars.is_empty()),
                };
                let number = if number.is_empty() { 0 } else { number.parse().ok()? };
                Some((number, encoded, parameter.value.as_str()))
            })
            .collect();
        segments.sort_by_key(|(number, ..)| *number);
        segments.dedup_by_key(|(number, ..)| *number);
        (!segments.is_empty()).then(|| join_segments(&segments))
    }
}

fn join_segments(segments: &[(u32, bool, &str)]) -> String {
    let (mut charset, mut bytes) = (None, Vec::new());
    for (index, (_, encoded, value)) in segments.iter().enumerate() {
        let data = match (index, encoded, value.splitn(3, '\'').collect::<Vec<_>>().as_slice()) {
            (0, true, [name, _language, data]) => {
                charset = Some(*name).filter(|name| !name.is_empty());
                data
            }
            _ => *value,
        };
        match encoded {
            true => percent_decoded(data, &mut bytes),
            false => bytes.extend_from_slice(data.as_bytes()),
        }
    }
    let text = charset::decode(&bytes, charset).text;
    words::encoded_words(&text).into_owned()
}

fn percent_decoded(data: &str, output: &mut Vec<u8>) {
    let mut rest = data.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match transfer::hex_pair(tail) {
            Some(value) if byte == b'%' => {
                output.push(value);
                rest = &tail[2..];
            }
            _ => output.push(byte),
        }
    }
}

impl Parameter {
    fn read(piece: &str) -> Option<Self> {
        let (name, value) = piece.split_once('=')?;
        let name = name.trim().to_ascii_lowercase();
        let is_file_name = name.starts_with("name") || name.starts_with("filename");
        (!name.is_empty()).then(|| Self { name, value: unquoted(value.trim(), is_file_name) })
    }

    fn is_token(&self) -> bool {
        self.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'*'))
    }
}

/// Splits behind the value; some mailers forget the semicolon before its first parameter (`text/html charset=x`).
fn split_head(text: &str) -> (&str, &str) {
    let (head, rest) = split_at_semicolon(text);
    let value = head.trim_start();
    let Some(blank) = value.find([' ', '\t']).filter(|_| rest.is_empty()) else { return (head, rest) };
    let (value, behind) = value.split_at(blank);
    let is_parameter = value.contains('/') && Parameter::read(behind).is_some_and(|found| found.is_token());
    if is_parameter { (value, behind) } else { (head, rest) }
}

/// Splits behind the first semicolon that stands outside quotes and encoded words.
fn split_at_semicolon(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut at = 0;
    // Quotes that do not pair are looked through only once.
    let mut quotes_pair = true;
    while at < bytes.len() {
        match bytes[at] {
            b'"' if quotes_pair => match quoted_length(&bytes[at..]) {
                Some(length) => at += length,
                None => quotes_pair = false,
            },
            b'=' if bytes[at..].starts_with(b"=?") => at += words::word_length(&text[at..]).unwrap_or(1),
            b';' => return (&text[..at], &text[at + 1..]),
            _ => at += 1,
        }
    }
    (text, "")
}

/// The length of the quoted string at the start, both quotes included; `None` when it never closes.
pub(super) fn quoted_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// The content of a quoted string, or a token without the comment behind it. In the name of a file,
/// parentheses are no comment: browsers write `report (1).pdf`.
fn unquoted(value: &str, is_file_name: bool) -> String {
    let Some(inner) = value.strip_prefix('"') else {
        let token = if is_file_name { value } else { value.split(" (").next().unwrap_or_default() };
        return token.trim().trim_end_matches('"').to_owned();
    };
    let inner = quoted_length(value.as_bytes()).map_or(inner, |length| &value[1..length - 1]);
    unescaped(inner)
}

/// Removes the backslashes of a quoted string. A backslash before a letter stays: it is a Windows path.
pub(super) fn unescaped(quoted: &str) -> String {
    if !quoted.contains('\\') {
        return quoted.to_owned();
    }
    let mut output = String::with_capacity(quoted.len());
    let mut letters = quoted.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some('"' | '\\' | '(' | ')' | '<' | '>' | '@' | ',')) => output.extend(letters.next()),
            _ => output.push(letter),
        }
    }
    output
}

/// The value in lower case, without quotes, comments and blanks, up to a character that no value has.
fn bare(head: &str) -> String {
    let head = head.split(['(', ',', ':', '=']).next().unwrap_or_default();
    head.chars()
        .filter(|c| !c.is_whitespace() && !c.is_control() && *c != '"')
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::Parametered;

    fn name_of(value: &str) -> String {
        Parametered::read(value.as_bytes()).decoded("name").unwrap_or_default()
    }

    #[test]
    fn names_are_read_in_every_form() {
        for (value, expected) in [
            ("a/b; name=plain.txt", "plain.txt"),
            ("a/b; NAME = \"with; semi.txt\"", "with; semi.txt"),
            ("a/b; name=two words.txt; x=y", "two words.txt"),
            ("a/b; name=\"never closed.txt", "never closed.txt"),
            ("a/b; name*=utf-8'en'caf%C3%A9.txt", "café.txt"),
            ("a/b; name*=iso-8859-1''caf%E9.txt; name=cafe.txt", "café.txt"),
            ("a/b; name*1*=%A9.txt; name*0*=utf-8''caf%C3", "café.txt"),
            ("a/b; name*0=\"one \"; name*1=\"two\"", "one two"),
            ("a/b; name*0*=utf-8''a%20; name*1=\"b%20c\"", "a b%20c"),
            ("a/b; name=\"=?utf-8?Q?caf=C3=A9?=\"", "café"),
            ("a/b; name==?utf-8?Q?a;b?=", "a;b"),
            ("a/b; name=\"a\\\"b\\\\c\"", "a\"b\\c"),
            ("a/b; name*=caf%C3%A9", "café"),
            ("a/b", ""),
        ] {
            assert_eq!(name_of(value), expected, "{value}");
        }
    }

    #[test]
    fn the_type_is_bare_and_in_lower_case() {
        let field = Parametered::read(b" Text / PLAIN (comment) ; Charset=\"UTF-8\" ; format=flowed (x)");
        assert_eq!(field.value, "text/plain");
        assert_eq!(field.plain("charset"), Some("UTF-8"));
        assert_eq!(field.plain("format"), Some("flowed"));
        let sloppy = Parametered::read(b"text/html charset=\"koi8-r\"");
        assert_eq!((sloppy.value.as_str(), sloppy.plain("charset")), ("text/html", Some("koi8-r")));
        assert_eq!(Parametered::read(b"text/html, charset=x").value, "text/html");
    }
}
