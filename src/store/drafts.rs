//! Drafts and their revisions. A revision is written once; an edit adds the next one and takes back any yes.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::{
    AccountKey, Address, Answered, Channel, ContentHash, Draft, DraftAttachment, DraftHash, DraftId,
    DraftKey, ItemState, MessageKey, Recipients, ShortId, ThreadKey, dated,
};
use crate::store::{Reader, StoreError, WriteTransaction};

/// A draft that is not stored yet.
pub struct NewDraft<'a> {
    /// The account it will leave from.
    pub account: AccountKey,
    /// What kind of message it is.
    pub channel: Channel,
    /// Its id.
    pub id: DraftId,
    /// Its Message-ID without angle brackets.
    pub message_id: &'a str,
    /// The message it replies to.
    pub answers: Option<MessageKey>,
    /// Its first revision.
    pub revision: Revision<'a>,
}

/// The content of a draft, frozen.
pub struct Revision<'a> {
    /// When it was written, in seconds since 1970.
    pub epoch: i64,
    /// Who it is from.
    pub from: &'a Address,
    /// Who will get it.
    pub recipients: &'a Recipients,
    /// Subject.
    pub subject: &'a str,
    /// Text as it was given, or as it was made of the HTML.
    pub body: &'a str,
    /// The HTML beside it, made safe.
    pub html: Option<&'a str>,
    /// How many things were taken out of the HTML.
    pub html_removed: u32,
    /// What is attached.
    pub attachments: &'a [DraftAttachment],
    /// Stands for everything that would leave.
    pub hash: DraftHash,
    /// The message as it would leave.
    pub raw: &'a [u8],
}

impl WriteTransaction<'_> {
    /// Stores a new draft.
    pub fn insert_draft(&self, draft: &NewDraft<'_>) -> Result<DraftKey, StoreError> {
        const INSERT: &str = "
            INSERT INTO drafts (short_id, account, state, revision, message_id, answers, created_epoch, updated_epoch,
                                channel)
            VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?6, ?7)";
        self.transaction.prepare_cached(INSERT)?.execute(params![
            draft.id.to_string(),
            draft.account.0,
            ItemState::Draft.name(),
            draft.message_id,
            draft.answers.map(|key| key.0),
            draft.revision.epoch,
            draft.channel.name(),
        ])?;
        let key = DraftKey(self.transaction.last_insert_rowid());
        self.insert_revision(key, 1, &draft.revision)?;
        Ok(key)
    }

    /// Adds the revision that follows `after`; says no when that is not the newest one any more, or when the
    /// draft may not be edited.
    pub fn revise_draft(
        &self,
        key: DraftKey,
        after: i64,
        revision: &Revision<'_>,
    ) -> Result<bool, StoreError> {
        const UPDATE: &str = "
            UPDATE drafts SET revision = ?2 + 1, updated_epoch = max(?3, created_epoch)
            WHERE id = ?1 AND revision = ?2";
        if !self.take_back(key, after)? {
            return Ok(false);
        }
        self.transaction.prepare_cached(UPDATE)?.execute(params![key.0, after, revision.epoch])?;
        self.insert_revision(key, after + 1, revision)?;
        Ok(true)
    }

    /// Removes a draft with all its revisions; says no when it is not there or may not be removed.
    pub fn delete_draft(&self, key: DraftKey) -> Result<bool, StoreError> {
        let state = self.item_state(key)?;
        if !state.is_some_and(|(_, state)| state.may_be_edited()) {
            return Ok(false);
        }
        Ok(self.transaction.prepare_cached("DELETE FROM drafts WHERE id = ?1")?.execute([key.0])? > 0)
    }

    /// What is to leave on any channel, and on which, as this transaction sees it.
    pub fn draft_on_any_channel(&self, id: DraftId) -> Result<Option<(Draft, Channel)>, StoreError> {
        on_any_channel(&self.transaction, id)
    }

    fn insert_revision(&self, key: DraftKey, number: i64, revision: &Revision<'_>) -> Result<(), StoreError> {
        const INSERT: &str = "
            INSERT INTO draft_revisions (draft, revision, epoch, sender, to_json, cc_json, bcc_json, subject, body,
                                         html, html_removed, attachments, hash, raw)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
        let attachments = serde_json::to_string(revision.attachments)
            .expect("attachments are plain strings and numbers, which JSON can hold");
        self.transaction.prepare_cached(INSERT)?.execute(params![
            key.0,
            number,
            revision.epoch,
            revision.from.to_string(),
            to_json(&revision.recipients.to),
            to_json(&revision.recipients.cc),
            to_json(&revision.recipients.bcc),
            revision.subject,
            revision.body,
            revision.html,
            revision.html_removed,
            attachments,
            revision.hash.0.0,
            revision.raw,
        ])?;
        Ok(())
    }
}

