//! The model that the owner chose, and the work of making vectors: beside a server, and for `reindex`.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::context::Context;
use crate::cli::environment;
use crate::cli::failure::Failure;
use crate::cli::figures::{counted, grouped};
use crate::cli::progress;
use crate::config::{SemanticModel, SemanticSettings};
use crate::home::Home;
use crate::index::IndexError;
use crate::index::embedder::{Endpoint, JsonPost, Models, PostError, Posts};
use crate::index::semantic::{self, Coverage, Mended, Phase, SemanticIndexer, Trouble};
use crate::model::IoLimits;
use crate::secret::Secret;
use crate::server::{Level, RequestLog};
use crate::store::{Reader, VerifyReport};
use crate::text_safety::one_line;
use crate::wire::http::{HttpClient, HttpRequest, is_here};

/// How long an embedding server may be silent: while it reads mail, and while somebody waits for an answer.
const SILENCE: Duration = Duration::from_secs(60);
const SILENCE_OF_A_QUESTION: Duration = Duration::from_secs(4);
/// How far searches and everything else go before making vectors: much beside a server, a little where somebody waits.
const BESIDE_A_SERVER: i32 = 10;
const WAITED_FOR: i32 = 5;
/// A server that has just begun has other things to do.
const AT_FIRST: Duration = Duration::from_secs(2);
/// How often new mail is looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// After a failure, the next try is so much later.
const REST: Duration = Duration::from_secs(30);
/// How long another process is waited for that has to erase vectors.
const PATIENCE: Duration = Duration::from_secs(20);

/// The model that the settings name; loaded when it is first needed.
pub(super) fn models(settings: &SemanticSettings) -> Result<Models, Failure> {
    if let Some(url) = &settings.endpoint.url {
        let model = settings.endpoint.model.as_deref().ok_or_else(|| {
            let hint = "write `model = \"...\"` below `[semantic.endpoint]`";
            Failure::new("config_wrong", "`[semantic.endpoint]` names no model", hint)
        })?;
        let posts = Posts { indexing: post(url, SILENCE), asking: post(url, SILENCE_OF_A_QUESTION) };
        return Ok(Models::at(Endpoint::new(url, model, posts)));
    }
    Ok(match &settings.model {
        SemanticModel::Bundled => Models::bundled(),
        SemanticModel::None => Models::none(),
        SemanticModel::Directory(directory) => Models::in_directory(directory.path().unwrap_or_default()),
    })
}

/// Posts to an embedding server.
fn post(url: &str, silence: Duration) -> JsonPost {
    let client = HttpClient::new(IoLimits { silence, stop: Arc::new(AtomicBool::new(false)) });
    let url = url.to_owned();
    Box::new(move |body| {
        let mut request = HttpRequest::post(&url, "application/json", body);
        if let Some(key) = environment::set("MAILKEEP_EMBEDDING_KEY") {
            request = request.with_token(&Secret::new(key));
        }
        let answer = client.send(&request).map_err(|error| PostError::Failed(error.to_string()))?;
        let said = format!("`{}` answered with status {}", one_line(&url), answer.status);
        match answer.status {
            200..=299 => Ok(answer.body),
            400 | 413 | 422 => Err(PostError::Refused(said)),
            _ => Err(PostError::Failed(said)),
        }
    })
}

/// Where the text of mail goes, for people.
pub(super) fn goes_to(url: &str) -> String {
    let shown = one_line(url);
    if is_here(url) {
        format!("the text of your mail goes to `{shown}`, on this machine")
    } else {
        format!("the text of your mail and of your questions leaves this machine: it goes to `{shown}`")
    }
}

/// Makes vectors beside a server, until it is told to stop.
pub(super) struct VectorMaker {
    home: Home,
    /// Its own, so that it can be given up when there is nothing to do, whoever asks questions.
    models: Models,
    stop: Arc<AtomicBool>,
    log: RequestLog,
}

