//! Mail that leaves a server stays here, marked, until its owner lets go of it; and then no trace of it is left.

mod corners;
mod forgets;
mod leaves;
mod rules;

use serde_json::{Value, json};

use crate::world::conversation::{ask, call};
use crate::world::dovecot::{Dovecot, Imap};
use crate::world::mail::{Mail, with_crlf};
use crate::world::{ACCOUNT, World, list, read_json, told};

fn letter(name: &str) -> Vec<u8> {
    with_crlf(&Mail::new(&format!("Letter {name}")).body(&format!("The letter {name}.")).bytes())
}

/// A server with letters in these mailboxes, and a machine that has them all.
fn synced(test: &str, letters: &[(&str, usize)]) -> Option<(Dovecot, World)> {
    let server = Dovecot::start(test)?;
    let mut client = server.client("ada");
    for (mailbox, count) in letters {
        if !["INBOX", "Sent", "Trash", "Drafts"].contains(mailbox) {
            client.run(&format!("CREATE \"{mailbox}\""));
        }
        for number in 1..=*count {
            client.append(mailbox, "", &letter(&format!("{mailbox}-{number}")));
        }
    }
    let world = World::with_account(server.port, "ada");
    world.sync();
    Some((server, world))
}

/// Takes messages of a mailbox away for good.
fn expunge(client: &mut Imap, mailbox: &str, uids: &str) {
    client.run(&format!("SELECT \"{mailbox}\""));
    client.run(&format!("UID STORE {uids} +FLAGS (\\Deleted)"));
    client.run("EXPUNGE");
    client.run("CLOSE");
}

/// Syncs at a moment, with lines of configuration; what it says about the account, and its exit code.
fn sync_at(world: &World, moment: &str, config: &str) -> (Value, Option<i32>) {
    let path = world.write("config.toml", config);
    let mut command = world.sync_command(&[]);
    let output = command.env("MAILKEEP_TEST_NOW", moment).env("MAILKEEP_CONFIG", path).output().unwrap();
    let report = read_json(&output)["accounts"][0].clone();
    assert!(report.is_object(), "{}", told(&output));
    (report, output.status.code())
}

/// The day each message is gone since, by subject; only those that are.
fn gone(world: &World) -> Vec<(String, String)> {
    let answer = world.json(&["search", "--limit", "10000", "letter"]);
    let mut marked: Vec<_> = list(&answer["results"])
        .iter()
        .filter_map(|item| {
            let since = item.get("gone")?.as_str()?;
            Some((item["subject"].as_str().unwrap().to_owned(), since[..10].to_owned()))
        })
        .collect();
    marked.sort();
    marked
}

/// What an assistant is told.
fn tool(world: &World, name: &str, arguments: &Value) -> Value {
    let answers = ask(&mut world.command(&["mcp"]), &[call(1, name, arguments)]);
    answers[&1]["result"]["structuredContent"].clone()
}

/// Subjects in a folder, as an assistant lists it.
fn listed(world: &World, folder: &str) -> Vec<String> {
    let answer = tool(world, "list_emails", &json!({"account": ACCOUNT, "folder": folder, "limit": 100}));
    let mut subjects: Vec<String> =
        list(&answer["items"]).iter().map(|item| item["subject"].as_str().unwrap().to_owned()).collect();
    subjects.sort();
    subjects
}

/// Messages and unread ones of a mailbox, as an assistant is told them.
fn counts(world: &World, mailbox: &str) -> (u64, u64) {
    let answer = tool(world, "list_accounts", &json!({}));
    let mailboxes = list(&list(&answer["items"])[0]["mailboxes"]).iter();
    let found = mailboxes.into_iter().find(|item| item["name"] == mailbox);
    found.map_or((0, 0), |item| (item["count"].as_u64().unwrap(), item["unread"].as_u64().unwrap()))
}