fn on_any_channel(connection: &Connection, id: DraftId) -> Result<Option<(Draft, Channel)>, StoreError> {
    let sql = format!("SELECT {DRAFT_COLUMNS}, d.channel {FROM_DRAFTS} WHERE d.short_id = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let read = |row: &Row<'_>| {
        let channel = Channel::parse(&row.get::<_, String>("channel")?);
        Ok((read_draft(row)?, channel.ok_or_else(|| unreadable(0))?))
    };
    Ok(statement.query_row([id.to_string()], read).optional()?)
}

/// The columns that a draft is read from.
pub(super) const DRAFT_COLUMNS: &str = "
    d.id, d.short_id, a.address, d.state, d.revision, d.created_epoch, r.epoch, d.message_id, m.hash, m.thread,
    r.to_json, r.cc_json, r.bcc_json, r.subject, r.body, r.hash, r.sender, r.html, r.html_removed, r.attachments";
const FROM_DRAFTS: &str = "
    FROM drafts d JOIN accounts a ON a.id = d.account
    JOIN draft_revisions r ON r.draft = d.id AND r.revision = d.revision
    LEFT JOIN messages m ON m.id = d.answers";

impl Reader {
    /// An id for a draft that no other draft has.
    pub fn fresh_draft_id(&self) -> Result<DraftId, StoreError> {
        let random: i64 = self.connection().query_row("SELECT random()", [], |row| row.get(0))?;
        Ok(DraftId::from_number(random.cast_unsigned()))
    }

    /// One draft of a mail.
    pub fn draft(&self, id: DraftId) -> Result<Option<Draft>, StoreError> {
        let sql =
            format!("SELECT {DRAFT_COLUMNS} {FROM_DRAFTS} WHERE d.short_id = ?1 AND d.channel = 'mail'");
        let mut statement = self.connection().prepare_cached(&sql)?;
        Ok(statement.query_row([id.to_string()], read_draft).optional()?)
    }

    /// What is to leave on any channel, and on which.
    pub fn draft_on_any_channel(&self, id: DraftId) -> Result<Option<(Draft, Channel)>, StoreError> {
        on_any_channel(self.connection(), id)
    }

    /// One draft as it was at a revision.
    pub fn draft_at(&self, id: DraftId, revision: i64) -> Result<Option<Draft>, StoreError> {
        let sql = format!(
            "SELECT {DRAFT_COLUMNS} FROM drafts d JOIN accounts a ON a.id = d.account
             JOIN draft_revisions r ON r.draft = d.id AND r.revision = ?2
             LEFT JOIN messages m ON m.id = d.answers WHERE d.short_id = ?1"
        );
        let mut statement = self.connection().prepare_cached(&sql)?;
        let draft = statement.query_row(params![id.to_string(), revision], read_draft).optional()?;
        Ok(draft.map(|draft| Draft { revision, ..draft }))
    }

