//! Why the last question could not be answered by meaning, noted beside the vectors: `status` tells it, and whoever makes
//! vectors mends what it can. Only a note: without it everything works as before.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::index::IndexError;

/// What a question met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// A short name for scripts.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What the person can do about it.
    pub hint: String,
}

impl Trouble {
    /// What an error says.
    #[must_use]
    pub fn of(error: &IndexError) -> Self {
        Self { code: error.code().to_owned(), message: error.to_string(), hint: error.hint() }
    }

    /// What was noted last; `None` when the last question was answered.
    #[must_use]
    pub fn noted(directory: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path(directory)).ok()?).ok()
    }

    /// Notes it, where that is possible.
    pub fn note(&self, directory: &Path) {
        if Self::noted(directory).as_ref() != Some(self)
            && let Ok(text) = serde_json::to_vec(self)
        {
            let _ = fs::write(path(directory), text);
        }
    }

    /// Notes that there is none.
    pub fn clear(directory: &Path) {
        let _ = fs::remove_file(path(directory));
    }

    /// Whether it ends when the vectors are opened for writing: what cannot be used is given up then, and made again.
    #[must_use]
    pub fn is_mended_by_opening(&self) -> bool {
        ["vectors_damaged", "other_model"].contains(&self.code.as_str())
    }
}

fn path(directory: &Path) -> PathBuf {
    directory.join("trouble.json")
}
