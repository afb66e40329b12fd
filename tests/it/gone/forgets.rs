//! What the owner forgets leaves no trace in any file.

use std::fs;
use std::path::{Path, PathBuf};

use mailkeep::model::{ContentHash, ShortId};
use serde_json::json;

use super::{expunge, letter, tool};
use crate::world::dovecot::Dovecot;
use crate::world::mail::{Mail, base64, mboxrd, with_crlf};
use crate::world::synced::with_input;
use crate::world::{ACCOUNT, World, list, read_json, text, told};

/// Words that stand in the canary message and nowhere else, each in another part of it.
const WORDS: [&str; 8] =
    ["zyqsubject", "zyqbody", "zyqfile", "zyqattached", "zyqmsgid", "zyqsender", "zyqhtml", "zyqheader"];

pub(super) fn canary(number: usize) -> Vec<u8> {
    let mail = Mail::new(&format!("A zyqsubject of canary{number}"))
        .from("Zyqsender Person <zyqsender@zyqdomain.example>")
        .with("Message-ID", &format!("<zyqmsgid{number}@zyqdomain.example>"))
        .with("X-Zyqheader", "zyqheader value")
        .body(&format!("This zyqbody{number} is said once, letter by letter."))
        .html("<p>And zyqhtml in HTML</p>")
        .attach("zyqfile.txt", "text/plain", b"zyqattached words in a file");
    with_crlf(&mail.bytes())
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.flat_map(|e| if e.path().is_dir() { files(&e.path()) } else { vec![e.path()] }).collect()
}

/// All that tells a canary: its words in any case, their base64, its short id, and its bytes as they are packed.
pub(super) fn traces(canaries: &[Vec<u8>], frames: &[Vec<u8>]) -> Vec<(String, Vec<u8>)> {
    let mut traces: Vec<(String, Vec<u8>)> = Vec::new();
    for word in WORDS.iter().copied().chain(["zyqdomain", "canary"]) {
        traces.push((word.to_owned(), word.as_bytes().to_vec()));
        traces.push((
            format!("capital {word}"),
            [word[..1].to_uppercase().as_bytes(), &word.as_bytes()[1..]].concat(),
        ));
    }
    traces.push((
        "the file in base64".to_owned(),
        base64(b"zyqattached words in a file").as_bytes()[..24].to_vec(),
    ));
    for bytes in canaries {
        let id = ShortId::of(&ContentHash::of_message(bytes)).to_string();
        traces.push((format!("the id {id}"), id.into_bytes()));
    }
    for frame in frames {
        traces.push(("a packed frame".to_owned(), frame[8..frame.len().min(72)].to_vec()));
    }
    traces
}

/// The packed contents of messages whose subject holds a word.
pub(super) fn frames(world: &World, word: &str) -> Vec<Vec<u8>> {
    let answer = world.json(&["search", "--limit", "1000", word]);
    let ids: Vec<String> =
        list(&answer["results"]).iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
    assert!(!ids.is_empty());
    let database = world.database();
    let select =
        "SELECT c.frame FROM contents c JOIN messages m ON m.id = c.message WHERE m.hash BETWEEN ?1 AND ?2";
    let frame = |id: &String| {
        let (first, last) = ShortId::parse(id).unwrap().hash_range();
        database.query_row(select, [first, last], |row| row.get(0)).unwrap()
    };
    ids.iter().map(frame).collect()
}

