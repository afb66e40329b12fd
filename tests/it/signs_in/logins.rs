//! A person agrees on the provider's page, or does not.

use std::io::{Read, Write};

use super::{agree, command, fails, login, machine, run, says};
use crate::world::authority::{Authority, Fault, field, visit};
use crate::world::certificates::Certificates;
use crate::world::tls_front;
use crate::world::{ACCOUNT, World, read_json, told};

fn add(world: &World, way: &str) {
    says(world, &["account", "add", ACCOUNT, "--imap", "127.0.0.1:1", "--sign-in", way]);
}

fn is_signed_in(world: &World) -> bool {
    says(world, &["account", "list"])["accounts"][0]["signed_in"].as_bool().unwrap()
}

#[test]
fn a_browser_that_agrees_signs_in() {
    for way in ["google", "microsoft"] {
        let authority = Authority::start();
        let world = machine(&authority);
        add(&world, way);
        assert!(!is_signed_in(&world));

        agree(&world);

        assert!(is_signed_in(&world));
        let books = authority.books();
        assert_eq!(books.asked, ["authorization_code"]);
        let asked = |name: &str| field(&books.pages[0], name);
        assert_eq!(asked("login_hint").as_deref(), Some(ACCOUNT));
        assert_eq!(asked("access_type").is_some(), way == "google");
        assert_eq!(asked("tenant").is_some(), way == "microsoft");
        assert!(asked("redirect_uri").unwrap().starts_with("http://"));
    }
}

#[test]
fn an_answer_with_another_state_is_turned_away_and_the_right_one_still_counts() {
    let authority = Authority::start();
    let world = machine(&authority);
    add(&world, "google");
    let (child, url, _notes) = login(&world, &[]);
    let (_, back) = visit(&url);
    let here = back.split('?').next().unwrap();

    for forged in ["?code=evil&state=guess", "?code=evil", "", "?error=access_denied&state="] {
        assert_eq!(visit(&format!("{here}{forged}")).0, 400, "{forged}");
    }
    assert_eq!(visit(&back).0, 200);

    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(authority.books().asked.len(), 1);
}

#[test]
fn a_person_who_says_no_is_understood() {
    let authority = Authority::start();
    authority.books().denies = true;
    let world = machine(&authority);
    add(&world, "google");
    let (child, url, _notes) = login(&world, &[]);
    let (_, back) = visit(&url);

    visit(&back);

    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(read_json(&output)["error"]["code"], "consent_denied", "{}", told(&output));
    assert!(!is_signed_in(&world));
}

#[test]
fn a_person_who_does_not_come_is_not_waited_for_forever() {
    let authority = Authority::start();
    let world = machine(&authority);
    add(&world, "google");

    let error = fails(&world, &["account", "login", ACCOUNT, "--timeout", "0.2"]);

    assert_eq!(error["code"], "login_expired");
}

#[test]
fn the_address_a_browser_elsewhere_ends_on_can_be_pasted() {
    let authority = Authority::start();
    let world = machine(&authority);
    add(&world, "google");
    let (mut child, url, _notes) = login(&world, &["--no-browser"]);
    let (_, back) = visit(&url);

    let mut terminal = child.stdin.take().unwrap();
    writeln!(terminal, "what now?\n{back}").unwrap();

    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
    assert!(is_signed_in(&world));
}

#[test]
fn a_code_is_worth_nothing_to_who_does_not_know_what_was_hashed() {
    let authority = Authority::start();
    let world = machine(&authority);
    add(&world, "google");
    let (child, url, _notes) = login(&world, &[]);
    let other = url.replace("code_challenge=", "code_challenge=x");
    let (_, back) = visit(&other);

    visit(&back);

    let output = child.wait_with_output().unwrap();
    assert_eq!(read_json(&output)["error"]["code"], "oauth_refused", "{}", told(&output));
}

