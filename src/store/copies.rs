//! Copies on servers of what was written here. A row says what is there and what is being put there, so that a sync
//! that is killed anywhere neither makes a copy twice nor forgets one.

use rusqlite::{OptionalExtension, Row, params};

use crate::model::{AccountKey, DraftKey, MailboxKey, MailboxRole, MessageKey, ShortId};
use crate::store::{Reader, StoreError, WriteTransaction};

/// Where a copy is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteCopyId {
    /// A message in a mailbox.
    Uid {
        /// The mailbox.
        mailbox: MailboxKey,
        /// What the uid belongs to.
        uidvalidity: u32,
        /// The message.
        uid: u32,
    },
    /// What an API calls it: its id, a blank, and Gmail's number of the message as a signed number.
    Name(String),
}

/// What is known about a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptCopy {
    /// Its row.
    pub key: i64,
    /// The revision that is there.
    pub revision: Option<i64>,
    /// The revision that was being put there when we last heard.
    pub attempt: Option<i64>,
    /// Where it is.
    pub remote_id: Option<RemoteCopyId>,
    /// The copy of the revision before, which must go.
    pub stale: Option<RemoteCopyId>,
    /// The newest revision when it was found to have been deleted by somebody else.
    pub missed_at: Option<i64>,
}

/// Something to do about a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyTask {
    /// Which mailbox it belongs in: the one for drafts, or for sent mail.
    pub role: MailboxRole,
    /// Message-ID without angle brackets.
    pub message_id: String,
    /// What is to be there; `None`: nothing.
    pub wanted: Option<(DraftKey, i64)>,
    /// What is known; `None` before the first attempt.
    pub copy: Option<KeptCopy>,
}

/// Why a copy is not what it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyProblem {
    /// Another program changed it.
    Changed,
    /// Another program deleted it.
    Deleted,
    /// The server does not take it.
    Refused,
}

impl CopyProblem {
    const fn code(self) -> &'static str {
        match self {
            Self::Changed => "changed_on_server",
            Self::Deleted => "deleted_on_server",
            Self::Refused => "refused",
        }
    }
}

/// How the copy of a draft fares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyState {
    /// `on_server`, `waiting`, or the code of its problem.
    pub state: String,
    /// What is wrong, for a person.
    pub problem: Option<String>,
}

impl WriteTransaction<'_> {
    /// Notes that a revision is about to be put on the server. Does nothing when the draft has been deleted.
    pub fn begin_copy(&self, draft: DraftKey, role: MailboxRole, revision: i64) -> Result<(), StoreError> {
        const BEGIN: &str = "
            INSERT INTO copies (account, role, draft, message_id, attempt)
            SELECT account, ?2, id, message_id, ?3 FROM drafts WHERE id = ?1
            ON CONFLICT (role, message_id) DO UPDATE SET attempt = excluded.attempt";
        self.transaction.prepare_cached(BEGIN)?.execute(params![draft.0, role.name(), revision])?;
        Ok(())
    }

    /// Notes that a revision is on the server, and which copy it takes the place of.
    pub fn copy_made(
        &self,
        key: i64,
        revision: i64,
        remote_id: &RemoteCopyId,
        stale: Option<&RemoteCopyId>,
    ) -> Result<(), StoreError> {
        const MADE: &str = "
            UPDATE copies SET revision = ?2, attempt = NULL, mailbox = ?3, uidvalidity = ?4, uid = ?5, name = ?6,
                              stale_uid = ?7, problem = NULL, problem_code = NULL, problem_revision = NULL
            WHERE id = ?1";
        let (place, name) = match remote_id {
            RemoteCopyId::Uid { mailbox, uidvalidity, uid } => (Some((mailbox.0, *uidvalidity, *uid)), None),
            RemoteCopyId::Name(name) => (None, Some(name)),
        };
        let stale = stale.and_then(|remote_id| match remote_id {
            RemoteCopyId::Uid { uid, .. } => Some(*uid),
            RemoteCopyId::Name(_) => None,
        });
        let (mailbox, uidvalidity, uid) = (place.map(|p| p.0), place.map(|p| p.1), place.map(|p| p.2));
        self.transaction.prepare_cached(MADE)?.execute(params![
            key,
            revision,
            mailbox,
            uidvalidity,
            uid,
            name,
            stale
        ])?;
        Ok(())
    }

    /// Notes that the copy of the revision before is gone.
    pub fn stale_copy_removed(&self, key: i64) -> Result<(), StoreError> {
        self.transaction.execute("UPDATE copies SET stale_uid = NULL WHERE id = ?1", [key])?;
        Ok(())
    }

    /// Notes why a copy is not what it should be.
    pub fn note_copy_problem(
        &self,
        (role, message_id): (MailboxRole, &str),
        problem: CopyProblem,
        detail: &str,
    ) -> Result<(), StoreError> {
        const NOTE: &str = "
            INSERT INTO copies (account, role, draft, message_id, problem, problem_code, problem_revision)
            SELECT account, ?1, id, message_id, ?3, ?4, revision FROM drafts WHERE message_id = ?2
            ON CONFLICT (role, message_id) DO UPDATE
            SET problem = excluded.problem, problem_code = excluded.problem_code,
                problem_revision = excluded.problem_revision";
        let params = params![role.name(), message_id, detail, problem.code()];
        self.transaction.prepare_cached(NOTE)?.execute(params)?;
        Ok(())
    }

    /// Notes that a copy is somebody else's business.
    pub fn leave_copy(&self, key: i64, revision: i64) -> Result<(), StoreError> {
        self.transaction.execute("UPDATE copies SET revision = ?2 WHERE id = ?1", [key, revision])?;
        Ok(())
    }

    /// Forgets a copy that is gone.
    pub fn forget_copy(&self, key: i64) -> Result<(), StoreError> {
        self.transaction.execute("DELETE FROM copies WHERE id = ?1", [key])?;
        Ok(())
    }

    /// Forgets where an account's drafts have copies: on another server they have none.
    pub(super) fn forget_copies(&self, account: AccountKey) -> Result<(), StoreError> {
        self.transaction.execute("DELETE FROM copies WHERE account = ?1 AND role = 'drafts'", [account.0])?;
        Ok(())
    }

    /// Has the next sync put a revision that was sent into the mailbox for sent mail.
    pub fn keep_in_sent(&self, draft: DraftKey, revision: i64) -> Result<(), StoreError> {
        const QUEUE: &str = "
            INSERT OR IGNORE INTO copies (account, role, draft, message_id, wanted)
            SELECT account, 'sent', id, message_id, ?2 FROM drafts WHERE id = ?1";
        self.transaction.prepare_cached(QUEUE)?.execute(params![draft.0, revision])?;
        Ok(())
    }
}

