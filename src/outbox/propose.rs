//! The one door for tools: propose a draft, withdraw it, ask what became of it. Nothing here can say yes; what the
//! owner's own rule lets leave at once is decided by the rule, in the same transaction.

mod changes;
mod channels;
mod notes;
mod tasks;

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;

use crate::audit::{self, CallLog};
use crate::clock::Clock;
use crate::home::Home;
use crate::model::{
    AccountKey, Channel, ContentHash, Draft, DraftId, ItemCode, ItemState, PolicySettings, Route, SendRecords,
};
use crate::outbox::approval::{Approvals, Door, Given};
use crate::outbox::policy::{self, Subject, Verdict};
use crate::outbox::revisions::{self, RevisionDiff};
use crate::outbox::{Routes, content, delivery};
use crate::store::{
    Attempt, AuditEntry, ChangedCopy, Delivery, Item, Move, NewProposal, Origin, Reader, WriteTransaction,
};

pub use crate::outbox::channels::linkedin::Visibility;
pub use crate::outbox::error::OutboxError;
pub use channels::WayOut;
pub use notes::{NOTES, NoteLetter, QueuedNote};
pub use tasks::{Task, Tasks, Waiting};

/// First characters of a text that are kept beside the audit chain.
const PREVIEW: usize = 200;

/// Who asks to send a draft, and how.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The name the assistant gave; `None`: the person.
    pub client: Option<String>,
    /// The profile it works under.
    pub profile: Option<String>,
    /// The tool it called.
    pub tool: Option<String>,
    /// The caller's own name for the request: the same one again is the same item.
    pub idempotency_key: Option<String>,
    /// Whether it may go to some recipients when others are refused.
    pub may_be_partial: bool,
    /// Where lines about its sending are wanted.
    pub records: SendRecords,
    /// Whether the draft was only written for this, and goes when the same is proposed already.
    pub is_new: bool,
    /// Whether a person is asked whatever the owner's rules let leave at once.
    pub always_ask: bool,
}

/// What became of a request.
#[derive(Debug, Clone)]
pub struct Proposed {
    /// The item.
    pub item: Item,
    /// Whether it was there before: the same is waiting, or was asked for under the same key.
    pub is_duplicate: bool,
}

/// What is known about an item.
#[derive(Debug, Clone)]
pub struct Status {
    /// The item.
    pub item: Item,
    /// What became of it, recipient by recipient.
    pub deliveries: Vec<Delivery>,
    /// Attempts to send it, oldest first.
    pub attempts: Vec<Attempt>,
    /// Copies among the sent mail that are not what had left.
    pub changed_copies: Vec<ChangedCopy>,
    /// What the owner changed in it since it was proposed.
    pub changes_by_owner: Option<RevisionDiff>,
    /// Under which ids others know it.
    pub remote_ids: Vec<String>,
}

impl Status {
    /// What to answer when somebody asks whether it arrived: `sent`, `delivered` or `bounced` once it has left, else its
    /// state.
    #[must_use]
    pub fn answer(&self) -> &'static str {
        delivery::answer(self.item.draft.state, &self.deliveries)
    }
}

/// The outbox as tools see it.
pub struct Proposals {
    home: Home,
    clock: Clock,
    routes: Routes,
    approvals: Arc<Approvals>,
    calls: CallLog,
}

impl Proposals {
    /// The outbox of this home.
    #[must_use]
    pub fn new(home: &Home, routes: Routes, approvals: Arc<Approvals>) -> Self {
        let clock = approvals.clock().clone();
        Self { home: home.clone(), clock, routes, approvals, calls: CallLog::at(home.calls()) }
    }

    /// Asks the owner to send a draft. When this returns, the request is on the disk.
    pub fn propose(&self, draft: &str, request: &Request) -> Result<Proposed, OutboxError> {
        let reader = self.approvals.connections().reader()?;
        let (draft, channel) = find_draft(&reader, draft)?;
        let route = self.route(&reader, &draft)?;
        let mut store = self.approvals.connections().writer()?;
        let tx = store.begin()?;
        let frozen = tx.frozen_bytes(draft.key, draft.revision)?.unwrap_or_default();
        let content = content::of(&draft, &frozen);
        if let Some(known) = same(&tx, Some(&draft), request, &content).transpose() {
            if request.is_new {
                tx.delete_draft(draft.key)?;
            }
            tx.commit()?;
            return known.map(|item| Proposed { item, is_duplicate: true });
        }
        self.enter(tx, &Putting { draft: &draft, channel, route: &route, content, request })
    }

    /// Asks the owner about a draft that nobody asked about: refuses what their rules forbid, writes it down, and says yes
    /// where a rule does.
    fn enter(&self, tx: WriteTransaction<'_>, what: &Putting<'_>) -> Result<Proposed, OutboxError> {
        let draft = what.draft;
        let allowed_by = self.judge(&tx, what)?;
        self.seal_calls_in(&tx)?;
        self.put(&tx, what)?;
        let item = known(&tx, draft)?;
        if let Some(rule) = allowed_by {
            self.approvals.put_yes(&tx, &item, Door::Rule, &Given::rule(&rule))?;
        }
        let item = known(&tx, draft)?;
        tx.commit()?;
        Ok(Proposed { item, is_duplicate: false })
    }

