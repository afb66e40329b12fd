//! What changes on the server changes here, by whatever means the server has to tell.

use serde_json::{Value, json};

use super::{assert_same, large_message, message};
use crate::world::World;
use crate::world::dovecot::{Dovecot, Imap};
use crate::world::fault_proxy::{Fault, FaultProxy};

/// Ways a server may tell what has changed, as what it cannot do.
const WITHOUT: [&str; 4] = ["", "QRESYNC", "QRESYNC,CONDSTORE", "STATUS"];

fn filled(server: &Dovecot, user: &str, count: usize) -> Imap {
    let mut client = server.client(user);
    for number in 0..count {
        let flags = ["\\Seen", "", "\\Seen \\Flagged $Forwarded", "\\Answered work"][number % 4];
        client.append("INBOX", flags, &message(&format!("Letter {number}")));
    }
    client
}

fn sync_without(world: &World, without: &str) -> Value {
    let output = world.sync_command(&[]).env("MAILKEEP_TEST_WITHOUT", without).output().unwrap();
    assert!(output.status.success(), "{}", crate::world::told(&output));
    crate::world::read_json(&output)["accounts"][0].clone()
}

#[test]
fn a_first_sync_brings_in_everything_and_a_second_one_nothing() {
    let Some(server) = Dovecot::start("a_first_sync") else { return };
    let mut client = filled(&server, "ada", 30);
    client.run("CREATE \"Entw&APw-rfe\"");
    client.run("CREATE \"Lists/rust\"");
    client.append("Lists/rust", "", &message("In a list"));
    client.append("Sent", "\\Seen", &message("Sent by me"));
    let world = World::with_account(server.port, "ada");

    let first = world.sync();
    let second = world.sync();

    assert_eq!((first["fetched"].as_u64(), second["fetched"].as_u64()), (Some(32), Some(0)));
    assert_same(&world, &server, "ada");
    assert_eq!(world.count("letter"), 30);
    assert_eq!(world.count("in:Entwürfe"), 0);
    assert_eq!(world.count("in:Lists/rust"), 1);
    assert_eq!(world.count("label:work"), 7);
    world.assert_sound();
}

#[test]
fn a_few_new_messages_are_found_before_the_index_has_them_and_many_are_indexed() {
    let Some(server) = Dovecot::start("a_few_new_messages") else { return };
    let mut client = filled(&server, "ada", 5);
    let world = World::with_account(server.port, "ada");
    let is_indexed = || world.home().join("text/meta.json").exists();

    world.sync();
    assert_eq!((world.count("letter"), is_indexed()), (5, false));

    for number in 5..110 {
        client.append("INBOX", "", &message(&format!("Letter {number}")));
    }
    world.sync();
    assert_eq!((world.count("letter"), is_indexed()), (110, true));
    world.assert_sound();
}

#[test]
fn flags_moves_and_losses_arrive_however_the_server_tells_them() {
    let Some(server) = Dovecot::start("flags_moves_and_losses") else { return };
    for without in WITHOUT {
        let user = format!("u{}", without.len());
        let mut client = filled(&server, &user, 20);
        let world = World::with_account(server.port, &user);
        sync_without(&world, without);

        client.run("SELECT INBOX");
        client.run("UID STORE 3:5 +FLAGS (\\Seen \\Flagged urgent)");
        client.run("UID STORE 4 -FLAGS (work)");
        client.run("UID STORE 7:8 +FLAGS (\\Deleted)");
        client.run("EXPUNGE");
        client.run("UID MOVE 10:12 Trash");
        client.run("UID COPY 13 Sent");
        client.append("INBOX", "", &message("Late letter"));
        let report = sync_without(&world, without);

        assert_same(&world, &server, &user);
        // The moved ones are here already; the copy is a message of its own until its bytes are known.
        assert_eq!(report["placed"], 3, "without {without}: {report}");
        assert_eq!(report["fetched"], 2, "without {without}: {report}");
        assert_eq!(
            (&report["gone"], &report["removed"]),
            (&json!(2), &json!(0)),
            "without {without}: {report}"
        );
        assert_eq!(sync_without(&world, without)["fetched"], 0);
        assert_eq!(world.count("is:starred -is:gone"), 6);
        world.assert_sound();
    }
}

#[test]
fn new_uids_for_everything_cost_no_body() {
    let Some(server) = Dovecot::start("new_uids_for_everything") else { return };
    drop(filled(&server, "ada", 40));
    let world = World::with_account(server.port, "ada");
    world.sync();
    server.renumber("ada", "INBOX");
    let mut client = server.client("ada");
    client.append("INBOX", "", &message("After the change"));

    let report = world.sync();

    assert_eq!((report["fetched"].as_u64(), report["placed"].as_u64()), (Some(1), Some(40)), "{report}");
    assert_same(&world, &server, "ada");
    world.assert_sound();
}

