//! Servers that refuse, lie or babble: always a clear end, in bounded time and memory, without a storm of retries.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{message, watches::Watch};
use crate::world::World;
use crate::world::conversation::{ask, call};
use crate::world::dovecot::Dovecot;
use crate::world::fault_proxy::{Fault, FaultProxy};
use crate::world::random::Random;
use crate::world::scripted::Scripted;

const GREETING: &str = "* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR LITERAL+] ready\r\n";

fn say(stream: &mut TcpStream, words: &str) -> bool {
    stream.write_all(words.as_bytes()).is_ok()
}

/// What a decent server with one mailbox says up to the first FETCH.
fn decent(tag: &str, command: &str) -> Option<String> {
    let first = command.split(' ').next().unwrap_or("").to_ascii_uppercase();
    let said = match first.as_str() {
        "AUTHENTICATE" => "",
        "CAPABILITY" => "* CAPABILITY IMAP4rev1\r\n",
        "LIST" => "* LIST () \"/\" INBOX\r\n",
        "STATUS" => "* STATUS INBOX (MESSAGES 3 UIDNEXT 4 UIDVALIDITY 9)\r\n",
        "EXAMINE" | "SELECT" => "* 3 EXISTS\r\n* OK [UIDVALIDITY 9] ok\r\n* OK [UIDNEXT 4] ok\r\n",
        "LOGOUT" | "NOOP" => "",
        _ => return None,
    };
    Some(format!("{said}{tag} OK done\r\n"))
}

/// A server that refuses to let anybody in with these words.
fn closed_door(words: &'static str) -> Scripted {
    Scripted::start(GREETING, move |stream, tag, command| match command.starts_with("AUTHENTICATE") {
        true => say(stream, &format!("{tag} NO {words}\r\n")),
        false => say(stream, &format!("{tag} OK done\r\n")),
    })
}

#[test]
fn a_refused_sign_in_is_never_repeated() {
    for (words, code) in [
        ("[AUTHENTICATIONFAILED] invalid credentials", "sign_in"),
        ("[EXPIRED] the password has expired", "sign_in"),
        ("[ALERT] application-specific password required", "sign_in"),
        ("[CONTACTADMIN] your account is locked", "account_locked"),
        ("[AUTHORIZATIONFAILED] not for you", "account_locked"),
        ("[WEBALERT https://example.org/unlock] web login required", "account_locked"),
        ("go away", "sign_in"),
    ] {
        let server = closed_door(words);
        let world = World::with_account(server.port, "ada");

        let report = world.try_sync(&["--tries", "5"]);

        assert_eq!(report["error"]["code"], code, "{words}: {report}");
        let said = words.rsplit("] ").next().unwrap();
        assert!(report["error"]["message"].as_str().unwrap().contains(said), "{report}");
        assert_eq!(world.problem()["code"], code);
        assert_eq!(server.connections(), 1, "{words}");
    }
}

#[test]
fn a_server_that_is_busy_is_tried_again_a_few_times() {
    let server = closed_door("[UNAVAILABLE] the mail store is being moved");
    let world = World::with_account(server.port, "ada");

    let report = world.try_sync(&["--tries", "2"]);

    assert_eq!(report["error"]["code"], "refused", "{report}");
    assert!(world.problem()["message"].as_str().unwrap().contains("being moved"));
    assert_eq!(server.connections(), 3);
}

#[test]
fn a_goodbye_instead_of_a_greeting_is_told_in_the_servers_words() {
    let server = Scripted::start("* BYE [UNAVAILABLE] too many connections\r\n", |_, _, _| false);
    let world = World::with_account(server.port, "ada");

    let report = world.try_sync(&["--tries", "2"]);

    assert_eq!(report["error"]["code"], "connection_closed", "{report}");
    assert!(world.problem()["message"].as_str().unwrap().contains("too many connections"));
    assert_eq!(server.connections(), 3);
    let answers = ask(&mut world.command(&["mcp"]), &[call(1, "sync_status", &json!({}))]);
    let told = answers[&1]["result"]["structuredContent"]["items"][0]["problem"].clone();
    assert!(told.as_str().unwrap().contains("too many connections"), "{answers:?}");
}

