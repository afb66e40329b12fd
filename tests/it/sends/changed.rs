//! A yes is to exactly this: whatever is changed behind it, in the store or in the account, nothing leaves.

use std::collections::BTreeMap;

use mailkeep::model::{ItemState, SignIn, Tls};
use mailkeep::outbox::mark::forget_marks;
use mailkeep::store::Item;
use rusqlite::types::Value;

use crate::sends::Outgoing;
use crate::world::flaky_smtp::FlakySmtp;
use crate::world::random::Random;

/// What says what leaves, to whom, from whom, by what, and that somebody said yes. The rest tells when and why.
const COLUMNS: [(&str, &str); 19] = [
    ("draft_revisions", "raw"),
    ("draft_revisions", "to_json"),
    ("draft_revisions", "cc_json"),
    ("draft_revisions", "bcc_json"),
    ("draft_revisions", "hash"),
    ("draft_revisions", "sender"),
    ("proposals", "route"),
    ("proposals", "partial"),
    ("approvals", "draft"),
    ("approvals", "revision"),
    ("approvals", "hash"),
    ("approvals", "door"),
    ("approvals", "factor"),
    ("approvals", "epoch"),
    ("approvals", "send_after"),
    ("approvals", "seal"),
    ("drafts", "revision"),
    ("servers", "host"),
    ("servers", "port"),
];

/// Another value in the place of this one.
fn other(value: Value, random: &mut Random) -> Value {
    match value {
        Value::Blob(mut bytes) if !bytes.is_empty() => {
            let place = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[place] ^= 1 << random.below(7),
                1 => bytes.insert(place, b'x'),
                _ => drop(bytes.remove(place)),
            }
            Value::Blob(bytes)
        }
        Value::Text(mut text) => {
            // Addresses in a list change; a list that cannot be read is no list.
            match text.find("stone.example").or_else(|| text.find("river")).or_else(|| text.find("hill")) {
                Some(place) => text.insert(place, char::from(b'a' + random.below(26) as u8)),
                None if text == "[]" => text = r#"[{"name":"","address":"eve@evil.example"}]"#.to_owned(),
                None => text.push('x'),
            }
            Value::Text(text)
        }
        Value::Integer(number) => Value::Integer(number + 1 + random.below(3) as i64),
        Value::Null => Value::Text("eve@evil.example".to_owned()),
        other => other,
    }
}

fn change(outgoing: &Outgoing, item: &Item, (table, column): (&str, &str), random: &mut Random) {
    let database = rusqlite::Connection::open(outgoing.home().store()).unwrap();
    database.pragma_update(None, "foreign_keys", false).unwrap();
    let of_item = match table {
        "drafts" => "id = ?1",
        "servers" => "account = (SELECT account FROM drafts WHERE id = ?1)",
        _ => "draft = ?1",
    };
    let read = format!("SELECT {column} FROM {table} WHERE {of_item}");
    let value: Value = database.query_row(&read, [item.draft.key.0], |row| row.get(0)).unwrap();
    let write = format!("UPDATE {table} SET {column} = ?2 WHERE {of_item}");
    database.execute(&write, (item.draft.key.0, other(value, random))).unwrap();
}

