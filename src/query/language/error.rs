//! Why a search could not be understood: what, at which character, and what to write instead.

use thiserror::Error;

use super::operators::{OPERATORS, nearest};
use super::{MAX_DEPTH, MAX_LENGTH, MAX_TERMS};
use crate::text_safety;

/// A search that could not be understood. Positions count characters from zero in the fields,
/// and from one in the messages. A retry never helps; a corrected search does.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LanguageError {
    /// A name before a colon that is no operator.
    #[error("unknown operator `{}:` at character {}; {}", excerpt(name), position + 1, suggestion(*nearest))]
    UnknownOperator {
        /// Where the name begins.
        position: usize,
        /// The name as typed.
        name: String,
        /// What stood after the colon, with its quotes or parentheses.
        value: String,
        /// The operator that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A value that its operator does not know.
    #[error(
        "`{operator}:` does not know `{}` at character {}; it takes {}",
        excerpt(value), position + 1, allowed.join(", ")
    )]
    UnknownValue {
        /// Where the value begins.
        position: usize,
        /// The operator, without its colon.
        operator: &'static str,
        /// The value as typed.
        value: String,
        /// The values it takes.
        allowed: &'static [&'static str],
    },
    /// An operator that nothing follows.
    #[error("`{operator}:` at character {} has no value", position + 1)]
    MissingValue {
        /// Where the operator begins.
        position: usize,
        /// The operator, without its colon.
        operator: &'static str,
    },
    /// `OR`, `AND`, `NOT` or `-` without the terms it needs.
    #[error("`{keyword}` at character {} has no term {}", position + 1, beside(keyword))]
    MissingTerm {
        /// Where the keyword stands.
        position: usize,
        /// The keyword.
        keyword: &'static str,
    },
    /// An operator inside the parentheses of another.
    #[error("`{inner}:` at character {} stands inside `{outer}:(...)`", position + 1)]
    NestedOperator {
        /// Where the inner operator begins.
        position: usize,
        /// The operator before the parenthesis.
        outer: &'static str,
        /// The operator inside.
        inner: &'static str,
    },
    /// A parenthesis that nothing closes.
    #[error("the parenthesis at character {} is never closed", position + 1)]
    UnclosedParenthesis {
        /// Where it opens.
        position: usize,
    },
    /// A closing parenthesis that nothing opened.
    #[error("the `)` at character {} closes nothing", position + 1)]
    UnopenedParenthesis {
        /// Where it stands.
        position: usize,
    },
    /// A quote that nothing closes.
    #[error("the quote at character {} is never closed", position + 1)]
    UnclosedQuote {
        /// Where it opens.
        position: usize,
    },
    /// Quotes or parentheses with nothing in them.
    #[error("there is nothing between the {marks} at character {}", position + 1)]
    Empty {
        /// Where they open.
        position: usize,
        /// `quotes` or `parentheses`.
        marks: &'static str,
    },
    /// Signs that are not indexed, where words would be.
    #[error("there is no word to look for in `{}` at character {}", excerpt(value), position + 1)]
    NothingToFind {
        /// Where they begin.
        position: usize,
        /// The value as typed.
        value: String,
    },
    /// A beginning of words that is too short to be looked for.
    #[error("`{}` at character {} has too few letters before its star", excerpt(value), position + 1)]
    TooShort {
        /// Where it begins.
        position: usize,
        /// The value as typed.
        value: String,
    },
    /// More than a word, or less, beside `AROUND`.
    #[error("`AROUND` takes one word on each side, and `{}` at character {} is not one", excerpt(value), position + 1)]
    NotOneWord {
        /// Where it begins.
        position: usize,
        /// The value as typed.
        value: String,
    },
    /// A date that cannot be read or does not exist.
    #[error("`{}` at character {} is not a date that `{operator}:` can use", excerpt(value), position + 1)]
    BadDate {
        /// Where the value begins.
        position: usize,
        /// The operator, without its colon.
        operator: &'static str,
        /// The value as typed.
        value: String,
    },
    /// An age that cannot be read or reaches before all calendars.
    #[error("`{}` at character {} is not an age that `{operator}:` can use", excerpt(value), position + 1)]
    BadAge {
        /// Where the value begins.
        position: usize,
        /// The operator, without its colon.
        operator: &'static str,
        /// The value as typed.
        value: String,
    },
    /// A size that cannot be read or counted.
    #[error("`{}` at character {} is not a size that `{operator}:` can use", excerpt(value), position + 1)]
    BadSize {
        /// Where the value begins.
        position: usize,
        /// The operator, without its colon.
        operator: &'static str,
        /// The value as typed.
        value: String,
    },
    /// More characters than a search may have.
    #[error("the search is longer than {MAX_LENGTH} characters")]
    TooLong,
    /// More parentheses inside one another than a search may have.
    #[error("the parenthesis at character {} is nested more than {MAX_DEPTH} deep", position + 1)]
    TooDeep {
        /// Where the one too many opens.
        position: usize,
    },
    /// More terms than a search may have.
    #[error("the search has more than {MAX_TERMS} terms; the next is at character {}", position + 1)]
    TooManyTerms {
        /// Where the one too many begins.
        position: usize,
    },
}

