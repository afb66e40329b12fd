//! Searches by meaning and by both: what ran is said, operators hold for both, names and lists stay by words.

use serde_json::{Value, json};

use crate::world::assistant::{Assistant, text_of};
use crate::world::mail::mboxrd;
use crate::world::{Mail, World, list};

fn letters() -> Vec<Vec<u8>> {
    let letter = |subject: &str, body: &str| Mail::new(subject).body(body);
    let ada = "Ada Quist <ada@quist.example>";
    [
        letter(
            "House",
            "The boiler stopped working last night, we have no warm water and the flat is freezing.",
        ),
        letter("Boiler man", "The plumber repaired the boiler this morning; radiators are warm again.")
            .from(ada),
        letter("Board", "Minutes: the directors agreed to sell the old warehouse and to hire an accountant."),
        letter("Lisbon", "Your flight leaves at seven in the morning, please be at the gate early."),
        letter("Tonight", "I made too much lasagne. Come over for dinner, the kids would love to see you."),
        letter("Match", "What a goal in the last minute! Our team is through to the final of the cup."),
        letter("Sign in", "Your verification code is 482913. It expires in 10 minutes."),
    ]
    .iter()
    .map(Mail::bytes)
    .collect()
}

fn world() -> World {
    let world = World::holding(&mboxrd(&letters()));
    world.json(&["reindex", "--semantic"]);
    world
}

fn subjects(answer: &Value) -> Vec<&str> {
    list(&answer["results"]).iter().map(|item| item["subject"].as_str().unwrap()).collect()
}

/// The result of a call.
fn call(assistant: &mut Assistant, tool: &str, arguments: Value) -> Value {
    assistant.call(tool, arguments)["result"].clone()
}

#[test]
fn what_is_meant_is_found_in_other_words_and_the_answer_says_how() {
    let world = world();

    let semantic = world.json(&["search", "--mode", "semantic", "our heating is broken"]);
    let hybrid = world.json(&["search", "our heating is broken"]);

    assert_eq!((semantic["mode"].as_str(), hybrid["mode"].as_str()), (Some("semantic"), Some("hybrid")));
    for answer in [&semantic, &hybrid] {
        assert!(["House", "Boiler man"].contains(&subjects(answer)[0]), "{answer}");
        assert_eq!(answer["results"][0]["matched"], json!(["meaning"]));
        assert!(answer["indexed"]["messages"].as_u64() >= Some(6), "{answer}");
        assert!(!subjects(answer).contains(&"Sign in"));
    }
    assert_eq!((hybrid["total"].as_u64(), semantic["partial"].is_null()), (Some(0), true));
    assert!(semantic["results"][0]["snippet"].as_str().unwrap().contains("boiler"));
}

#[test]
fn both_arms_are_told_apart() {
    let world = world();

    let answer = world.json(&["search", "--mode", "hybrid", "boiler warm"]);

    assert_eq!(answer["total"], 2);
    assert_eq!(answer["results"][0]["matched"], json!(["words", "meaning"]));
    let others = list(&answer["results"]).iter().skip(2);
    assert!(others.into_iter().all(|item| item["matched"] == json!(["meaning"])));
}

#[test]
fn operators_hold_for_meaning_too() {
    let world = world();
    let found = |query: &str| {
        let answer = world.json(&["search", "--mode", "hybrid", query]);
        subjects(&answer).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };

    assert_eq!(found("heating broken from:quist"), ["Boiler man"]);
    assert!(
        !found("heating broken -boiler")
            .iter()
            .any(|subject| subject.contains("Boiler") || subject == "House")
    );
    assert_eq!(found("heating \"old warehouse\""), ["Board"]);
}

#[test]
fn names_single_words_and_lists_for_programs_go_by_words() {
    let world = world();
    let mode =
        |query: &[&str]| world.json(&[&["search"], query].concat())["mode"].as_str().unwrap().to_owned();

    assert_eq!(mode(&["ada quist"]), "lexical");
    assert_eq!(mode(&["boiler"]), "lexical");
    assert_eq!(mode(&["is:unread"]), "lexical");
    assert_eq!(mode(&["--sort", "newest", "warm boiler"]), "lexical");
    assert_eq!(mode(&["--limit", "1000", "warm boiler"]), "lexical");
    assert_eq!(mode(&["warm boiler"]), "hybrid");
    assert_eq!(mode(&["furnace"]), "hybrid", "a word that is nowhere is looked for by its meaning");
}

