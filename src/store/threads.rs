//! Which thread a message belongs to: the one of every Message-ID it names, joined where they differ. A message that
//! names none belongs to Outlook's conversation, or to the message that it answers by its subject (`kin`).
//!
//! Order of arrival does not matter. An id that is only referred to is remembered, so that a parent
//! that arrives years later finds its children.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{MessageKey, ParsedMessage, ThreadKey, answered_subject};
use crate::store::kin::{self, Unreferenced};
use crate::store::{StoreError, subjects};

/// The thread of a message that arrives.
pub(super) struct Joined {
    /// The thread.
    pub(super) thread: ThreadKey,
    /// Whether it had messages before.
    pub(super) has_others: bool,
    /// Whether nothing stored has, or names, the message's own id.
    pub(super) is_new_id: bool,
    /// Messages that came into it from threads that were joined to it.
    pub(super) moved: Vec<MessageKey>,
    /// Set for an answer that names no message, to be remembered when it has its row.
    pub(super) unreferenced: Option<Unreferenced>,
}

/// Finds or makes the thread of a message, joining those it connects, and counts the message in it.
pub(super) fn join(connection: &Connection, parsed: &ParsedMessage) -> Result<Joined, StoreError> {
    let links = links(connection, parsed)?;
    let mut threads = Vec::new();
    let mut unknown = Vec::new();
    for link in links {
        match thread_of_link(connection, link)? {
            Some(thread) if threads.contains(&thread) => {}
            Some(thread) => threads.push(thread),
            None => unknown.push(link),
        }
    }
    let kin = kin::of(connection, parsed)?;
    for thread in kin.threads {
        if !threads.contains(&thread) {
            threads.push(thread);
        }
    }
    let thread = match largest(connection, &threads)? {
        Some(thread) => thread,
        None => new_thread(connection)?,
    };
    let has_others = !threads.is_empty();
    let own = parsed.message_id.as_deref().map(subjects::hash);
    let is_new_id = own.is_some_and(|own| unknown.contains(&own));
    let mut moved = Vec::new();
    for other in threads.into_iter().filter(|other| *other != thread) {
        moved.extend(messages_of(connection, other)?);
        merge(connection, thread, other)?;
    }
    for link in unknown {
        connection
            .prepare_cached("INSERT OR IGNORE INTO thread_links (id_hash, thread) VALUES (?1, ?2)")?
            .execute(params![link, thread.0])?;
    }
    connection.prepare_cached("UPDATE thread_sets SET size = size + 1 WHERE id = ?1")?.execute([thread.0])?;
    Ok(Joined { thread, has_others, is_new_id, moved, unreferenced: kin.unreferenced })
}

/// The messages of a thread.
pub(super) fn messages_of(connection: &Connection, thread: ThreadKey) -> Result<Vec<MessageKey>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT id FROM messages WHERE thread = ?1")?;
    let rows = statement.query_map([thread.0], |row| row.get(0).map(MessageKey))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The set that holds this one today, after any number of joins.
pub(super) fn root(connection: &Connection, thread: ThreadKey) -> Result<Option<ThreadKey>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT joined FROM thread_sets WHERE id = ?1")?;
    let mut current = thread;
    loop {
        let joined: Option<Option<i64>> = statement.query_row([current.0], |row| row.get(0)).optional()?;
        match joined {
            None => return Ok(None),
            Some(None) => return Ok(Some(current)),
            Some(Some(next)) => current = ThreadKey(next),
        }
    }
}

fn links(connection: &Connection, parsed: &ParsedMessage) -> Result<Vec<i64>, StoreError> {
    let named = parsed.message_id.iter().chain(&parsed.in_reply_to).chain(&parsed.references);
    let named: Vec<&String> = named.chain(&parsed.original_ids).collect();
    let ours = aliased(connection, &named)?;
    let ids = named.into_iter().chain(&ours).map(|id| subjects::hash(id));
    let gmail = parsed.gmail_thread.map(|thread| subjects::hash(&format!("gmail thread {thread}")));
    let conversation = parsed.thread_index.filter(|_| kin::names_nothing(parsed));
    let conversation = conversation.map(|index| conversation_link(&index, &parsed.subject));
    let mut links: Vec<i64> = ids.chain(gmail).chain(conversation).collect();
    links.sort_unstable();
    links.dedup();
    Ok(links)
}

/// The ids that we gave to what others know by one of these: people answer to the id that a provider gave it.
fn aliased(connection: &Connection, named: &[&String]) -> Result<Vec<String>, StoreError> {
    const SELECT: &str = "
        SELECT d.message_id FROM message_id_aliases a JOIN drafts d ON d.id = a.draft WHERE a.message_id = ?1";
    let has_any = connection.prepare_cached("SELECT 1 FROM message_id_aliases LIMIT 1")?.exists([])?;
    let mut statement = connection.prepare_cached(SELECT)?;
    let mut ours = Vec::new();
    for id in named.iter().filter(|_| has_any) {
        let rows = statement.query_map([id], |row| row.get(0))?;
        ours.extend(rows.collect::<Result<Vec<String>, _>>()?);
    }
    Ok(ours)
}

