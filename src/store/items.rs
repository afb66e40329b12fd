//! Items of the outbox: drafts that somebody asked to send. One function moves a state; no other statement writes it.

use std::ops::RangeInclusive;

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::json;

use crate::model::{
    Channel, ContentHash, Draft, DraftId, DraftKey, ItemCode, ItemHash, ItemState, Route, SendRecords,
};
use crate::store::drafts::{DRAFT_COLUMNS, read_draft, unreadable};
use crate::store::due::SLACK;
use crate::store::{AuditEntry, LONGEST_WAIT, Reader, StoreError, WriteTransaction};

/// Who asked to send something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The name the assistant gave; `None`: the person.
    pub client: Option<String>,
    /// Under which tools it worked.
    pub profile: Option<String>,
    /// The tool it called.
    pub tool: Option<String>,
}

/// A draft that somebody asked to send.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// What it is, at its newest revision.
    pub draft: Draft,
    /// What kind of message it is.
    pub channel: Channel,
    /// What people compare.
    pub code: ItemCode,
    /// What it leaves by.
    pub route: Route,
    /// Who asked.
    pub origin: Origin,
    /// Stands for what was asked for.
    pub content: ContentHash,
    /// The caller's own name for the request.
    pub idempotency_key: Option<String>,
    /// Whether it may go to some recipients when others are refused.
    pub may_be_partial: bool,
    /// Where lines about its sending are wanted.
    pub records: SendRecords,
    /// When it was proposed, in seconds since 1970.
    pub proposed: i64,
    /// When its state last changed.
    pub changed: i64,
    /// Why it is in this state.
    pub reason: Option<String>,
    /// The same as a word for programs.
    pub error_code: Option<String>,
    /// The next attempt comes no earlier.
    pub not_before: i64,
    /// When it was sent.
    pub sent: Option<i64>,
    /// When the person moved its note to where approved ones lie, and at which revision.
    pub moved: Option<NoteMove>,
}

/// A note that was moved to where approved ones lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoteMove {
    /// The revision that it said.
    pub revision: i64,
    /// When, in seconds since 1970.
    pub epoch: i64,
}

impl Item {
    /// Whether its next try comes later than now. A wait that is longer than any was set by a clock that was wrong.
    #[must_use]
    pub const fn waits(&self, now: i64) -> bool {
        self.not_before > now && self.not_before <= now + LONGEST_WAIT
    }

    /// What a yes to it is a yes to.
    #[must_use]
    pub fn hash(&self) -> ItemHash {
        ItemHash::of(self.channel, &self.draft.hash, &self.route, self.may_be_partial)
    }
}

/// Something to be proposed.
pub struct NewProposal<'a> {
    /// The draft.
    pub draft: DraftKey,
    /// The revision that was looked at.
    pub revision: i64,
    /// What people compare; an item that was proposed before keeps its own.
    pub code: ItemCode,
    /// What it leaves by.
    pub route: &'a Route,
    /// Who asked.
    pub origin: &'a Origin,
    /// Stands for what was asked for.
    pub content: ContentHash,
    /// The caller's own name for the request.
    pub idempotency_key: Option<&'a str>,
    /// Whether it may go to some recipients when others are refused.
    pub may_be_partial: bool,
    /// Where lines about its sending are wanted.
    pub records: &'a SendRecords,
    /// When, in seconds since 1970.
    pub epoch: i64,
}

/// A step of an item from one state to the next.
#[derive(Debug, Clone, Copy)]
pub struct Move<'a> {
    /// Which item.
    pub draft: DraftKey,
    /// At which revision; at another one nothing moves.
    pub revision: i64,
    /// Where it must be.
    pub from: ItemState,
    /// Where it goes.
    pub to: ItemState,
    /// Why, for people.
    pub reason: Option<&'a str>,
    /// Why, for programs.
    pub error_code: Option<&'a str>,
    /// When, in seconds since 1970.
    pub epoch: i64,
}

/// Which items to list.
#[derive(Debug, Clone, Default)]
pub struct ItemFilter {
    /// In one of these states; empty: in any.
    pub states: Vec<ItemState>,
    /// How many at most.
    pub limit: usize,
    /// How many to leave out first.
    pub offset: usize,
}

