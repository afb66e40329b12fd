use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::{Envelope, NotSent, Outcome, Reply, SmtpClient};
use crate::model::{Endpoint, FitMessage, IoLimits, Tls};

/// What a server does when something begins with a word: answers, or hangs up (`None`).
type Script = Vec<(&'static str, Option<&'static str>)>;

/// A server on this machine that goes by a script; what is not in it is answered with 250. It gives back all that it
/// heard, the message included.
struct Peer {
    port: u16,
    heard: JoinHandle<String>,
}

impl Peer {
    fn start(greeting: &'static str, script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = thread::spawn(move || talk(listener.accept().unwrap().0, greeting, script));
        Self { port, heard }
    }

    fn client(&self, stop: &Arc<AtomicBool>) -> SmtpClient {
        let endpoint = Endpoint { host: "127.0.0.1".to_owned(), port: self.port, tls: Tls::None };
        let limits = IoLimits { silence: Duration::from_secs(30), stop: Arc::clone(stop) };
        SmtpClient::connect(&endpoint, limits).unwrap()
    }
}

fn talk(mut stream: TcpStream, extensions: &str, mut script: Script) -> String {
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut heard = String::new();
    let mut in_message = false;
    stream.write_all(b"220 here\r\n").unwrap();
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line).unwrap_or(0) == 0 {
            return heard;
        }
        heard.push_str(&line);
        if in_message && line != ".\r\n" {
            continue;
        }
        let word = if in_message { "." } else { line.trim_end() };
        let planned = script.iter().position(|(start, _)| word.starts_with(start));
        let answer = match planned.map(|place| script.remove(place).1) {
            Some(None) => return heard,
            Some(Some(answer)) => answer.to_owned(),
            None if word.starts_with("EHLO") => format!("250-here\r\n{extensions}250 HELP"),
            None if word.starts_with("DATA") => "354 go on".to_owned(),
            None => "250 2.0.0 fine".to_owned(),
        };
        in_message = word == "DATA" && answer.starts_with("354");
        match answer.as_str() {
            "(silence)" => {}
            "(a letter now and then)" => {
                while stream.write_all(b"2").is_ok() {
                    thread::sleep(Duration::from_millis(20));
                }
            }
            _ => drop(stream.write_all(format!("{answer}\r\n").as_bytes())),
        }
    }
}

const MESSAGE: &[u8] = b"Subject: hello\r\n\r\n.one dot\r\nend\r\n";

fn to(recipients: &[&str]) -> Vec<String> {
    recipients.iter().map(|address| (*address).to_owned()).collect()
}

fn envelope(recipients: &[String]) -> Envelope<'_> {
    Envelope { sender: "ada@example.org", recipients, id: "d123", may_be_partial: false }
}

/// All steps.
fn send(client: &mut SmtpClient, envelope: &Envelope<'_>) -> Result<Outcome, NotSent> {
    send_within(client, envelope, Duration::from_secs(30))
}

fn send_within(
    client: &mut SmtpClient,
    envelope: &Envelope<'_>,
    patience: Duration,
) -> Result<Outcome, NotSent> {
    let message = FitMessage::new(MESSAGE).unwrap();
    let body = client.open(envelope, message.len())?.data()?.body(&message, Duration::from_secs(30))?;
    Ok(body.dot(patience, Duration::ZERO))
}

/// What becomes of a message when a server answers by this script, and what the server heard.
fn try_with(extensions: &'static str, script: Script) -> (Result<Outcome, NotSent>, String, bool) {
    let is_silent = script.iter().any(|(_, answer)| answer.is_some_and(|answer| answer.starts_with('(')));
    let patience = if is_silent { Duration::from_millis(300) } else { Duration::from_secs(30) };
    let peer = Peer::start(extensions, script);
    let mut client = peer.client(&Arc::default());
    let recipients = to(&["bob@example.com", "cy@example.net"]);
    let outcome = send_within(&mut client, &envelope(&recipients), patience);
    let usable = client.is_usable();
    client.leave();
    (outcome, peer.heard.join().unwrap(), usable)
}

fn code(outcome: &Outcome) -> Option<u16> {
    match outcome {
        Outcome::Accepted(Reply { code, .. })
        | Outcome::Deferred(Reply { code, .. })
        | Outcome::Rejected(Reply { code, .. }) => Some(*code),
        Outcome::Unknown(_) => None,
    }
}

#[test]
fn a_message_arrives_byte_for_byte_with_its_envelope() {
    let (outcome, heard, usable) = try_with("", vec![(".", Some("250 2.0.0 queued as 42"))]);

    assert_eq!(code(&outcome.unwrap()), Some(250));
    let dialogue =
        "MAIL FROM:<ada@example.org>\r\nRCPT TO:<bob@example.com>\r\nRCPT TO:<cy@example.net>\r\nDATA\r\n";
    let message = "Subject: hello\r\n\r\n..one dot\r\nend\r\n.\r\nQUIT\r\n";
    assert!(heard.ends_with(&format!("{dialogue}{message}")), "{heard}");
    assert!(usable);
}