#[test]
fn twins_that_differ_in_their_bytes_alone_are_not_taken_for_each_other() {
    let Some(server) = Dovecot::start("twins") else { return };
    let moment = "02-Mar-2026 10:00:00 +0000";
    let twin = |word: &str| [&message("Twin")[..], word.as_bytes(), b"\r\n"].concat();
    let mut client = server.client("ada");
    client.append_at("INBOX", "", moment, &twin("aaaa"));
    client.append_at("INBOX", "", moment, &twin("bbbb"));
    drop(client);
    let world = World::with_account(server.port, "ada");
    world.sync();
    server.renumber("ada", "INBOX");
    let mut client = server.client("ada");
    client.append_at("INBOX", "", moment, &twin("cccc"));

    world.sync();

    assert_same(&world, &server, "ada");
    assert_eq!(world.count("cccc"), 1);
    world.assert_sound();
}

#[test]
fn a_twin_that_comes_when_the_other_goes_is_not_taken_for_it() {
    let Some(server) = Dovecot::start("a_twin_that_comes") else { return };
    let moment = "02-Mar-2026 10:00:00 +0000";
    let twin = |word: &str| [&message("Twin")[..], word.as_bytes(), b"\r\n"].concat();
    let mut client = server.client("ada");
    client.append_at("INBOX", "", moment, &twin("aaaa"));
    let world = World::with_account(server.port, "ada");
    world.sync();
    client.run("SELECT INBOX");
    client.run("UID STORE 1 +FLAGS (\\Deleted)");
    client.run("EXPUNGE");
    client.append_at("Sent", "", moment, &twin("bbbb"));

    world.sync();

    assert_same(&world, &server, "ada");
    assert_eq!((world.count("aaaa -is:gone"), world.count("bbbb -is:gone")), (0, 1));
    assert_eq!(world.count("aaaa is:gone"), 1);
}

#[test]
fn a_mailbox_that_is_renamed_takes_its_mail_along_and_one_that_is_deleted_leaves_it_here() {
    let Some(server) = Dovecot::start("a_mailbox_that_is_renamed") else { return };
    let mut client = filled(&server, "ada", 3);
    for name in ["Old", "Gone"] {
        client.run(&format!("CREATE {name}"));
        (0..5).for_each(|n| client.append(name, "", &message(&format!("{name} {n}"))));
    }
    let world = World::with_account(server.port, "ada");
    world.sync();
    client.run("RENAME Old New");
    client.run("DELETE Gone");

    let report = world.sync();

    assert_eq!((report["fetched"].as_u64(), report["placed"].as_u64()), (Some(0), Some(5)), "{report}");
    assert_same(&world, &server, "ada");
    assert_eq!((world.count("subject:old in:New"), world.count("subject:gone")), (5, 5));
    assert_eq!((world.count("is:gone"), world.count("in:gone subject:gone")), (5, 5));
    world.assert_sound();
}

#[test]
fn the_same_message_twice_in_one_mailbox_is_there_twice() {
    let Some(server) = Dovecot::start("the_same_message_twice") else { return };
    let mut client = server.client("ada");
    (0..3).for_each(|_| client.append("INBOX", "", &message("Again")));
    let world = World::with_account(server.port, "ada");
    world.sync();
    assert_same(&world, &server, "ada");

    client.run("SELECT INBOX");
    client.run("UID STORE 2 +FLAGS (\\Deleted)");
    client.run("EXPUNGE");
    world.sync();

    assert_same(&world, &server, "ada");
    assert_eq!(world.count("again"), 1);
    world.assert_sound();
}

#[test]
fn large_messages_come_whole_in_pieces() {
    let Some(server) = Dovecot::start("large_messages") else { return };
    let mut client = server.client("ada");
    for (number, size) in [1_000, 2 << 20, 5 << 20, 9_000_000, 12].into_iter().enumerate() {
        client.append("INBOX", "", &large_message(&format!("Large {number}"), size));
    }
    // One that is exactly as long as a piece.
    let head = message("Exact");
    let exact = [&head[..], &vec![b'z'; (2 << 20) - head.len() - 2][..], b"\r\n"].concat();
    assert_eq!(exact.len(), 2 << 20);
    client.append("INBOX", "", &exact);
    let world = World::with_account(server.port, "ada");

    assert_eq!(world.sync()["fetched"], 6);

    assert_same(&world, &server, "ada");
    world.assert_sound();
}

