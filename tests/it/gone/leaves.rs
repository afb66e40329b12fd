//! Whatever happens on a real server: all that was here is found, marked when the server has it no more, in no list of
//! a folder, in every export and backup; and it loses its mark when it comes back.

use super::{counts, expunge, gone, letter, listed, synced};
use crate::world::{World, list, read_json, text};

/// Everything that was ever stored is here, byte by byte, also in exports and backups.
fn assert_kept(world: &World, names: &[&str], counts: &[usize]) {
    let mut all: Vec<Vec<u8>> = Vec::new();
    for (name, count) in names.iter().zip(counts) {
        all.extend((1..=*count).map(|number| letter(&format!("{name}-{number}"))));
    }
    let expected = crate::world::hashes_of(&all);
    assert_eq!(world.count("letter"), all.len() as u64);
    assert!(world.hashes().is_superset(&expected), "every byte is here");
    let (mbox, backup) = (world.path("out.mbox"), world.path("backup.db"));
    let exported = world.json(&["export", "--to", text(&mbox), "letter"]);
    assert_eq!(exported["exported"], all.len());
    world.json(&["backup", text(&backup)]);
    let restored = World::new();
    restored.json(&["restore", text(&backup)]);
    assert_eq!(restored.hashes(), world.hashes());
    assert_eq!(gone(&restored), gone(world));
    std::fs::remove_file(mbox).unwrap();
    std::fs::remove_file(backup).unwrap();
    world.assert_sound();
}

#[test]
fn expunged_messages_are_found_with_a_mark_and_in_no_folder() {
    let Some((server, world)) = synced("expunged_messages_are_found", &[("INBOX", 5), ("Work", 2)]) else {
        return;
    };
    expunge(&mut server.client("ada"), "INBOX", "2,4");

    let report = world.sync();

    assert_eq!((report["gone"].as_u64(), report["removed"].as_u64()), (Some(2), Some(0)), "{report}");
    assert_eq!(list(&report["problems"]).len(), 0, "{report}");
    let day = "2026-06-15".to_owned();
    let marked: Vec<_> =
        ["Letter INBOX-2", "Letter INBOX-4"].iter().map(|s| ((*s).to_owned(), day.clone())).collect();
    assert_eq!(gone(&world), marked);
    for query in ["in:gone", "is:gone", "letter is:gone"] {
        assert_eq!(world.count(query), 2, "{query}");
    }
    assert_eq!(world.count("letter -is:gone"), 5);
    assert_eq!((world.count("in:inbox"), world.count("in:Work")), (3, 2));
    assert_eq!(listed(&world, "inbox"), ["Letter INBOX-1", "Letter INBOX-3", "Letter INBOX-5"]);
    assert_eq!((counts(&world, "INBOX"), counts(&world, "Work")), ((3, 3), (2, 2)));
    assert_eq!(world.count("is:unread"), 5, "nobody can read what is gone in its mailbox");
    assert_kept(&world, &["INBOX", "Work"], &[5, 2]);
    let answer = world.json(&["search", "subject:\"INBOX-2\""]);
    assert_eq!(list(&answer["results"])[0]["mailbox"], "INBOX", "the mailbox it was last in");
    let shown = String::from_utf8(world.run(&["search", "letter"]).stdout).unwrap();
    assert_eq!(shown.matches("(gone)").count(), 2, "{shown}");
}

#[test]
fn a_deleted_mailbox_keeps_its_mail() {
    let Some((server, world)) = synced("a_deleted_mailbox", &[("INBOX", 2), ("Work", 4)]) else { return };
    server.client("ada").run("DELETE Work");

    let report = world.sync();

    assert_eq!((report["gone"].as_u64(), report["removed"].as_u64()), (Some(4), Some(0)), "{report}");
    assert_eq!((gone(&world).len(), world.count("in:gone")), (4, 4));
    assert_eq!(world.count("in:inbox"), 2);
    let answer = world.json(&["search", "subject:\"Work-3\""]);
    assert_eq!(list(&answer["results"])[0]["mailbox"], "Work");
    assert_kept(&world, &["INBOX", "Work"], &[2, 4]);
}

#[test]
fn a_renamed_mailbox_moves_its_mail_and_marks_nothing() {
    let Some((server, world)) = synced("a_renamed_mailbox", &[("INBOX", 2), ("Work", 4)]) else { return };
    server.client("ada").run("RENAME Work Play");

    let report = world.sync();

    assert_eq!(report["gone"], 0, "{report}");
    assert_eq!((gone(&world).len(), world.count("in:Play"), world.count("in:gone")), (0, 4, 0));
    assert_kept(&world, &["INBOX", "Work"], &[2, 4]);
}

