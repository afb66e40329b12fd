//! The outbox as the person looks at it: what waits, what is leaving, what was decided, and what happened to each item.
//! Reads only.

use std::sync::Arc;

use crate::audit::CallLog;
use crate::home::Home;
use crate::model::{Address, Channel, ItemHash, ItemState};
use crate::outbox::approval::passkey::{Keys, Voucher};
use crate::outbox::approval::{Approvals, Door};
use crate::outbox::evidence::{Evidence, FindMentions, Sources};
use crate::outbox::letter::Letter;
use crate::outbox::policy::InForce;
use crate::outbox::revisions::{self, RevisionDiff};
use crate::outbox::trail::{self, Event};
use crate::outbox::{OutboxError, propose};
use crate::store::{Item, ItemFilter, Reader};

/// More than this do not wait on one page.
const MOST_WAITING: usize = 500;

/// Looks at the outbox of a home.
pub struct Overview {
    home: Home,
    approvals: Arc<Approvals>,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its short id.
    pub id: String,
    /// What people compare.
    pub code: String,
    /// What kind of message it is.
    pub channel: Channel,
    /// How far it is.
    pub state: ItemState,
    /// At which revision.
    pub revision: i64,
    /// Stands for exactly what would leave, in hexadecimal digits.
    pub hash: String,
    /// The address it leaves from.
    pub from: String,
    /// Everybody who gets it.
    pub to: Vec<String>,
    /// Its subject.
    pub subject: String,
    /// Who asked; `None`: the person.
    pub client: Option<String>,
    /// When it was proposed, in seconds since 1970.
    pub proposed: i64,
    /// When its state last changed.
    pub changed: i64,
    /// Why it is in this state.
    pub reason: Option<String>,
    /// When it is tried next.
    pub not_before: i64,
    /// When the person moved its note to where approved ones lie.
    pub moved: Option<i64>,
}

/// What is under way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Board {
    /// What waits for a yes: first what the person asked for by moving its note, then the oldest.
    pub waiting: Vec<Line>,
    /// What was approved and has not left, the newest first.
    pub leaving: Vec<Line>,
    /// What may have left, and nobody can say.
    pub unknown: Vec<Line>,
    /// How many there are beside those that are listed.
    pub more: More,
    /// Since when nothing is sent, in seconds since 1970.
    pub paused: Option<i64>,
}

/// Items that a list leaves out, because it would be too long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct More {
    /// What waits for a yes.
    pub waiting: usize,
    /// What was approved and has not left.
    pub leaving: usize,
    /// What may have left.
    pub unknown: usize,
}

impl Board {
    /// How many items wait for a yes, listed or not.
    #[must_use]
    pub fn count_waiting(&self) -> usize {
        self.waiting.len() + self.more.waiting
    }
}

/// An item whole, with everything that is known about it.
#[derive(Debug, Clone)]
pub struct Sight {
    /// What would leave.
    pub letter: Letter,
    /// What the archive knows about it.
    pub evidence: Evidence,
    /// How it differs from the revision that the person saw before.
    pub since_seen: Option<RevisionDiff>,
    /// What happened to it, oldest first.
    pub trail: Vec<Event>,
    /// How many seconds are left to take a yes back; 0 when it may be leaving.
    pub undo_left: Option<i64>,
}

impl Overview {
    /// The outbox of this home.
    #[must_use]
    pub fn new(home: &Home, approvals: Arc<Approvals>) -> Self {
        Self { home: home.clone(), approvals }
    }

    /// What is under way.
    pub fn board(&self) -> Result<Board, OutboxError> {
        self.board_of(MOST_WAITING)
    }

    /// The same with at most so many of each.
    pub(super) fn board_of(&self, most: usize) -> Result<Board, OutboxError> {
        let reader = self.reader()?;
        let of = |states: &[ItemState]| -> Result<(Vec<Line>, usize), OutboxError> {
            let listed = lines(&reader, states, most, 0)?;
            let counts = states.iter().map(|state| reader.count_items(*state));
            let count = counts.sum::<Result<u64, _>>()?;
            let more = usize::try_from(count).unwrap_or(usize::MAX).saturating_sub(listed.len());
            Ok((listed, more))
        };
        let (mut waiting, more_waiting) = of(&[ItemState::PendingApproval])?;
        let (leaving, more_leaving) = of(&[ItemState::Approved, ItemState::Sending])?;
        let (unknown, more_unknown) = of(&[ItemState::Unknown])?;
        waiting.reverse();
        // What the person moved to where approved notes lie is what they want to decide about next.
        waiting.sort_by_key(|line| std::cmp::Reverse(line.moved));
        Ok(Board {
            waiting,
            leaving,
            unknown,
            more: More { waiting: more_waiting, leaving: more_leaving, unknown: more_unknown },
            paused: reader.outbox_state()?.paused,
        })
    }

