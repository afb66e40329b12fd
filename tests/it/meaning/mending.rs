//! What happens to the files of vectors is noticed, told, and mended.

use std::fs;
use std::path::PathBuf;

use mailkeep::index::IndexError;
use serde_json::{Value, json};

use super::{letters, nearest, open, read_home, state};
use crate::keeps::disks::{NEEDS_MOUNT, SmallDisk};
use crate::world::assistant::Assistant;
use crate::world::mail::mboxrd;
use crate::world::{World, skipped};

fn vector_file(world: &World) -> PathBuf {
    let entries = fs::read_dir(world.home().join("vectors")).unwrap().map(|entry| entry.unwrap().path());
    entries.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "vectors")).unwrap()
}

#[test]
fn a_damaged_vector_is_never_a_neighbour_and_verify_mends_it() {
    let world = read_home();
    let path = vector_file(&world);
    let mut bytes = fs::read(&path).unwrap();
    for at in [100, 500] {
        bytes[at] ^= 0xff;
    }
    fs::write(&path, bytes).unwrap();

    let (mut index, reader) = open(&world).unwrap().unwrap();
    let refused = index.nearest(&reader, "football", 10, None);
    assert!(matches!(refused, Err(IndexError::VectorsDamaged { .. })), "{refused:?}");

    let findings = world.json(&["verify"])["findings"].clone();
    assert_eq!(
        (&findings[0]["subject"], &findings[0]["repaired"]),
        (&"vectors".into(), &true.into()),
        "{findings}"
    );
    assert!(nearest(&world, "football").len() < 5);
    world.json(&["reindex", "--semantic", "--only-new"]);
    assert_eq!(nearest(&world, "football")[0], "Match");
    assert_eq!(nearest(&world, "football").len(), 5);
    world.assert_sound();
}

#[test]
fn a_damaged_vector_leaves_searches_by_words_until_it_is_mended_and_status_says_so() {
    let world = read_home();
    let path = vector_file(&world);
    let mut bytes = fs::read(&path).unwrap();
    bytes[100] ^= 1;
    fs::write(&path, bytes).unwrap();

    let answer = world.json(&["search", "the flat is freezing"]);
    let mut assistant = Assistant::new(&world, &[]);
    let told = assistant.call("search_emails", json!({ "query": "the flat is freezing" }))["result"].clone();

    assert_eq!((&answer["mode"], &answer["results"][0]["subject"]), (&"lexical".into(), &"House".into()));
    assert!(answer["notes"].to_string().contains("searched by words alone: the vectors"), "{answer}");
    assert!(told["isError"] != true && told.to_string().contains("searched by words alone"), "{told}");
    assert_eq!(state(&world)["state"], "vectors_damaged");
    let line = String::from_utf8(world.run(&["status"]).stdout).unwrap();
    assert!(line.contains("went by words alone: the vectors"), "{line}");
    world.json(&["verify"]);
    assert_eq!(state(&world)["state"], "ready");
}

/// As if another model had made what is there; a manifest without a checksum is one that an older version wrote.
fn hand_over_to_another_model(world: &World) {
    let path = world.home().join("vectors/manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest.as_object_mut().unwrap().remove("checksum");
    manifest["model"] = json!("other");
    fs::write(&path, manifest.to_string()).unwrap();
}

#[test]
fn vectors_of_another_model_are_told_and_never_compared() {
    let world = read_home();
    hand_over_to_another_model(&world);

    assert_eq!(state(&world)["state"], "other_model");
    assert!(matches!(open(&world), Err(IndexError::OtherModel { .. })));

    world.json(&["reindex", "--semantic", "--only-new"]);
    assert_eq!(nearest(&world, "football")[0], "Match");
}

#[test]
fn verify_leaves_the_vectors_of_another_model_alone() {
    let world = read_home();
    hand_over_to_another_model(&world);
    let before = fs::read(vector_file(&world)).unwrap();

    let found = world.json(&["verify"])["findings"].clone();

    assert_eq!((found, fs::read(vector_file(&world)).unwrap()), (json!([]), before));
}

#[test]
fn a_manifest_or_file_that_is_lost_is_a_state_that_verify_mends() {
    for name in ["manifest.json", "1.vectors"] {
        let world = read_home();
        let path = world.home().join("vectors").join(name);
        fs::write(&path, b"nonsense").unwrap();

        let opened = open(&world).and_then(|found| {
            let (mut index, reader) = found.expect("there is something");
            index.nearest(&reader, "football", 10, None)
        });
        assert!(matches!(opened, Err(IndexError::VectorsDamaged { .. })), "{name}: {opened:?}");

        assert_eq!(world.json(&["verify"])["findings"][0]["subject"], "vectors", "{name}");
        world.assert_sound();
        world.json(&["reindex", "--semantic", "--only-new"]);
        assert_eq!(nearest(&world, "football").len(), 5, "{name}");
    }
}

#[test]
fn what_is_forgotten_leaves_no_vector_behind() {
    let world = read_home();
    let before = fs::read(vector_file(&world)).unwrap();

    world.json(&["forget", "subject:House", "--yes"]);

    let after = fs::read(vector_file(&world)).unwrap();
    let size = before.len() / 5;
    let erased = after.chunks(size).filter(|record| record.iter().all(|byte| *byte == 0)).count();
    assert_eq!((after.len(), erased), (before.len(), 1));
    assert!(!nearest(&world, "heating is broken").contains(&"House".to_owned()));
    assert_eq!(state(&world)["indexed"], 4);
}

#[test]
fn a_full_disk_is_told_and_what_was_there_still_counts() {
    let Some(disk) = SmallDisk::mount(8) else { return skipped("a full disk", NEEDS_MOUNT) };
    let world = World::with_home(&disk.path().join("home"));
    let mail = world.write("mail.mbox", mboxrd(&letters()));
    world.import(&mail);
    world.json(&["reindex", "--semantic"]);
    let more =
        world.write("more.eml", crate::world::Mail::new("Later").body("A letter that comes later.").bytes());
    world.import(&more);
    let filling = disk.path().join("filling");
    let mut size = 8 << 20;
    while size > 256 {
        let there = fs::metadata(&filling).map_or(0, |file| file.len());
        let _ = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&filling)
            .map(|mut file| std::io::Write::write_all(&mut file, &vec![1; size]));
        if fs::metadata(&filling).map_or(0, |file| file.len()) == there {
            size /= 2;
        }
    }

    let failure = world.failure(&["reindex", "--semantic", "--only-new"]);

    assert_eq!(failure["code"], "disk_full", "{failure}");
    fs::remove_file(&filling).unwrap();
    assert_eq!(nearest(&world, "football").len(), 5);
    world.json(&["reindex", "--semantic", "--only-new"]);
    assert_eq!(nearest(&world, "football").len(), 6);
}
