//! A search forgives: where all words find too little, what has some of them follows, marked; names find people; copies are
//! one entry. Operators forgive nothing.

use serde_json::Value;

use crate::reads_safely::audience::archive;
use crate::world::mail::mboxrd;
use crate::world::{Mail, World, list};

const ADA: &str = "Ada Lovelace <ada@analytical.example>";

fn day(subject: &str, day: u8) -> Mail {
    Mail::new(subject).date(&format!("{day} Jan 2026 09:00:00 +0000"))
}

fn letters() -> Vec<Mail> {
    vec![
        day("Advice", 1).body("The economic advisor writes about the harvest and the price of bread."),
        day("Harvest", 2).body("A poor harvest this year, and no bread."),
        day("Bread", 3).from(ADA).body("Where do you buy bread?"),
        day("Lovelace", 4).body("Did Ada Lovelace answer? Ada never does. Lovelace, Lovelace."),
        day("Notes", 5).from(ADA).body("Something else entirely."),
        day("Far apart", 6).body(&format!("copper {} kettle", "filler ".repeat(60))),
        day("Close by", 6).body(&format!("{} copper kettle", "filler ".repeat(60))),
    ]
}

fn world() -> World {
    World::holding(&mboxrd(&letters().iter().map(Mail::bytes).collect::<Vec<_>>()))
}

fn search(world: &World, query: &str) -> Value {
    world.json(&["search", "--limit", "5", "--mode", "lexical", query])
}

fn subjects(answer: &Value) -> Vec<&str> {
    list(&answer["results"]).iter().map(|item| item["subject"].as_str().unwrap()).collect()
}

#[test]
fn sender_and_subject_count_more_than_the_body_and_of_equals_the_younger_comes_first() {
    let body = |about: &str| format!("{about} {} else", "filler ".repeat(40));
    let letters = [
        day("One", 1).body(&body("lantern")),
        day("Two", 2).body(&body("lantern")),
        day("The lantern", 3).body(&body("nothing")),
        day("Three", 4).from("Lantern Works <post@lantern.example>").body(&body("nothing")),
    ];
    let world = World::holding(&mboxrd(&letters.iter().map(Mail::bytes).collect::<Vec<_>>()));

    let answer = search(&world, "lantern else");

    let found = subjects(&answer);
    assert_eq!(found[2..], ["Two", "One"], "{answer}");
    assert!(found[..2].contains(&"The lantern") && found[..2].contains(&"Three"), "{answer}");
}

#[test]
fn a_question_is_taken_as_people_write_it_and_says_what_was_passed_over() {
    let world = world();
    let subject = |query: &str| subjects(&search(&world, query)).first().map(|first| (*first).to_owned());

    for query in
        ["harvest :)", "b) harvest", "harvest (!)", "the (poor harvest", "harvest - bread", "poor \"harvest"]
    {
        assert!(["Harvest", "Advice"].map(str::to_owned).contains(&subject(query).unwrap()), "{query}");
    }
    let answer = search(&world, "harvest architecture:all");
    assert!(answer["notes"].to_string().contains("`architecture:` is no operator"), "{answer}");
    for query in ["form:ada", "from:(ada", ":)"] {
        assert_eq!(world.failure(&["search", query])["code"], "bad_query", "{query}");
    }
    assert_eq!(
        world.failure(&["forget", "--yes", "harvest)"])["code"],
        "bad_query",
        "no guess deletes anything"
    );
}

#[test]
fn what_has_some_of_the_words_follows_and_says_what_it_lacks() {
    let world = world();

    let answer = search(&world, "harvest bread economist");

    assert_eq!(answer["total"], 0);
    assert_eq!(answer["partial"], 3);
    let lacks = |subject: &str| {
        let found = list(&answer["results"]).iter().find(|item| item["subject"] == subject);
        found.unwrap()["missing"].clone()
    };
    assert_eq!(lacks("Harvest"), serde_json::json!(["economist"]));
    assert_eq!(lacks("Advice"), serde_json::json!(["economist"]));
    assert_eq!(lacks("Bread"), serde_json::json!(["harvest", "economist"]));
    let counts: Vec<_> =
        list(&answer["words"]).iter().map(|w| (w["word"].as_str(), w["messages"].as_u64())).collect();
    assert_eq!(counts[0], (Some("economist"), Some(0)));
    assert!(counts.contains(&(Some("harvest"), Some(2))) && counts.contains(&(Some("bread"), Some(3))));
    assert!(answer["notes"].to_string().contains("no message has all these words; with some of them"));
}

