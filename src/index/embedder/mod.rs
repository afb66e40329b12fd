//! Text -> vectors that lie near each other when texts mean alike. Knows nothing of messages and keeps nothing.
//! Vectors of different models must never be compared: [`ModelInfo`] says which one made them.

mod endpoint;
mod minilm;
mod models;
mod wordpiece;

use std::ops::Range;

pub use endpoint::{Endpoint, JsonPost, PostError, Posts};
pub use minilm::MiniLm;
pub use models::Models;
pub use wordpiece::{WordPiece, WordSpan};

use crate::index::IndexError;

/// Which model it is. Vectors belong together only if all of this is the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// Its name, for people.
    pub id: String,
    /// SHA-256 of what it consists of, in hexadecimal digits.
    pub sha256: String,
}

/// A word of a text, and how much of a window it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredWord {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// How many tokens it becomes.
    pub tokens: usize,
}

/// The vector of what somebody looks for.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryVector {
    /// What the words mean.
    pub vector: Vec<f32>,
    /// By what the model can be recognised that made it; `None` where its hash says that.
    pub sample: Option<Vec<f32>>,
}

/// Makes vectors. All of them have the length 1 and the same number of dimensions.
pub trait Embedder: Send + Sync {
    /// Which model it is.
    fn info(&self) -> &ModelInfo;

    /// The words of a text, as far as the first `most` tokens go.
    fn words(&self, text: &str, most: usize) -> Vec<MeasuredWord>;

    /// A vector for each text.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, IndexError>;

    /// The vector of what somebody looks for.
    fn embed_query(&self, query: &str) -> Result<QueryVector, IndexError>;

    /// How many texts are best handed in at a time.
    fn batch(&self) -> usize {
        4
    }
}

/// Makes a vector's length 1; one without a direction stays as it is.
fn normalised(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length.is_finite() && length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
    vector
}