/// Lines that mean something, nothing, or the impossible.
const BABBLE: [&str; 22] = [
    "* 4294967295 EXISTS",
    "* -1 EXISTS",
    "* 99999999999999999999 EXISTS",
    "* 1 FETCH (UID 4294967295 FLAGS (\\Seen) BODY[]<0> {5}\r\nhello)",
    "* 1 FETCH (UID 0 FLAGS () BODY[]<0> {0}\r\n)",
    "* 1 FETCH (UID -7 FLAGS ((((((((()))))))))",
    "* 2 FETCH (UID 2 FLAGS (a b \"c) BODY[] NIL",
    "* 3 FETCH (UID 3 FLAGS () INTERNALDATE \"99-Foo-0000 99:99:99 +9999\" BODY[]<0> \"Subject: x\r\n",
    "* 0 FETCH (UID 18446744073709551616 RFC822.SIZE -4)",
    "* VANISHED (EARLIER) 1:4294967295",
    "* VANISHED 5:1,,,9:*",
    "* LIST (\\Noselect \"\" \"\" {3}\r\nabc",
    "* LIST () NIL {-3}",
    "* LIST () \"\" \"../../../etc/passwd\"",
    "* STATUS \"\" (MESSAGES UIDNEXT UIDVALIDITY)",
    "* OK [UIDVALIDITY 0] no",
    "* OK [UIDVALIDITY -12",
    "* OK [HIGHESTMODSEQ 99999999999999999999999]",
    "* CAPABILITY QRESYNC CONDSTORE X-GM-EXT-1 LIST-STATUS COMPRESS=DEFLATE",
    "* SEARCH -1 0 99999999999 x",
    "k99999999999 OK who?",
    "+ go on",
];

#[test]
fn a_server_that_babbles_brings_nothing_down() {
    for seed in 1..=12 {
        let server = Scripted::start(GREETING, move |stream, tag, command| {
            let mut random = Random::new(seed * 1000 + command.len() as u64 + u64::from(tag.as_bytes()[1]));
            if let Some(words) = decent(tag, command).filter(|_| random.below(10) > 1) {
                return say(stream, &words);
            }
            let lines: Vec<_> = (0..random.below(12)).map(|_| BABBLE[random.below(BABBLE.len())]).collect();
            let end = ["OK", "OK", "NO", "BAD", ""][random.below(5)];
            say(stream, &format!("{}\r\n{tag} {end} so\r\n", lines.join("\r\n")))
        });
        let world = World::with_account(server.port, "ada");
        let started = Instant::now();

        let report = world.try_sync(&["--tries", "1", "--timeout", "0.3"]);

        assert!(started.elapsed() < Duration::from_secs(15), "seed {seed}: {report}");
        assert!(server.connections() < 12, "seed {seed}: {} connections", server.connections());
        assert_eq!(world.json(&["verify"])["sound"], true, "seed {seed}");
    }
}

#[test]
fn a_watch_does_not_storm_a_server_that_hangs_up() {
    let server = Scripted::start("* BYE not now\r\n", |_, _, _| false);
    let world = World::with_account(server.port, "ada");

    let watch = Watch::begin(&world, &["--poll", "600", "--retry-delay", "0.1", "--tries", "1"]);
    std::thread::sleep(Duration::from_secs(3));
    drop(watch);

    assert!((2..=16).contains(&server.connections()), "{} connections", server.connections());
}

#[test]
fn a_watch_does_not_storm_a_server_that_hangs_up_on_listeners() {
    let Some(server) = Dovecot::start("a_watch_does_not_storm") else { return };
    server.client("ada").append("INBOX", "", &message("Letter"));
    // Enough for a look at an account where nothing is new, and not for one who stays.
    let proxy = FaultProxy::start(server.port, Fault::Cutoff(Duration::from_millis(400)));
    let world = World::with_account(proxy.port, "ada");

    let watch = Watch::begin(&world, &["--poll", "600", "--retry-delay", "0.1"]);
    std::thread::sleep(Duration::from_secs(6));
    drop(watch);

    let connections = proxy.said().len();
    assert!((3..=24).contains(&connections), "{connections} connections in six seconds");
    assert_eq!(world.count("letter"), 1);
}
