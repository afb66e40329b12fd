//! A server that speaks OpenAI's `/v1/embeddings` (Ollama, llama.cpp, vLLM and others). Opt-in: what is embedded leaves
//! this machine, unless the server is on it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::index::IndexError;
use crate::index::embedder::{Embedder, MeasuredWord, ModelInfo, QueryVector, normalised};

/// Texts in one request.
const BATCH: usize = 16;
/// Bytes that become a token, as a rule: nobody tells us how the server cuts words.
const BYTES_PER_TOKEN: usize = 4;
/// What is longer counts as several words, so that no passage becomes longer than a window.
const LONGEST_WORD: usize = 64;
/// The model is recognised by what it makes of this.
const SAMPLE: &str = "The ferry was late, so we had tea at the harbour and talked about the garden.";

/// So long no other question waits for a server that has just failed one.
const REST: Duration = Duration::from_secs(30);

/// Posts JSON to the server and returns the body of a good answer.
pub type JsonPost = Box<dyn Fn(&[u8]) -> Result<Vec<u8>, PostError> + Send + Sync>;

/// Why there is none; the words are for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostError {
    /// The server does not take what it was given; it may take something else.
    Refused(String),
    /// The server cannot be reached, or fails.
    Failed(String),
}

impl From<PostError> for IndexError {
    fn from(error: PostError) -> Self {
        let (PostError::Refused(detail) | PostError::Failed(detail)) = error;
        Self::Endpoint { detail }
    }
}

/// How the server is spoken to.
pub struct Posts {
    /// With the patience of who reads mail.
    pub indexing: JsonPost,
    /// With that of somebody who waits for an answer.
    pub asking: JsonPost,
}

/// An embedding server.
pub struct Endpoint {
    info: ModelInfo,
    model: String,
    posts: Posts,
    /// When a question met a failure, and which.
    failed: Mutex<Option<(Instant, String)>>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    #[serde(default)]
    index: usize,
    embedding: Vec<f32>,
}

impl Endpoint {
    /// The model of that name on the server at `url`, reached through `posts`.
    #[must_use]
    pub fn new(url: &str, model: &str, posts: Posts) -> Self {
        let digest = Sha256::digest(format!("{url}\n{model}"));
        let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let info = ModelInfo { id: format!("{model} at {url}"), sha256 };
        Self { info, model: model.to_owned(), posts, failed: Mutex::new(None) }
    }

    fn failed(&self) -> MutexGuard<'_, Option<(Instant, String)>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a question met a moment ago, lest the next ones wait for the same.
    fn just_failed(&self) -> Option<String> {
        self.failed().as_ref().filter(|(at, _)| at.elapsed() < REST).map(|(_, detail)| detail.clone())
    }

    /// What the model makes of a fixed sentence: what a name stands for on a server can change from one day to the next.
    pub fn sample(&self) -> Result<Vec<f32>, IndexError> {
        Ok(self.ask(&self.posts.indexing, &[SAMPLE])?.remove(0))
    }

    /// A group that is refused is halved until the text is found that the server does not take. It gets no direction, so that
    /// it is near to nothing and one message does not keep all others from being read.
    fn embed_group(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, IndexError> {
        match self.ask(&self.posts.indexing, texts) {
            Err(PostError::Refused(_)) if texts.len() > 1 => {
                let (one, other) = texts.split_at(texts.len() / 2);
                Ok([self.embed_group(one)?, self.embed_group(other)?].concat())
            }
            // Unless it takes nothing at all, which is no fault of the text.
            Err(PostError::Refused(_)) => Ok(vec![vec![0.0; self.sample()?.len()]]),
            made => Ok(made?),
        }
    }

    fn ask(&self, post: &JsonPost, texts: &[&str]) -> Result<Vec<Vec<f32>>, PostError> {
        let body = json!({ "model": self.model, "input": texts, "encoding_format": "float" });
        let answer = post(body.to_string().as_bytes())?;
        let wrong = |detail: String| PostError::Failed(format!("its answer is not understood: {detail}"));
        let mut answer: Answer = serde_json::from_slice(&answer).map_err(|error| wrong(error.to_string()))?;
        answer.data.sort_by_key(|one| one.index);
        let vectors: Vec<_> = answer.data.into_iter().map(|one| normalised(one.embedding)).collect();
        let dimensions = vectors.first().map_or(0, Vec::len);
        let is_whole = vectors.iter().all(|one| one.len() == dimensions && one.iter().all(|x| x.is_finite()));
        if vectors.len() != texts.len() || dimensions == 0 || !is_whole {
            return Err(wrong(format!("{} vectors for {} texts", vectors.len(), texts.len())));
        }
        Ok(vectors)
    }
}

impl Embedder for Endpoint {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn words(&self, text: &str, most: usize) -> Vec<MeasuredWord> {
        let (mut words, mut tokens) = (Vec::new(), 0);
        for word in text.split_whitespace().flat_map(pieces) {
            let start = word.as_ptr().addr() - text.as_ptr().addr();
            let own = word.len() / BYTES_PER_TOKEN + 1;
            words.push(MeasuredWord { range: start..start + word.len(), tokens: own });
            tokens += own;
            if tokens >= most {
                break;
            }
        }
        words
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, IndexError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for group in texts.chunks(BATCH) {
            vectors.extend(self.embed_group(group)?);
        }
        Ok(vectors)
    }

