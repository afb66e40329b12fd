//! A yes by passkey: signed by the enrolled key over exactly what leaves, once. Everything else a browser, a page or
//! another program sends is refused and written down.

use mailkeep::account::Secrets;
use mailkeep::clock::Clock;
use mailkeep::home::Home;
use mailkeep::model::{ContentHash, DraftId, Factor, ItemHash, PolicySettings, SecretStore};
use mailkeep::outbox::OutboxError;
use mailkeep::outbox::approval::passkey::{Answer, NewKeyAnswer, PasskeyFlaw, Purpose, SignedItem};
use mailkeep::outbox::approval::{Approvals, Door, Proof};
use mailkeep::outbox::policy::Wanted;
use mailkeep::store::{Item, Reader};
use serde_json::{Value, json};

use super::Desk;
use crate::world::NOW;
use crate::world::authenticator::{Authenticator, Kind, Misbehaviour};

pub(super) const PAGE: &str = "http://localhost:8025";
const PASSKEY: &str = "[policy]\nundo = 0\n[approval]\nfactor = \"passkey\"\n";

impl Desk {
    /// What the page calls, so many seconds after now, under a configuration that asks for this factor.
    pub(super) fn approvals_at(&self, seconds: i64, factor: Factor) -> Approvals {
        let home = Home::at(self.world.home());
        let now: jiff::Timestamp = NOW.parse().unwrap();
        let clock = Clock::frozen(now + jiff::SignedDuration::from_secs(seconds));
        let secrets = Secrets::at(home.secrets(), SecretStore::File);
        let policy = PolicySettings { undo: 0, ..PolicySettings::default() };
        Approvals::new(&home, clock, secrets, Wanted { policy, factor })
    }

    pub(super) fn approvals(&self) -> Approvals {
        self.approvals_at(0, Factor::Passkey)
    }

    pub(super) fn reader(&self) -> Reader {
        Reader::open(&Home::at(self.world.home()).store()).unwrap()
    }

    /// Enrols a key, vouched for by a code, or signed by a key that is there.
    pub(super) fn enrols(
        &self,
        new: &Authenticator,
        old: Option<&mut Authenticator>,
    ) -> Result<Vec<u8>, OutboxError> {
        let approvals = self.approvals();
        let question = json!(approvals.begin_enrolment("a key", PAGE)?);
        let answer: NewKeyAnswer = serde_json::from_value(new.creates(&question, PAGE)).unwrap();
        let proof = match old {
            Some(old) => self.signed(old, &approvals.to_enrol(&answer)?)?,
            None => approvals.prove_code(&approvals.enrolment_code()?)?,
        };
        Ok(approvals.finish_enrolment("a key", PAGE, &answer, &proof)?.credential)
    }

    /// A home whose yes needs the passkey, and the key.
    pub(super) fn with_passkey(kind: Kind) -> (Self, Authenticator) {
        let desk = Self::new();
        desk.configure(PASSKEY);
        let key = Authenticator::new(kind);
        desk.enrols(&key, None).unwrap();
        (desk, key)
    }

    /// Asks the key about something, and checks what it says.
    pub(super) fn signed(&self, key: &mut Authenticator, purpose: &Purpose) -> Result<Proof, OutboxError> {
        let answer = self.answered(key, purpose);
        self.approvals().prove_passkey(purpose, PAGE, &answer)
    }

    pub(super) fn answered(&self, key: &mut Authenticator, purpose: &Purpose) -> Answer {
        let question = json!(self.approvals().ask_passkey(purpose, PAGE).unwrap());
        serde_json::from_value(key.signs(&question, PAGE)).unwrap()
    }

    /// An item as the page shows it.
    pub(super) fn shown(&self, told: &Value) -> (DraftId, ItemHash) {
        let id = told["id"].as_str().unwrap();
        let shown = self.json(&["outbox", "show", id]);
        let hash = ContentHash::from_hex(shown["sha256"].as_str().unwrap()).unwrap();
        (DraftId::parse(id).unwrap(), ItemHash(hash))
    }

    pub(super) fn to_approve(&self, told: &Value) -> Purpose {
        let (id, hash) = self.shown(told);
        Purpose::approve(id, &hash)
    }

    pub(super) fn approve(&self, told: &Value, proof: &Proof) -> Result<Item, OutboxError> {
        let (id, hash) = self.shown(told);
        self.approvals().approve(&id.to_string(), &hash, Door::Page, proof)
    }

