//! A message that leaves protected: only to the server it was meant for, and nothing that was said in the clear is believed.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use mailkeep::model::{AccountSettings, Endpoint, ItemState, SignIn, Tls, Via};
use mailkeep::secret::Secret;
use mailkeep::store::{AttemptOutcome, Item};

use crate::sends::Outgoing;
use crate::signs_in::checks::PostOffice;
use crate::world::certificates::Certificates;
use crate::world::dovecot::PASSWORD;
use crate::world::receivers::{Arrived, Receiver};
use crate::world::{ACCOUNT, told};

/// An account that leaves by `localhost`, as certificates call this machine.
fn outgoing(port: u16, tls: Tls) -> Outgoing {
    let outgoing = Outgoing::to(port);
    let smtp = Some(Endpoint { host: "localhost".to_owned(), port, tls });
    let user = "ada".to_owned();
    let settings = AccountSettings { via: Via::default(), user, sign_in: SignIn::Password, imap: None, smtp };
    outgoing.change(|tx| tx.set_account(ACCOUNT, &settings, 0).map(drop));
    outgoing.secrets().set(ACCOUNT, &Secret::new(PASSWORD.to_owned())).unwrap();
    outgoing
}

/// A server where mail is handed in protected, and the one behind it that keeps it.
struct Protected {
    office: PostOffice,
    keeper: Receiver,
}

impl Protected {
    fn open(test: &str, certificates: &Certificates) -> Option<Self> {
        let keeper = Receiver::opensmtpd(test)?;
        let behind = format!("submission_relay_port = {}\n", keeper.port);
        let office = PostOffice::open(test, &behind, Some(certificates))?;
        Some(Self { office, keeper })
    }

    const fn port(&self, tls: Tls) -> u16 {
        match tls {
            Tls::Implicit => self.office.smtps,
            _ => self.office.smtp,
        }
    }
}

/// Sends what may leave, in a process that trusts this authority.
fn send(outgoing: &Outgoing, certificates: &Certificates) -> Output {
    let mut command = outgoing.world.command(&["outbox", "send", "--once", "--json"]);
    command.env("SSL_CERT_FILE", certificates.authority()).env("RETRY_DELAY_MS", "1");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap()
}

fn expected(outgoing: &Outgoing, item: &Item) -> Vec<Arrived> {
    let bytes = outgoing.message(item);
    let to = item.draft.recipients.all();
    let mut all: Vec<_> =
        to.map(|to| Arrived { recipient: to.address.clone(), bytes: bytes.clone() }).collect();
    all.sort();
    all
}

#[test]
fn a_message_arrives_whole_over_tls_from_the_first_byte_and_over_starttls() {
    const TEST: &str = "a_message_arrives_whole_over_tls";
    let certificates = Certificates::good("localhost");
    for tls in [Tls::Implicit, Tls::StartTls] {
        let Some(server) = Protected::open(TEST, &certificates) else { return };
        let outgoing = outgoing(server.port(tls), tls);
        let mut long = Outgoing::letter("Protected");
        long.body = "A line that is not short, with an umlaut: ä.\n".repeat(20_000);
        let items = [outgoing.approved("First"), outgoing.approved_letter(&long, &Default::default())];

        let output = send(&outgoing, &certificates);

        for item in &items {
            assert_eq!(outgoing.state(item), ItemState::Sent, "{tls:?}: {}", told(&output));
        }
        let mut all: Vec<_> = items.iter().flat_map(|item| expected(&outgoing, item)).collect();
        all.sort();
        assert!(server.keeper.arrived(all.len()) == all, "{tls:?}: something else arrived");
        let log = server.office.server.log();
        assert!(log.contains("Login: user=<ada>") && log.contains("TLS"), "{log}");
    }
}

#[test]
fn a_server_with_a_certificate_that_is_not_its_own_gets_nothing() {
    const TEST: &str = "a_server_with_a_certificate_that_is_not_its_own";
    for (certificates, reason) in [
        (Certificates::good("mail.example.org"), "belongs to another host name"),
        (Certificates::self_signed("localhost"), "not signed by an authority this machine trusts"),
        (Certificates::expired("localhost"), "has expired"),
    ] {
        let Some(server) = Protected::open(TEST, &certificates) else { return };
        for tls in [Tls::Implicit, Tls::StartTls] {
            let outgoing = outgoing(server.port(tls), tls);
            let item = outgoing.approved("Not for you");

            send(&outgoing, &certificates);

            let now = outgoing.again(&item);
            assert_eq!(now.draft.state, ItemState::Approved, "{tls:?}, {reason}");
            let told = now.reason.unwrap();
            assert!(told.contains(reason), "{tls:?}, {reason}: {told}");
            let attempts = outgoing.attempts(&item);
            assert!(attempts.iter().all(|attempt| attempt.dot_ms.is_none() && attempt.data_ms.is_none()));
            assert_eq!(outgoing.outcomes(&item)[0], Some(AttemptOutcome::Later));
        }
        assert_eq!(server.keeper.arrived(0), [], "{reason}");
        assert!(!server.office.server.log().contains("Login: user="), "{reason}");
    }
}

/// Offers STARTTLS, and says in the clear behind its answer what would make a careless client go on.
fn injecting(behind: &'static [u8]) -> (u16, Arc<Mutex<Vec<Vec<u8>>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
    let own = Arc::clone(&heard);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().unwrap());
            let mut out = stream;
            let _ = out.write_all(b"220 liar.example ESMTP\r\n");
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
                let said = std::mem::take(&mut line);
                let answer: Vec<u8> = match said.get(..4) {
                    Some(b"EHLO") => b"250-liar.example\r\n250 STARTTLS\r\n".to_vec(),
                    Some(b"STAR") => [b"220 go\r\n", behind].concat(),
                    // Whatever it says now it says to who can read it.
                    _ => b"250 ok\r\n".to_vec(),
                };
                own.lock().unwrap().push(said);
                if out.write_all(&answer).is_err() {
                    break;
                }
            }
        }
    });
    (port, heard)
}

#[test]
fn what_is_said_in_the_clear_before_tls_is_not_believed() {
    let certificates = Certificates::good("localhost");
    for behind in [
        &b"250-liar.example\r\n250 AUTH PLAIN\r\n"[..],
        b"250 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n250 taken\r\n",
        b"2",
        b"",
    ] {
        let (port, heard) = injecting(behind);
        let outgoing = outgoing(port, Tls::StartTls);
        let item = outgoing.approved("Not for you");

        send(&outgoing, &certificates);

        assert_eq!(outgoing.state(&item), ItemState::Approved, "{behind:?}");
        assert!(outgoing.attempts(&item).iter().all(|attempt| attempt.data_ms.is_none()), "{behind:?}");
        for said in heard.lock().unwrap().iter() {
            let text = String::from_utf8_lossy(said).to_uppercase();
            let words = ["AUTH", "MAIL", "RCPT", "DATA"];
            assert!(!words.iter().any(|word| text.starts_with(word)), "{behind:?}: {text}");
        }
    }
}
