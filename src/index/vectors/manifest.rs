//! The small file that says which vectors count: whose they are, which model made them, and how many of the records are
//! whole. It is replaced in one step, after the records it speaks of are on the disk.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::index::IndexError;
use crate::index::embedder::ModelInfo;

/// Changes whenever records mean something else, or passages are cut in another way.
const LAYOUT: u32 = 2;
const NAME: &str = "manifest.json";
/// With what a manifest begins that can be checked: the checksum is over all that follows it.
const SEAL: &str = r#"{"checksum":""#;
/// Sums of products of longer vectors would leave 32 bits.
pub(super) const MOST_DIMENSIONS: usize = 4_096;
/// Samples of one model are at least so near to each other; those of two models hardly ever are.
const SAME_MODEL: f32 = 0.99;

/// What counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub(super) layout: u32,
    /// The store that the messages are in.
    pub store: String,
    /// The name of the model.
    pub model: String,
    /// The hash of the model.
    pub sha256: String,
    /// What the model made of a fixed sentence, where its name and hash do not say which it is.
    pub sample: Option<Vec<f32>>,
    /// How long a vector is; 0 as long as there is none.
    pub dimensions: usize,
    /// The number of the file with the records.
    pub file: u64,
    /// How many of them are whole.
    pub records: usize,
    /// The newest change of the store whose effect on older vectors is known.
    pub seen: i64,
    /// Messages that have their first vector.
    pub messages: u64,
    /// Further vectors of these messages that are to be made.
    pub missing: u64,
    /// Vectors made in a second, when some were made last.
    pub pace: f64,
}

impl Manifest {
    /// That of a store and a model without vectors.
    pub(super) fn new(store: &str, model: &ModelInfo, file: u64) -> Self {
        Self {
            layout: LAYOUT,
            store: store.to_owned(),
            model: model.id.clone(),
            sha256: model.sha256.clone(),
            sample: None,
            dimensions: 0,
            file,
            records: 0,
            seen: 0,
            messages: 0,
            missing: 0,
            pace: 0.0,
        }
    }

    /// Which model made the vectors.
    #[must_use]
    pub fn info(&self) -> ModelInfo {
        ModelInfo { id: self.model.clone(), sha256: self.sha256.clone() }
    }

    /// Whether vectors that were made with this sample can be compared with these; an error when they cannot.
    pub fn recognise(&self, sample: Option<&[f32]>) -> Result<(), IndexError> {
        let (Some(kept), Some(now)) = (&self.sample, sample) else { return Ok(()) };
        let nearness: f32 = kept.iter().zip(now).map(|(a, b)| a * b).sum();
        if kept.len() == now.len() && nearness >= SAME_MODEL {
            return Ok(());
        }
        Err(IndexError::OtherModel {
            made_by: self.model.clone(),
            wanted: format!("{}, which is another one now", self.model),
        })
    }

    /// What stands in a directory; `None` where there are no vectors.
    pub fn read(directory: &Path) -> Result<Option<Self>, IndexError> {
        let text = match fs::read(directory.join(NAME)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| IndexError::vectors(directory, &error))?,
        };
        let damaged = |detail: String| Err(IndexError::damaged_vectors(directory, detail));
        if !is_as_written(&text) {
            return damaged("the manifest is not as it was written".to_owned());
        }
        match serde_json::from_slice::<Self>(&text) {
            Err(error) => damaged(error.to_string()),
            Ok(found) if found.layout != LAYOUT => damaged(format!("layout {} is not ours", found.layout)),
            Ok(found) if found.dimensions > MOST_DIMENSIONS => {
                damaged(format!("nobody compares {} dimensions", found.dimensions))
            }
            Ok(found) => Ok(Some(found)),
        }
    }

    /// Makes it what counts.
    pub(super) fn write(&self, directory: &Path) -> Result<(), IndexError> {
        let failed = |error: std::io::Error| IndexError::vectors(directory, &error);
        let partial = directory.join("manifest.partial");
        let text = serde_json::to_string(self)
            .map_err(|error| IndexError::damaged_vectors(directory, error.to_string()))?;
        let mut file = File::create(&partial).map_err(failed)?;
        file.write_all(sealed(&text).as_bytes()).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        crate::crash_point::crash_point("before the vectors are committed");
        fs::rename(&partial, directory.join(NAME)).map_err(failed)?;
        crate::crash_point::crash_point("after the vectors are committed");
        #[cfg(unix)]
        File::open(directory).and_then(|directory| directory.sync_all()).map_err(failed)?;
        Ok(())
    }
}

/// A manifest with its checksum, still JSON.
fn sealed(text: &str) -> String {
    let rest = text.strip_prefix('{').unwrap_or(text);
    format!("{SEAL}{:08x}\",{rest}", crc32fast::hash(rest.as_bytes()))
}

/// Whether nothing of it has changed since it was written: one wrong digit, and what was edited meanwhile would be found by
/// what it said before. One without a checksum is an older one.
fn is_as_written(text: &[u8]) -> bool {
    let Some(sealed) = text.strip_prefix(SEAL.as_bytes()) else { return true };
    let Some((checksum, rest)) = sealed.split_at_checked(8) else { return false };
    let Some(rest) = rest.strip_prefix(b"\",") else { return false };
    checksum == format!("{:08x}", crc32fast::hash(rest)).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written_to_the_last_digit() {
        let directory = tempfile::tempdir().unwrap();
        let model = ModelInfo { id: "model".to_owned(), sha256: "hash".to_owned() };
        for step in 1..300_u32 {
            let pace = 1e9 / f64::from(step * 7_919);
            let written = Manifest { pace, ..Manifest::new("store", &model, 1) };
            written.write(directory.path()).unwrap();
            assert_eq!(Manifest::read(directory.path()).unwrap(), Some(written));
        }
    }
}
