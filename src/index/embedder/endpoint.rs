//! A server that speaks OpenAI's `/v1/embeddings` (Ollama, llama.cpp, vLLM and others). Opt-in: what is embedded leaves
//! this machine, unless the server is on it.

use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::index::IndexError;
use crate::index::embedder::{Embedder, MeasuredWord, ModelInfo, normalised};

/// Texts in one request.
const BATCH: usize = 16;
/// Bytes that become a token, as a rule: nobody tells us how the server cuts words.
const BYTES_PER_TOKEN: usize = 4;

/// Posts JSON to the server and returns the body of a good answer; the error is for people.
pub type JsonPost = Box<dyn Fn(&[u8]) -> Result<Vec<u8>, String> + Send + Sync>;

/// An embedding server.
pub struct Endpoint {
    info: ModelInfo,
    model: String,
    post: JsonPost,
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
    /// The model of that name on the server at `url`, reached through `post`.
    #[must_use]
    pub fn new(url: &str, model: &str, post: JsonPost) -> Self {
        let digest = Sha256::digest(format!("{url}\n{model}"));
        let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let info = ModelInfo { id: format!("{model} at {url}"), sha256 };
        Self { info, model: model.to_owned(), post }
    }

    fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, IndexError> {
        let body = json!({ "model": self.model, "input": texts, "encoding_format": "float" });
        let answer =
            (self.post)(body.to_string().as_bytes()).map_err(|detail| IndexError::Endpoint { detail })?;
        let wrong = |detail: String| IndexError::Endpoint {
            detail: format!("its answer is not understood: {detail}"),
        };
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
        for word in text.split_whitespace() {
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
            vectors.extend(self.ask(group)?);
        }
        Ok(vectors)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, IndexError> {
        Ok(self.ask(&[query])?.remove(0))
    }

    fn batch(&self) -> usize {
        BATCH
    }
}

#[cfg(test)]
mod tests {
    use super::{Embedder, Endpoint, IndexError};

    fn server(answer: &'static str) -> Endpoint {
        Endpoint::new(
            "http://127.0.0.1:1/v1/embeddings",
            "tiny",
            Box::new(move |_| Ok(answer.as_bytes().to_vec())),
        )
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
            let refused = server(answer).embed_query("a");

            assert!(matches!(refused, Err(IndexError::Endpoint { .. })), "{answer}");
        }
    }

    #[test]
    fn servers_and_models_are_told_apart() {
        let info =
            |url: &str, model: &str| Endpoint::new(url, model, Box::new(|_| Ok(Vec::new()))).info().clone();

        assert_ne!(info("http://127.0.0.1/a", "x"), info("http://127.0.0.1/a", "y"));
        assert_ne!(info("http://127.0.0.1/a", "x"), info("http://127.0.0.1/b", "x"));
    }

    #[test]
    fn words_are_measured_where_they_stand() {
        let words = server("").words(" ein  Überfluss", 100);

        assert_eq!((words[0].range.clone(), words[0].tokens), (1..4, 1));
        assert_eq!((words[1].range.clone(), words[1].tokens), (6..16, 3));
    }
}
