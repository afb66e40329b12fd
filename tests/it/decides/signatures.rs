//! Whoever edits the record of signatures, and computes the chain anew so that its hashes fit, is still found: the keys
//! were not theirs to sign with.

use mailkeep::model::ContentHash;
use mailkeep::store::AuditRow;
use serde_json::{Value, json};

use super::Desk;
use crate::world::authenticator::{Authenticator, Kind};

impl Desk {
    /// Two keys, two signed items, a pause that was ended by signature.
    fn with_signatures() -> (Self, Authenticator, Authenticator) {
        let (desk, mut key) = Self::with_passkey(Kind::Es256);
        let mut second = Authenticator::new(Kind::Ed25519);
        desk.enrols(&second, Some(&mut key)).unwrap();
        desk.approved_by(&mut key, "one");
        desk.approved_by(&mut second, "two");
        desk.approvals().pause().unwrap();
        let resume = mailkeep::outbox::approval::passkey::Purpose::Resume;
        let proof = desk.signed(&mut key, &resume).unwrap();
        desk.approvals().resume(&proof).unwrap();
        let verified = desk.verified();
        assert_eq!((&verified["ok"], &verified["signatures"]), (&json!(true), &json!(4)), "{verified}");
        (desk, key, second)
    }

    fn chain(&self) -> Vec<AuditRow> {
        self.reader().audit_rows(0, 1_000).unwrap()
    }

    /// Puts another chain into the store, whose hashes fit.
    fn replace_chain(&self, rows: Vec<AuditRow>) {
        let database = self.world.database();
        database.execute("DELETE FROM audit", []).unwrap();
        let mut previous = ContentHash([0; 32]);
        for (number, mut row) in (1..).zip(rows) {
            (row.id, row.previous) = (number, previous);
            row.hash = row.computed();
            previous = row.hash;
            let insert = "INSERT INTO audit (id, time_ms, kind, item, body, previous, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let values = rusqlite::params![
                row.id,
                row.time_ms,
                row.kind,
                row.item,
                row.body,
                row.previous.0,
                row.hash.0
            ];
            database.execute(insert, values).unwrap();
        }
    }

    /// What is found after every entry of a kind was edited so.
    fn after_edit(&self, kind: &str, edit: impl Fn(&mut Value)) -> Value {
        let kept = self.chain();
        let mut rows = kept.clone();
        for row in rows.iter_mut().filter(|row| row.kind == kind) {
            let mut body: Value = serde_json::from_str(&row.body).unwrap();
            edit(&mut body);
            row.body = body.to_string();
        }
        self.replace_chain(rows);
        let verified = self.verified();
        self.replace_chain(kept);
        verified
    }
}

fn named(verified: &Value) -> String {
    assert_eq!(verified["ok"], json!(false), "{verified}");
    let problems = verified["signature_problems"].to_string();
    assert!(problems.len() > 2, "{verified}");
    problems
}

/// Another letter somewhere in the middle of a text.
fn garble(text: &mut Value) {
    let mut letters: Vec<_> = text.as_str().unwrap().chars().collect();
    let middle = letters.len() / 2;
    letters[middle] = if letters[middle] == 'A' { 'B' } else { 'A' };
    *text = json!(letters.into_iter().collect::<String>());
}

#[test]
fn an_edit_of_what_was_signed_is_named_though_the_hashes_fit() {
    let (desk, ..) = Desk::with_signatures();

    for (field, words) in [
        ("signature", "signature is wrong"),
        ("authenticator_data", ""),
        ("client_data", ""),
        ("credential", "not enrolled"),
        ("nonce", "not over what was shown"),
    ] {
        for kind in ["approved", "resumed"] {
            let problems = named(&desk.after_edit(kind, |body| garble(&mut body["assertion"][field])));
            assert!(problems.contains(words), "{kind} {field} {problems}");
        }
    }
    let later =
        named(&desk.after_edit("approved", |body| body["assertion"]["expiry"] = json!(4_000_000_000_i64)));
    assert!(later.contains("not over what was shown"), "{later}");
    let other = named(&desk.after_edit("approved", |body| garble(&mut body["hash"])));
    assert!(other.contains("something else"), "{other}");
    let bare = named(&desk.after_edit("approved", |body| body["assertion"] = Value::Null));
    assert!(bare.contains("no key signed it"), "{bare}");
    let click = named(&desk.after_edit("resumed", |body| *body = json!({ "factor": "click" })));
    assert!(click.contains("without the passkey"), "{click}");
    assert_eq!(desk.verified()["ok"], json!(true));
}

