//! What the server really has: mailboxes, and what happened to their messages.

use std::collections::{BTreeMap, BTreeSet};

/// A message as the server keeps it.
#[derive(Debug, Clone)]
pub(crate) struct Letter {
    pub(crate) flags: String,
    pub(crate) modseq: u64,
    pub(crate) bytes: Vec<u8>,
}

/// A mailbox as the server keeps it.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    /// The attribute that tells what it is for; empty when it is for nothing special.
    pub(crate) role: &'static str,
    pub(crate) uidvalidity: u32,
    pub(crate) next_uid: u32,
    pub(crate) modseq: u64,
    pub(crate) letters: BTreeMap<u32, Letter>,
    /// What was expunged, and when.
    pub(crate) vanished: Vec<(u64, u32)>,
}

impl Folder {
    pub(crate) fn new(role: &'static str) -> Self {
        Self {
            role,
            uidvalidity: 1_700_000_001,
            next_uid: 1,
            modseq: 1,
            letters: BTreeMap::new(),
            vanished: Vec::new(),
        }
    }

    fn tick(&mut self) -> u64 {
        self.modseq += 1;
        self.modseq
    }

    /// Puts a message in; gives its uid.
    pub(crate) fn add(&mut self, bytes: &[u8], flags: &str) -> u32 {
        let (uid, modseq) = (self.next_uid, self.tick());
        self.next_uid += 1;
        self.letters.insert(uid, Letter { flags: flags.to_owned(), modseq, bytes: bytes.to_vec() });
        uid
    }

    /// Sets the flags of a message.
    pub(crate) fn flag(&mut self, uid: u32, flags: &str) {
        let modseq = self.tick();
        let letter = self.letters.get_mut(&uid).unwrap();
        letter.modseq = modseq;
        flags.clone_into(&mut letter.flags);
    }

    /// Takes a message away.
    pub(crate) fn expunge(&mut self, uid: u32) {
        let modseq = self.tick();
        self.letters.remove(&uid).unwrap();
        self.vanished.push((modseq, uid));
    }

    /// Gives everything new uids under a new UIDVALIDITY.
    pub(crate) fn renumber(&mut self) {
        self.uidvalidity += 7;
        self.next_uid = 11;
        self.modseq = 1;
        self.vanished.clear();
        for letter in std::mem::take(&mut self.letters).into_values() {
            self.add(&letter.bytes, &letter.flags);
        }
    }

    /// The number of a message among those that are there.
    pub(crate) fn number(&self, uid: u32) -> usize {
        self.letters.range(..=uid).count()
    }

    /// The uids that a set names.
    pub(crate) fn named(&self, set: &str) -> BTreeSet<u32> {
        let last = self.letters.keys().next_back().copied().unwrap_or(0);
        let number = |text: &str| if text == "*" { last } else { text.parse().unwrap_or(0) };
        let mut uids = BTreeSet::new();
        for range in set.split(',') {
            let (from, to) = range.split_once(':').map_or((range, range), |pair| pair);
            let (from, to) = (number(from), number(to));
            uids.extend(self.letters.range(from.min(to)..=from.max(to)).map(|(uid, _)| *uid));
        }
        uids
    }
}

/// All mailboxes of a user.
pub(crate) type Folders = BTreeMap<String, Folder>;
