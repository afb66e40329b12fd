//! What holds for every search and every tree, tried on random ones.

use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

use super::lexer::is_word;
use super::words::has_words;
use super::{Leaf, Nearness, Query, Scope, State, parse};
use crate::clock::Clock;

fn clock() -> Clock {
    Clock::frozen("2024-07-10T12:00:00Z".parse().unwrap())
}

/// Pieces that mean something to the language, so that random searches reach beyond the lexer.
fn search() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a",
        "b-c",
        "\"",
        "\"x y\"",
        "(",
        ")",
        " ",
        " ",
        "OR",
        " OR ",
        "AND",
        "NOT ",
        "-",
        "--",
        ":",
        "from:",
        "to:(",
        "is:read",
        "on:2024..",
        "today",
        "older_than:9",
        "m",
        "larger:",
        "1.5",
        "k",
        "Re:",
        "//",
        "\\",
        "“",
        "é",
        "in:anywhere",
        "{",
        "}",
        "from:{",
        "€",
        "->",
        "NOT >",
        "!!!",
        "*",
        "inv*",
        "f(x)",
        "()",
        " AROUND 5 ",
        "+",
        "after:",
        "last week",
        " march ",
        "3/4/2024",
        "from:me",
        "has:pdf",
        "category:social",
        "rfc822msgid:<",
        ">",
        "\u{0}",
    ]);
    prop_oneof![any::<String>(), prop::collection::vec(pieces, 0..30).prop_map(|pieces| pieces.concat())]
}

fn leaf() -> impl Strategy<Value = Leaf> {
    let scopes = prop::sample::select(vec![
        Scope::Anywhere,
        Scope::From,
        Scope::To,
        Scope::Cc,
        Scope::Bcc,
        Scope::Subject,
        Scope::Body,
        Scope::FileName,
        Scope::AttachmentText,
    ]);
    let states = prop::sample::select(vec![
        State::Unread,
        State::Read,
        State::Starred,
        State::Replied,
        State::Draft,
        State::Gone,
        State::Important,
    ]);
    let seconds = -9_000_000_000i64..9_000_000_000;
    let phrase = || "\\PC{0,8}[a-zé]\\PC{0,8}";
    prop_oneof![
        (scopes.clone(), "[->]{0,2}[a-zé0-9][a-z\"'.@-]{0,6}:?").prop_filter_map("not a word", word),
        (scopes, phrase()).prop_map(|(scope, text)| Leaf::Text { scope, text, exact: true }),
        near(),
        prop::sample::select(vec![Scope::From, Scope::To, Scope::Cc, Scope::Bcc]).prop_map(Leaf::Me),
        prop::sample::select(vec!["primary", "social"]).prop_map(|name| Leaf::Category(name.to_owned())),
        Just(Leaf::HasUserLabels),
        states.prop_map(Leaf::Is),
        phrase().prop_map(Leaf::In),
        phrase().prop_map(Leaf::Label),
        phrase().prop_map(Leaf::Account),
        phrase().prop_map(Leaf::Thread),
        "[a-z@.]{1,9}".prop_map(Leaf::MessageId),
        "[a-z][a-z.]{0,8}".prop_map(Leaf::List),
        Just(Leaf::HasAttachment),
        "[a-z/*]{1,9}".prop_map(Leaf::Type),
        seconds.clone().prop_map(|from| Leaf::Dated { from: Some(from), until: None }),
        seconds.clone().prop_map(|until| Leaf::Dated { from: None, until: Some(until) }),
        (seconds, 1i64..1_000_000)
            .prop_map(|(from, length)| Leaf::Dated { from: Some(from), until: Some(from + length) }),
        (0..=i64::MAX as u64).prop_map(Leaf::Larger),
        (0..=i64::MAX as u64).prop_map(Leaf::Smaller),
    ]
}

/// `me` would be the owner.
fn word((scope, text): (Scope, String)) -> Option<Leaf> {
    (is_word(&text) && text != "me").then_some(Leaf::Text { scope, text, exact: false })
}

fn near() -> impl Strategy<Value = Leaf> {
    let scopes = prop::sample::select(vec![Scope::Anywhere, Scope::Subject, Scope::Body]);
    let word = || "-{0,2}[a-zé0-9]{1,5}[*+:]{0,1}";
    (scopes, word(), word(), 1..=10_000_u32, any::<bool>()).prop_map(
        |(scope, first, second, within, ordered)| {
            Leaf::Near(Nearness { scope, first, second, within, ordered })
        },
    )
}

/// Whether everything is asked for in so many words.
fn asks_for_everything(search: &str) -> bool {
    let search = search.to_lowercase();
    search.contains("in:")
        || search.contains('*')
        || search.chars().all(|c| c.is_whitespace() || c.is_control())
}

fn tree() -> BoxedStrategy<Query> {
    let leaf = prop_oneof![1 => Just(Query::All), 9 => leaf().prop_map(Query::Leaf)];
    let grown = leaf.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Query::and),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Query::or),
            inner.prop_map(Query::negated),
        ]
    });
    grown.boxed()
}

proptest! {
    #[test]
    fn no_text_is_too_strange_to_be_read_or_refused(search in search()) {
        if let Err(error) = parse(&search, &clock()) {
            prop_assert_eq!(error.position().min(search.chars().count()), error.position());
        }
    }

    #[test]
    fn what_was_understood_is_printed_so_that_it_is_understood_again(search in search()) {
        if let Ok(query) = parse(&search, &clock()) {
            prop_assert_eq!(parse(&query.to_string(), &clock()), Ok(query));
        }
    }

    #[test]
    fn no_search_means_everything_but_one_that_says_so(search in search()) {
        if let Ok(query) = parse(&search, &clock()) {
            prop_assert_eq!(query == Query::All && !asks_for_everything(&search), false);
            let wordless = |leaf: &&Leaf| matches!(leaf, Leaf::Text { text, .. } if !has_words(text));
            prop_assert_eq!(query.leaves().into_iter().find(wordless), None);
        }
    }

    #[test]
    fn every_tree_is_read_back_as_it_was_printed(query in tree()) {
        prop_assert_eq!(parse(&query.to_string(), &clock()), Ok(query));
    }
}