    /// Proposes something, and has the key say yes to it.
    pub(super) fn approved_by(&self, key: &mut Authenticator, body: &str) -> Value {
        let item = self.proposed("bob@stone.example", body);
        let proof = self.signed(key, &self.to_approve(&item)).unwrap();
        self.approve(&item, &proof).unwrap();
        item
    }

    pub(super) fn execute_sql(&self, sql: &str) {
        self.world.database().execute_batch(sql).unwrap();
    }

    pub(super) fn verified(&self) -> Value {
        crate::world::read_json(&self.command(&["--json", "audit", "verify"]).output().unwrap())
    }

    fn lets_leave(&self) {
        self.json(&["outbox", "send", "--once"]);
    }
}

#[track_caller]
pub(super) fn assert_flaw<T>(outcome: Result<T, OutboxError>, flaw: &PasskeyFlaw) {
    match outcome {
        Err(OutboxError::Passkey(found)) => assert_eq!(found, *flaw),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was accepted"),
    }
}

#[test]
fn what_the_key_signed_leaves_and_the_signature_can_be_checked_later() {
    for kind in [Kind::Es256, Kind::Ed25519, Kind::Rs256] {
        let (desk, mut key) = Desk::with_passkey(kind);
        assert_eq!(desk.json(&["approval", "status"])["factor"], "passkey", "{kind:?}");
        let item = desk.approved_by(&mut key, "At noon?");

        desk.lets_leave();

        assert_eq!((desk.state(&item["id"]).as_str(), desk.sent().len()), ("sent", 1), "{kind:?}");
        let yes = &desk.audit("approved")[0]["body"];
        assert_eq!(
            (&yes["factor"], &yes["assertion"]["act"]),
            (&json!("passkey"), &json!("approve")),
            "{kind:?}"
        );
        let verified = desk.verified();
        assert_eq!((&verified["ok"], &verified["signatures"]), (&json!(true), &json!(1)), "{verified}");
    }
}

#[test]
fn whatever_a_browser_or_a_key_gets_wrong_is_refused_and_written_down() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let item = desk.proposed("bob@stone.example", "At noon?");
    let purpose = desk.to_approve(&item);
    let good = Misbehaviour::default();
    let malformed = PasskeyFlaw::Malformed("authenticator data");
    let cases = [
        (Misbehaviour { bogus_signature: true, ..good.clone() }, PasskeyFlaw::BadSignature),
        (Misbehaviour { flags: Some(0b001), ..good.clone() }, PasskeyFlaw::NotVerified),
        (Misbehaviour { flags: Some(0b100), ..good.clone() }, PasskeyFlaw::NotPresent),
        (Misbehaviour { flags: Some(0), ..good.clone() }, PasskeyFlaw::NotPresent),
        (Misbehaviour { flags: Some(0b1_0101), ..good.clone() }, malformed.clone()),
        (Misbehaviour { origin: Some("https://evil.example"), ..good.clone() }, PasskeyFlaw::OtherOrigin),
        (Misbehaviour { origin: Some("http://localhost:8026"), ..good.clone() }, PasskeyFlaw::OtherOrigin),
        (Misbehaviour { origin: Some("http://localhost"), ..good.clone() }, PasskeyFlaw::OtherOrigin),
        (Misbehaviour { origin: Some("https://localhost:8025"), ..good.clone() }, PasskeyFlaw::OtherOrigin),
        (Misbehaviour { origin: Some("http://localhost:8025/"), ..good.clone() }, PasskeyFlaw::OtherOrigin),
        (Misbehaviour { challenge: Some(vec![7; 32]), ..good.clone() }, PasskeyFlaw::OtherChallenge),
        (Misbehaviour { challenge: Some(Vec::new()), ..good.clone() }, PasskeyFlaw::OtherChallenge),
        (Misbehaviour { ceremony: Some("webauthn.create"), ..good.clone() }, PasskeyFlaw::OtherType),
        (Misbehaviour { ceremony: Some("payment.get"), ..good.clone() }, PasskeyFlaw::OtherType),
        (Misbehaviour { relying_party: Some("evil.example"), ..good.clone() }, PasskeyFlaw::OtherParty),
        (Misbehaviour { cross_origin: true, ..good.clone() }, PasskeyFlaw::Framed),
        (Misbehaviour { top_origin: true, ..good.clone() }, PasskeyFlaw::Framed),
        (Misbehaviour { trailing: vec![0], ..good.clone() }, malformed.clone()),
        (Misbehaviour { flags: Some(0b1000_0101), trailing: vec![0xbf], ..good.clone() }, malformed.clone()),
        (Misbehaviour { flags: Some(0b1000_0101), ..good.clone() }, malformed),
    ];
    let count = cases.len();
    for (bad, flaw) in cases {
        key.bad = bad.clone();
        let outcome = desk.signed(&mut key, &purpose);
        assert!(
            matches!(&outcome, Err(OutboxError::Passkey(found)) if *found == flaw),
            "{bad:?} {outcome:?}"
        );
    }

    assert_eq!(desk.audit("refused").len(), count);
    assert_eq!(desk.state(&item["id"]), "pending_approval");
    key.bad = good;
    let proof = desk.signed(&mut key, &purpose).unwrap();
    desk.approve(&item, &proof).unwrap();
    assert_eq!(desk.verified()["ok"], json!(true));
}

