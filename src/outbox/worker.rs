//! Sends what was approved, once. One worker a home: it holds a lock that ends with its process, and a number in the store
//! that grows with each worker, so that one that was held up goes no further when another has taken over.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::account::Tokens;
use crate::clock::Clock;
use crate::home::Home;
use crate::model::{DraftId, DraftKey, ItemState, Lane, OutboxSettings, PolicySettings, Route, dated};
use crate::outbox::approval::{self, Approvals, ApprovedItem, Claim, Claimer};
use crate::outbox::carriers::{Carriers, Found, Lost, Means, Outcome, Receipt};
use crate::outbox::journal::{Halt, Journal, Turned};
use crate::outbox::mark::Mark;
use crate::outbox::outcome::{Facts, Outcomes, Then};
use crate::outbox::policy::stricter_of;
use crate::outbox::records::Recorder;
use crate::outbox::{OutboxError, Routes};
use crate::store::{AttemptOutcome, AuditEntry, Item, Move, Reader, Store};

/// How often it is looked whether there is something to send.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How often it is asked again what became of what nobody can say.
const SETTLE_EVERY: Duration = Duration::from_secs(60);
/// After so long only a person can say what became of it.
const SETTLE_FOR: i64 = 24 * 3_600;
/// How long a stop usually waits for the answer to a message.
pub const GRACE: Duration = Duration::from_secs(25);

/// Why a yes of an older copy of the store does not count.
const PUT_BACK: &str = "an older copy of the store was put back: it may have left since";
/// So long is left to a process that can send what this one cannot.
const OTHERS_TURN: Duration = Duration::from_secs(2);
/// The word for programs about what another process has to send.
pub const OTHER_PROCESS: &str = "OTHER_PROCESS";

/// All that is needed to send.
pub struct WorkerParts {
    /// Whose outbox.
    pub home: Home,
    /// Which channels it carries.
    pub lane: Lane,
    /// The time.
    pub clock: Clock,
    /// Who says yes, and knows a yes again.
    pub approvals: Arc<Approvals>,
    /// The ways out of this process.
    pub routes: Routes,
    /// The owner's rules.
    pub policy: PolicySettings,
    /// How it is sent.
    pub settings: OutboxSettings,
    /// What accounts sign in with.
    pub tokens: Arc<Tokens>,
    /// Set to stop.
    pub stop: Arc<AtomicBool>,
    /// How long a stop waits for the answer to a message.
    pub grace: Duration,
}

/// What happened to an item, for a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Which.
    pub id: DraftId,
    /// Where it is now.
    pub state: ItemState,
    /// What is to be said about it.
    pub detail: String,
    /// How often it was tried without sending anything, where it is tried again.
    pub is_retry: bool,
    /// What went wrong, as a word for programs.
    pub error_code: Option<&'static str>,
}

impl Told {
    /// Whether it was not sent because somebody has to sign in anew.
    #[must_use]
    pub fn is_refused_sign_in(&self) -> bool {
        self.state == ItemState::Failed && self.error_code == Some("AUTH_FAILED")
    }
}

/// What came of looking once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// What happened, in order.
    pub told: Vec<Told>,
    /// Another process sends for this home.
    pub is_elsewhere: bool,
}

/// Sends what was approved.
pub struct Worker {
    parts: WorkerParts,
}

impl Worker {
    /// A worker; nothing happens yet.
    #[must_use]
    pub const fn new(parts: WorkerParts) -> Self {
        Self { parts }
    }

    /// Sends what may leave now, with the tries in a row that it takes, and ends.
    pub fn run_once(&self) -> Result<Report, OutboxError> {
        let Some(mut turn) = self.begin()? else {
            return Ok(Report { is_elsewhere: true, ..Report::default() });
        };
        loop {
            turn.look()?;
            let Some(wait) = turn.next_try() else { break };
            if !self.sleep(wait) {
                break;
            }
        }
        Ok(Report { told: turn.told, is_elsewhere: false })
    }

