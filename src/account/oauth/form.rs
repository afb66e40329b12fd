//! Names and values as they stand in URLs and in what is posted.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What never stands for anything else in a URL (RFC 3986, 2.3) is left as it is.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Writes names and values.
pub(super) fn encode<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let written = |text: &str| utf8_percent_encode(text, RESERVED).to_string();
    let pairs = fields.into_iter().map(|(name, value)| format!("{}={}", written(name), written(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// The value of a name.
pub(super) fn value(text: &str, name: &str) -> Option<String> {
    let read = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    let mut pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(known, _)| read(known) == name).map(|(_, value)| read(value))
}

#[cfg(test)]
mod tests {
    use super::{encode, value};

    #[test]
    fn what_is_written_is_read_again() {
        let text = encode([("a b", "1&2=3"), ("state", "ü+%"), ("empty", "")]);

        assert_eq!(value(&text, "a b").as_deref(), Some("1&2=3"));
        assert_eq!(value(&text, "state").as_deref(), Some("ü+%"));
        assert_eq!(value(&text, "empty").as_deref(), Some(""));
        assert_eq!(value(&text, "b"), None);
        assert_eq!(value("%zz=1&x=a+b&&=", "x").as_deref(), Some("a b"));
    }
}
