//! `mailkeep outbox review`: shows each item whole on the person's terminal and asks them about it.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use crate::cli::approval::status::notices;
use crate::cli::context::Context;
use crate::cli::controlling_terminal::ControllingTerminal;
use crate::cli::factor;
use crate::cli::failure::Failure;
use crate::cli::leaving;
use crate::cli::outbox::departure::{Departure, waits_for_others};
use crate::cli::outbox::presented::Presented;
use crate::cli::outbox::reader;
use crate::cli::outbox::view::ItemView;
use crate::model::{DraftId, ItemCode, ItemHash, ItemState};
use crate::outbox::OutboxError;
use crate::outbox::approval::{Approvals, Door};
use crate::outbox::propose::Proposals;
use crate::query::Archive;
use crate::store::{Item, ItemFilter};
use crate::text_safety::plain_line;

/// Look at what waits and say yes or no
///
/// Asks on your terminal, not on standard input: a program that pipes answers in is refused. Type the item's code to send
/// exactly what is shown.
#[derive(Args)]
#[command(after_help = "Examples:\n  mailkeep outbox review\n  mailkeep outbox review K7QP")]
pub(super) struct Arguments {
    /// Ids or codes; without any, all that waits
    ids: Vec<String>,
}

/// How many items are asked about in one go.
const MOST: usize = 1_000;

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let mut terminal = ControllingTerminal::open("a yes")?;
    let reader = reader(context)?;
    let (approvals, proposals) = (leaving::approvals(context), leaving::proposals(context));
    approvals.settle()?;
    let in_force = factor::in_force(&approvals, &reader)?;
    for notice in notices(&in_force) {
        terminal.say(&plain_line(&notice))?;
    }
    if in_force.is_broken {
        return Err(OutboxError::Broken.into());
    }
    if let Some(factor) = in_force.missing {
        return Err(OutboxError::NotSetUp { factor }.into());
    }
    let ids = match arguments.ids.as_slice() {
        [] => waiting(&reader)?,
        ids => {
            ids.iter().map(|id| Ok(proposals.status(id)?.item.draft.id)).collect::<Result<_, Failure>>()?
        }
    };
    let archive = context.archive()?;
    let mut review = Review { terminal, approvals, proposals, archive, has_unreadable: false, context };
    let decided = review.all(&ids)?;
    review.finish(&decided)
}

/// What waits for a yes, the oldest first.
fn waiting(reader: &crate::store::Reader) -> Result<Vec<DraftId>, Failure> {
    let states = vec![ItemState::PendingApproval];
    let mut items = reader.items(&ItemFilter { states, limit: MOST, offset: 0 })?;
    items.reverse();
    Ok(items.into_iter().map(|item| item.draft.id).collect())
}

/// What the person said.
enum Word {
    Yes,
    No(Option<String>),
    Skip,
    Quit,
}

struct Review<'a> {
    terminal: ControllingTerminal,
    approvals: Arc<Approvals>,
    proposals: Arc<Proposals>,
    archive: Archive,
    /// Whether something could not be shown.
    has_unreadable: bool,
    context: &'a mut Context,
}

