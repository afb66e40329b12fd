//! Mail on servers is brought in: exactly, again after anything went wrong, and without giving secrets away.

mod accounts;
mod at_once;
mod changes;
mod drafts;
mod faults;
mod histories;
mod many_mailboxes;
mod nonsense;
mod other_servers;
mod pushes;
mod serves;
mod states;
mod watches;

use std::collections::BTreeMap;

use crate::world::World;
use crate::world::dovecot::{Dovecot, Imap, Mailboxes};
use crate::world::mail::{Mail, with_crlf};

/// A message with CRLF line ends, as IMAP wants it.
fn message(subject: &str) -> Vec<u8> {
    with_crlf(&Mail::new(subject).bytes())
}

/// A message with a body of about this many bytes.
fn large_message(subject: &str, bytes: usize) -> Vec<u8> {
    let line = format!("{subject} {}\n", "x".repeat(60));
    with_crlf(&Mail::new(subject).body(&line.repeat(bytes / line.len() + 1)).bytes())
}

/// What is here must be what the server has, mailboxes without messages included.
fn assert_same(world: &World, server: &Dovecot, user: &str) {
    assert_same_as(world, &mut server.client(user));
}

/// What is here must be what a client of the server sees.
fn assert_same_as(world: &World, client: &mut Imap) {
    let there = client.everything();
    let here = world.here();
    assert_eq!(sizes(&here), sizes(&there), "mailboxes and their sizes");
    assert_eq!(here, there);
}

fn sizes(all: &Mailboxes) -> BTreeMap<&str, usize> {
    all.iter().map(|(name, messages)| (name.as_str(), messages.len())).collect()
}