/// Where a list of decided items goes on: behind the item with this state and row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecidedCursor {
    /// When the state of the last item of the page before changed.
    pub changed: i64,
    /// Its row.
    pub draft: DraftKey,
}

impl DecidedCursor {
    /// Behind this item.
    #[must_use]
    pub const fn behind(item: &Item) -> Self {
        Self { changed: item.changed, draft: item.draft.key }
    }
}

impl WriteTransaction<'_> {
    /// The one function that moves a state: compares, checks the table of allowed moves, sets. Says no, and changes
    /// nothing, when the item is not where it should be.
    pub fn move_item(&self, step: &Move<'_>) -> Result<bool, StoreError> {
        const SET: &str = "UPDATE drafts SET state = ?4 WHERE id = ?1 AND revision = ?2 AND state = ?3";
        const TELL: &str =
            "UPDATE proposals SET reason = ?2, error_code = ?3, changed_epoch = ?4 WHERE draft = ?1";
        if !step.from.may_become(step.to) {
            return Ok(false);
        }
        let moved = self.transaction.prepare_cached(SET)?.execute(params![
            step.draft.0,
            step.revision,
            step.from.name(),
            step.to.name()
        ])?;
        if moved == 0 {
            return Ok(false);
        }
        let why = params![step.draft.0, step.reason, step.error_code, step.epoch];
        self.transaction.prepare_cached(TELL)?.execute(why)?;
        if step.to.is_at_rest() {
            self.end_tasks(step)?;
        }
        if !matches!(step.to, ItemState::Approved | ItemState::Sending | ItemState::Unknown) {
            // Whoever puts the state back finds no yes.
            self.transaction
                .prepare_cached("UPDATE approvals SET spent = 1 WHERE draft = ?1")?
                .execute([step.draft.0])?;
        }
        Ok(true)
    }

    /// Makes an item a draft again, because its content is about to change; a yes to it is void. Says no when it is at
    /// another revision, or may not be edited.
    pub(super) fn take_back(&self, draft: DraftKey, revision: i64) -> Result<bool, StoreError> {
        match self.item_state(draft)? {
            Some((at, ItemState::Draft)) => Ok(at == revision),
            Some((at, from)) if at == revision => self.move_item(&Move {
                draft,
                revision,
                from,
                to: ItemState::Draft,
                reason: None,
                error_code: None,
                epoch: self.now,
            }),
            _ => Ok(false),
        }
    }

    /// Puts everything that somebody said yes to, and that has no end, before the person again.
    pub fn take_every_yes_back(&self, reason: &str) -> Result<(), StoreError> {
        const SELECT: &str = "SELECT id FROM drafts WHERE state IN ('approved', 'sending') ORDER BY id";
        let drafts: Vec<i64> =
            self.transaction.prepare(SELECT)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for draft in drafts {
            if let Some(item) = self.item(DraftKey(draft))? {
                self.take_yes_back(&item, reason)?;
            }
        }
        self.transaction.execute("UPDATE approvals SET spent = 1", [])?;
        if self.transaction.prepare("SELECT 1 FROM audit")?.exists([])? {
            let at_ms = self.now * 1_000;
            self.append_audit(&AuditEntry { kind: "restored", item: None, at_ms, body: json!({}) })?;
        }
        Ok(())
    }

    fn take_yes_back(&self, item: &Item, reason: &str) -> Result<(), StoreError> {
        let step = Move {
            draft: item.draft.key,
            revision: item.draft.revision,
            from: item.draft.state,
            to: ItemState::PendingApproval,
            reason: Some(reason),
            error_code: None,
            epoch: self.now,
        };
        if item.draft.state == ItemState::Sending {
            self.move_item(&Move { to: ItemState::Approved, ..step })?;
        }
        self.move_item(&Move { from: ItemState::Approved, ..step })?;
        let body = json!({ "revision": item.draft.revision, "reason": reason });
        let at_ms = self.now * 1_000;
        self.append_audit(&AuditEntry { kind: "void", item: Some(item.draft.id), at_ms, body })?;
        Ok(())
    }

    /// The newest revision of an item and its state.
    pub fn item_state(&self, draft: DraftKey) -> Result<Option<(i64, ItemState)>, StoreError> {
        const SELECT: &str = "SELECT revision, state FROM drafts WHERE id = ?1";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        let read = |row: &Row<'_>| Ok((row.get(0)?, read_state(row, 1)?));
        Ok(statement.query_row([draft.0], read).optional()?)
    }

    /// Notes that somebody asks to send a draft. The state is moved apart.
    pub fn put_proposal(&self, new: &NewProposal<'_>) -> Result<(), StoreError> {
        const PUT: &str = "
            INSERT INTO proposals (draft, code, route, client, profile, tool, idempotency_key, content, partial,
                                   proposed_epoch, changed_epoch, records)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?11)
            ON CONFLICT (draft) DO UPDATE SET
                route = excluded.route, client = excluded.client, profile = excluded.profile, tool = excluded.tool,
                idempotency_key = excluded.idempotency_key, content = excluded.content, partial = excluded.partial,
                proposed_epoch = excluded.proposed_epoch, changed_epoch = excluded.changed_epoch, reason = NULL,
                error_code = NULL, not_before = 0, tries = 0, first_try = NULL, sent_epoch = NULL,
                records = excluded.records";
        let records = (!new.records.is_empty())
            .then(|| serde_json::to_string(new.records).expect("paths that came as text are JSON"));
        self.transaction.prepare_cached(PUT)?.execute(params![
            new.draft.0,
            new.code.to_string(),
            new.route.to_string(),
            new.origin.client,
            new.origin.profile,
            new.origin.tool,
            new.idempotency_key,
            new.content.0,
            new.may_be_partial,
            new.epoch,
            records,
        ])?;
        Ok(())
    }

    /// Has an item wait until then, and says why.
    pub fn put_off(&self, draft: DraftKey, until: i64, reason: &str, code: &str) -> Result<(), StoreError> {
        const SET: &str =
            "UPDATE proposals SET not_before = ?2, reason = ?3, error_code = ?4 WHERE draft = ?1";
        self.transaction.prepare_cached(SET)?.execute(params![draft.0, until, reason, code])?;
        Ok(())
    }

    /// Notes when an item was sent.
    pub fn note_sent(&self, draft: DraftKey, epoch: i64) -> Result<(), StoreError> {
        let mut set =
            self.transaction.prepare_cached("UPDATE proposals SET sent_epoch = ?2 WHERE draft = ?1")?;
        set.execute(params![draft.0, epoch])?;
        Ok(())
    }

    /// Notes that the note of an item was moved to where approved ones lie, or that it lies there no more.
    pub fn note_move(&self, draft: DraftKey, moved: Option<NoteMove>) -> Result<(), StoreError> {
        const SET: &str = "UPDATE proposals SET moved_revision = ?2, moved_epoch = ?3 WHERE draft = ?1";
        let (revision, epoch) = (moved.map(|it| it.revision), moved.map(|it| it.epoch));
        self.transaction.prepare_cached(SET)?.execute(params![draft.0, revision, epoch])?;
        Ok(())
    }

    /// Another Message-ID, without angle brackets, under which an item is known.
    pub fn add_alias(&self, draft: DraftKey, message_id: &str) -> Result<(), StoreError> {
        const INSERT: &str = "INSERT OR IGNORE INTO message_id_aliases (message_id, draft) VALUES (?1, ?2)";
        self.transaction.prepare_cached(INSERT)?.execute(params![message_id, draft.0])?;
        Ok(())
    }

    /// A code that no item under way has.
    pub fn fresh_code(&self) -> Result<ItemCode, StoreError> {
        const TAKEN: &str = "
            SELECT 1 FROM proposals p JOIN drafts d ON d.id = p.draft
            WHERE p.code = ?1 AND d.state IN ('pending_approval', 'approved', 'sending')";
        loop {
            let random: i64 = self.transaction.query_row("SELECT random()", [], |row| row.get(0))?;
            let code = ItemCode::from_number(random.cast_unsigned());
            if !self.transaction.prepare_cached(TAKEN)?.exists([code.to_string()])? {
                return Ok(code);
            }
        }
    }

    /// When the `number`-th newest proposal of a time was made, of those that may leave or have left; `None` when
    /// there are fewer. With a server only those that leave by it.
    pub fn nth_newest_proposal(
        &self,
        number: u32,
        time: RangeInclusive<i64>,
        server: Option<&str>,
    ) -> Result<Option<i64>, StoreError> {
        const SELECT: &str = "
            SELECT p.proposed_epoch FROM proposals p JOIN drafts d ON d.id = p.draft
            WHERE p.proposed_epoch > ?2 AND p.proposed_epoch <= ?4
              AND d.state IN ('pending_approval', 'approved', 'sending', 'sent', 'unknown')
              AND (?3 IS NULL OR instr(lower(p.route), 'smtp ' || ?3 || ' ') = 1
                OR ?3 IN ('gmail', 'whatsapp', 'linkedin') AND instr(p.route, ?3 || ' ') = 1)
            ORDER BY p.proposed_epoch DESC LIMIT 1 OFFSET ?1 - 1";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        // What comes from the future was proposed while the clock was wrong.
        let (since, until) = (time.start(), time.end() + SLACK);
        Ok(statement.query_row(params![number, since, server, until], |row| row.get(0)).optional()?)
    }

    /// One item, as this transaction sees it.
    pub fn item(&self, draft: DraftKey) -> Result<Option<Item>, StoreError> {
        one(&self.transaction, "d.id = ?1", params![draft.0])
    }

    /// An item that the caller named so, if it was not edited since.
    pub fn item_by_key(&self, key: &str) -> Result<Option<Item>, StoreError> {
        one(
            &self.transaction,
            "p.idempotency_key = ?1 AND d.state <> 'draft' ORDER BY p.proposed_epoch DESC LIMIT 1",
            params![key],
        )
    }

    /// An item with this content that is still to be decided about, on its way, or may have left.
    pub fn item_under_way(&self, content: &ContentHash) -> Result<Option<Item>, StoreError> {
        one(
            &self.transaction,
            "p.content = ?1 AND d.state IN ('pending_approval', 'approved', 'sending', 'unknown') LIMIT 1",
            params![content.0],
        )
    }

    /// The frozen bytes of a draft's revision, as this transaction sees them.
    pub fn frozen_bytes(&self, draft: DraftKey, revision: i64) -> Result<Option<Vec<u8>>, StoreError> {
        const SELECT: &str = "SELECT raw FROM draft_revisions WHERE draft = ?1 AND revision = ?2";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        Ok(statement.query_row(params![draft.0, revision], |row| row.get(0)).optional()?)
    }
}