impl LanguageError {
    /// Where the trouble is, in characters from the beginning of the search.
    #[must_use]
    pub fn position(&self) -> usize {
        match self {
            Self::TooLong => MAX_LENGTH,
            Self::UnknownOperator { position, .. }
            | Self::UnknownValue { position, .. }
            | Self::MissingValue { position, .. }
            | Self::MissingTerm { position, .. }
            | Self::NestedOperator { position, .. }
            | Self::UnclosedParenthesis { position }
            | Self::UnopenedParenthesis { position }
            | Self::UnclosedQuote { position }
            | Self::Empty { position, .. }
            | Self::NothingToFind { position, .. }
            | Self::TooShort { position, .. }
            | Self::NotOneWord { position, .. }
            | Self::BadDate { position, .. }
            | Self::BadAge { position, .. }
            | Self::BadSize { position, .. }
            | Self::TooDeep { position }
            | Self::TooManyTerms { position } => *position,
        }
    }

    /// What to write instead.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::UnknownOperator { name, value, nearest, .. } => unknown_operator(name, value, *nearest),
            Self::UnknownValue { operator, value, allowed, .. } => unknown_value(operator, value, allowed),
            Self::MissingValue { operator, .. } => missing_value(operator),
            Self::MissingTerm { keyword, .. } => missing_term(keyword),
            Self::NestedOperator { outer, inner, .. } => {
                format!("write them side by side: `{outer}:ada {inner}:bob`")
            }
            Self::UnclosedParenthesis { .. } => {
                "close it, as in `from:(ada OR bob)`, or put it in quotes".to_owned()
            }
            Self::UnopenedParenthesis { .. } => "remove it, or put it in quotes".to_owned(),
            Self::UnclosedQuote { .. } => "close it, as in `\"two words\"`, or remove it".to_owned(),
            Self::Empty { marks, .. } => format!("remove the {marks}, or put words between them"),
            Self::NothingToFind { .. } => {
                "letters, digits, currency signs, arrows and emoji can be looked for; write a word beside it"
                    .to_owned()
            }
            Self::TooShort { .. } => "write at least two, as in `inv*`".to_owned(),
            Self::NotOneWord { .. } => "write two words, as in `invoice AROUND 5 paid`".to_owned(),
            Self::BadDate { operator, .. } => bad_date(operator),
            Self::BadAge { operator, .. } => {
                format!("write a number and h, d, w, m (months) or y, as in `{operator}:7d`")
            }
            Self::BadSize { operator, .. } => {
                format!("write bytes, or a number and k, M or G, as in `{operator}:2M`")
            }
            Self::TooLong | Self::TooManyTerms { .. } => "split it into several searches".to_owned(),
            Self::TooDeep { .. } => "remove parentheses that change nothing: `((a))` is `a`".to_owned(),
        })
    }
}

