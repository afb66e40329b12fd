//! Judging messages by the owner's rules: new ones as they come in, stored ones when the rules change.

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::model::{CLASSIFIER, MessageKey, ParsedMessage, Released, SecretKind, ShieldRules, ThreadKey};
use crate::store::transaction::NewPlacement;
use crate::store::{Reader, Store, StoreError, WriteTransaction, threads};

/// Messages judged in one transaction.
const GROUP: usize = 500;

/// The rules that hold in a store, and whether every message has been judged by them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShieldState {
    /// The rules.
    pub rules: ShieldRules,
    /// What the owner has released.
    pub released: Released,
    classifier: i64,
    applied: bool,
}

impl ShieldState {
    fn new(classifier: i64, applied: bool) -> Self {
        Self { rules: ShieldRules::default(), released: Released::default(), classifier, applied }
    }

    /// Whether every message has been judged by these rules.
    #[must_use]
    pub fn is_settled(&self, rules: &ShieldRules) -> bool {
        self.applied && self.rules == *rules && self.classifier == CLASSIFIER
    }
}

/// As it is stored. What is released stands beside the rules, so that all writers have both at once.
#[derive(Default, Serialize, Deserialize)]
struct Kept {
    #[serde(default, skip_serializing_if = "is_nothing")]
    released: Released,
    #[serde(flatten)]
    rules: serde_json::Map<String, serde_json::Value>,
}

fn is_nothing(released: &Released) -> bool {
    *released == Released::default()
}

