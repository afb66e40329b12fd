//! A message in the form tantivy takes documents in: it reads our own strings where they are, instead of a copy.

use std::iter::Empty;
use std::sync::Arc;

use tantivy::schema::document::{ReferenceValue, ReferenceValueLeaf};
use tantivy::schema::{Field, Value};

use crate::index::gate::Pass;
use crate::index::{Document, Fields};

/// A document and the fields it goes into.
pub(super) struct Filled {
    document: Document,
    marks: Vec<String>,
    fields: Arc<Fields>,
    /// Held until the document has been taken in.
    _pass: Option<Pass>,
}

impl Filled {
    pub(super) fn new(document: Document, fields: &Arc<Fields>, pass: Option<Pass>) -> Self {
        Self { marks: document.marks(), document, fields: Arc::clone(fields), _pass: pass }
    }
}

/// What stands in a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entry<'a> {
    Text(&'a str),
    Unsigned(u64),
    Signed(i64),
}

impl<'a> Value<'a> for Entry<'a> {
    type ArrayIter = Empty<Self>;
    type ObjectIter = Empty<(&'a str, Self)>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        ReferenceValue::Leaf(match *self {
            Entry::Text(text) => ReferenceValueLeaf::Str(text),
            Entry::Unsigned(number) => ReferenceValueLeaf::U64(number),
            Entry::Signed(number) => ReferenceValueLeaf::I64(number),
        })
    }
}

impl tantivy::Document for Filled {
    type Value<'a> = Entry<'a>;
    type FieldsValuesIter<'a> = Box<dyn Iterator<Item = (Field, Entry<'a>)> + 'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let (document, fields) = (&self.document, &self.fields);
        let facts = [
            (fields.id, Entry::Unsigned(document.key.0.cast_unsigned())),
            (fields.epoch, Entry::Signed(document.epoch)),
            (fields.size, Entry::Unsigned(document.size)),
            (fields.subject, Entry::Text(&document.subject)),
            (fields.body, Entry::Text(&document.text)),
        ];
        let lists = [
            (fields.from, &document.from),
            (fields.to, &document.to),
            (fields.cc, &document.cc),
            (fields.bcc, &document.bcc),
            (fields.marks, &self.marks),
            (fields.attachment, &document.attachment_texts),
        ];
        let list = document.list.iter().map(|id| (fields.list, Entry::Text(id)));
        let names = document.files.iter().filter_map(|file| file.name.as_deref());
        let names = names.map(|name| (fields.file_name, Entry::Text(name)));
        Box::new(
            facts
                .into_iter()
                .chain(lists.into_iter().flat_map(|(field, list)| each(field, list)))
                .chain(list)
                .chain(names),
        )
    }
}

fn each(field: Field, texts: &[String]) -> impl Iterator<Item = (Field, Entry<'_>)> {
    texts.iter().map(move |text| (field, Entry::Text(text)))
}
