//! The mailbox behind the double: messages, labels, and the history of what happened to them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// Labels that are always there, and whether a client may put them on and take them off.
pub(crate) const SYSTEM_LABELS: [(&str, bool); 14] = [
    ("INBOX", true),
    ("SPAM", true),
    ("TRASH", true),
    ("UNREAD", true),
    ("STARRED", true),
    ("IMPORTANT", true),
    ("SENT", false),
    ("DRAFT", false),
    ("CHAT", false),
    ("CATEGORY_PERSONAL", true),
    ("CATEGORY_SOCIAL", true),
    ("CATEGORY_PROMOTIONS", true),
    ("CATEGORY_UPDATES", true),
    ("CATEGORY_FORUMS", true),
];

/// A message as the server keeps it.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) id: u64,
    pub(crate) thread: u64,
    pub(crate) labels: BTreeSet<String>,
    pub(crate) raw: Vec<u8>,
    /// Milliseconds since 1970.
    pub(crate) internal_date: i64,
    pub(crate) history_id: u64,
}

/// Something that happened to a message.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    Added,
    Deleted,
    LabelsAdded(Vec<String>),
    LabelsRemoved(Vec<String>),
}

impl Event {
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Added => "messageAdded",
            Self::Deleted => "messageDeleted",
            Self::LabelsAdded(_) => "labelAdded",
            Self::LabelsRemoved(_) => "labelRemoved",
        }
    }
}

/// An entry of the history.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) id: u64,
    pub(crate) message: u64,
    pub(crate) thread: u64,
    /// The labels of the message after it.
    pub(crate) labels: BTreeSet<String>,
    pub(crate) event: Event,
}

/// One user's mail.
#[derive(Debug)]
pub(crate) struct Mailbox {
    pub(crate) address: String,
    pub(crate) messages: BTreeMap<u64, Message>,
    /// Name and attributes of the labels the user made, by id.
    pub(crate) labels: BTreeMap<String, Map<String, Value>>,
    pub(crate) history: Vec<Record>,
    pub(crate) history_id: u64,
    /// History up to here is forgotten.
    pub(crate) forgotten: u64,
    /// Message of each draft, by the draft's id.
    pub(crate) drafts: BTreeMap<String, u64>,
    /// What was sent: to whom, and as which bytes.
    pub(crate) sent: Vec<(Vec<String>, Vec<u8>)>,
    /// So many searches do not find what was sent last.
    pub(crate) search_lags: usize,
    /// Items on a page, however many are asked for.
    pub(crate) most_on_a_page: usize,
    next: u64,
}

/// Ids as Gmail writes them.
pub(crate) fn hex(id: u64) -> String {
    format!("{id:016x}")
}

/// Reads an id.
pub(crate) fn from_hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

