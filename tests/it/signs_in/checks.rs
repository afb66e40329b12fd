//! `account check` tries the real thing, on both servers, and says what to do.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use mailkeep::account::Secrets;
use mailkeep::model::SecretStore;
use mailkeep::secret::Secret;
use serde_json::Value;

use super::{agree, command, machine, oauth_lines, says};
use crate::world::authority::Authority;
use crate::world::certificates::Certificates;
use crate::world::dovecot::{Dovecot, PASSWORD, free_port};
use crate::world::gmail::GmailDouble;
use crate::world::synced::with_input;
use crate::world::{ACCOUNT, World, read_json, skipped, told};

/// A server where mail is read and handed in; with certificates also protected.
pub(crate) struct PostOffice {
    pub(crate) server: Dovecot,
    pub(crate) smtp: u16,
    pub(crate) smtps: u16,
}

impl PostOffice {
    pub(crate) fn open(test: &str, more: &str, certificates: Option<&Certificates>) -> Option<Self> {
        if !std::path::Path::new("/usr/lib/dovecot/submission-login").exists() {
            skipped(test, "needs the Debian package dovecot-submissiond");
            return None;
        }
        let (smtp, smtps) = (free_port(), free_port());
        let tls = certificates.map(|certificates| {
            let listener = format!(
                "inet_listener submissions {{\n address = 127.0.0.1\n port = {smtps}\n ssl = yes\n}}\n"
            );
            (certificates.lines(), listener)
        });
        let (tls, listener) = tls.unwrap_or_default();
        let lines = format!(
            "protocols = imap submission\nhostname = test.invalid\nsubmission_relay_host = 127.0.0.1\n\
             service submission-login {{\n chroot =\n inet_listener submission {{\n address = 127.0.0.1\n \
             port = {smtp}\n }}\n{listener}}}\n{tls}{more}"
        );
        let office = Self { server: Dovecot::with(test, &lines)?, smtp, smtps };
        let until = Instant::now() + Duration::from_secs(10);
        while TcpStream::connect(("127.0.0.1", smtp)).is_err() {
            assert!(Instant::now() < until, "nobody listens for mail");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(office)
    }

    /// Adds the account with these servers.
    fn add(&self, world: &World, (imap, smtp): (&str, &str), more: &[&str]) {
        let arguments =
            ["--json", "account", "add", ACCOUNT, "--imap", imap, "--smtp", smtp, "--user", "ada"];
        let output = with_input(world.command(&arguments).arg("--password-stdin").args(more), PASSWORD);
        assert!(output.status.success(), "{}", told(&output));
    }
}

/// What a check says, however it ends.
fn check(command: &mut Command) -> Value {
    read_json(&command.output().unwrap())
}

fn check_here(world: &World) -> Value {
    check(&mut world.command(&["--json", "account", "check", ACCOUNT]))
}

#[test]
fn a_good_account_is_let_in_where_mail_is_read_and_where_it_is_handed_in() {
    // Without PLAIN, dovecot lets nobody in by IMAP's own LOGIN either.
    for (mechanisms, by_imap) in [("plain login", true), ("login", false)] {
        let more = format!("auth_mechanisms = {mechanisms}\n");
        let Some(office) = PostOffice::open("a_good_account", &more, None) else { return };
        let world = World::new();
        let at = |port: u16| format!("127.0.0.1:{port}");
        office.add(&world, (&at(office.server.port), &at(office.smtp)), &[]);

        let found = check_here(&world);

        assert_eq!(found["imap"]["ok"], by_imap, "{found}");
        assert_eq!(
            (&found["smtp"]["ok"], &found["smtp"]["state"]),
            (&true.into(), &"signed in".into()),
            "{found}"
        );
        assert_eq!(found["error"].is_null(), by_imap);
    }
}

#[test]
fn a_wrong_password_is_told_for_both_servers() {
    let Some(office) = PostOffice::open("a_wrong_password_is_told", "", None) else { return };
    let world = World::new();
    let at = |port: u16| format!("127.0.0.1:{port}");
    office.add(&world, (&at(office.server.port), &at(office.smtp)), &[]);
    let mut login = world.command(&["account", "login", ACCOUNT, "--password-stdin"]);
    assert!(with_input(&mut login, "wrong-canary-17").status.success());

    let found = check_here(&world);

    for part in ["imap", "smtp"] {
        assert_eq!(found[part]["error"]["code"], "sign_in", "{found}");
        assert!(found[part]["error"]["hint"].as_str().unwrap().contains("account login"), "{found}");
    }
    assert!(!found.to_string().contains("wrong-canary-17"));
}

#[test]
fn handing_in_is_protected_only_by_a_good_certificate() {
    let cases = [
        (Certificates::good("localhost"), None),
        (Certificates::self_signed("localhost"), Some("not signed by an authority this machine trusts")),
        (Certificates::good("mail.example.org"), Some("belongs to another host name")),
    ];
    for (certificates, refusal) in cases {
        let Some(office) = PostOffice::open("handing_in", "", Some(&certificates)) else { return };
        for (tls, smtp) in [("implicit", office.smtps), ("starttls", office.smtp)] {
            let world = World::new();
            let port = if tls == "implicit" { office.server.tls_port } else { office.server.port };
            let at = |port: u16| format!("localhost:{port}");
            office.add(&world, (&at(port), &at(smtp)), &["--tls", tls]);
            let mut command = world.command(&["--json", "account", "check", ACCOUNT]);

            let found = check(command.env("SSL_CERT_FILE", certificates.authority()));

            assert_eq!(found["smtp"]["ok"], refusal.is_none(), "{tls} {found}");
            let message = found["smtp"]["error"]["message"].as_str().unwrap_or_default();
            assert!(message.contains(refusal.unwrap_or_default()), "{tls} {found}");
        }
    }
}

#[test]
fn a_token_lets_us_in_on_both_servers_and_an_old_one_is_renewed() {
    let authority = Authority::start();
    let place = tempfile::tempdir().unwrap();
    let more = oauth_lines(&authority, place.path());
    let Some(office) = PostOffice::open("a_token_lets_us_in", &more, None) else { return };
    let world = machine(&authority);
    let (imap, smtp) = (format!("127.0.0.1:{}", office.server.port), format!("127.0.0.1:{}", office.smtp));
    let add =
        ["account", "add", ACCOUNT, "--imap", &imap, "--smtp", &smtp, "--user", "ada", "--sign-in", "google"];
    says(&world, &add);
    agree(&world);
    authority.books().uses = 1;
    authority.end_access();

    let found = check(&mut command(&world, &["account", "check", ACCOUNT]));

    assert_eq!((&found["imap"]["ok"], &found["smtp"]["ok"]), (&true.into(), &true.into()), "{found}");
    assert_eq!(authority.renewals(), 2, "each server refused a token once");
    authority.revoke();
    let found = check(&mut command(&world, &["account", "check", ACCOUNT]));
    assert_eq!(found["error"]["code"], "sign_in_again", "{found}");
}

/// A server that says what it is told to, line by line, whatever it hears.
fn scripted(lines: &'static [&'static [u8]]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut heard = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            for said in lines {
                let _ = stream.write_all(said);
                let _ = heard.read_line(&mut line);
            }
        }
    });
    port
}

