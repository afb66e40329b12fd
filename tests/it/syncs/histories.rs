//! A mailbox that lives: random things happen on the server, between syncs and while they run, and after one more
//! sync what is here is what the server has. `MAILKEEP_TEST_HISTORIES` sets how many lives (10 unless told),
//! `MAILKEEP_TEST_SEED` the first.

use std::fmt::Write;
use std::process::Stdio;

use super::assert_same;
use crate::world::World;
use crate::world::dovecot::{Dovecot, Imap};
use crate::world::random::Random;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

const FLAGS: [&str; 7] = ["\\Seen", "\\Flagged", "\\Answered", "\\Draft", "\\Deleted", "$Junk", "Wörk"];
const NAMES: [&str; 6] = ["Work", "Lists/a", "Lists/b", "&ZeVnLIqe-", "Old", "a b"];

/// One life of a mailbox.
struct Life<'a> {
    server: &'a Dovecot,
    user: String,
    client: Imap,
    random: Random,
    story: String,
    count: u32,
    /// The last UIDVALIDITY that was given by hand.
    uidvalidity: u32,
    /// Whether a sync runs.
    is_syncing: bool,
}

impl Life<'_> {
    fn mailbox(&mut self) -> String {
        let all = self.client.mailboxes();
        let place = self.random.below(all.len() + 3);
        all.get(place).cloned().unwrap_or_else(|| "INBOX".to_owned())
    }

    fn flags(&mut self) -> String {
        let chosen: Vec<_> = FLAGS[..6].iter().filter(|_| self.random.below(3) == 0).copied().collect();
        chosen.join(" ")
    }

    /// A message; now and then an odd one, a copy, or a twin with the same size and Message-ID.
    fn message(&mut self) -> Vec<u8> {
        self.count += 1;
        let count = if self.random.below(6) == 0 { self.random.below(5) as u32 } else { self.count };
        let twin = (b'a' + self.random.below(3) as u8) as char;
        match self.random.below(12) {
            0 => format!("no header at all {count}\r\n").into_bytes(),
            1 => format!("Subject: \u{fc}mlaut {count}\r\nFrom: x\r\n\r\n").into_bytes(),
            2 => [
                format!("Subject: raw {count}\r\n\r\n").as_bytes(),
                &[0xff, 0xfe, b'\r', b'\n', b'.', b'\r', b'\n'],
            ]
            .concat(),
            3 => format!("Subject: long {count}\r\n\r\n{}\r\n", "long ".repeat(4000)).into_bytes(),
            4 => b"\r\n".to_vec(),
            _ => format!(
                "From: a@example.org\r\nMessage-ID: <{count}@x>\r\nSubject: n {count}\r\n\r\nbody {twin}\r\n"
            )
            .into_bytes(),
        }
    }

    /// A few uids of the mailbox that is selected by this.
    fn some(&mut self, mailbox: &str) -> Option<String> {
        let uids = self.client.uids(mailbox);
        let chosen: Vec<_> = uids.iter().filter(|_| self.random.below(4) == 0).map(u32::to_string).collect();
        (!chosen.is_empty()).then(|| chosen.join(","))
    }

    fn happen(&mut self) {
        let mailbox = self.mailbox();
        let what = self.random.below(20);
        let _ = writeln!(self.story, "{what} in {mailbox}");
        match what {
            0..=7 => {
                let (flags, message) = (self.flags(), self.message());
                self.client.append(&mailbox, &flags, &message);
            }
            8..=11 => self.on_some(&mailbox, |uids, flags, _| {
                format!("UID STORE {uids} {}FLAGS ({flags})", ["+", "-", ""][uids.len() % 3])
            }),
            12..=13 => {
                self.on_some(&mailbox, |uids, _, _| format!("UID STORE {uids} +FLAGS (\\Deleted)"));
                self.client.run("EXPUNGE");
            }
            14 => self.on_some(&mailbox, |uids, _, to| format!("UID MOVE {uids} \"{to}\"")),
            15 => self.on_some(&mailbox, |uids, _, to| format!("UID COPY {uids} \"{to}\"")),
            16 => {
                let name = NAMES[self.random.below(NAMES.len())];
                self.client.try_run(&format!("CREATE \"{name}\""));
            }
            // The server makes the others again by itself, in the middle of a session.
            17 | 18 if NAMES.contains(&mailbox.as_str()) => {
                let name = NAMES[self.random.below(NAMES.len())];
                let command = [format!("RENAME \"{mailbox}\" \"{name}\""), format!("DELETE \"{mailbox}\"")];
                self.client.run("SELECT INBOX");
                self.client.try_run(&command[self.random.below(2)]);
                self.client = self.server.client(&self.user);
            }
            17 => {}
            _ if self.is_syncing => self.revalidate(&mailbox),
            _ => self.renumber(&mailbox),
        }
    }

    /// New uids while others have the mailbox open.
    fn revalidate(&mut self, mailbox: &str) {
        self.client.run("SELECT INBOX");
        self.uidvalidity += 7;
        self.server.revalidate(&self.user, mailbox, self.uidvalidity);
        self.client = self.server.client(&self.user);
    }

    fn on_some(&mut self, mailbox: &str, command: impl Fn(&str, &str, &str) -> String) {
        let (flags, to) = (self.flags(), self.mailbox());
        self.client.run(&format!("SELECT \"{mailbox}\""));
        if let Some(uids) = self.some(mailbox) {
            self.client.run(&command(&uids, &flags, &to));
        }
    }

    fn renumber(&mut self, mailbox: &str) {
        self.client.try_run("LOGOUT");
        self.server.renumber(&self.user, mailbox);
        self.client = self.server.client(&self.user);
    }
}

