//! Accounts: what is known without asking, what is refused, and where secrets are not.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{assert_same, message};
use crate::world::certificates::Certificates;
use crate::world::dovecot::{Dovecot, PASSWORD};
use crate::world::fault_proxy::{Fault, FaultProxy};
use crate::world::{ACCOUNT, World, list, read_json};

#[test]
fn a_known_provider_needs_only_the_address_and_no_network() {
    let world = World::new();

    let added = world.json(&["account", "add", "ada@gmail.com"]);

    assert_eq!(added["imap"], "imap.gmail.com:993");
    assert_eq!(added["smtp"], "smtp.gmail.com:465");
    assert_eq!(added["signed_in"], false);
    let listed = world.json(&["account", "list"]);
    assert_eq!(list(&listed["accounts"])[0]["kind"], "imap");
    assert_eq!(world.failure(&["account", "check", "ada@gmail.com"])["code"], "not_signed_in");
    assert_eq!(world.failure(&["account", "check", "eve@gmail.com"])["code"], "account_unknown");
    assert_eq!(world.failure(&["account", "add", "nobody"])["code"], "bad_address");
    assert_eq!(world.failure(&["sync", "eve@gmail.com"])["code"], "account_unknown");
}

#[test]
fn without_an_account_on_a_server_sync_says_what_to_do() {
    let world = World::new();

    assert_eq!(world.failure(&["sync"])["code"], "no_accounts");
}

#[test]
fn a_wrong_password_is_told_once_and_shown_until_it_is_right() {
    let Some(server) = Dovecot::start("a_wrong_password") else { return };
    server.client("ada").append("INBOX", "", &message("Behind the door"));
    let world = World::with_account(server.port, "ada");
    world.log_in("wrong-canary-99");

    let report = world.try_sync(&[]);

    assert_eq!(report["error"]["code"], "sign_in");
    assert_eq!(report["connections"], 0);
    assert!(!report.to_string().contains("wrong-canary-99"));
    assert_eq!(world.problem()["code"], "sign_in");
    let tried = server.log().matches("auth failed").count();
    assert_eq!(tried, 1, "a refused sign-in must not be repeated: {}", server.log());
    assert_eq!(world.failure(&["account", "check", ACCOUNT])["code"], "sign_in");
    world.log_in(PASSWORD);
    assert_eq!(world.json(&["account", "check", ACCOUNT])["imap"]["ok"], true);
    world.sync();
    assert!(world.problem().is_null());
    assert_same(&world, &server, "ada");
}

#[test]
fn a_server_that_is_not_there_is_a_clear_state_and_no_loss() {
    let Some(server) = Dovecot::start("a_server_that_is_not_there") else { return };
    server.client("ada").append("INBOX", "", &message("Kept"));
    let world = World::with_account(server.port, "ada");
    world.sync();
    drop(server);

    let report = world.try_sync(&["--tries", "1"]);

    assert_eq!(report["error"]["code"], "unreachable");
    assert_eq!(world.problem()["code"], "unreachable");
    assert_eq!(world.count("kept"), 1);
}

#[test]
fn no_secret_stands_in_a_file_an_answer_or_a_list_of_processes() {
    let Some(server) = Dovecot::start("no_secret") else { return };
    server.client("ada").append("INBOX", "", &message("Hello"));
    let world = World::with_account(server.port, "ada");

    let mut child = world.sync_command(&[]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let listing = Command::new("ps").args(["axeww"]).output().map(|o| o.stdout).unwrap_or_default();
    let said = {
        use std::io::Read;
        let mut said = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut said).unwrap();
        said
    };
    assert!(child.wait().unwrap().success());
    let answers: Vec<u8> =
        [&["account", "list"][..], &["status"], &["doctor"], &["account", "check", ACCOUNT]]
            .iter()
            .flat_map(|arguments| world.run(arguments).stdout)
            .collect();

    for (what, bytes) in [("processes", &listing), ("sync", &said), ("answers", &answers)] {
        assert!(!holds(bytes, PASSWORD), "in the output of {what}");
    }
    for file in files(world.home()) {
        assert!(!holds(&fs::read(&file).unwrap(), PASSWORD), "in {}", file.display());
    }
}

fn holds(bytes: &[u8], text: &str) -> bool {
    let plain = bytes.windows(text.len()).any(|window| window == text.as_bytes());
    let encoded = crate::world::mail::base64(text.as_bytes());
    let encoded = encoded.trim_end_matches(['=', '\n']);
    plain || bytes.windows(encoded.len()).any(|window| window == encoded.as_bytes())
}

fn files(directory: &Path) -> Vec<std::path::PathBuf> {
    fs::read_dir(directory)
        .unwrap()
        .flatten()
        .flat_map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { vec![entry.path()] })
        .collect()
}

/// How a sync ends that trusts the authority, over TLS from the first byte or after STARTTLS.
fn outcome(certificates: &Certificates, server: &Dovecot, tls: &str) -> String {
    let world = World::new();
    let port = if tls == "implicit" { server.tls_port } else { server.port };
    world.add_account(ACCOUNT, &format!("localhost:{port}"), &["--user", "ada", "--tls", tls]);
    let mut command = world.sync_command(&[]);
    let output = command.env("SSL_CERT_FILE", certificates.authority()).output().unwrap();
    let error = read_json(&output)["accounts"][0]["error"].clone();
    error["message"].as_str().unwrap_or("ok").to_owned()
}