#[test]
fn a_server_that_interferes_or_talks_nonsense_is_noticed() {
    let cases: [(&'static [&'static [u8]], &str, &str); 6] = [
        (
            &[b"220 hi\r\n", b"250-hi\r\n250 STARTTLS\r\n", b"220 go\r\n250 AUTH PLAIN\r\n"],
            "tls",
            "somebody interferes",
        ),
        (&[b"220 hi\r\n", b"250 hi\r\n"], "tls", "does not offer STARTTLS"),
        (&[b"554 go away\r\n"], "refused", "go away"),
        (&[b"421 busy\r\n"], "connection_closed", "busy"),
        (&[b"* OK IMAP4rev1\r\n"], "bad_answer", "no mail server"),
        (&[b""], "timeout", "did not answer"),
    ];
    let Some(server) = Dovecot::start("a_server_that_interferes") else { return };
    for (lines, code, words) in cases {
        let world = World::with_account(server.port, "ada");
        let port = scripted(lines);
        let sql = "INSERT INTO servers SELECT id, 'smtp', '127.0.0.1', ?1, 'starttls' FROM accounts";
        world.database().execute(sql, [port]).unwrap();

        let found = check(&mut world.command(&["--json", "account", "check", ACCOUNT, "--timeout", "2"]));

        assert_eq!(found["imap"]["ok"], true, "{found}");
        assert_eq!(found["smtp"]["error"]["code"], code, "{found}");
        assert!(found["smtp"]["error"]["message"].as_str().unwrap().contains(words), "{found}");
    }
}

