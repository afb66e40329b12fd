//! Semantic search: which messages mean what was asked for, whatever their words. Derived, can be deleted. Withheld and
//! hidden text is never embedded, and what is withheld or removed later is not found from that moment on.

mod chunks;
mod coverage;
mod indexer;
mod mend;
mod trouble;

use std::path::Path;
use std::sync::Arc;

use roaring::RoaringTreemap;

use crate::index::IndexError;
use crate::index::embedder::{Embedder, Models, QueryVector};
use crate::index::vectors::{Manifest, Near, Rows, Vectors};
use crate::model::MessageKey;
use crate::store::Reader;

pub use chunks::{Window, windows};
pub use coverage::{Coverage, Phase, coverage};
pub use indexer::{Progress, SemanticIndexer, lower_priority};
pub use mend::{Mended, erase_removed, mend};
pub use trouble::Trouble;

/// So many changes are followed one by one; after more the rows are read anew.
const FEW: usize = 2_000;

/// The vectors of a store, for searching.
pub struct SemanticIndex {
    vectors: Vectors,
    models: Arc<Models>,
    live: Live,
}

/// The messages whose vectors may be told of.
#[derive(Default)]
struct Live {
    /// The newest change that is known.
    change: Option<i64>,
    /// Messages that are there and not withheld.
    shown: Rows,
    /// Messages that have other words than their vectors say.
    outdated: Rows,
}

impl SemanticIndex {
    /// Opens the vectors in a directory (`home.vectors()`) that belong to this store; `None` when there are none, or no
    /// model to ask with. Vectors of another model are an error and are never compared.
    pub fn open(directory: &Path, store: &Reader, models: &Arc<Models>) -> Result<Option<Self>, IndexError> {
        let Some(model) = models.info()? else { return Ok(None) };
        let Some(vectors) = Vectors::open(directory)? else { return Ok(None) };
        check(vectors.manifest(), &store.identity()?, model, directory)?;
        Ok(Some(Self { vectors, models: Arc::clone(models), live: Live::default() }))
    }

    /// Brings everything up to date with the files and the store. Cheap when nothing has changed; every question
    /// does it first.
    pub fn refresh(&mut self, store: &Reader) -> Result<(), IndexError> {
        let newest = store.newest_change()?;
        if self.vectors.refresh()? {
            let model = self
                .models
                .info()?
                .ok_or_else(|| IndexError::Model { detail: "there is none".to_owned() })?;
            check(self.vectors.manifest(), &store.identity()?, model, Path::new("vectors"))?;
            self.live.outdated = outdated(store, self.vectors.manifest().seen)?;
        }
        match self.vectors.load() {
            // The file may have been replaced between the two looks.
            Err(_) if self.vectors.refresh()? => self.vectors.load()?,
            other => other?,
        }
        self.live.follow(store, newest, self.vectors.manifest().seen)
    }

    /// How much of the mail can be found this way.
    pub fn coverage(&self, store: &Reader) -> Result<Coverage, IndexError> {
        Coverage::of(self.vectors.manifest(), store)
    }

    /// The messages nearest to what a text means, at most `wanted`, the nearest first; only those in `allowed`, if it is
    /// given. Each with up to three passages.
    pub fn nearest(
        &mut self,
        store: &Reader,
        query: &str,
        wanted: usize,
        allowed: Option<&RoaringTreemap>,
    ) -> Result<Vec<Near>, IndexError> {
        self.refresh(store)?;
        if self.vectors.manifest().records == 0 {
            return Ok(Vec::new());
        }
        let QueryVector { vector, sample } = self.embedder()?.embed_query(query)?;
        self.vectors.manifest().recognise(sample.as_deref())?;
        self.near(&vector, wanted, allowed, None)
    }

    /// The messages that mean what this one means, at most `wanted`, without itself; `None` when it has no vectors.
    pub fn similar(
        &mut self,
        store: &Reader,
        message: MessageKey,
        wanted: usize,
        allowed: Option<&RoaringTreemap>,
    ) -> Result<Option<Vec<Near>>, IndexError> {
        self.refresh(store)?;
        if !self.live.holds(message) {
            return Ok(None);
        }
        let Some(vector) = self.vectors.direction(message)? else { return Ok(None) };
        self.near(&vector, wanted, allowed, Some(message)).map(Some)
    }

    fn near(
        &self,
        vector: &[f32],
        wanted: usize,
        allowed: Option<&RoaringTreemap>,
        except: Option<MessageKey>,
    ) -> Result<Vec<Near>, IndexError> {
        let chosen: Option<Rows> =
            allowed.map(|rows| rows.iter().map(|row| MessageKey(row.cast_signed())).collect());
        self.vectors.nearest(vector, wanted, |message| {
            self.live.holds(message)
                && chosen.as_ref().is_none_or(|chosen| chosen.contains(message))
                && except != Some(message)
        })
    }

    fn embedder(&self) -> Result<Arc<dyn Embedder>, IndexError> {
        self.models.embedder()?.ok_or_else(|| IndexError::Model { detail: "there is none".to_owned() })
    }
}

impl Live {
    fn holds(&self, message: MessageKey) -> bool {
        self.shown.contains(message) && !self.outdated.contains(message)
    }

    /// Follows the store up to its newest change.
    fn follow(&mut self, store: &Reader, newest: i64, seen: i64) -> Result<(), IndexError> {
        let Some(known) = self.change else {
            self.shown = store.shown_newest_first()?.into_iter().collect();
            self.outdated = outdated(store, seen)?;
            self.change = Some(newest);
            return Ok(());
        };
        if known == newest {
            return Ok(());
        }
        let changes = store.all_changes_after(known, FEW)?;
        if changes.len() == FEW {
            self.change = None;
            return self.follow(store, newest, seen);
        }
        for message in changes {
            if store.is_withheld(message)? {
                self.shown.remove(message);
            } else {
                self.shown.insert(message);
            }
        }
        for change in store.changes_after(known.max(seen), FEW)? {
            self.outdated.insert(change.message);
        }
        self.change = Some(newest);
        Ok(())
    }
}

/// Messages whose content changed after their vectors were last looked at.
fn outdated(store: &Reader, seen: i64) -> Result<Rows, IndexError> {
    let changes = store.changes_after(seen, usize::MAX >> 1)?;
    Ok(changes.into_iter().map(|change| change.message).collect())
}

/// Whether vectors belong to this store and this model.
fn check(
    manifest: &Manifest,
    store: &str,
    model: &crate::index::embedder::ModelInfo,
    directory: &Path,
) -> Result<(), IndexError> {
    if manifest.store != store {
        return Err(IndexError::damaged_vectors(directory, "they are those of another store"));
    }
    if manifest.info() != *model {
        let (made_by, wanted) = (manifest.model.clone(), model.id.clone());
        return Err(IndexError::OtherModel { made_by, wanted });
    }
    Ok(())
}