#[test]
fn what_was_changed_after_the_yes_does_not_leave() {
    let rounds =
        std::env::var("MAILKEEP_TEST_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(76);
    let server = FlakySmtp::good();
    let mut random = Random::new(11);
    let mut states = BTreeMap::new();
    let outgoing = Outgoing::to(server.port);
    for round in 0..rounds {
        let place = COLUMNS[round % COLUMNS.len()];
        let item = outgoing.approved(&format!("Letter {round}"));

        change(&outgoing, &item, place, &mut random);
        // A row that cannot be read any more is an error, and nothing is sent.
        let _ = outgoing.worker().run_once();

        assert_eq!(server.taken().len(), 0, "{place:?} round {round}");
        let database = rusqlite::Connection::open(outgoing.home().store()).unwrap();
        let state: String = database
            .query_row("SELECT state FROM drafts WHERE id = ?1", [item.draft.key.0], |row| row.get(0))
            .unwrap();
        *states.entry(state).or_insert(0) += 1;
        database.pragma_update(None, "foreign_keys", false).unwrap();
        for table in ["drafts", "draft_revisions", "proposals", "approvals"] {
            let key = if table == "drafts" { "id" } else { "draft" };
            database.execute(&format!("DELETE FROM {table} WHERE {key} = ?1"), [item.draft.key.0]).unwrap();
        }
        database.execute("DELETE FROM approvals", []).unwrap();
        outgoing.set_server(server.port, Tls::None, SignIn::Password);
    }
    assert!(!states.contains_key("sent"), "{states:?}");
    assert!(states["pending_approval"] > rounds / 2, "{states:?}");
}

/// The database with one approved item, to be put back after each change.
struct Kept {
    outgoing: Outgoing,
    bytes: Vec<u8>,
}

impl Kept {
    fn of(outgoing: Outgoing) -> Self {
        let database = rusqlite::Connection::open(outgoing.home().store()).unwrap();
        database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        drop(database);
        let bytes = std::fs::read(outgoing.home().store()).unwrap();
        Self { outgoing, bytes }
    }

    /// As it was, open for somebody who heeds no rule.
    fn database(&self) -> rusqlite::Connection {
        let path = self.outgoing.home().store();
        for ending in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
        }
        std::fs::write(&path, &self.bytes).unwrap();
        // What an older copy is worth is another question.
        forget_marks(&self.outgoing.home()).unwrap();
        let database = rusqlite::Connection::open(path).unwrap();
        database.pragma_update(None, "foreign_keys", false).unwrap();
        database.pragma_update(None, "ignore_check_constraints", true).unwrap();
        database
    }

    /// Every column of every table that holds something.
    fn columns(&self) -> Vec<(String, String)> {
        const SELECT: &str = "
            SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
            WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'";
        let database = self.database();
        let mut statement = database.prepare(SELECT).unwrap();
        let all = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let holds = |(table, column): &(String, String)| {
            database
                .prepare(&format!("SELECT {column} FROM {table}"))
                .is_ok_and(|mut it| it.exists([]).unwrap())
        };
        all.map(Result::unwrap).filter(holds).collect()
    }

    /// Changes a column in all rows; whether that did something.
    fn change(&self, table: &str, column: &str, random: &mut Random) -> bool {
        let database = self.database();
        let mut statement = database.prepare(&format!("SELECT DISTINCT {column} FROM {table}")).unwrap();
        let values = statement.query_map([], |row| row.get::<_, Value>(0)).unwrap();
        let values: Vec<_> = values.map(Result::unwrap).collect();
        let write = format!("UPDATE OR IGNORE {table} SET {column} = ?2 WHERE {column} IS ?1");
        let change =
            |value: Value| database.execute(&write, (value.clone(), other(value, random))).unwrap_or(0);
        values.into_iter().map(change).sum::<usize>() > 0
    }
}

#[test]
fn whatever_column_is_changed_only_what_was_approved_leaves_and_once() {
    let server = FlakySmtp::good();
    let outgoing = Outgoing::to(server.port);
    outgoing.approved("Approved");
    let kept = Kept::of(outgoing);
    let _ = kept.outgoing.worker().run_once();
    let approved = server.taken().pop().unwrap();
    let (mut random, mut changed, mut stopped) = (Random::new(17), 0, 0);
    for (table, column) in kept.columns() {
        let before = server.taken().len();
        if !kept.change(&table, &column, &mut random) {
            continue;
        }
        let _ = (kept.outgoing.worker().run_once(), kept.outgoing.worker().run_once());

        let left = server.taken().split_off(before);
        assert!(left.len() <= 1 && left.iter().all(|one| *one == approved), "{table}.{column}: {left:?}");
        (changed, stopped) = (changed + 1, stopped + usize::from(left.is_empty()));
    }
    assert!(changed > 80 && stopped > 30, "{stopped} of {changed}");
}