impl Review<'_> {
    /// Asks about each; those that were decided about.
    fn all(&mut self, ids: &[DraftId]) -> Result<Vec<Item>, Failure> {
        let mut decided = Vec::new();
        for (place, id) in ids.iter().enumerate() {
            if ids.len() > 1 {
                self.terminal.say(&format!("\n{} of {}", place + 1, ids.len()))?;
            }
            match self.one(*id)? {
                Some(Some(item)) => decided.push(item),
                Some(None) => {}
                None => break,
            }
        }
        Ok(decided)
    }

    /// Shows an item until it was decided about: `None` to stop, `Some(None)` to leave it.
    fn one(&mut self, id: DraftId) -> Result<Option<Option<Item>>, Failure> {
        loop {
            let Some(item) = self.waiting(id)? else { return Ok(Some(None)) };
            let shown = match Presented::of(&item, &mut self.archive, self.context) {
                Ok(shown) => shown,
                Err(failure) => return self.pass_over(&item, &failure).map(Some),
            };
            self.terminal.say("")?;
            for line in &shown.lines {
                self.terminal.say(line)?;
            }
            self.approvals.note_look(&item, Door::Terminal)?;
            let decided = match self.word(item.code)? {
                Word::Skip => return Ok(Some(None)),
                Word::Quit => return Ok(None),
                Word::No(reason) => self.reject(&item, reason.as_deref()),
                Word::Yes => self.approve(&item, &shown.hash),
            };
            match decided {
                Ok(item) => return Ok(Some(Some(item))),
                Err(Undecided::Changed) => self
                    .terminal
                    .say(&format!("\n{} was changed while you looked; nothing was decided", item.code))?,
                Err(Undecided::Failed(failure)) => return Err(failure),
            }
        }
    }

    /// One that cannot be shown waits on, and keeps nobody from the others.
    fn pass_over(&mut self, item: &Item, failure: &Failure) -> Result<Option<Item>, Failure> {
        self.has_unreadable = true;
        let why = plain_line(failure.message());
        self.terminal.say(&format!("{} cannot be shown, so nothing was decided: {why}", item.code))?;
        Ok(None)
    }

    /// The item as it is now, if it waits for a word; else says what became of it.
    fn waiting(&mut self, id: DraftId) -> Result<Option<Item>, Failure> {
        let item = match self.proposals.status(&id.to_string()) {
            Ok(status) => status.item,
            Err(OutboxError::UnknownItem { .. }) => {
                self.terminal.say(&format!("{id} is gone and waits for nothing"))?;
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        match item.draft.state {
            ItemState::PendingApproval => return Ok(Some(item)),
            ItemState::Draft => self.terminal.say(&format!(
                "{} is a draft again, revision {}, and waits for nothing until it is proposed",
                item.code, item.draft.revision
            ))?,
            state => self.terminal.say(&format!("{} is {state} and waits for nothing", item.code))?,
        }
        Ok(None)
    }

    fn word(&mut self, code: ItemCode) -> Result<Word, Failure> {
        let question = format!("\n{code} sends it, `r REASON` says no, `s` leaves it, `q` stops: ");
        loop {
            let Some(typed) = self.terminal.ask(&question)? else { return Ok(Word::Quit) };
            let (word, rest) = typed.split_once(' ').unwrap_or((&typed, ""));
            match word {
                "q" | "Q" => return Ok(Word::Quit),
                "s" | "S" => return Ok(Word::Skip),
                "r" | "R" => {
                    let reason = rest.trim();
                    return Ok(Word::No((!reason.is_empty()).then(|| reason.to_owned())));
                }
                _ if ItemCode::parse(&typed) == Some(code) => return Ok(Word::Yes),
                _ => self.terminal.say(&format!("that is not {code}: nothing was decided"))?,
            }
        }
    }

    fn reject(&mut self, item: &Item, reason: Option<&str>) -> Result<Item, Undecided> {
        let item = self.approvals.reject(&item.draft.id.to_string(), reason)?;
        self.tell(&item, "rejected")?;
        Ok(item)
    }

    fn approve(&mut self, item: &Item, shown: &ItemHash) -> Result<Item, Undecided> {
        let reader = reader(self.context)?;
        let in_force = factor::in_force(&self.approvals, &reader)?;
        let proof = factor::ask(&mut self.terminal, &self.approvals, &in_force)?;
        let item = self.approvals.approve(&item.draft.id.to_string(), shown, Door::Terminal, &proof)?;
        self.tell(&item, "approved")?;
        Ok(item)
    }

    fn tell(&mut self, item: &Item, what: &str) -> Result<(), Failure> {
        self.terminal.say(&format!("{} {what}", item.code))
    }

    /// Sends what was approved, and tells what became of everything that was decided about.
    fn finish(mut self, decided: &[Item]) -> Result<ExitCode, Failure> {
        let undo = factor::in_force(&self.approvals, &reader(self.context)?)?.policy.undo;
        let yes = decided.iter().filter(|item| item.draft.state == ItemState::Approved);
        let yes: Vec<_> = yes.map(|item| item.draft.id).collect();
        let sent = match yes.as_slice() {
            [] => Vec::new(),
            ids => self.departure().see_off(ids, undo)?,
        };
        let no = decided.iter().filter(|item| item.draft.state != ItemState::Approved);
        let went_wrong = |item: &Item| {
            matches!(item.draft.state, ItemState::Failed | ItemState::Unknown) || waits_for_others(item)
        };
        let is_bad = self.has_unreadable || sent.iter().any(went_wrong);
        let code = if is_bad { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        if self.context.output.is_json() {
            let items: Vec<_> = sent.iter().chain(no).map(ItemView::of).collect();
            self.context.output.json(&json!({ "items": items }))?;
        } else if decided.is_empty() {
            self.terminal.say("nothing was decided")?;
        }
        Ok(code)
    }

    fn departure(&mut self) -> Departure<'_> {
        Departure {
            terminal: &mut self.terminal,
            approvals: &self.approvals,
            proposals: &self.proposals,
            context: self.context,
        }
    }
}

/// Why a word was not taken.
enum Undecided {
    /// The item is not what was shown, or waits for no word any more.
    Changed,
    Failed(Failure),
}

impl From<Failure> for Undecided {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<OutboxError> for Undecided {
    fn from(error: OutboxError) -> Self {
        match error {
            OutboxError::Changed { .. }
            | OutboxError::WrongState { .. }
            | OutboxError::UnknownItem { .. } => Self::Changed,
            other => Self::Failed(other.into()),
        }
    }
}
