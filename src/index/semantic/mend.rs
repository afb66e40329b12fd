//! Looks after vectors that are there: erases what is damaged, and what belongs to no message any more.

use std::path::Path;

use crate::index::IndexError;
use crate::index::embedder::Models;
use crate::index::semantic::Trouble;
use crate::index::vectors::{Manifest, Rows, VectorWriter};
use crate::store::Reader;

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub enum Mended {
    /// Nothing was wrong, or there are none.
    Sound,
    /// Another process is writing them.
    Busy,
    /// This was wrong, and is not any more.
    Repaired(String),
}

/// Checks every vector, whatever model made them, and takes out what may not be found. Those of another store, or that
/// nobody can tell whose they are, are given up.
pub fn mend(directory: &Path, store: &Reader, models: &Models) -> Result<Mended, IndexError> {
    let identity = store.identity()?;
    let (model, given_up) = match Manifest::read(directory) {
        Ok(None) => return Ok(Mended::Sound),
        Ok(Some(manifest)) => {
            let model = manifest.info();
            let wrong = super::check(&manifest, &identity, &model, directory).err();
            (model, wrong)
        }
        Err(error) => match models.info()? {
            Some(model) => (model.clone(), Some(error)),
            None => return Ok(Mended::Sound),
        },
    };
    let Some(mut writer) = VectorWriter::try_open(directory, &identity, &model)? else {
        return Ok(Mended::Busy);
    };
    Trouble::clear(directory);
    if let Some(error) = given_up {
        return Ok(Mended::Repaired(format!("{error}; they were given up and are made anew")));
    }
    let strays = strays(&writer, store)?;
    if !strays.is_empty() {
        writer.erase(&strays)?;
    }
    writer.commit(0, None)?;
    Ok(match (writer.damaged(), strays.len()) {
        (0, 0) => Mended::Sound,
        (damaged, strays) => Mended::Repaired(format!(
            "{damaged} vectors were damaged and {strays} messages had some without being there; they were taken out"
        )),
    })
}

/// Overwrites the vectors of messages that are no more, whatever model made them; says whether that is done. When another
/// process writes, it is done as soon as that has seen the store's newest change.
pub fn erase_removed(directory: &Path, store: &Reader) -> Result<bool, IndexError> {
    let manifest = match Manifest::read(directory) {
        Ok(Some(manifest)) => manifest,
        Ok(None) => return Ok(true),
        // Whose vectors there are cannot be told any more.
        Err(IndexError::VectorsDamaged { .. }) => {
            std::fs::remove_dir_all(directory).map_err(|error| IndexError::vectors(directory, &error))?;
            return Ok(true);
        }
        Err(error) => return Err(error),
    };
    match VectorWriter::try_open(directory, &manifest.store, &manifest.info())? {
        Some(mut writer) => {
            let strays = strays(&writer, store)?;
            writer.erase(&strays)?;
            writer.commit(0, None)?;
            Ok(true)
        }
        None => Ok(manifest.seen >= store.newest_content_change()?),
    }
}

/// Messages with vectors that nobody may find.
fn strays(writer: &VectorWriter, store: &Reader) -> Result<Rows, IndexError> {
    let shown: Rows = store.shown_newest_first()?.into_iter().collect();
    Ok(writer.first().iter().filter(|key| !shown.contains(*key)).collect())
}
