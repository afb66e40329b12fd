//! What the person releases assistants may read, although it carries a secret; nobody else can release anything.

use mailkeep::model::Audience;
use serde_json::{Value, json};

use super::audience::archive;
use crate::world::mail::mboxrd;
use crate::world::{Mail, World};

fn code(subject: &str, from: &str) -> Mail {
    Mail::new(subject).from(from).body("Your verification code is 482913. It expires in 10 minutes.")
}

fn shown(world: &World) -> u64 {
    archive(world, Audience::Assistant).count("", None).unwrap()
}

fn thread_of(world: &World, query: &str) -> String {
    let id = world.json(&["search", query])["results"][0]["id"].as_str().unwrap().to_owned();
    world.json(&["show", &id])["thread"].as_str().unwrap().to_owned()
}

#[test]
fn a_released_sender_is_read_by_assistants_now_and_later_until_it_is_taken_back() {
    let world = World::holding(&mboxrd([
        &code("Club code", "Club <no-reply@mail.club.example>").bytes(),
        &code("Bank code", "Bank <no-reply@bank.example>").bytes(),
    ]));
    let later = world.write("later.eml", code("Later", "Club <x@club.example>").bytes());

    let released = world.json(&["shield", "allow", "@Club.example"]);
    let now = shown(&world);
    world.import(&later);
    let then = shown(&world);
    let listed = world.json(&["shield", "allow", "--list"]);
    let removed = world.json(&["shield", "allow", "club.example", "--remove"]);

    assert_eq!((&released["changed"], now, then), (&json!(1), 1, 2));
    assert_eq!(listed, json!({ "senders": ["club.example"], "threads": [] }));
    assert_eq!((&removed["changed"], shown(&world)), (&json!(2), 0));
    world.assert_sound();
}

#[test]
fn what_is_released_outlives_a_change_of_the_rules_and_every_other_writer() {
    let world = World::holding(&mboxrd([&code("Club code", "Club <no-reply@club.example>").bytes()]));
    world.json(&["shield", "allow", "no-reply@club.example"]);
    let config = world.write("config.toml", "[shield]\nsenders = [\"bank.example\"]");

    world.json(&["--config", config.to_str().unwrap(), "shield", "apply"]);

    assert_eq!(shown(&world), 1);
    assert_eq!(world.json(&["shield", "allow", "--list"])["senders"], json!(["no-reply@club.example"]));
    world.assert_sound();
}

#[test]
fn the_owners_lists_withhold_what_is_released_all_the_same() {
    let world = World::holding(&mboxrd([&code("Bank code", "Bank <no-reply@bank.example>").bytes()]));
    let config = world.write("config.toml", "[shield]\nsenders = [\"bank.example\"]");

    world.json(&["--config", config.to_str().unwrap(), "shield", "allow", "bank.example"]);

    assert_eq!(shown(&world), 0);
}

#[test]
fn a_released_thread_is_open_for_those_who_were_in_it_and_opens_no_other_that_a_stranger_joins_to_it() {
    let question =
        code("Shared account", "Bob <bob@stone.example>").with("Message-ID", "<shared@stone.example>");
    let reset =
        code("Bank code", "Bank <no-reply@bank.example>").with("Message-ID", "<guessed@bank.example>");
    let world = World::holding(&mboxrd([&question.bytes(), &reset.bytes()]));
    let answer = code("Re: Shared account", "Bob <bob@stone.example>")
        .with("In-Reply-To", "<shared@stone.example>")
        .with("Message-ID", "<answer@stone.example>");
    let stranger = Mail::new("Hello")
        .from("Eve <eve@evil.example>")
        .with("References", "<shared@stone.example> <guessed@bank.example>");

    let id = thread_of(&world, "subject:shared");
    let released = world.json(&["shield", "allow", &format!("thread:{id}")]);
    world.import(&world.write("answer.eml", answer.bytes()));
    world.import(&world.write("stranger.eml", stranger.bytes()));
    world.json(&["shield", "apply"]);

    assert_eq!(released["changed"], 1);
    let subjects = |audience| {
        let page = mailkeep::query::Page { limit: 10, offset: 0 };
        let found = archive(&world, audience).search(&mailkeep::query::Question::of("", page)).unwrap();
        let mut subjects: Vec<String> = found.items.into_iter().map(|item| item.subject).collect();
        subjects.sort_unstable();
        subjects
    };
    assert_eq!(subjects(Audience::Assistant), ["Hello", "Re: Shared account", "Shared account"]);
    assert_eq!(subjects(Audience::Person).len(), 4);
    assert_eq!(thread_of(&world, "subject:bank"), thread_of(&world, "subject:shared"));
    assert_eq!(world.json(&["shield", "allow", &format!("thread:{id}"), "--remove"])["changed"], 2);
    world.assert_sound();
}

#[test]
fn threads_that_are_joined_later_are_open_for_those_who_were_in_the_released_one() {
    let first = code("First", "Bob <bob@stone.example>").with("Message-ID", "<first@stone.example>");
    let second = code("Second", "Bob <bob@stone.example>").with("Message-ID", "<second@stone.example>");
    let world = World::holding(&mboxrd([&first.bytes(), &second.bytes()]));
    let joins = Mail::new("Both").with("References", "<first@stone.example> <second@stone.example>");

    world.json(&["shield", "allow", &format!("thread:{}", thread_of(&world, "subject:second"))]);
    let before = shown(&world);
    world.import(&world.write("both.eml", joins.bytes()));

    assert_eq!((before, shown(&world)), (1, 3));
    world.assert_sound();
}

#[test]
fn shield_test_says_what_weighed_how_much_and_what_releases_it() {
    let world = World::holding(&mboxrd([&code("Club code", "Club <no-reply@club.example>").bytes()]));
    let id = world.json(&["search", "subject:club"])["results"][0]["id"].as_str().unwrap().to_owned();

    let before = world.json(&["shield", "test", &id]);
    world.json(&["shield", "allow", "club.example"]);
    let after = world.json(&["shield", "test", &id]);

    let weights = before["judged"]["weights"].as_array().unwrap();
    assert_eq!((&before["withheld"], &before["released"]), (&json!(true), &Value::Null));
    assert!(before["judged"]["score"].as_f64().unwrap() > 0.0);
    assert!(weights.len() > 3 && weights.iter().all(|weight| weight["weight"].as_f64() != Some(0.0)));
    assert!(!before.to_string().contains("482913"), "the explanation does not repeat the code");
    assert_eq!((&after["withheld"], &after["reasons"]), (&json!(false), &json!([])));
    assert_eq!(after["released"], "you released `club.example`");
}

#[test]
fn what_is_no_sender_or_not_released_is_an_error_that_says_so() {
    let world = World::holding(&mboxrd([&code("Club code", "Club <no-reply@club.example>").bytes()]));
    for (arguments, code) in [
        (&["shield", "allow", "club"][..], "bad_sender"),
        (&["shield", "allow", "thread:t999"], "not_found"),
        (&["shield", "allow", "other.example", "--remove"], "not_found"),
    ] {
        assert_eq!(world.failure(arguments)["code"], code, "{arguments:?}");
    }
    assert_eq!(shown(&world), 0);
}

#[test]
fn no_tool_can_release_anything() {
    let tools = mailkeep::tools::registry::table().to_lowercase();

    assert!(tools.contains("search_emails"));
    assert!(!tools.contains("shield") && !tools.contains("release") && !tools.contains("withh"));
}