/// Outlook's conversation. The subject belongs to it, because programs that send to many write one index into all.
fn conversation_link(index: &[u8; 22], subject: &str) -> i64 {
    let bare = answered_subject(subject).unwrap_or(subject);
    let digits: String = index.iter().map(|byte| format!("{byte:02x}")).collect();
    subjects::hash(&format!("thread index {digits} {}", bare.to_lowercase()))
}

fn thread_of_link(connection: &Connection, link: i64) -> Result<Option<ThreadKey>, StoreError> {
    let first_met: Option<i64> = connection
        .prepare_cached("SELECT thread FROM thread_links WHERE id_hash = ?1")?
        .query_row([link], |row| row.get(0))
        .optional()?;
    first_met.map_or(Ok(None), |thread| root(connection, ThreadKey(thread)))
}

fn largest(connection: &Connection, threads: &[ThreadKey]) -> Result<Option<ThreadKey>, StoreError> {
    if threads.len() < 2 {
        return Ok(threads.first().copied());
    }
    let mut best: Option<(i64, ThreadKey)> = None;
    for thread in threads {
        let size: i64 = connection
            .prepare_cached("SELECT size FROM thread_sets WHERE id = ?1")?
            .query_row([thread.0], |row| row.get(0))?;
        if best.is_none_or(|(most, _)| size > most) {
            best = Some((size, *thread));
        }
    }
    Ok(best.map(|(_, thread)| thread))
}

fn new_thread(connection: &Connection) -> Result<ThreadKey, StoreError> {
    connection.prepare_cached("INSERT INTO thread_sets (joined, size) VALUES (NULL, 0)")?.execute([])?;
    Ok(ThreadKey(connection.last_insert_rowid()))
}

/// Moves the messages of the smaller set into the larger one: a message moves at most log2(n) times in its life.
fn merge(connection: &Connection, into: ThreadKey, from: ThreadKey) -> Result<(), StoreError> {
    let params = params![into.0, from.0];
    connection.prepare_cached("UPDATE messages SET thread = ?1 WHERE thread = ?2")?.execute(params)?;
    connection
        .prepare_cached(
            "UPDATE thread_sets SET size = size + (SELECT size FROM thread_sets WHERE id = ?2) WHERE id = ?1",
        )?
        .execute(params)?;
    connection
        .prepare_cached("UPDATE thread_sets SET joined = ?1, size = 0 WHERE id = ?2")?
        .execute(params)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::{Just, ProptestConfig, Strategy, proptest};

    use super::join;
    use crate::model::{ParsedMessage, ThreadKey};
    use crate::store::Store;

    fn message(id: &str, references: &[&str]) -> ParsedMessage {
        ParsedMessage {
            message_id: Some(id.to_owned()),
            references: references.iter().map(|&r| r.to_owned()).collect(),
            ..ParsedMessage::default()
        }
    }

    /// Joins in this order and returns, for each message, the first message of its final thread.
    fn partition(messages: &[ParsedMessage]) -> Vec<String> {
        let store = Store::in_memory().unwrap();
        let joined: Vec<(String, ThreadKey)> = messages
            .iter()
            .map(|m| (m.message_id.clone().unwrap(), join(store.connection(), m).unwrap().thread))
            .collect();
        let mut names: HashMap<ThreadKey, String> = HashMap::new();
        let mut sorted = joined;
        sorted.sort();
        sorted
            .into_iter()
            .map(|(id, thread)| {
                let root = super::root(store.connection(), thread).unwrap().unwrap();
                let first = names.entry(root).or_insert_with(|| id.clone());
                format!("{id} in {first}")
            })
            .collect()
    }

    #[test]
    fn an_answer_that_names_a_missing_parent_waits_for_it() {
        let order = [message("c", &["a", "b"]), message("x", &[]), message("a", &[])];
        assert_eq!(partition(&order), ["a in a", "c in a", "x in x"]);
    }

    #[test]
    fn a_message_that_connects_two_threads_joins_them() {
        let order = [message("a", &[]), message("b", &[]), message("c", &["a", "b"])];
        assert_eq!(partition(&order), ["a in a", "b in a", "c in a"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn threads_do_not_depend_on_the_order_of_arrival(order in Just((0..12_usize).collect::<Vec<_>>()).prop_shuffle()) {
            let all = [
                message("a", &[]), message("b", &["a"]), message("c", &["a", "b"]), message("d", &["ghost"]),
                message("e", &["ghost", "d"]), message("f", &[]), message("g", &["f", "x"]), message("h", &["x"]),
                message("i", &[]), message("j", &["i"]), message("k", &["j", "h"]), message("l", &["l"]),
            ];
            let shuffled: Vec<_> = order.iter().map(|i| all[*i].clone()).collect();
            assert_eq!(partition(&shuffled), partition(&all));
        }
    }
}