pub(super) fn assert_no_trace(world: &World, traces: &[(String, Vec<u8>)]) {
    let mut found = Vec::new();
    for file in files(world.home()) {
        let bytes = fs::read(&file).unwrap();
        for (what, trace) in traces {
            if memchr::memmem::find(&bytes, trace).is_some() {
                found.push(format!("{what} in {}", file.strip_prefix(world.home()).unwrap().display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A machine with many letters and some canaries among them, all indexed.
fn machine(canaries: &[Vec<u8>]) -> World {
    let world = World::new();
    let mut all: Vec<Vec<u8>> = (0..120).map(|number| letter(&number.to_string())).collect();
    for (number, canary) in canaries.iter().enumerate() {
        all.insert(number * 7 + 3, canary.clone());
    }
    let file = world.write("all.mbox", mboxrd(&all));
    world.import(&file);
    world
}

#[test]
fn what_is_forgotten_leaves_no_trace_in_any_file() {
    let canaries: Vec<Vec<u8>> = (0..5).map(canary).collect();
    let world = machine(&canaries);
    // Kept files, drafts of nothing, and an index that has seen it more than once.
    let shown = world.json(&["search", "attachment:zyqattached"]);
    let id = list(&shown["results"])[0]["id"].as_str().unwrap().to_owned();
    tool(&world, "get_attachment", &json!({"email_id": id, "account": ACCOUNT, "filename": "zyqfile.txt"}));
    world.json(&["reindex"]);
    let traces = traces(&canaries, &frames(&world, "zyqsubject"));
    let is_there = files(world.home()).iter().any(|file| {
        let bytes = fs::read(file).unwrap();
        traces.iter().any(|(_, trace)| memchr::memmem::find(&bytes, trace).is_some())
    });
    assert!(is_there, "there is something to leave no trace of");

    let answer = world.json(&["forget", "--yes", "zyqbody0 OR zyqsubject"]);

    assert_eq!(answer["forgotten"], 5, "{answer}");
    assert_no_trace(&world, &traces);
    assert_eq!((world.count("zyqsubject"), world.count("letter")), (0, 120));
    world.assert_sound();
    let (mbox, backup) = (world.path("out.mbox"), world.path("backup.db"));
    world.json(&["export", "--to", text(&mbox)]);
    world.json(&["backup", text(&backup)]);
    for file in [mbox, backup] {
        let bytes = fs::read(file).unwrap();
        assert!(traces.iter().all(|(_, trace)| memchr::memmem::find(&bytes, trace).is_none()));
    }
}

#[test]
fn nothing_is_forgotten_without_a_word_from_the_owner() {
    let world = machine(&[canary(0)]);

    let output = world.run(&["--json", "forget", "zyqsubject"]);
    let spoken = world.run(&["forget", "zyqsubject"]);

    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert_eq!(read_json(&output)["error"]["code"], "not_confirmed");
    let said = [spoken.stdout, spoken.stderr].concat();
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("zyqsubject") && said.contains('1'), "shows what and how many: {said}");
    assert_eq!(world.count("zyqsubject"), 1);
    assert_eq!(world.json(&["forget", "--yes", "no such word anywhere"])["forgotten"], 0);
    assert_eq!(world.count("letter"), 121);
}

#[test]
fn what_was_forgotten_is_not_brought_back_by_the_server_that_has_it() {
    let Some(server) = Dovecot::start("what_was_forgotten") else { return };
    let mut client = server.client("ada");
    client.append("INBOX", "", &canary(0));
    client.append("INBOX", "", &letter("kept"));
    client.append("INBOX", "", &canary(1));
    let world = World::with_account(server.port, "ada");
    world.sync();
    expunge(&mut client, "INBOX", "3");
    world.sync();
    let traces = traces(&[canary(0), canary(1)], &frames(&world, "zyqsubject"));

    assert_eq!(world.json(&["forget", "--yes", "zyqsubject"])["forgotten"], 2);
    for without in ["", "QRESYNC", "QRESYNC,CONDSTORE"] {
        let output = world.sync_command(&[]).env("MAILKEEP_TEST_WITHOUT", without).output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
        assert_no_trace(&world, &traces);
        assert_eq!((world.count("zyqsubject"), world.count("letter"), world.count("in:inbox")), (0, 1, 1));
    }
    client.append("INBOX", "", &letter("after"));
    world.sync();
    assert_eq!(world.count("letter"), 2);
    assert_no_trace(&world, &traces);
    world.assert_sound();
}

#[test]
fn an_account_that_is_forgotten_leaves_no_trace_and_takes_no_other_with_it() {
    let Some(server) = Dovecot::start("an_account_that_is_forgotten") else { return };
    server.client("ada").append("INBOX", "", &canary(0));
    server.client("ada").append("INBOX", "", &letter("shared"));
    server.client("bob").append("INBOX", "", &letter("shared"));
    server.client("bob").append("INBOX", "", &letter("bobs"));
    let world = World::with_account(server.port, "ada");
    world.add_account("bob@example.org", &format!("127.0.0.1:{}", server.port), &["--user", "bob"]);
    let output = world.sync_command(&[]).output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
    let mut traces = traces(&[canary(0)], &frames(&world, "zyqsubject"));
    traces.push(("the address".to_owned(), ACCOUNT.as_bytes().to_vec()));

    let answer = world.run(&["--json", "account", "remove", ACCOUNT, "--forget", "--yes"]);

    assert!(answer.status.success(), "{}", told(&answer));
    // The address of the account is also whom the letters of others were written to.
    traces.pop();
    assert_no_trace(&world, &traces);
    assert_eq!((world.count("zyqsubject"), world.count("letter")), (0, 2));
    let accounts = world.json(&["account", "list"]);
    assert_eq!(list(&accounts["accounts"]).len(), 1, "{accounts}");
    world.assert_sound();
}

#[test]
fn an_account_that_holds_nothing_disappears_when_it_is_removed() {
    let world = World::new();
    world.add_account(ACCOUNT, "127.0.0.1:9", &[]);

    let output = world.run(&["--json", "account", "remove", ACCOUNT]);

    assert!(output.status.success(), "{}", told(&output));
    let accounts = world.json(&["account", "list"]);
    assert_eq!(list(&accounts["accounts"]).len(), 0, "{accounts}");
}

#[test]
fn a_person_at_no_terminal_cannot_confirm_by_typing() {
    let world = machine(&[canary(0)]);

    let output = with_input(&mut world.command(&["--json", "forget", "zyqsubject"]), "y");

    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert_eq!(world.count("zyqsubject"), 1);
}
