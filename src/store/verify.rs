//! Checks the store against itself. Kept counts are repaired, because they can be counted again;
//! messages are only ever reported on.

use rusqlite::TransactionBehavior;

use crate::model::{ContentHash, MessageKey, ShortId};
use crate::store::counts::{KEPT, KeptCounts};
use crate::store::{Reader, Store, StoreError};

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub subject: String,
    /// What is wrong.
    pub problem: String,
    /// Whether it was put right.
    pub repaired: bool,
}

/// The outcome of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// How many messages were unpacked and hashed.
    pub messages: u64,
    /// What was found.
    pub findings: Vec<Finding>,
}

impl VerifyReport {
    /// Whether nothing is wrong any more.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|finding| finding.repaired)
    }

    /// Adds a finding.
    pub fn add(&mut self, subject: impl Into<String>, problem: impl Into<String>, repaired: bool) {
        self.findings.push(Finding { subject: subject.into(), problem: problem.into(), repaired });
    }
}

/// Questions whose answer must be "none", and what it means when it is not.
const NEVER: [(&str, &str); 6] = [
    ("message without content", "SELECT id FROM messages WHERE id NOT IN (SELECT message FROM contents)"),
    (
        "content without message",
        "SELECT message FROM contents WHERE message NOT IN (SELECT id FROM messages)",
    ),
    ("message in no mailbox", "SELECT id FROM messages WHERE id NOT IN (SELECT message FROM placements)"),
    (
        "placement with another date than its message",
        "SELECT p.message FROM placements p LEFT JOIN messages m ON m.id = p.message WHERE m.epoch IS NOT p.epoch",
    ),
    (
        "message in a thread that was joined to another",
        "SELECT m.id FROM messages m LEFT JOIN thread_sets t ON t.id = m.thread
         WHERE t.id IS NULL OR t.joined IS NOT NULL",
    ),
    (
        "message that the change log does not know",
        "SELECT id FROM messages WHERE id NOT IN (SELECT message FROM changes WHERE kind = 1)",
    ),
];

impl Reader {
    /// SQLite's own check of the file's pages.
    pub fn check_pages(&self) -> Result<(), StoreError> {
        let answer: String = self.connection().query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if answer == "ok" { Ok(()) } else { Err(StoreError::Damaged { detail: answer }) }
    }

    /// Checks pages, every message's content against its hash, and what must always hold.
    /// `progress` is told how many messages are done.
    pub fn verify(&self, progress: &mut dyn FnMut(u64)) -> Result<VerifyReport, StoreError> {
        let mut report = VerifyReport::default();
        match self.check_pages() {
            Err(StoreError::Damaged { detail }) => report.add("mail.db", detail, false),
            other => other?,
        }
        for (meaning, sql) in NEVER {
            self.check_never(meaning, sql, &mut report)?;
        }
        self.check_contents(&mut report, progress)?;
        Ok(report)
    }

    fn check_never(&self, meaning: &str, sql: &str, report: &mut VerifyReport) -> Result<(), StoreError> {
        let mut statement = self.connection().prepare(sql)?;
        let rows = statement.query_map([], |row| row.get::<_, i64>(0))?;
        for key in rows.take(100) {
            report.add(format!("message row {}", key?), meaning, false);
        }
        Ok(())
    }

    fn check_contents(
        &self,
        report: &mut VerifyReport,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), StoreError> {
        let mut statement = self.connection().prepare("SELECT id, hash FROM messages ORDER BY id")?;
        let rows = statement.query_map([], |row| Ok((MessageKey(row.get(0)?), ContentHash(row.get(1)?))))?;
        for row in rows {
            let (key, hash) = row?;
            match self.raw(key) {
                Ok(raw) if ContentHash::of(&raw) == hash => {}
                Ok(_) => report.add(ShortId::of(&hash).to_string(), "content does not match its hash", false),
                Err(error) => report.add(ShortId::of(&hash).to_string(), error.to_string(), false),
            }
            report.messages += 1;
            progress(report.messages);
        }
        Ok(())
    }
}

impl Store {
    /// Counts afresh what is kept as counts and puts right what differs. Others wait only if something does.
    pub fn repair_counts(&mut self, report: &mut VerifyReport) -> Result<(), StoreError> {
        for KeptCounts { table, truth } in &KEPT {
            let wrong: i64 = self.connection.query_row(
                &format!(
                    "SELECT (SELECT count(*) FROM (SELECT * FROM {table} EXCEPT {truth}))
                          + (SELECT count(*) FROM (SELECT * FROM ({truth}) EXCEPT SELECT * FROM {table}))"
                ),
                [],
                |row| row.get(0),
            )?;
            if wrong > 0 {
                let transaction =
                    self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                transaction.execute_batch(&format!("DELETE FROM {table}; INSERT INTO {table} {truth}"))?;
                transaction.commit()?;
                report.add(*table, format!("{wrong} counts were wrong"), true);
            }
        }
        Ok(())
    }
}
