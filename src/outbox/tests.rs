//! A yes is to exactly these bytes on exactly this route, once.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use tempfile::TempDir;

use crate::account::Secrets;
use crate::clock::Clock;
use crate::drafts::{DraftChange, Drafts, NewDraft};
use crate::home::Home;
use crate::model::{
    AccountSettings, Endpoint, ItemHash, ItemState, Lane, PolicySettings, Route, SecretStore, SignIn, Tls,
    Via,
};
use crate::outbox::approval::{Approvals, Claim, Claimer, Door, Proof};
use crate::outbox::overview::{More, Overview};
use crate::outbox::policy::Wanted;
use crate::outbox::propose::{Proposals, Request};
use crate::outbox::revisions::RevisionDiff;
use crate::outbox::{OutboxError, Routes};
use crate::store::{Item, Reader, Store};

const NOW: i64 = 1_800_000_000;

/// A home with one account that has a server, and all that decides about what leaves from it.
struct Desk {
    _directory: TempDir,
    home: Home,
    policy: PolicySettings,
}

impl Desk {
    fn new() -> Self {
        Self::under(PolicySettings::default())
    }

    fn under(policy: PolicySettings) -> Self {
        let directory = TempDir::new().unwrap();
        let home = Home::at(directory.path());
        let mut store = Store::open(&home.store()).unwrap();
        let tx = store.begin().unwrap();
        tx.set_account("ada@example.org", &settings("mx.example.org"), NOW).unwrap();
        tx.commit().unwrap();
        let desk = Self { _directory: directory, home, policy };
        desk.approvals().confirm(&Proof::click()).unwrap();
        desk
    }

    fn clock(&self, seconds: i64) -> Clock {
        Clock::frozen(Timestamp::from_second(NOW + seconds).unwrap())
    }

    fn approvals(&self) -> Arc<Approvals> {
        let secrets = Secrets::at(self.home.secrets(), SecretStore::File);
        let wanted = Wanted { policy: self.policy.clone(), ..Wanted::default() };
        Arc::new(Approvals::new(&self.home, self.clock(0), secrets, wanted))
    }

    fn proposals(&self) -> Proposals {
        Proposals::new(&self.home, Routes::default(), self.approvals())
    }

    fn drafts(&self) -> Drafts {
        Drafts::new(&self.home, self.clock(0))
    }

    fn draft(&self, body: &str) -> String {
        let new = NewDraft {
            account: "ada@example.org".to_owned(),
            to: vec!["bob@stone.example".to_owned()],
            bcc: vec!["carol@stone.example".to_owned()],
            subject: "Lunch".to_owned(),
            body: body.to_owned(),
            ..NewDraft::default()
        };
        self.drafts().create(&new).unwrap().id.to_string()
    }

    fn proposed(&self, body: &str) -> Item {
        self.proposals().propose(&self.draft(body), &Request::default()).unwrap().item
    }

    fn approved(&self, body: &str) -> Item {
        let item = self.proposed(body);
        self.approve(&item, &item.hash()).unwrap()
    }

    fn approve(&self, item: &Item, hash: &ItemHash) -> Result<Item, OutboxError> {
        self.approvals().approve(&item.draft.id.to_string(), hash, Door::Terminal, &Proof::click())
    }

    fn claim(&self, item: &Item, route: &Route) -> Claim {
        self.claim_on(Lane::Mail, item, route)
    }

    fn claim_on(&self, lane: Lane, item: &Item, route: &Route) -> Claim {
        let mut store = Store::open(&self.home.store()).unwrap();
        let (approvals, clock) = (self.approvals(), self.clock(60));
        let fence = store.turn(lane).unwrap();
        let claimer = Claimer {
            approvals: &approvals,
            policy: &self.policy,
            lane,
            fence,
            clock: &clock,
            has_waited: &BTreeSet::new(),
        };
        claimer.claim(&mut store, item.draft.key, route).unwrap()
    }

    fn sql(&self, statement: &str) -> usize {
        let connection = rusqlite::Connection::open(self.home.store()).unwrap();
        connection.execute(statement, []).unwrap()
    }
}

fn settings(host: &str) -> AccountSettings {
    let smtp = Endpoint { host: host.to_owned(), port: 465, tls: Tls::Implicit };
    AccountSettings {
        via: Via::Imap,
        user: "ada".to_owned(),
        sign_in: SignIn::Password,
        imap: None,
        smtp: Some(smtp),
    }
}

