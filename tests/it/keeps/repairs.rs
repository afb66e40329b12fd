//! Derived data is repaired from the mail; mail is never touched by a repair.

use std::fs;
use std::path::PathBuf;

use super::{filled, well_filled};
use crate::world::{World, list, read_json};

/// The files of the text index that hold something.
fn index_files(world: &World) -> Vec<PathBuf> {
    let entries = fs::read_dir(world.home().join("text")).unwrap();
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.to_string_lossy().ends_with(".lock"))
        .collect();
    files.sort();
    files
}

/// Damages the home and runs `verify`, which must report something and put it right, and then must find nothing.
fn assert_repaired(world: &World, damage: impl FnOnce()) {
    let (mail, found) = (world.hashes(), world.found("numbers"));
    damage();

    let report = world.json(&["verify"]);

    assert_eq!(report["sound"], true, "{report}");
    assert!(!list(&report["findings"]).is_empty(), "{report}");
    assert!(list(&report["findings"]).iter().all(|finding| finding["repaired"] == true), "{report}");
    assert_eq!(world.hashes(), mail);
    assert_eq!(world.found("numbers"), found);
    world.assert_sound();
}

#[test]
fn wrong_counts_are_counted_again() {
    for tampering in [
        "UPDATE day_counts SET count = count + 1",
        "DELETE FROM sender_counts",
        "UPDATE sender_counts SET peak = peak + 1",
        "UPDATE sender_days SET count = 9",
        "DELETE FROM arrival_counts",
        "DELETE FROM arrival_days",
        "UPDATE mailbox_counts SET unread = 0, bytes = 7",
        "INSERT INTO message_counts VALUES (1, 5, 5, 5)",
    ] {
        let world = filled();
        let figures = world.json(&["stats"]);

        assert_repaired(&world, || world.database().execute_batch(tampering).unwrap());

        assert_eq!(world.json(&["stats"]), figures, "{tampering}");
    }
}

#[test]
fn a_deleted_index_is_built_again() {
    let world = well_filled();

    assert_repaired(&world, || fs::remove_dir_all(world.home().join("text")).unwrap());
}

#[test]
fn an_index_without_its_description_is_built_again() {
    let world = well_filled();

    assert_repaired(&world, || fs::remove_file(world.home().join("text/meta.json")).unwrap());
}

#[test]
fn an_index_with_a_garbled_description_is_built_again() {
    let world = filled();
    let garble = || fs::write(world.home().join("text/meta.json"), "{\"segments\": ").unwrap();

    assert_repaired(&world, garble);
}

#[test]
fn every_index_file_may_be_cut_off_or_missing() {
    let world = filled();
    let expected = world.found("numbers");
    let count = index_files(&world).len();

    for number in 0..count {
        let files = index_files(&world);
        let file = &files[number.min(files.len() - 1)];
        let length = fs::metadata(file).unwrap().len();
        fs::OpenOptions::new().write(true).open(file).unwrap().set_len(length / 2).unwrap();

        let report = world.json(&["verify"]);

        assert_eq!(report["sound"], true, "{} {report}", file.display());
        assert_eq!(world.found("numbers"), expected, "{} {report}", file.display());
    }
    world.assert_sound();
}

#[test]
fn an_index_of_garbage_is_built_again() {
    let world = filled();
    let expected = world.found("numbers");
    for file in index_files(&world) {
        fs::write(file, b"garbage").unwrap();
    }

    let report = world.json(&["verify"]);

    assert_eq!(report["sound"], true, "{report}");
    assert_eq!(world.found("numbers"), expected);
    world.assert_sound();
}

#[test]
fn bytes_flipped_inside_the_index_are_found_by_verify() {
    let world = filled();
    let expected = world.found("numbers");
    for file in index_files(&world).iter().filter(|file| !file.ends_with("meta.json")) {
        let mut bytes = fs::read(file).unwrap();
        bytes.iter_mut().step_by(16).for_each(|byte| *byte ^= 0x55);
        fs::write(file, bytes).unwrap();
    }

    let report = world.json(&["verify"]);

    assert_eq!(report["sound"], true, "{report}");
    assert_eq!(world.found("numbers"), expected, "{report}");
    world.assert_sound();
}

