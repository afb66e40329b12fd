//! Mail on servers is brought in: exactly, again after anything went wrong, and without giving secrets away.

mod accounts;
mod changes;
mod drafts;
mod faults;
mod histories;
mod pushes;
mod serves;
mod watches;

use std::collections::BTreeMap;

use crate::world::World;
use crate::world::dovecot::{Dovecot, Mailboxes};
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
    let there = server.client(user).everything();
    let here = world.here();
    assert_eq!(sizes(&here), sizes(&there), "mailboxes and their sizes");
    assert_eq!(here, there);
}

fn sizes(all: &Mailboxes) -> BTreeMap<&str, usize> {
    all.iter().map(|(name, messages)| (name.as_str(), messages.len())).collect()
}