#[test]
fn an_account_that_was_emptied_keeps_everything() {
    let Some((server, world)) =
        synced("an_account_that_was_emptied", &[("INBOX", 70), ("Work", 10), ("Sent", 3)])
    else {
        return;
    };
    let mut client = server.client("ada");
    for mailbox in ["INBOX", "Work", "Sent"] {
        expunge(&mut client, mailbox, "1:*");
    }
    client.run("DELETE Work");

    let report = world.sync();

    assert_eq!((report["gone"].as_u64(), report["removed"].as_u64()), (Some(83), Some(0)), "{report}");
    assert_eq!((gone(&world).len(), world.count("in:inbox"), world.count("is:unread")), (83, 0, 0));
    assert_eq!(listed(&world, "inbox"), Vec::<String>::new());
    assert_kept(&world, &["INBOX", "Work", "Sent"], &[70, 10, 3]);
    assert_eq!(world.sync()["gone"], 0, "it is told once");
}

#[test]
fn an_inbox_that_was_replaced_and_an_account_that_was_made_anew_take_nothing_away() {
    let Some((server, world)) = synced("an_inbox_that_was_replaced", &[("INBOX", 6), ("Work", 2)]) else {
        return;
    };
    let mut client = server.client("ada");
    expunge(&mut client, "INBOX", "1:5");
    drop(client);
    server.revalidate("ada", "INBOX", 1_900_000_000);
    server.client("ada").append("INBOX", "", &letter("New-1"));

    let report = world.sync();

    assert_eq!((report["gone"].as_u64(), report["removed"].as_u64()), (Some(5), Some(0)), "{report}");
    assert_eq!(listed(&world, "inbox"), ["Letter INBOX-6", "Letter New-1"]);
    assert_kept(&world, &["INBOX", "Work", "New"], &[6, 2, 1]);

    std::fs::remove_dir_all(server.path("mail").join("ada")).unwrap();
    let report = world.sync();

    assert_eq!(report["removed"], 0, "{report}");
    assert_eq!((gone(&world).len(), world.count("in:inbox")), (9, 0));
    assert_kept(&world, &["INBOX", "Work", "New"], &[6, 2, 1]);
}

#[test]
fn what_comes_back_loses_its_mark() {
    let Some((server, world)) = synced("what_comes_back", &[("INBOX", 4), ("Work", 3)]) else { return };
    let mut client = server.client("ada");
    expunge(&mut client, "INBOX", "1:2");
    client.run("DELETE Work");
    world.sync();
    assert_eq!(gone(&world).len(), 5);

    client.append("INBOX", "\\Seen", &letter("INBOX-1"));
    client.run("CREATE Back");
    client.append("Back", "", &letter("Work-2"));
    let report = world.sync();

    assert_eq!(report["gone"], 0, "{report}");
    let left: Vec<String> = gone(&world).into_iter().map(|(subject, _)| subject).collect();
    assert_eq!(left, ["Letter INBOX-2", "Letter Work-1", "Letter Work-3"]);
    assert_eq!((world.count("in:inbox"), world.count("in:Back"), world.count("in:gone")), (3, 1, 3));
    assert_kept(&world, &["INBOX", "Work"], &[4, 3]);
}

#[test]
fn a_copy_that_is_left_keeps_a_message_from_being_marked() {
    let Some((server, world)) = synced("a_copy_that_is_left", &[("INBOX", 3), ("Work", 1)]) else { return };
    let mut client = server.client("ada");
    client.run("SELECT INBOX");
    client.run("UID COPY 1 Work");
    world.sync();
    expunge(&mut client, "INBOX", "1");

    let report = world.sync();

    assert_eq!((report["gone"].as_u64(), gone(&world).len()), (Some(0), 0), "{report}");
    assert_eq!((world.count("in:inbox"), world.count("in:Work")), (2, 2));
}

#[test]
fn a_server_that_fails_marks_nothing() {
    let Some((server, world)) = synced("a_server_that_fails", &[("INBOX", 3)]) else { return };
    drop(server);

    let output = world.sync_command(&["--tries", "0"]).output().unwrap();

    assert_eq!(output.status.code(), Some(1));
    assert!(!read_json(&output)["accounts"][0]["error"].is_null());
    assert_eq!((gone(&world).len(), world.count("in:inbox")), (0, 3));
}