#[test]
fn what_has_all_words_comes_first_and_alone_is_counted() {
    let world = world();

    let answer = search(&world, "bread harvest poor");

    assert_eq!(subjects(&answer)[0], "Harvest");
    assert_eq!((answer["total"].as_u64(), answer["partial"].as_u64()), (Some(1), Some(2)));
    assert!(list(&answer["results"])[0]["missing"].is_null());
    let scores: Vec<_> =
        list(&answer["results"]).iter().map(|item| item["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|one, two| one >= two), "{scores:?}");
    assert_eq!(world.count("bread harvest poor"), 1);
    assert_eq!(world.found("bread harvest poor"), ["Harvest"], "a long list is for programs");
}

#[test]
fn operators_phrases_and_what_must_not_be_there_stay_strict() {
    let world = world();

    for (query, found) in [
        ("harvest bread from:ada", vec!["Bread"]),
        ("harvest bread -year", vec!["Advice", "Bread"]),
        ("\"poor harvest\" economist bread", vec!["Harvest"]),
        ("subject:harvest economist", vec![]),
        ("harvest OR economist", vec!["Harvest", "Advice"]),
    ] {
        let mut expected = found;
        let answer = search(&world, query);
        let mut shown = subjects(&answer);
        shown.sort_unstable();
        expected.sort_unstable();
        assert_eq!(shown, expected, "{query}");
    }
}

#[test]
fn a_bare_name_puts_that_persons_own_mails_first() {
    let world = world();

    for query in ["Ada Lovelace", "lovelace", "\"Ada Lovelace\"", "lovelace ada"] {
        let answer = search(&world, query);
        let own: Vec<_> = subjects(&answer).into_iter().take(2).collect();
        assert!(own.contains(&"Bread") && own.contains(&"Notes"), "{query}: {own:?}");
        assert_eq!(subjects(&answer)[2], "Lovelace", "{query}");
    }
}

#[test]
fn words_that_stand_close_together_count_more() {
    let world = world();

    assert_eq!(subjects(&search(&world, "copper kettle"))[0], "Close by");
    assert_eq!(subjects(&search(&world, "kettle copper"))[0], "Close by");
}

#[test]
fn near_identical_copies_are_one_entry() {
    let text: String = (0..60).map(|number| format!("offer{number} ")).collect();
    let letter = |number: u8, text: &str| {
        day("Our offer", number)
            .from(ADA)
            .with("Message-ID", &format!("<{number}@offer.example>"))
            .body(text)
            .bytes()
    };
    let letters = [
        letter(1, &text),
        letter(2, &text.replace("offer30 ", "another ")),
        letter(3, &text),
        letter(4, "offer1 offer2: something else this time"),
    ];
    let world = World::holding(&mboxrd(&letters));

    let answer = search(&world, "offer1 offer2");

    assert_eq!(answer["total"], 4);
    assert_eq!(subjects(&answer).len(), 2);
    let copies: Vec<_> = list(&answer["results"]).iter().map(|item| list_len(&item["copies"])).collect();
    assert_eq!(copies.iter().sum::<usize>(), 2);
    assert_eq!(world.found("offer1 offer2").len(), 4, "a long list is for programs");
}

fn list_len(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

#[test]
fn the_same_question_gets_the_same_answer_from_an_index_that_was_built_again() {
    let world = world();
    let ask = || {
        let mut answer = search(&world, "harvest bread economist");
        answer.as_object_mut().unwrap().remove("took_ms");
        answer
    };
    let before = ask();

    assert_eq!(ask(), before);
    world.json(&["reindex"]);

    assert_eq!(ask(), before);
}

#[test]
fn a_withheld_message_is_no_partial_match_and_is_not_counted() {
    let world = world();
    let question = mailkeep::query::Question::of(
        "economic harvest lighthouse",
        mailkeep::query::Page { limit: 5, offset: 0 },
    );
    let key = archive(&world, mailkeep::model::Audience::Person).matching("economic", None).unwrap()[0];
    let mut store = mailkeep::store::Store::open(&world.home().join("mail.db")).unwrap();
    let mut transaction = store.begin().unwrap();
    transaction.withhold(key, true).unwrap();
    transaction.commit().unwrap();

    let answer = archive(&world, mailkeep::model::Audience::Assistant).search(&question).unwrap();

    assert!(answer.items.iter().all(|item| item.subject != "Advice"));
    let count = |word: &str| answer.counts.iter().find(|count| count.word == word).unwrap().messages;
    assert_eq!((count("economic"), count("harvest"), count("lighthouse")), (0, 1, 0));
}
