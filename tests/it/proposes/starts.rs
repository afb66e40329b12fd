//! `serve` with a server from the environment starts when that server works, and says what is wrong otherwise. The
//! environment can make limits smaller and nothing weaker.

use std::process::Output;

use serde_json::json;

use super::rest::{letter, post};
use super::{ADA, Sending};

/// What `serve` says when it does not start.
fn refusal(sending: &Sending) -> String {
    let output: Output = sending.command(&["serve", "--listen", "127.0.0.1:0"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_value_that_makes_no_sense_is_named_and_never_repeated() {
    for (name, value) in [
        ("SMTP_PORT", "canary"),
        ("SMTP_PORT", "0"),
        ("SMTP_PORT", "70000"),
        ("SMTP_SECURE", "canary"),
        ("SMTP_USER", "canary"),
        ("SMTP_HOST", "http://canary/"),
        ("RATE_LIMIT_PER_HOUR", "canary"),
        ("RATE_LIMIT_PER_DAY", "-1"),
        ("MAX_RETRIES", "0"),
        ("RETRY_DELAY_MS", "canary"),
        ("RETRY_BACKOFF_MULTIPLIER", "0"),
        ("LOG_LEVEL", "canary"),
    ] {
        let told = refusal(&Sending::empty().with(name, value));

        assert!(told.contains(name), "{name}={value}: {told}");
        assert!(!told.contains("canary"), "{told}");
    }
}

#[test]
fn what_is_missing_is_named() {
    let no_user = refusal(&Sending::empty().without("SMTP_USER"));
    let no_host = refusal(&Sending::empty().without("SMTP_HOST"));
    let no_password = refusal(&Sending::empty().with("SMTP_HOST", "mail.invalid").without("SMTP_PASS"));

    assert!(no_user.contains("`SMTP_USER` is missing"), "{no_user}");
    assert!(no_host.contains("`SMTP_HOST` is missing"), "{no_host}");
    assert!(no_password.contains("`SMTP_PASS` is missing"), "{no_password}");
}

#[test]
fn a_server_that_is_not_there_or_does_not_let_us_in_is_told_at_the_start() {
    let away = refusal(&Sending::empty().with("SMTP_PORT", "9"));
    let sending = Sending::empty();
    sending.postbox.refuse_sign_in();
    let refused = refusal(&sending);

    assert!(away.contains("cannot be used"), "{away}");
    assert!(refused.contains("cannot be used") && refused.contains("not you"), "{refused}");
    assert!(!refused.contains("hunter2-canary"), "{refused}");
    let log = sending.log();
    assert!(log.contains("serve cannot start"), "{log}");
}

#[test]
fn a_log_file_that_cannot_be_written_is_told_at_the_start() {
    let told = refusal(&Sending::empty().with("LOG_FILE", "/proc/nowhere/log"));

    assert!(told.contains("`LOG_FILE` cannot be written"), "{told}");
}

#[test]
fn without_tls_only_this_machine_is_spoken_to() {
    // Not a loopback name: STARTTLS is demanded, and this server has none.
    let Some(own) = own_address() else {
        return crate::world::skipped("starts", "no address but loopback here");
    };
    let sending = Sending::empty();
    let told = refusal(&sending.with("SMTP_HOST", &own).with("SMTP_SECURE", "false"));

    assert!(told.contains("cannot be used"), "{told}");
}

/// An address of this machine that is not loopback.
fn own_address() -> Option<String> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_loopback() && !ip.is_unspecified()).then(|| ip.to_string())
}

#[test]
fn the_environment_makes_limits_smaller_and_never_larger() {
    let sending = Sending::empty().with("RATE_LIMIT_PER_HOUR", "1000000");
    sending.configure("[policy]\nper_hour = 1\n");
    let served = sending.serve(&[]);
    let mut second = letter();
    second["subject"] = json!("Another");

    let first = post(&served, "/send-email", &letter(), &[]);
    let next = post(&served, "/send-email", &second, &[]);

    assert_eq!((first.status, next.status), (200, 429));
}

#[test]
fn no_variable_lets_anything_leave_without_a_yes() {
    let sending = Sending::empty()
        .with("MAILKEEP_POLICY_SEND", "direct")
        .with("POLICY_SEND", "direct")
        .with("MAILKEEP_SEND", "direct")
        .with("APPROVAL", "none");
    let served = sending.serve(&[]);

    let answer = post(&served, "/send-email", &letter(), &[]).json();

    assert_eq!(answer["status"], "pending_approval");
    assert!(sending.postbox.mails().is_empty());
}

#[test]
fn a_file_of_variables_counts_beside_the_configuration_or_by_name_and_nowhere_else() {
    let variables = |sending: &Sending| {
        let port = sending.postbox.port;
        format!("SMTP_HOST=127.0.0.1\nSMTP_PORT={port}\nSMTP_USER={ADA}\nSMTP_PASSWORD='x'\n")
    };
    let bare = || {
        let sending = Sending::empty().without("SMTP_HOST").without("SMTP_PORT").without("SMTP_USER");
        sending.without("SMTP_PASS")
    };
    let validates = |served: crate::speaks_mcp::over_http::Served| {
        post(&served, "/validate-email", &json!({ "email": ADA }), &[]).status
    };

    let beside = bare();
    beside.world.write("config/.env", variables(&beside));
    let named = bare();
    let file = named.world.write("elsewhere.env", variables(&named));
    let here = bare();
    here.world.write("work/.env", variables(&here));
    let mut in_directory = here.command(&["serve", "--no-sync", "--listen", "127.0.0.1:0"]);
    in_directory.current_dir(here.world.path("work"));

    assert_eq!(validates(beside.serve(&[])), 200);
    assert_eq!(validates(named.serve(&["--env-file", file.to_str().unwrap()])), 200);
    assert_eq!(validates(crate::speaks_mcp::over_http::Served::run(&mut in_directory)), 404);
    assert_eq!(here.postbox.greeted(), 0);
}

#[test]
fn assistants_can_be_served_whatever_is_wrong_with_the_environment() {
    for profile in ["email", "smtp", "gmail", "core"] {
        let sending = Sending::empty().with("SMTP_PORT", "nonsense");
        let mut assistant = sending.assistant(&["--profile", profile]);

        let tools = assistant.ask("tools/list", &json!({}))["result"]["tools"].clone();

        assert!(!tools.as_array().unwrap().is_empty(), "{profile}");
    }
}