#[test]
fn extensions_that_can_be_read_are_no_reason_to_refuse() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    key.bad = Misbehaviour {
        flags: Some(0b1000_0101),
        trailing: b"\xa1\x6bhmac-secret\xf5".to_vec(),
        ..Misbehaviour::default()
    };

    let item = desk.approved_by(&mut key, "At noon?");

    assert_eq!(desk.state(&item["id"]), "approved");
}

#[test]
fn a_signature_is_used_once() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let item = desk.proposed("bob@stone.example", "At noon?");
    let purpose = desk.to_approve(&item);
    let answer = desk.answered(&mut key, &purpose);
    let proof = desk.approvals().prove_passkey(&purpose, PAGE, &answer).unwrap();
    desk.approve(&item, &proof).unwrap();
    desk.execute_sql("UPDATE drafts SET state = 'pending_approval'");

    assert_flaw(desk.approve(&item, &proof), &PasskeyFlaw::Replayed);
    assert_flaw(desk.approvals().prove_passkey(&purpose, PAGE, &answer), &PasskeyFlaw::Replayed);
    desk.execute_sql("DELETE FROM approvals; UPDATE passkeys SET counter = 0");
    assert_flaw(desk.approvals().prove_passkey(&purpose, PAGE, &answer), &PasskeyFlaw::Replayed);
    assert_eq!(desk.audit("refused").len(), 3);
}

#[test]
fn a_question_is_void_after_five_minutes_and_is_ours_alone() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let item = desk.proposed("bob@stone.example", "At noon?");
    let purpose = desk.to_approve(&item);
    let answer = desk.answered(&mut key, &purpose);
    let prove = |seconds, page: &str, answer: &Answer| {
        desk.approvals_at(seconds, Factor::Passkey).prove_passkey(&purpose, page, answer)
    };

    assert_flaw(prove(300, PAGE, &answer), &PasskeyFlaw::Expired);
    assert_flaw(prove(-1, PAGE, &answer), &PasskeyFlaw::Expired);
    assert_flaw(prove(0, "http://localhost:8026", &answer), &PasskeyFlaw::NotAsked);
    let mut later = answer.clone();
    later.ticket.expiry += 100;
    assert_flaw(prove(0, PAGE, &later), &PasskeyFlaw::NotAsked);
    let mut other = answer.clone();
    other.ticket.nonce.0[0] ^= 1;
    assert_flaw(prove(0, PAGE, &other), &PasskeyFlaw::NotAsked);
    let late = prove(299, PAGE, &answer).unwrap();
    let (id, hash) = desk.shown(&item);
    let too_late = desk.approvals_at(300, Factor::Passkey).approve(&id.to_string(), &hash, Door::Page, &late);
    assert_flaw(too_late, &PasskeyFlaw::Expired);
}

#[test]
fn a_yes_to_one_thing_is_no_yes_to_another() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let one = desk.proposed("bob@stone.example", "At noon?");
    let other = desk.proposed("bob@stone.example", "At one?");
    let (to_one, to_other) = (desk.to_approve(&one), desk.to_approve(&other));
    let proof = desk.signed(&mut key, &to_one).unwrap();

    assert_flaw(desk.approve(&other, &proof), &PasskeyFlaw::OtherChallenge);
    let answer = desk.answered(&mut key, &to_one);
    assert_flaw(desk.approvals().prove_passkey(&to_other, PAGE, &answer), &PasskeyFlaw::NotAsked);
    let mut crossed = desk.answered(&mut key, &to_other);
    crossed.credential = answer.credential;
    assert_flaw(desk.approvals().prove_passkey(&to_other, PAGE, &crossed), &PasskeyFlaw::OtherChallenge);
    assert_flaw(desk.approvals().resume(&proof), &PasskeyFlaw::OtherChallenge);
    assert_flaw(desk.approvals().sign_in(&proof), &PasskeyFlaw::OtherChallenge);
    let Purpose::Approve { items } = to_one else { panic!() };
    let again = desk.signed(&mut key, &Purpose::Resend { items }).unwrap();
    assert_flaw(desk.approve(&one, &again), &PasskeyFlaw::OtherChallenge);

    desk.lets_leave();
    assert_eq!((desk.state(&one["id"]).as_str(), desk.sent().len()), ("pending_approval", 0));
}