    /// What was decided or has left, newest first.
    pub fn history(&self, limit: usize, offset: usize) -> Result<Vec<Line>, OutboxError> {
        let over = ItemState::all().filter(|state| {
            !matches!(
                state,
                ItemState::Draft | ItemState::PendingApproval | ItemState::Approved | ItemState::Sending
            )
        });
        lines(&self.reader()?, &over.collect::<Vec<_>>(), limit, offset)
    }

    /// One item, by its id or code.
    pub fn line(&self, id: &str) -> Result<Line, OutboxError> {
        Ok(Line::of(&propose::find(&self.reader()?, id)?))
    }

    /// One item whole, as the person looks at it.
    pub fn sight(&self, id: &str, mentions: &mut FindMentions<'_>, now: i64) -> Result<Sight, OutboxError> {
        let reader = self.reader()?;
        let item = propose::find(&reader, id)?;
        let calls = CallLog::at(self.home.calls());
        let mut sources = Sources { reader: &reader, calls: &calls, mentions, now };
        Ok(Sight {
            letter: Letter::of(&reader, &item)?,
            evidence: Evidence::of(&mut sources, &item)?,
            since_seen: since_seen(&reader, &item)?,
            trail: trail::of(&reader, item.draft.id)?,
            undo_left: trail::undo_left(&reader, &item, now)?,
        })
    }

    /// What would leave of one item.
    pub fn letter(&self, id: &str) -> Result<Letter, OutboxError> {
        let reader = self.reader()?;
        Letter::of(&reader, &propose::find(&reader, id)?)
    }

    /// Notes that the person was shown an item at this revision, once for each.
    pub fn note_look(&self, letter: &Letter, door: Door) -> Result<(), OutboxError> {
        let item = propose::find(&self.reader()?, &letter.line.id)?;
        if item.hash() == letter.hash { self.approvals.note_look(&item, door) } else { Ok(()) }
    }

    /// How an item differs from what had this hash when a page showed it; `None` when no page showed that.
    pub fn changes_since(&self, id: &str, shown: &str) -> Result<Option<RevisionDiff>, OutboxError> {
        let reader = self.reader()?;
        let item = propose::find(&reader, id)?;
        match revisions::shown_as(&reader, item.draft.id, shown)? {
            Some(before) if before < item.draft.revision => {
                RevisionDiff::between(&reader, item.draft.id, before, item.draft.revision)
            }
            _ => Ok(None),
        }
    }

    /// How many seconds are left to take a yes back; 0 when it may be leaving.
    pub fn undo_left(&self, id: &str, now: i64) -> Result<Option<i64>, OutboxError> {
        let reader = self.reader()?;
        trail::undo_left(&reader, &propose::find(&reader, id)?, now)
    }

    /// Whether the person was shown exactly this of an item, whole.
    pub fn was_shown(&self, id: &str, hash: &ItemHash) -> Result<bool, OutboxError> {
        let reader = self.reader()?;
        revisions::was_shown(&reader, propose::find(&reader, id)?.draft.id, hash)
    }

    /// What counts now for a yes.
    pub fn in_force(&self) -> Result<InForce, OutboxError> {
        self.approvals.now_in_force(&self.reader()?)
    }

    /// The passkeys that count.
    pub fn passkeys(&self) -> Result<Keys, OutboxError> {
        self.approvals.passkeys(&self.reader()?)
    }

    /// What vouches for a new passkey.
    pub fn voucher(&self) -> Result<Voucher, OutboxError> {
        self.approvals.voucher(&self.reader()?)
    }

    fn reader(&self) -> Result<Reader, OutboxError> {
        Ok(Reader::open_or_empty(&self.home.store())?)
    }
}

impl Line {
    pub(super) fn of(item: &Item) -> Self {
        let draft = &item.draft;
        Self {
            id: draft.id.to_string(),
            code: item.code.to_string(),
            channel: item.channel,
            state: draft.state,
            revision: draft.revision,
            hash: item.hash().0.to_hex(),
            from: draft.from.address.clone(),
            to: draft.recipients.all().map(Address::shown).collect(),
            subject: draft.subject.clone(),
            client: item.origin.client.clone(),
            proposed: item.proposed,
            changed: item.changed,
            reason: item.reason.clone(),
            not_before: item.not_before,
            moved: item.moved.filter(|it| it.revision == draft.revision).map(|it| it.epoch),
        }
    }
}

fn lines(
    reader: &Reader,
    states: &[ItemState],
    limit: usize,
    offset: usize,
) -> Result<Vec<Line>, OutboxError> {
    let filter = ItemFilter { states: states.to_vec(), limit, offset };
    Ok(reader.items(&filter)?.iter().map(Line::of).collect())
}

/// How an item differs from the newest earlier revision that the person saw; `None` when they saw none.
fn since_seen(reader: &Reader, item: &Item) -> Result<Option<RevisionDiff>, OutboxError> {
    let seen = revisions::seen(reader, item.draft.id)?;
    match seen.into_iter().filter(|revision| *revision < item.draft.revision).max() {
        Some(before) => RevisionDiff::between(reader, item.draft.id, before, item.draft.revision),
        None => Ok(None),
    }
}
