//! After a yes: sends what was approved and waits until it is known what became of it. Ctrl-C takes back what has not left.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::context::Context;
use crate::cli::controlling_terminal::ControllingTerminal;
use crate::cli::failure::Failure;
use crate::cli::leaving;
use crate::cli::local_time::local_time;
use crate::cli::sync::stop_on_signal;
use crate::model::{DraftId, ItemState};
use crate::outbox::OutboxError;
use crate::outbox::approval::Approvals;
use crate::outbox::propose::Proposals;
use crate::outbox::worker::OTHER_PROCESS;
use crate::query::iso_date;
use crate::store::{Item, Reader};
use crate::text_safety::plain_line;

/// How often it is looked what became of them.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// So long another process that has other credentials has to take it.
const OTHERS: Duration = Duration::from_secs(6);

/// Whether only another process can send an item.
pub(super) fn waits_for_others(item: &Item) -> bool {
    item.draft.state == ItemState::Approved && item.error_code.as_deref() == Some(OTHER_PROCESS)
}

/// What was approved here, on its way out.
pub(super) struct Departure<'a> {
    pub(super) terminal: &'a mut ControllingTerminal,
    pub(super) approvals: &'a Approvals,
    pub(super) proposals: &'a Proposals,
    pub(super) context: &'a Context,
}

impl Departure<'_> {
    /// Sends these items; how each stands when there is nothing more to wait for.
    pub(super) fn see_off(&mut self, ids: &[DraftId], undo: u32) -> Result<Vec<Item>, Failure> {
        if Reader::open(&self.context.home.store())?.outbox_state()?.paused.is_some() {
            self.terminal.say("sending is paused: it leaves after `mailkeep outbox resume`")?;
            return self.items(ids);
        }
        let (own, others): (Vec<_>, Vec<_>) =
            self.items(ids)?.into_iter().partition(|item| item.channel.lane() == self.context.lane);
        for item in &others {
            self.tell_other(item)?;
        }
        let all = ids;
        let ids: Vec<_> = own.iter().map(|item| item.draft.id).collect();
        if ids.is_empty() {
            return self.items(all);
        }
        let (interrupted, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        stop_on_signal(&interrupted);
        if undo > 0 {
            let them = if ids.len() == 1 { "it" } else { "them" };
            self.terminal.say(&format!("sends in {undo} s, Ctrl-C takes {them} back"))?;
        }
        let worker = leaving::worker(self.context, &stop);
        thread::scope(|scope| {
            scope.spawn(|| worker.run(&|_| ()));
            let seen = self.watch(&ids, &interrupted);
            stop.store(true, Ordering::Relaxed);
            seen
        })?;
        self.items(all)
    }

    /// What another process sends, because only that one has the credentials.
    fn tell_other(&mut self, item: &Item) -> Result<(), Failure> {
        let channel = item.channel.name();
        self.terminal.say(&format!(
            "{} leaves by the process that has the credentials of {channel}: an assistant's `mailkeep mcp --profile \
             {channel}` while it runs, or `mailkeep outbox send --channel {channel}`",
            item.code
        ))
    }

    /// Waits until each has come to rest; tells of each as it does.
    fn watch(&mut self, ids: &[DraftId], interrupted: &AtomicBool) -> Result<(), Failure> {
        let (mut told, mut is_taken_back) = (BTreeSet::new(), false);
        let begun = Instant::now();
        while told.len() < ids.len() {
            if interrupted.load(Ordering::Relaxed) && !is_taken_back {
                self.take_back(ids)?;
                is_taken_back = true;
            }
            for item in self.items(ids)? {
                if self.is_at_rest(&item, begun) && told.insert(item.draft.id.to_string()) {
                    self.tell(&item)?;
                }
            }
            thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }

    /// Cancels what has not left; what is on the wire goes on.
    fn take_back(&mut self, ids: &[DraftId]) -> Result<(), Failure> {
        for id in ids {
            match self.approvals.cancel(&id.to_string(), Some("taken back by the person")) {
                Ok(_) | Err(OutboxError::WrongState { .. }) => {}
                Err(other) => return Err(other.into()),
            }
        }
        Ok(())
    }

    fn items(&self, ids: &[DraftId]) -> Result<Vec<Item>, Failure> {
        ids.iter().map(|id| Ok(self.proposals.status(&id.to_string())?.item)).collect()
    }

    fn is_at_rest(&self, item: &Item, since: Instant) -> bool {
        match item.draft.state {
            ItemState::Sending => false,
            ItemState::Approved if waits_for_others(item) => since.elapsed() > OTHERS,
            ItemState::Approved => item.not_before > self.context.clock.now().as_second(),
            _ => true,
        }
    }

    fn tell(&mut self, item: &Item) -> Result<(), Failure> {
        let reason =
            item.reason.as_deref().map(|reason| format!(": {}", plain_line(reason))).unwrap_or_default();
        let state = match item.draft.state {
            ItemState::Approved if waits_for_others(item) => "not sent yet".to_owned(),
            ItemState::Approved => {
                let at = local_time(&iso_date(item.not_before), &self.context.clock);
                format!("not sent yet, it is tried again at {at}")
            }
            ItemState::Unknown => "unknown: it may have left, and nobody can say".to_owned(),
            state => state.name().to_owned(),
        };
        self.terminal.say(&format!("{} {state}{reason}", item.code))
    }
}
