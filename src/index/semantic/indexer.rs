//! Makes the vectors of what is stored: the first of every message, newest messages first, then the others. It can be
//! stopped and killed at any time; what is to be done follows from the store and from the vectors that are there.

use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use crate::index::IndexError;
use crate::index::embedder::{Embedder, ModelInfo, Models};
use crate::index::semantic::Trouble;
use crate::index::semantic::chunks::{Window, windows};
use crate::index::vectors::{RecordHead, Rows, VectorWriter};
use crate::model::MessageKey;
use crate::store::Reader;

/// Vectors that are made between two commits: about a second's worth.
const STEP: usize = 64;
/// More cores than these are left to others.
const MOST_WORKERS: usize = 4;
/// So much of a long text is looked at.
const MOST_TEXT: usize = 1 << 20;
/// So many changes are looked at one by one; after more all messages are.
const FEW: usize = 2_000;
/// What the newest step counts in the pace.
const NEWS: f64 = 0.2;

/// The one who makes vectors.
pub struct SemanticIndexer<'m> {
    writer: VectorWriter,
    /// Loaded only when there is something to read.
    models: &'m Models,
    plan: Plan,
    pace: Option<f64>,
}

/// What is to be done, as of a change of the store.
#[derive(Default)]
struct Plan {
    change: i64,
    total: u64,
    /// Messages without a vector, the newest last.
    first: Vec<MessageKey>,
    /// Messages that should have more vectors, the newest last.
    rest: Vec<MessageKey>,
    /// Messages that were found to have nothing to compare.
    nothing: Vec<MessageKey>,
}

impl Plan {
    fn is_empty(&self) -> bool {
        self.first.is_empty() && self.rest.is_empty()
    }
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Messages that have a vector, or need none.
    pub indexed: u64,
    /// Messages in all.
    pub total: u64,
    /// Further vectors that are to be made.
    pub missing: u64,
    /// Whether nothing is left to do.
    pub is_done: bool,
}

/// A vector that is to be made.
struct Task {
    head: RecordHead,
    text: String,
}

impl<'m> SemanticIndexer<'m> {
    /// Becomes the one who makes vectors; `None` when another process does, or when there is no model. Vectors of
    /// another model or store are given up.
    pub fn try_open(
        directory: &Path,
        store: &Reader,
        models: &'m Models,
    ) -> Result<Option<Self>, IndexError> {
        Self::open(directory, store, models, VectorWriter::try_open)
    }

    /// The same, but gives up all vectors and begins anew.
    pub fn start_over(
        directory: &Path,
        store: &Reader,
        models: &'m Models,
    ) -> Result<Option<Self>, IndexError> {
        Self::open(directory, store, models, VectorWriter::start_over)
    }

    fn open(
        directory: &Path,
        store: &Reader,
        models: &'m Models,
        open: impl Fn(&Path, &str, &ModelInfo) -> Result<Option<VectorWriter>, IndexError>,
    ) -> Result<Option<Self>, IndexError> {
        let Some(info) = models.info()? else { return Ok(None) };
        let identity = store.identity()?;
        let Some(mut writer) = open(directory, &identity, info)? else { return Ok(None) };
        if writer.manifest().sample.is_some() && writer.recognise(models.sample()?).is_err() {
            drop(writer);
            let Some(anew) = VectorWriter::start_over(directory, &identity, info)? else { return Ok(None) };
            writer = anew;
        }
        Trouble::clear(directory);
        // A change that is never reached, so that the first step makes a plan.
        let plan = Plan { change: -1, ..Plan::default() };
        Ok(Some(Self { writer, models, plan, pace: None }))
    }

    /// Lets others write until it resumes, and keeps what it knows.
    pub fn rest(&self) -> Result<(), IndexError> {
        self.writer.rest()
    }

    /// Goes on; says whether it can, which it cannot when others write or have written.
    pub fn resume(&self) -> Result<bool, IndexError> {
        self.writer.resume()
    }

    /// How many records were damaged when it began; they are made again.
    #[must_use]
    pub const fn damaged(&self) -> usize {
        self.writer.damaged()
    }

    /// Works for about a second and makes the result durable. `None` when it was stopped meanwhile.
    pub fn step(&mut self, store: &Reader, stop: &AtomicBool) -> Result<Option<Progress>, IndexError> {
        self.follow(store)?;
        if !self.plan.is_empty() && !self.make(store, stop)? {
            return Ok(None);
        }
        self.writer.commit(self.plan.change, self.pace)?;
        Ok(Some(self.progress()))
    }