    fn embed_query(&self, query: &str) -> Result<QueryVector, IndexError> {
        if let Some(detail) = self.just_failed() {
            return Err(IndexError::Endpoint { detail });
        }
        let asked = self.ask(&self.posts.asking, &[SAMPLE, query]);
        if let Err(PostError::Failed(detail)) = &asked {
            *self.failed() = Some((Instant::now(), detail.clone()));
        }
        let mut vectors = asked?;
        let vector = vectors.remove(1);
        Ok(QueryVector { vector, sample: Some(vectors.remove(0)) })
    }

    fn batch(&self) -> usize {
        BATCH
    }
}

/// A word in pieces that are not too long.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let (piece, more) = rest.split_at(rest.floor_char_boundary(LONGEST_WORD));
        rest = more;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Embedder, Endpoint, IndexError, JsonPost, PostError, Posts};

    fn posts(answer: &'static str) -> Posts {
        let post = move || -> JsonPost { Box::new(move |_| Ok(answer.as_bytes().to_vec())) };
        Posts { indexing: post(), asking: post() }
    }

    fn server(answer: &'static str) -> Endpoint {
        Endpoint::new("http://127.0.0.1:1/v1/embeddings", "tiny", posts(answer))
    }

    #[test]
    fn vectors_come_in_the_order_of_the_texts_and_with_length_one() {
        let server = server(r#"{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}]}"#);

        let vectors = server.embed(&["a", "b"]).unwrap();

        assert_eq!(vectors, [vec![0.6, 0.8], vec![0.0, 1.0]]);
    }

    #[test]
    fn an_answer_that_does_not_fit_is_an_error() {
        for answer in [
            "",
            "{}",
            r#"{"data":[]}"#,
            r#"{"data":[{"embedding":[]}]}"#,
            r#"{"data":[{"embedding":[1]},{"embedding":[1]}]}"#,
            r#"{"data":[{"embedding":["x"]}]}"#,
        ] {
            let refused = server(answer).embed(&["a"]);

            assert!(matches!(refused, Err(IndexError::Endpoint { .. })), "{answer}");
        }
    }

    #[test]
    fn servers_and_models_are_told_apart() {
        let info = |url: &str, model: &str| Endpoint::new(url, model, posts("")).info().clone();

        assert_ne!(info("http://127.0.0.1/a", "x"), info("http://127.0.0.1/a", "y"));
        assert_ne!(info("http://127.0.0.1/a", "x"), info("http://127.0.0.1/b", "x"));
    }

    #[test]
    fn words_are_measured_where_they_stand() {
        let words = server("").words(" ein  Überfluss", 100);

        assert_eq!((words[0].range.clone(), words[0].tokens), (1..4, 1));
        assert_eq!((words[1].range.clone(), words[1].tokens), (6..16, 3));
    }

    #[test]
    fn a_long_word_counts_as_several() {
        let words = server("").words(&"ü".repeat(100), 1_000);

        assert_eq!(
            words.iter().map(|word| word.range.clone()).collect::<Vec<_>>(),
            [0..64, 64..128, 128..192, 192..200]
        );
    }

    /// A server that takes texts up to so many bytes.
    fn choosy(takes: usize) -> Endpoint {
        let post = move || -> JsonPost {
            Box::new(move |body| {
                let asked: serde_json::Value = serde_json::from_slice(body).unwrap();
                let texts = asked["input"].as_array().unwrap();
                if texts.iter().any(|text| text.as_str().unwrap().len() > takes) {
                    return Err(PostError::Refused("too long".to_owned()));
                }
                let data: Vec<_> = texts.iter().map(|_| json!({ "embedding": [1.0, 0.0] })).collect();
                Ok(json!({ "data": data }).to_string().into_bytes())
            })
        };
        Endpoint::new("http://127.0.0.1:1/v1/embeddings", "tiny", Posts { indexing: post(), asking: post() })
    }

    #[test]
    fn a_text_that_the_server_refuses_gets_no_direction_and_the_others_get_theirs() {
        let long = "x".repeat(100);

        let vectors = choosy(80).embed(&["a", "b", &long, "c"]).unwrap();

        assert_eq!(vectors, [vec![1.0, 0.0], vec![1.0, 0.0], vec![0.0, 0.0], vec![1.0, 0.0]]);
    }

    #[test]
    fn a_server_that_refuses_everything_is_an_error() {
        assert!(matches!(choosy(0).embed(&["a", "b"]), Err(IndexError::Endpoint { .. })));
    }
}