fn suggestion(nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!("did you mean `{name}:`?"),
        None => format!("the operators are {}", every_operator()),
    }
}

fn every_operator() -> String {
    let names: Vec<_> = OPERATORS.iter().map(|operator| format!("{}:", operator.name)).collect();
    names.join(" ")
}

fn unknown_operator(name: &str, value: &str, nearest: Option<&str>) -> String {
    let (name, value) = (excerpt(name), excerpt(value));
    let as_text = if value.contains(['(', '"']) {
        "to find the text itself, put it in quotes".to_owned()
    } else {
        format!("to find the text itself, quote it: `\"{name}:{value}\"`")
    };
    match nearest {
        Some(nearest) => format!("write `{nearest}:{value}`; {as_text}"),
        None => as_text,
    }
}

fn unknown_value(operator: &str, value: &str, allowed: &'static [&'static str]) -> String {
    let typed = value.to_ascii_lowercase();
    if let Some((.., ours)) =
        NOT_HERE.iter().find(|(of, theirs, _)| *of == operator && typed.contains(theirs))
    {
        return format!("the nearest there is: `{ours}`");
    }
    let meant = nearest(&typed, allowed.iter().copied());
    format!("write `{operator}:{}`", meant.or(allowed.first().copied()).unwrap_or_default())
}

/// What other programs have and we do not, and what comes nearest.
const NOT_HERE: &[(&str, &str, &str)] = &[
    ("has", "drive", "has:attachment"),
    ("has", "photo", "has:image"),
    ("has", "youtube", "body:youtube"),
    ("has", "star", "is:starred"),
    ("has", "bang", "is:starred"),
    ("has", "check", "is:starred"),
    ("has", "guillemet", "is:starred"),
    ("has", "question", "is:starred"),
    ("has", "info", "is:starred"),
    ("has", "label", "has:userlabels"),
    ("is", "sent", "in:sent"),
    ("is", "inbox", "in:inbox"),
    ("is", "spam", "in:spam"),
    ("is", "trash", "in:trash"),
    ("is", "archive", "in:archive"),
    ("is", "snoozed", "in:inbox"),
    ("is", "muted", "in:archive"),
    ("is", "chat", "in:anywhere"),
];

fn missing_value(operator: &str) -> String {
    let example = OPERATORS.iter().find(|known| known.name == operator).map_or("", |known| known.example);
    format!(
        "write the value right after the colon, as in `{example}`; to find `{operator}:` itself, quote it"
    )
}

fn missing_term(keyword: &str) -> String {
    let example = match keyword {
        "-" => "-draft",
        "NOT" => "NOT draft",
        "AND" => "invoice AND march",
        "AROUND" => "invoice AROUND 5 paid",
        _ => "invoice OR receipt",
    };
    format!("write `{example}`; to find `{keyword}` itself, quote it: `\"{keyword}\"`")
}

fn bad_date(operator: &str) -> String {
    let examples =
        ["2024-03-09", "2024-03", "yesterday", "\"last week\""].map(|date| format!("`{operator}:{date}`"));
    let ages = match operator {
        "on" => "",
        "before" | "older" => "; for an age, `older_than:7d`",
        _ => "; for an age, `newer_than:7d`",
    };
    format!("write a day, week, month or year that exists, as in {}{ages}", examples.join(", "))
}

fn beside(keyword: &str) -> &'static str {
    if matches!(keyword, "NOT" | "-") { "after it" } else { "on one of its sides" }
}

/// The beginning of what was typed, safe to show: enough to recognise it.
fn excerpt(typed: &str) -> String {
    const LENGTH: usize = 40;
    let shown = text_safety::one_line(typed);
    if shown.chars().count() <= LENGTH {
        return shown;
    }
    let beginning: String = shown.chars().take(LENGTH).collect();
    format!("{beginning}…")
}

#[cfg(test)]
mod tests {
    use super::LanguageError;
    use crate::clock::Clock;
    use crate::query::language::parse;

