//! Whatever somebody does to the record is found, and what cannot be found without a head is said.

use serde_json::json;

use super::Desk;
use crate::world::text;

impl Desk {
    /// A chain of some length: items that were proposed, rejected, sent, and rules that got stricter.
    fn with_history() -> Option<Self> {
        let desk = Self::new();
        for number in 0..3 {
            let item = desk.proposed("bob@stone.example", &format!("message {number}"));
            match number {
                0 => drop(desk.json(&["outbox", "reject", item["id"].as_str().unwrap()])),
                _ => drop(desk.reviewed("audit", &[item["code"].as_str().unwrap()])?),
            }
        }
        desk.configure("[policy]\nundo = 0\nper_hour = 50\n");
        desk.json(&["approval", "status"]);
        desk.json(&["outbox", "pause"]);
        Some(desk)
    }

    fn verify(&self, arguments: &[&str]) -> serde_json::Value {
        let mut command = self.command(&["--json", "audit", "verify"]);
        crate::world::read_json(&command.args(arguments).output().unwrap())
    }
}

#[test]
fn every_change_of_the_chain_is_found() {
    let Some(desk) = Desk::with_history() else { return };
    let database = desk.world.database();
    let links: i64 = database.query_row("SELECT count(*) FROM audit", [], |row| row.get(0)).unwrap();
    assert_eq!(desk.verify(&[])["ok"], json!(true), "{}", desk.verify(&[]));
    let heads = desk.world.path("heads.jsonl");
    desk.json(&["audit", "export", text(&heads)]);
    database.execute_batch("CREATE TABLE kept AS SELECT * FROM audit").unwrap();

    let mut mutations = Vec::new();
    for link in 1..=links {
        for change in [
            "time_ms = time_ms + 1",
            "kind = kind || 'x'",
            "item = 'd0000000000000'",
            "body = body || ' '",
            "previous = zeroblob(32) || x'00'",
            "hash = randomblob(32)",
        ] {
            mutations.push((link, format!("UPDATE audit SET {change} WHERE id = {link}")));
        }
        if link < links {
            mutations.push((link, format!("DELETE FROM audit WHERE id = {link}")));
            let swap = "UPDATE audit SET id = -id WHERE id = {a}; UPDATE audit SET id = {a} WHERE id = {b};
                        UPDATE audit SET id = {b} WHERE id = -{a}";
            let swap = swap.replace("{a}", &link.to_string()).replace("{b}", &(link + 1).to_string());
            mutations.push((link, swap));
        }
    }
    let copy =
        "INSERT INTO audit SELECT {n}, time_ms, kind, item, body, previous, hash FROM kept WHERE id = 1";
    mutations.push((links + 1, copy.replace("{n}", &(links + 1).to_string())));

    assert!(mutations.len() > 50, "{}", mutations.len());
    for (link, mutation) in &mutations {
        database.execute_batch("PRAGMA ignore_check_constraints = ON").unwrap();
        if database.execute_batch(mutation).is_err() {
            panic!("{mutation}");
        }
        let verified = desk.verify(&[]);
        assert_eq!(verified["ok"], json!(false), "{mutation}");
        let named = verified["broken"]["link"].as_i64();
        assert!(named.is_some_and(|named| named == *link || named == *link + 1), "{mutation} {verified}");
        database.execute_batch("DELETE FROM audit; INSERT INTO audit SELECT * FROM kept").unwrap();
    }
    assert_eq!(desk.verify(&["--against", text(&heads)])["ok"], json!(true));
}

