//! First characters of a text for a log, without what could be used: codes, links that are keys, passwords and tokens.

use std::sync::OnceLock;

use regex::Regex;

use crate::text_safety::one_line;

/// What stands in the place of a secret.
const MARK: &str = "[...]";

/// What looks like a secret wherever it stands: the words of authentication with what follows them, well-known shapes of
/// tokens, links that carry one, and numbers as long as one-time codes.
const SECRETS: &str = r"(?ix)
    \b(?:password|passwd|passcode|passphrase|pwd|secret|token|api[\ _-]?key|pin|otp|code)\b\s*(?:is|:|=|-)?\s*\S+
    | \bbearer\s+\S+
    | \b(?:sk|pk|ghp|gho|ghs|xox[abp]|ya29|AKIA|eyJ)[-_.]?[A-Za-z0-9_.\-]{12,}
    | \bhttps?://\S*(?:[?&=]|[A-Za-z0-9_\-]{20,})\S*
    | \b\d(?:[\ -]?\d){5,15}\b
    | \b[A-Za-z0-9+/_\-]{32,}={0,2}";

/// At most so many characters of a text, on one line, with what may be a secret masked.
#[must_use]
pub fn preview(text: &str, most: usize) -> String {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    let pattern = PATTERN.get_or_init(|| Regex::new(SECRETS).expect("SECRETS is a constant and compiles"));
    // A secret that is cut in two would not be known any more: mask first, then cut.
    let start: String = text.chars().take(most * 4).collect();
    let line = one_line(&start);
    pattern.replace_all(&line, MARK).chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::preview;

    #[test]
    fn what_may_be_a_secret_is_masked_and_all_else_stays() {
        for (text, shown) in [
            ("See you at noon,\n Ada", "See you at noon, Ada"),
            ("Use 482 913 to sign in", "Use [...] to sign in"),
            ("Your code is 4829.", "Your [...]"),
            ("password: hunter2 ok", "[...] ok"),
            ("Authorization: Bearer abc.def", "Authorization: [...]"),
            ("reset https://x.example/r?k=1 now", "reset [...] now"),
            ("key ghp_0123456789abcdef0123", "key [...]"),
            ("call 0171 2345678", "call [...]"),
            (
                "in 2024 we met 3 times, see https://x.example/a",
                "in 2024 we met 3 times, see https://x.example/a",
            ),
        ] {
            assert_eq!(preview(text, 200), shown, "{text}");
        }
    }

    #[test]
    fn a_secret_at_the_cut_is_masked_whole() {
        let text = format!("{} token=abcdefghijklmnop", "x ".repeat(95));

        assert!(!preview(&text, 200).contains("abc"), "{}", preview(&text, 200));
        assert_eq!(preview(&"ä".repeat(300), 200).chars().count(), 200);
    }
}