/// The rules that a store goes by.
pub(super) fn state(connection: &Connection) -> Result<ShieldState, StoreError> {
    let row = connection
        .prepare_cached("SELECT rules, classifier, applied FROM shield")?
        .query_row([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((kept, classifier, applied)) = row else {
        return Ok(ShieldState::new(0, false));
    };
    let unreadable = |error: serde_json::Error| StoreError::content(&error);
    let kept: Kept = serde_json::from_str(&kept).map_err(unreadable)?;
    let rules = serde_json::from_value(kept.rules.into()).map_err(unreadable)?;
    Ok(ShieldState { rules, released: kept.released, classifier, applied })
}

fn set_state(connection: &Connection, state: &ShieldState) -> Result<(), StoreError> {
    let unwritable = |error: serde_json::Error| StoreError::content(&error);
    let rules = serde_json::to_value(&state.rules).map_err(unwritable)?;
    let rules = rules.as_object().cloned().unwrap_or_default();
    let kept =
        serde_json::to_string(&Kept { released: state.released.clone(), rules }).map_err(unwritable)?;
    connection.execute("DELETE FROM shield", [])?;
    connection
        .execute("INSERT INTO shield VALUES (?1, ?2, ?3)", params![kept, state.classifier, state.applied])?;
    Ok(())
}

/// What an empty store goes by.
pub(super) fn begin(connection: &Connection) -> Result<(), StoreError> {
    set_state(connection, &ShieldState::new(CLASSIFIER, true))
}

impl WriteTransaction<'_> {
    /// Whether a message that comes in is withheld.
    pub(super) fn is_withheld(
        &self,
        parsed: &ParsedMessage,
        place: &NewPlacement<'_>,
        thread: ThreadKey,
    ) -> Result<bool, StoreError> {
        let sender = parsed.sender().map(|from| from.address.as_str()).unwrap_or_default();
        let secret = self.shield.on && parsed.secret.is_some() && !self.is_released(sender, thread)?;
        Ok(secret || self.shield.for_sender(sender).is_some() || self.is_place_withheld(place)?)
    }

    /// Whether the owner has released what this sender writes in this thread.
    fn is_released(&self, sender: &str, thread: ThreadKey) -> Result<bool, StoreError> {
        if self.released.for_sender(sender).is_some() {
            return Ok(true);
        }
        for released in self.released.threads.iter().filter(|released| released.is_by(sender)) {
            if threads::root(&self.transaction, ThreadKey(released.thread))? == Some(thread) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether everything in this place is withheld.
    fn is_place_withheld(&self, place: &NewPlacement<'_>) -> Result<bool, StoreError> {
        if place.labels.iter().any(|label| self.shield.for_label(label).is_some()) {
            return Ok(true);
        }
        if self.shield.accounts.is_empty() {
            return Ok(false);
        }
        const ADDRESS: &str =
            "SELECT a.address FROM mailboxes b JOIN accounts a ON a.id = b.account WHERE b.id = ?1";
        let address: String =
            self.transaction.prepare_cached(ADDRESS)?.query_row([place.mailbox.0], |row| row.get(0))?;
        Ok(self.shield.for_account(&address).is_some())
    }

    /// Judges a stored message anew when rules may depend on where it is or what it is labelled.
    pub(super) fn judge_again(&mut self, key: MessageKey) -> Result<(), StoreError> {
        if self.shield.labels.is_empty() && self.shield.accounts.is_empty() {
            return Ok(());
        }
        self.judge(key)
    }

    /// Judges the messages of a thread anew that others were joined to, when the owner has released any.
    pub(super) fn judge_joined(&mut self, thread: ThreadKey) -> Result<(), StoreError> {
        if self.released.threads.is_empty() {
            return Ok(());
        }
        for key in threads::messages_of(&self.transaction, thread)? {
            self.judge(key)?;
        }
        Ok(())
    }

    fn judge(&mut self, key: MessageKey) -> Result<(), StoreError> {
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, ThreadKey(row.get(1)?)));
        let found = self.transaction.prepare_cached(SENDER)?.query_row([key.0], row).optional()?;
        let Some((sender, thread)) = found else { return Ok(()) };
        let senders = if self.shield.for_sender(&sender).is_some() { SENDER_IS_LISTED } else { "[]" };
        let released =
            if self.is_released(&sender, thread)? { format!("[{}]", key.0) } else { "[]".to_owned() };
        let (labels, accounts) = (lower(&self.shield.labels), lower(&self.shield.accounts));
        let wanted =
            self.transaction.prepare_cached(WANTED)?.query_row(
                params![self.shield.on, senders, labels, accounts, "[]", released, key.0],
                |row| row.get(0),
            )?;
        self.withhold(key, wanted)?;
        Ok(())
    }
}

const SENDER: &str =
    "SELECT s.address, m.thread FROM messages m JOIN senders s ON s.id = m.sender WHERE m.id = ?1";
/// Stands for the sender of the message at hand, whatever its row.
const SENDER_IS_LISTED: &str = "[-1]";

/// A list of rules as JSON, as names are compared.
fn lower(list: &[String]) -> String {
    let list: Vec<String> = list.iter().map(|rule| rule.trim().to_lowercase()).collect();
    serde_json::to_string(&list).unwrap_or_default()
}

impl Reader {
    /// The rules this store goes by.
    pub fn shield(&self) -> Result<ShieldState, StoreError> {
        state(self.connection())
    }
}

impl Store {
    /// The rules this store goes by.
    pub fn shield(&self) -> Result<ShieldState, StoreError> {
        state(&self.connection)
    }

    /// Goes by these rules from now on, and judges every stored message by them; returns how many changed.
    /// `judge` says which secret a subject and a text carry. Can be killed and called again.
    pub fn apply_shield(
        &mut self,
        rules: &ShieldRules,
        judge: impl Fn(&str, &str) -> Option<SecretKind>,
    ) -> Result<usize, StoreError> {
        if self.shield()?.is_settled(rules) {
            return Ok(0);
        }
        let state = self.change_shield(|state| {
            state.rules = rules.clone();
            state.applied = false;
        })?;
        if state.classifier != CLASSIFIER {
            self.find_secrets(judge)?;
            self.change_shield(|state| state.classifier = CLASSIFIER)?;
        }
        self.settle()
    }

    /// Changes what the owner has released; returns how many messages are judged differently now. What is killed here
    /// is finished by the next look at the rules.
    pub fn release(&mut self, change: impl FnOnce(&mut Released)) -> Result<usize, StoreError> {
        self.change_shield(|state| {
            change(&mut state.released);
            state.applied = false;
        })?;
        self.settle()
    }

    /// Marks every message as the rules of the store say.
    fn settle(&mut self) -> Result<usize, StoreError> {
        let by = self.shield()?;
        let changed = self.withhold_by(&by)?;
        // What another process has changed meanwhile is not applied yet.
        self.change_shield(|state| state.applied = *state == by)?;
        Ok(changed)
    }

    /// Changes what the store goes by in one transaction; returns what it is now.
    fn change_shield(&mut self, change: impl FnOnce(&mut ShieldState)) -> Result<ShieldState, StoreError> {
        let tx = self.begin()?;
        let mut state = state(&tx.transaction)?;
        change(&mut state);
        set_state(&tx.transaction, &state)?;
        tx.commit()?;
        Ok(state)
    }

    fn find_secrets(&mut self, judge: impl Fn(&str, &str) -> Option<SecretKind>) -> Result<(), StoreError> {
        const NEXT: &str = "SELECT id, subject FROM messages WHERE id > ?1 ORDER BY id LIMIT ?2";
        let codec = self.codec().clone();
        let mut last = 0_i64;
        loop {
            let tx = self.begin()?;
            let mut statement = tx.transaction.prepare_cached(NEXT)?;
            let rows = statement
                .query_map(params![last, GROUP], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
            let rows: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
            for (id, subject) in &rows {
                let text = codec.text(&crate::store::Frame::read(&tx.transaction, MessageKey(*id))?)?;
                let secret = judge(subject, &text).map_or(0, |secret| secret as i64);
                tx.transaction
                    .prepare_cached("UPDATE messages SET secret = ?2 WHERE id = ?1 AND secret <> ?2")?
                    .execute(params![id, secret])?;
            }
            drop(statement);
            tx.commit()?;
            match rows.last() {
                Some((id, _)) => last = *id,
                None => return Ok(()),
            }
        }
    }

    fn withhold_by(&mut self, state: &ShieldState) -> Result<usize, StoreError> {
        let rules = &state.rules;
        let (labels, accounts) = (lower(&rules.labels), lower(&rules.accounts));
        let listed = |address: &str| rules.for_sender(address).is_some();
        let senders = json(&self.senders_that(rules.senders.is_empty(), listed)?);
        let open = |address: &str| state.released.for_sender(address).is_some();
        let open = json(&self.senders_that(state.released.senders.is_empty(), open)?);
        let in_threads = json(&self.released_in_threads(&state.released)?);
        let (mut last, mut changed) = (0_i64, 0);
        loop {
            let mut tx = self.begin()?;
            let found = {
                let mut statement = tx.transaction.prepare_cached(JUDGED)?;
                let bound = params![rules.on, senders, labels, accounts, open, in_threads, last, GROUP];
                let rows = statement.query_map(bound, |row| Ok((row.get(0)?, row.get(1)?)))?;
                rows.collect::<Result<Vec<(i64, bool)>, _>>()?
            };
            for (id, withheld) in &found {
                changed += usize::from(tx.withhold(MessageKey(*id), *withheld)?);
            }
            tx.commit()?;
            match found.last() {
                Some((id, _)) => last = *id,
                None => return Ok(changed),
            }
        }
    }

    /// The rows of senders whose address is meant; none of an empty list.
    fn senders_that(&self, empty: bool, is_meant: impl Fn(&str) -> bool) -> Result<Vec<i64>, StoreError> {
        if empty {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare("SELECT id, address FROM senders")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
        let all: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
        Ok(all.into_iter().filter(|(_, address)| is_meant(address)).map(|(id, _)| id).collect())
    }

    /// The messages that are released with their threads.
    fn released_in_threads(&self, released: &Released) -> Result<Vec<i64>, StoreError> {
        const IN_THREAD: &str =
            "SELECT m.id, s.address FROM messages m JOIN senders s ON s.id = m.sender WHERE m.thread = ?1";
        let mut found = Vec::new();
        for released in &released.threads {
            let Some(root) = threads::root(&self.connection, ThreadKey(released.thread))? else { continue };
            let mut statement = self.connection.prepare_cached(IN_THREAD)?;
            let rows = statement.query_map([root.0], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
            let all: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
            found.extend(all.into_iter().filter(|(_, address)| released.is_by(address)).map(|(id, _)| id));
        }
        Ok(found)
    }
}

fn json(rows: &[i64]) -> String {
    serde_json::to_string(rows).unwrap_or_default()
}

/// What the rules say of a message `m`.
macro_rules! verdict {
    () => {
        "(?1 AND (
            (m.secret > 0 AND m.sender NOT IN (SELECT value FROM json_each(?5))
                AND m.id NOT IN (SELECT value FROM json_each(?6)))
            OR m.sender IN (SELECT value FROM json_each(?2)) OR ?2 = '[-1]'
            OR (?3 <> '[]' AND EXISTS (
                SELECT 1 FROM placements p JOIN placement_labels pl ON pl.placement = p.id
                JOIN label_names l ON l.id = pl.label
                WHERE p.message = m.id AND lower(l.name) IN (SELECT value FROM json_each(?3))))
            OR (?4 <> '[]' AND EXISTS (
                SELECT 1 FROM placements p JOIN mailboxes b ON b.id = p.mailbox JOIN accounts a ON a.id = b.account
                WHERE p.message = m.id AND lower(a.address) IN (SELECT value FROM json_each(?4))))))"
    };
}

const WANTED: &str = concat!("SELECT ", verdict!(), " FROM messages m WHERE m.id = ?7");

/// Messages whose mark is not what the rules say, and what it should be.
const JUDGED: &str = concat!(
    "SELECT id, wanted FROM (SELECT m.id, m.withheld, ",
    verdict!(),
    " AS wanted FROM messages m WHERE m.id > ?7) WHERE wanted <> withheld ORDER BY id LIMIT ?8"
);
