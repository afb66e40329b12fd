//! all-MiniLM-L6-v2, on this machine, on one thread for each caller.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, ValueOrView, op_registry};
use rten_tensor::{AsView, NdTensor};
use sha2::{Digest, Sha256};

use crate::index::IndexError;
use crate::index::embedder::{
    Embedder, MeasuredWord, ModelInfo, QueryVector, WordPiece, normalised, wordpiece,
};

/// The names of the two files.
const WEIGHTS: &str = "all-MiniLM-L6-v2-int8.onnx";
const VOCABULARY: &str = "vocab.txt";
/// What the model can read at once, with start and end.
const MOST_TOKENS: usize = 128;

#[cfg(feature = "bundled-model")]
mod bundled {
    pub(super) const WEIGHTS: &[u8] = include_bytes!("../../../models/all-MiniLM-L6-v2-int8.onnx");
    pub(super) const VOCABULARY: &str = include_str!("../../../models/vocab.txt");
    /// SHA-256 over both, known without reading them; a test compares.
    pub(super) const SHA256: &str = "43b92f388e1c8f1c5996e9cb6a7f37c934c59d7a3976bfc249127260f938af75";
}

thread_local! {
    /// Each caller computes on a thread of its own, which is as important as the caller is.
    static OWN_THREAD: OnceCell<Arc<ThreadPool>> = const { OnceCell::new() };
}

/// The model and its vocabulary.
pub struct MiniLm {
    info: ModelInfo,
    model: Model,
    vocabulary: WordPiece,
    inputs: [NodeId; 3],
    output: NodeId,
    /// Questions are short and come one after the other.
    for_queries: Arc<ThreadPool>,
}

impl MiniLm {
    /// The model that is part of the program.
    #[cfg(feature = "bundled-model")]
    pub fn bundled() -> Result<Self, IndexError> {
        let model = options().load_static_slice(bundled::WEIGHTS);
        Self::new(Self::bundled_info(), model.map_err(|error| unusable(&error))?, bundled::VOCABULARY)
    }

    /// Which one that is.
    #[cfg(feature = "bundled-model")]
    #[must_use]
    pub fn bundled_info() -> ModelInfo {
        ModelInfo { id: "all-MiniLM-L6-v2-int8".to_owned(), sha256: bundled::SHA256.to_owned() }
    }

    /// The model whose files are in a directory.
    pub fn from_directory(directory: &Path) -> Result<Self, IndexError> {
        let (weights, vocabulary) = read(directory)?;
        let info = info(&weights, &vocabulary);
        let vocabulary = String::from_utf8(vocabulary).map_err(|error| unusable(&error))?;
        Self::new(info, options().load(weights).map_err(|error| unusable(&error))?, &vocabulary)
    }

    /// Which model is in a directory.
    pub fn info_of_directory(directory: &Path) -> Result<ModelInfo, IndexError> {
        let (weights, vocabulary) = read(directory)?;
        Ok(info(&weights, &vocabulary))
    }

    fn new(info: ModelInfo, model: Model, vocabulary: &str) -> Result<Self, IndexError> {
        let node = |name: &str| model.node_id(name).map_err(|error| unusable(&error));
        let inputs = [node("ids")?, node("bias")?, node("pool")?];
        let output = node("out")?;
        let vocabulary = WordPiece::new(vocabulary)?;
        let for_queries = Arc::new(ThreadPool::with_num_threads(1));
        Ok(Self { info, model, vocabulary, inputs, output, for_queries })
    }

    /// The vector of an encoded text. Each is computed alone: its activations are quantised by their own extremes, so that a
    /// text has the same vector whatever was embedded beside it, and with packed weights a group would hardly be faster.
    fn run(&self, tokens: &[i32], pool: Arc<ThreadPool>) -> Result<Vec<f32>, IndexError> {
        let length = tokens.len();
        let ids = NdTensor::from_data([1, length], tokens.to_vec());
        let bias = NdTensor::from_data([1, 1, 1, length], vec![0.0_f32; length]);
        let mean = NdTensor::from_data([1, length], vec![1.0 / length as f32; length]);
        let [ids_input, bias_input, mean_input] = self.inputs;
        let inputs: Vec<(NodeId, ValueOrView<'_>)> =
            vec![(ids_input, ids.into()), (bias_input, bias.into()), (mean_input, mean.into())];
        let mut options = RunOptions::default();
        options.thread_pool = Some(pool);
        let [output] =
            self.model.run_n(inputs, [self.output], Some(options)).map_err(|error| unusable(&error))?;
        let vectors: NdTensor<f32, 2> = output.try_into().map_err(|error| unusable(&error))?;
        Ok(normalised(vectors.to_vec()))
    }
}

impl Embedder for MiniLm {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn words(&self, text: &str, most: usize) -> Vec<MeasuredWord> {
        let (mut words, mut tokens, mut pieces) = (Vec::new(), 0, Vec::new());
        for word in wordpiece::words(text) {
            pieces.clear();
            self.vocabulary.push_pieces(&word.text, &mut pieces);
            tokens += pieces.len();
            words.push(MeasuredWord { range: word.range, tokens: pieces.len() });
            if tokens >= most {
                break;
            }
        }
        words
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, IndexError> {
        let pool =
            OWN_THREAD.with(|own| Arc::clone(own.get_or_init(|| Arc::new(ThreadPool::with_num_threads(1)))));
        let vector = |text: &&str| self.run(&self.vocabulary.encode(text, MOST_TOKENS), Arc::clone(&pool));
        texts.iter().map(vector).collect()
    }

