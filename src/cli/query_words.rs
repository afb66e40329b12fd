//! A query on the command line: `-word` is not an option, and words need no quotes.

use std::ffi::{OsStr, OsString};

/// Commands whose arguments are words of a query.
const ASKING: [&str; 4] = ["search", "count", "export", "forget"];
/// Options whose value follows, which may begin with a dash.
const VALUED: [&str; 8] =
    ["--account", "--config", "--home", "--limit", "--mode", "--offset", "--sort", "--to"];

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
            wants_value = VALUED.contains(&text);
            asking |= ASKING.iter().any(|command| OsStr::new(command) == argument);
            negated.unwrap_or(argument)
        })
        .collect()
}

fn negated_word(text: &str) -> Option<OsString> {
    let word = text.strip_prefix('-')?;
    if word.starts_with('>') {
        // An arrow is text; the space keeps it from being taken for an option.
        return Some(format!(" {text}").into());
    }
    let is_option = word.is_empty() || word.starts_with('-') || word == "h" || word == "V";
    (!is_option).then(|| format!("NOT {word}").into())
}

/// The query as one text, whether or not the shell cut it into words.
pub(super) fn joined(words: &[String]) -> String {
    words.join(" ").trim().to_owned()
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
        assert_eq!(spelt("mailkeep forget --yes a -b"), "mailkeep|forget|--yes|a|NOT b");
        assert_eq!(spelt("mailkeep search -> x"), "mailkeep|search| ->|x");
    }
}