    /// Whether a rule of the owner's may let something leave that tools of this profile propose, without asking.
    #[must_use]
    pub fn may_send_at_once(&self, profile: &str) -> bool {
        // Where the rules cannot be read, nobody is told that nothing can happen.
        let Ok(reader) = self.approvals.connections().reader() else { return self.home.store().exists() };
        let rules = self.approvals.now_in_force(&reader);
        rules.map_or(true, |rules| policy::may_send_at_once(&rules.policy, profile))
    }

    /// Whether the owner has stopped all sending.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        let state = self.approvals.connections().reader().and_then(|reader| reader.outbox_state());
        state.is_ok_and(|state| state.paused.is_some())
    }

    /// Seals what assistants read into the audit chain.
    pub fn seal_calls(&self) -> Result<(), OutboxError> {
        let sealed = self.approvals.connections().reader()?.last_sealed_call()?;
        if !matches!(self.calls.unsealed(sealed, self.clock.now().as_millisecond()), Ok(Some(_))) {
            return Ok(());
        }
        let mut store = self.approvals.connections().writer()?;
        let tx = store.begin()?;
        self.seal_calls_in(&tx)?;
        tx.commit()?;
        Ok(())
    }

    fn seal_calls_in(&self, tx: &WriteTransaction<'_>) -> Result<(), OutboxError> {
        let at_ms = self.clock.now().as_millisecond();
        // A log that cannot be read keeps nobody from proposing; there is no evidence to show then.
        if let Some(body) = self.calls.unsealed(tx.last_sealed_call()?, at_ms).ok().flatten() {
            tx.append_audit(&AuditEntry { kind: "calls", item: None, at_ms, body })?;
        }
        Ok(())
    }

    /// Takes a proposal back that has not left.
    pub fn withdraw(&self, id: &str) -> Result<Item, OutboxError> {
        self.approvals.end(id, ItemState::Withdrawn, None)
    }

    /// What is known about an item: by its id, its code or its Message-ID.
    pub fn status(&self, id: &str) -> Result<Status, OutboxError> {
        status(&*self.approvals.connections().reader()?, id)
    }

    fn route(&self, reader: &Reader, draft: &Draft) -> Result<Route, OutboxError> {
        let no_route = || OutboxError::NoRoute { account: draft.account.clone() };
        let account = account(reader, &draft.account)?.ok_or_else(no_route)?;
        self.routes.of(reader, account, &draft.account)?.ok_or_else(no_route)
    }

    /// Refuses what the owner's rules forbid; says which of them lets it leave at once.
    fn judge(&self, tx: &WriteTransaction<'_>, what: &Putting<'_>) -> Result<Option<String>, OutboxError> {
        let policy = self.approvals.in_force(tx)?.policy;
        self.refuse_too_many(tx, &policy, what.route)?;
        let subject = Subject {
            account: &what.draft.account,
            profile: what.request.profile.as_deref().unwrap_or_default(),
            channel: what.channel.name(),
            recipients: &what.draft.recipients,
        };
        match policy::judge(&policy, &subject) {
            Verdict::Ask => Ok(None),
            Verdict::Allow(rule) => Ok(Some(rule).filter(|_| !what.request.always_ask)),
            Verdict::Refuse { rule, detail } => Err(OutboxError::Forbidden { rule, detail }),
        }
    }

    fn refuse_too_many(
        &self,
        tx: &WriteTransaction<'_>,
        policy: &PolicySettings,
        route: &Route,
    ) -> Result<(), OutboxError> {
        let now = self.clock.now().as_second();
        let server = route.server().to_lowercase();
        let windows = [
            Some(Window {
                name: "per_hour",
                limit: policy.per_hour,
                words: "an hour",
                seconds: 3_600,
                by: None,
            }),
            Some(Window {
                name: "per_day",
                limit: policy.per_day,
                words: "a day",
                seconds: 86_400,
                by: None,
            }),
            policy.most_by(&server).map(|limit| Window {
                name: "per_server",
                limit,
                words: "an hour by this server",
                seconds: 3_600,
                by: Some(&server),
            }),
        ];
        windows.iter().flatten().try_for_each(|window| window.refuse_too_many(tx, now))
    }

    /// Writes the request down and moves the draft into the outbox.
    fn put(&self, tx: &WriteTransaction<'_>, what: &Putting<'_>) -> Result<(), OutboxError> {
        let Putting { draft, route, content, request, .. } = what;
        let now = self.clock.now();
        let (epoch, at_ms) = (now.as_second(), now.as_millisecond());
        tx.put_proposal(&NewProposal {
            draft: draft.key,
            revision: draft.revision,
            code: tx.fresh_code()?,
            route,
            origin: &Origin {
                client: request.client.clone(),
                profile: request.profile.clone(),
                tool: request.tool.clone(),
            },
            content: *content,
            idempotency_key: request.idempotency_key.as_deref(),
            may_be_partial: request.may_be_partial,
            records: &request.records,
            epoch,
        })?;
        let step = Move {
            draft: draft.key,
            revision: draft.revision,
            from: draft.state,
            to: ItemState::PendingApproval,
            reason: None,
            error_code: None,
            epoch,
        };
        if !tx.move_item(&step)? {
            let (id, state) = (draft.id.to_string(), draft.state);
            return Err(OutboxError::WrongState { id, state, wanted: "proposed" });
        }
        let item = known(tx, draft)?;
        let preview = tx.keep_preview(&audit::preview(&draft.body, PREVIEW))?;
        tx.append_audit(&AuditEntry {
            kind: "proposed",
            item: Some(draft.id),
            at_ms,
            body: json!({
                "revision": draft.revision,
                "hash": item.hash().0.to_hex(),
                "account": draft.account,
                "route": route.to_string(),
                "recipients": draft.recipients.all().map(|to| to.address.clone()).collect::<Vec<_>>(),
                "client": request.client,
                "profile": request.profile,
                "tool": request.tool,
                "preview": preview.to_hex(),
            }),
        })?;
        Ok(())
    }
}