#[test]
fn a_key_that_was_put_into_the_chain_is_named() {
    let (desk, ..) = Desk::with_signatures();
    let evil = Authenticator::new(Kind::Es256);
    let cose = crate::world::authenticator::encoded(&evil.cose());

    let swapped = named(&desk.after_edit("passkey", |body| body["public_key"] = json!(cose)));
    assert!(swapped.contains("none that is known"), "{swapped}");
    let unsigned = named(&desk.after_edit("passkey", |body| body["assertion"] = Value::Null));
    assert!(unsigned.contains("no key signed it"), "{unsigned}");
    let other_name = desk.after_edit("policy", |body| body["passkeys"] = json!(["0".repeat(64)]));
    assert!(named(&other_name).contains("not those that were enrolled"), "{other_name}");
    let removed = json!({ "did": "removed", "credential": crate::world::authenticator::encoded(&evil.credential),
                          "factor": "click", "assertion": null });
    let mut rows = desk.chain();
    let entry =
        AuditRow { kind: "passkey".to_owned(), item: None, body: removed.to_string(), ..rows[0].clone() };
    rows.push(entry);
    desk.replace_chain(rows);
    assert!(named(&desk.verified()).contains("removed without a signature"), "{}", desk.verified());
}

#[test]
fn rules_that_got_weaker_without_the_key_are_named() {
    let (desk, ..) = Desk::with_signatures();
    let kept = desk.chain();
    let last = kept.iter().rfind(|row| row.kind == "policy").unwrap().clone();
    for (field, value) in [
        ("factor", json!("click")),
        ("policy", json!({ "send": "direct" })),
        ("pin", json!("$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA")),
    ] {
        let mut body: Value = serde_json::from_str(&last.body).unwrap();
        body[field] = value;
        desk.replace_chain([&kept[..], &[AuditRow { body: body.to_string(), ..last.clone() }]].concat());

        assert!(named(&desk.verified()).contains("without a signature"), "{field} {}", desk.verified());
    }
    desk.replace_chain(kept);
    assert_eq!(desk.verified()["ok"], json!(true));
}

#[test]
fn entries_that_changed_places_are_named() {
    let (desk, ..) = Desk::with_signatures();
    let kept = desk.chain();
    let yes: Vec<_> = (0..kept.len()).filter(|at| kept[*at].kind == "approved").collect();

    let mut crossed = kept.clone();
    let (one, two) = (crossed[yes[0]].body.clone(), crossed[yes[1]].body.clone());
    (crossed[yes[0]].body, crossed[yes[1]].body) = (two, one);
    desk.replace_chain(crossed);
    assert!(named(&desk.verified()).contains("something else"), "{}", desk.verified());

    let mut early = kept.clone();
    let first = early.remove(yes[1]);
    early.insert(0, first);
    desk.replace_chain(early);
    assert!(named(&desk.verified()).contains("not enrolled"), "{}", desk.verified());
    desk.replace_chain(kept);
    assert_eq!(desk.verified()["ok"], json!(true));
}

#[test]
fn a_signature_beside_the_chain_that_was_changed_is_named() {
    let (desk, ..) = Desk::with_signatures();
    for change in [
        "UPDATE approvals SET signature = NULL",
        "UPDATE approvals SET signature = (SELECT max(signature) FROM approvals)",
        "UPDATE passkeys SET public_key = zeroblob(77)",
        "UPDATE passkeys SET credential = randomblob(32)",
        "DELETE FROM passkeys",
    ] {
        desk.execute_sql(&format!(
            "CREATE TABLE kept_approvals AS SELECT * FROM approvals; CREATE TABLE kept_passkeys AS SELECT * FROM passkeys; {change}"
        ));
        named(&desk.verified());
        desk.execute_sql(
            "DELETE FROM approvals; INSERT INTO approvals SELECT * FROM kept_approvals; DROP TABLE kept_approvals;
             DELETE FROM passkeys; INSERT INTO passkeys SELECT * FROM kept_passkeys; DROP TABLE kept_passkeys",
        );
        assert_eq!(desk.verified()["ok"], json!(true), "{change}");
    }
}

#[test]
fn a_rule_that_nobody_wrote_let_nothing_leave() {
    let (desk, ..) = Desk::with_signatures();

    let forged = desk.after_edit("approved", |body| {
        body["door"] = json!("rule");
        body["factor"] = json!("send = \"direct\"");
        body.as_object_mut().unwrap().remove("assertion");
    });

    assert!(named(&forged).contains("the rules that counted then ask about everything"), "{forged}");
}