    fn embed_query(&self, query: &str) -> Result<QueryVector, IndexError> {
        let encoded = self.vocabulary.encode(query, MOST_TOKENS);
        let vector = self.run(&encoded, Arc::clone(&self.for_queries))?;
        Ok(QueryVector { vector, sample: None })
    }
}

/// Only what the model consists of, so that nothing else is linked in.
fn options() -> ModelOptions {
    let mut options = ModelOptions::with_ops(op_registry!(
        Add,
        Cast,
        DynamicQuantizeLinear,
        Gather,
        Gelu,
        LayerNormalization,
        MatMul,
        MatMulInteger,
        Mul,
        Reshape,
        Shape,
        Slice,
        Softmax,
        Squeeze,
        Transpose,
        Unsqueeze
    ));
    // 10 MB more, but packing them anew for each text takes several times as long as a short question does.
    options.prepack_weights(true);
    options
}

fn read(directory: &Path) -> Result<(Vec<u8>, Vec<u8>), IndexError> {
    let file = |name: &str| {
        let path = directory.join(name);
        std::fs::read(&path).map_err(|error| unusable(&format!("cannot read `{}`: {error}", path.display())))
    };
    Ok((file(WEIGHTS)?, file(VOCABULARY)?))
}

fn info(weights: &[u8], vocabulary: &[u8]) -> ModelInfo {
    let digest = Sha256::new().chain_update(weights).chain_update(vocabulary).finalize();
    let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    ModelInfo { id: "all-MiniLM-L6-v2-int8".to_owned(), sha256 }
}

fn unusable(error: &dyn ToString) -> IndexError {
    IndexError::Model { detail: error.to_string() }
}

#[cfg(all(test, feature = "bundled-model"))]
mod tests {
    use super::{Embedder, MiniLm, bundled, info};

    fn nearness(one: &[f32], other: &[f32]) -> f32 {
        one.iter().zip(other).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn the_hash_in_the_code_is_that_of_the_files() {
        assert_eq!(info(bundled::WEIGHTS, bundled::VOCABULARY.as_bytes()), MiniLm::bundled_info());
    }

    #[test]
    fn what_means_alike_is_near_whatever_its_words() {
        let model = MiniLm::bundled().unwrap();
        let texts = [
            "The boiler stopped working, we have no warm water.",
            "Minutes of the board meeting on Tuesday",
            "Your flight to Lisbon leaves at seven.",
        ];
        let vectors = model.embed(&texts).unwrap();
        let nearest = |query: &str| {
            let asked = model.embed_query(query).unwrap().vector;
            (0..3)
                .max_by(|a, b| nearness(&vectors[*a], &asked).total_cmp(&nearness(&vectors[*b], &asked)))
                .unwrap()
        };

        assert_eq!(nearest("heating broken"), 0);
        assert_eq!(nearest("what was decided by the directors"), 1);
        assert_eq!(nearest("travel to Portugal"), 2);
        assert!(
            vectors.iter().all(|vector| vector.len() == 384 && (nearness(vector, vector) - 1.0).abs() < 1e-4)
        );
    }

    #[test]
    fn a_text_has_the_same_vector_alone_and_among_others() {
        let model = MiniLm::bundled().unwrap();
        let long = "the report about the new bridge ".repeat(20);
        let longer = format!("{long} today");
        let texts = [
            "short",
            &long,
            "",
            "ein Text in einer anderen Sprache",
            "five",
            &longer,
            "the old bridge report",
        ];

        let together = model.embed(&texts).unwrap();

        for (text, vector) in texts.iter().zip(&together) {
            let alone = model.embed(&[text]).unwrap();
            assert_eq!(alone[0], *vector, "{text:?}");
        }
    }
}