const KEPT: &str = "
    c.id, c.revision, c.attempt, c.mailbox, c.uidvalidity, c.uid, c.name, c.stale_uid,
    CASE c.problem_code WHEN 'deleted_on_server' THEN c.problem_revision END";

/// Copies of drafts that were deleted or sent: nothing may be left in the mailbox for drafts.
const TO_REMOVE: &str = "
    FROM copies c LEFT JOIN drafts d ON d.id = c.draft
    WHERE c.account = ?1 AND c.role = 'drafts' AND (d.id IS NULL OR d.state = 'sent') ORDER BY c.id";
/// Drafts whose newest revision is not there, or whose copy may be gone: the server gave new uids, or the last sync
/// no longer found it.
const TO_KEEP: &str = "
    FROM drafts d LEFT JOIN copies c ON c.draft = d.id AND c.role = 'drafts' LEFT JOIN mailboxes b ON b.id = c.mailbox
    WHERE d.account = ?1 AND d.channel = 'mail' AND is_editable(d.state)
      AND (c.problem_code IS NULL OR c.problem_code <> 'deleted_on_server' OR c.problem_revision <> d.revision)
      AND (c.revision IS NULL OR c.revision <> d.revision OR c.stale_uid IS NOT NULL OR c.problem_code IS NOT NULL
           OR (c.uid IS NOT NULL AND (b.id IS NULL OR b.uidvalidity <> c.uidvalidity OR (b.filled AND b.next_uid > c.uid
               AND NOT EXISTS (SELECT 1 FROM placements p WHERE p.mailbox = c.mailbox AND p.uid = c.uid))))
           OR (c.name IS NOT NULL AND NOT EXISTS (SELECT 1 FROM gmail_messages g WHERE g.account = c.account
               AND g.gmail_id = CAST(substr(c.name, instr(c.name, ' ') + 1) AS INTEGER))))
    ORDER BY d.updated_epoch, d.id";
const TO_SEND: &str = "
    FROM copies c JOIN drafts d ON d.id = c.draft
    WHERE c.account = ?1 AND c.role = 'sent' AND c.revision IS NULL ORDER BY c.id";

impl Reader {
    /// What is to be done about copies of an account, in order.
    pub fn copy_tasks(&self, account: AccountKey) -> Result<Vec<CopyTask>, StoreError> {
        let mut tasks = self.tasks(
            account,
            MailboxRole::Drafts,
            &format!("c.message_id, NULL, NULL, {KEPT} {TO_REMOVE}"),
        )?;
        tasks.extend(self.tasks(
            account,
            MailboxRole::Drafts,
            &format!("d.message_id, d.id, d.revision, {KEPT} {TO_KEEP}"),
        )?);
        tasks.extend(self.tasks(
            account,
            MailboxRole::Sent,
            &format!("c.message_id, d.id, c.wanted, {KEPT} {TO_SEND}"),
        )?);
        Ok(tasks)
    }

