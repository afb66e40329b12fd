//! Changes the labels of a message: the local copy at once, the server with the next sync. Everything that is asked
//! for happens in one transaction, in all places where the account holds the message, or nothing does.
//!
//! A move to another mailbox happens here only where there is no server. Where there is one, the number in the target
//! is the server's to give, so the move waits for the next sync.

use std::ops::RangeInclusive;

use crate::clock::Clock;
use crate::home::Home;
use crate::labels::LabelError;
use crate::labels::wish::{Wish, clean_names, same};
use crate::model::{AccountKey, MessageKey, NotFound};
use crate::store::{Labelled, Reader, Store, StoreError, WriteTransaction};

/// What is to change.
#[derive(Debug, Clone, Default)]
pub struct LabelChange {
    /// Address of the account.
    pub account: String,
    /// Any id of a message that the account holds.
    pub message: String,
    /// Labels it should have; those that are new are made.
    pub add: Vec<String>,
    /// Labels it should not have; they must be known.
    pub remove: Vec<String>,
}

/// What changed. Labels are spelled as the account knows them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelsChanged {
    /// Short id of the message.
    pub message: String,
    /// Labels that were asked for.
    pub added: Vec<String>,
    /// Labels that were asked away.
    pub removed: Vec<String>,
    /// Of these, the ones for which nothing had to be done.
    pub unchanged: Vec<String>,
    /// Of these, the ones that the local copy shows only after the next sync.
    pub waiting: Vec<String>,
    /// Labels that the account did not know before.
    pub created: Vec<String>,
    /// What was noted for the server, by number; nothing when nothing changed.
    pub noted: Option<RangeInclusive<i64>>,
}

/// What has become of a change on the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerState {
    /// There is no server, or nothing to tell it.
    Nothing,
    /// The server has made it.
    Made,
    /// The server does not know of it yet.
    Waiting,
    /// The server did not make it, and why; the next sync undoes it here.
    Refused(String),
}

/// Looks what has become of a change on the server.
pub fn server_state(home: &Home, account: &str, changed: &LabelsChanged) -> Result<ServerState, LabelError> {
    let reader = Reader::open(&home.store())?;
    let (account, _) = find_account(&reader, account)?;
    let has_server = reader.account_settings(account)?.is_some();
    let Some(numbers) = changed.noted.as_ref().filter(|_| has_server) else {
        return Ok(ServerState::Nothing);
    };
    let (waits, reasons) = reader.fate_of_changes(account, numbers)?;
    Ok(match reasons.into_iter().next() {
        Some(reason) => ServerState::Refused(reason),
        None if waits => ServerState::Waiting,
        None => ServerState::Made,
    })
}

/// Changes labels. When this returns, the change is on the disk and remembered for the server.
pub fn change_labels(home: &Home, clock: &Clock, change: &LabelChange) -> Result<LabelsChanged, LabelError> {
    let (add, remove) = (clean_names(&change.add)?, clean_names(&change.remove)?);
    refuse_contradiction(&add, &remove)?;
    let reader = Reader::open(&home.store())?;
    let (account, address) = find_account(&reader, &change.account)?;
    let message = find_message(&reader, &change.message, &address)?;
    let mut store = Store::open_existing(&home.store())?;
    let mut tx = store.begin()?;
    let (add, remove) = wishes(&add, &remove, &tx.label_names(account)?)?;
    let mut changed = LabelsChanged { message: shown_id(&reader, message)?, ..LabelsChanged::default() };
    let before = tx.newest_pending()?;
    let mut work = Work { tx: &mut tx, account, message, now: clock.now().as_second() };
    for wish in add.iter().chain(&remove) {
        work.fulfil(wish, &mut changed)?;
    }
    let after = tx.newest_pending()?;
    tx.commit()?;
    changed.noted = (after > before).then(|| before + 1..=after);
    changed.added = add.into_iter().map(|wish| wish.name).collect();
    changed.removed = remove.into_iter().map(|wish| wish.name).collect();
    Ok(changed)
}

/// What the names stand for. A message can be sent to one mailbox only, and is then not sent to the archive too.
fn wishes(add: &[String], remove: &[String], known: &[String]) -> Result<(Vec<Wish>, Vec<Wish>), LabelError> {
    let add: Vec<Wish> = add.iter().map(|name| Wish::add(name, known)).collect::<Result<_, _>>()?;
    let remove: Vec<Wish> = remove.iter().map(|name| Wish::remove(name, known)).collect::<Result<_, _>>()?;
    let targets: Vec<&Wish> = add.iter().filter(|wish| wish.target().is_some()).collect();
    match targets.as_slice() {
        [] => Ok((add, remove)),
        [_] => Ok((add, remove.into_iter().map(Wish::staying).collect())),
        [one, other, ..] => {
            Err(LabelError::TwoMailboxes { one: one.name.clone(), other: other.name.clone() })
        }
    }
}

/// The transaction in which wishes come true.
struct Work<'a, 's> {
    tx: &'a mut WriteTransaction<'s>,
    account: AccountKey,
    message: MessageKey,
    now: i64,
}

impl Work<'_, '_> {
    fn fulfil(&mut self, wish: &Wish, changed: &mut LabelsChanged) -> Result<(), StoreError> {
        let places = self.tx.placed(self.message, self.account)?;
        let mut outcomes = Vec::new();
        for (place, action) in wish.steps(&places) {
            outcomes.push(self.tx.change(place, &action, self.now)?);
        }
        changed.created.extend(wish.is_new.then(|| wish.name.clone()));
        if outcomes.contains(&Labelled::Waits) {
            changed.waiting.push(wish.name.clone());
            return Ok(());
        }
        let done_by_another = wish.is_implied && outcomes.is_empty();
        if !done_by_another && !outcomes.contains(&Labelled::Changed) {
            changed.unchanged.push(wish.name.clone());
        }
        Ok(())
    }
}

fn refuse_contradiction(add: &[String], remove: &[String]) -> Result<(), LabelError> {
    if add.is_empty() && remove.is_empty() {
        return Err(LabelError::NoLabels);
    }
    match add.iter().find(|label| remove.iter().any(|other| same(label, other))) {
        Some(label) => Err(LabelError::Contradiction { label: label.clone() }),
        None => Ok(()),
    }
}

fn find_account(reader: &Reader, address: &str) -> Result<(AccountKey, String), LabelError> {
    let accounts = reader.accounts()?;
    let wanted = address.trim();
    match accounts.iter().find(|account| account.address.eq_ignore_ascii_case(wanted)) {
        Some(account) => Ok((account.key, account.address.clone())),
        None => {
            let known = accounts.into_iter().map(|account| account.address).collect();
            Err(NotFound::Account { address: wanted.to_owned(), known }.into())
        }
    }
}

/// The message that an id names, if the account holds it.
fn find_message(reader: &Reader, id: &str, account: &str) -> Result<MessageKey, LabelError> {
    let mut held_by = Vec::new();
    for key in reader.resolve(id)? {
        let holders = reader.placements(key)?.into_iter().map(|place| place.account);
        held_by.extend(holders);
        if held_by.iter().any(|holder| holder == account) {
            return Ok(key);
        }
    }
    Err(NotFound::in_account(id, account, held_by).into())
}

fn shown_id(reader: &Reader, key: MessageKey) -> Result<String, StoreError> {
    Ok(reader.message(key)?.map(|message| message.id.to_string()).unwrap_or_default())
}
