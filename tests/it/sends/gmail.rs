//! Gmail's API sends a message once, whatever becomes of its answers, and those nobody sees get it too.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mailkeep::model::{AccountSettings, ItemState, OauthClient, OauthClients, SignIn, Via};
use mailkeep::secret::Secret;
use mailkeep::store::Item;

use crate::sends::Outgoing;
use crate::world::ACCOUNT;
use crate::world::gmail::{Fault, GmailDouble, Lie};
use crate::world::random::Random;

const EVERYBODY: [&str; 3] = ["bob@stone.example", "cleo@river.example", "dora@hill.example"];

pub(super) fn outgoing(double: &GmailDouble) -> Outgoing {
    let mut outgoing = Outgoing::to(9);
    let user = ACCOUNT.to_owned();
    let settings = AccountSettings { via: Via::Gmail, user, sign_in: SignIn::Google, imap: None, smtp: None };
    outgoing.change(|tx| tx.set_account(ACCOUNT, &settings, 0).map(drop));
    let kept = r#"{"refresh":"1//refresh","access":"ya29.old","expires":0}"#;
    outgoing.secrets().set(&format!("oauth:{ACCOUNT}"), &Secret::new(kept.to_owned())).unwrap();
    outgoing.routes.gmail = format!("http://127.0.0.1:{}", double.port);
    let google = OauthClient {
        client_id: Some("double".to_owned()),
        token_url: Some(format!("http://127.0.0.1:{}/token", double.port)),
        ..OauthClient::default()
    };
    outgoing.clients = OauthClients { google, ..OauthClients::default() };
    outgoing.settings.settle = 1;
    outgoing.settings.connect = 1.try_into().unwrap();
    outgoing.settings.command = 1.try_into().unwrap();
    outgoing.settings.reply = 1.try_into().unwrap();
    outgoing
}

fn double() -> GmailDouble {
    GmailDouble::start(ACCOUNT, Duration::from_millis(50))
}

/// What holds whatever happened: one message at most, and a state that is true.
fn assert_true(double: &GmailDouble, outgoing: &Outgoing, item: &Item, what: &str) {
    let sent = double.google().mailbox.sent.clone();
    let state = outgoing.state(item);
    assert!(sent.len() <= 1, "{what}: sent {} times", sent.len());
    match state {
        ItemState::Sent => {
            assert_eq!(sent.len(), 1, "{what}");
            assert_eq!(sent[0].0, EVERYBODY, "{what}");
            assert_eq!(sent[0].1, outgoing.message(item), "{what}");
        }
        ItemState::Approved | ItemState::Failed => assert_eq!(sent.len(), 0, "{what}: {state}"),
        ItemState::Unknown => {}
        other => panic!("{what}: {other}"),
    }
}

#[test]
fn everybody_gets_it_and_no_draft_is_left() {
    let double = double();
    let outgoing = outgoing(&double);
    let item = outgoing.approved("Lunch");

    outgoing.send();

    assert_eq!(outgoing.state(&item), ItemState::Sent, "{:?}", outgoing.again(&item).reason);
    assert_true(&double, &outgoing, &item, "good");
    assert!(double.google().mailbox.drafts.is_empty());
    assert_eq!(outgoing.audited(&item), ["proposed", "approved", "attempt", "dot", "sent"]);
}

/// Makes one answer to a method an error that says nothing, after it was done.
fn lost_answer(method: &'static str) -> Lie {
    let left = Arc::new(AtomicUsize::new(1));
    Lie(Box::new(move |_, call, reply| {
        let strikes = call.method == method && reply.status == 200;
        if strikes && left.swap(0, Ordering::SeqCst) == 1 {
            return crate::world::gmail::api::Reply::error(500, "global", "backendError", "Backend Error");
        }
        reply
    }))
}

#[test]
fn a_lost_answer_to_the_draft_leaves_no_second_draft_and_it_is_sent() {
    let double = double();
    let outgoing = outgoing(&double);
    let item = outgoing.approved("Lunch");
    double.google().lie = Some(lost_answer("drafts.create"));

    outgoing.send();

    assert_eq!(outgoing.state(&item), ItemState::Sent, "{:?}", outgoing.again(&item).reason);
    assert_true(&double, &outgoing, &item, "create");
    assert!(double.google().mailbox.drafts.is_empty());
}