#[test]
fn searching_a_damaged_index_gives_an_answer_or_says_what_to_do() {
    for number in 0..index_files(&filled()).len() {
        let world = filled();
        let files = index_files(&world);
        let file = &files[number];
        let length = fs::metadata(file).unwrap().len();
        fs::OpenOptions::new().write(true).open(file).unwrap().set_len(length / 2).unwrap();

        let output = world.run(&["--json", "search", "numbers"]);

        let answer = read_json(&output);
        let good = answer["total"] == 40 || answer["error"]["code"] == "index_damaged";
        assert!(good, "{}: {answer}", file.display());
    }
}

#[test]
fn an_import_onto_a_damaged_index_builds_it_again() {
    let world = filled();
    fs::write(world.home().join("text/meta.json"), "?").unwrap();

    world.import(&world.path("held.mbox"));

    assert_eq!(world.count("numbers"), 40);
    world.assert_sound();
}

#[test]
fn damaged_content_is_reported_by_its_message_and_not_hidden() {
    let world = filled();
    let tamper = "UPDATE contents SET frame = zeroblob(length(frame)) WHERE message = 3";
    world.database().execute_batch(tamper).unwrap();

    let output = world.run(&["--json", "verify"]);

    let report = read_json(&output);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(report["sound"], false);
    assert_eq!(list(&report["findings"]).len(), 1, "{report}");
    assert!(report["findings"][0]["subject"].as_str().unwrap().starts_with('m'), "{report}");
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let world = filled();
    let held = world.path("held.mbox");
    world.database().pragma_update(None, "user_version", 999).unwrap();

    for arguments in [
        vec!["search", "numbers"],
        vec!["import", held.to_str().unwrap(), "--account", "x@y.z"],
        vec!["verify"],
        vec!["status"],
        vec!["reindex"],
    ] {
        let failure = world.failure(&arguments);

        assert_eq!(failure["code"], "schema_newer", "{arguments:?}");
        assert!(failure["hint"].as_str().unwrap().contains("update mailkeep"), "{failure}");
    }
}

#[test]
fn a_store_of_garbage_is_called_damaged() {
    let world = World::new();
    fs::create_dir_all(world.home()).unwrap();
    fs::write(world.home().join("mail.db"), "This is no database at all.\n".repeat(1000)).unwrap();
    let file = world.write("one.eml", "Subject: a\n\nb\n");

    for arguments in [
        vec!["search", "numbers"],
        vec!["import", file.to_str().unwrap(), "--account", "x@y.z"],
        vec!["verify"],
        vec!["show", "a@b"],
    ] {
        let failure = world.failure(&arguments);

        assert_eq!(failure["code"], "store_damaged", "{arguments:?}");
        assert!(failure["hint"].is_string(), "{failure}");
    }
}

#[test]
fn repacking_changes_no_message_and_no_answer() {
    let world = filled();
    let (mail, answer) = (world.hashes(), world.results("numbers"));

    world.json(&["reindex", "--repack"]);

    assert_eq!(world.hashes(), mail);
    assert_eq!(world.results("numbers"), answer);
    world.assert_sound();
}

#[test]
fn an_index_that_followed_another_store_is_not_believed() {
    let world = filled();
    for name in ["mail.db", "mail.db-wal", "mail.db-shm"] {
        let _ = fs::remove_file(world.home().join(name));
    }
    let tiger = world.write("tiger.eml", "From: a@example.org\nSubject: tiger\n\nnothing else\n");

    world.import(&tiger);

    assert_eq!(world.found("tiger").len(), 1);
    assert_eq!(world.found("numbers").len(), 0);
    world.assert_sound();
}
