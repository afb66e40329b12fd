//! Tokens end, are renewed by one process for all, and are taken back.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{agree, command, fails, machine, mail_server, says, sign_in};
use crate::world::authority::{Authority, Fault};
use crate::world::dovecot::Dovecot;
use crate::world::fault_proxy::{self, FaultProxy};
use crate::world::mail::{Mail, with_crlf};
use crate::world::{ACCOUNT, World, list, read_json, told};

/// A moment at which a token that was given in the usual moment has ended.
const LATER: &str = "2026-06-15T13:30:00Z";
const MUCH_LATER: &str = "2026-06-15T15:30:00Z";

fn fill(server: &Dovecot, count: usize) {
    let mut client = server.client("ada");
    for number in 0..count {
        let mail = Mail::new(&format!("Letter {number}")).body(&"word and word\n".repeat(100));
        client.append("INBOX", "", &with_crlf(&mail.bytes()));
    }
}

/// Syncs at a moment; what it says about the one account.
fn sync_at(world: &World, moment: &str, more: &[&str]) -> Value {
    let mut command = command(world, &["sync", "--retry-delay", "0.02"]);
    if !more.contains(&"--timeout") {
        command.args(["--timeout", "10"]);
    }
    let output = command.args(more).env("MAILKEEP_TEST_NOW", moment).output().unwrap();
    let report = read_json(&output)["accounts"][0].clone();
    assert!(report.is_object(), "{}", told(&output));
    report
}

fn problem(world: &World) -> Value {
    list(&says(world, &["status"])["accounts"])[0]["problem"].clone()
}

#[test]
fn a_token_is_used_until_it_ends_and_then_renewed_with_the_refresh_token_that_stays() {
    let authority = Authority::start();
    let Some((server, _place)) = mail_server("a_token_is_used", &authority) else { return };
    fill(&server, 3);
    let world = machine(&authority);
    sign_in(&world, server.port, "google");

    let first = sync_at(&world, crate::world::NOW, &[]);
    assert!(first["error"].is_null(), "{first}");
    assert_eq!((first["fetched"].as_u64(), authority.renewals()), (Some(3), 0));
    for (round, moment) in [LATER, MUCH_LATER].into_iter().enumerate() {
        authority.end_access();
        let report = sync_at(&world, moment, &[]);
        assert!(report["error"].is_null(), "{report}");
        assert_eq!(authority.renewals(), round + 1);
    }
}

#[test]
fn a_refresh_token_that_is_replaced_is_the_one_used_next() {
    let authority = Authority::start();
    authority.books().rotates = true;
    let Some((server, _place)) = mail_server("a_refresh_token", &authority) else { return };
    let world = machine(&authority);
    sign_in(&world, server.port, "microsoft");

    for moment in [LATER, MUCH_LATER, "2026-06-16T12:00:00Z"] {
        let report = sync_at(&world, moment, &[]);
        assert!(report["error"].is_null(), "{report}");
    }

    assert_eq!(authority.renewals(), 3);
}

#[test]
fn a_second_sign_in_that_gives_no_refresh_token_keeps_the_first_one() {
    let authority = Authority::start();
    authority.books().gives_refresh_once = true;
    let Some((server, _place)) = mail_server("a_second_sign_in", &authority) else { return };
    let world = machine(&authority);
    sign_in(&world, server.port, "google");
    agree(&world);

    authority.end_access();
    let report = sync_at(&world, LATER, &[]);

    assert!(report["error"].is_null(), "{report}");
    assert_eq!(authority.renewals(), 1);
}

#[test]
fn a_token_that_ends_in_the_middle_of_a_sync_is_renewed_and_nothing_is_lost() {
    let authority = Authority::start();
    let Some((server, _place)) = mail_server("a_token_that_ends", &authority) else { return };
    fill(&server, 60);
    // Each token lets us in once, and each connection breaks in the middle.
    authority.books().uses = 1;
    let proxy = FaultProxy::start(server.port, fault_proxy::Fault::CutDown(30_000));
    let world = machine(&authority);
    sign_in(&world, proxy.port, "google");

    let report = sync_at(&world, crate::world::NOW, &[]);

    assert!(report["error"].is_null(), "{report}");
    assert_eq!(report["fetched"], 60);
    assert!(report["connections"].as_u64().unwrap() > 2, "{report}");
    assert_eq!(authority.renewals() as u64 + 1, report["connections"].as_u64().unwrap(), "{report}");
    assert_eq!(world.here(), server.client("ada").everything());
}

