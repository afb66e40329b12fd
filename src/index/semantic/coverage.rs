//! How much of the mail has vectors, and how long the rest will take.

use std::path::Path;
use std::time::Duration;

use crate::index::IndexError;
use crate::index::embedder::Models;
use crate::index::semantic::Trouble;
use crate::index::vectors::Manifest;
use crate::store::Reader;

/// How much of the mail can be found by meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// Messages that have a vector.
    pub indexed: u64,
    /// Messages that should have one: all that are not withheld.
    pub total: u64,
    /// Vectors in all.
    pub vectors: u64,
    /// Further vectors of messages that have one already.
    pub missing: u64,
    /// The model that made them.
    pub model: String,
    /// How long the rest took at the pace of last time; `None` when there is no rest, or no pace yet.
    pub left: Option<Duration>,
    /// Why the last question was answered by words alone, if it was.
    pub trouble: Option<Trouble>,
}

/// Where semantic search stands.
#[derive(Debug)]
pub enum Phase {
    /// The owner wants none, or the program has no model.
    Off,
    /// There are no vectors yet.
    NotBegun,
    /// There are some.
    There(Coverage),
    /// There are some that cannot be used: damaged, or of another model.
    Unusable(IndexError),
}

impl Coverage {
    pub(super) fn of(manifest: &Manifest, store: &Reader) -> Result<Self, IndexError> {
        let total = store.count_shown()?;
        let rest = total.saturating_sub(manifest.messages).saturating_add(manifest.missing);
        let is_moving = rest > 0 && manifest.pace > 0.0;
        let left = Duration::try_from_secs_f64(rest as f64 / manifest.pace).ok().filter(|_| is_moving);
        Ok(Self {
            indexed: manifest.messages.min(total),
            total,
            vectors: manifest.records as u64,
            missing: manifest.missing,
            model: manifest.model.clone(),
            left,
            trouble: None,
        })
    }

    /// The share of the messages that can be found, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        let share = |part: u64, whole: u64| part as f64 / whole as f64;
        if self.total == 0 { 0.0 } else { share(self.indexed, self.total) }
    }
}

/// Where semantic search of a home stands, without reading a vector or loading a model.
pub fn coverage(directory: &Path, store: &Reader, models: &Models) -> Result<Phase, IndexError> {
    let model = match models.info() {
        Ok(None) => return Ok(Phase::Off),
        Ok(Some(model)) => model,
        Err(error) => return Ok(Phase::Unusable(error)),
    };
    let manifest = match Manifest::read(directory) {
        Ok(None) => return Ok(Phase::NotBegun),
        Ok(Some(manifest)) => manifest,
        Err(error) => return Ok(Phase::Unusable(error)),
    };
    match super::check(&manifest, &store.identity()?, model, directory) {
        Ok(()) => {
            let trouble = Trouble::noted(directory);
            Ok(Phase::There(Coverage { trouble, ..Coverage::of(&manifest, store)? }))
        }
        Err(error) => Ok(Phase::Unusable(error)),
    }
}
