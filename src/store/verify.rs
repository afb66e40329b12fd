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
const NEVER: [(&str, &str); 10] = [
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
    (
        "message among the gone without a date, or with one and not among them",
        "SELECT p.message FROM placements p JOIN mailboxes b ON b.id = p.mailbox
         LEFT JOIN gone g ON g.placement = p.id WHERE (b.role IS 'gone') <> (g.placement IS NOT NULL)",
    ),
    (
        "message among the gone that is elsewhere in the account",
        "SELECT p.message FROM gone g JOIN placements p ON p.id = g.placement JOIN mailboxes b ON b.id = p.mailbox
         WHERE EXISTS (SELECT 1 FROM placements o JOIN mailboxes c ON c.id = o.mailbox
                       WHERE o.message = p.message AND o.id <> p.id AND c.account = b.account)",
    ),
    (
        "label of another account than the mailbox",
        "SELECT p.message FROM placement_labels pl JOIN label_names l ON l.id = pl.label
         JOIN placements p ON p.id = pl.placement JOIN mailboxes b ON b.id = p.mailbox WHERE b.account <> l.account",
    ),
    (
        "change for the server that names a message, mailbox or account that is not there",
        "SELECT c.message FROM pending_changes c LEFT JOIN mailboxes b ON b.id = c.mailbox AND b.account = c.account
         WHERE b.id IS NULL OR c.message NOT IN (SELECT id FROM messages)",
    ),
];

/// Drafts without their newest revision, and revisions that no draft leads to.
const DRAFTS_WITHOUT_END: &str = "
    SELECT d.short_id FROM drafts d
    WHERE d.revision <> (SELECT coalesce(max(r.revision), 0) FROM draft_revisions r WHERE r.draft = d.id)
    UNION ALL SELECT 'draft row ' || r.draft FROM draft_revisions r WHERE r.draft NOT IN (SELECT id FROM drafts)";

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
        self.check_drafts(&mut report)?;
        self.check_contents(&mut report, progress)?;
        Ok(report)
    }

    /// Every draft must lead to its newest revision, and every revision must be what its hash stands for.
    fn check_drafts(&self, report: &mut VerifyReport) -> Result<(), StoreError> {
        let mut statement = self.connection().prepare(DRAFTS_WITHOUT_END)?;
        for draft in statement.query_map([], |row| row.get::<_, String>(0))? {
            report.add(draft?, "a draft and its revisions do not fit together", false);
        }
        for revision in self.altered_drafts()? {
            report.add(revision, "the draft is not what its hash stands for", false);
        }
        Ok(())
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
        let mut statement = self.connection().prepare("SELECT id, hash, size FROM messages ORDER BY id")?;
        let rows = statement.query_map([], |row| {
            Ok((MessageKey(row.get(0)?), ContentHash(row.get(1)?), row.get::<_, usize>(2)?))
        })?;
        for row in rows {
            let (key, hash, size) = row?;
            match self.raw(key) {
                // The hash does not tell one line end from the other; the size does.
                Ok(raw) if raw.len() == size && self.is_identity(key, &hash, &raw)? => {}
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