#[test]
fn the_servers_of_an_unknown_provider_are_found_and_remembered() {
    let Some(office) = PostOffice::open("the_servers_of_an_unknown", "", None) else { return };
    let world = World::new();
    let mut add = world.command(&["account", "add", ACCOUNT, "--user", "ada", "--password-stdin"]);
    assert!(with_input(&mut add, PASSWORD).status.success());
    let nobody = free_port();
    let at = |port: u16| format!("127.0.0.1:{port}");
    let guesses =
        format!("imap={0} imap={1} smtp={0} smtp={2}", at(nobody), at(office.server.port), at(office.smtp));
    let mut command = world.command(&["--json", "account", "check", ACCOUNT]);

    let found = check(command.env("MAILKEEP_TEST_GUESSES", guesses));

    assert_eq!(found["imap"]["server"], at(office.server.port), "{found}");
    assert_eq!(found["smtp"]["server"], at(office.smtp), "{found}");
    let listed = world.json(&["account", "list"])["accounts"][0].clone();
    assert_eq!((&listed["imap"], &listed["smtp"]), (&at(office.server.port).into(), &at(office.smtp).into()));
    assert_eq!(check_here(&world)["smtp"]["ok"], true);
}

#[test]
fn a_token_service_is_believed_only_for_a_good_certificate() {
    let certificates = Certificates::good("localhost");
    let Some(server) = certificates.server("a_token_service_is_believed") else { return };
    let url = format!("https://localhost:{}/device", server.tls_port);
    let world = World::new();
    let lines = format!(
        "[secrets]\nstore = \"file\"\n[oauth.microsoft]\nclient_id = \"us\"\ndevice_url = \"{url}\"\n"
    );
    world.write("config.toml", lines);
    says(&world, &["account", "add", ACCOUNT, "--imap", "127.0.0.1:1", "--sign-in", "microsoft"]);
    let code = |trusted: bool| {
        let mut command = command(&world, &["account", "login", ACCOUNT, "--device"]);
        if trusted {
            command.env("SSL_CERT_FILE", certificates.authority());
        }
        check(&mut command)["error"]["code"].as_str().unwrap().to_owned()
    };

    assert_eq!(code(false), "certificate");
    // It is trusted, and no token service.
    assert_eq!(code(true), "bad_answer");
}

#[test]
fn the_mail_that_gmail_shows_must_be_the_accounts_own() {
    for (whose, is_right) in [(ACCOUNT, true), ("bob@example.org", false)] {
        let double = GmailDouble::start(whose, Duration::from_secs(60));
        let world = World::new();
        let here = format!("http://127.0.0.1:{}", double.port);
        let config = format!(
            "[secrets]\nstore = \"file\"\n[gmail]\nbase_url = \"{here}\"\n[oauth.google]\nclient_id = \"double\"\n\
             token_url = \"{here}/token\"\n"
        );
        world.write("config.toml", config);
        let nobody = format!("127.0.0.1:{}", free_port());
        says(&world, &["account", "add", ACCOUNT, "--gmail", "--imap", &nobody, "--smtp", &nobody]);
        let kept = Secret::new(r#"{"refresh":"1//refresh","access":"ended","expires":0}"#.to_owned());
        let secrets = Secrets::at(world.home().join("secrets"), SecretStore::File);
        secrets.set(&format!("oauth:{ACCOUNT}"), &kept).unwrap();

        let found = check(&mut command(&world, &["account", "check", ACCOUNT]));

        assert_eq!(found["gmail"]["ok"], is_right, "{found}");
        assert_eq!(found["gmail"]["error"]["code"] == "other_mailbox", !is_right, "{found}");
        assert_eq!(found["imap"]["error"]["code"], "unreachable", "{found}");
    }
}