    /// Drafts of mails, of one account or of all, newest first.
    pub fn drafts(
        &self,
        account: Option<AccountKey>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<Draft>, StoreError> {
        let filter = if account.is_some() { "d.account = ?3" } else { "?3 IS NULL" };
        let sql = format!(
            "SELECT {DRAFT_COLUMNS} {FROM_DRAFTS} WHERE {filter} AND d.channel = 'mail'
             ORDER BY d.updated_epoch DESC, d.id DESC LIMIT ?1 OFFSET ?2"
        );
        let mut statement = self.connection().prepare_cached(&sql)?;
        let rows = statement.query_map(params![limit, offset, account.map(|key| key.0)], read_draft)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many drafts of mails there are.
    pub fn count_drafts(&self, account: Option<AccountKey>) -> Result<u64, StoreError> {
        const SELECT: &str = "
            SELECT count(*) FROM drafts WHERE (?1 IS NULL OR account = ?1) AND channel = 'mail'";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        Ok(statement.query_row([account.map(|key| key.0)], |row| row.get(0))?)
    }

    /// A draft's revision as a message with a date: when it was handed over, or else when it was written.
    pub fn dated_draft(&self, key: DraftKey, revision: i64) -> Result<Option<Vec<u8>>, StoreError> {
        const SELECT: &str = "
            SELECT raw, coalesce((SELECT t.data_ms / 1000 FROM attempts t
                                  WHERE t.draft = ?1 AND t.revision = ?2 AND t.dot_ms IS NOT NULL
                                  ORDER BY t.id DESC LIMIT 1), epoch)
            FROM draft_revisions WHERE draft = ?1 AND revision = ?2";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let dated_row = |row: &Row<'_>| Ok(dated(row.get_ref(0)?.as_blob()?, row.get(1)?));
        Ok(statement.query_row(params![key.0, revision], dated_row).optional()?)
    }

    /// A draft's revision as it was sent.
    pub fn sent_bytes(&self, key: DraftKey, revision: i64) -> Result<Option<Vec<u8>>, StoreError> {
        const SELECT: &str = "
            SELECT r.raw, coalesce(p.sent_epoch, r.epoch) FROM draft_revisions r LEFT JOIN proposals p ON p.draft = r.draft
            WHERE r.draft = ?1 AND r.revision = ?2";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let dated_row = |row: &Row<'_>| Ok(dated(row.get_ref(0)?.as_blob()?, row.get(1)?));
        Ok(statement.query_row(params![key.0, revision], dated_row).optional()?)
    }

    /// The frozen bytes of a draft's revision; they have no `Date`.
    pub fn draft_bytes(&self, key: DraftKey, revision: i64) -> Result<Option<Vec<u8>>, StoreError> {
        const SELECT: &str = "SELECT raw FROM draft_revisions WHERE draft = ?1 AND revision = ?2";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        Ok(statement.query_row(params![key.0, revision], |row| row.get(0)).optional()?)
    }

    /// Revisions whose bytes or recipients are not those that their hash stands for.
    pub(super) fn altered_drafts(&self) -> Result<Vec<String>, StoreError> {
        const SELECT: &str = "
            SELECT d.short_id, r.revision, a.address, r.to_json, r.cc_json, r.bcc_json, r.raw, r.hash, r.sender
            FROM draft_revisions r JOIN drafts d ON d.id = r.draft JOIN accounts a ON a.id = d.account
            ORDER BY d.id, r.revision";
        let mut statement = self.connection().prepare(SELECT)?;
        let mut rows = statement.query([])?;
        let mut altered = Vec::new();
        while let Some(row) = rows.next()? {
            let account: String = row.get(2)?;
            let raw: Vec<u8> = row.get(6)?;
            let hash = ContentHash(row.get(7)?);
            let from = read_sender(row, 8, &account)?;
            if DraftHash::of(&account, &from.address, &read_recipients(row, 3)?, &raw).0 != hash {
                altered.push(format!("{} revision {}", row.get::<_, String>(0)?, row.get::<_, i64>(1)?));
            }
        }
        Ok(altered)
    }
}

pub(super) fn read_draft(row: &Row<'_>) -> rusqlite::Result<Draft> {
    let answered: Option<[u8; 32]> = row.get(8)?;
    let answers = match answered {
        Some(hash) => {
            Some(Answered { message: ShortId::of(&ContentHash(hash)), thread: ThreadKey(row.get(9)?) })
        }
        None => None,
    };
    let account: String = row.get(2)?;
    Ok(Draft {
        key: DraftKey(row.get(0)?),
        id: DraftId::parse(&row.get::<_, String>(1)?).ok_or_else(|| unreadable(1))?,
        from: read_sender(row, 16, &account)?,
        account,
        state: ItemState::parse(&row.get::<_, String>(3)?).ok_or_else(|| unreadable(3))?,
        revision: row.get(4)?,
        created: row.get(5)?,
        updated: row.get(6)?,
        message_id: row.get(7)?,
        answers,
        recipients: read_recipients(row, 10)?,
        subject: row.get(13)?,
        body: row.get(14)?,
        html: row.get(17)?,
        html_removed: row.get(18)?,
        attachments: read_attachments(row, 19)?,
        hash: DraftHash(ContentHash(row.get(15)?)),
    })
}

/// Who a revision is from; those of earlier versions are from their account.
fn read_sender(row: &Row<'_>, column: usize, account: &str) -> rusqlite::Result<Address> {
    let shown: Option<String> = row.get(column)?;
    Ok(shown.map_or_else(|| Address::new("", account), |shown| Address::from_shown(&shown)))
}

fn read_attachments(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<DraftAttachment>> {
    let json: Option<String> = row.get(column)?;
    json.map_or(Ok(Vec::new()), |json| serde_json::from_str(&json).map_err(|_| unreadable(column)))
}

pub(super) fn unreadable(column: usize) -> rusqlite::Error {
    rusqlite::Error::InvalidColumnType(column, "drafts".to_owned(), rusqlite::types::Type::Text)
}

/// To, Cc and Bcc from three columns.
pub(super) fn read_recipients(row: &Row<'_>, first: usize) -> rusqlite::Result<Recipients> {
    let list = |column| {
        let shown: Vec<String> =
            serde_json::from_str(&row.get::<_, String>(column)?).map_err(|_| unreadable(column))?;
        Ok::<_, rusqlite::Error>(shown.iter().map(|text| Address::from_shown(text)).collect())
    };
    Ok(Recipients { to: list(first)?, cc: list(first + 1)?, bcc: list(first + 2)? })
}

fn to_json(addresses: &[Address]) -> String {
    let shown: Vec<String> = addresses.iter().map(Address::to_string).collect();
    serde_json::to_string(&shown).expect("addresses are plain strings, which JSON can hold")
}
