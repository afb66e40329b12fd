//! Tree -> text, in the one spelling that shows how a search was understood.
//! What the parser returned is printed so that it parses back to the same tree, as long as the longer
//! spelling keeps within the limits.

use std::fmt::{Display, Formatter, Result};

use super::dates;
use super::lexer;
use super::operators::Field;
use super::tree::{Leaf, Nearness, Query, Scope, State};

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::All => Ok(()),
            Self::And(parts) => joined(f, parts, " "),
            Self::Or(branches) => joined(f, branches, " OR "),
            Self::Not(inner) => negated(f, inner),
            Self::Leaf(leaf) => leaf.fmt(f),
        }
    }
}

impl Display for Leaf {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Text { scope, text, exact } => look_for(f, *scope, text, *exact),
            Self::Near(nearness) => near(f, nearness),
            Self::Me(scope) => write!(f, "{}:me", Field::Text(*scope).name().unwrap_or_default()),
            Self::Category(category) => write!(f, "category:{category}"),
            Self::HasUserLabels => f.write_str("has:userlabels"),
            Self::Is(state) => write!(f, "is:{}", state.name()),
            Self::In(mailbox) if mailbox.eq_ignore_ascii_case("anywhere") => {
                write!(f, "in:{}", Quoted(mailbox))
            }
            Self::In(mailbox) => filter(f, "in", mailbox),
            Self::Label(label) => filter(f, "label", label),
            Self::Account(account) => filter(f, "account", account),
            Self::Thread(thread) => filter(f, "thread", thread),
            Self::MessageId(id) => filter(f, "rfc822msgid", id),
            Self::List(list) => filter(f, "list", list),
            Self::HasAttachment => f.write_str("has:attachment"),
            Self::Type(kind) => filter(f, "type", kind),
            Self::Dated { from, until } => dated(f, *from, *until),
            Self::Larger(bytes) => write!(f, "larger:{bytes}"),
            Self::Smaller(bytes) => write!(f, "smaller:{bytes}"),
        }
    }
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Unread => "unread",
            Self::Read => "read",
            Self::Starred => "starred",
            Self::Replied => "replied",
            Self::Draft => "draft",
            Self::Important => "important",
        }
    }
}

fn joined(f: &mut Formatter<'_>, queries: &[Query], between: &str) -> Result {
    for (number, query) in queries.iter().enumerate() {
        if number > 0 {
            f.write_str(between)?;
        }
        as_term(f, query)?;
    }
    Ok(())
}

/// Parentheses around whatever is more than one term, also where precedence would do without.
fn as_term(f: &mut Formatter<'_>, query: &Query) -> Result {
    match query {
        Query::All => f.write_str("in:anywhere"),
        Query::And(_) | Query::Or(_) => write!(f, "({query})"),
        Query::Not(_) | Query::Leaf(_) => query.fmt(f),
    }
}

/// `-` before `--force` would be a third dash, and before `>` an arrow: no negation.
fn negated(f: &mut Formatter<'_>, inner: &Query) -> Result {
    let shown = AsTerm(inner).to_string();
    let sign = if shown.starts_with(['-', '>']) { "NOT " } else { "-" };
    write!(f, "{sign}{shown}")
}

struct AsTerm<'a>(&'a Query);

impl Display for AsTerm<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        as_term(f, self.0)
    }
}

fn look_for(f: &mut Formatter<'_>, scope: Scope, text: &str, exact: bool) -> Result {
    let Some(operator) = Field::Text(scope).name() else {
        return if exact || !lexer::is_word(text) { Quoted(text).fmt(f) } else { f.write_str(text) };
    };
    match exact {
        true => write!(f, "{operator}:{}", Quoted(text)),
        false if lexer::is_plain_value(text) => write!(f, "{operator}:{text}"),
        // `from::b` would be text, `from:(:b)` is not.
        false if lexer::is_word(text) => write!(f, "{operator}:({text})"),
        false => write!(f, "{operator}:{}", Quoted(text)),
    }
}

fn near(f: &mut Formatter<'_>, nearness: &Nearness) -> Result {
    let Nearness { scope, first, second, within, ordered } = nearness;
    let operator = Field::Text(*scope).name();
    let spelt = match ordered {
        true => Quoted(&format!("{first} AROUND {within} {second}")).to_string(),
        false => format!("{} AROUND {within} {}", Operand(first), Operand(second)),
    };
    match operator {
        None => f.write_str(&spelt),
        Some(operator) if *ordered => write!(f, "{operator}:{spelt}"),
        Some(operator) => write!(f, "{operator}:({spelt})"),
    }
}

/// A word beside `AROUND`. A dash before it would be a negation, or one too many.
struct Operand<'a>(&'a str);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let is_plain = lexer::is_word(self.0) && !self.0.starts_with('-') && self.0 != "AROUND";
        if is_plain { f.write_str(self.0) } else { Quoted(self.0).fmt(f) }
    }
}

fn filter(f: &mut Formatter<'_>, operator: &str, value: &str) -> Result {
    if lexer::is_plain_value(value) {
        write!(f, "{operator}:{value}")
    } else {
        write!(f, "{operator}:{}", Quoted(value))
    }
}

fn dated(f: &mut Formatter<'_>, from: Option<i64>, until: Option<i64>) -> Result {
    match (from, until) {
        (None, None) => f.write_str("in:anywhere"),
        (Some(from), None) => write!(f, "after:{}", dates::written(from)),
        (None, Some(until)) => write!(f, "before:{}", dates::written(until)),
        (Some(from), Some(until)) => {
            let last = until.saturating_sub(1);
            write!(f, "on:{}..{}", dates::written(from), dates::written(last))
        }
    }
}

struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "\"{}\"", self.0.replace('\\', r"\\").replace('"', "\\\""))
    }
}
