//! Export, backup and restore.

use std::fs;
use std::process::Stdio;

use super::{delicate, filled};
use crate::world::mail::{many, mboxrd};
use crate::world::{ACCOUNT, Mail, World, hashes_of, text};

#[test]
fn an_exported_mbox_gives_back_every_byte() {
    let world = filled();
    let target = world.path("out.mbox");

    let report = world.json(&["export", "--to", text(&target)]);

    let second = World::new();
    second.import(&target);
    assert_eq!(report["exported"], delicate().len());
    assert_eq!(world.hashes(), hashes_of(&delicate()));
    assert_eq!(second.hashes(), world.hashes());
}

#[test]
fn an_exported_maildir_gives_back_every_byte_and_flag() {
    let world = filled();
    let starred = Mail::new("Starred").bytes();
    world.write("box/cur/1.h:2,FS", &starred);
    world.import(&world.path("box"));
    let target = world.path("out");

    world.json(&["export", "--to", text(&target)]);

    let files = fs::read_dir(target.join("cur")).unwrap();
    let written: Vec<_> = files.map(|file| fs::read(file.unwrap().path()).unwrap()).collect();
    let second = World::new();
    second.import(&target);
    assert_eq!(hashes_of(&written), world.hashes());
    assert_eq!(second.hashes(), world.hashes());
    assert_eq!(second.found("is:starred"), ["Starred"]);
}

#[test]
fn only_what_matches_is_exported() {
    let world = filled();
    let target = world.path("some.mbox");

    let report = world.json(&["export", "--to", text(&target), "subject:report", "from:p3"]);

    assert_eq!(report["exported"], world.count("subject:report from:p3"));
    assert_eq!(World::new().import(&target)["stored"], report["exported"]);
}

#[test]
fn an_export_replaces_no_file() {
    let world = filled();
    let target = world.write("precious.mbox", "precious");

    let failure = world.failure(&["export", "--to", text(&target)]);

    assert_eq!(failure["code"], "file_error");
    assert_eq!(fs::read(target).unwrap(), b"precious");
}

#[test]
fn a_backup_taken_during_an_import_is_whole_and_searches_the_same() {
    let world = filled();
    let more = world.write("more.mbox", mboxrd(&many(1500)));
    let backup = world.path("backup.db");
    let mut import =
        world.command(&["import", "--account", ACCOUNT, text(&more)]).stdout(Stdio::null()).spawn().unwrap();

    world.json(&["backup", text(&backup)]);
    assert!(import.wait().unwrap().success());

    let restored = World::new();
    let proof = restored.json(&["restore", text(&backup)]);
    let (held, kept) = (hashes_of(&delicate()), restored.hashes());
    assert_eq!(proof["sound"], true, "{proof}");
    assert_eq!(proof["messages"], restored.count(""));
    assert!(held.is_subset(&kept) && kept.is_subset(&world.hashes()));
    assert_eq!(restored.found("quotes"), world.found("quotes"));
    restored.assert_sound();
}

#[test]
fn a_restored_home_answers_as_the_one_it_was_taken_from() {
    let world = filled();
    let backup = world.path("backup.db");
    world.json(&["backup", text(&backup)]);

    let restored = World::new();
    restored.json(&["restore", text(&backup)]);

    for query in ["", "numbers", "\"week 7\"", "from:p3", "has:attachment"] {
        assert_eq!(restored.results(query), world.results(query), "{query}");
    }
    assert_eq!(restored.json(&["stats"]), world.json(&["stats"]));
}

#[test]
fn a_restore_replaces_no_mail() {
    let world = filled();
    let backup = world.path("backup.db");
    world.json(&["backup", text(&backup)]);
    let before = world.hashes();

    let failure = world.failure(&["restore", text(&backup)]);

    assert_eq!(failure["code"], "file_exists");
    assert_eq!(world.hashes(), before);
}

#[test]
fn a_restore_does_not_mix_with_the_log_of_an_old_store() {
    let world = filled();
    let backup = world.path("backup.db");
    world.json(&["backup", text(&backup)]);
    fs::remove_file(world.home().join("mail.db")).unwrap();
    fs::write(world.home().join("mail.db-wal"), "left behind").unwrap();

    let failure = world.failure(&["restore", text(&backup)]);

    assert_eq!(failure["code"], "file_exists");
    assert!(failure["message"].as_str().unwrap().contains("mail.db-wal"), "{failure}");
}

#[test]
fn a_backup_replaces_no_file() {
    let world = filled();
    let target = world.write("precious.db", "precious");

    let failure = world.failure(&["backup", text(&target)]);

    assert_eq!(failure["code"], "file_exists");
    assert_eq!(fs::read(target).unwrap(), b"precious");
}

#[test]
fn what_is_no_backup_is_not_restored() {
    let world = World::new();
    let file = world.write("letter.db", "Dear Ada, this is no backup.\n".repeat(50));

    let failure = world.failure(&["restore", text(&file)]);

    assert_eq!(failure["code"], "store_damaged");
    assert!(!world.home().join("mail.db").exists());
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_the_mail() {
    use std::os::unix::fs::PermissionsExt;
    let world = filled();
    let backup = world.path("backup.db");
    world.json(&["backup", text(&backup)]);
    let restored = World::new();
    restored.json(&["restore", text(&backup)]);

    let private = [
        world.home().to_owned(),
        world.home().join("mail.db"),
        world.home().join("text"),
        backup,
        restored.home().to_owned(),
        restored.home().join("mail.db"),
    ];

    for path in private {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} has mode {mode:o}", path.display());
    }
}
