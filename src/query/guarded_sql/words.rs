//! The words of a statement, as far as two questions need them: which verb it begins with, and whether it asks for nothing
//! but the length of a message's bytes. Neither lets anything through: SQLite's authorizer decides that.

/// A piece of a statement. Comments, blanks and texts in single quotes are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    /// A keyword or a name.
    Word(&'a str),
    /// Anything else: a text, a number, an operator.
    Other(char),
}

/// The pieces of a statement in their order. One that is not closed ends it.
fn tokens(sql: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' => quoted(rest, '\''),
            '"' => quoted(rest, '"'),
            '`' => quoted(rest, '`'),
            '[' => rest.find(']').map_or(rest.len(), |end| end + 1),
            '-' if rest.starts_with("--") => rest.find('\n').map_or(rest.len(), |end| end + 1),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            c if is_name(c) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let piece = &rest[..length];
        match first {
            '"' | '`' | '[' => tokens.push(Token::Word(piece.trim_matches(['"', '`', '[', ']']))),
            '-' | '/' if length > 1 => {}
            c if c.is_whitespace() => {}
            c if is_name(c) && !c.is_ascii_digit() => tokens.push(Token::Word(piece)),
            c => tokens.push(Token::Other(c)),
        }
        rest = &rest[length..];
    }
    tokens
}

/// The length of a quoted piece at the start; a doubled quote stands for itself.
fn quoted(text: &str, quote: char) -> usize {
    let mut at = 1;
    while let Some(end) = text[at..].find(quote) {
        at += end + 1;
        if !text[at..].starts_with(quote) {
            return at;
        }
        at += 1;
    }
    text.len()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// What a statement does, as its own words say: `DELETE` also behind a WITH.
pub(super) fn verb(sql: &str) -> Option<String> {
    const VERBS: [&str; 6] = ["SELECT", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE"];
    let tokens = tokens(sql);
    let first = tokens.iter().find_map(|token| match token {
        Token::Word(word) => Some(word.to_uppercase()),
        Token::Other(_) => None,
    })?;
    if first != "WITH" {
        return Some(first);
    }
    let mut depth = 0_usize;
    for token in tokens {
        match token {
            Token::Other('(') => depth += 1,
            Token::Other(')') => depth = depth.saturating_sub(1),
            Token::Word(word) if depth == 0 && VERBS.contains(&word.to_uppercase().as_str()) => {
                return Some(word.to_uppercase());
            }
            _ => {}
        }
    }
    Some(first)
}

/// Whether a statement uses the bytes of messages only to measure them: wherever it names their columns, it does so as
/// `length(raw)`, and nothing in it stands for all columns.
pub(super) fn only_measures(sql: &str) -> bool {
    let tokens = tokens(sql);
    let is = |at: usize, names: &[&str]| matches!(tokens.get(at), Some(Token::Word(word)) if names.iter().any(|name| name.eq_ignore_ascii_case(word)));
    let mut measured = false;
    for at in 0..tokens.len() {
        if is(at, &["raw", "encoded"]) {
            let start = start_of_name(&tokens, at);
            let opened = start >= 2 && tokens[start - 1] == Token::Other('(');
            let closed = tokens.get(at + 1) == Some(&Token::Other(')'));
            if !(opened && closed && is(start - 2, &["length", "octet_length"])) {
                return false;
            }
            measured = true;
        }
        if is(at, &["natural"]) || stands_for_all(&tokens, at) {
            return false;
        }
    }
    measured
}

/// Where `a.b.c` begins whose last part stands at `at`.
fn start_of_name(tokens: &[Token<'_>], mut at: usize) -> usize {
    while at >= 2 && tokens[at - 1] == Token::Other('.') {
        at -= 2;
    }
    at
}

/// Whether `*` stands here for columns: not as a product, and not in `count(*)`.
fn stands_for_all(tokens: &[Token<'_>], at: usize) -> bool {
    if tokens[at] != Token::Other('*') {
        return false;
    }
    match at.checked_sub(1).map(|before| tokens[before]) {
        Some(Token::Word(word)) => ["select", "distinct", "all"].iter().any(|w| w.eq_ignore_ascii_case(word)),
        Some(Token::Other(before)) => matches!(before, ',' | '.'),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{only_measures, verb};

    #[test]
    fn a_verb_is_found_behind_comments_and_table_expressions() {
        for (sql, expected) in [
            ("select 1", "SELECT"),
            ("-- DROP\n /* x */ CREATE TABLE t (a)", "CREATE"),
            ("WITH a AS (DELETE FROM x), b AS (SELECT ')' ) DELETE FROM emails", "DELETE"),
            ("WITH a AS (SELECT 1) SELECT * FROM a", "SELECT"),
            ("WITH", "WITH"),
            ("begin", "BEGIN"),
        ] {
            assert_eq!(verb(sql).as_deref(), Some(expected), "{sql}");
        }
        assert_eq!(verb("'x'"), None);
    }

    #[test]
    fn bytes_are_only_measured_where_nothing_else_asks_for_them() {
        for sql in [
            "SELECT length(encoded) FROM emails",
            "SELECT id, LENGTH ( e.raw ) AS n, sum(length(\"encoded\")) FROM emails e",
            "SELECT count(*), 2 * 3, octet_length(raw) FROM emails ORDER BY length(raw) DESC",
            "SELECT length(raw) FROM emails WHERE subject = 'raw encoded *'",
        ] {
            assert!(only_measures(sql), "{sql}");
        }
        for sql in [
            "SELECT 1",
            "SELECT raw FROM emails",
            "SELECT length(raw), * FROM emails",
            "SELECT e.*, length(raw) FROM emails e",
            "SELECT length(raw || 'x') FROM emails",
            "SELECT length(x) FROM (SELECT raw AS x FROM emails)",
            "SELECT length(raw) FROM (SELECT substr(raw, 1, 5) AS raw FROM emails)",
            "SELECT length(raw) FROM emails NATURAL JOIN emails",
            "SELECT sum(raw) FROM emails",
            "SELECT length(raw), hex(raw) FROM emails",
        ] {
            assert!(!only_measures(sql), "{sql}");
        }
    }
}