#[test]
fn drafts_are_found_once_there_are_vectors_and_a_mode_that_cannot_be_says_why() {
    let world = world();
    let mut assistant = Assistant::new(&world, &[]);
    let draft = json!({ "to": ["ada@quist.example"], "subject": "Offer", "body": "A copper kettle for your kitchen." });
    call(&mut assistant, "create_draft", draft);

    for query in ["is:draft copper kettle", "in:drafts copper kettle"] {
        let answer = world.json(&["search", query]);
        assert_eq!((subjects(&answer), answer["notes"].is_null()), (vec!["Offer"], true), "{answer}");
    }
    for (arguments, reason) in [
        (&["is:draft copper kettle"][..], "drafts have no vectors"),
        (&["--sort", "newest", "warm boiler"], "only the best match can come first by meaning"),
        (&["is:unread"], "there are no words whose meaning could be looked for"),
    ] {
        let answer = world.json(&[&["search", "--mode", "semantic"], arguments].concat());
        assert_eq!(answer["mode"], "lexical");
        assert!(answer["notes"].to_string().contains(reason), "{answer}");
    }
}

#[test]
fn every_answer_says_how_much_can_be_found_by_meaning() {
    let world = world();
    let id = world.json(&["search", "subject:house"])["results"][0]["id"].clone();
    let mut assistant = Assistant::new(&world, &["--profile", "core,db"]);

    let similar = call(&mut assistant, "similar_emails", json!({ "email_id": id }));
    let rows = call(&mut assistant, "db.search_emails", json!({ "query": "our heating boiler" }));

    let whole = json!({ "messages": 6, "of": 6 });
    for arguments in [&["is:unread"][..], &["--mode", "lexical", "warm boiler"]] {
        assert_eq!(world.json(&[&["search"], arguments].concat())["indexed"], whole);
    }
    assert_eq!(similar["structuredContent"]["indexed"], whole);
    let meta = &rows["_meta"];
    assert_eq!((&meta["mode"], &meta["indexed"]), (&json!("hybrid"), &whole), "{meta}");
    let first = list(&rows["structuredContent"]["items"])[0]["id"].to_string();
    assert_eq!(meta["matches"][first]["missing"], json!(["heating"]), "{meta}");
}

#[test]
fn a_page_of_partial_matches_does_not_say_that_nothing_matches() {
    let world = world();
    let mut assistant = Assistant::new(&world, &[]);

    let found = call(&mut assistant, "search_emails", json!({ "query": "our heating boiler", "limit": 1 }));

    assert!(text_of(&found).contains("More match in part or by meaning."), "{}", text_of(&found));
    assert!(!text_of(&found).contains("0 match."));
}

#[test]
fn pages_of_both_put_together_are_the_whole() {
    let world = world();
    let page = |offset: &str, limit: &str| {
        let answer =
            world.json(&["search", "--mode", "hybrid", "--limit", limit, "--offset", offset, "warm boiler"]);
        subjects(&answer).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let whole = page("0", "50");

    assert_eq!([page("0", "2"), page("2", "2"), page("4", "50")].concat(), whole);
    assert_eq!(page("0", "50"), whole);
}

#[test]
fn without_vectors_words_are_searched_and_that_is_said() {
    let world = World::holding(&mboxrd(&letters()));

    let asked = world.json(&["search", "--mode", "semantic", "warm boiler"]);
    let plain = world.json(&["search", "warm boiler"]);

    assert_eq!((asked["mode"].as_str(), plain["mode"].as_str()), (Some("lexical"), Some("lexical")));
    assert!(asked["notes"].to_string().contains("reindex --semantic"), "{asked}");
    assert!(plain["notes"].is_null(), "{plain}");
}

#[test]
fn similar_emails_mean_the_same_and_never_what_is_withheld() {
    let world = world();
    let id = world.json(&["search", "subject:house"])["results"][0]["id"].clone();
    let mut assistant = Assistant::new(&world, &[]);

    let similar = call(&mut assistant, "similar_emails", json!({ "email_id": id }));

    let items = list(&similar["structuredContent"]["items"]);
    assert_eq!(items[0]["subject"], "Boiler man");
    assert!(items.iter().all(|item| item["subject"] != "House" && item["subject"] != "Sign in"));
    assert!(text_of(&similar).contains("Mode: semantic"));
}

#[test]
fn an_assistant_chooses_the_mode_and_is_told_it() {
    let world = world();
    let mut assistant = Assistant::new(&world, &[]);

    let found =
        call(&mut assistant, "search_emails", json!({ "query": "heating out of order", "mode": "hybrid" }));

    assert_eq!(found["structuredContent"]["mode"], "hybrid");
    assert!(text_of(&found).contains("Mode: hybrid (6 of 6 emails have vectors)"), "{}", text_of(&found));
    assert!(text_of(&found).contains("Match: meaning"));
    let lexical = call(&mut assistant, "search_emails", json!({ "query": "warm boiler", "mode": "lexical" }));
    assert_eq!(lexical["structuredContent"]["mode"], "lexical");
}
