//! What every command starts from: the home, the clock, where to print.

use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::environment::Variables;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::{reindex, semantic};
use crate::clock::Clock;
use crate::config::{Config, ConfigFile};
use crate::home::Home;
use crate::index::attachment_text::Extractor;
use crate::index::embedder::Models;
use crate::index::{Effort, Indexer};
use crate::model::{Audience, Lane};
use crate::query::{Archive, QueryError};
use crate::store::{Reader, Store, StoreError};
use crate::sync;

/// The object graph of one run.
pub(super) struct Context {
    pub(super) home: Home,
    pub(super) config_file: ConfigFile,
    /// Whether the home was named with `--home`, so that a command to type must name it too.
    pub(super) home_is_named: bool,
    pub(super) config: Config,
    pub(super) clock: Clock,
    pub(super) output: Output,
    /// The channels that this process may carry.
    pub(super) lane: Lane,
    /// What the environment says.
    pub(super) variables: Variables,
    /// What makes vectors of texts.
    pub(super) models: Arc<Models>,
}

impl Context {
    pub(super) fn new(
        home: Option<PathBuf>,
        config_file: ConfigFile,
        config: Config,
        output: Output,
        lane: Lane,
    ) -> Result<Self, Failure> {
        let home_is_named = home.is_some();
        let named = home
            .or_else(|| std::env::var_os("MAILKEEP_HOME").filter(|name| !name.is_empty()).map(Into::into));
        let home = match named {
            Some(directory) => Home::at(directory),
            None => Home::standard().ok_or_else(|| {
                Failure::new("no_home", "this user has no home directory", "name one with `--home DIR`")
            })?,
        };
        let variables = Variables::beside(config_file.path.as_deref(), lane)?;
        let models = Arc::new(semantic::models(&config.semantic)?);
        Ok(Self {
            home,
            home_is_named,
            config_file,
            config,
            clock: Clock::system(),
            output,
            lane,
            variables,
            models,
        })
    }

    /// Reads attachments through this very program.
    pub(super) fn extractor() -> Extractor {
        Extractor::new(std::env::current_exe().unwrap_or_else(|_| PathBuf::from("mailkeep")))
    }

    /// Sees to it that every stored message has been judged by the owner's rules, in case they changed.
    pub(super) fn apply_shield(&self) -> Result<usize, Failure> {
        if self.has_store()? { Ok(sync::apply_shield(&self.home, &self.config.shield)?) } else { Ok(0) }
    }

    /// Whether there is a store; that it cannot be looked at is an error.
    pub(super) fn has_store(&self) -> Result<bool, Failure> {
        Ok(StoreError::is_there(&self.home.store())?)
    }

    /// The same for a server, which must come up whatever is wrong, and neither makes nor migrates a store.
    pub(super) fn settle_shield(&self) {
        let state = Reader::open(&self.home.store()).and_then(|reader| reader.shield());
        if state.is_ok_and(|state| !state.is_settled(&self.config.shield)) && self.apply_shield().is_err() {
            self.output.note("the rules of `[shield]` could not be applied; run `mailkeep shield apply`");
        }
    }

    /// Indexes what an earlier process stored and did not index, unless another process is at it or nothing
    /// can be written here; says whether it did. What is there can be searched all the same.
    fn catch_up(&self) -> Result<bool, Failure> {
        let reader = Reader::open(&self.home.store())?;
        let Ok(Some(indexer)) = Indexer::try_open(&self.home.text_index(), &reader, Effort::Full) else {
            return Ok(false);
        };
        let followed = reindex::follow(indexer, &reader);
        if let Err(failure) = &followed {
            self.output.note(failure.message());
        }
        Ok(followed.is_ok())
    }

    /// The owner's vault: what the environment says counts before the configuration.
    pub(super) fn vault(&self) -> Option<PathBuf> {
        let named = self.variables.get("VAULT_PATH").and_then(|path| std::path::absolute(path).ok());
        named.or_else(|| self.config.vault.directory())
    }

    /// The store itself, for what no archive tells.
    pub(super) fn reader(&self) -> Result<Reader, Failure> {
        Ok(Reader::open_or_empty(&self.home.store())?)
    }

    /// The archive for reading. An older store is migrated first; a home without one is empty.
    pub(super) fn archive(&self) -> Result<Archive, Failure> {
        let open = || {
            let archive = Archive::open(&self.home, Audience::Person, self.clock.clone(), Self::extractor())?;
            Ok::<_, QueryError>(archive.with_models(&self.models))
        };
        let archive = match open() {
            Err(QueryError::Store(StoreError::OlderSchema { .. })) => {
                Store::open(&self.home.store())?;
                open()?
            }
            other => other?,
        };
        let archive = if archive.is_behind()? && self.catch_up()? { open()? } else { archive };
        if archive.is_stand_in() {
            self.output.note(&format!(
                "there is no mail in `{}` yet; bring some in with `mailkeep import PATH --account ADDRESS`",
                self.home.directory().display()
            ));
        }
        Ok(archive)
    }
}