#[test]
fn processes_that_need_a_new_token_at_once_ask_for_one() {
    let authority = Authority::start();
    let Some((server, _place)) = mail_server("processes_that_need", &authority) else { return };
    let world = machine(&authority);
    sign_in(&world, server.port, "google");
    authority.end_access();
    authority.books().faults.push_back(Fault::Slow(300));

    let start = || {
        let mut command = command(&world, &["account", "check", ACCOUNT]);
        command.env("MAILKEEP_TEST_NOW", LATER).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children = [start(), start(), start()];

    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
    }
    assert_eq!(authority.renewals(), 1);
}

#[test]
fn a_grant_that_was_taken_back_is_told_asked_for_once_and_mended_by_signing_in() {
    let authority = Authority::start();
    let Some((server, _place)) = mail_server("a_grant_that_was_taken_back", &authority) else { return };
    fill(&server, 2);
    let world = machine(&authority);
    sign_in(&world, server.port, "google");
    authority.revoke();

    let report = sync_at(&world, LATER, &["--tries", "5"]);
    assert_eq!(report["error"]["code"], "sign_in_again", "{report}");
    assert!(report["error"]["hint"].as_str().unwrap().contains(&format!("mailkeep account login {ACCOUNT}")));
    for _ in 0..2 {
        assert_eq!(sync_at(&world, LATER, &[])["error"]["code"], "sign_in_again");
    }
    assert_eq!(fails(&world, &["account", "check", ACCOUNT])["code"], "sign_in_again");

    assert_eq!(authority.renewals(), 1, "what was taken back must not be asked for again");
    assert_eq!(problem(&world)["code"], "sign_in_again");
    let listed = says(&world, &["account", "list"]);
    assert_eq!(list(&listed["accounts"])[0]["signed_in"], false);
    agree(&world);
    assert!(problem(&world).is_null());
    assert_eq!(sync_at(&world, crate::world::NOW, &[])["fetched"], 2);
}

#[test]
fn a_token_service_that_fails_is_asked_again_and_nothing_is_given_up() {
    let authority = Authority::start();
    let Some((server, _place)) = mail_server("a_token_service_that_fails", &authority) else { return };
    fill(&server, 2);
    let world = machine(&authority);
    sign_in(&world, server.port, "google");
    authority.books().faults.extend([Fault::Broken, Fault::Nonsense, Fault::Slow(5000)]);
    let started = Instant::now();

    let report = sync_at(&world, LATER, &["--timeout", "3", "--tries", "5"]);

    assert!(report["error"].is_null(), "{report}");
    assert_eq!((report["fetched"].as_u64(), authority.renewals()), (Some(2), 4));
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_token_service_that_stays_broken_is_a_clear_state_and_the_sign_in_is_kept() {
    let authority = Authority::start();
    let Some((server, _place)) = mail_server("a_token_service_that_stays", &authority) else { return };
    let world = machine(&authority);
    sign_in(&world, server.port, "google");
    authority.books().faults.extend([Fault::Broken; 3]);

    let report = sync_at(&world, LATER, &["--tries", "2"]);

    assert_eq!(report["error"]["code"], "refused", "{report}");
    assert_eq!(problem(&world)["code"], "refused");
    assert!(sync_at(&world, LATER, &[])["error"].is_null());
}

#[test]
fn a_fresh_token_that_is_refused_is_not_replaced_again_and_again() {
    let authority = Authority::start();
    let Some((server, _place)) = mail_server("a_fresh_token", &authority) else { return };
    let world = machine(&authority);
    sign_in(&world, server.port, "google");
    authority.books().uses = 0;
    authority.end_access();

    let report = sync_at(&world, crate::world::NOW, &["--tries", "5"]);

    assert_eq!(report["error"]["code"], "sign_in", "{report}");
    assert!(report["error"]["hint"].as_str().unwrap().contains("account login"), "{report}");
    assert_eq!(authority.renewals(), 1);
}
