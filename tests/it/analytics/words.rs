//! Keywords are found and counted by one rule over all messages; searches take whatever is typed; broken patterns are told.

use serde_json::{Value, json};

use super::fixture::{answer, column, ids, world};
use crate::world::mail::mboxrd;
use crate::world::random::Random;
use crate::world::{Mail, World};

/// Messages with words in random numbers, and how often each says `the` and `quote`.
fn mails() -> (Vec<Vec<u8>>, Vec<(usize, usize)>) {
    const OTHERS: [&str; 6] = ["blockquote", "then", "quoted", "Thé", "quote's", "other"];
    let mut random = Random::new(5);
    let (mut mails, mut counts) = (Vec::new(), Vec::new());
    for number in 0..700 {
        let words: Vec<&str> = (0..random.below(60))
            .map(|_| match random.below(4) {
                0 => "the",
                1 if number % 3 == 0 => "Quote",
                _ => OTHERS[random.below(OTHERS.len())],
            })
            .collect();
        let subject =
            if number % 10 == 0 { format!("The report {number}") } else { format!("Report {number}") };
        let body = words.join(" ");
        let count = |word: &str| {
            let all = format!("{subject} {body}").to_lowercase().replace('é', "e");
            all.split(|c: char| !c.is_alphanumeric()).filter(|found| *found == word).count()
        };
        counts.push((count("the"), count("quote")));
        mails.push(Mail::new(&subject).body(&body).bytes());
    }
    (mails, counts)
}

/// The rows of the best with their scores, as they are counted here; the newest first means the last row first only where
/// dates differ, and here none does.
fn best(counts: &[(usize, usize)], score: impl Fn(&(usize, usize)) -> Option<(usize, usize)>) -> Vec<Value> {
    let mut found: Vec<_> =
        (1..).zip(counts).filter_map(|(id, count)| score(count).map(|score| (score, id))).collect();
    found.sort_by_key(|((score, keywords), id)| (std::cmp::Reverse((*score, *keywords)), *id));
    found
        .into_iter()
        .map(|((score, keywords), id): ((usize, usize), u64)| json!([id, keywords, score]))
        .collect()
}

fn asked(world: &World, keywords: &[&str], mode: &str, limit: usize) -> Vec<Value> {
    let arguments = json!({ "keywords": keywords, "match_mode": mode, "limit": limit });
    let rows = answer(world, "get_emails_by_keywords", &arguments);
    let field = |row: &Value, name: &str| row[name].clone();
    rows.as_array()
        .unwrap()
        .iter()
        .map(|row| {
            json!([field(row, "id"), field(row, "keyword_match_count"), field(row, "keyword_match_score")])
        })
        .collect()
}

#[test]
fn keywords_are_scored_over_all_messages_by_the_rule_that_finds_them() {
    let (mails, counts) = mails();
    let world = World::holding(&mboxrd(&mails));

    let the = best(&counts, |(the, _)| (*the > 0).then_some((*the, 1)));
    let either = best(&counts, |(the, quote)| {
        let keywords = usize::from(*the > 0) + usize::from(*quote > 0);
        (keywords > 0).then_some((the + quote, keywords))
    });
    let both = best(&counts, |(the, quote)| (*the > 0 && *quote > 0).then_some((the + quote, 2)));

    assert!(the.len() > 600 && both.len() > 100, "{} {}", the.len(), both.len());
    assert_eq!(asked(&world, &["the"], "any", 100), the[..100]);
    assert_eq!(asked(&world, &["THE", "the"], "all", 10), the[..10], "the same word twice is one");
    assert_eq!(asked(&world, &["the", "quote"], "any", 1000), either);
    assert_eq!(asked(&world, &["quote", "the"], "all", 1000), both);
    assert_eq!(asked(&world, &["quote", "the"], "all", 7), both[..7]);
}

#[test]
fn keywords_of_several_words_and_of_scripts_without_spaces_are_counted_as_they_stand() {
    let world = World::holding(&mboxrd(&[
        Mail::new("one").body("new york, new  york; York New york").bytes(),
        Mail::new("New York").body("york").bytes(),
        Mail::new("三").body("東京都の東京タワー").bytes(),
    ]));

    assert_eq!(asked(&world, &["new york"], "any", 10), [json!([1, 1, 3]), json!([2, 1, 1])]);
    assert_eq!(asked(&world, &["東京"], "any", 10), [json!([3, 1, 2])]);
    assert_eq!(asked(&world, &["京都"], "any", 10), [json!([3, 1, 1])]);
}

#[test]
fn keywords_find_what_was_stored_a_moment_ago_and_leave_other_accounts_out() {
    let world = World::holding(&mboxrd(&[Mail::new("old").body("zebra").bytes()]));
    std::fs::remove_dir_all(world.home().join("text")).unwrap();
    let other = world.write("other.mbox", mboxrd(&[Mail::new("new").body("zebra zebra").bytes()]));
    world.import_as(&other, "eve@example.org");

    let all = asked(&world, &["zebra"], "any", 10);

    assert_eq!(all, [json!([2, 1, 2]), json!([1, 1, 1])]);
    let mut command = world.command(&["db", "mcp", "--quiet", "--address", "ada@example.org"]);
    let call =
        crate::world::conversation::call(1, "db.get_emails_by_keywords", &json!({ "keywords": ["zebra"] }));
    let told = crate::world::conversation::told(&crate::world::conversation::ask(&mut command, &[call])[&1]);
    assert_eq!(column(&told, "id"), [1]);
}

#[test]
fn a_search_takes_what_is_no_query_as_text() {
    let world = World::holding(&mboxrd(&[
        Mail::new("Form").body("form:x stands here").bytes(),
        Mail::new("Open").body("an \"open quote").bytes(),
        Mail::new("Other").body("nothing").bytes(),
    ]));

    assert_eq!(ids(&world, "search_emails", &json!({ "query": "form:x" })), [1]);
    assert_eq!(ids(&world, "search_emails", &json!({ "query": "\"open quote" })), [2]);
    assert_eq!(ids(&world, "search_emails", &json!({ "query": "(open" })), [2]);
    assert_eq!(ids(&world, "search_emails", &json!({ "query": "open", "item_types": "subject" })), [2]);
    assert_eq!(ids(&world, "search_emails", &json!({ "query": "stands", "item_types": "subject" })), [0; 0]);
    assert_eq!(
        ids(&world, "search_emails", &json!({ "query": "stands", "item_types": "subject,body" })),
        [1]
    );
}

#[test]
fn a_broken_expression_is_an_error_that_says_where() {
    let world = world();

    for pattern in ["([unclosed", "(((", "a{5", "*x", "(?<n", "\\p{Nope}"] {
        let message =
            super::edges::error(&world, "search_email_headers", &json!({ "header_pattern": pattern }));
        assert!(
            message.contains("header_pattern") && message.contains("no regular expression"),
            "{pattern}: {message}"
        );
    }
    assert_eq!(ids(&world, "search_email_headers", &json!({ "header_pattern": "^list-id: <l\\." })), [10]);
}
