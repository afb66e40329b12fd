//! JSON as its author wrote it, laid out for reading. Only the blanks between tokens change: numbers keep their digits,
//! members their order, and a name that stands twice stands twice.

use serde::de::IgnoredAny;

/// Deeper levels are indented no further, so that nesting cannot multiply the size.
const DEEPEST: usize = 32;
/// A layout may be this many times as long as the text; beyond that the text stays as it came.
const MOST_GROWTH: usize = 4;

/// The JSON in these bytes, one value a line; `None` when it is no JSON, or would grow too much.
pub(super) fn laid_out(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    Layout { rest: text, out: String::new(), depth: 0 }.written(text.len() * MOST_GROWTH + 1_000)
}

/// Valid JSON on its way from one form to the other.
struct Layout<'t> {
    rest: &'t str,
    out: String,
    depth: usize,
}

impl Layout<'_> {
    fn written(mut self, most: usize) -> Option<String> {
        while let Some(first) = self.next_token() {
            match first {
                '{' | '[' => self.open(first),
                '}' | ']' => self.close(first),
                ',' => self.end_line(","),
                ':' => self.copy_as(1, ": "),
                '"' => self.copy(text_length(self.rest)),
                _ => self.copy(word_length(self.rest)),
            }
            if self.out.len() > most {
                return None;
            }
        }
        Some(self.out)
    }

    /// Skips blanks and looks at what follows.
    fn next_token(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn open(&mut self, bracket: char) {
        self.copy(1);
        if self.next_token() == Some(closing(bracket)) {
            return self.copy(1);
        }
        self.depth += 1;
        self.new_line();
    }

    fn close(&mut self, bracket: char) {
        self.depth = self.depth.saturating_sub(1);
        self.new_line();
        debug_assert!(matches!(bracket, '}' | ']'));
        self.copy(1);
    }

    fn end_line(&mut self, mark: &str) {
        self.copy_as(1, mark);
        self.new_line();
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.depth.min(DEEPEST)));
    }

    fn copy(&mut self, length: usize) {
        let (taken, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.out.push_str(taken);
        self.rest = rest;
    }

    fn copy_as(&mut self, length: usize, text: &str) {
        self.out.push_str(text);
        self.rest = &self.rest[length..];
    }
}

fn closing(bracket: char) -> char {
    if bracket == '{' { '}' } else { ']' }
}

/// The bytes of the text that stands first, with its quotes.
fn text_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at.min(bytes.len())..]) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// The bytes of the number, `true`, `false` or `null` that stands first.
fn word_length(rest: &str) -> usize {
    let ends = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | ':' | '}' | ']');
    rest.find(ends).unwrap_or(rest.len()).max(1)
}

#[cfg(test)]
mod tests {
    use super::laid_out;

    #[test]
    fn numbers_order_and_names_that_stand_twice_are_kept() {
        let text = r#"{"z": 12345678901234567890123, "a":1e3,"a" : [1.10, "\u00e4\"}", {}, []],"t":true}"#;

        let shown = laid_out(text.as_bytes()).unwrap();

        let lines = [
            "{",
            "  \"z\": 12345678901234567890123,",
            "  \"a\": 1e3,",
            "  \"a\": [",
            "    1.10,",
            r#"    "\u00e4\"}","#,
            "    {},",
            "    []",
            "  ],",
            "  \"t\": true",
            "}",
        ];
        assert_eq!(shown, lines.join("\n"));
    }

    #[test]
    fn what_is_no_json_is_left_alone() {
        for text in ["{", "{\"a\": }", "[1,]", "nothing", "", "{} {}", "\"\u{1}\""] {
            assert_eq!(laid_out(text.as_bytes()), None, "{text}");
        }
        assert_eq!(laid_out(b"\xff"), None);
        assert_eq!(laid_out("\u{feff}[]".as_bytes()).as_deref(), Some("[]"));
    }

    #[test]
    fn nesting_does_not_multiply_the_size() {
        let deep = format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000));
        let wide = format!("{}{}0{}", "[".repeat(40), "0,".repeat(100_000), "]".repeat(40));

        for text in [deep, wide] {
            let shown = laid_out(text.as_bytes());
            assert!(shown.is_none_or(|shown| shown.len() <= 4 * text.len() + 1_100));
        }
    }

    proptest::proptest! {
        #[test]
        fn a_layout_means_the_same(value in any_json(), compact in proptest::prelude::any::<bool>()) {
            let text = if compact { value.to_string() } else { serde_json::to_string_pretty(&value).unwrap() };
            let shown = laid_out(text.as_bytes()).unwrap_or(text);
            proptest::prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
        }
    }

    fn any_json() -> impl proptest::strategy::Strategy<Value = serde_json::Value> {
        use proptest::prelude::*;
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(serde_json::Value::from),
            any::<i64>().prop_map(serde_json::Value::from),
            any::<String>().prop_map(serde_json::Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }
}