    /// Makes the next vectors; says whether it could, which it cannot once it is stopped.
    fn make(&mut self, store: &Reader, stop: &AtomicBool) -> Result<bool, IndexError> {
        let missing = || IndexError::Model { detail: "there is none".to_owned() };
        let embedder = self.models.embedder()?.ok_or_else(missing)?;
        let began = Instant::now();
        let tasks = self.tasks(store, embedder.as_ref())?;
        if !tasks.is_empty() {
            self.writer.recognise(self.models.sample()?)?;
        }
        let texts: Vec<&str> = tasks.iter().map(|task| task.text.as_str()).collect();
        let Some(vectors) = embed(embedder.as_ref(), &texts, stop)? else { return Ok(false) };
        for (task, vector) in tasks.iter().zip(vectors) {
            self.writer.add(&task.head, &vector)?;
        }
        for message in std::mem::take(&mut self.plan.nothing) {
            self.writer.add_nothing(message)?;
        }
        if !tasks.is_empty() {
            self.measure(tasks.len(), began);
        }
        Ok(true)
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let missing = self.writer.missing();
        let is_done = self.plan.is_empty() && missing == 0;
        Progress { indexed: self.writer.first().len(), total: self.plan.total, missing, is_done }
    }

    /// Looks whether the store has changed: erases what is outdated, and plans anew.
    pub fn follow(&mut self, store: &Reader) -> Result<(), IndexError> {
        // Read first: what is stored after this is met by the next look.
        let newest = store.newest_change()?;
        if self.must_go_on() {
            return self.plan_anew(store, newest);
        }
        if newest == self.plan.change {
            return Ok(());
        }
        let changed = store.all_changes_after(self.plan.change, FEW)?;
        if self.plan.change < 0 || changed.len() == FEW {
            return self.plan_anew(store, newest);
        }
        self.amend_plan(store, newest, &changed.into_iter().collect())
    }

    /// Looks at these messages only: most changes are of flags, and of a few messages.
    fn amend_plan(&mut self, store: &Reader, newest: i64, changed: &Rows) -> Result<(), IndexError> {
        let rewritten = store.changes_after(self.plan.change, FEW)?;
        let rewritten: Rows = rewritten.into_iter().map(|change| change.message).collect();
        let (mut outdated, mut wanted) = (Rows::default(), Vec::new());
        for message in changed.iter() {
            let (is_shown, is_known) = (!store.is_withheld(message)?, self.writer.first().contains(message));
            if is_known && (rewritten.contains(message) || !is_shown) {
                outdated.insert(message);
            }
            if is_shown && (!is_known || rewritten.contains(message)) {
                wanted.push(message);
            }
        }
        if !outdated.is_empty() {
            self.writer.erase(&outdated)?;
        }
        let Plan { first, rest, .. } = &mut self.plan;
        first.retain(|message| !changed.contains(*message));
        first.extend(wanted);
        rest.retain(|message| !outdated.contains(*message));
        (self.plan.change, self.plan.total) = (newest, store.count_shown()?);
        Ok(())
    }

    /// Looks at all messages.
    fn plan_anew(&mut self, store: &Reader, newest: i64) -> Result<(), IndexError> {
        let mut shown = store.shown_newest_first()?;
        let total = shown.len() as u64;
        let outdated = self.outdated(store, &shown)?;
        if !outdated.is_empty() {
            self.writer.erase(&outdated)?;
        }
        shown.reverse();
        let rest = shown.iter().copied().filter(|key| self.writer.unfinished(*key).is_some()).collect();
        shown.retain(|key| !self.writer.first().contains(*key));
        self.plan = Plan { change: newest, total, first: shown, rest, nothing: Vec::new() };
        Ok(())
    }

    /// Whether all first vectors that were planned are made, and others became known by that.
    fn must_go_on(&self) -> bool {
        self.plan.is_empty() && self.writer.missing() > 0
    }

