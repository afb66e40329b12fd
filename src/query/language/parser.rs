//! Lexemes -> tree. Owns precedence, groups and the limits on depth and on the number of terms.
//! Recursion follows open parentheses only, so the depth limit bounds it.

use std::collections::VecDeque;

use super::calendar::Calendar;
use super::error::LanguageError;
use super::lexer::{Group, Lexeme, Token, Value};
use super::operators::Field;
use super::tree::{Leaf, Nearness, Query, Scope};
use super::{MAX_DEPTH, MAX_TERMS, Understood};
use super::{dates, values, words};

/// What these lexemes spell.
pub(super) fn understood(lexemes: Vec<Lexeme>, calendar: &Calendar) -> Result<Understood, LanguageError> {
    let mut parser =
        Parser { lexemes: lexemes.into(), calendar, field: None, depth: 0, terms: 0, notes: Vec::new() };
    let query = parser.all_of()?;
    match parser.lexemes.pop_front() {
        Some(Lexeme { position, .. }) => Err(LanguageError::UnopenedParenthesis { position }),
        None => {
            let notes = parser.notes.into_iter().chain(dates::said_as_words(&query, calendar)).collect();
            Ok(Understood { query, notes })
        }
    }
}

struct Parser<'a> {
    lexemes: VecDeque<Lexeme>,
    calendar: &'a Calendar,
    /// The operator whose parentheses we are in.
    field: Option<Field>,
    depth: usize,
    terms: usize,
    notes: Vec<String>,
}

/// A term, or signs without a word in them. Beside words those are passed over: `Ada & Bob`.
enum Term {
    Query(Query),
    Signs(Value),
}

impl Term {
    /// Signs are no term where they stand for something by themselves.
    fn query(self) -> Result<Query, LanguageError> {
        match self {
            Self::Query(query) => Ok(query),
            Self::Signs(Value { text, position, .. }) => {
                Err(LanguageError::NothingToFind { position, value: text })
            }
        }
    }
}