    /// Sends until it is stopped. `on` hears of each item.
    pub fn run(&self, on: &dyn Fn(&Told)) {
        while !self.is_stopped() {
            let mut pause = LOOK_EVERY * 2;
            // A store that is not there yet, or that cannot be written, is looked at again later: nothing is sent.
            if let Ok(Some(mut turn)) = self.begin() {
                while !self.is_stopped() && turn.is_ours && turn.look().is_ok() {
                    turn.tell(on);
                    if turn.waits_for_others && turn.resting.is_empty() {
                        pause = OTHERS_TURN;
                        break;
                    }
                    let wait = turn.next_try().map_or(LOOK_EVERY, |wait| wait.min(LOOK_EVERY));
                    self.sleep(wait.max(Duration::from_millis(10)));
                }
                turn.tell(on);
            }
            self.sleep(pause);
        }
    }

    fn is_stopped(&self) -> bool {
        self.parts.stop.load(Ordering::Relaxed)
    }

    /// Says no when it was stopped meanwhile.
    fn sleep(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while !self.is_stopped() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(Duration::from_millis(100)));
        }
        false
    }

    /// Takes the turn, unless another process has it or there is nothing to look at.
    fn begin(&self) -> Result<Option<Turn<'_>>, OutboxError> {
        let Some(mark) = Mark::lock(&self.parts.home, self.parts.lane)? else { return Ok(None) };
        let mut store = Store::open_existing(&self.parts.home.store())?;
        let tx = store.begin()?;
        let is_known = mark.is_known(&tx)?;
        if is_known == Some(false) {
            tx.take_every_yes_back(PUT_BACK)?;
        }
        let head = if is_known == Some(true) { None } else { tx.audit_head()? };
        let fence = tx.take_turn(self.parts.lane)?;
        tx.commit()?;
        head.map_or(Ok(()), |head| mark.set(&head))?;
        let means = Means {
            connections: Arc::clone(self.parts.approvals.connections()),
            clock: self.parts.clock.clone(),
            settings: self.parts.settings,
            tokens: Arc::clone(&self.parts.tokens),
            routes: self.parts.routes.clone(),
            stop: Arc::clone(&self.parts.stop),
            grace: self.parts.grace,
        };
        let mut turn = Turn {
            parts: &self.parts,
            mark,
            store,
            fence,
            carriers: Carriers::new(&means),
            resting: BTreeMap::new(),
            undo: BTreeMap::new(),
            has_waited: BTreeSet::new(),
            settled: None,
            has_kept_rules: false,
            is_ours: true,
            waits_for_others: false,
            told: Vec::new(),
        };
        turn.recover()?;
        Ok(Some(turn))
    }
}

/// The time during which one worker sends.
struct Turn<'a> {
    parts: &'a WorkerParts,
    mark: Mark,
    store: Store,
    fence: i64,
    carriers: Carriers,
    /// Items between two tries in a row.
    resting: BTreeMap<DraftKey, Instant>,
    /// Items that could still be taken back when they were first met.
    undo: BTreeMap<DraftKey, Instant>,
    has_waited: BTreeSet<DraftKey>,
    /// When it was last asked what became of what nobody can say.
    settled: Option<Instant>,
    /// Whether the rules it sends under are kept, so that only the person makes them weaker.
    has_kept_rules: bool,
    is_ours: bool,
    /// Whether something waits for a process that has other credentials, and cannot leave while this one has the turn.
    waits_for_others: bool,
    told: Vec<Told>,
}

