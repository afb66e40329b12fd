//! Order, pages, totals, and answers that stay the same.

use serde_json::Value;

use super::letterbox;
use crate::world::mail::{many, mboxrd};
use crate::world::{Mail, World, list, read_json, told};

const QUERIES: [&str; 6] = ["", "numbers", "in:inbox", "from:p3", "word3 OR word5", "after:2021 -word2"];

fn ids(answer: &Value) -> Vec<String> {
    list(&answer["results"]).iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn pages_put_together_are_the_whole() {
    let world = World::holding(&mboxrd(&many(97)));

    for query in QUERIES {
        let whole = world.json(&["search", "--limit", "1000", query]);
        let pages = (0..97).step_by(10).flat_map(|offset| {
            let page = world.json(&["search", "--limit", "10", "--offset", &offset.to_string(), query]);
            assert_eq!(page["total"], whole["total"], "{query}");
            ids(&page)
        });

        let pages: Vec<_> = pages.collect();

        assert_eq!(pages, ids(&whole), "{query}");
        assert_eq!(whole["total"], pages.len(), "{query}");
        assert_eq!(world.count(query), pages.len() as u64, "{query}");
    }
}

#[test]
fn the_same_question_gets_the_same_answer() {
    let world = World::holding(&mboxrd(&many(97)));

    for query in QUERIES {
        assert_eq!(world.results(query), world.results(query), "{query}");
    }
}

#[test]
fn an_index_that_is_built_again_gives_the_same_answers() {
    let world = letterbox();
    let more = world.write("more.mbox", mboxrd(&many(97)));
    world.import(&more);
    let before = QUERIES.map(|query| world.results(query));

    world.json(&["reindex"]);

    assert_eq!(QUERIES.map(|query| world.results(query)), before);
}

#[test]
fn filters_list_the_newest_first_and_words_the_best() {
    let world = letterbox();

    let newest = world.json(&["search", "--limit", "1000", "larger:1"]);
    let best = world.found("cards");

    let dates: Vec<_> = list(&newest["results"]).iter().map(|item| item["date"].as_str().unwrap()).collect();
    assert!(dates.is_sorted_by(|a, b| a >= b), "{dates:?}");
    assert_eq!(best, ["Cards punched", "Re: Budget meeting"]);
}

#[test]
fn the_order_is_the_one_that_was_asked_for() {
    let world = letterbox();
    let dates = |sort: &str, query: &str| {
        let answer = world.json(&["search", "--sort", sort, "--limit", "3", query]);
        let date = |item: &Value| item["date"].as_str().unwrap()[..10].to_owned();
        list(&answer["results"]).iter().map(date).collect::<Vec<_>>()
    };
    let (newest, oldest) =
        (["2026-06-14", "2026-03-02", "2026-03-02"], ["2000-03-03", "2026-01-05", "2026-01-05"]);

    for query in ["", "larger:1", "a OR the OR nothing OR one OR from OR we OR larger:1"] {
        assert_eq!(dates("newest", query), newest.map(str::to_owned).to_vec(), "{query}");
        assert_eq!(dates("oldest", query), oldest.map(str::to_owned).to_vec(), "{query}");
    }
    assert_eq!(dates("oldest", "in:inbox")[0], "2000-03-03");
    assert_eq!(dates("newest", "cards")[0], "2026-01-06");
    assert_eq!(dates("oldest", "cards")[0], "2026-01-05");
    assert_eq!(dates("relevance", "cards")[0], "2026-01-06");
    assert_eq!(dates("relevance", "larger:1"), newest.map(str::to_owned).to_vec());
}

#[test]
fn an_answer_has_everything_a_list_shows() {
    let world = letterbox();

    let answer = world.json(&["search", "--limit", "5", "engine"]);

    let mut item = answer["results"][0].clone();
    let score = item["score"].take();
    assert_eq!(answer["query"], "engine");
    assert_eq!(answer["mode"], "lexical");
    assert_eq!(answer["total"], 1);
    assert!(answer["took_ms"].is_f64());
    assert!(score.as_f64() > Some(0.0), "{score}");
    assert_eq!(item["account"], "ada@example.org");
    assert_eq!(item["mailbox"], "INBOX");
    assert_eq!(item["message_id"], "Budget.meeting@test.example");
    assert_eq!(item["date"], "2026-01-05T09:00:00Z");
    assert_eq!(item["from"], "Ada Lovelace <ada.lovelace@analytical.example>");
    assert_eq!(item["snippet"], "We are meeting on Tuesday to talk about the engine.");
}

#[test]
fn a_home_without_mail_answers_as_an_empty_one_and_says_what_to_do() {
    let world = World::new();

    let count = world.run(&["--json", "count", "anything"]);
    let search = world.run(&["--json", "search", "anything"]);
    let stats = world.run(&["--json", "stats"]);

    assert_eq!(count.stdout, b"{\"count\":0}\n");
    for output in [&count, &search, &stats] {
        assert!(output.status.success(), "{}", told(output));
        assert!(String::from_utf8_lossy(&output.stderr).contains("mailkeep import"), "{}", told(output));
    }
    assert!(!world.home().exists());
}

#[test]
fn options_may_stand_before_or_behind_the_query() {
    let world = letterbox();

    let before = world.run(&["search", "--json", "--limit", "1", "from:stone"]);
    let behind = world.run(&["search", "from:stone", "--limit", "1", "--json"]);

    assert_eq!(ids(&read_json(&before)).len(), 1);
    assert_eq!(ids(&read_json(&behind)), ids(&read_json(&before)));
}

#[test]
fn a_query_may_begin_with_a_dash() {
    let world = letterbox();

    let output = world.run(&["--json", "count", "-is:read", "-from:stone"]);

    assert_eq!(read_json(&output)["count"], world.count("is:unread -from:stone"));
}

#[test]
fn each_hit_of_a_large_page_shows_its_own_text_whatever_the_messages_weigh() {
    let mails: Vec<_> = (0..40_u32)
        .map(|number| {
            let noise = (0..120_000_u32).map(|at| (at ^ number).wrapping_mul(2_654_435_761).to_be_bytes()[0]);
            let mail =
                Mail::new(&format!("Report {number}")).body(&format!("quarterly numbers of house {number}."));
            mail.attach("a.bin", "application/octet-stream", &noise.collect::<Vec<_>>()).bytes()
        })
        .collect();
    let world = World::holding(&mboxrd(&mails));

    let page = world.json(&["search", "quarterly", "--limit", "50"]);

    let results = page["results"].as_array().unwrap();
    assert_eq!(results.len(), 40);
    for item in results {
        let number = item["subject"].as_str().unwrap().trim_start_matches("Report ");
        assert_eq!(item["snippet"], format!("quarterly numbers of house {number}."));
    }
}