#[test]
fn one_signature_covers_the_items_that_it_names_and_no_more() {
    let (desk, mut key) = Desk::with_passkey(Kind::Ed25519);
    let items: Vec<_> = ["one", "two", "three"].map(|body| desk.proposed("bob@stone.example", body)).to_vec();
    let signed = |told: &Value| {
        let (id, hash) = desk.shown(told);
        SignedItem::new(id, &hash)
    };
    let purpose = Purpose::Approve { items: items[..2].iter().map(signed).collect() };
    let proof = desk.signed(&mut key, &purpose).unwrap();

    desk.approve(&items[0], &proof).unwrap();
    desk.approve(&items[1], &proof).unwrap();
    assert_flaw(desk.approve(&items[2], &proof), &PasskeyFlaw::OtherChallenge);
    desk.lets_leave();

    assert_eq!(desk.sent().len(), 2);
    let verified = desk.verified();
    assert_eq!((&verified["ok"], &verified["signatures"]), (&json!(true), &json!(2)), "{verified}");
}

#[test]
fn a_counter_that_goes_back_is_a_copy_of_the_key_whatever_the_row_says() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    key.counter = Some(40);
    desk.approved_by(&mut key, "one");
    let item = desk.proposed("bob@stone.example", "two");
    let purpose = desk.to_approve(&item);

    for counter in [41, 40, 1, 0] {
        key.bad.counter = Some(counter);
        assert_flaw(desk.signed(&mut key, &purpose), &PasskeyFlaw::CounterBack);
    }
    desk.execute_sql("UPDATE passkeys SET counter = 0");
    key.bad.counter = Some(41);
    assert_flaw(desk.signed(&mut key, &purpose), &PasskeyFlaw::CounterBack);
    key.bad.counter = Some(42);
    assert!(desk.signed(&mut key, &purpose).is_ok());
    desk.execute_sql("UPDATE passkeys SET counter = 4000");
    key.bad.counter = Some(43);
    assert_flaw(desk.signed(&mut key, &purpose), &PasskeyFlaw::CounterBack);
}

#[test]
fn a_key_that_does_not_count_signs_as_often_as_it_is_asked() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    key.counter = None;

    for body in ["one", "two", "three"] {
        desk.approved_by(&mut key, body);
    }
    desk.lets_leave();

    assert_eq!(desk.sent().len(), 3);
    assert_eq!(desk.verified()["ok"], json!(true), "{}", desk.verified());
}

#[test]
fn a_key_that_another_program_put_into_the_store_opens_nothing() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let item = desk.proposed("bob@stone.example", "At noon?");
    let purpose = desk.to_approve(&item);
    let mut evil = Authenticator::new(Kind::Es256);
    let put = "INSERT INTO passkeys (credential, name, algorithm, public_key, since_epoch) VALUES (?1, 'mine', -7, ?2, 1)";
    desk.world.database().execute(put, (&evil.credential, evil.cose())).unwrap();

    assert_flaw(desk.signed(&mut evil, &purpose), &PasskeyFlaw::UnknownKey);
    assert!(
        desk.verified().to_string().contains("`mine` in the store was never enrolled"),
        "{}",
        desk.verified()
    );
    assert!(desk.signed(&mut key, &purpose).is_ok());

    desk.execute_sql("DELETE FROM passkeys WHERE name = 'mine'");
    let swap = "UPDATE passkeys SET public_key = ?1";
    desk.world.database().execute(swap, [evil.cose()]).unwrap();
    evil.credential.clone_from(&key.credential);
    for key in [&mut evil, &mut key] {
        assert_flaw(desk.signed(key, &purpose), &PasskeyFlaw::Swapped);
    }
    assert!(desk.verified().to_string().contains("is not the one enrolled"), "{}", desk.verified());
}

