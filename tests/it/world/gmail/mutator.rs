//! Somebody who uses the mailbox while it is read: delivers, labels, trashes, deletes, renames.

use super::super::random::Random;
use super::mailbox::Mailbox;

/// A user whose deeds the seed decides.
pub(crate) struct Mutator {
    random: Random,
    count: u64,
}

const NAMES: [&str; 6] = ["Work", "Lists/rust", "Ärger", "Receipts 2026", "To do", "a&b"];
const FREE: [&str; 7] = ["INBOX", "UNREAD", "STARRED", "IMPORTANT", "SPAM", "TRASH", "CATEGORY_PROMOTIONS"];

impl Mutator {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { random: Random::new(seed * 2 + 1), count: 0 }
    }

    /// A message; now and then an odd one, or one whose bytes were there before.
    pub(crate) fn message(&mut self) -> Vec<u8> {
        self.count += 1;
        let count = if self.random.below(8) == 0 { self.random.below(4) as u64 } else { self.count };
        match self.random.below(10) {
            0 => format!("no header at all {count}\r\n").into_bytes(),
            1 => [format!("Subject: raw {count}\r\n\r\n").as_bytes(), &[0xff, 0xfe, b'\r', b'\n']].concat(),
            2 => format!("Subject: long {count}\r\n\r\n{}\r\n", "long ".repeat(3000)).into_bytes(),
            _ => format!(
                "From: bob@stone.example\r\nTo: ada@example.org\r\nMessage-ID: <{count}@x>\r\nSubject: n {count}\r\n\r\n\
                 body {count}\r\n"
            )
            .into_bytes(),
        }
    }

    fn labels(&mut self, mailbox: &Mailbox) -> Vec<String> {
        let own = mailbox.labels.keys().cloned();
        let all: Vec<String> = FREE.iter().map(|&name| name.to_owned()).chain(own).collect();
        all.into_iter().filter(|_| self.random.below(4) == 0).collect()
    }

    fn some_message(&mut self, mailbox: &Mailbox) -> Option<u64> {
        let place = self.random.below(mailbox.messages.len());
        mailbox.messages.keys().nth(place).copied()
    }

    fn some_label(&mut self, mailbox: &Mailbox) -> Option<String> {
        let place = self.random.below(mailbox.labels.len());
        mailbox.labels.keys().nth(place).cloned()
    }

    /// Delivers a message.
    pub(crate) fn deliver(&mut self, mailbox: &mut Mailbox) {
        let raw = self.message();
        let mut labels = self.labels(mailbox);
        labels.extend((self.random.below(2) == 0).then(|| "INBOX".to_owned()));
        labels.extend((self.random.below(7) == 0).then(|| "SENT".to_owned()));
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        mailbox.add(&raw, &labels, None);
    }

    /// Does one thing.
    pub(crate) fn act(&mut self, mailbox: &mut Mailbox) {
        let (message, label) = (self.some_message(mailbox), self.some_label(mailbox));
        match (self.random.below(20), message, label) {
            (0..=6, ..) => self.deliver(mailbox),
            (7..=11, Some(id), _) => {
                let (add, remove) = (self.labels(mailbox), self.labels(mailbox));
                let remove: Vec<_> = remove.into_iter().filter(|label| !add.contains(label)).collect();
                mailbox.modify(id, &add, &remove);
            }
            (12, Some(id), _) => drop(mailbox.trash(id)),
            (13 | 14, Some(id), _) => drop(mailbox.delete(id)),
            (15, ..) => {
                let raw = self.message();
                let draft = mailbox.drafts.keys().next().cloned();
                mailbox.draft(draft.filter(|_| self.count.is_multiple_of(2)).as_deref(), &raw, None);
            }
            (16, _, Some(id)) => {
                let name = format!("{} {}", NAMES[self.random.below(NAMES.len())], self.random.below(3));
                mailbox.rename_label(&id, &name);
            }
            (17, _, Some(id)) => drop(mailbox.delete_label(&id)),
            _ => drop(mailbox.create_label(NAMES[self.random.below(NAMES.len())])),
        }
    }
}
