//! Who makes vectors, when, and what is left when it is cut off.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use mailkeep::home::Home;
use mailkeep::index::embedder::Models;
use mailkeep::index::semantic::{Progress, SemanticIndexer};
use mailkeep::store::Reader;
use serde_json::json;

use super::{letters, nearest, state};
use crate::speaks_mcp::over_http::Served;
use crate::world::assistant::Assistant;
use crate::world::dovecot::Dovecot;
use crate::world::mail::{many, mboxrd};
use crate::world::{Mail, World, eventually};

/// Waits until so many messages have vectors.
fn wait_for(world: &World, indexed: u64) {
    let until = Instant::now() + Duration::from_secs(600);
    while state(world)["indexed"] != indexed {
        assert!(Instant::now() < until, "{}", state(world));
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_server_makes_vectors_of_what_is_there_and_of_new_mail() {
    let world = World::holding(&mboxrd(&letters()));
    assert_eq!(state(&world)["state"], "none");
    let mut command = world.command(&["serve", "--listen", "127.0.0.1:0", "--no-token"]);
    let mut served = Served::run(command.env("LOG_FILE", world.path("server.log")));
    wait_for(&world, 5);

    let news =
        world.write("news.eml", Mail::new("Harbour").body("The ship was late because of the storm.").bytes());
    world.import(&news);
    wait_for(&world, 6);

    assert_eq!(nearest(&world, "vessel delayed by bad weather")[0], "Harbour");
    served.process.kill().unwrap();
    served.process.wait().unwrap();
}

fn finish(indexer: &mut SemanticIndexer<'_>, reader: &Reader) -> Progress {
    loop {
        let now = indexer.step(reader, &AtomicBool::new(false)).unwrap().expect("nobody stops it");
        if now.is_done {
            return now;
        }
    }
}

#[test]
fn who_rested_goes_on_with_what_changed_and_gives_way_to_others() {
    let world = World::holding(&mboxrd(&letters()));
    let (home, models) = (Home::at(world.home()), Models::bundled());
    let reader = Reader::open(&home.store()).unwrap();
    let mut indexer = SemanticIndexer::try_open(&home.vectors(), &reader, &models).unwrap().unwrap();
    assert_eq!(finish(&mut indexer, &reader).indexed, 5);

    indexer.rest().unwrap();
    world.json(&["verify"]);
    let news = world.write("news.eml", Mail::new("Harbour").body("The ship was late.").bytes());
    world.import(&news);
    assert!(indexer.resume().unwrap(), "nobody has written");
    assert_eq!(finish(&mut indexer, &reader).indexed, 6);

    indexer.rest().unwrap();
    world.json(&["forget", "subject:House", "--yes"]);
    assert!(!indexer.resume().unwrap(), "what was forgotten is erased by another process");
}

#[test]
fn a_server_mends_vectors_that_a_question_found_damaged() {
    let world = super::read_home();
    let mut command = world.command(&["serve", "--listen", "127.0.0.1:0", "--no-token"]);
    let mut served = Served::run(command.env("LOG_FILE", world.path("server.log")));
    // Once it has looked, it reads nothing anew by itself.
    std::thread::sleep(Duration::from_secs(4));
    let path = world.home().join("vectors/1.vectors");
    let mut bytes = fs::read(&path).unwrap();
    bytes[100] ^= 1;
    fs::write(&path, bytes).unwrap();

    world.json(&["search", "the flat is freezing"]);

    wait_for(&world, 5);
    eventually("the question is answered by meaning again", || {
        world.json(&["search", "the flat is freezing"])["mode"] == "hybrid"
    });
    served.process.kill().unwrap();
    served.process.wait().unwrap();
}

#[test]
fn nothing_else_waits_for_vectors_or_makes_them() {
    let world = World::holding(&mboxrd(&letters()));

    world.json(&["search", "boiler"]);
    world.json(&["reindex"]);
    world.json(&["verify"]);
    let demo = World::new();
    demo.json(&["demo", "--once"]);
    let mut assistant = Assistant::new(&world, &[]);
    assistant.call("search_emails", json!({ "query": "heating is broken", "mode": "hybrid" }));

    assert!(!world.home().join("vectors").exists() && !demo.home().join("vectors").exists());
    let told = String::from_utf8(world.run(&["status"]).stdout).unwrap();
    assert!(told.contains("mailkeep serve"), "{told}");
}

#[test]
fn a_sync_makes_no_vectors() {
    let Some(server) = Dovecot::start("a_sync_makes_no_vectors") else { return };
    server.client("ada").append("INBOX", "", &letters()[0]);
    let world = World::with_account(server.port, "ada");

    world.sync();

    assert_eq!((world.count(""), world.home().join("vectors").exists()), (1, false));
}

#[test]
fn a_process_that_dies_at_any_point_leaves_nothing_wrong_and_the_next_one_goes_on() {
    let world = World::holding(&mboxrd(&letters()));
    let whole = super::read_home();
    let expected = nearest(&whole, "heating is broken");

    let mut died = 0;
    for point in 1..20 {
        fs::remove_dir_all(world.home().join("vectors")).unwrap_or_default();
        let mut command = world.command(&["reindex", "--semantic"]);
        if command.env("MAILKEEP_TEST_CRASH_AT", point.to_string()).output().unwrap().status.success() {
            break;
        }
        died += 1;
        let found = match super::open(&world).unwrap() {
            Some((mut index, reader)) => index.nearest(&reader, "heating is broken", 10, None).unwrap().len(),
            None => 0,
        };
        assert!(found == 0 || found == 5, "{found} after point {point}");
        world.json(&["reindex", "--semantic", "--only-new"]);
        assert_eq!(nearest(&world, "heating is broken"), expected, "after point {point}");
        world.assert_sound();
    }

    assert!(died >= 4, "only {died} points were found to die at");
}

#[test]
fn a_stop_in_the_middle_is_resumed_where_it_was() {
    let world = World::holding(&mboxrd(&many(200)));
    let mut command = world.command(&["reindex", "--semantic"]);
    let mut process = command.spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(600);
    while state(&world)["indexed"].as_u64().is_none_or(|indexed| indexed == 0) {
        assert!(Instant::now() < until && process.try_wait().unwrap().is_none_or(|status| status.success()));
        std::thread::sleep(Duration::from_millis(50));
    }
    process.kill().unwrap();
    process.wait().unwrap();
    let before = state(&world)["indexed"].as_u64().unwrap();

    let file = world.home().join("vectors/1.vectors");
    let kept = fs::read(&file).unwrap();
    let after = world.json(&["reindex", "--semantic", "--only-new"])["vectors_of"].as_u64().unwrap();

    assert!(before > 0 && after == 200, "{before} and {after}");
    // Records are written at the end: what was made before the stop is still there, byte for byte.
    let counted = usize::try_from(before).unwrap() * (32 + 384);
    assert_eq!(fs::read(&file).unwrap()[..counted], kept[..counted]);
    world.assert_sound();
}

#[test]
fn where_the_owner_wants_none_there_are_none() {
    let world = World::holding(&mboxrd(&letters()));
    let config = world.write("config.toml", "[semantic]\nmodel = \"none\"\n");

    let refused =
        world.command(&["--json", "reindex", "--semantic"]).env("MAILKEEP_CONFIG", &config).output().unwrap();
    let status = world.command(&["--json", "status"]).env("MAILKEEP_CONFIG", &config).output().unwrap();

    assert_eq!(crate::world::read_json(&refused)["error"]["code"], "no_model");
    assert_eq!(crate::world::read_json(&status)["semantic"]["state"], "off");
}