/// Makes what has left look as if it had not, in the row and in the journal.
const UNSENT: &str = "
    UPDATE drafts SET state = 'approved'; UPDATE approvals SET spent = 0; DELETE FROM attempts;
    UPDATE proposals SET sent_epoch = NULL, not_before = 0;";

#[test]
fn what_has_left_does_not_leave_again_whatever_is_changed_together() {
    for change in [
        "",
        "DELETE FROM audit WHERE kind IN ('attempt', 'dot', 'sent')",
        "DELETE FROM audit WHERE id > (SELECT max(id) FROM audit WHERE kind = 'approved')",
        "DELETE FROM audit",
        "UPDATE audit SET kind = 'put_off' WHERE kind IN ('dot', 'sent')",
        "UPDATE audit SET item = 'dr_zzzzzzzz' WHERE kind IN ('dot', 'sent')",
        "UPDATE drafts SET short_id = 'dr_zzzzzzzz'",
    ] {
        let server = FlakySmtp::good();
        let outgoing = Outgoing::to(server.port);
        outgoing.approved("Once");
        outgoing.send();
        let database = rusqlite::Connection::open(outgoing.home().store()).unwrap();
        database.pragma_update(None, "foreign_keys", false).unwrap();

        database.execute_batch(&format!("{UNSENT}{change}")).unwrap();
        let _ = (outgoing.worker().run_once(), outgoing.worker().run_once());

        assert_eq!(server.taken().len(), 1, "{change}");
    }
}

#[test]
fn a_yes_to_one_item_is_none_to_another_that_took_its_id() {
    let server = FlakySmtp::good();
    let outgoing = Outgoing::to(server.port);
    let sent = outgoing.approved("Sent");
    outgoing.send();
    let waiting = outgoing.approved("Waiting");
    let database = rusqlite::Connection::open(outgoing.home().store()).unwrap();
    database.pragma_update(None, "foreign_keys", false).unwrap();
    let rename = |item: &Item, id: &str| {
        database.execute("UPDATE drafts SET short_id = ?2 WHERE id = ?1", (item.draft.key.0, id)).unwrap();
    };

    rename(&sent, "between");
    rename(&waiting, &sent.draft.id.to_string());
    rename(&sent, &waiting.draft.id.to_string());
    database.execute_batch(UNSENT).unwrap();
    let _ = (outgoing.worker().run_once(), outgoing.worker().run_once());

    assert_eq!(server.taken().len(), 1);
}

#[test]
fn another_server_user_or_protection_needs_another_yes() {
    let (server, other) = (FlakySmtp::good(), FlakySmtp::good());
    for (port, tls) in [(other.port, Tls::None), (server.port, Tls::StartTls), (server.port, Tls::Implicit)] {
        let outgoing = Outgoing::to(server.port);
        let item = outgoing.approved("Elsewhere");
        outgoing.set_server(port, tls, SignIn::Password);

        outgoing.send();

        assert_eq!(outgoing.state(&item), ItemState::PendingApproval);
        assert_eq!((server.taken().len(), other.taken().len()), (0, 0));
        assert!(outgoing.again(&item).reason.unwrap().contains("server was changed"));
    }
}

#[test]
fn a_row_that_says_approved_without_a_yes_sends_nothing() {
    let server = FlakySmtp::good();
    let outgoing = Outgoing::to(server.port);
    let item = outgoing.proposed(&Outgoing::letter("Forged"), &mailkeep::outbox::propose::Request::default());
    let database = rusqlite::Connection::open(outgoing.home().store()).unwrap();
    database.execute("UPDATE drafts SET state = 'approved' WHERE id = ?1", [item.draft.key.0]).unwrap();

    outgoing.send();

    assert_eq!((server.sessions(), outgoing.state(&item)), (0, ItemState::PendingApproval));
}