impl Reader {
    /// One item, by its short id.
    pub fn item(&self, id: DraftId) -> Result<Option<Item>, StoreError> {
        one(self.connection(), "d.short_id = ?1", params![id.to_string()])
    }

    /// One item, by its row.
    pub fn item_by_key(&self, draft: DraftKey) -> Result<Option<Item>, StoreError> {
        one(self.connection(), "d.id = ?1", params![draft.0])
    }

    /// The newest item with this code.
    pub fn item_with_code(&self, code: ItemCode) -> Result<Option<Item>, StoreError> {
        one(
            self.connection(),
            "p.code = ?1 ORDER BY p.proposed_epoch DESC LIMIT 1",
            params![code.to_string()],
        )
    }

    /// The item that is known by a Message-ID without angle brackets, ours or a provider's.
    pub fn item_by_message_id(&self, message_id: &str) -> Result<Option<Item>, StoreError> {
        let own = one(self.connection(), "d.message_id = ?1", params![message_id])?;
        let alias = "d.id IN (SELECT draft FROM message_id_aliases WHERE message_id = ?1) LIMIT 1";
        own.map_or_else(|| one(self.connection(), alias, params![message_id]), |item| Ok(Some(item)))
    }

    /// Other Message-IDs, without angle brackets, under which an item is known.
    pub fn aliases_of(&self, draft: DraftKey) -> Result<Vec<String>, StoreError> {
        const SELECT: &str = "SELECT message_id FROM message_id_aliases WHERE draft = ?1 ORDER BY message_id";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map([draft.0], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Items, newest first.
    pub fn items(&self, filter: &ItemFilter) -> Result<Vec<Item>, StoreError> {
        let names: Vec<_> = filter.states.iter().map(|state| state.name()).collect();
        let sql = format!(
            "SELECT {DRAFT_COLUMNS}, {ITEM_COLUMNS}
             WHERE ?1 = '[]' OR d.state IN (SELECT value FROM json_each(?1))
             ORDER BY p.proposed_epoch DESC, d.id DESC LIMIT ?2 OFFSET ?3"
        );
        let mut statement = self.connection().prepare_cached(&sql)?;
        let names = serde_json::Value::from(names).to_string();
        let rows = statement.query_map(params![names, filter.limit, filter.offset], read_item)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Items that were decided about or have left, the last decided first, behind `after` where it is given.
    pub fn decided_items(
        &self,
        after: Option<&DecidedCursor>,
        limit: usize,
    ) -> Result<Vec<Item>, StoreError> {
        let sql = format!(
            "SELECT {DRAFT_COLUMNS}, {ITEM_COLUMNS}
             WHERE d.state NOT IN ('draft', 'pending_approval')
               AND (?1 IS NULL OR (p.changed_epoch, p.draft) < (?1, ?2))
             ORDER BY p.changed_epoch DESC, p.draft DESC LIMIT ?3"
        );
        let mut statement = self.connection().prepare_cached(&sql)?;
        let (changed, draft) = (after.map(|it| it.changed), after.map(|it| it.draft.0));
        let rows = statement.query_map(params![changed, draft, limit], read_item)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many items are in a state.
    pub fn count_items(&self, state: ItemState) -> Result<u64, StoreError> {
        const SELECT: &str =
            "SELECT count(*) FROM drafts d JOIN proposals p ON p.draft = d.id WHERE d.state = ?1";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        Ok(statement.query_row([state.name()], |row| row.get(0))?)
    }
}

/// Columns of an item behind those of its draft.
const ITEM_COLUMNS: &str = "
    d.channel, p.code, p.route, p.client, p.profile, p.tool, p.content, p.idempotency_key, p.partial,
    p.proposed_epoch, p.changed_epoch, p.reason, p.error_code, p.not_before, p.sent_epoch, p.records,
    p.moved_revision, p.moved_epoch
    FROM drafts d JOIN proposals p ON p.draft = d.id JOIN accounts a ON a.id = d.account
    JOIN draft_revisions r ON r.draft = d.id AND r.revision = d.revision
    LEFT JOIN messages m ON m.id = d.answers";

fn one(
    connection: &Connection,
    condition: &str,
    values: impl rusqlite::Params,
) -> Result<Option<Item>, StoreError> {
    let sql = format!("SELECT {DRAFT_COLUMNS}, {ITEM_COLUMNS} WHERE {condition}");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_row(values, read_item).optional()?)
}

fn read_state(row: &Row<'_>, column: usize) -> rusqlite::Result<ItemState> {
    ItemState::parse(&row.get::<_, String>(column)?).ok_or_else(|| unreadable(column))
}

fn read_item(row: &Row<'_>) -> rusqlite::Result<Item> {
    let text = |name: &str| row.get::<_, String>(name);
    let records: Option<String> = row.get("records")?;
    let moved: (Option<i64>, Option<i64>) = (row.get("moved_revision")?, row.get("moved_epoch")?);
    Ok(Item {
        draft: read_draft(row)?,
        channel: Channel::parse(&text("channel")?).ok_or_else(|| unreadable(0))?,
        code: ItemCode::parse(&text("code")?).ok_or_else(|| unreadable(0))?,
        route: Route::parse(&text("route")?).ok_or_else(|| unreadable(0))?,
        origin: Origin { client: row.get("client")?, profile: row.get("profile")?, tool: row.get("tool")? },
        content: ContentHash(row.get("content")?),
        idempotency_key: row.get("idempotency_key")?,
        may_be_partial: row.get("partial")?,
        records: records.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default(),
        proposed: row.get("proposed_epoch")?,
        changed: row.get("changed_epoch")?,
        reason: row.get("reason")?,
        error_code: row.get("error_code")?,
        not_before: row.get("not_before")?,
        sent: row.get("sent_epoch")?,
        moved: moved.0.zip(moved.1).map(|(revision, epoch)| NoteMove { revision, epoch }),
    })
}