    fn refusal(search: &str) -> LanguageError {
        let clock = Clock::frozen("2024-07-10T12:00:00Z".parse().unwrap());
        parse(search, &clock).unwrap_err()
    }

    fn assert_refusals(table: &[(&str, &str)]) {
        for (search, expected) in table {
            assert_eq!(refusal(search).to_string(), *expected, "search: {search}");
        }
    }

    #[test]
    fn an_error_names_the_operator_or_value_and_its_place() {
        assert_refusals(&[
            ("a form:ada", "unknown operator `form:` at character 3; did you mean `from:`?"),
            ("é form:(a b)", "unknown operator `form:` at character 3; did you mean `from:`?"),
            ("since:2024", "unknown operator `since:` at character 1; did you mean `after:`?"),
            (
                "is:unred",
                "`is:` does not know `unred` at character 4; it takes unread, read, starred, important, replied, draft, gone",
            ),
            (
                "has:(drive)",
                "`has:` does not know `drive` at character 6; it takes attachment, pdf, image, audio, video, document, spreadsheet, presentation, userlabels, nouserlabels",
            ),
            ("->", "there is no word to look for in `->` at character 1"),
            ("!!!", "there is no word to look for in `!!!` at character 1"),
            ("from:->", "there is no word to look for in `->` at character 6"),
            ("a \"->\"", "there is no word to look for in `->` at character 3"),
            ("in:inbox !!!", "there is no word to look for in `!!!` at character 10"),
            ("-a ...", "there is no word to look for in `...` at character 4"),
            ("a OR ???", "there is no word to look for in `???` at character 6"),
            ("a -!!", "there is no word to look for in `!!` at character 4"),
            ("(a OR in:inbox) !!", "there is no word to look for in `!!` at character 17"),
            ("{a !!}", "there is no word to look for in `!!` at character 4"),
            ("{", "there is no word to look for in `{` at character 1"),
            ("{is:read", "there is no word to look for in `{` at character 1"),
            ("a*", "`a*` at character 1 has too few letters before its star"),
            ("from:*", "`*` at character 6 has too few letters before its star"),
            ("a AROUND 5 b-c", "`AROUND` takes one word on each side, and `b-c` at character 12 is not one"),
            ("a AROUND 5", "`AROUND` at character 3 has no term on one of its sides"),
            ("a AROUND b", "`AROUND` at character 3 has no term on one of its sides"),
            ("AROUND (5)", "`AROUND` at character 1 has no term on one of its sides"),
            ("(a b) AROUND 5 c", "`AROUND` at character 7 has no term on one of its sides"),
            (
                "category:stuff",
                "`category:` does not know `stuff` at character 10; it takes primary, social, promotions, updates, forums, reservations, purchases",
            ),
            ("from:", "`from:` at character 1 has no value"),
            ("a subject: b", "`subject:` at character 3 has no value"),
            ("from:()", "`from:` at character 1 has no value"),
            ("from:\" \"", "`from:` at character 1 has no value"),
            ("(from:)", "`from:` at character 2 has no value"),
            ("rfc822msgid:<>", "`rfc822msgid:` at character 13 has no value"),
            ("after:2024-02-30", "`2024-02-30` at character 7 is not a date that `after:` can use"),
            ("on:13/13/2024", "`13/13/2024` at character 4 is not a date that `on:` can use"),
            ("older:x", "`x` at character 7 is not a date that `older:` can use"),
            ("older_than:7", "`7` at character 12 is not an age that `older_than:` can use"),
            ("larger:big", "`big` at character 8 is not a size that `larger:` can use"),
        ]);
    }

