//! Mail is found by what it means: by vectors that a kill, a full disk, another model or a damaged file never make wrong.

mod endpoint;
mod indexing;
mod mending;

use std::sync::Arc;

use mailkeep::home::Home;
use mailkeep::index::IndexError;
use mailkeep::index::embedder::Models;
use mailkeep::index::semantic::SemanticIndex;
use mailkeep::store::Reader;
use serde_json::Value;

use crate::world::mail::mboxrd;
use crate::world::{Mail, World};

/// Messages about different things, and one whose text is a key.
fn letters() -> Vec<Vec<u8>> {
    let letter = |subject: &str, body: &str| Mail::new(subject).body(body).bytes();
    vec![
        letter(
            "House",
            "The boiler stopped working last night, we have no warm water and the flat is freezing.",
        ),
        letter("Board", "Minutes: the directors agreed to sell the old warehouse and to hire an accountant."),
        letter(
            "Lisbon",
            "Your flight leaves at seven in the morning, please be at the gate half an hour before.",
        ),
        letter("Tonight", "I made too much lasagne. Come over for dinner, the kids would love to see you."),
        letter("Match", "What a goal in the last minute! Our team is through to the final of the cup."),
        letter("Sign in", "Your verification code is 482913. It expires in 10 minutes."),
    ]
}

/// A home with these messages and their vectors.
fn read_home() -> World {
    let world = World::holding(&mboxrd(&letters()));
    world.json(&["reindex", "--semantic"]);
    world
}

fn open(world: &World) -> Result<Option<(SemanticIndex, Reader)>, IndexError> {
    let home = Home::at(world.home());
    let reader = Reader::open(&home.store()).unwrap();
    let models = Arc::new(Models::bundled());
    Ok(SemanticIndex::open(&home.vectors(), &reader, &models)?.map(|index| (index, reader)))
}

/// The subjects of what is nearest to a question, the nearest first.
fn nearest(world: &World, question: &str) -> Vec<String> {
    let (mut index, reader) = open(world).unwrap().expect("there are vectors");
    let near = index.nearest(&reader, question, 10, None).unwrap();
    near.iter().map(|one| reader.message(one.message).unwrap().expect("it is there").subject).collect()
}

fn state(world: &World) -> Value {
    world.json(&["status"])["semantic"].clone()
}

#[test]
fn a_question_in_other_words_finds_the_message_and_the_passage() {
    let world = read_home();

    for (question, subject) in [
        ("heating is broken", "House"),
        ("decisions of the management", "Board"),
        ("when does my plane go", "Lisbon"),
        ("invitation to eat", "Tonight"),
        ("football", "Match"),
    ] {
        assert_eq!(nearest(&world, question)[0], subject, "{question}");
    }
    let (mut index, reader) = open(&world).unwrap().unwrap();
    let near = index.nearest(&reader, "heating is broken", 1, None).unwrap().remove(0);
    let text = reader.text(near.message).unwrap();
    assert!(text[near.passages[0].range.clone()].starts_with("The boiler"), "{near:?}");
}

#[test]
fn what_is_like_a_message_is_found_without_itself_and_within_what_is_asked_for() {
    let world = read_home();
    let (mut index, reader) = open(&world).unwrap().unwrap();
    let house = index.nearest(&reader, "heating is broken", 1, None).unwrap()[0].message;

    let similar = index.similar(&reader, house, 10, None).unwrap().expect("it has vectors");
    let allowed = similar[1..3].iter().map(|near| near.message.0.cast_unsigned()).collect();
    let some = index.similar(&reader, house, 10, Some(&allowed)).unwrap().expect("it has vectors");

    assert_eq!(similar.len(), 4);
    assert!(similar.iter().all(|near| near.message != house));
    assert_eq!(
        some.iter().map(|near| near.message).collect::<Vec<_>>(),
        [similar[1].message, similar[2].message]
    );
}

#[test]
fn a_withheld_message_is_never_read_for_its_meaning() {
    let world = read_home();

    let found = nearest(&world, "Your verification code is 482913");

    assert_eq!(found.len(), 5);
    assert!(!found.contains(&"Sign in".to_owned()));
    assert_eq!((&state(&world)["indexed"], &state(&world)["total"]), (&5.into(), &5.into()));
}

#[test]
fn what_becomes_withheld_is_not_found_from_then_on_and_its_vector_goes() {
    let world = World::holding(&mboxrd(&[
        Mail::new("Account")
            .from("bank@bank.example")
            .body("The balance of your savings account is low.")
            .bytes(),
        Mail::new("Garden").body("The roses need water.").bytes(),
    ]));
    world.json(&["reindex", "--semantic"]);
    let (mut index, reader) = open(&world).unwrap().unwrap();
    assert_eq!(index.nearest(&reader, "money", 10, None).unwrap().len(), 2);
    let config = world.write("config.toml", "[shield]\nsenders = [\"bank.example\"]\n");

    let applied = world.command(&["shield", "apply"]).env("MAILKEEP_CONFIG", &config).output().unwrap();

    assert!(applied.status.success());
    assert_eq!(index.nearest(&reader, "money", 10, None).unwrap().len(), 1);
    world.json(&["reindex", "--semantic", "--only-new"]);
    assert_eq!(state(&world)["indexed"], 1);
}