    /// Messages whose vectors are of other words than they have now, or that nobody may find any more.
    fn outdated(&self, store: &Reader, shown: &[MessageKey]) -> Result<Rows, IndexError> {
        let shown: Rows = shown.iter().copied().collect();
        let changed = store.changes_after(self.writer.manifest().seen, usize::MAX >> 1)?;
        let changed = changed.into_iter().map(|change| change.message);
        let hidden = self.writer.first().iter().filter(|key| !shown.contains(*key));
        Ok(changed.filter(|key| self.writer.first().contains(*key)).chain(hidden).collect())
    }

    /// The next vectors to make.
    fn tasks(&mut self, store: &Reader, embedder: &dyn Embedder) -> Result<Vec<Task>, IndexError> {
        let mut tasks = Vec::new();
        while tasks.len() < STEP {
            if let Some(message) = self.plan.first.pop() {
                match passages(store, embedder, message)? {
                    Some(windows) if windows.is_empty() => self.plan.nothing.push(message),
                    Some(windows) => tasks.extend(part(message, windows, 0..1)),
                    None => {}
                }
            } else if let Some(message) = self.plan.rest.pop() {
                tasks.extend(self.further(store, embedder, message)?);
            } else {
                break;
            }
        }
        Ok(tasks)
    }

    /// The vectors that a message lacks. One that has other passages than it had is begun anew.
    fn further(
        &mut self,
        store: &Reader,
        embedder: &dyn Embedder,
        message: MessageKey,
    ) -> Result<Vec<Task>, IndexError> {
        let Some((have, of)) = self.writer.unfinished(message) else { return Ok(Vec::new()) };
        let windows = passages(store, embedder, message)?.unwrap_or_default();
        let all = windows.len();
        if all != usize::from(of) {
            self.writer.erase(&Rows::from_iter([message]))?;
            self.plan.first.push(message);
            return Ok(Vec::new());
        }
        Ok(part(message, windows, usize::from(have)..all).collect())
    }

    fn measure(&mut self, made: usize, began: Instant) {
        let now = made as f64 / began.elapsed().as_secs_f64().max(0.001);
        self.pace = Some(self.pace.map_or(now, |before| before + NEWS * (now - before)));
    }
}

/// The passages of a message; `None` when it is not there or was withheld meanwhile.
fn passages(
    store: &Reader,
    embedder: &dyn Embedder,
    message: MessageKey,
) -> Result<Option<Vec<Window>>, IndexError> {
    if store.is_withheld(message)? {
        return Ok(None);
    }
    let Some(stored) = store.message(message)? else { return Ok(None) };
    let text = store.text_up_to(message, MOST_TEXT)?;
    Ok(Some(windows(embedder, &stored.subject, &text)))
}

/// Some of the passages of a message as tasks.
fn part(
    message: MessageKey,
    windows: Vec<Window>,
    wanted: std::ops::Range<usize>,
) -> impl Iterator<Item = Task> {
    let short = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
    let place = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let of = short(windows.len());
    let all = windows.into_iter().enumerate().map(move |(at, window)| {
        let (start, end) = (place(window.range.start), place(window.range.end));
        Task { head: RecordHead { message, start, end, ordinal: short(at), of }, text: window.text }
    });
    all.skip(wanted.start).take(wanted.len())
}

/// The vectors of these texts, made by a worker for each core; `None` when it was stopped.
fn embed(
    embedder: &dyn Embedder,
    texts: &[&str],
    stop: &AtomicBool,
) -> Result<Option<Vec<Vec<f32>>>, IndexError> {
    // The longest first, so that at the end nobody waits for one of them; texts of a like length together.
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(texts[*at].len()));
    let groups: Vec<&[usize]> = order.chunks(embedder.batch()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let own: Vec<&str> = group.iter().map(|at| texts[*at]).collect();
            made.extend(group.iter().copied().zip(embedder.embed(&own)?));
        }
        Ok::<_, IndexError>(made)
    };
    let workers = thread::available_parallelism().map_or(1, usize::from).min(MOST_WORKERS).min(groups.len());
    let made = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let joined =
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        joined.collect::<Result<Vec<_>, _>>()
    })?;
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let mut vectors = vec![Vec::new(); texts.len()];
    made.into_iter().flatten().for_each(|(at, vector)| vectors[at] = vector);
    Ok(Some(vectors))
}

/// Lets whatever else this machine has to do go first, from this thread on and for those it starts: by so many steps of
/// the 19 that there are.
pub fn lower_priority(steps: i32) {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, steps);
    #[cfg(not(target_os = "linux"))]
    let _ = steps;
}
