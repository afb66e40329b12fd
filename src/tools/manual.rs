//! Short manuals that a client can read as resources.

use crate::query::language::OPERATORS;

/// The views and columns that SQL can read.
pub const SQL: &str = include_str!("../../docs/sql.md");

/// Every operator of the search language with an example.
#[must_use]
pub fn search_language() -> String {
    let lines = OPERATORS.iter().map(|operator| format!("{:<32} {}", operator.example, operator.summary));
    format!(
        "Words side by side must all match, in any form; \"quoted words\" exactly. OR, -word, parentheses.\n\n{}\n",
        lines.collect::<Vec<_>>().join("\n")
    )
}
