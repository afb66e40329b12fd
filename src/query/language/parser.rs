//! Lexemes -> tree. Owns precedence, groups and the limits on depth and on the number of terms.
//! Recursion follows open parentheses only, so the depth limit bounds it.

use std::iter::Peekable;
use std::vec::IntoIter;

use jiff::Zoned;

use super::error::LanguageError;
use super::lexer::{Lexeme, Token, Value};
use super::operators::Field;
use super::tree::{Query, Scope};
use super::values;
use super::{MAX_DEPTH, MAX_TERMS};

/// The tree that these lexemes spell.
pub(super) fn tree(lexemes: Vec<Lexeme>, now: &Zoned) -> Result<Query, LanguageError> {
    let mut parser = Parser { lexemes: lexemes.into_iter().peekable(), now, field: None, depth: 0, terms: 0 };
    let query = parser.all_of()?;
    match parser.lexemes.next() {
        Some(Lexeme { position, .. }) => Err(LanguageError::UnopenedParenthesis { position }),
        None => Ok(query),
    }
}

struct Parser<'a> {
    lexemes: Peekable<IntoIter<Lexeme>>,
    now: &'a Zoned,
    /// The operator whose parentheses we are in.
    field: Option<Field>,
    depth: usize,
    terms: usize,
}

impl Parser<'_> {
    /// Everything up to the closing parenthesis or the end.
    fn all_of(&mut self) -> Result<Query, LanguageError> {
        let mut parts = Vec::new();
        while let Some(lexeme) = self.lexemes.next_if(|lexeme| lexeme.token != Token::Close) {
            let first = match lexeme.token {
                Token::And if !parts.is_empty() => self.needed_by("AND", lexeme.position)?,
                _ => lexeme,
            };
            parts.push(self.any_of(first)?);
        }
        Ok(Query::and(parts))
    }

    fn any_of(&mut self, first: Lexeme) -> Result<Query, LanguageError> {
        let mut branches = vec![self.term(first)?];
        while let Some(or) = self.lexemes.next_if(|lexeme| lexeme.token == Token::Or) {
            let next = self.needed_by("OR", or.position)?;
            branches.push(self.term(next)?);
        }
        Ok(Query::or(branches))
    }

    fn term(&mut self, mut lexeme: Lexeme) -> Result<Query, LanguageError> {
        let mut wanted = true;
        while let Token::Not(spelling) = lexeme.token {
            wanted = !wanted;
            lexeme = self.needed_by(spelling, lexeme.position)?;
        }
        let query = self.plain_term(lexeme)?;
        Ok(if wanted { query } else { query.negated() })
    }

    fn plain_term(&mut self, lexeme: Lexeme) -> Result<Query, LanguageError> {
        let position = lexeme.position;
        match lexeme.token {
            Token::Text(value) => self.condition(self.field.unwrap_or(Field::Text(Scope::Anywhere)), value),
            Token::Filter(field, value) => {
                self.refuse_inside_another(field, position)?;
                self.condition(field, value)
            }
            Token::Open(None) => self.group(position),
            Token::Open(Some(field)) => self.group_of(field, position),
            Token::Close => Err(LanguageError::UnopenedParenthesis { position }),
            Token::Or => Err(LanguageError::MissingTerm { position, keyword: "OR" }),
            Token::And => Err(LanguageError::MissingTerm { position, keyword: "AND" }),
            Token::Not(keyword) => Err(LanguageError::MissingTerm { position, keyword }),
        }
    }

    fn condition(&mut self, field: Field, value: Value) -> Result<Query, LanguageError> {
        if self.terms == MAX_TERMS {
            return Err(LanguageError::TooManyTerms { position: value.position });
        }
        self.terms += 1;
        values::condition(field, value, self.now)
    }

    fn group_of(&mut self, field: Field, position: usize) -> Result<Query, LanguageError> {
        self.refuse_inside_another(field, position)?;
        if self.at_close() {
            return Err(LanguageError::MissingValue { position, operator: field.name().unwrap_or_default() });
        }
        self.field = Some(field);
        let query = self.group(position);
        self.field = None;
        query
    }

    fn group(&mut self, position: usize) -> Result<Query, LanguageError> {
        if self.at_close() {
            return Err(LanguageError::Empty { position, marks: "parentheses" });
        }
        if self.depth == MAX_DEPTH {
            return Err(LanguageError::TooDeep { position });
        }
        self.depth += 1;
        let query = self.all_of()?;
        self.depth -= 1;
        self.lexemes.next().ok_or(LanguageError::UnclosedParenthesis { position })?;
        Ok(query)
    }

    fn refuse_inside_another(&self, inner: Field, position: usize) -> Result<(), LanguageError> {
        match (self.field.and_then(Field::name), inner.name()) {
            (Some(outer), Some(inner)) => Err(LanguageError::NestedOperator { position, outer, inner }),
            _ => Ok(()),
        }
    }

    /// The lexeme that begins the term this keyword needs.
    fn needed_by(&mut self, keyword: &'static str, position: usize) -> Result<Lexeme, LanguageError> {
        let begins_term = |lexeme: &Lexeme| !matches!(lexeme.token, Token::Close | Token::Or | Token::And);
        self.lexemes.next_if(begins_term).ok_or(LanguageError::MissingTerm { position, keyword })
    }

    fn at_close(&mut self) -> bool {
        self.lexemes.peek().is_some_and(|lexeme| lexeme.token == Token::Close)
    }
}