impl VectorMaker {
    /// `None` when the owner wants none.
    pub(super) fn of(context: &Context, stop: &Arc<AtomicBool>, log: &RequestLog) -> Option<Self> {
        let models = models(&context.config.semantic).ok().filter(|models| !models.is_none())?;
        let (home, stop, log) = (context.home.clone(), Arc::clone(stop), log.clone());
        context.config.semantic.background.then_some(Self { home, models, stop, log })
    }

    /// Looks for what has no vectors, again and again. One process of a home does it; the others wait for their turn.
    pub(super) fn run(&self) {
        semantic::lower_priority(BESIDE_A_SERVER);
        let mut told = String::new();
        self.wait(AT_FIRST);
        while !self.is_stopped() {
            let pause = match self.work() {
                Ok(()) => LOOK_EVERY,
                Err(error) => {
                    let now = error.to_string();
                    if told != now {
                        self.log.write(Level::Warning, "semantic", &one_line(&now));
                        told = now;
                    }
                    REST
                }
            };
            self.wait(pause);
        }
    }

    /// Follows the store as long as it is there and another process does not.
    fn work(&self) -> Result<(), IndexError> {
        let Ok(reader) = Reader::open(&self.home.store()) else { return Ok(()) };
        let (mut done, mut kept) = (None, None);
        while !self.is_stopped() {
            let newest = Some(reader.newest_change()?);
            let trouble = Trouble::noted(&self.home.vectors());
            if trouble.is_some_and(|trouble| trouble.is_mended_by_opening()) {
                (done, kept) = (None, None);
            }
            if newest != done {
                let Some(mut indexer) = self.indexer(&reader, kept.take())? else { return Ok(()) };
                if !self.make(&reader, &mut indexer)? {
                    return Ok(());
                }
                indexer.rest()?;
                (done, kept) = (newest, Some(indexer));
                self.models.unload();
            }
            self.wait(LOOK_EVERY);
        }
        Ok(())
    }