impl Turn<'_> {
    fn now_ms(&self) -> i64 {
        self.parts.clock.now().as_millisecond()
    }

    fn now(&self) -> i64 {
        self.parts.clock.now().as_second()
    }

    fn is_stopped(&self) -> bool {
        self.parts.stop.load(Ordering::Relaxed)
    }

    /// Tells what happened; not again and again what waits for somebody else.
    fn tell(&mut self, on: &dyn Fn(&Told)) {
        let told = self.told.drain(..).filter(|told| told.error_code != Some(OTHER_PROCESS));
        told.for_each(|told| on(&told));
    }

    /// When the next try in a row is.
    fn next_try(&self) -> Option<Duration> {
        self.resting.values().min().map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// Sends everything whose time has come.
    fn look(&mut self) -> Result<(), OutboxError> {
        let due = self.due()?;
        self.resting.retain(|draft, _| due.contains(draft));
        for draft in due {
            if self.is_stopped() || !self.is_ours {
                break;
            }
            if self.resting.get(&draft).is_some_and(|at| *at > Instant::now()) {
                continue;
            }
            self.resting.remove(&draft);
            self.offer(draft)?;
        }
        Ok(())
    }

    /// What may leave now; nothing while sending is paused.
    fn due(&mut self) -> Result<Vec<DraftKey>, OutboxError> {
        let parts = self.parts;
        let reader = parts.approvals.connections().reader()?;
        self.expire(&reader)?;
        self.settle(&reader)?;
        self.carriers.rest();
        // What waits for its next try waits for the owner while sending is paused.
        if reader.outbox_state()?.paused.is_some() {
            Ok(Vec::new())
        } else {
            Ok(reader.due_items(parts.lane, self.now())?)
        }
    }

    /// Takes one item and sends it, if it may leave.
    fn offer(&mut self, draft: DraftKey) -> Result<(), OutboxError> {
        let parts = self.parts;
        let reader = parts.approvals.connections().reader()?;
        let Some(item) = reader.item_by_key(draft)? else { return Ok(()) };
        self.keep_rules()?;
        let route = parts.routes.of_item(&reader, &item)?;
        if route.is_none() && (parts.lane != Lane::Mail || matches!(item.route, Route::Smtp { .. })) {
            return self.leave_to_others(&item);
        }
        if self.is_too_many(&reader, &item)? {
            return Ok(());
        }
        // An account without a way out now is another way out than the one that was approved.
        let route = route.unwrap_or_else(|| Route::Folder("nowhere".into()));
        let claimer = Claimer {
            approvals: &parts.approvals,
            policy: &parts.policy,
            lane: parts.lane,
            fence: self.fence,
            clock: &parts.clock,
            has_waited: &self.has_waited,
        };
        match claimer.claim(&mut self.store, draft, &route)? {
            Claim::Taken(taken) => {
                let mut recorder = Recorder::of(&taken, &item.records, &parts.clock);
                if let Some(recorder) = &mut recorder {
                    recorder.retries = reader.attempts_of(draft)?.len().saturating_sub(1);
                }
                // Who carries it needs it next, and opening another takes longer than all that was asked here.
                drop(reader);
                self.send(*taken, recorder.as_ref())
            }
            Claim::NotNow => Ok(()),
            Claim::Undo { seconds } => {
                self.wait_for_undo(draft, seconds);
                Ok(())
            }
            Claim::Superseded => {
                self.is_ours = false;
                Ok(())
            }
            Claim::Void(why) => {
                let (id, state) = (item.draft.id, ItemState::PendingApproval);
                self.told.push(Told { id, state, detail: why.to_owned(), is_retry: false, error_code: None });
                Ok(())
            }
        }
    }

    /// It waits for the process that has the credentials: the environment of another one names the server, as far as can be
    /// told here. Nothing about the yes is wrong.
    fn leave_to_others(&mut self, item: &Item) -> Result<(), OutboxError> {
        self.waits_for_others = true;
        let (id, state) = (item.draft.id, item.draft.state);
        if let Route::Smtp { endpoint, .. } = &item.route {
            let detail = format!(
                "leaves by a process that knows `{}`: put SMTP_HOST and its like into the `.env` file beside the \
                 configuration",
                endpoint.host
            );
            if item.reason.as_deref() != Some(&*detail) {
                let now = self.now();
                let tx = self.store.begin()?;
                tx.put_off(item.draft.key, now, &detail, OTHER_PROCESS)?;
                tx.commit()?;
            }
            self.told.push(Told { id, state, detail, is_retry: false, error_code: Some(OTHER_PROCESS) });
        }
        Ok(())
    }

    /// The clock may have been set back since the yes: who has waited for as long as it takes need not look at it.
    fn wait_for_undo(&mut self, draft: DraftKey, seconds: i64) {
        let until = *self.undo.entry(draft).or_insert_with(Instant::now)
            + Duration::from_secs(seconds.unsigned_abs());
        if until <= Instant::now() {
            self.has_waited.insert(draft);
        }
        self.resting.insert(draft, until);
    }

    fn send(&mut self, item: ApprovedItem, recorder: Option<&Recorder>) -> Result<(), OutboxError> {
        let facts = Facts::of(&item);
        self.has_waited.remove(&facts.draft);
        self.undo.remove(&facts.draft);
        let Self { parts, store, carriers, fence, mark, .. } = self;
        let turn = Turned { lane: parts.lane, fence: *fence, mark };
        let mut journal = Journal::new(store, &parts.clock, &parts.stop, &facts, turn);
        let outcome = match recorder.map_or(Ok(()), Recorder::before) {
            Ok(()) => carriers.of(&facts.route).send(item, &mut journal),
            Err(unrecorded) => unrecorded,
        };
        if let Some(recorder) = recorder {
            recorder.after(&outcome, &parts.clock);
        }
        if matches!(outcome, Outcome::Halted(Halt::Superseded)) {
            self.is_ours = false;
        }
        self.write_down(&facts, &outcome)
    }

    /// Writes down what became of an attempt. What cannot be written now is tried again as long as this process runs: the
    /// journal has a dot without an outcome until then, which the next worker takes for `unknown`.
    fn write_down(&mut self, facts: &Facts, outcome: &Outcome) -> Result<(), OutboxError> {
        let mut pause = Duration::from_millis(100);
        loop {
            match self.try_write_down(facts, outcome) {
                Err(OutboxError::Store(_)) if !self.is_stopped() => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_secs(5));
                }
                other => return other,
            }
        }
    }

    fn try_write_down(&mut self, facts: &Facts, outcome: &Outcome) -> Result<(), OutboxError> {
        let at_ms = self.now_ms();
        let tx = self.store.begin()?;
        let then = Outcomes { settings: &self.parts.settings, at_ms }.put(&tx, facts, outcome)?;
        let state = tx.item_state(facts.draft)?.map_or(ItemState::Draft, |(_, state)| state);
        tx.commit()?;
        if let Then::TryAfter(pause) = then {
            self.resting.insert(facts.draft, Instant::now() + pause);
        }
        let is_retry = matches!(then, Then::TryAfter(_)) || matches!(outcome, Outcome::Later(_));
        let error_code = error_code(outcome);
        self.told.push(Told { id: facts.id, state, detail: detail(outcome), is_retry, error_code });
        Ok(())
    }

    /// What is stricter in the configuration counts from the first message that leaves under it until the person says
    /// otherwise, also where nobody looks at what leaves.
    fn keep_rules(&mut self) -> Result<(), OutboxError> {
        if !self.has_kept_rules {
            self.parts.approvals.settle_in(&mut self.store)?;
            self.has_kept_rules = true;
        }
        Ok(())
    }

    /// Whether so much has left lately that this has to wait; then it waits until there is room.
    fn is_too_many(&mut self, reader: &Reader, item: &Item) -> Result<bool, OutboxError> {
        let now_ms = self.now_ms();
        let in_force = self.parts.approvals.now_in_force(reader)?.policy;
        let policy = stricter_of(&in_force, &self.parts.policy);
        let server = item.route.server().to_lowercase();
        let windows = [
            Some((policy.per_hour, "an hour", 3_600, None)),
            Some((policy.per_day, "a day", 86_400, None)),
            policy.most_by(&server).map(|most| (most, "an hour by this server", 3_600, Some(&*server))),
        ];
        for (limit, window, seconds, by) in windows.into_iter().flatten() {
            let since = now_ms - seconds * 1_000;
            let oldest = match limit {
                0 => Some(now_ms),
                _ => reader.nth_newest_dot(limit, since..=now_ms, by)?,
            };
            let Some(oldest) = oldest else { continue };
            let until = oldest.div_euclid(1_000) + seconds + 1;
            let reason = format!("{limit} messages in {window} are allowed");
            let tx = self.store.begin()?;
            tx.put_off(item.draft.key, until, &reason, "RATE_LIMIT_EXCEEDED")?;
            tx.commit()?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Proposals that nobody decided about in time are void.
    fn expire(&mut self, reader: &Reader) -> Result<(), OutboxError> {
        let hours = i64::from(self.parts.policy.expire);
        let (now, at_ms) = (self.now(), self.now_ms());
        for draft in reader.undecided_since(self.parts.lane, now - hours * 3_600)? {
            let Some(item) = reader.item_by_key(draft)? else { continue };
            let reason = approval::undecided(hours);
            let tx = self.store.begin()?;
            let moved = tx.move_item(&Move {
                draft,
                revision: item.draft.revision,
                from: ItemState::PendingApproval,
                to: ItemState::Expired,
                reason: Some(&reason),
                error_code: None,
                epoch: now,
            })?;
            if moved {
                let body = json!({ "revision": item.draft.revision, "reason": reason });
                tx.append_audit(&AuditEntry { kind: "expired", item: Some(item.draft.id), at_ms, body })?;
                tx.commit()?;
                let (id, state) = (item.draft.id, ItemState::Expired);
                self.told.push(Told { id, state, detail: reason, is_retry: false, error_code: None });
            }
        }
        Ok(())
    }

    /// What a worker before this one has left open: without a dot nothing has left; with one, in the row or in the chain,
    /// nobody can say.
    fn recover(&mut self) -> Result<(), OutboxError> {
        let at_ms = self.now_ms();
        let tx = self.store.begin()?;
        let outcomes = Outcomes { settings: &self.parts.settings, at_ms };
        let mut told = Vec::new();
        for attempt in tx.open_attempts(self.parts.lane)? {
            let Some(item) = tx.item(attempt.draft)? else { continue };
            let has_dot = attempt.dot_ms.is_some()
                || tx.last_word(item.draft.id)?.is_some_and(|word| word.kind == "dot");
            let outcome = match has_dot {
                false => Outcome::Halted(Halt::Stopped),
                true => Outcome::Unknown("the process ended before the server had answered".to_owned()),
            };
            outcomes.put(&tx, &Facts::of_attempt(&item, &attempt), &outcome)?;
            let state = tx.item_state(attempt.draft)?.map_or(ItemState::Draft, |(_, state)| state);
            told.push(Told {
                id: item.draft.id,
                state,
                detail: detail(&outcome),
                is_retry: false,
                error_code: None,
            });
        }
        tx.commit()?;
        self.told.extend(told);
        Ok(())
    }

    /// Asks again what became of what nobody can say, where there is somebody to ask.
    fn settle(&mut self, reader: &Reader) -> Result<(), OutboxError> {
        if self.settled.is_some_and(|last| last.elapsed() < SETTLE_EVERY) {
            return Ok(());
        }
        self.settled = Some(Instant::now());
        for item in reader.unknown_items(self.parts.lane, self.now() - SETTLE_FOR)? {
            if self.is_stopped() {
                break;
            }
            self.look_for(reader, &item)?;
        }
        Ok(())
    }

    fn look_for(&mut self, reader: &Reader, item: &Item) -> Result<(), OutboxError> {
        let Some(attempt) = reader.attempts_of(item.draft.key)?.pop() else { return Ok(()) };
        if attempt.outcome != Some(AttemptOutcome::Unknown) || attempt.revision != item.draft.revision {
            return Ok(());
        }
        // Another id than the one that was sent under finds something else, and something else that is not sent.
        if dot_of(reader, item)?.is_some_and(|dot| dot["remote_id"].as_str() != attempt.remote_id.as_deref())
        {
            return Ok(());
        }
        let facts = Facts::of_attempt(item, &attempt);
        if reader.is_in_sent(item.draft.key)? {
            return self.write_down(&facts, &Outcome::Sent(Receipt::found()));
        }
        let bytes = reader.draft_bytes(item.draft.key, attempt.revision)?.unwrap_or_default();
        let message = dated(&bytes, attempt.data_ms.unwrap_or_default().div_euclid(1_000));
        let lost = Lost {
            id: item.draft.id.to_string(),
            account: &item.draft.account,
            message_id: &item.draft.message_id,
            remote_id: attempt.remote_id.as_deref(),
            route: &item.route,
            message: &message,
        };
        match self.carriers.of(&item.route).look(&lost) {
            Found::Sent(receipt) => self.write_down(&facts, &Outcome::Sent(receipt)),
            Found::NotSent => self.write_down(&facts, &Outcome::Halted(Halt::Stopped)),
            Found::Unknown => Ok(()),
        }
    }
}

const fn error_code(outcome: &Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Failed(trouble) | Outcome::Later(trouble) => Some(trouble.code),
        Outcome::Sent(_) | Outcome::Halted(_) | Outcome::Unknown(_) => None,
    }
}

/// What the chain tells of the last time that an item went as far as its final dot.
fn dot_of(reader: &Reader, item: &Item) -> Result<Option<Value>, OutboxError> {
    let last = reader.audit_of(item.draft.id)?.into_iter().rfind(|row| row.kind == "dot");
    Ok(last.and_then(|row| serde_json::from_str(&row.body).ok()))
}

fn detail(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Sent(receipt) => receipt.reply.clone(),
        Outcome::Failed(trouble) | Outcome::Later(trouble) => trouble.reason.clone(),
        Outcome::Halted(halt) => halt.to_string(),
        Outcome::Unknown(detail) => detail.clone(),
    }
}