#[test]
fn what_is_approved_can_be_taken_once() {
    let desk = Desk::new();
    let item = desk.approved("At noon?");

    let Claim::Taken(taken) = desk.claim(&item, &item.route) else { panic!("not taken") };

    assert!(taken.bytes().windows(8).any(|window| window == b"At noon?"));
    assert!(matches!(desk.claim(&item, &item.route), Claim::NotNow));
}

#[test]
fn what_nobody_approved_is_never_taken() {
    let desk = Desk::new();
    let item = desk.proposed("At noon?");

    assert!(matches!(desk.claim(&item, &item.route), Claim::NotNow));
    desk.sql("UPDATE drafts SET state = 'approved'");
    assert!(matches!(desk.claim(&item, &item.route), Claim::Void(_)));
    assert_eq!(
        desk.proposals().status(&item.code.to_string()).unwrap().item.draft.state.name(),
        "pending_approval"
    );
}

#[test]
fn a_yes_is_to_what_was_shown() {
    let desk = Desk::new();
    let item = desk.proposed("At noon?");
    let change = DraftChange { body: Some("At one?".to_owned()), ..DraftChange::default() };
    desk.drafts().update(&item.draft.id.to_string(), &change).unwrap();
    desk.proposals().propose(&item.draft.id.to_string(), &Request::default()).unwrap();

    assert!(matches!(desk.approve(&item, &item.hash()), Err(OutboxError::Changed { .. })));
}

#[test]
fn an_edit_takes_a_yes_back() {
    let desk = Desk::new();
    let item = desk.approved("At noon?");
    let change = DraftChange { subject: Some("Dinner".to_owned()), ..DraftChange::default() };

    desk.drafts().update(&item.draft.id.to_string(), &change).unwrap();

    assert!(matches!(desk.claim(&item, &item.route), Claim::NotNow));
    assert_eq!(desk.drafts().get(&item.draft.id.to_string()).unwrap().state, ItemState::Draft);
}

#[test]
fn whatever_is_altered_in_the_store_after_a_yes_does_not_leave() {
    for statement in [
        "UPDATE draft_revisions SET raw = CAST(replace(raw, 'noon', 'nine') AS BLOB)",
        "UPDATE draft_revisions SET bcc_json = '[\"eve@evil.example\"]'",
        "UPDATE draft_revisions SET to_json = '[]'",
        "UPDATE draft_revisions SET hash = zeroblob(32)",
        "UPDATE proposals SET route = 'smtp evil.example 465 implicit ada'",
        "UPDATE approvals SET hash = zeroblob(32)",
        "UPDATE approvals SET send_after = send_after - 1",
        "UPDATE approvals SET door = 'page'",
        "UPDATE approvals SET seal = zeroblob(32)",
        "UPDATE approvals SET revision = revision + 1",
        "UPDATE proposals SET partial = 1",
        "DELETE FROM approvals",
    ] {
        let desk = Desk::new();
        let item = desk.approved("At noon?");
        assert!(desk.sql(statement) > 0, "{statement}");

        assert!(matches!(desk.claim(&item, &item.route), Claim::Void(_)), "{statement}");
        assert!(matches!(desk.claim(&item, &item.route), Claim::NotNow), "{statement}");
    }
}

#[test]
fn an_item_whose_channel_is_altered_leaves_on_none() {
    let desk = Desk::new();
    let item = desk.approved("At noon?");
    desk.sql("UPDATE drafts SET channel = 'whatsapp'");

    assert!(matches!(desk.claim(&item, &item.route), Claim::NotNow));
    assert!(matches!(desk.claim_on(Lane::WhatsApp, &item, &item.route), Claim::Void(_)));
}

#[test]
fn another_server_needs_another_yes() {
    let desk = Desk::new();
    let item = desk.approved("At noon?");
    let smtp = settings("mx2.example.org").smtp.unwrap();
    let elsewhere = Route::Smtp { endpoint: smtp, user: "ada".to_owned() };

    assert!(matches!(desk.claim(&item, &elsewhere), Claim::Void(_)));
}

#[test]
fn a_state_that_is_put_back_finds_no_yes() {
    let desk = Desk::new();
    let item = desk.approved("At noon?");
    desk.approvals().cancel(&item.draft.id.to_string(), None).unwrap();

    desk.sql("UPDATE drafts SET state = 'approved'");

    assert!(matches!(desk.claim(&item, &item.route), Claim::Void(_)));
}

#[test]
fn what_may_have_left_under_a_yes_does_not_leave_again_under_it() {
    let desk = Desk::new();
    let item = desk.approved("At noon?");
    assert!(matches!(desk.claim(&item, &item.route), Claim::Taken(_)));
    desk.sql("UPDATE attempts SET dot_ms = 1");

    desk.sql("UPDATE drafts SET state = 'approved'");

    assert!(matches!(desk.claim(&item, &item.route), Claim::Void(_)));
}