    /// The one that was there, as long as nobody else has written: opening another reads every vector.
    fn indexer<'m>(
        &'m self,
        reader: &Reader,
        kept: Option<SemanticIndexer<'m>>,
    ) -> Result<Option<SemanticIndexer<'m>>, IndexError> {
        if let Some(indexer) = kept
            && indexer.resume()?
        {
            return Ok(Some(indexer));
        }
        SemanticIndexer::try_open(&self.home.vectors(), reader, &self.models)
    }

    /// Makes all that is missing; says whether that was done.
    fn make(&self, reader: &Reader, indexer: &mut SemanticIndexer<'_>) -> Result<bool, IndexError> {
        while let Some(progress) = indexer.step(reader, &self.stop)? {
            if progress.is_done {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn wait(&self, time: Duration) {
        let until = Instant::now() + time;
        while Instant::now() < until && !self.is_stopped() {
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Makes all vectors that are missing, with a bar; all anew when `only_new` is not set. Says how many messages have one.
/// The first Ctrl-C ends it; the next time it goes on from there.
pub(super) fn reindex(context: &Context, only_new: bool) -> Result<u64, Failure> {
    let reader = Reader::open(&context.home.store())?;
    let (directory, models) = (context.home.vectors(), &context.models);
    if models.is_none() {
        let hint = "set `[semantic] model`, see `mailkeep config reference`";
        return Err(Failure::new("no_model", "there is no model for semantic search", hint));
    }
    if let Some(url) = &context.config.semantic.endpoint.url {
        context.output.note(&goes_to(url));
    }
    semantic::lower_priority(WAITED_FOR);
    let opened = if only_new {
        SemanticIndexer::try_open(&directory, &reader, models)?
    } else {
        SemanticIndexer::start_over(&directory, &reader, models)?
    };
    let mut indexer = opened.ok_or_else(|| {
        let hint = "`mailkeep status` says how far it is";
        Failure::new("vectors_busy", "another mailkeep process is making vectors", hint)
    })?;
    let stop = stop_on_signal();
    let bar = progress::messages(reader.count_shown()?, "reading for meaning");
    loop {
        let Some(now) = indexer.step(&reader, &stop)? else {
            bar.finish_and_clear();
            let hint = "run `mailkeep reindex --semantic --only-new` to go on from there";
            return Err(Failure::new("stopped", "stopped; the vectors made so far are kept", hint));
        };
        bar.set_length(now.total + now.missing);
        bar.set_position(now.indexed);
        if now.is_done {
            bar.finish_and_clear();
            return Ok(now.indexed);
        }
    }
}

fn stop_on_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let signal = Arc::clone(&stop);
    let _ = ctrlc::set_handler(move || {
        if signal.swap(true, Ordering::Relaxed) {
            std::process::abort();
        }
    });
    stop
}

/// One line about semantic search, for people.
pub(super) fn line(phase: &Phase, is_working: bool) -> String {
    match phase {
        Phase::Off => "off, searches go by words".to_owned(),
        Phase::NotBegun => {
            "none yet: `mailkeep serve` makes them, or `mailkeep reindex --semantic`".to_owned()
        }
        Phase::Unusable(error) => format!("cannot be used: {error}; {}", error.hint()),
        Phase::There(coverage) => coverage_line(coverage, is_working),
    }
}

fn coverage_line(coverage: &Coverage, is_working: bool) -> String {
    let count = |number: u64| grouped(i64::try_from(number).unwrap_or(i64::MAX));
    let whole = format!(
        "{} of {} by {}",
        count(coverage.indexed),
        counted(coverage.total, "message"),
        one_line(&coverage.model)
    );
    let left = coverage.left.map(|time| format!(", {} left", rounded(time))).unwrap_or_default();
    let trouble = coverage.trouble.as_ref().map(trouble_line).unwrap_or_default();
    match (coverage.indexed >= coverage.total && coverage.missing == 0, is_working) {
        (true, _) => format!("{whole}{trouble}"),
        (false, true) => format!("{whole}{left}{trouble}"),
        (false, false) => format!("{whole}; `mailkeep serve` makes the rest{trouble}"),
    }
}

fn trouble_line(trouble: &Trouble) -> String {
    let (message, hint) = (one_line(&trouble.message), one_line(&trouble.hint));
    format!("; the last question went by words alone: {message}; {hint}")
}

/// A time as people say it.
fn rounded(time: Duration) -> String {
    match time.as_secs() {
        0..=90 => format!("{} seconds", time.as_secs().max(1)),
        91..=5_400 => format!("{} minutes", time.as_secs().div_ceil(60)),
        more => format!("{} hours", more.div_ceil(3_600)),
    }
}

/// After mail was brought in: how it gets vectors, where nothing makes them by itself. Nobody waits for that.
pub(super) fn advise(context: &Context) -> Result<(), Failure> {
    if context.output.is_json() || !std::io::stdout().is_terminal() {
        return Ok(());
    }
    let reader = context.reader()?;
    if let Phase::NotBegun = semantic::coverage(&context.home.vectors(), &reader, &context.models)? {
        context.output.note(
            "to find mail by its meaning too, let `mailkeep serve` run, or run `mailkeep reindex --semantic`",
        );
    }
    Ok(())
}

/// Looks after the vectors: takes out what is damaged or belongs to no message any more. What is missing then is made by
/// who makes vectors.
pub(super) fn verify(context: &Context, reader: &Reader, report: &mut VerifyReport) -> Result<(), Failure> {
    let directory = context.home.vectors();
    match semantic::mend(&directory, reader, &context.models)? {
        Mended::Sound => {}
        Mended::Busy => context.output.note("another process is making vectors: they were not checked"),
        Mended::Repaired(problem) => report.add("vectors", problem, true),
    }
    Ok(())
}

/// Overwrites the vectors of what was forgotten. Who is making vectors does it itself, and is waited for.
pub(super) fn erase_removed(context: &Context, reader: &Reader) -> Result<(), Failure> {
    let directory = context.home.vectors();
    let until = Instant::now() + PATIENCE;
    while !semantic::erase_removed(&directory, reader)? {
        if Instant::now() > until {
            context.output.note(
                "another process is making vectors: it erases those of what was forgotten as soon as it can",
            );
            return Ok(());
        }
        thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}