/// So many items in a time.
struct Window<'a> {
    name: &'static str,
    limit: u32,
    words: &'static str,
    seconds: i64,
    /// Only those that leave by this server.
    by: Option<&'a str>,
}

impl Window<'_> {
    fn refuse_too_many(&self, tx: &WriteTransaction<'_>, now: i64) -> Result<(), OutboxError> {
        let Self { limit, words: window, seconds, .. } = *self;
        if limit == 0 {
            let (rule, detail) = (format!("{} = 0", self.name), "nothing may leave".to_owned());
            return Err(OutboxError::Forbidden { rule, detail });
        }
        // The one that has to fall out of the window before there is room again.
        if let Some(oldest) = tx.nth_newest_proposal(limit, now - seconds..=now, self.by)? {
            let retry_after = Timestamp::from_second(oldest + seconds).unwrap_or(Timestamp::MAX);
            return Err(OutboxError::RateLimited { limit, window, retry_after });
        }
        Ok(())
    }
}

/// What is written down about a request.
struct Putting<'a> {
    draft: &'a Draft,
    channel: Channel,
    route: &'a Route,
    content: ContentHash,
    request: &'a Request,
}

/// The item that this request is about already: named by the same key, or with the same content and under way.
fn same(
    tx: &WriteTransaction<'_>,
    draft: Option<&Draft>,
    request: &Request,
    content: &ContentHash,
) -> Result<Option<Item>, OutboxError> {
    let keyed = request.idempotency_key.as_deref().map(|key| tx.item_by_key(key)).transpose()?.flatten();
    if let Some(item) = keyed {
        let id = item.draft.id.to_string();
        return if item.content == *content { Ok(Some(item)) } else { Err(OutboxError::KeyReused { id }) };
    }
    if let Some(draft) = draft.filter(|draft| draft.state.is_under_way()) {
        return Ok(tx.item(draft.key)?);
    }
    Ok(tx.item_under_way(content)?)
}

fn known(tx: &WriteTransaction<'_>, draft: &Draft) -> Result<Item, OutboxError> {
    tx.item(draft.key)?.ok_or_else(|| OutboxError::UnknownItem { id: draft.id.to_string() })
}

fn account(reader: &Reader, address: &str) -> Result<Option<AccountKey>, OutboxError> {
    let accounts = reader.accounts()?;
    Ok(accounts.iter().find(|account| account.address == address).map(|account| account.key))
}

fn find_draft(reader: &Reader, id: &str) -> Result<(Draft, Channel), OutboxError> {
    let unknown = || OutboxError::UnknownItem { id: id.trim().to_owned() };
    let id = DraftId::parse(id.trim()).ok_or_else(unknown)?;
    reader.draft_on_any_channel(id)?.ok_or_else(unknown)
}

/// The item that is known by an id, a code or a Message-ID.
pub(super) fn find(reader: &Reader, id: &str) -> Result<Item, OutboxError> {
    let id = id.trim();
    let found = match (DraftId::parse(id), ItemCode::parse(id)) {
        (Some(id), _) => reader.item(id)?,
        (None, Some(code)) => reader.item_with_code(code)?,
        (None, None) => {
            reader.item_by_message_id(id.strip_prefix('<').unwrap_or(id).trim_end_matches('>'))?
        }
    };
    found.ok_or_else(|| OutboxError::UnknownItem { id: id.to_owned() })
}

pub(super) fn status(reader: &Reader, id: &str) -> Result<Status, OutboxError> {
    status_of(reader, find(reader, id)?)
}

/// What is known about an item.
fn status_of(reader: &Reader, item: Item) -> Result<Status, OutboxError> {
    let (deliveries, attempts) = (reader.deliveries_of(item.draft.key)?, reader.attempts_of(item.draft.key)?);
    let changed_copies = reader.changed_copies(item.draft.key)?;
    let changes_by_owner = revisions::by_owner(reader, &item)?;
    let remote_ids = reader.aliases_of(item.draft.key)?;
    Ok(Status { item, deliveries, attempts, changed_copies, changes_by_owner, remote_ids })
}
