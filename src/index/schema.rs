//! The fields of the text index. Text is indexed, never stored: the store has it.

use tantivy::schema::{
    FAST, Field, IndexRecordOption, Schema, SchemaBuilder, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Index, IndexSettings};

use crate::index::readable_directory::ReadableDirectory;
use crate::index::words::WordTokenizer;

const WORDS: &str = "words";
/// Changes when the meaning of a field changes; an index of another layout is built anew.
pub(super) const LAYOUT: &str = "3";

/// The fields, by what they hold.
#[derive(Debug, Clone)]
pub struct Fields {
    schema: Schema,
    /// The message's row in the store.
    pub id: Field,
    /// Its date.
    pub epoch: Field,
    /// Its size.
    pub size: Field,
    /// Visible text.
    pub body: Field,
    /// Subject.
    pub subject: Field,
    /// From.
    pub from: Field,
    /// To.
    pub to: Field,
    /// Cc.
    pub cc: Field,
    /// Bcc.
    pub bcc: Field,
    /// List-Id.
    pub list: Field,
    /// Names of attachments.
    pub file_name: Field,
    /// Text inside attachments.
    pub attachment: Field,
    /// Exact marks: `attachment`, and `type=` for each way to name a part's type.
    pub marks: Field,
}

impl Fields {
    /// The schema of the index.
    #[must_use]
    pub fn new() -> Self {
        let mut builder = SchemaBuilder::new();
        let id = builder.add_u64_field("id", FAST);
        let epoch = builder.add_i64_field("epoch", FAST);
        let size = builder.add_u64_field("size", FAST);
        let mut text = |name| builder.add_text_field(name, words());
        let [body, subject, from, to, cc, bcc, list, file_name, attachment] =
            ["body", "subject", "from", "to", "cc", "bcc", "list", "file_name", "attachment"].map(&mut text);
        let marks = builder.add_text_field("marks", exact());
        let schema = builder.build();
        Self { schema, id, epoch, size, body, subject, from, to, cc, bcc, list, file_name, attachment, marks }
    }

    /// Opens the index in a directory, or makes it there.
    pub(super) fn open_or_create(&self, directory: &std::path::Path) -> tantivy::Result<Index> {
        let directory = tantivy::directory::MmapDirectory::open(directory)?;
        let index = Index::open_or_create(directory, self.schema.clone())?;
        register(&index);
        Ok(index)
    }

    /// Opens the index in a directory.
    pub(super) fn open(&self, directory: &std::path::Path) -> tantivy::Result<Index> {
        let index = Index::open(ReadableDirectory::open(directory)?)?;
        if index.schema() != self.schema {
            return Err(tantivy::TantivyError::SchemaError("the index has another layout".to_owned()));
        }
        register(&index);
        Ok(index)
    }

    /// An index in memory.
    pub(super) fn in_memory(&self) -> tantivy::Result<Index> {
        let index = Index::builder()
            .schema(self.schema.clone())
            .settings(IndexSettings::default())
            .create_in_ram()?;
        register(&index);
        Ok(index)
    }
}

impl Default for Fields {
    fn default() -> Self {
        Self::new()
    }
}

fn words() -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(WORDS)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    TextOptions::default().set_indexing_options(indexing)
}

fn exact() -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    TextOptions::default().set_indexing_options(indexing)
}

fn register(index: &Index) {
    index.tokenizers().register(WORDS, TextAnalyzer::builder(WordTokenizer::default()).build());
}