impl Parser<'_> {
    /// Everything up to what closes the group, or the end.
    fn all_of(&mut self) -> Result<Query, LanguageError> {
        let (mut parts, mut signs) = (Vec::new(), Vec::new());
        while let Some(lexeme) = self.next_unless_closed() {
            let first = match lexeme.token {
                Token::And if !parts.is_empty() => self.needed_by("AND", lexeme.position)?,
                _ => lexeme,
            };
            match self.any_of(first)? {
                Term::Query(query) => parts.push(query),
                alone => signs.push(alone),
            }
        }
        if !parts.iter().any(has_text) {
            signs.into_iter().try_for_each(|alone| alone.query().map(drop))?;
        }
        Ok(Query::and(parts))
    }

    fn any_of(&mut self, first: Lexeme) -> Result<Term, LanguageError> {
        let first = self.term(first)?;
        if !self.next_is(&Token::Or) {
            return Ok(first);
        }
        let mut branches = vec![first.query()?];
        while self.next_is(&Token::Or) {
            let position = self.lexemes.pop_front().map_or(0, |or| or.position);
            let next = self.needed_by("OR", position)?;
            branches.push(self.term(next)?.query()?);
        }
        Ok(Term::Query(Query::or(branches)))
    }

    fn term(&mut self, mut lexeme: Lexeme) -> Result<Term, LanguageError> {
        let (mut wanted, mut is_plain) = (true, true);
        while let Token::Not(spelling) = lexeme.token {
            (wanted, is_plain) = (!wanted, false);
            lexeme = self.needed_by(spelling, lexeme.position)?;
        }
        let term = self.plain_term(lexeme)?;
        match (is_plain, wanted) {
            (true, _) => Ok(term),
            (false, true) => Ok(Term::Query(term.query()?)),
            (false, false) => Ok(Term::Query(term.query()?.negated())),
        }
    }

    fn plain_term(&mut self, lexeme: Lexeme) -> Result<Term, LanguageError> {
        let position = lexeme.position;
        let query = match lexeme.token {
            Token::Text(value) => return self.text(value),
            Token::Filter(field, value) => {
                self.refuse_inside_another(field, position)?;
                self.condition(field, value)
            }
            Token::Open(group, None) => self.group(group, position),
            Token::Open(group, Some(field)) => self.group_of(field, group, position),
            Token::Close(_) => Err(LanguageError::UnopenedParenthesis { position }),
            Token::Or => Err(LanguageError::MissingTerm { position, keyword: "OR" }),
            Token::And => Err(LanguageError::MissingTerm { position, keyword: "AND" }),
            Token::Not(keyword) => Err(LanguageError::MissingTerm { position, keyword }),
        };
        Ok(Term::Query(query?))
    }

    fn text(&mut self, value: Value) -> Result<Term, LanguageError> {
        let field = self.field.unwrap_or(Field::Text(Scope::Anywhere));
        let is_text = matches!(field, Field::Text(_));
        if !value.quoted && value.text == "AROUND" {
            return Err(LanguageError::MissingTerm { position: value.position, keyword: "AROUND" });
        }
        if is_text && !value.quoted && value.text == "*" && self.field.is_none() {
            return Ok(Term::Query(Query::All));
        }
        if is_text && !value.quoted && !value.text.contains('*') && !words::has_words(&value.text) {
            return Ok(Term::Signs(value));
        }
        Ok(Term::Query(self.condition(field, value)?))
    }

    fn condition(&mut self, field: Field, value: Value) -> Result<Query, LanguageError> {
        if self.terms == MAX_TERMS {
            return Err(LanguageError::TooManyTerms { position: value.position });
        }
        self.terms += 1;
        let value = if field.is_date() { self.whole_date(value) } else { value };
        self.notice(field, &value);
        match field {
            Field::Text(scope) if self.is_around() => self.near(scope, value),
            _ => values::condition(field, value, self.calendar),
        }
    }

    /// Says what can be read in two ways.
    fn notice(&mut self, field: Field, value: &Value) {
        if field.is_date() {
            self.notes.extend(dates::reading(&value.text, self.calendar));
        }
        if matches!(field, Field::Text(_)) && !value.quoted && words::has_star_inside(&value.text) {
            let shown = crate::text_safety::one_line(&value.text);
            self.notes
                .push(format!("`*` stands for more letters only at the end of a word, not in `{shown}`"));
        }
    }

    /// Dates of several words need no quotes: `after:last week`, `on:march 10 2024`.
    fn whole_date(&mut self, value: Value) -> Value {
        let may_go_on = !value.quoted && dates::may_go_on(&value.text);
        let more: Vec<&str> = self.lexemes.iter().map_while(plain_word).take(2).collect();
        for count in (1..=more.len()).rev().filter(|_| may_go_on) {
            let text = format!("{} {}", value.text, more[..count].join(" "));
            if dates::start(&text, self.calendar).is_some() {
                self.lexemes.drain(..count);
                return Value { text, ..value };
            }
        }
        value
    }

    fn is_around(&self) -> bool {
        self.lexemes.front().and_then(plain_word) == Some("AROUND")
    }

    fn near(&mut self, scope: Scope, first: Value) -> Result<Query, LanguageError> {
        let position = self.lexemes.pop_front().map_or(0, |around| around.position);
        let missing = LanguageError::MissingTerm { position, keyword: "AROUND" };
        let within = self.lexemes.pop_front().as_ref().and_then(plain_word).and_then(words::distance);
        let Some(within) = within else { return Err(missing) };
        let Token::Text(second) = self.needed_by("AROUND", position)?.token else { return Err(missing) };
        for word in [&first, &second] {
            if !words::is_single(&word.text) {
                let (position, value) = (word.position, word.text.clone());
                return Err(LanguageError::NotOneWord { position, value });
            }
        }
        Ok(Query::Leaf(Leaf::Near(Nearness {
            scope,
            first: first.text,
            second: second.text,
            within,
            ordered: false,
        })))
    }

    fn group_of(&mut self, field: Field, group: Group, position: usize) -> Result<Query, LanguageError> {
        self.refuse_inside_another(field, position)?;
        if self.at_close() {
            return Err(LanguageError::MissingValue { position, operator: field.name().unwrap_or_default() });
        }
        self.field = Some(field);
        let query = self.group(group, position);
        self.field = None;
        query
    }

    fn group(&mut self, group: Group, position: usize) -> Result<Query, LanguageError> {
        if self.at_close() {
            return Err(LanguageError::Empty { position, marks: group.marks() });
        }
        if self.depth == MAX_DEPTH {
            return Err(LanguageError::TooDeep { position });
        }
        self.depth += 1;
        let query = match group {
            Group::Parentheses => self.all_of()?,
            Group::Braces => self.one_of()?,
        };
        self.depth -= 1;
        match self.lexemes.pop_front() {
            Some(Lexeme { token: Token::Close(closed), .. }) if closed == group => Ok(query),
            _ => Err(LanguageError::UnclosedParenthesis { position }),
        }
    }

    /// The terms between braces.
    fn one_of(&mut self) -> Result<Query, LanguageError> {
        let mut branches = Vec::new();
        while let Some(first) = self.next_unless_closed() {
            branches.push(self.any_of(first)?.query()?);
        }
        Ok(Query::or(branches))
    }

    fn refuse_inside_another(&self, inner: Field, position: usize) -> Result<(), LanguageError> {
        match (self.field.and_then(Field::name), inner.name()) {
            (Some(outer), Some(inner)) => Err(LanguageError::NestedOperator { position, outer, inner }),
            _ => Ok(()),
        }
    }

    /// The lexeme that begins the term this keyword needs.
    fn needed_by(&mut self, keyword: &'static str, position: usize) -> Result<Lexeme, LanguageError> {
        let begins_term =
            |lexeme: &mut Lexeme| !matches!(lexeme.token, Token::Close(_) | Token::Or | Token::And);
        self.lexemes.pop_front_if(begins_term).ok_or(LanguageError::MissingTerm { position, keyword })
    }

    fn next_unless_closed(&mut self) -> Option<Lexeme> {
        self.lexemes.pop_front_if(|lexeme| !matches!(lexeme.token, Token::Close(_)))
    }

    fn next_is(&self, token: &Token) -> bool {
        self.lexemes.front().is_some_and(|lexeme| lexeme.token == *token)
    }

    fn at_close(&self) -> bool {
        self.lexemes.front().is_some_and(|lexeme| matches!(lexeme.token, Token::Close(_)))
    }
}

impl Group {
    fn marks(self) -> &'static str {
        match self {
            Self::Parentheses => "parentheses",
            Self::Braces => "braces",
        }
    }
}

/// Whether a match must have words, so that signs beside them can be passed over.
fn has_text(query: &Query) -> bool {
    match query {
        Query::Leaf(leaf) => leaf.is_text(),
        Query::And(parts) => parts.iter().any(has_text),
        Query::Or(branches) => branches.iter().all(has_text),
        Query::All | Query::Not(_) => false,
    }
}

/// The word that a lexeme is, if it is one and stands without quotes.
fn plain_word(lexeme: &Lexeme) -> Option<&str> {
    match &lexeme.token {
        Token::Text(value) if !value.quoted => Some(&value.text),
        _ => None,
    }
}