    fn tasks(
        &self,
        account: AccountKey,
        role: MailboxRole,
        columns: &str,
    ) -> Result<Vec<CopyTask>, StoreError> {
        let mut statement = self.connection().prepare_cached(&format!("SELECT {columns}"))?;
        let rows = statement.query_map([account.0], |row| {
            let draft: Option<i64> = row.get(1)?;
            Ok(CopyTask {
                role,
                message_id: row.get(0)?,
                wanted: draft
                    .map(|key| Ok::<_, rusqlite::Error>((DraftKey(key), row.get(2)?)))
                    .transpose()?,
                copy: read_copy(row, 3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What is known about the copy of a message.
    pub fn copy(&self, role: MailboxRole, message_id: &str) -> Result<Option<KeptCopy>, StoreError> {
        let sql = format!("SELECT {KEPT} FROM copies c WHERE c.role = ?1 AND c.message_id = ?2");
        let mut statement = self.connection().prepare_cached(&sql)?;
        let found =
            statement.query_row(params![role.name(), message_id], |row| read_copy(row, 0)).optional()?;
        Ok(found.flatten())
    }

    /// How the copy of a draft fares; `None` where the account has no server.
    pub fn copy_state(&self, draft: DraftKey) -> Result<Option<CopyState>, StoreError> {
        const SELECT: &str = "
            SELECT CASE WHEN c.problem_code IS NOT NULL THEN c.problem_code WHEN c.revision = d.revision THEN 'on_server'
                        ELSE 'waiting' END, c.problem
            FROM drafts d JOIN accounts a ON a.id = d.account LEFT JOIN copies c ON c.draft = d.id AND c.role = 'drafts'
            WHERE d.id = ?1 AND a.kind <> 'local'";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let state = |row: &Row<'_>| Ok(CopyState { state: row.get(0)?, problem: row.get(1)? });
        Ok(statement.query_row([draft.0], state).optional()?)
    }

    /// The rows of all messages that are copies on a server of drafts that were written here.
    pub fn copies_of_drafts(&self) -> Result<Vec<MessageKey>, StoreError> {
        const SELECT: &str = "
            SELECT p.message FROM copies c JOIN placements p ON p.mailbox = c.mailbox AND p.uid = c.uid
            JOIN mailboxes b ON b.id = c.mailbox AND b.uidvalidity = c.uidvalidity
            WHERE c.role = 'drafts' AND c.draft IS NOT NULL
            UNION
            SELECT g.message FROM copies c JOIN gmail_messages g ON g.account = c.account
                AND g.gmail_id = CAST(substr(c.name, instr(c.name, ' ') + 1) AS INTEGER)
            WHERE c.role = 'drafts' AND c.draft IS NOT NULL AND c.name IS NOT NULL AND g.message IS NOT NULL";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map([], |row| row.get(0).map(MessageKey))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Messages of an account that are copies of drafts that were written here.
    pub fn draft_copies(&self, account: AccountKey) -> Result<Vec<ShortId>, StoreError> {
        const SELECT: &str = "
            SELECT m.hash FROM copies c JOIN placements p ON p.mailbox = c.mailbox AND p.uid = c.uid
            JOIN mailboxes b ON b.id = c.mailbox AND b.uidvalidity = c.uidvalidity JOIN messages m ON m.id = p.message
            WHERE c.account = ?1 AND c.role = 'drafts' AND c.draft IS NOT NULL
            UNION ALL
            SELECT m.hash FROM copies c JOIN gmail_messages g ON g.account = c.account
                AND g.gmail_id = CAST(substr(c.name, instr(c.name, ' ') + 1) AS INTEGER)
            JOIN messages m ON m.id = g.message
            WHERE c.account = ?1 AND c.role = 'drafts' AND c.draft IS NOT NULL AND c.name IS NOT NULL";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement
            .query_map([account.0], |row| Ok(ShortId::of(&crate::model::ContentHash(row.get(0)?))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn read_copy(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<KeptCopy>> {
    let Some(key) = row.get::<_, Option<i64>>(first)? else { return Ok(None) };
    let place: (Option<i64>, Option<u32>) = (row.get(first + 3)?, row.get(first + 4)?);
    let at = |uid: Option<u32>| match (place.0, place.1, uid) {
        (Some(mailbox), Some(uidvalidity), Some(uid)) => {
            Some(RemoteCopyId::Uid { mailbox: MailboxKey(mailbox), uidvalidity, uid })
        }
        _ => None,
    };
    let name: Option<String> = row.get(first + 6)?;
    Ok(Some(KeptCopy {
        key,
        revision: row.get(first + 1)?,
        attempt: row.get(first + 2)?,
        remote_id: at(row.get(first + 5)?).or(name.map(RemoteCopyId::Name)),
        stale: at(row.get(first + 7)?),
        missed_at: row.get(first + 8)?,
    }))
}
