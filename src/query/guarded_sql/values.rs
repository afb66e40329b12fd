//! Rows of a statement as JSON values, bounded in number and in bytes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Statement;
use rusqlite::types::ValueRef;
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::{Value, json};

use crate::model::MessageKey;
use crate::query::guarded_sql::Failure;
use crate::query::guarded_sql::contents::Contents;

/// What a statement gave, as `{query, row_count, rows}`; rows are objects with their columns in order. A value whose bytes
/// are no text has a second column beside it, `NAME_base64`, with the very bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct SqlAnswer {
    /// The statement as given.
    pub query: String,
    /// Names of the columns, each once.
    pub columns: Vec<String>,
    /// Values, row by row.
    pub rows: Vec<Vec<Value>>,
    /// Whether there were more rows than the caller may have.
    pub truncated: bool,
    /// Messages whose text or bytes stand in the rows, or were used for them.
    pub opened: Vec<MessageKey>,
}

impl Serialize for SqlAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("query", &self.query)?;
        map.serialize_entry("row_count", &self.rows.len())?;
        map.serialize_entry("rows", &Rows(self))?;
        if self.truncated {
            map.serialize_entry("truncated", &true)?;
        }
        map.end()
    }
}

struct Rows<'a>(&'a SqlAnswer);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.rows.len()))?;
        for row in &self.0.rows {
            list.serialize_element(&Row(&self.0.columns, row))?;
        }
        list.end()
    }
}

struct Row<'a>(&'a [String], &'a [Value]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.0.iter().zip(self.1) {
            match Bytes::read(value) {
                None => map.serialize_entry(name, value)?,
                Some(bytes) => {
                    map.serialize_entry(name, bytes.text)?;
                    map.serialize_entry(&beside(name, self.0), bytes.base64)?;
                }
            }
        }
        map.end()
    }
}

/// The name of the column with a column's bytes, which no other column has.
fn beside(name: &str, columns: &[String]) -> String {
    let mut beside = format!("{name}_base64");
    while columns.contains(&beside) {
        beside.push('_');
    }
    beside
}

/// A value whose bytes are no text. SQL has no values that JSON writes as objects, so that one stands for it.
struct Bytes<'a> {
    text: &'a str,
    base64: &'a str,
}

impl<'a> Bytes<'a> {
    fn value(bytes: &[u8]) -> Value {
        json!({ "text": String::from_utf8_lossy(bytes), "base64": STANDARD.encode(bytes) })
    }

    fn read(value: &'a Value) -> Option<Self> {
        let object = value.as_object()?;
        Some(Self { text: object.get("text")?.as_str()?, base64: object.get("base64")?.as_str()? })
    }
}

impl SqlAnswer {
    /// A value as text for a person; bytes that are no text are replaced.
    #[must_use]
    pub fn shown(value: &Value) -> Option<&str> {
        value.as_str().or_else(|| Bytes::read(value).map(|bytes| bytes.text))
    }
}

/// What an answer may hold.
pub(super) struct Most {
    pub(super) rows: usize,
    pub(super) bytes: usize,
}

/// Reads at most so many rows, and not more than fit into an answer.
pub(super) fn read(
    statement: &mut Statement<'_>,
    sql: &str,
    most: &Most,
    contents: &Contents,
) -> Result<SqlAnswer, Failure> {
    let columns = distinct(&statement.column_names().collect::<Vec<_>>());
    let query = sql.to_owned();
    let mut answer = SqlAnswer { query, columns, rows: Vec::new(), truncated: false, opened: Vec::new() };
    let mut bytes = 0;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let cells: Vec<_> = (0..answer.columns.len()).map(|at| row.get_ref(at)).collect::<Result<_, _>>()?;
        // Before anything is copied: a row of large values fills the memory by itself.
        bytes += cells.iter().map(|cell| length(*cell)).sum::<usize>();
        if bytes > most.bytes && answer.rows.is_empty() && most.rows > 0 {
            return Err(Failure::TooLong { most: most.bytes });
        }
        if answer.rows.len() >= most.rows || bytes > most.bytes {
            answer.truncated = true;
            break;
        }
        contents.give_row();
        answer.rows.push(cells.into_iter().map(cell).collect());
    }
    answer.opened = contents.opened();
    Ok(answer)
}

/// The bytes of a value in an answer, about; what is no text is given twice.
fn length(value: ValueRef<'_>) -> usize {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) if std::str::from_utf8(bytes).is_ok() => {
            bytes.len() + 16
        }
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len().saturating_mul(3) + 64,
        _ => 16,
    }
}

/// An object has each name once: a second `id` becomes `id_2`.
fn distinct(names: &[&str]) -> Vec<String> {
    let mut columns: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let mut unique = (*name).to_owned();
        let mut number = 2;
        while columns.contains(&unique) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        columns.push(unique);
    }
    columns
}

/// Numbers that JSON does not have are null.
fn cell(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            std::str::from_utf8(bytes).map_or_else(|_| Bytes::value(bytes), Value::from)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::distinct;

    #[test]
    fn columns_of_the_same_name_are_told_apart() {
        assert_eq!(distinct(&["id", "id", "x", "id", "id_2"]), ["id", "id_2", "x", "id_3", "id_2_2"]);
    }
}