#[test]
fn a_protected_server_is_trusted_only_for_a_good_certificate() {
    let cases = [
        (Certificates::good("localhost"), "ok"),
        (Certificates::self_signed("localhost"), "not signed by an authority this machine trusts"),
        (Certificates::good("mail.example.org"), "belongs to another host name"),
        (Certificates::expired("localhost"), "has expired"),
    ];
    for (certificates, expected) in cases {
        let Some(server) = certificates.server("a_protected_server") else { return };
        for tls in ["implicit", "starttls"] {
            let outcome = outcome(&certificates, &server, tls);
            assert!(outcome.contains(expected), "{tls}, expected {expected}: {outcome}");
        }
    }
}

#[test]
fn words_slipped_in_behind_starttls_are_noticed() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        use std::io::{BufRead, BufReader, Write};
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().unwrap());
            let mut stream = stream;
            let _ = stream.write_all(b"* OK [CAPABILITY IMAP4rev1 STARTTLS] hello\r\n");
            let mut line = String::new();
            let _ = lines.read_line(&mut line);
            let _ = stream.write_all(b"k1 OK begin\r\n* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n");
            let _ = lines.read_line(&mut line);
        }
    });
    let world = World::new();
    world.add_account(ACCOUNT, &format!("127.0.0.1:{port}"), &["--tls", "starttls"]);

    let report = world.try_sync(&["--timeout", "1"]);

    assert_eq!(report["error"]["code"], "tls", "{report}");
    assert!(report["error"]["message"].as_str().unwrap().contains("somebody interferes"), "{report}");
}

#[test]
fn a_server_of_nonsense_is_told_and_does_not_hang_us() {
    let answers: [&[u8]; 5] = [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"* BYE go away\r\n",
        b"\xff\xfe\x00\x00\r\n",
        b"* OK hi\r\nk1 OK\r\nk2 OK\r\nk3 OK\r\nk4 OK\r\nk5 OK\r\n",
        b"* OK hi\r\n* CAPABILITY IMAP4rev1 QRESYNC LIST-STATUS\r\nk1 OK\r\nk2 OK\r\nk3 OK\r\n* LIST () \"/\" {9999999999}\r\n",
    ];
    for answer in answers {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                use std::io::Write;
                let _ = stream.write_all(answer);
                std::thread::sleep(std::time::Duration::from_secs(2));
            }
        });
        let world = World::with_account(port, "ada");
        let started = std::time::Instant::now();

        let report = world.try_sync(&["--timeout", "0.3", "--tries", "1"]);

        assert!(!report["error"].is_null(), "{report}");
        assert!(started.elapsed().as_secs() < 5, "{report}");
        assert!(!world.problem().is_null());
    }
}

/// Waits until a sync that was started holds the account.
fn wait_until_synced(world: &World, elsewhere: &str) {
    crate::syncs::serves::wait_until("a sync has begun", || {
        let lock = world.home().join("sync-1.lock");
        std::fs::File::open(lock).is_ok_and(|file| file.try_lock().is_err())
    });
    assert_eq!(
        world.failure(&["account", "add", ACCOUNT, "--imap", elsewhere, "--wait", "0"])["code"],
        "sync_busy"
    );
}

#[test]
fn an_account_is_neither_moved_nor_removed_while_it_is_synced() {
    let Some(server) = Dovecot::start("an_account_is_neither_moved") else { return };
    let proxy = FaultProxy::start(server.port, Fault::Stall(60));
    let world = World::with_account(proxy.port, "ada");
    let elsewhere = format!("127.0.0.1:{}", server.port);
    let mut sync = world.sync_command(&["--timeout", "60"]);
    let mut sync = sync.stdout(std::process::Stdio::null()).spawn().unwrap();
    wait_until_synced(&world, &elsewhere);

    assert_eq!(world.failure(&["account", "remove", ACCOUNT, "--wait", "0"])["code"], "sync_busy");

    let listed = world.json(&["account", "list"]);
    assert_eq!(list(&listed["accounts"])[0]["imap"], format!("127.0.0.1:{}", proxy.port));
    sync.kill().unwrap();
    sync.wait().unwrap();
    world.add_account(ACCOUNT, &elsewhere, &["--user", "ada", "--wait", "0"]);
    world.sync();
    assert_same(&world, &server, "ada");
}

#[test]
fn an_account_that_moves_waits_for_its_sync_and_takes_nothing_of_the_old_server_for_the_new_one() {
    let Some(server) = Dovecot::start("an_account_that_moves") else { return };
    for number in 0..8 {
        server.client("ada").append("INBOX", "", &message(&format!("Old {number}")));
    }
    server.client("bob").append("INBOX", "", &message("New"));
    let proxy = FaultProxy::start(server.port, Fault::Latency(60));
    let world = World::with_account(proxy.port, "ada");
    let mut sync = world.sync_command(&[]);
    let mut sync = sync.stdout(std::process::Stdio::null()).spawn().unwrap();
    wait_until_synced(&world, "127.0.0.1:9");

    world.add_account(ACCOUNT, &format!("127.0.0.1:{}", server.port), &["--user", "bob"]);

    sync.wait().unwrap();
    assert_eq!(world.count("subject:old"), 8, "the sync came to its end");
    world.sync();
    assert_eq!(world.found("in:inbox"), ["New"]);
    assert_same(&world, &server, "bob");
    world.assert_sound();
}
