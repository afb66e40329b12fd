//! Whatever a server does: no second message, none lost, and a state that says what is known.

use mailkeep::model::{ItemState, Tls};
use mailkeep::outbox::propose::Request;
use mailkeep::store::{AttemptOutcome, DeliveryStatus};

use crate::sends::Outgoing;
use crate::world::ACCOUNT;
use crate::world::fault_proxy::{Fault, FaultProxy};
use crate::world::flaky_smtp::{FAULTS, FlakySmtp};

/// A state, how often it was tried, how many messages the server has, and the error's name.
type Expected = (ItemState, usize, usize, Option<&'static str>);

/// What is right when the server is always wrong in this way. After the dot nothing is tried again but what the server
/// says it has not taken; a refusal and a sign-in never.
fn expected(fault: &str) -> Expected {
    let later = |code| (ItemState::Approved, 3, 0, Some(code));
    let failed = |code| (ItemState::Failed, 1, 0, Some(code));
    match fault {
        "banner_delay" | "slow_reply" | "split" | "dot_hang" | "dot_250_then_rst" => {
            (ItemState::Sent, 1, 1, None)
        }
        "dot_drop" | "dot_421" | "dot_two_minds" | "dot_long_code" => {
            (ItemState::Unknown, 1, 1, Some("UNKNOWN_OUTCOME"))
        }
        "auth_535" => failed("AUTH_FAILED"),
        "banner_554" | "ehlo_502" | "rcpt_550" | "rcpt_partial" | "dot_552" => failed("SMTP_ERROR"),
        "auth_454" | "mail_451" | "rcpt_452" | "dot_451" => later("SMTP_ERROR"),
        _ => later("NETWORK_ERROR"),
    }
}

fn outgoing(fault: &str, port: u16) -> Outgoing {
    let needs_tls = matches!(fault, "no_starttls" | "starttls_inject");
    Outgoing::protected(port, if needs_tls { Tls::StartTls } else { Tls::None })
}

/// A letter that does not fit into what the system buffers, so that a server that hangs up in its middle is noticed there.
fn long_letter() -> mailkeep::drafts::NewDraft {
    let mut letter = Outgoing::letter("A long letter");
    letter.body = "A line of a long letter that goes on and on.\n".repeat(150_000);
    letter
}

#[test]
fn a_server_that_is_always_wrong_in_one_way_leaves_the_state_that_is_true() {
    for fault in FAULTS {
        let server = FlakySmtp::with(fault);
        let outgoing = outgoing(fault, server.port);
        let letter =
            if fault == "data_mid_drop" { long_letter() } else { Outgoing::letter(&format!("On {fault}")) };
        let item = outgoing.approved_letter(&letter, &Request::default());

        outgoing.send();

        let now = outgoing.again(&item);
        let found = (
            now.draft.state,
            outgoing.attempts(&item).len(),
            server.taken().len(),
            now.error_code.as_deref(),
        );
        assert_eq!(found, expected(fault), "{fault}: {:?}", now.reason);
        assert_eq!(now.reason.is_some(), now.draft.state != ItemState::Sent, "{fault}");
        assert!(outgoing.attempts(&item).iter().all(|attempt| attempt.outcome.is_some()), "{fault}");
    }
}

#[test]
fn a_server_that_is_wrong_once_gets_it_the_next_time_unless_it_may_have_it() {
    for fault in FAULTS {
        let server = FlakySmtp::by_session(move |number| if number == 0 { fault } else { "none" });
        // What needs TLS gets none here in any session.
        if matches!(fault, "no_starttls" | "starttls_inject") {
            continue;
        }
        let outgoing = outgoing(fault, server.port);
        let letter =
            if fault == "data_mid_drop" { long_letter() } else { Outgoing::letter(&format!("On {fault}")) };
        let item = outgoing.approved_letter(&letter, &Request::default());

        outgoing.send();
        outgoing.send();

        let (state, tries, _, _) = expected(fault);
        let state = if state == ItemState::Approved { ItemState::Sent } else { state };
        assert_eq!(outgoing.state(&item), state, "{fault}: {:?}", outgoing.again(&item).reason);
        let has_it = matches!(state, ItemState::Sent | ItemState::Unknown);
        assert_eq!(server.taken().len(), usize::from(has_it), "{fault}");
        assert_eq!(outgoing.attempts(&item).len(), if tries == 3 { 2 } else { 1 }, "{fault}");
        if state == ItemState::Sent {
            assert_eq!(server.taken()[0].bytes, outgoing.message(&item), "{fault}");
        }
    }
}

#[test]
fn all_or_nothing_unless_some_may_be_left_out_and_each_recipient_is_told_of() {
    for may_be_partial in [false, true] {
        let server = FlakySmtp::with("rcpt_partial");
        let outgoing = Outgoing::to(server.port);
        let request = Request { may_be_partial, ..Request::default() };
        let item = outgoing.approved_letter(&Outgoing::letter("To some"), &request);

        outgoing.send();

        let deliveries: Vec<_> =
            outgoing.deliveries(&item).into_iter().map(|one| (one.recipient, one.status)).collect();
        let refused = ("cleo@river.example".to_owned(), DeliveryStatus::Refused);
        if may_be_partial {
            let sent = |who: &str| (who.to_owned(), DeliveryStatus::Sent);
            assert_eq!(deliveries, [sent("bob@stone.example"), refused, sent("dora@hill.example")]);
            assert_eq!(server.taken()[0].recipients, ["bob@stone.example", "dora@hill.example"]);
        } else {
            assert_eq!(deliveries, [refused]);
            assert!(server.taken().is_empty() && server.commands().iter().any(|line| line == "RSET"));
        }
    }
}

#[test]
fn a_password_that_was_refused_is_not_shown_again_for_the_next_item() {
    let server = FlakySmtp::with("auth_535");
    let outgoing = Outgoing::to(server.port);
    let items: Vec<_> = (0..5).map(|number| outgoing.approved(&format!("Letter {number}"))).collect();

    outgoing.send();

    let tried = server.commands().iter().filter(|line| line.starts_with("AUTH")).count();
    assert_eq!(tried, 1);
    assert!(items.iter().all(|item| outgoing.state(item) == ItemState::Failed));
}

/// A wire that breaks after any number of bytes, either way.
#[test]
fn a_wire_that_breaks_anywhere_sends_once_or_not_at_all_and_the_state_is_true() {
    let mut states = std::collections::BTreeMap::new();
    for after in (0..1_600).step_by(97) {
        for fault in [Fault::CutDown(after), Fault::ResetDown(after), Fault::CutUp(after)] {
            let server = FlakySmtp::good();
            let proxy = FaultProxy::by_connection(
                server.port,
                move |number| if number == 0 { fault } else { Fault::None },
            );
            let mut outgoing = Outgoing::to(proxy.port);
            outgoing.settings.tries = std::num::NonZeroU32::new(2).unwrap();
            let item = outgoing.approved("Broken wire");

            outgoing.send();
            // The proxy passes on what it has after the wire is cut.
            let state = outgoing.state(&item);
            let outcomes = outgoing.outcomes(&item);
            *states.entry(state.name()).or_insert(0) += 1;

            match state {
                ItemState::Sent => {
                    assert_eq!(server.taken().len(), 1, "{fault:?} {outcomes:?}");
                    assert_eq!(server.taken()[0].bytes, outgoing.message(&item), "{fault:?}");
                }
                ItemState::Unknown => assert!(server.taken().len() <= 1, "{fault:?} {outcomes:?}"),
                other => panic!("{fault:?} {other} {outcomes:?}"),
            }
            let after_the_dot =
                outgoing.attempts(&item).iter().filter(|attempt| attempt.dot_ms.is_some()).count();
            assert_eq!(after_the_dot, 1, "{fault:?} {outcomes:?}");
        }
    }
    assert!(states["sent"] > 0 && states["unknown"] > 0, "{states:?}");
}

#[test]
fn nothing_is_tried_again_after_the_dot_except_what_the_server_says_it_has_not() {
    for (fault, outcome) in [("dot_drop", AttemptOutcome::Unknown), ("dot_552", AttemptOutcome::Failed)] {
        let server = FlakySmtp::with(fault);
        let outgoing = Outgoing::to(server.port);
        let item = outgoing.approved("Once");

        for _ in 0..3 {
            outgoing.send();
        }

        assert_eq!(outgoing.outcomes(&item), [Some(outcome)], "{fault}");
        assert_eq!(server.sessions(), 1, "{fault}");
    }
}

#[test]
fn what_a_server_puts_off_comes_again_after_minutes_then_hours_and_fails_after_a_day() {
    let server = FlakySmtp::with("mail_451");
    let mut outgoing = Outgoing::to(server.port);
    let item = outgoing.approved("Greylisted");
    let at = |minutes: i64| (outgoing_start() + jiff::Span::new().minutes(minutes)).to_string();

    let mut tried = Vec::new();
    for minutes in (0..=24 * 60).step_by(5) {
        outgoing.now = at(minutes);
        let before = outgoing.attempts(&item).len();
        outgoing.send();
        if outgoing.attempts(&item).len() > before {
            tried.push(minutes);
        }
    }

    assert_eq!(tried[..4], [0, 5, 20, 80]);
    assert!(tried.windows(2).skip(3).all(|pair| pair[1] - pair[0] == 60), "{tried:?}");
    assert_eq!(outgoing.state(&item), ItemState::Failed);
    assert_eq!(outgoing.again(&item).error_code.as_deref(), Some("SMTP_ERROR"));
    assert!(server.taken().is_empty());
}

fn outgoing_start() -> jiff::Timestamp {
    crate::world::NOW.parse().unwrap()
}

#[test]
fn a_server_that_knows_only_helo_takes_mail_from_who_need_not_sign_in() {
    for (tls, has_password, state) in [
        (Tls::None, false, ItemState::Sent),
        (Tls::None, true, ItemState::Failed),
        (Tls::StartTls, false, ItemState::Approved),
    ] {
        let server = FlakySmtp::with("ehlo_502");
        let outgoing = Outgoing::protected(server.port, tls);
        if !has_password {
            outgoing.secrets().remove(ACCOUNT).unwrap();
        }
        let item = outgoing.approved("Old");

        outgoing.send();

        assert_eq!(outgoing.state(&item), state, "{tls:?}, {has_password}");
        let reason = outgoing.again(&item).reason.unwrap_or_default();
        match (tls, state) {
            (_, ItemState::Sent) => assert_eq!(server.taken()[0].recipients.len(), 3),
            (Tls::None, _) => assert!(reason.contains("without which nobody can sign in"), "{reason}"),
            _ => assert!(reason.contains("STARTTLS"), "{reason}"),
        }
        assert_eq!(server.sign_ins(), [""; 0], "nothing secret was said");
        assert_eq!(server.taken().len(), usize::from(state == ItemState::Sent));
    }
}
