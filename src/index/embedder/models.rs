//! Which model this process uses, loaded when it is first needed and then shared.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::index::IndexError;
use crate::index::embedder::{Embedder, Endpoint, MiniLm, ModelInfo};

/// The choice of a model. Clones of the `Arc` around it share what was loaded.
pub struct Models {
    choice: Choice,
    info: OnceLock<ModelInfo>,
    loaded: Mutex<Option<Arc<dyn Embedder>>>,
}

enum Choice {
    None,
    #[cfg(feature = "bundled-model")]
    Bundled,
    Directory(PathBuf),
    Endpoint(Arc<Endpoint>),
}

impl Models {
    fn of(choice: Choice) -> Self {
        Self { choice, info: OnceLock::new(), loaded: Mutex::new(None) }
    }

    /// No model: searches go by words alone.
    #[must_use]
    pub fn none() -> Self {
        Self::of(Choice::None)
    }

    /// The model that is part of the program; none in a program that was built without it.
    #[must_use]
    pub fn bundled() -> Self {
        #[cfg(feature = "bundled-model")]
        let choice = Choice::Bundled;
        #[cfg(not(feature = "bundled-model"))]
        let choice = Choice::None;
        Self::of(choice)
    }

    /// The model whose files are in a directory.
    #[must_use]
    pub fn in_directory(directory: PathBuf) -> Self {
        Self::of(Choice::Directory(directory))
    }

    /// A server that makes the vectors.
    #[must_use]
    pub fn at(endpoint: Endpoint) -> Self {
        Self::of(Choice::Endpoint(Arc::new(endpoint)))
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        matches!(self.choice, Choice::None)
    }

    /// Which model it is, without loading it; `None` when there is none.
    pub fn info(&self) -> Result<Option<&ModelInfo>, IndexError> {
        if let Some(info) = self.info.get() {
            return Ok(Some(info));
        }
        let info = match &self.choice {
            Choice::None => return Ok(None),
            #[cfg(feature = "bundled-model")]
            Choice::Bundled => MiniLm::bundled_info(),
            Choice::Directory(directory) => MiniLm::info_of_directory(directory)?,
            Choice::Endpoint(endpoint) => endpoint.info().clone(),
        };
        Ok(Some(self.info.get_or_init(|| info)))
    }

    /// What the model makes of a fixed sentence, where a model can change behind its name; else `None`.
    pub fn sample(&self) -> Result<Option<Vec<f32>>, IndexError> {
        match &self.choice {
            Choice::Endpoint(endpoint) => endpoint.sample().map(Some),
            _ => Ok(None),
        }
    }

    /// Gives up what was loaded; it is loaded again when it is needed.
    pub fn unload(&self) {
        *self.loaded.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The model, loaded; `None` when there is none.
    pub fn embedder(&self) -> Result<Option<Arc<dyn Embedder>>, IndexError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.is_none() {
            *loaded = match &self.choice {
                Choice::None => None,
                #[cfg(feature = "bundled-model")]
                Choice::Bundled => Some(Arc::new(MiniLm::bundled()?)),
                Choice::Directory(directory) => Some(Arc::new(MiniLm::from_directory(directory)?)),
                Choice::Endpoint(endpoint) => Some(Arc::clone(endpoint) as Arc<dyn Embedder>),
            };
        }
        Ok(loaded.clone())
    }
}
