//! What tools change is on the server a moment later, and said to be; a server that cannot be reached, hangs or refuses
//! keeps nobody waiting, loses nothing, and is not stormed.

use std::fs::File;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::serves::wait_until;
use super::{assert_same, message};
use crate::speaks_mcp::client::Client;
use crate::speaks_mcp::over_http::Served;
use crate::world::conversation::{ask, call};
use crate::world::dovecot::{Dovecot, PASSWORD};
use crate::world::fault_proxy::{Fault, FaultProxy};
use crate::world::{ACCOUNT, World, list};

/// A machine whose inbox has one message, `Kitchen`.
fn synced(server: &Dovecot, user: &str) -> World {
    server.client(user).append("INBOX", "", &message("Kitchen"));
    let world = World::with_account(server.port, user);
    world.sync();
    world
}

/// The server for tools, which waits so many seconds for a push.
fn mcp(world: &World, wait: u32) -> Command {
    let config = world.write("config.toml", format!("[sync]\npush_wait = {wait}\n"));
    let mut command = world.command(&["mcp"]);
    command.env("MAILKEEP_CONFIG", config).env("LOG_FILE", world.path("server.log"));
    command
}

/// Longer than a test waits for an answer: who waits so long fails.
const FOREVER: u32 = 3_000;

fn draft(subject: &str) -> Value {
    json!({ "to": ["bob@stone.example"], "subject": subject, "body": "Hello" })
}

fn labels(world: &World, add: &[&str]) -> Value {
    let id = world.json(&["search", "kitchen"])["results"][0]["id"].clone();
    json!({ "email_id": id, "add_labels": add })
}