    #[test]
    fn an_error_names_the_sign_that_stands_wrong() {
        assert_refusals(&[
            ("OR a", "`OR` at character 1 has no term on one of its sides"),
            ("a OR", "`OR` at character 3 has no term on one of its sides"),
            ("a OR OR b", "`OR` at character 3 has no term on one of its sides"),
            ("(a AND)", "`AND` at character 4 has no term on one of its sides"),
            ("AND a", "`AND` at character 1 has no term on one of its sides"),
            ("a NOT", "`NOT` at character 3 has no term after it"),
            ("-OR", "`-` at character 1 has no term after it"),
            ("from:(a to:b)", "`to:` at character 9 stands inside `from:(...)`"),
            ("from:(a to:(b))", "`to:` at character 9 stands inside `from:(...)`"),
            ("a (b", "the parenthesis at character 3 is never closed"),
            ("{a (b}", "the parenthesis at character 4 is never closed"),
            ("a) b", "the `)` at character 2 closes nothing"),
            ("a \"b", "the quote at character 3 is never closed"),
            ("from:\"b", "the quote at character 6 is never closed"),
            ("a ()", "there is nothing between the parentheses at character 3"),
            ("a \"\"", "there is nothing between the quotes at character 3"),
        ]);
    }

    #[test]
    fn an_operator_nobody_meant_gets_the_whole_list() {
        let message = refusal("banana:1").to_string();

        assert!(
            message.starts_with("unknown operator `banana:` at character 1; the operators are from: to: cc:")
        );
    }

    #[test]
    fn every_error_hints_at_a_correction() {
        let hints = [
            ("form:ada", "write `from:ada`; to find the text itself, quote it: `\"form:ada\"`"),
            ("form:(a b) c", "write `from:(a b)`; to find the text itself, put it in quotes"),
            ("form:\"a b\" c", "write `from:\"a b\"`; to find the text itself, put it in quotes"),
            (
                "on:x",
                "write a day, week, month or year that exists, as in `on:2024-03-09`, `on:2024-03`, `on:yesterday`, `on:\"last week\"`",
            ),
            (
                "after:7d",
                "write a day, week, month or year that exists, as in `after:2024-03-09`, `after:2024-03`, `after:yesterday`, `after:\"last week\"`; for an age, `newer_than:7d`",
            ),
            ("has:drive", "the nearest there is: `has:attachment`"),
            ("has:youtube", "the nearest there is: `body:youtube`"),
            ("has:yellow-star", "the nearest there is: `is:starred`"),
            ("is:sent", "the nearest there is: `in:sent`"),
            ("has:pdfx", "write `has:pdf`"),
            ("x*", "write at least two, as in `inv*`"),
            (
                "!!!",
                "letters, digits, currency signs, arrows and emoji can be looked for; write a word beside it",
            ),
            ("a AROUND 3", "write `invoice AROUND 5 paid`; to find `AROUND` itself, quote it: `\"AROUND\"`"),
            ("banana:1", "to find the text itself, quote it: `\"banana:1\"`"),
            ("is:unred", "write `is:unread`"),
            (
                "to:",
                "write the value right after the colon, as in `to:bob@example.org`; to find `to:` itself, quote it",
            ),
            ("a OR", "write `invoice OR receipt`; to find `OR` itself, quote it: `\"OR\"`"),
            ("from:(a to:b)", "write them side by side: `from:ada to:bob`"),
            ("(a", "close it, as in `from:(ada OR bob)`, or put it in quotes"),
            ("a)", "remove it, or put it in quotes"),
            ("\"a", "close it, as in `\"two words\"`, or remove it"),
            ("()", "remove the parentheses, or put words between them"),
            ("older_than:x", "write a number and h, d, w, m (months) or y, as in `older_than:7d`"),
            ("smaller:x", "write bytes, or a number and k, M or G, as in `smaller:2M`"),
        ];
        for (search, expected) in hints {
            let error = refusal(search);
            assert_eq!(error.hint().as_deref(), Some(expected), "search: {search}");
        }
    }

    #[test]
    fn an_error_shows_a_long_or_hostile_value_safely() {
        let hostile = refusal("on:\"\u{1b}[2Jx\"").to_string();
        let long = refusal(&format!("on:{}", "9".repeat(9000))).to_string();

        assert_eq!(hostile, "`[2Jx` at character 4 is not a date that `on:` can use");
        assert!(long.len() < 150, "{long}");
    }
}
