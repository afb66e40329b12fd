//! What holds for every search and every tree, tried on random ones.

use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

use super::lexer::is_word;
use super::{Leaf, Query, Scope, State, parse};
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
    ]);
    let seconds = -9_000_000_000i64..9_000_000_000;
    let phrase = || "\\PC{0,8}[a-zé]\\PC{0,8}";
    prop_oneof![
        (scopes.clone(), "-{0,2}[a-zé0-9][a-z\"'.@-]{0,6}:?").prop_filter_map("not a word", word),
        (scopes, phrase()).prop_map(|(scope, text)| Leaf::Text { scope, text, exact: true }),
        states.prop_map(Leaf::Is),
        phrase().prop_map(Leaf::In),
        phrase().prop_map(Leaf::Label),
        phrase().prop_map(Leaf::Account),
        phrase().prop_map(Leaf::Thread),
        "[a-z@.]{1,9}".prop_map(Leaf::MessageId),
        "[a-z.]{1,9}".prop_map(Leaf::List),
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

fn word((scope, text): (Scope, String)) -> Option<Leaf> {
    is_word(&text).then_some(Leaf::Text { scope, text, exact: false })
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
    fn every_tree_is_read_back_as_it_was_printed(query in tree()) {
        prop_assert_eq!(parse(&query.to_string(), &clock()), Ok(query));
    }
}
