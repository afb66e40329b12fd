//! Judging messages by the owner's rules: new ones as they come in, stored ones when the rules change.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{CLASSIFIER, MessageKey, ParsedMessage, SecretKind, ShieldRules};
use crate::store::transaction::NewPlacement;
use crate::store::{Reader, Store, StoreError, WriteTransaction};

/// Messages judged in one transaction.
const GROUP: usize = 500;

/// The rules that hold in a store, and whether every message has been judged by them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShieldState {
    /// The rules.
    pub rules: ShieldRules,
    classifier: i64,
    applied: bool,
}

impl ShieldState {
    /// Whether every message has been judged by these rules.
    #[must_use]
    pub fn is_settled(&self, rules: &ShieldRules) -> bool {
        self.applied && self.rules == *rules && self.classifier == CLASSIFIER
    }
}

/// The rules that a store goes by.
pub(super) fn state(connection: &Connection) -> Result<ShieldState, StoreError> {
    let row = connection
        .prepare_cached("SELECT rules, classifier, applied FROM shield")?
        .query_row([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((rules, classifier, applied)) = row else {
        return Ok(ShieldState { rules: ShieldRules::default(), classifier: 0, applied: false });
    };
    let rules = serde_json::from_str(&rules).map_err(|error| StoreError::content(&error))?;
    Ok(ShieldState { rules, classifier, applied })
}

fn set_state(connection: &Connection, state: &ShieldState) -> Result<(), StoreError> {
    let rules = serde_json::to_string(&state.rules).map_err(|error| StoreError::content(&error))?;
    connection.execute("DELETE FROM shield", [])?;
    connection
        .execute("INSERT INTO shield VALUES (?1, ?2, ?3)", params![rules, state.classifier, state.applied])?;
    Ok(())
}

/// What an empty store goes by.
pub(super) fn begin(connection: &Connection) -> Result<(), StoreError> {
    set_state(
        connection,
        &ShieldState { rules: ShieldRules::default(), classifier: CLASSIFIER, applied: true },
    )
}

impl WriteTransaction<'_> {
    /// Whether a message that comes in is withheld.
    pub(super) fn is_withheld(
        &self,
        parsed: &ParsedMessage,
        place: &NewPlacement<'_>,
    ) -> Result<bool, StoreError> {
        let sender = parsed.sender().map(|from| from.address.as_str()).unwrap_or_default();
        Ok((self.shield.on && parsed.secret.is_some())
            || self.shield.for_sender(sender).is_some()
            || self.is_place_withheld(place)?)
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
        let sender =
            self.transaction.prepare_cached(SENDER)?.query_row([key.0], |row| row.get(0)).optional()?;
        let Some(sender): Option<String> = sender else { return Ok(()) };
        let senders = if self.shield.for_sender(&sender).is_some() { SENDER_IS_LISTED } else { "[]" };
        let wanted = self.transaction.prepare_cached(WANTED)?.query_row(
            params![self.shield.on, senders, lower(&self.shield.labels), lower(&self.shield.accounts), key.0],
            |row| row.get(0),
        )?;
        self.withhold(key, wanted)?;
        Ok(())
    }
}

const SENDER: &str = "SELECT s.address FROM messages m JOIN senders s ON s.id = m.sender WHERE m.id = ?1";
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
        let before = self.shield()?;
        if before.is_settled(rules) {
            return Ok(0);
        }
        let mut state = ShieldState { rules: rules.clone(), applied: false, ..before };
        self.write(|connection| set_state(connection, &state))?;
        if state.classifier != CLASSIFIER {
            self.find_secrets(judge)?;
            state.classifier = CLASSIFIER;
        }
        let changed = self.withhold_by(rules)?;
        state.applied = true;
        self.write(|connection| set_state(connection, &state))?;
        Ok(changed)
    }

    fn write(&mut self, work: impl FnOnce(&Connection) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let tx = self.begin()?;
        work(&tx.transaction)?;
        tx.commit()?;
        Ok(())
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

    fn withhold_by(&mut self, rules: &ShieldRules) -> Result<usize, StoreError> {
        let (labels, accounts) = (lower(&rules.labels), lower(&rules.accounts));
        let senders = serde_json::to_string(&self.listed_senders(rules)?).unwrap_or_default();
        let (mut last, mut changed) = (0_i64, 0);
        loop {
            let mut tx = self.begin()?;
            let found = {
                let mut statement = tx.transaction.prepare_cached(JUDGED)?;
                let bound = params![rules.on, senders, labels, accounts, last, GROUP];
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

    fn listed_senders(&self, rules: &ShieldRules) -> Result<Vec<i64>, StoreError> {
        if rules.senders.is_empty() {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare("SELECT id, address FROM senders")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
        let all: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
        Ok(all
            .into_iter()
            .filter(|(_, address)| rules.for_sender(address).is_some())
            .map(|(id, _)| id)
            .collect())
    }
}

/// What the rules say of a message `m`.
macro_rules! verdict {
    () => {
        "(?1 AND (
            m.secret > 0
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

const WANTED: &str = concat!("SELECT ", verdict!(), " FROM messages m WHERE m.id = ?5");

/// Messages whose mark is not what the rules say, and what it should be.
const JUDGED: &str = concat!(
    "SELECT id, wanted FROM (SELECT m.id, m.withheld, ",
    verdict!(),
    " AS wanted FROM messages m WHERE m.id > ?5) WHERE wanted <> withheld ORDER BY id LIMIT ?6"
);
