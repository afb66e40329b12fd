//! The promises of the language as a whole: tables of searches and what they mean.

use super::{Leaf, MAX_DEPTH, MAX_LENGTH, MAX_TERMS, Nearness, OPERATORS, Query, Scope, State, parse};
use crate::clock::Clock;

fn clock() -> Clock {
    Clock::frozen("2024-07-10T12:00:00Z".parse().unwrap())
}

fn meaning(search: &str) -> String {
    parse(search, &clock()).map_or_else(|error| format!("error: {error}"), |query| query.to_string())
}

fn assert_meanings(table: &[(&str, &str)]) {
    for (search, expected) in table {
        assert_eq!(meaning(search), *expected, "search: {search}");
    }
}

fn text(scope: Scope, text: &str, exact: bool) -> Query {
    Query::Leaf(Leaf::Text { scope, text: text.to_owned(), exact })
}

#[test]
fn the_tree_says_what_was_asked() {
    let query = parse(r#"invoice "due now" from:(ada OR "Bob B") -is:read"#, &clock()).unwrap();

    assert_eq!(
        query,
        Query::And(vec![
            text(Scope::Anywhere, "invoice", false),
            text(Scope::Anywhere, "due now", true),
            Query::Or(vec![text(Scope::From, "ada", false), text(Scope::From, "Bob B", true)]),
            Query::Not(Box::new(Query::Leaf(Leaf::Is(State::Read)))),
        ])
    );
}

#[test]
fn an_empty_search_means_all_messages() {
    for search in ["", "  \t\n", "in:anywhere", "in:Anywhere (in:anywhere)", "a OR in:anywhere", "*"] {
        assert_eq!(parse(search, &clock()), Ok(Query::All), "search: {search}");
    }
}

#[test]
fn or_binds_tighter_than_standing_side_by_side() {
    assert_meanings(&[
        ("a b c", "a b c"),
        ("a b OR c", "a (b OR c)"),
        ("a AND b OR c", "a (b OR c)"),
        ("a OR b c OR d", "(a OR b) (c OR d)"),
        ("(a b) OR c", "(a b) OR c"),
        ("a OR (b OR (c))", "a OR b OR c"),
        ("a (b (c d))", "a b c d"),
        ("a or b and c not d", "a or b and c not d"),
        ("a OR(b c)", "a OR (b c)"),
        ("NOT a OR b", "-a OR b"),
        (r#""OR" "NOT""#, r#""OR" "NOT""#),
    ]);
}

#[test]
fn a_dash_negates_only_at_the_beginning_of_a_term() {
    assert_meanings(&[
        ("-a", "-a"),
        ("NOT a", "-a"),
        ("NOT NOT a", "a"),
        ("NOT -a", "a"),
        ("-(a b)", "-(a b)"),
        ("-(-a)", "a"),
        (r#"-"a b""#, r#"-"a b""#),
        ("-from:ada", "-from:ada"),
        ("-from:(ada bob)", "-(from:ada from:bob)"),
        ("from:(ada -bob)", "from:ada -from:bob"),
        ("e-mail foo-bar", "e-mail foo-bar"),
        ("a - b", "a b"),
        ("a -> b", "a b"),
        ("--force", "--force"),
        ("NOT --force", "NOT --force"),
        ("NOT >a -\">b\"", "NOT >a -\">b\""),
        ("from:-x label:-y", "from:-x label:-y"),
    ]);
}

#[test]
fn what_is_written_in_programs_is_read_as_it_stands() {
    assert_meanings(&[
        ("fork()", "fork()"),
        ("a.b() c", "a.b() c"),
        ("f(x) g(h(y))", "f(x) g(h(y))"),
        ("(see f(x))", "see f(x)"),
        ("subject:fork()", "subject:fork()"),
        (r#"printf("hi")"#, r#"printf("hi")"#),
        ("main(int argc)", "main int argc"),
        ("a OR(b)", "a OR b"),
        ("NOT(b)", "-b"),
        ("C++ C#", "C++ C#"),
        ("foo->bar Foo::bar x=y", "foo->bar Foo::bar x=y"),
        ("ada@example.org ~/.profile /usr/bin", "ada@example.org ~/.profile /usr/bin"),
        ("struct foo {", "struct foo"),
        ("${HOME} a{b}", "${HOME} a{b}"),
        ("label:{x", "label:x"),
    ]);
}

#[test]
fn braces_hold_alternatives() {
    assert_meanings(&[
        ("{a b}", "a OR b"),
        ("{ a b } c", "(a OR b) c"),
        ("from:{ada bob} -{c d}", "(from:ada OR from:bob) -(c OR d)"),
        ("{a (b c)}", "a OR (b c)"),
        ("({a b} c)", "(a OR b) c"),
        ("{a}", "a"),
        ("{a OR b c}", "a OR b OR c"),
        ("{from:me is:unread}", "from:me OR is:unread"),
    ]);
}

#[test]
fn signs_beside_words_are_passed_over_and_signs_that_are_indexed_are_words() {
    assert_meanings(&[
        ("Ada & Bob", "Ada Bob"),
        ("invoice – march !!!", "invoice march"),
        ("subject:(a & b)", "subject:a subject:b"),
        ("(a -> b) OR c", "(a b) OR c"),
        ("€", "€"),
        ("$", "$"),
        ("-€ 🎉", "-€ 🎉"),
    ]);
}

#[test]
fn a_star_leaves_the_end_of_a_word_open() {
    assert_meanings(&[
        (
            "inv* from:ada.lov* to:bo* subject:q1* filename:rep*",
            "inv* from:ada.lov* to:bo* subject:q1* filename:rep*",
        ),
        ("üb* 東*", "üb* 東*"),
        ("*", ""),
        ("* a", "a"),
        ("-*", "-in:anywhere"),
    ]);
    let notes = |search: &str| super::read(search, &clock()).unwrap().notes;
    assert_eq!(notes("a*b"), ["`*` stands for more letters only at the end of a word, not in `a*b`"]);
    assert!(notes("inv* *bold* \"a*b\" 2 * 3").is_empty());
    assert_eq!(
        notes("budget last week"),
        ["`last week` is looked for as words; `on:\"last week\"` finds mail of that time"]
    );
    assert!(notes("invoice 3 days ago")[0].contains("on:\"3 days ago\""));
    assert!(notes("last \"week\" of may").is_empty() && notes("on:last week budget").is_empty());
}

#[test]
fn words_near_each_other_are_one_term() {
    assert_meanings(&[
        ("a AROUND 5 b", "a AROUND 5 b"),
        ("a AROUND 5 b c", "a AROUND 5 b c"),
        ("-a AROUND 5 b OR c", "-a AROUND 5 b OR c"),
        ("subject:(a AROUND 5 b)", "subject:(a AROUND 5 b)"),
        ("subject:a AROUND 5 b", "subject:(a AROUND 5 b)"),
        (r#""secret AROUND 25 birthday""#, r#""secret AROUND 25 birthday""#),
        ("a \"AROUND\" b around", "a \"AROUND\" b around"),
    ]);
    let ordered = Nearness {
        scope: Scope::Anywhere,
        first: "a".to_owned(),
        second: "b".to_owned(),
        within: 3,
        ordered: true,
    };
    assert_eq!(parse(r#""a AROUND 3 b""#, &clock()), Ok(Query::Leaf(Leaf::Near(ordered))));
}

#[test]
fn operators_of_gmail_are_understood() {
    assert_meanings(&[
        ("+meeting", r#""meeting""#),
        ("label:inbox label:unread", "label:inbox label:unread"),
        ("category:Promotions category:personal", "category:promotions category:primary"),
        ("older:2024/04/16 newer:2024", "before:2024-04-16T00:00:00Z after:2024-01-01T00:00:00Z"),
        ("older:7d", "before:2024-07-03T12:00:00Z"),
        ("size:1000000", "larger:1000000"),
        ("deliveredto:ada@a.example", "to:ada@a.example OR account:ada@a.example"),
        ("is:important", "is:important"),
        ("has:userlabels has:nouserlabels", "has:userlabels -has:userlabels"),
        ("has:pdf has:images", "type:pdf type:image"),
        ("has:presentation", "type:ppt OR type:pptx OR type:odp OR type:key OR type:gslides"),
        ("from:me to:Me cc:me bcc:me", "from:me to:me cc:me bcc:me"),
        ("from:\"me\" subject:me", "from:\"me\" subject:me"),
        ("after:1704067200", "after:2024-01-01T00:00:00Z"),
    ]);
}

#[test]
fn operators_take_a_word_a_phrase_or_a_group() {
    assert_meanings(&[
        ("From:ada TO:bob", "from:ada to:bob"),
        (r#"from:"Ada Lovelace""#, r#"from:"Ada Lovelace""#),
        ("from:“Ada Lovelace”", r#"from:"Ada Lovelace""#),
        ("subject:(two words)", "subject:two subject:words"),
        ("from:(ada (bob OR eve))", "from:ada (from:bob OR from:eve)"),
        ("is:(unread OR starred)", "is:unread OR is:starred"),
        ("cc:a bcc:b body:c filename:d attachment:e", "cc:a bcc:b body:c filename:d attachment:e"),
        ("from:a:b from:OR", "from:a:b from:OR"),
        ("from:(:b)", "from:(:b)"),
        (r#"label:"To do" label:work/open"#, r#"label:"To do" label:work/open"#),
        (r#"in:Inbox in:"anywhere""#, r#"in:Inbox in:"anywhere""#),
        ("type:PDF", "type:pdf"),
        ("rfc822msgid:<a@b> list:<x.y>", "rfc822msgid:a@b list:x.y"),
        ("thread:42 account:ada@example.org", "thread:42 account:ada@example.org"),
        ("has:attachment has:Attachments", "has:attachment has:attachment"),
        ("is:unseen is:seen is:flagged is:answered", "is:unread is:read is:starred is:replied"),
        ("is:Unread is:draft", "is:unread is:draft"),
        ("larger:2M smaller:1.5k", "larger:2097152 smaller:1536"),
    ]);
}

#[test]
fn dates_and_ages_become_spans_of_seconds() {
    assert_meanings(&[
        ("after:2024-03-01", "after:2024-03-01T00:00:00Z"),
        ("before:2024/03", "before:2024-03-01T00:00:00Z"),
        ("on:2024-02", "on:2024-02-01T00:00:00Z..2024-02-29T23:59:59Z"),
        ("on:yesterday", "on:2024-07-09T00:00:00Z..2024-07-09T23:59:59Z"),
        ("older_than:7d", "before:2024-07-03T12:00:00Z"),
        ("newer_than:1m", "after:2024-06-10T12:00:00Z"),
        ("after:last week budget", "after:2024-07-01T00:00:00Z budget"),
        ("after:\"last week\"", "after:2024-07-01T00:00:00Z"),
        ("on:march 2024", "on:2024-03-01T00:00:00Z..2024-03-31T23:59:59Z"),
        ("on:(march 2024)", "on:2024-03-01T00:00:00Z..2024-03-31T23:59:59Z"),
        ("on:10 march 2023 apples", "on:2023-03-10T00:00:00Z..2023-03-10T23:59:59Z apples"),
        ("before:3 days ago", "before:2024-07-07T00:00:00Z"),
        ("after:monday 10", "after:2024-07-08T00:00:00Z 10"),
        ("after:2024 march", "after:2024-01-01T00:00:00Z march"),
        ("on:last 7 days", "on:2024-07-03T12:00:00Z..2024-07-10T12:00:00Z"),
        (
            "on:(today OR 2023)",
            "on:2024-07-10T00:00:00Z..2024-07-10T23:59:59Z OR on:2023-01-01T00:00:00Z..2023-12-31T23:59:59Z",
        ),
    ]);
    let day = Leaf::Dated { from: Some(1_720_569_600), until: Some(1_720_656_000) };
    assert_eq!(parse("on:today", &clock()), Ok(Query::Leaf(day)));
}

#[test]
fn a_colon_that_belongs_to_the_text_is_text() {
    let words = [
        "12:30",
        "http://x.y",
        "https://example.org/a?b:c",
        "gopher://x",
        "mailto:ada@example.org",
        "tel:+49301",
        "Re:",
        "AW:",
        "a::b",
        "std::fmt",
        "thread::spawn",
        "fe80::1",
        r"C:\mail",
        "x:/y",
        ":smile:",
        "<a:b>",
        "größe:5",
        "a.b:c",
    ];
    for word in words {
        assert_eq!(parse(word, &clock()), Ok(text(Scope::Anywhere, word, false)), "{word}");
    }
    assert_meanings(&[("Re: invoice", "Re: invoice"), ("(Re:)", "Re:")]);
}

#[test]
fn quotes_hold_what_would_otherwise_be_syntax() {
    let phrases = [
        (r#""form:ada""#, "form:ada"),
        (r#""a (b""#, "a (b"),
        (r#""say \"hi\"""#, r#"say "hi""#),
        (r#""C:\\""#, r"C:\"),
        (r#""C:\mail""#, r"C:\mail"),
        ("“a \"b\" c”", r#"a "b" c"#),
        ("„a b“", "a b"),
        ("”a b”", "a b"),
        (r#""“a”""#, "“a”"),
    ];
    for (search, phrase) in phrases {
        assert_eq!(parse(search, &clock()), Ok(text(Scope::Anywhere, phrase, true)), "{search}");
    }
    assert_meanings(&[(r#"צה"ל 5"disk"#, r#"צה"ל 5"disk"#), (r#""a b"c(d)"#, r#""a b" c(d)"#)]);
}

#[test]
fn a_search_keeps_within_its_limits() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    let terms = |count: usize| "a ".repeat(count);

    assert_eq!(meaning(&nested(MAX_DEPTH)), "a");
    assert_eq!(
        meaning(&nested(MAX_DEPTH + 1)),
        "error: the parenthesis at character 51 is nested more than 50 deep"
    );
    assert_eq!(parse(&terms(MAX_TERMS), &clock()).unwrap().leaves().len(), MAX_TERMS);
    assert_eq!(
        meaning(&terms(MAX_TERMS + 1)),
        "error: the search has more than 500 terms; the next is at character 1001"
    );
    assert_eq!(meaning(&"é".repeat(MAX_LENGTH)), "é".repeat(MAX_LENGTH));
    assert_eq!(meaning(&"é".repeat(MAX_LENGTH + 1)), "error: the search is longer than 10000 characters");
    assert_eq!(meaning(&format!("{}a", "NOT ".repeat(2498))), "a");
    assert!(meaning(&"(".repeat(MAX_LENGTH)).starts_with("error"));
}

#[test]
fn every_operator_of_the_table_parses_its_example() {
    for operator in OPERATORS {
        assert!(operator.example.contains(&format!("{}:", operator.name)), "{}", operator.name);
        assert!(parse(operator.example, &clock()).is_ok(), "{}", operator.example);
    }
}

#[test]
fn words_rank_and_filters_do_not() {
    let ranked = |search: &str| parse(search, &clock()).unwrap().is_ranked();

    assert!(["a", "\"a b\" is:read", "subject:a", "body:a", "attachment:a"].into_iter().all(ranked));
    assert!(!["", "from:a", "to:a filename:b", "-a is:read", "larger:1"].into_iter().any(ranked));
}