#[test]
fn mail_from_files_stays_beside_mail_from_the_server() {
    let Some(server) = Dovecot::start("mail_from_files_stays") else { return };
    let mut client = filled(&server, "ada", 4);
    let world = World::new();
    // Files have plain line feeds where the server has CRLF.
    let common = String::from_utf8(message("Letter 1")).unwrap().replace("\r\n", "\n");
    let file = world.write("old.eml", message("Only in a file"));
    world.import(&file);
    let file = world.write("common.eml", common);
    world.import(&file);
    world.add_account(crate::world::ACCOUNT, &format!("127.0.0.1:{}", server.port), &["--user", "ada"]);

    world.sync();
    let file = world.write("late.eml", message("Imported later"));
    world.import(&file);
    client.run("SELECT INBOX");
    client.run("UID STORE 1 +FLAGS (\\Deleted)");
    client.run("EXPUNGE");
    world.sync();

    assert_eq!((world.count(""), world.count("is:gone")), (6, 1));
    assert_eq!(world.count("subject:\"letter 1\""), 1);
    assert_eq!(world.count("only in a file"), 1);
    assert_eq!(world.count("imported later"), 1);
    world.assert_sound();
}

#[test]
fn a_removed_account_keeps_its_mail_and_comes_back_without_fetching() {
    let Some(server) = Dovecot::start("a_removed_account") else { return };
    let _client = filled(&server, "ada", 10);
    let world = World::with_account(server.port, "ada");
    world.sync();

    world.json(&["account", "remove", crate::world::ACCOUNT]);
    assert_eq!(world.count(""), 10);
    world.add_account(crate::world::ACCOUNT, &format!("127.0.0.1:{}", server.port), &["--user", "ada"]);
    let report = world.sync();

    assert_eq!((report["fetched"].as_u64(), report["placed"].as_u64()), (Some(0), Some(10)), "{report}");
    assert_same(&world, &server, "ada");
    world.assert_sound();
}

#[test]
fn accounts_are_synced_side_by_side_and_never_twice_at_once() {
    let Some(server) = Dovecot::start("accounts_side_by_side") else { return };
    for user in ["ada", "bob", "eve"] {
        drop(filled(&server, user, 15));
    }
    let world = World::new();
    let place = format!("127.0.0.1:{}", server.port);
    for user in ["ada", "bob", "eve"] {
        world.add_account(&format!("{user}@example.org"), &place, &["--user", user]);
    }
    let locked = std::fs::File::create(world.home().join("sync-2.lock")).unwrap();
    locked.lock().unwrap();

    let output = world.sync_command(&[]).output().unwrap();

    let accounts = crate::world::read_json(&output)["accounts"].clone();
    let busy: Vec<_> = crate::world::list(&accounts)
        .iter()
        .filter(|account| account["error"]["code"] == "sync_busy")
        .map(|account| account["address"].clone())
        .collect();
    assert_eq!(busy, ["bob@example.org"]);
    drop(locked);
    assert!(world.sync_command(&[]).output().unwrap().status.success());
    assert_eq!(world.count("account:bob@example.org"), 15);
    // The letters are the same for all three, so that they are stored once.
    assert_eq!(world.count(""), 15);
    world.assert_sound();
}

#[test]
fn a_terminal_shows_mailbox_count_rate_and_time_left_of_each_account() {
    let Some(server) = Dovecot::start("a_terminal_shows") else { return };
    let world = World::new();
    let proxy = FaultProxy::start(server.port, Fault::Slow(20_000));
    for user in ["ada", "bob"] {
        drop(filled(&server, user, 40));
        let place = format!("127.0.0.1:{}", proxy.port);
        world.add_account(&format!("{user}@example.org"), &place, &["--user", user]);
    }
    let sync = format!("{} --home '{}' sync", env!("CARGO_BIN_EXE_mailkeep"), world.home().display());

    let output =
        std::process::Command::new("script").args(["-qec", &sync, "/dev/null"]).env("TERM", "xterm").output();

    let Ok(output) = output else { return crate::world::skipped("a_terminal_shows", "needs `script`") };
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let of = |user: &str, what: &str| {
        shown
            .split(['\r', '\n'])
            .any(|line| line.contains(&format!("{user}@example.org")) && line.contains(what))
    };
    for user in ["ada", "bob"] {
        assert!(of(user, " of 40 ") && of(user, "INBOX") && of(user, "/s") && of(user, " left"), "{shown}");
        assert!(of(user, "40 messages fetched"), "{shown}");
    }
}
