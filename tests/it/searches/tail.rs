//! What is stored can be found at once, also while another process keeps the index to itself.

use mailkeep::index::{Effort, Indexer};

use crate::world::documents::pdf;
use crate::world::mail::{many, mboxrd};
use crate::world::{Mail, World};

#[test]
fn messages_that_are_stored_but_not_indexed_are_found() {
    let world = World::holding(&mboxrd(&many(30)));
    let attached = Mail::new("Fresh paper").attach("f.pdf", "application/pdf", &pdf("freshword"));
    let fresh = [Mail::new("Fresh letter").body("freshly numbers").bytes(), attached.bytes()];
    let file = world.write("fresh.mbox", mboxrd(&fresh));
    let other =
        Indexer::try_open(&world.home().join("text"), &reader(&world), Effort::Gentle).unwrap().unwrap();

    world.import(&file);

    assert_eq!(world.json(&["status"])["not_indexed"], 2);
    assert_eq!(world.count("numbers"), 31);
    assert_eq!(world.found("subject:fresh -subject:letter"), ["Fresh paper"]);
    assert_eq!(world.found("attachment:freshword"), ["Fresh paper"]);
    assert_eq!(world.failure(&["reindex", "--only-new"])["code"], "index_busy");
    drop(other);
    assert_eq!(world.json(&["reindex", "--only-new"])["indexed"], 2);
    assert_eq!(world.json(&["status"])["not_indexed"], 0);
    assert_eq!(world.count("numbers"), 31);
    assert_eq!(world.found("attachment:freshword"), ["Fresh paper"]);
    world.assert_sound();
}

#[test]
fn the_next_import_indexes_what_another_one_could_not() {
    let world = World::holding(&mboxrd(&many(10)));
    let first = world.write("first.eml", Mail::new("First").bytes());
    let second = world.write("second.eml", Mail::new("Second").bytes());
    let other =
        Indexer::try_open(&world.home().join("text"), &reader(&world), Effort::Gentle).unwrap().unwrap();
    world.import(&first);
    drop(other);

    world.import(&second);

    assert_eq!(world.json(&["status"])["not_indexed"], 0);
    assert_eq!(world.count("first OR second"), 2);
    world.assert_sound();
}

#[test]
fn without_any_index_everything_is_found_all_the_same() {
    let world = World::holding(&mboxrd(&many(30)));
    let answer = world.found("numbers");
    std::fs::remove_dir_all(world.home().join("text")).unwrap();

    assert_eq!(world.found("numbers"), answer);
}

fn reader(world: &World) -> mailkeep::store::Reader {
    mailkeep::store::Reader::open(&world.home().join("mail.db")).unwrap()
}
