//! Whatever is done and whatever goes wrong: no secret stands in a file, an answer, a log, or where other users of the
//! machine can look.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{agree, command, machine, mail_server, sign_in};
use crate::world::authority::{Authority, CLIENT_SECRET, Fault};
use crate::world::dovecot::{PASSWORD, free_port};
use crate::world::mail::{Mail, with_crlf};
use crate::world::synced::with_input;
use crate::world::{ACCOUNT, World};

const LATER: &str = "2026-06-15T13:30:00Z";

/// A secret as it is, and inside base64 at each of the three places it can begin at.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let encoded = (0..3).map(|shift| {
        let text = STANDARD.encode(format!("{}{secret}", "\0".repeat(shift)));
        text.trim_end_matches('=')[if shift == 0 { 0 } else { 4 }..].trim_end_matches('=').to_owned()
    });
    // The last character also holds bits of what comes behind.
    let encoded = encoded.map(|text| text.as_bytes()[..text.len() - 1].to_vec());
    std::iter::once(secret.as_bytes().to_vec()).chain(encoded).collect()
}

fn assert_clean(what: &str, bytes: &[u8], secrets: &[String]) {
    for secret in secrets {
        for form in forms(secret) {
            let is_in = bytes.windows(form.len()).any(|window| window == form);
            assert!(!is_in, "{secret} stands in {what}");
        }
    }
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.flat_map(|e| if e.path().is_dir() { files(&e.path()) } else { vec![e.path()] }).collect()
}

/// All that was said by commands, each run for scripts and for people.
struct Heard(Vec<u8>);

impl Heard {
    fn run(&mut self, command: &mut Command) {
        let output = command.output().unwrap();
        self.take(&output);
    }

    fn take(&mut self, output: &Output) {
        self.0.extend_from_slice(&output.stdout);
        self.0.extend_from_slice(&output.stderr);
    }
}

/// A server that repeats all it hears when it refuses.
fn echoing(greeting: &'static str, refusal: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(greeting.as_bytes());
            let mut heard = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            while heard.read_line(&mut line).is_ok_and(|count| count > 0) {
                let words: Vec<_> = line.split_whitespace().collect();
                let plain = words.last().and_then(|word| STANDARD.decode(word).ok()).unwrap_or_default();
                let plain = String::from_utf8_lossy(&plain).replace('\0', " ");
                let tag = words.first().copied().unwrap_or_default();
                let answer = match line.starts_with("EHLO") {
                    true => "250-hi\r\n250 AUTH PLAIN XOAUTH2\r\n".to_owned(),
                    false => refusal.replace("TAG", tag).replace("ALL", &format!("{} {plain}", line.trim())),
                };
                if stream.write_all(answer.as_bytes()).is_err() {
                    break;
                }
                line.clear();
            }
        }
    });
    port
}

/// Points the account's servers somewhere else.
fn move_to(world: &World, imap: u16, smtp: u16) {
    let database = world.database();
    database.execute("DELETE FROM servers WHERE protocol = 'smtp'", []).unwrap();
    database.execute("UPDATE servers SET port = ?1", [imap]).unwrap();
    let insert = "INSERT INTO servers SELECT account, 'smtp', host, ?1, tls FROM servers";
    database.execute(insert, [smtp]).unwrap();
}

/// What other users of the machine could see of a process while it waits for its token.
fn seen_while_running(world: &World, authority: &Authority, heard: &mut Heard) -> Vec<u8> {
    let renewals = authority.renewals();
    authority.books().faults.push_back(Fault::Slow(700));
    let mut sync = command(world, &["sync", "--timeout", "10"]);
    sync.env("MAILKEEP_TEST_NOW", LATER).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = sync.spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while authority.renewals() == renewals && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut seen = fs::read(format!("/proc/{}/environ", child.id())).unwrap_or_default();
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        seen.extend(fs::read(process.path().join("cmdline")).unwrap_or_default());
    }
    heard.take(&child.wait_with_output().unwrap());
    assert!(seen.windows(4).any(|window| window == b"sync") || !Path::new("/proc/self").exists());
    seen
}

#[test]
fn no_secret_of_any_kind_is_seen_anywhere() {
    let authority = Authority::start();
    let Some((server, _place)) = mail_server("no_secret_of_any_kind", &authority) else { return };
    server.client("ada").append("INBOX", "", &with_crlf(&Mail::new("Hello").bytes()));
    let world = machine(&authority);
    let mut heard = Heard(Vec::new());
    let imap =
        echoing("* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=XOAUTH2] hi\r\n", "TAG NO ALL\r\n");
    let bye = echoing("* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=XOAUTH2] hi\r\n", "* BYE ALL\r\n");
    let smtp = echoing("220 hi\r\n", "535 ALL\r\n");
    let everything = |heard: &mut Heard| {
        for arguments in [
            &["account", "check", ACCOUNT, "--timeout", "5"][..],
            &["sync", "--timeout", "5", "--tries", "0"],
        ] {
            heard.run(&mut command(&world, arguments));
            heard.run(world.command(arguments).arg("--config").arg(world.path("config.toml")));
        }
        for arguments in [&["account", "list"][..], &["status"], &["doctor"]] {
            heard.run(world.command(arguments).arg("--config").arg(world.path("config.toml")));
        }
    };

    // A password, on a good server and on those that repeat it.
    let here = format!("127.0.0.1:{}", server.port);
    let add = ["account", "add", ACCOUNT, "--imap", &here, "--user", "ada", "--password-stdin"];
    heard.take(&with_input(&mut command(&world, &add), PASSWORD));
    everything(&mut heard);
    for (imap, smtp) in [(imap, smtp), (bye, free_port())] {
        move_to(&world, imap, smtp);
        everything(&mut heard);
    }
    // Tokens, the same.
    sign_in(&world, server.port, "google");
    everything(&mut heard);
    let seen = seen_while_running(&world, &authority, &mut heard);
    for (imap, smtp) in [(imap, smtp), (bye, free_port())] {
        move_to(&world, imap, smtp);
        everything(&mut heard);
    }
    // A token service that repeats what it got, in each of its ways.
    for fault in [Fault::Broken, Fault::Nonsense, Fault::Revoked] {
        authority.books().faults.extend([fault, fault]);
        agree_again(&world, &authority, fault);
        heard.run(command(&world, &["sync", "--tries", "0"]).env("MAILKEEP_TEST_NOW", LATER));
        everything(&mut heard);
        authority.books().faults.clear();
    }

    let mut secrets = authority.books().secrets.clone();
    secrets.extend([PASSWORD.to_owned(), CLIENT_SECRET.to_owned()]);
    assert!(secrets.len() > 8, "{secrets:?}");
    assert!(heard.0.len() > 2000, "commands say something");
    assert_clean("what was said", &heard.0, &secrets);
    assert_clean("what others can see", &seen, &secrets);
    let kept = files(world.home());
    assert!(kept.iter().any(|file| file.ends_with("secrets")));
    for file in kept {
        assert_clean(&file.display().to_string(), &fs::read(&file).unwrap(), &secrets);
    }
}

/// Signs in again before the faults strike.
fn agree_again(world: &World, authority: &Authority, fault: Fault) {
    authority.books().faults.clear();
    agree(world);
    authority.books().faults.extend([fault, fault]);
}
