//! What has no end is given up, with the reason, before it fills the memory.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::world::scripted::Scripted;
use crate::world::{World, read_json};

const GREETING: &str = "* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR LIST-STATUS ENABLE QRESYNC] ready\r\n";
/// Private memory in kB that no answer may make us take.
const MOST: u64 = 150_000;

/// What a server with one mailbox says.
fn decent(command: &str) -> &'static str {
    match command.split(' ').next().unwrap_or("") {
        "LIST" => {
            "* LIST () \"/\" INBOX\r\n* STATUS INBOX (MESSAGES 3 UIDNEXT 4 UIDVALIDITY 9 HIGHESTMODSEQ 5)\r\n"
        }
        "STATUS" => "* STATUS INBOX (MESSAGES 3 UIDNEXT 4 UIDVALIDITY 9 HIGHESTMODSEQ 5)\r\n",
        "EXAMINE" => "* 3 EXISTS\r\n* OK [UIDVALIDITY 9] ok\r\n* OK [UIDNEXT 4] ok\r\n",
        "UID" => "* 1 FETCH (UID 1 FLAGS ())\r\n* 2 FETCH (UID 2 FLAGS ())\r\n* 3 FETCH (UID 3 FLAGS ())\r\n",
        _ => "",
    }
}

/// An answer without end: to which command, how it begins, and what comes again and again (`#` becomes a number).
struct Endless {
    to: &'static str,
    begin: &'static str,
    again: &'static str,
}

const ENDLESS: [Endless; 16] = [
    Endless { to: "LIST", begin: "", again: "* LIST (\\HasNoChildren) \"/\" \"mailbox number #\"\r\n" },
    Endless { to: "LIST", begin: "", again: "* LIST () \"/\" INBOX\r\n" },
    Endless { to: "LIST", begin: "", again: "* STATUS \"mailbox number #\" (MESSAGES 1 UIDNEXT 2)\r\n" },
    Endless { to: "LIST", begin: "* LIST () \"/\" ", again: "xxxxxxxxxxxxxxxx" },
    Endless { to: "LIST", begin: "* LIST (", again: "\\Flag# " },
    Endless { to: "LIST", begin: "", again: "* OK still here\r\n" },
    Endless { to: "LIST", begin: "", again: "\r\n" },
    Endless { to: "AUTHENTICATE", begin: "", again: "* CAPABILITY IMAP4rev1 X#\r\n" },
    Endless { to: "AUTHENTICATE", begin: "* CAPABILITY", again: " X#" },
    Endless { to: "AUTHENTICATE", begin: "", again: "+ \r\n" },
    Endless { to: "EXAMINE", begin: "* VANISHED (EARLIER) 1", again: ",#" },
    Endless { to: "EXAMINE", begin: "", again: "* 1 FETCH (UID # FLAGS (\\Seen keyword# other#))\r\n" },
    Endless { to: "UID", begin: "", again: "* 1 FETCH (UID # FLAGS (\\Seen keyword# other#))\r\n" },
    Endless { to: "UID", begin: "* 1 FETCH (UID 1 FLAGS (", again: "keyword# " },
    Endless { to: "UID", begin: "* 1 FETCH (UID 1 BODY[]<0> {99999999999}\r\n", again: "xxxxxxxxxxxxxxxx" },
    Endless { to: "UID", begin: "* 1 FETCH (UID 1", again: " BODY[]<0> {2000}\r\n@" },
];

fn pour(stream: &mut TcpStream, endless: &Endless) -> bool {
    let _ = stream.write_all(endless.begin.as_bytes());
    let one = endless.again.replace('@', &"y".repeat(2000));
    let lines = (1_u64..).step_by(2).map(|number| one.replace('#', &number.to_string()));
    let mut some = String::new();
    for line in lines {
        some.push_str(&line);
        if some.len() > 1 << 20 {
            break;
        }
    }
    while stream.write_all(some.as_bytes()).is_ok() {}
    false
}

/// How a sync ended, and the most private memory it took, in kB.
fn watched(world: &World) -> (Value, Option<i32>, u64) {
    let started = Instant::now();
    let mut command = world.sync_command(&["--tries", "0", "--timeout", "5"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or("0");
        peak = peak.max(line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or(0));
        assert!(started.elapsed() < Duration::from_secs(120), "it does not end");
        std::thread::sleep(Duration::from_millis(3));
    }
    let output = child.wait_with_output().unwrap();
    (read_json(&output)["accounts"][0].clone(), output.status.code(), peak)
}

#[test]
fn an_answer_without_end_is_given_up_in_little_memory() {
    let mut wrong = Vec::new();
    for endless in &ENDLESS {
        let name = format!("{} {}{}", endless.to, endless.begin, endless.again).replace("\r\n", " ");
        let server =
            Scripted::start(GREETING, move |stream, tag, command| match command.starts_with(endless.to) {
                true => pour(stream, endless),
                false => stream.write_all(format!("{}{tag} OK done\r\n", decent(command)).as_bytes()).is_ok(),
            });
        let world = World::with_account(server.port, "ada");

        let (report, code, peak) = watched(&world);

        if code != Some(1) || report["error"]["code"] != "bad_answer" {
            wrong.push(format!("{name}: exit code {code:?}, {report}"));
        }
        if peak > MOST {
            wrong.push(format!("{name}: {peak} kB"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
