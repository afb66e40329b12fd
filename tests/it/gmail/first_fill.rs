//! An empty account is filled over IMAP, and the API takes over: by Gmail's own numbers both mean the same messages.

use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mailkeep::model::{Endpoint, Tls};
use serde_json::{Value, json};

use super::{ACCOUNT, Machine, filled, message};
use crate::world::dovecot::free_port;
use crate::world::gmail::GmailDouble;
use crate::world::skipped;

/// hoodiecrow with Gmail's extensions: it has them without saying so, and threads must be added. The port and the
/// mailboxes come as arguments.
const SERVER: &str = "
    const [port, user, token, storage] = process.argv.slice(1);
    const options = {
        users: { [user]: { password: 'none', xoauth2: { accessToken: token, sessionTimeout: 3600000 } } },
        plugins: ['X-GM-EXT-1', 'XOAUTH2', 'SASL-IR', 'SPECIAL-USE', 'ENABLE', 'CONDSTORE'],
        storage: JSON.parse(storage),
    };
    const server = require('hoodiecrow-imap')(options);
    server.registerCapability('X-GM-EXT-1');
    server.fetchHandlers['X-GM-THRID'] = (_, message) => ({ type: 'ATOM', value: message['X-GM-MSGID'] });
    server.server.listen(Number(port), '127.0.0.1');";

/// An IMAP server of Gmail's kind that ends with the test.
struct Hoodiecrow {
    process: Child,
    port: u16,
}

impl Drop for Hoodiecrow {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What the double holds, as Gmail shows it over IMAP.
fn mailboxes(double: &GmailDouble) -> Value {
    let google = double.google();
    let with = |wanted: Option<&str>| -> Vec<Value> {
        let all = google.mailbox.messages.values();
        let place = |message: &&crate::world::gmail::mailbox::Message| {
            let rubbish = ["TRASH", "SPAM"].into_iter().find(|label| message.labels.contains(*label));
            rubbish == wanted
        };
        let shown = all.filter(place).map(|message| {
            let flags: &[&str] = if message.labels.contains("UNREAD") { &[] } else { &["\\Seen"] };
            json!({
                "raw": String::from_utf8(message.raw.clone()).unwrap(), "flags": flags,
                "X-GM-MSGID": message.id.to_string(),
            })
        });
        shown.collect()
    };
    json!({
        "INBOX": {},
        "": { "separator": "/", "folders": { "[Gmail]": { "flags": ["\\Noselect"], "folders": {
            "All Mail": { "special-use": "\\All", "messages": with(None) },
            "Trash": { "special-use": "\\Trash", "messages": with(Some("TRASH")) },
            "Spam": { "special-use": "\\Junk", "messages": with(Some("SPAM")) },
        } } } },
    })
}

fn hoodiecrow(test: &str, storage: &Value) -> Option<Hoodiecrow> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-tools/hoodiecrow");
    if !place.join("pinned.txt").exists() {
        skipped(test, "needs hoodiecrow; run tests/servers/install");
        return None;
    }
    let port = free_port();
    // The first token that the double gives.
    let arguments = [&port.to_string(), ACCOUNT, "ya29.double-1", &storage.to_string()];
    let mut command = Command::new("node");
    command.current_dir(place).args(["-e", SERVER, "--"]).args(arguments);
    let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let server = Hoodiecrow { process, port };
    let until = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < until, "hoodiecrow does not listen");
        std::thread::sleep(Duration::from_millis(30));
    }
    Some(server)
}

fn with_imap(port: u16) -> Machine {
    let imap = Endpoint { host: "127.0.0.1".to_owned(), port, tls: Tls::None };
    Machine::new().with_imap(imap)
}

#[test]
fn messages_that_came_over_imap_are_not_fetched_again_over_the_api() {
    let double = filled(40);
    let Some(server) = hoodiecrow("messages_that_came_over_imap", &mailboxes(&double)) else { return };
    let machine = with_imap(server.port);
    let late = double.deliver(&message("Only the API has it"), &["INBOX", "STARRED"]);

    let report = machine.sync(&double);

    assert_eq!((report.fetched, report.placed), (41, 40), "{report:?}");
    let given = double.google().raw_given.clone();
    assert_eq!(given.into_iter().collect::<Vec<_>>(), [(late, 1)]);
    machine.assert_same(&double, "filled over IMAP");
    double.google().mailbox.trash(late);
    drop(server);
    machine.sync(&double);
    machine.assert_same(&double, "the API goes on alone");
    machine.world.assert_sound();
}

#[test]
fn without_imap_the_api_does_it_all() {
    let double = filled(12);
    let machine = with_imap(free_port());

    let report = machine.sync(&double);

    assert_eq!((report.fetched, report.problems.len()), (12, 1), "{report:?}");
    assert!(report.problems[0].contains("IMAP fails"), "{report:?}");
    machine.assert_same(&double, "no IMAP");
}
