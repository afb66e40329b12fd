//! Functions for strangers' statements. A single call cannot be interrupted, so none may take longer than a pass or two
//! over its arguments; SQLite's own `instr`, `replace` and `trim` compare everything with everything.

use std::collections::HashSet;

use memchr::memmem;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error};

const PURE: FunctionFlags = FunctionFlags::SQLITE_UTF8.union(FunctionFlags::SQLITE_DETERMINISTIC);

/// Puts them in the place of SQLite's.
pub(super) fn register(connection: &Connection) -> Result<(), Error> {
    connection.create_scalar_function("instr", 2, PURE, instr)?;
    connection.create_scalar_function("replace", 3, PURE, replace)?;
    connection.create_scalar_function("trim", 2, PURE, |context| trim(context, Ends::Both))?;
    connection.create_scalar_function("ltrim", 2, PURE, |context| trim(context, Ends::Start))?;
    connection.create_scalar_function("rtrim", 2, PURE, |context| trim(context, Ends::End))?;
    Ok(())
}

/// Where the second argument first stands in the first, counted from 1; 0 when it does not.
fn instr(context: &Context<'_>) -> Result<Option<i64>, Error> {
    let (hay, needle) = (context.get_raw(0), context.get_raw(1));
    if let (ValueRef::Blob(hay), ValueRef::Blob(needle)) = (hay, needle) {
        return Ok(Some(memmem::find(hay, needle).map_or(0, |at| at as i64 + 1)));
    }
    let (Some(hay), Some(needle)) = (text(hay), text(needle)) else { return Ok(None) };
    let at = memmem::find(hay.as_bytes(), needle.as_bytes());
    Ok(Some(at.map_or(0, |at| hay.get(..at).map_or(0, |before| before.chars().count() as i64 + 1))))
}

fn replace(context: &Context<'_>) -> Result<Option<String>, Error> {
    let [Some(hay), Some(old), Some(new)] = [0, 1, 2].map(|i| text(context.get_raw(i))) else {
        return Ok(None);
    };
    if old.is_empty() {
        return Ok(Some(hay));
    }
    let found = memmem::find_iter(hay.as_bytes(), old.as_bytes()).count();
    let length = hay.len() + found.saturating_mul(new.len());
    if length > super::LONGEST_VALUE as usize {
        return Err(Error::UserFunctionError("string or blob too big".into()));
    }
    Ok(Some(hay.replace(&old, &new)))
}

fn trim(context: &Context<'_>, ends: Ends) -> Result<Option<String>, Error> {
    let [Some(hay), Some(set)] = [0, 1].map(|i| text(context.get_raw(i))) else { return Ok(None) };
    let set: HashSet<char> = set.chars().collect();
    let is_in_set = |c: char| set.contains(&c);
    let rest = match ends {
        Ends::Both => hay.trim_matches(is_in_set),
        Ends::Start => hay.trim_start_matches(is_in_set),
        Ends::End => hay.trim_end_matches(is_in_set),
    };
    Ok(Some(rest.to_owned()))
}

/// Where a text is trimmed.
#[derive(Clone, Copy)]
enum Ends {
    Both,
    Start,
    End,
}

/// A value as the text functions of SQLite take it; `None` for null.
fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(format!("{number:?}")),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}