fn text(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// What an answer says about the server, of a draft or of the one message whose labels changed.
fn server_word(answer: &Value) -> &str {
    let data = &answer["result"]["structuredContent"];
    let one = data["items"].get(0).unwrap_or(data);
    one["server"].as_str().unwrap_or_default()
}

fn subjects(server: &Dovecot, user: &str, mailbox: &str) -> Vec<String> {
    let mut client = server.client(user);
    let uids = client.uids(mailbox);
    let subject = |uid| {
        let said = client.run(&format!("UID FETCH {uid} (BODY.PEEK[HEADER.FIELDS (SUBJECT)])"));
        let said = String::from_utf8(said).unwrap();
        said.split_once("Subject: ").unwrap().1.split_once("\r\n").unwrap().0.to_owned()
    };
    uids.into_iter().map(subject).collect()
}

fn flags(server: &Dovecot, user: &str) -> String {
    let mut client = server.client(user);
    client.run("SELECT INBOX");
    String::from_utf8(client.run("FETCH 1 (FLAGS)")).unwrap()
}

#[test]
fn a_draft_is_on_the_server_when_the_answer_says_so() {
    let Some(server) = Dovecot::start("a_draft_is_on_the_server_when") else { return };
    let world = synced(&server, "ada");
    server.client("ada").append("INBOX", "", &message("Not ours to fetch"));
    let mut client = Client::run(&mut mcp(&world, 60));

    let answer = client.call("create_draft", &draft("Plans"));

    assert_eq!(subjects(&server, "ada", "Drafts"), ["Plans"], "{answer}");
    assert!(
        text(&answer).contains("in mailkeep and in the Drafts of ada@example.org on the server"),
        "{answer}"
    );
    let id = answer["result"]["structuredContent"]["id"].as_str().unwrap().to_owned();
    assert!(text(&answer).contains(&format!("`mailkeep drafts show {id}`")), "{answer}");
    let changed = client.call("update_draft", &json!({ "draft_id": id, "subject": "Better plans" }));
    assert_eq!(subjects(&server, "ada", "Drafts"), ["Better plans"], "{changed}");
    assert_eq!(server_word(&changed), "on_server");
    client.finish();
    assert_eq!(world.count(""), 1, "a push brings nothing in");
    assert_eq!(world.sync()["pushed"], 0);
    assert_same(&world, &server, "ada");
    world.assert_sound();
}

#[test]
fn labels_and_flags_are_on_the_server_when_the_answer_says_so_in_every_profile() {
    let Some(server) = Dovecot::start("labels_and_flags_are_on_the_server_when") else { return };
    for (user, profile) in [("ada", "core"), ("bob", "assistant")] {
        let world = synced(&server, user);
        let mut client = Client::run(mcp(&world, 60).args(["--profile", profile]));
        let mut change = labels(&world, &["STARRED", "work"]);
        change["account"] = json!(ACCOUNT);

        let answer = client.call("manage_labels", &change);

        let flags = flags(&server, user);
        assert!(flags.contains("\\Flagged") && flags.contains("work"), "{flags}");
        assert_eq!(server_word(&answer), "on_server", "{answer}");
        assert_eq!(text(&answer).contains("Done on the server too."), profile == "core", "{answer}");
        client.finish();
        assert_eq!(world.sync()["pushed"], 0);
        assert_same(&world, &server, user);
    }
}

#[test]
fn a_message_that_is_moved_is_moved_on_the_server_and_here_with_the_next_sync() {
    let Some(server) = Dovecot::start("a_message_that_is_moved_is_moved") else { return };
    let world = synced(&server, "ada");
    let mut client = Client::run(&mut mcp(&world, 60));

    let answer = client.call("manage_labels", &labels(&world, &["TRASH"]));

    assert_eq!(subjects(&server, "ada", "Trash"), ["Kitchen"], "{answer}");
    assert!(text(&answer).contains("Shown here after the next sync: TRASH"), "{answer}");
    world.sync();
    assert_eq!(world.found("in:trash"), ["Kitchen"]);
    assert_same(&world, &server, "ada");
    world.assert_sound();
}

#[test]
fn over_http_changes_reach_the_server_too() {
    let Some(server) = Dovecot::start("over_http_changes_reach") else { return };
    let world = synced(&server, "ada");
    let config = world.write("config.toml", "[sync]\npush_wait = 60\n");
    let mut command = world.command(&["serve", "--no-token", "--no-sync", "--listen", "127.0.0.1:0"]);
    let served = Served::run(command.env("MAILKEEP_CONFIG", config));

    let answer = served.post(&call(1, "create_draft", &draft("Plans")), &[]).json();

    assert_eq!(server_word(&answer), "on_server", "{answer}");
    assert_eq!(subjects(&server, "ada", "Drafts"), ["Plans"]);
}

#[test]
fn the_person_s_own_edits_reach_the_server_too() {
    let Some(server) = Dovecot::start("the_person_s_own_edits") else { return };
    let world = synced(&server, "ada");
    let config = world.write("config.toml", "[sync]\npush_wait = 60\n");
    let id = crate::drafts::written(&world, "Plans").id.to_string();
    let edit = |editor: &str| {
        let mut command = world.command(&["--json", "drafts", "edit", &id]);
        let command = command.env("MAILKEEP_CONFIG", &config).env_remove("VISUAL").env("EDITOR", editor);
        crate::world::answer(command)
    };

    let edited = edit("sed -i s/Plans/Dreams/");

    assert_eq!(edited["draft"]["server"], "on_server", "{edited}");
    assert_eq!(subjects(&server, "ada", "Drafts"), ["Dreams"]);
    let mut discard = world.command(&["--json", "drafts", "discard", &id, "--yes"]);
    let discarded = crate::world::answer(discard.env("MAILKEEP_CONFIG", &config));
    assert_eq!(discarded["server"], "on_server", "{discarded}");
    assert!(subjects(&server, "ada", "Drafts").is_empty());
    assert_same(&world, &server, "ada");
}

#[test]
fn an_account_that_was_never_synced_gets_its_first_draft_where_the_server_keeps_drafts() {
    let Some(server) = Dovecot::start("an_account_that_was_never_synced") else { return };
    let world = World::with_account(server.port, "ada");
    let mut client = Client::run(&mut mcp(&world, 60));

    let answer = client.call("create_draft", &draft("Plans"));

    assert_eq!(server_word(&answer), "on_server", "{answer}");
    client.finish();
    assert_eq!(subjects(&server, "ada", "Drafts"), ["Plans"]);
    world.sync();
    assert_same(&world, &server, "ada");
}

#[test]
fn a_server_that_is_not_there_keeps_nobody_waiting_and_is_not_stormed() {
    let Some(server) = Dovecot::start("a_server_that_is_not_there_keeps") else { return };
    let world = synced(&server, "ada");
    let proxy = FaultProxy::start(server.port, Fault::CutDown(0));
    world.database().execute("UPDATE servers SET port = ?1", [proxy.port]).unwrap();
    let mut client = Client::run(&mut mcp(&world, FOREVER));

    let answers: Vec<_> = (0..6).map(|n| client.call("create_draft", &draft(&format!("Plan {n}")))).collect();
    let label = client.call("manage_labels", &labels(&world, &["STARRED"]));

    for answer in &answers {
        assert_eq!(server_word(answer), "waiting", "{answer}");
        assert!(text(answer).contains("with the next sync"), "{answer}");
    }
    assert_eq!(server_word(&label), "waiting", "{label}");
    assert!(proxy.said().len() <= 2, "{} connections", proxy.said().len());
    client.finish();
    world.database().execute("UPDATE servers SET port = ?1", [server.port]).unwrap();
    assert_eq!(world.sync()["pushed"], 7);
    assert_eq!(subjects(&server, "ada", "Drafts").len(), 6);
    assert_same(&world, &server, "ada");
    world.assert_sound();
}

#[test]
fn a_server_that_hangs_or_breaks_anywhere_loses_nothing_and_gets_everything_once() {
    let Some(server) = Dovecot::start("a_server_that_hangs_or_breaks") else { return };
    let faults = [
        Fault::Stall(40),
        Fault::Stall(700),
        Fault::CutAt("APPENDUID"),
        Fault::CutAt("Flagged"),
        Fault::ResetDown(900),
        Fault::CutUp(600),
    ];
    for (number, fault) in faults.into_iter().enumerate() {
        let user = format!("u{number}");
        let world = synced(&server, &user);
        let proxy = FaultProxy::start(server.port, fault);
        world.database().execute("UPDATE servers SET port = ?1", [proxy.port]).unwrap();
        let mut client = Client::run(&mut mcp(&world, 1));

        let answers = [
            client.call("create_draft", &draft("Plans")),
            client.call("manage_labels", &labels(&world, &["STARRED"])),
        ];

        assert!(answers.iter().all(|answer| answer["result"]["isError"] == false), "{fault:?} {answers:?}");
        client.finish();
        world.database().execute("UPDATE servers SET port = ?1", [server.port]).unwrap();
        world.sync();
        assert_eq!(subjects(&server, &user, "Drafts"), ["Plans"], "{fault:?}");
        assert!(flags(&server, &user).contains("\\Flagged"), "{fault:?}");
        assert_same(&world, &server, &user);
        world.assert_sound();
    }
}

#[test]
fn a_push_that_dies_anywhere_leaves_each_change_once() {
    let Some(server) = Dovecot::start("a_push_that_dies_anywhere_leaves") else { return };
    for point in 1..30 {
        let user = format!("u{point}");
        let world = synced(&server, &user);
        let requests = [
            call(1, "create_draft", &draft("Plans")),
            call(2, "manage_labels", &labels(&world, &["STARRED", "work"])),
        ];
        let mut command = mcp(&world, 60);
        let answers = ask(command.env("MAILKEEP_TEST_CRASH_AT", point.to_string()), &requests);

        world.sync();

        let kept = list(&world.json(&["drafts", "list"])["items"]).len();
        assert_eq!(subjects(&server, &user, "Drafts").len(), kept, "point {point}");
        assert_same(&world, &server, &user);
        world.assert_sound();
        if answers.len() == 2 {
            assert!(point > 4, "only {point} points were found to die at");
            return;
        }
    }
    panic!("it dies at every point");
}

#[test]
fn a_refused_sign_in_is_not_repeated_and_waits_for_the_person() {
    let Some(server) = Dovecot::start("a_refused_sign_in_is_not_repeated") else { return };
    let world = synced(&server, "ada");
    world.log_in("wrong-canary-99");

    for _ in 0..2 {
        let mut client = Client::run(&mut mcp(&world, FOREVER));
        for _ in 0..3 {
            let answer = client.call("create_draft", &draft("Plans"));
            assert_eq!(server_word(&answer), "waiting", "{answer}");
            assert!(!answer.to_string().contains("wrong-canary-99"), "{answer}");
        }
        client.finish();
    }

    assert_eq!(server.log().matches("auth failed").count(), 1, "{}", server.log());
    assert_eq!(world.problem()["code"], "sign_in");
    world.log_in(PASSWORD);
    let mut client = Client::run(&mut mcp(&world, 60));
    let answer = client.call("create_draft", &draft("At last"));
    assert_eq!(server_word(&answer), "on_server", "{answer}");
    assert_eq!(subjects(&server, "ada", "Drafts").len(), 7);
}

#[test]
fn while_another_process_syncs_it_is_said_and_done_when_that_has_ended() {
    let Some(server) = Dovecot::start("while_another_process_syncs") else { return };
    let world = synced(&server, "ada");
    let lock = File::create(world.home().join("sync-1.lock")).unwrap();
    lock.lock().unwrap();
    let mut client = Client::run(&mut mcp(&world, 1));

    let answer = client.call("manage_labels", &labels(&world, &["STARRED"]));

    assert!(text(&answer).contains("another mailkeep process"), "{answer}");
    assert!(!flags(&server, "ada").contains("\\Flagged"));
    drop(lock);
    wait_until("the change is on the server", || flags(&server, "ada").contains("\\Flagged"));
    client.finish();
}

#[test]
fn a_sync_waits_for_a_push_that_is_under_way() {
    let Some(server) = Dovecot::start("a_sync_waits_for_a_push") else { return };
    let world = synced(&server, "ada");
    let proxy = FaultProxy::start(server.port, Fault::Stall(40));
    world.database().execute("UPDATE servers SET port = ?1", [proxy.port]).unwrap();
    let mut client = Client::run(&mut mcp(&world, 1));
    client.call("manage_labels", &labels(&world, &["STARRED"]));
    world.database().execute("UPDATE servers SET port = ?1", [server.port]).unwrap();

    let report = world.sync();

    assert_eq!(report["pushed"], 1, "{report}");
    assert!(flags(&server, "ada").contains("\\Flagged"));
    client.finish();
}

#[test]
fn beside_a_watch_each_change_is_made_once() {
    let Some(server) = Dovecot::start("beside_a_watch_each_change") else { return };
    let world = synced(&server, "ada");
    let mut watch = world.sync_command(&["--watch", "--poll", "1"]);
    let mut watch = watch.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = |world: &World| list(&world.json(&["status"])["accounts"])[0].clone();
    wait_until("the watch has begun", || status(&world)["watched"] == true);
    let mut client = Client::run(&mut mcp(&world, 60));

    for number in 0..10 {
        let answer = client.call("create_draft", &draft(&format!("Plan {number}")));
        assert_eq!(server_word(&answer), "on_server", "{answer}");
    }

    client.finish();
    watch.kill().unwrap();
    watch.wait().unwrap();
    world.sync();
    assert_eq!(subjects(&server, "ada", "Drafts").len(), 10);
    assert_same(&world, &server, "ada");
    world.assert_sound();
}

#[test]
fn what_the_server_refuses_is_said_at_once() {
    let Some(server) = Dovecot::start("what_the_server_refuses") else { return };
    let world = synced(&server, "ada");
    let mut client = Client::run(&mut mcp(&world, 60));

    let answer = client.call("manage_labels", &labels(&world, &["two words"]));

    assert_eq!(server_word(&answer), "refused", "{answer}");
    assert!(text(&answer).contains("The server did not make the change"), "{answer}");
    client.finish();
    world.sync();
    assert_eq!(world.count("label:\"two words\""), 0);
}

#[test]
fn the_owner_can_leave_all_of_it_to_syncs() {
    let Some(server) = Dovecot::start("the_owner_can_leave_all_of_it") else { return };
    let world = synced(&server, "ada");
    let config = world.write("off.toml", "[sync]\npush = false\n");
    let logins = server.log().matches("Login: user=<ada>").count();

    let answers = ask(
        world.command(&["mcp"]).env("MAILKEEP_CONFIG", config),
        &[call(1, "create_draft", &draft("Plans"))],
    );

    assert_eq!(server_word(&answers[&1]), "waiting");
    assert_eq!(server.log().matches("Login: user=<ada>").count(), logins);
    world.sync();
    assert_eq!(subjects(&server, "ada", "Drafts"), ["Plans"]);
}

#[test]
fn an_account_without_a_server_says_nothing_about_one() {
    let world = World::holding(&crate::world::mail::mboxrd([&crate::world::Mail::new("Kitchen").bytes()]));

    let answers = ask(
        &mut mcp(&world, FOREVER),
        &[call(1, "create_draft", &draft("Plans")), call(2, "manage_labels", &labels(&world, &["STARRED"]))],
    );

    assert!(text(&answers[&1]).contains("It is in mailkeep. The user sees it"), "{answers:?}");
    assert!(!text(&answers[&2]).contains("server"), "{answers:?}");
    assert_eq!(server_word(&answers[&2]), "", "{answers:?}");
}