#[test]
fn a_pause_holds_everything_and_loses_nothing() {
    let desk = Desk::new();
    let item = desk.approved("At noon?");
    desk.approvals().pause().unwrap();

    assert!(matches!(desk.claim(&item, &item.route), Claim::NotNow));
    desk.sql("UPDATE outbox SET paused_epoch = NULL");
    assert!(matches!(desk.claim(&item, &item.route), Claim::NotNow));
    desk.approvals().resume(&Proof::click()).unwrap();
    assert!(matches!(desk.claim(&item, &item.route), Claim::Taken(_)));
}

#[test]
fn the_same_again_is_the_same_item_until_it_was_decided_about() {
    let desk = Desk::new();
    let first = desk.proposed("At noon?");
    let is_new = Request { is_new: true, ..Request::default() };

    let again = desk.proposals().propose(&desk.draft("At noon?"), &is_new).unwrap();
    let other = desk.proposals().propose(&desk.draft("At one?"), &is_new).unwrap();
    desk.approvals().reject(&first.draft.id.to_string(), Some("too early")).unwrap();
    let anew = desk.proposals().propose(&desk.draft("At noon?"), &is_new).unwrap();

    assert!(again.is_duplicate && again.item.draft.id == first.draft.id);
    assert!(!other.is_duplicate);
    assert!(!anew.is_duplicate && anew.item.draft.id != first.draft.id);
}

#[test]
fn a_key_names_one_request_for_good() {
    let desk = Desk::new();
    let keyed = Request { idempotency_key: Some("k1".to_owned()), is_new: true, ..Request::default() };
    let first = desk.proposals().propose(&desk.draft("At noon?"), &keyed).unwrap();
    desk.approvals().reject(&first.item.draft.id.to_string(), None).unwrap();

    let again = desk.proposals().propose(&desk.draft("At noon?"), &keyed).unwrap();
    let other = desk.proposals().propose(&desk.draft("At one?"), &keyed);

    assert!(matches!(other, Err(OutboxError::KeyReused { .. })));
    assert!(again.is_duplicate);
    assert_eq!(again.item.draft.id, first.item.draft.id);
    assert_eq!(again.item.draft.state, ItemState::Rejected);
}

#[test]
fn more_than_the_limit_is_refused_with_the_time_of_the_next() {
    let desk = Desk::under(PolicySettings { per_hour: 2, ..PolicySettings::default() });
    desk.proposed("One");
    desk.proposed("Two");

    let third = desk.proposals().propose(&desk.draft("Three"), &Request::default());

    let Err(OutboxError::RateLimited { retry_after, .. }) = third else { panic!("not limited") };
    assert_eq!(retry_after.as_second(), NOW + 3_600);
}

#[test]
fn how_revisions_differ_is_read_from_what_leaves() {
    let desk = Desk::new();
    let id = desk.draft("At noon?");
    let html = Some("<p>At one?</p>".to_owned());
    let change = DraftChange { subject: Some("Dinner".to_owned()), html, ..DraftChange::default() };
    let draft = desk.drafts().update(&id, &change).unwrap();
    let reader = Reader::open(&desk.home.store()).unwrap();
    let diff = || RevisionDiff::between(&reader, draft.id, 1, 2);
    let before = diff().unwrap().unwrap();
    assert!(before.html_changed && before.lists.is_empty(), "{before:?}");
    assert_eq!((before.fields[0].before.as_str(), before.fields[0].after.as_str()), ("Lunch", "Dinner"));

    desk.sql("UPDATE draft_revisions SET subject = 'Same', html = NULL, body = 'x', to_json = '[\"Eve <bob@stone.example>\"]'");
    desk.sql("UPDATE draft_revisions SET bcc_json = '[\"Eve <carol@stone.example>\"]' WHERE revision = 2");
    assert_eq!(diff().unwrap().unwrap(), before);

    desk.sql("UPDATE draft_revisions SET bcc_json = '[\"eve@evil.example\"]'");
    assert!(matches!(diff(), Err(OutboxError::Changed { .. })));
}

#[test]
fn what_a_list_leaves_out_is_counted() {
    let desk = Desk::new();
    for body in ["one", "two", "three"] {
        desk.proposed(body);
    }
    desk.approved("four");

    let board = Overview::new(&desk.home, desk.approvals()).board_of(2).unwrap();

    assert_eq!((board.waiting.len(), board.count_waiting()), (2, 3));
    assert_eq!(board.more, More { waiting: 1, leaving: 0, unknown: 0 });
}