impl Mailbox {
    pub(crate) fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            messages: BTreeMap::new(),
            labels: BTreeMap::new(),
            history: Vec::new(),
            history_id: 1_000,
            forgotten: 0,
            drafts: BTreeMap::new(),
            sent: Vec::new(),
            search_lags: 0,
            most_on_a_page: 500,
            next: 1,
        }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Puts a message in. It joins the thread of a message that it answers, or that the caller names.
    pub(crate) fn add(&mut self, raw: &[u8], labels: &[&str], thread: Option<u64>) -> u64 {
        let number = self.number();
        // As large as Gmail's own, so that nothing smaller than 64 bits goes unnoticed.
        let id = 0x18c0_0000_0000_0000 + number * 0x1_0001;
        let message = Message {
            id,
            thread: thread.unwrap_or(id),
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            raw: raw.to_vec(),
            internal_date: 1_780_000_000_000 + i64::try_from(number).unwrap() * 60_000,
            history_id: 0,
        };
        self.messages.insert(id, message);
        self.record(id, Event::Added);
        id
    }

    fn record(&mut self, id: u64, event: Event) {
        self.history_id += 3;
        let Some(message) = self.messages.get_mut(&id) else { return };
        message.history_id = self.history_id;
        self.history.push(Record {
            id: self.history_id,
            message: id,
            thread: message.thread,
            labels: message.labels.clone(),
            event,
        });
    }

    /// Changes the labels of a message; only what really changes is history.
    pub(crate) fn modify(&mut self, id: u64, add: &[String], remove: &[String]) -> bool {
        let Some(message) = self.messages.get_mut(&id) else { return false };
        let removed: Vec<String> =
            remove.iter().filter(|label| message.labels.remove(*label)).cloned().collect();
        let added: Vec<String> =
            add.iter().filter(|label| message.labels.insert((*label).clone())).cloned().collect();
        if !removed.is_empty() {
            self.record(id, Event::LabelsRemoved(removed));
        }
        if !added.is_empty() {
            self.record(id, Event::LabelsAdded(added));
        }
        true
    }

    pub(crate) fn trash(&mut self, id: u64) -> bool {
        self.modify(id, &["TRASH".to_owned()], &["INBOX".to_owned(), "SPAM".to_owned()])
    }

    /// Deletes a message for good.
    pub(crate) fn delete(&mut self, id: u64) -> bool {
        self.record(id, Event::Deleted);
        self.drafts.retain(|_, message| *message != id);
        self.messages.remove(&id).is_some()
    }

    /// Makes a label; `None` when there is one with the name.
    pub(crate) fn create_label(&mut self, name: &str) -> Option<String> {
        if self.has_name(name, None) {
            return None;
        }
        let id = format!("Label_{}", self.number());
        let mut label = Map::new();
        label.insert("name".to_owned(), json!(name));
        self.labels.insert(id.clone(), label);
        Some(id)
    }

    /// Whether another label has this name, in any case.
    pub(crate) fn has_name(&self, name: &str, but: Option<&str>) -> bool {
        let own = self.labels.iter().filter(|(id, _)| Some(id.as_str()) != but);
        let mut names = own.filter_map(|(_, label)| label["name"].as_str().map(str::to_lowercase));
        names.any(|other| other == name.to_lowercase())
            || SYSTEM_LABELS.iter().any(|(system, _)| system.eq_ignore_ascii_case(name))
    }

    pub(crate) fn rename_label(&mut self, id: &str, name: &str) -> bool {
        if self.has_name(name, Some(id)) {
            return false;
        }
        self.labels.get_mut(id).map(|label| label.insert("name".to_owned(), json!(name))).is_some()
    }

    /// Deletes a label and takes it off every message. The history does not tell: clients see it in the list of
    /// labels, or not at all.
    pub(crate) fn delete_label(&mut self, id: &str) -> bool {
        if self.labels.remove(id).is_none() {
            return false;
        }
        for message in self.messages.values_mut() {
            message.labels.remove(id);
        }
        true
    }

    pub(crate) fn knows_label(&self, id: &str) -> bool {
        SYSTEM_LABELS.iter().any(|(name, _)| *name == id) || self.labels.contains_key(id)
    }

    /// What a label is called.
    pub(crate) fn label_name(&self, id: &str) -> String {
        let own = self.labels.get(id).and_then(|label| label["name"].as_str());
        own.unwrap_or(id).to_owned()
    }

    /// Forgets what happened until now, as Gmail does after about a week.
    pub(crate) fn forget_history(&mut self) {
        self.forgotten = self.history_id;
        // Something always happens after it, or a client could not tell.
        self.history_id += 3;
    }

    /// Makes a draft of a message, or a new message of a draft.
    pub(crate) fn draft(&mut self, draft: Option<&str>, raw: &[u8], thread: Option<u64>) -> String {
        if let Some(old) = draft.and_then(|draft| self.drafts.get(draft)).copied() {
            self.record(old, Event::Deleted);
            self.messages.remove(&old);
        }
        let message = self.add(raw, &["DRAFT"], thread);
        let id = draft.map_or_else(|| format!("r-{}", self.number()), str::to_owned);
        self.drafts.insert(id.clone(), message);
        id
    }

    /// Sends a draft, which is gone then: to whom its header says, and without the field of those nobody is to see.
    pub(crate) fn send(&mut self, draft: &str) -> Option<u64> {
        let message = self.drafts.remove(draft)?;
        let Message { raw, thread, .. } = self.messages.get(&message)?.clone();
        let parsed = mailkeep::parse::message(&raw, &mailkeep::model::DateHints::default());
        let everybody = [&parsed.to, &parsed.cc, &parsed.bcc].into_iter().flatten();
        let recipients = everybody.map(|to| to.address.clone()).collect();
        let text = String::from_utf8_lossy(&raw).into_owned();
        let unseen =
            text.split_inclusive("\r\n").filter(|line| !line.starts_with("Bcc:")).collect::<String>();
        self.sent.push((recipients, unseen.clone().into_bytes()));
        self.record(message, Event::Deleted);
        self.messages.remove(&message);
        Some(self.add(unseen.as_bytes(), &["SENT"], Some(thread)))
    }

    /// All messages, newest first.
    pub(crate) fn newest_first(&self) -> Vec<&Message> {
        let mut all: Vec<&Message> = self.messages.values().collect();
        all.sort_by_key(|message| std::cmp::Reverse((message.internal_date, message.id)));
        all
    }
}
