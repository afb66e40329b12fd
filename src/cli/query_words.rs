//! A query on the command line: `-word` is not an option, and words need no quotes.

use std::ffi::{OsStr, OsString};

/// Commands whose arguments are words of a query.
const ASKING: [&str; 3] = ["search", "count", "export"];

/// Rewrites `-word` to `NOT word` behind a command that takes a query, so that it is not taken for an option.
pub(super) fn spelt_out(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut asking = false;
    let mut only_words = false;
    let mut wants_value = false;
    arguments
        .map(|argument| {
            let text = argument.to_str().unwrap_or_default();
            let negated = (asking && !only_words && !wants_value).then(|| negated_word(text)).flatten();
            only_words |= text == "--";
            wants_value = text.starts_with("--") && text != "--json" && !text.contains('=');
            asking |= ASKING.iter().any(|command| OsStr::new(command) == argument);
            negated.unwrap_or(argument)
        })
        .collect()
}

fn negated_word(text: &str) -> Option<OsString> {
    let word = text.strip_prefix('-')?;
    let is_option = word.is_empty() || word.starts_with('-') || word == "h" || word == "V";
    (!is_option).then(|| format!("NOT {word}").into())
}

/// The query as one text, whether or not the shell cut it into words.
pub(super) fn joined(words: &[String]) -> String {
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::spelt_out;

    #[test]
    fn a_dash_negates_in_a_query_and_nowhere_else() {
        let spelt = |line: &str| {
            let words = spelt_out(line.split(' ').map(Into::into));
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join("|")
        };
        assert_eq!(
            spelt("mailkeep search a -from:bob --limit 3"),
            "mailkeep|search|a|NOT from:bob|--limit|3"
        );
        assert_eq!(spelt("mailkeep search --offset -5 x"), "mailkeep|search|--offset|-5|x");
        assert_eq!(spelt("mailkeep search -h"), "mailkeep|search|-h");
        assert_eq!(spelt("mailkeep count -- -x"), "mailkeep|count|--|-x");
        assert_eq!(spelt("mailkeep show -x"), "mailkeep|show|-x");
    }
}