#[test]
fn an_end_that_was_cut_off_is_found_with_a_head_and_only_then() {
    let Some(desk) = Desk::with_history() else { return };
    let heads = desk.world.path("heads.jsonl");
    desk.json(&["audit", "export", text(&heads)]);
    let database = desk.world.database();
    database.execute("DELETE FROM audit WHERE id = (SELECT max(id) FROM audit)", []).unwrap();

    assert_eq!(desk.verify(&[])["ok"], json!(true));
    let verified = desk.verify(&["--against", text(&heads)]);
    assert!(verified["broken"]["problem"].as_str().unwrap().contains("missing"), "{verified}");
    let told = desk.command(&["audit", "verify"]).output().unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.contains("internally consistent") && told.contains("cut off the end"), "{told}");
    let again = desk.command(&["audit", "export", text(&heads)]).output().unwrap();
    assert!(!again.status.success());
}

#[test]
fn a_chain_that_was_computed_anew_is_found_with_a_head() {
    let Some(desk) = Desk::with_history() else { return };
    let heads = desk.world.path("heads.jsonl");
    desk.json(&["audit", "export", text(&heads)]);
    let database = desk.world.database();
    let home = mailkeep::home::Home::at(desk.world.home());
    let reader = mailkeep::store::Reader::open(&home.store()).unwrap();
    let mut previous = mailkeep::model::ContentHash([0; 32]);
    for mut row in reader.audit_rows(0, 1_000).unwrap() {
        row.time_ms += 1;
        row.previous = previous;
        row.hash = row.computed();
        previous = row.hash;
        let values = rusqlite::params![row.time_ms, row.previous.0, row.hash.0, row.id];
        let set = "UPDATE audit SET time_ms = ?1, previous = ?2, hash = ?3 WHERE id = ?4";
        database.execute(set, values).unwrap();
    }

    assert_eq!(desk.verify(&[])["ok"], json!(true));
    let verified = desk.verify(&["--against", text(&heads)]);
    assert!(verified["broken"]["problem"].as_str().unwrap().contains("made anew"), "{verified}");
}

#[test]
fn what_the_store_says_otherwise_is_found() {
    let Some(desk) = Desk::with_history() else { return };
    let item = desk.proposed("bob@stone.example", "forged");
    let forge = "
        INSERT INTO approvals (draft, revision, hash, door, factor, epoch, send_after, seal)
        SELECT id, revision, randomblob(32), 'terminal', 'pin', 1, 1, randomblob(32) FROM drafts WHERE short_id = ?1";
    for (change, undo) in [
        ("UPDATE attempts SET revision = revision + 1", "UPDATE attempts SET revision = revision - 1"),
        (
            "UPDATE drafts SET state = 'failed' WHERE state = 'sent'",
            "UPDATE drafts SET state = 'sent' WHERE state = 'failed'",
        ),
        (
            "UPDATE drafts SET state = 'sent' WHERE state = 'rejected'",
            "UPDATE drafts SET state = 'rejected' WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE draft = drafts.id)
             AND state = 'sent'",
        ),
        ("UPDATE attempts SET outcome = 'failed'", "UPDATE attempts SET outcome = 'sent'"),
        (
            "UPDATE audit_previews SET preview = preview || '!'",
            "UPDATE audit_previews SET preview = rtrim(preview, '!')",
        ),
    ] {
        desk.world.database().execute(change, []).unwrap();
        assert_eq!(desk.verify(&[])["ok"], json!(false), "{change}");
        desk.world.database().execute(undo, []).unwrap();
        assert_eq!(desk.verify(&[])["ok"], json!(true), "{undo}");
    }
    desk.world.database().execute(forge, [item["id"].as_str().unwrap()]).unwrap();

    let verified = desk.verify(&[]);
    assert_eq!(verified["ok"], json!(false));
    assert_eq!(verified["approvals_without_seal"], json!([item["id"]]), "{verified}");
}

#[test]
fn a_head_is_not_written_into_the_home() {
    let Some(desk) = Desk::with_history() else { return };
    let inside = desk.world.home().join("heads.jsonl");

    let refused = desk.command(&["audit", "export", text(&inside)]).output().unwrap();

    assert!(!refused.status.success() && !inside.exists());
}