#[test]
fn a_lost_answer_to_sending_is_found_among_the_sent_also_when_the_search_lags() {
    for lags in [0, 1] {
        let double = double();
        let outgoing = outgoing(&double);
        let item = outgoing.approved("Lunch");
        double.google().lie = Some(lost_answer("drafts.send"));
        double.google().mailbox.search_lags = lags;

        outgoing.send();

        assert_eq!(outgoing.state(&item), ItemState::Sent, "{:?}", outgoing.again(&item).reason);
        assert_true(&double, &outgoing, &item, "send");
    }
}

/// An item that Gmail has sent, whose answer was lost and which its search does not find yet.
fn left_and_not_found(double: &GmailDouble, outgoing: &Outgoing) -> Item {
    let item = outgoing.approved("Lunch");
    double.google().lie = Some(lost_answer("drafts.send"));
    double.google().mailbox.search_lags = 1_000;
    outgoing.send();
    assert_eq!(outgoing.state(&item), ItemState::Unknown);
    item
}

#[test]
fn a_draft_that_is_gone_with_nothing_among_the_sent_is_unknown_and_never_sent_again() {
    let double = double();
    let outgoing = outgoing(&double);
    let item = left_and_not_found(&double, &outgoing);

    double.google().mailbox.search_lags = 0;
    outgoing.send();

    // Gmail's search has caught up: now it is known.
    assert_eq!(outgoing.state(&item), ItemState::Sent);
    assert_true(&double, &outgoing, &item, "late");
}

/// Another program writes the id of a draft that is still there into the journal: it tells nothing about what was sent.
#[test]
fn a_draft_that_somebody_writes_into_the_journal_afterwards_sends_nothing_again() {
    let double = double();
    let outgoing = outgoing(&double);
    let item = left_and_not_found(&double, &outgoing);

    let other = double.google().mailbox.draft(None, b"Subject: another\r\n\r\n", None);
    let database = rusqlite::Connection::open(outgoing.home().store()).unwrap();
    database.execute("UPDATE attempts SET remote_id = ?1", [other]).unwrap();
    outgoing.send();

    assert_eq!((outgoing.state(&item), double.google().mailbox.sent.len()), (ItemState::Unknown, 1));
}

#[test]
fn whatever_goes_wrong_around_draft_and_sending_nothing_is_doubled_or_lost() {
    let faults = [
        Fault::TokenExpires,
        Fault::Revoked,
        Fault::RateGlobal,
        Fault::RateUsage,
        Fault::RateUser,
        Fault::RetryAfterField,
        Fault::Internal,
        Fault::Unavailable,
        Fault::Truncated,
        Fault::SlowDrip,
        Fault::Stall,
        Fault::Cut,
    ];
    let seeds = std::env::var("MAILKEEP_TEST_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    for fault in faults {
        for seed in 0..seeds {
            let what = format!("{fault:?} seed {seed}");
            let double = double();
            let mut outgoing = outgoing(&double);
            let item = outgoing.approved("Lunch");
            let mut random = Random::new(seed);
            let (after, times) = (random.below(5), 1 + random.below(3));
            double.google().faults.plan(fault, after, times);

            outgoing.send();
            assert_true(&double, &outgoing, &item, &what);
            double.google().faults.end();
            // Three tries may be used up: then it comes again after minutes.
            outgoing.now = "2026-06-15T12:10:00Z".to_owned();
            outgoing.send();

            assert_true(&double, &outgoing, &item, &what);
            let ended = outgoing.state(&item);
            // A token that is fresh and refused is no token that ended.
            let may_fail = fault == Fault::Revoked || fault == Fault::TokenExpires && times > 1;
            assert!(ended == ItemState::Sent || may_fail && ended == ItemState::Failed, "{what}: {ended}");
            let drafts = double.google().mailbox.drafts.len();
            assert!(drafts == 0 || ended == ItemState::Failed, "{what}: {drafts} drafts are left");
        }
    }
}
