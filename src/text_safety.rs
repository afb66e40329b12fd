//! Makes a stranger's text safe to show: control characters cannot move the cursor, bidi controls cannot reorder.

/// The text on one line, without anything a terminal would obey.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || is_control(c))
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The text with its line breaks and tabs, without anything a terminal would obey.
#[must_use]
pub fn many_lines(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !is_control(*c)).collect()
}

fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::{many_lines, one_line};

    #[test]
    fn escape_sequences_and_bidi_overrides_are_gone() {
        assert_eq!(one_line("a\u{1b}[31mb\r\n  c\u{202e}d"), "a [31mb c d");
        assert_eq!(many_lines("a\u{1b}]0;x\u{7}\n\tb\r\n"), "a]0;x\n\tb\n");
    }
}