#[test]
fn extensions_are_used_where_the_server_has_them() {
    let (outcome, heard, _) = try_with("250-SIZE 1000\r\n250-DSN\r\n250-SIZES\r\n", Vec::new());

    assert!(matches!(outcome, Ok(Outcome::Accepted(_))));
    assert!(heard.contains("MAIL FROM:<ada@example.org> SIZE=33 RET=HDRS ENVID=d123\r\n"), "{heard}");
    let recipient = "RCPT TO:<bob@example.com> NOTIFY=FAILURE,DELAY ORCPT=rfc822;bob@example.com\r\n";
    assert!(heard.contains(recipient), "{heard}");
}

#[test]
fn one_refused_recipient_means_that_nobody_gets_it_and_all_refused_ones_are_named() {
    let script = vec![("RCPT TO:<bob", Some("550 5.1.1 no such user"))];

    let (outcome, heard, usable) = try_with("", script);

    let Err(NotSent::Recipients { refused, .. }) = outcome else { panic!("{outcome:?}") };
    assert_eq!((refused.len(), refused[0].address.as_str()), (1, "bob@example.com"));
    assert_eq!(refused[0].reply.enhanced(), Some("5.1.1"));
    assert!(heard.contains("RCPT TO:<cy@example.net>\r\nRSET\r\n") && !heard.contains("DATA"), "{heard}");
    assert!(usable);
}

#[test]
fn some_get_it_where_the_owner_allows_that() {
    let peer = Peer::start("", vec![("RCPT TO:<bob", Some("450 later"))]);
    let mut client = peer.client(&Arc::default());
    let recipients = to(&["bob@example.com", "cy@example.net"]);
    let message = FitMessage::new(MESSAGE).unwrap();

    let ready =
        client.open(&Envelope { may_be_partial: true, ..envelope(&recipients) }, message.len()).unwrap();

    assert_eq!(ready.refused.len(), 1);
    let outcome = ready
        .data()
        .unwrap()
        .body(&message, Duration::from_secs(30))
        .unwrap()
        .dot(Duration::from_secs(2), Duration::ZERO);
    assert!(matches!(outcome, Outcome::Accepted(_)));
}

#[test]
fn what_a_server_says_after_the_dot_decides_and_silence_is_unknown() {
    for (answer, expected) in [
        (Some("250 ok"), Some("accepted")),
        (Some("451 4.3.0 try later"), Some("deferred")),
        (Some("554 5.7.1 spam"), Some("rejected")),
        (Some("421 going away"), Some("unknown")),
        (Some("354 more"), Some("unknown")),
        (Some("what?"), Some("unknown")),
        (Some("250-queued\r\n554 5.7.1 spam"), Some("unknown")),
        (Some("554-5.7.1 spam\r\n250 queued"), Some("unknown")),
        (Some("2500 queued"), Some("unknown")),
        (Some("+50 queued"), Some("unknown")),
        (Some("250-queued\r\n250-and\r\n250 so on"), Some("accepted")),
        (Some("250"), Some("accepted")),
        (Some("(silence)"), Some("unknown")),
        (Some("(a letter now and then)"), Some("unknown")),
        (None, Some("unknown")),
    ] {
        let (outcome, heard, usable) = try_with("", vec![(".", answer)]);

        let name = match outcome.unwrap() {
            Outcome::Accepted(_) => "accepted",
            Outcome::Deferred(_) => "deferred",
            Outcome::Rejected(_) => "rejected",
            Outcome::Unknown(_) => "unknown",
        };
        assert_eq!(Some(name), expected, "{answer:?}");
        assert_eq!(heard.matches("\r\n.\r\n").count(), 1);
        assert_eq!(usable, name != "unknown", "{answer:?}");
    }
}

#[test]
fn what_fails_before_the_dot_has_not_left() {
    for (script, can_retry) in [
        (vec![("MAIL", Some("451 busy"))], true),
        (vec![("MAIL", Some("550 not you"))], false),
        (vec![("MAIL", Some("421 too many"))], true),
        (vec![("MAIL", None)], true),
        (vec![("RCPT", None)], true),
        (vec![("RCPT TO:<bob", Some("450 grey")), ("RCPT TO:<cy", Some("450 grey"))], true),
        (vec![("RCPT TO:<bob", Some("450 grey")), ("RCPT TO:<cy", Some("550 no"))], false),
        (vec![("RCPT TO:<bob", Some("550 no")), ("RSET", None)], false),
        (vec![("RCPT TO:<bob", Some("550 no")), ("RSET", Some("421 bye"))], false),
        (vec![("DATA", Some("554 no"))], false),
        (vec![("DATA", Some("452 full"))], true),
        (vec![("DATA", Some("250 what"))], false),
        (vec![("DATA", None)], true),
        (vec![("MAIL", Some("250 ok\r\n250 ok\r\n250 ok\r\n354 go on"))], true),
        (vec![("RCPT", Some("250 ok\r\n354 go on"))], true),
        (vec![("RCPT TO:<bob", Some("250-ok\r\n550 no"))], true),
        (vec![("RCPT TO:<cy", Some("550-no\r\n250 ok"))], true),
    ] {
        let shown = format!("{script:?}");

        let (outcome, heard, _) = try_with("", script);

        assert_eq!(outcome.unwrap_err().can_retry(), can_retry, "{shown}");
        assert!(!heard.contains("\r\n.\r\n"), "{shown}: {heard}");
    }
}