/// The most that happens during one sync.
const MOST_DURING_A_SYNC: usize = 60;

impl Life<'_> {
    /// A sync; with `busy` the mailboxes go on changing until it has ended.
    fn sync(&mut self, world: &World, busy: bool) {
        let without = ["", "QRESYNC", "QRESYNC,CONDSTORE", "STATUS"][self.random.below(4)];
        let _ = writeln!(self.story, "-- sync without `{without}`");
        let mut command = world.sync_command(&[]);
        command.env("MAILKEEP_TEST_WITHOUT", without);
        if !busy {
            let output = command.output().unwrap();
            assert!(
                output.status.success(),
                "{}: {}\n{}",
                self.user,
                crate::world::told(&output),
                self.story
            );
            return;
        }
        self.is_syncing = true;
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        for _ in 0..MOST_DURING_A_SYNC {
            if child.try_wait().unwrap().is_some() {
                break;
            }
            self.happen();
        }
        // A mailbox may go while it is read, which may be told as an error; only the next sync must be good.
        child.wait().unwrap();
        self.is_syncing = false;
        let _ = writeln!(self.story, "-- that sync has ended");
    }
}

fn live(server: &Dovecot, seed: u64) {
    let user = format!("life{seed}");
    let mut life = Life {
        server,
        user: user.clone(),
        client: server.client(&user),
        random: Random::new(seed * 2 + 1),
        story: String::new(),
        count: 10,
        uidvalidity: 4_000_000_000,
        is_syncing: false,
    };
    let world = World::with_account(server.port, &user);
    for _ in 0..3 + life.random.below(3) {
        for _ in 0..life.random.below(25) {
            life.happen();
        }
        let busy = life.random.below(2) == 0;
        life.sync(&world, busy);
    }
    life.sync(&world, false);
    let compared = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        assert_same(&world, server, &user);
        world.assert_sound();
    }));
    assert!(compared.is_ok(), "seed {seed}:\n{}", life.story);
}

#[test]
fn after_any_history_what_is_here_is_what_the_server_has() {
    let Some(server) = Dovecot::start("after_any_history") else { return };
    let first = number("MAILKEEP_TEST_SEED", 1);
    for seed in first..first + number("MAILKEEP_TEST_HISTORIES", 10) {
        live(&server, seed);
    }
}