#[test]
fn a_machine_without_a_browser_signs_in_with_a_code() {
    let authority = Authority::start();
    authority.books().device_answers.extend(["authorization_pending", "slow_down", "authorization_pending"]);
    authority.books().faults.push_back(Fault::Broken);
    let world = machine(&authority);
    add(&world, "microsoft");

    let output = run(&world, &["account", "login", ACCOUNT, "--device"]);

    assert!(output.status.success(), "{}", told(&output));
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(notes.contains("https://provider.example/device") && notes.contains("WDJB-MJHT"), "{notes}");
    assert_eq!(authority.books().asked, ["device_code"; 5]);
    assert!(is_signed_in(&world));
}

#[test]
fn a_code_that_ended_or_was_denied_is_told() {
    for (answer, code) in [
        ("expired_token", "login_expired"),
        ("access_denied", "consent_denied"),
        ("invalid_scope", "oauth_refused"),
    ] {
        let authority = Authority::start();
        authority.books().device_answers.extend(["authorization_pending", answer]);
        let world = machine(&authority);
        add(&world, "google");

        let error = fails(&world, &["account", "login", ACCOUNT, "--device"]);

        assert_eq!(error["code"], code, "{error}");
        assert_eq!(authority.books().asked.len(), 2);
        assert!(!is_signed_in(&world));
    }
}

#[test]
fn ctrl_c_ends_a_login() {
    let authority = Authority::start();
    let world = machine(&authority);
    add(&world, "google");
    let (child, _, mut notes) = login(&world, &[]);
    let process = rustix::process::Pid::from_child(&child);

    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();

    let output = child.wait_with_output().unwrap();
    assert_eq!(read_json(&output)["error"]["code"], "stopped", "{}", told(&output));
    let mut rest = String::new();
    notes.read_to_string(&mut rest).unwrap();
}

#[test]
fn without_a_registration_it_is_said_how_to_make_one() {
    let world = World::new();
    world.write("config.toml", "");
    for (way, place) in [("google", "console.cloud.google.com"), ("microsoft", "entra.microsoft.com")] {
        add(&world, way);

        let error = fails(&world, &["account", "login", ACCOUNT]);

        assert_eq!(error["code"], "no_client_id");
        assert!(error["hint"].as_str().unwrap().contains(place), "{error}");
    }
}

#[test]
fn a_gmail_account_is_added_without_a_network_and_signs_in_with_google() {
    let world = World::new();
    world.write("config.toml", "");

    let added = says(&world, &["account", "add", "ada@company.example", "--gmail"]);

    assert_eq!((&added["kind"], &added["sign_in"]), (&"gmail".into(), &"google".into()));
    assert_eq!(added["imap"], "imap.gmail.com:993");
    assert_eq!(says(&world, &["account", "list"])["accounts"][0]["kind"], "gmail");
    assert_eq!(fails(&world, &["account", "check", "ada@company.example"])["code"], "not_signed_in");
    let wrong = command(&world, &["account", "add", "ada@outlook.com", "--password-stdin"]).output().unwrap();
    assert_eq!(read_json(&wrong)["error"]["code"], "no_password_wanted");
}

#[test]
fn a_token_service_is_asked_over_https() {
    let authority = Authority::start();
    authority.books().device_answers.extend(["authorization_pending"; 2]);
    let certificates = Certificates::good("localhost");
    let front = tls_front::start(&certificates, authority.port);
    let world = World::new();
    let plain = format!("http://127.0.0.1:{}/", authority.port);
    world.write("config.toml", authority.config().replace(&plain, &format!("https://localhost:{front}/")));
    add(&world, "microsoft");
    let mut login = command(&world, &["account", "login", ACCOUNT, "--device"]);

    let output = login.env("SSL_CERT_FILE", certificates.authority()).output().unwrap();

    assert!(output.status.success(), "{}", told(&output));
    assert_eq!(authority.books().asked, ["device_code"; 3]);
}