#[test]
fn the_enrolled_algorithm_decides_and_no_other() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let item = desk.proposed("bob@stone.example", "At noon?");
    let purpose = desk.to_approve(&item);
    for kind in [Kind::Ed25519, Kind::Rs256, Kind::Es256] {
        let mut other = Authenticator::new(kind);
        other.credential.clone_from(&key.credential);
        assert_flaw(desk.signed(&mut other, &purpose), &PasskeyFlaw::BadSignature);
    }
    desk.execute_sql("UPDATE passkeys SET algorithm = -257");
    assert_flaw(desk.signed(&mut key, &purpose), &PasskeyFlaw::Swapped);
    desk.execute_sql("UPDATE passkeys SET algorithm = -7");

    for (kind, said) in [
        (Kind::Es256, -8),
        (Kind::Es256, -257),
        (Kind::Es256, -47),
        (Kind::Ed25519, -7),
        (Kind::Rs256, -7),
        (Kind::Rs256, -65_535),
    ] {
        let mut liar = Authenticator::new(kind);
        liar.bad.algorithm = Some(said);
        assert_flaw(desk.enrols(&liar, Some(&mut key)), &PasskeyFlaw::UnknownAlgorithm);
    }
    assert_eq!(desk.approvals().passkeys(&desk.reader()).unwrap().keys.len(), 1);
}

#[test]
fn whatever_is_altered_after_a_signed_yes_does_not_leave() {
    for change in [
        "UPDATE draft_revisions SET raw = CAST(replace(raw, 'noon', 'nine') AS BLOB)",
        "UPDATE draft_revisions SET bcc_json = '[\"eve@evil.example\"]'",
        "UPDATE approvals SET hash = zeroblob(32)",
        "UPDATE approvals SET signature = NULL",
        "UPDATE approvals SET signature = CAST('{}' AS BLOB)",
        "UPDATE approvals SET factor = 'click'",
        "UPDATE approvals SET factor = 'pin', signature = NULL",
        "UPDATE passkeys SET public_key = zeroblob(77)",
        "DELETE FROM passkeys",
        "UPDATE audit SET body = json_remove(body, '$.assertion') WHERE kind = 'approved'",
        "UPDATE audit SET body = json_set(body, '$.assertion.origin', 'http://localhost:1') WHERE kind = 'approved'",
        "UPDATE audit SET body = json_set(body, '$.name', 'other') WHERE kind = 'passkey'",
        "DELETE FROM audit WHERE kind = 'passkey'",
        "DELETE FROM audit WHERE kind = 'approved'",
    ] {
        let (desk, mut key) = Desk::with_passkey(Kind::Es256);
        let item = desk.approved_by(&mut key, "At noon?");
        desk.execute_sql(change);

        desk.lets_leave();

        assert_eq!(
            (desk.state(&item["id"]).as_str(), desk.sent().len()),
            ("pending_approval", 0),
            "{change}"
        );
        // Frozen bytes are no part of the record: that they are not what was signed is found when they would leave.
        assert_eq!(desk.verified()["ok"], json!(change.contains("draft_revisions")), "{change}");
    }
}

#[test]
fn who_empties_the_row_and_the_chain_takes_no_passkey_away() {
    let (desk, _) = Desk::with_passkey(Kind::Es256);
    let item = desk.proposed("bob@stone.example", "At noon?");

    desk.execute_sql(
        "DELETE FROM audit; DELETE FROM passkeys;
         UPDATE outbox SET factor = 'click', pin = NULL, policy = NULL, passkeys = NULL, seal = NULL",
    );

    assert!(matches!(desk.approve(&item, &Proof::click()), Err(OutboxError::Broken)));
    let renewed = desk.approvals().renew(&Proof::click());
    assert!(matches!(renewed, Err(OutboxError::Factor(_))), "{renewed:?}");
    assert_eq!(desk.verified()["ok"], json!(false));
}

#[test]
fn a_yes_by_a_key_that_was_removed_since_does_not_count() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let mut second = Authenticator::new(Kind::Ed25519);
    desk.enrols(&second, Some(&mut key)).unwrap();
    let item = desk.approved_by(&mut key, "At noon?");
    let remove = Purpose::Remove {
        credential: mailkeep::outbox::approval::passkey::Base64Url(key.credential.clone()),
    };
    let proof = desk.signed(&mut second, &remove).unwrap();
    desk.approvals().remove_passkey(&key.credential, &proof).unwrap();

    desk.lets_leave();

    assert_eq!((desk.state(&item["id"]).as_str(), desk.sent().len()), ("pending_approval", 0));
    assert_flaw(desk.signed(&mut key, &Purpose::Resume), &PasskeyFlaw::UnknownKey);
    assert_eq!(desk.verified()["ok"], json!(true), "{}", desk.verified());
}
