//! Texts of OpenDocument that programs work out anew when they open a document: fields, numbers of lists and of notes, and
//! values of cells. What is written there counts only where it can be nothing but a number or a date.

use super::docx_fields::Gift;
use super::docx_known::is_in;
use super::xml::Tag;

/// Fields that give a number.
const NUMBERS: &str = "\
    page-number page-count paragraph-count word-count table-count image-count object-count character-count editing-cycles \
    sequence note-citation number page-variable-get bookmark-ref reference-ref sequence-ref note-ref measure";
/// Fields that give a date or a time.
const DATES: &str = "\
    date time creation-date creation-time modification-date modification-time print-date print-time editing-duration \
    current-date date-string";
/// Fields that give another text than was written, perhaps.
const TEXTS: &str = "\
    author-initials author-name bibliography-mark chapter conditional-text creator creator-initials database-display description expression \
    file-name initial-creator initials keywords meta-field page-continuation-string placeholder printed-by \
    sender-city sender-company sender-country sender-email sender-fax sender-firstname sender-initials sender-lastname \
    sender-phone-private sender-phone-work sender-position sender-postal-code sender-state-or-province sender-street \
    sender-title sheet-name subject template-name user-defined user-field-get variable-get variable-input variable-set";
/// Words of a value: a month, a day, a unit.
const MOST_WORDS: usize = 2;

/// The values that are open, by their depth.
#[derive(Default)]
pub(super) struct Values {
    open: Vec<(usize, Value)>,
    dates: usize,
}

enum Value {
    Field(Gift),
    /// Of a cell that holds a number or a date.
    Number(Gift),
    /// Of a cell that says its text twice, or works it out.
    Text(Option<String>),
}

impl Values {
    /// An element begins.
    pub(super) fn begin(&mut self, tag: &Tag<'_>, name: &str, depth: usize) {
        let is_cell = name == "table-cell";
        let value = match name {
            "title" if tag.prefix() == "text" => Some(self.field("")),
            "author-name" | "creator" | "date" | "date-string" | "title" if tag.prefix() != "text" => None,
            name if is_in(NUMBERS, name) && tag.prefix() != "style" => Some(self.field("PAGE")),
            name if is_in(DATES, name) => Some(self.field("DATE")),
            name if is_in(TEXTS, name) => Some(self.field("")),
            _ if is_cell => cell(tag),
            _ => None,
        };
        self.open.extend(value.map(|value| (depth, value)));
    }

    fn field(&mut self, instruction: &str) -> Value {
        Value::Field(Gift::of(instruction, &mut self.dates))
    }

    pub(super) fn end(&mut self, depth: usize) {
        self.open.pop_if(|(at, _)| *at == depth);
    }

    /// What may be another text than this one.
    pub(super) fn doubt(&mut self, text: &str) -> Option<&'static str> {
        self.open.iter_mut().find_map(|(_, value)| match value {
            Value::Field(gift) => {
                gift.give(text);
                (!gift.is_as_written()).then_some("fields")
            }
            Value::Number(gift) => {
                gift.give(text);
                (gift.words() > MOST_WORDS).then_some("formulas")
            }
            Value::Text(said) => {
                let is_same = said.as_ref().is_some_and(|said| said.contains(text.trim()));
                (!is_same && !text.trim().is_empty()).then_some("formulas")
            }
        })
    }
}

fn cell(tag: &Tag<'_>) -> Option<Value> {
    let kind = tag.attribute("value-type");
    let said = tag.attribute("string-value");
    match kind.as_deref() {
        None | Some("string") if tag.attribute("formula").is_some() => Some(Value::Text(None)),
        None | Some("string") => said.map(|said| Value::Text(Some(said))),
        Some(_) => Some(Value::Number(Gift::of("DATE", &mut 0))),
    }
}