#[test]
fn a_message_left_in_the_middle_is_no_message_and_the_connection_is_not_used_again() {
    let peer = Peer::start("", Vec::new());
    let mut client = peer.client(&Arc::default());
    let recipients = to(&["bob@example.com"]);
    let message = FitMessage::new(MESSAGE).unwrap();

    let _ = client
        .open(&envelope(&recipients), message.len())
        .unwrap()
        .data()
        .unwrap()
        .body(&message, Duration::from_secs(30))
        .unwrap();

    assert!(!client.is_usable());
    client.leave();
    let heard = peer.heard.join().unwrap();
    assert!(!heard.contains("\r\n.\r\n") && !heard.contains("QUIT"), "{heard}");
}

#[test]
fn a_wish_to_stop_waits_for_the_answer_to_the_dot_for_a_while() {
    let stop = Arc::new(AtomicBool::new(false));
    let peer = Peer::start("", vec![(".", Some("(silence)"))]);
    let mut client = peer.client(&stop);
    let recipients = to(&["bob@example.com"]);
    let message = FitMessage::new(MESSAGE).unwrap();
    let body = client
        .open(&envelope(&recipients), message.len())
        .unwrap()
        .data()
        .unwrap()
        .body(&message, Duration::from_secs(30))
        .unwrap();
    stop.store(true, Ordering::Relaxed);

    let outcome = body.dot(Duration::from_secs(600), Duration::from_millis(250));

    assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
}

#[test]
fn several_messages_go_over_one_connection() {
    let peer = Peer::start("", vec![(".", Some("554 no")), ("RCPT", Some("550 no"))]);
    let mut client = peer.client(&Arc::default());
    let recipients = to(&["bob@example.com"]);

    let outcomes: Vec<_> = (0..3).map(|_| send(&mut client, &envelope(&recipients))).collect();

    assert!(matches!(outcomes[0], Err(NotSent::Recipients { .. })), "{outcomes:?}");
    assert!(matches!(outcomes[1], Ok(Outcome::Rejected(_))), "{outcomes:?}");
    assert!(matches!(outcomes[2], Ok(Outcome::Accepted(_))), "{outcomes:?}");
}

#[test]
fn addresses_that_would_say_more_than_an_address_never_reach_the_wire() {
    let peer = Peer::start("250-SMTPUTF8\r\n", Vec::new());
    let mut client = peer.client(&Arc::default());
    for address in [
        "bob@example.com>\r\nRCPT TO:<eve@example.net",
        "bob@example.com> NOTIFY=NEVER",
        "bob@exa\nmple.com",
        "bob",
        "@example.com",
        "bob@",
        "bob@ex\u{e4}mple.com",
        "b\0b@example.com",
    ] {
        let recipients = to(&[address]);

        let outcome = send(&mut client, &envelope(&recipients));

        assert!(matches!(outcome, Err(NotSent::BadAddress(_))), "{address}: {outcome:?}");
    }
    client.leave();
    assert!(!peer.heard.join().unwrap().contains("MAIL"));
}

#[test]
fn letters_beyond_ascii_need_a_server_that_takes_them() {
    let recipients = to(&["j\u{f6}rg@example.com"]);
    for (extensions, is_taken) in [("", false), ("250-SMTPUTF8\r\n", true)] {
        let peer = Peer::start(extensions, Vec::new());
        let mut client = peer.client(&Arc::default());

        let outcome = send(&mut client, &envelope(&recipients));

        assert_eq!(outcome.is_ok(), is_taken, "{outcome:?}");
        client.leave();
        assert_eq!(peer.heard.join().unwrap().contains(" SMTPUTF8\r\n"), is_taken);
    }
}

#[test]
fn a_message_that_is_too_large_is_not_begun() {
    let (outcome, heard, usable) = try_with("250-SIZE 20\r\n", Vec::new());

    assert!(matches!(outcome, Err(NotSent::TooLarge { limit: 20, .. })), "{outcome:?}");
    assert!(usable && !heard.contains("MAIL"));
}
