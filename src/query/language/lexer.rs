//! Text -> lexemes. Decides what is a word, a phrase, an operator or a sign; knows nothing of precedence.
//! Reads each character once, or a fixed number of times.

use super::error::LanguageError;
use super::operators::{Field, nearest_operator};

/// A piece of the search and where it begins, in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) position: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// Words to look for, or a value inside an operator's parentheses.
    Text(Value),
    /// An operator with its value.
    Filter(Field, Value),
    /// Something that opens a group, and the operator it follows without a space.
    Open(Group, Option<Field>),
    Close(Group),
    Or,
    And,
    /// A negation, as it was spelled.
    Not(&'static str),
}

/// What a pair of signs makes of the terms between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// `(a b)`: all of them.
    Parentheses,
    /// `{a b}`: any of them.
    Braces,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) quoted: bool,
    pub(super) position: usize,
}

/// Schemes of addresses that are written without `//`; with it, any scheme is text.
const SCHEMES: &[&str] = &["cid", "data", "magnet", "mailto", "mid", "news", "sms", "tel", "urn", "xmpp"];
/// `name(...)` is one word if it is no longer than this.
const LONGEST_CALL: usize = 200;

/// All lexemes of the text.
pub(super) fn lexemes(text: &str) -> Result<Vec<Lexeme>, LanguageError> {
    let mut lexer = Lexer { rest: text, position: 0, braces: 0 };
    let mut found = Vec::new();
    while let Some(lexeme) = lexer.next()? {
        found.push(lexeme);
    }
    Ok(found)
}

/// Whether this text, unquoted, is one word to look for.
pub(super) fn is_word(text: &str) -> bool {
    let is_same = |value: &Value| !value.quoted && value.text == text;
    let Ok(found) = lexemes(text) else {
        return false;
    };
    matches!(found.as_slice(), [Lexeme { token: Token::Text(value), .. }] if is_same(value))
}

/// Whether this text, unquoted, stands whole after an operator's colon.
pub(super) fn is_plain_value(text: &str) -> bool {
    let is_same = |value: &Value| !value.quoted && value.text == text;
    let Ok(found) = lexemes(&format!("label:{text}")) else {
        return false;
    };
    matches!(found.as_slice(), [Lexeme { token: Token::Filter(Field::Label, value), .. }] if is_same(value))
}

struct Lexer<'a> {
    rest: &'a str,
    position: usize,
    /// Braces that are open.
    braces: usize,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Result<Option<Lexeme>, LanguageError> {
        self.take_while(separates);
        let position = self.position;
        let Some(first) = self.rest.chars().next() else {
            return Ok(None);
        };
        let token = match first {
            '(' => self.sign(Token::Open(Group::Parentheses, None)),
            ')' => self.sign(Token::Close(Group::Parentheses)),
            '{' if self.closes_later() => self.open_brace(None),
            '{' => Token::Text(self.stray_braces()),
            '}' if self.braces > 0 => self.close_brace(),
            '-' if negates(self.rest) => self.sign(Token::Not("-")),
            '+' if wants_exactly(self.rest) => Token::Text(self.exact_word()),
            quote if opens_quote(quote) => Token::Text(self.phrase()?),
            _ => self.word_or_operator()?,
        };
        Ok(Some(Lexeme { token, position }))
    }

    fn sign(&mut self, token: Token) -> Token {
        self.take(1);
        token
    }

    fn closes_later(&self) -> bool {
        self.rest.contains('}')
    }

    /// Braces that nothing closes, as at the end of a line of a program: signs, and no group.
    fn stray_braces(&mut self) -> Value {
        let position = self.position;
        let text = self.take_while(|c| c == '{').to_owned();
        Value { text, quoted: false, position }
    }

    fn open_brace(&mut self, field: Option<Field>) -> Token {
        self.braces += 1;
        self.sign(Token::Open(Group::Braces, field))
    }

    fn close_brace(&mut self) -> Token {
        self.braces -= 1;
        self.sign(Token::Close(Group::Braces))
    }

    fn word_or_operator(&mut self) -> Result<Token, LanguageError> {
        let Some(name) = name_before_colon(self.rest) else {
            return Ok(self.word_or_keyword());
        };
        let after = &self.rest[name.len() + 1..];
        match Field::named(name) {
            _ if is_text_after_any_name(after) => Ok(self.word_or_keyword()),
            Some(field) => self.operator(field, name),
            None if is_text_after_unknown_name(name, after) => Ok(self.word_or_keyword()),
            None => Err(self.unknown_operator(name, after)),
        }
    }

    fn operator(&mut self, field: Field, name: &str) -> Result<Token, LanguageError> {
        let missing = LanguageError::MissingValue {
            position: self.position,
            operator: field.name().unwrap_or_default(),
        };
        self.take(name.len() + 1);
        if self.rest.starts_with('{') && !self.closes_later() {
            self.stray_braces();
        }
        let value = match self.rest.chars().next() {
            Some('(') => return Ok(self.sign(Token::Open(Group::Parentheses, Some(field)))),
            Some('{') => return Ok(self.open_brace(Some(field))),
            Some(quote) if opens_quote(quote) => self.quoted()?,
            _ => self.word(),
        };
        if is_blank(&value.text) { Err(missing) } else { Ok(Token::Filter(field, value)) }
    }

    fn unknown_operator(&self, name: &str, after: &str) -> LanguageError {
        LanguageError::UnknownOperator {
            position: self.position,
            name: name.to_owned(),
            value: value_shown(after).to_owned(),
            nearest: nearest_operator(name),
        }
    }

    fn word_or_keyword(&mut self) -> Token {
        let word = self.word();
        match word.text.as_str() {
            "OR" => Token::Or,
            "AND" => Token::And,
            "NOT" => Token::Not("NOT"),
            _ => Token::Text(word),
        }
    }

    /// Up to a space, a parenthesis that does not belong to it, or a brace that closes a group.
    fn word(&mut self) -> Value {
        let position = self.position;
        let mut length = 0;
        while let Some(c) = self.rest[length..].chars().next() {
            length += match c {
                '(' => match call_length(&self.rest[..length], &self.rest[length..]) {
                    Some(call) => call,
                    None => break,
                },
                '}' if self.braces > 0 => break,
                c if ends_word(c) => break,
                c => c.len_utf8(),
            };
        }
        let text = self.take(length).to_owned();
        Value { text, quoted: false, position }
    }

    /// `+word`: as written, not in its other forms.
    fn exact_word(&mut self) -> Value {
        self.take(1);
        Value { quoted: true, ..self.word() }
    }

    fn phrase(&mut self) -> Result<Value, LanguageError> {
        let value = self.quoted()?;
        if is_blank(&value.text) {
            return Err(LanguageError::Empty { position: value.position, marks: "quotes" });
        }
        Ok(value)
    }

    fn quoted(&mut self) -> Result<Value, LanguageError> {
        let position = self.position;
        let mut text = String::new();
        let mut characters = self.rest.char_indices().peekable();
        let opening = characters.next().map_or('"', |(_, quote)| quote);
        while let Some((at, character)) = characters.next() {
            if character == '\\' {
                let escaped = characters.next_if(|(_, next)| matches!(next, '\\' | '"' | '“' | '”'));
                text.push(escaped.map_or('\\', |(_, next)| next));
            } else if closes_quote(opening, character) {
                self.take(at + character.len_utf8());
                return Ok(Value { text, quoted: true, position });
            } else {
                text.push(character);
            }
        }
        Err(LanguageError::UnclosedQuote { position })
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        self.take(end)
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.position += taken.chars().count();
        taken
    }
}

fn separates(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

fn ends_word(c: char) -> bool {
    separates(c) || matches!(c, '(' | ')')
}

fn opens_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„')
}

/// A straight quote closes a straight one, so that typographic ones can stand between them.
fn closes_quote(opening: char, c: char) -> bool {
    if opening == '"' { c == '"' } else { matches!(c, '“' | '”') }
}

fn is_blank(text: &str) -> bool {
    text.chars().all(separates)
}

/// `-word` negates; a dash that stands alone, an arrow and `--force` are text.
fn negates(text: &str) -> bool {
    let next = text.chars().nth(1);
    next.is_some_and(|next| !separates(next) && !matches!(next, ')' | '-' | '>'))
}

fn wants_exactly(text: &str) -> bool {
    text.chars().nth(1).is_some_and(char::is_alphanumeric)
}

/// How long the parentheses are that belong to the word before them: `fork()`, `f(x)`, `max(a,b)`. Those with a space
/// in them group, and so do those behind a keyword.
fn call_length(before: &str, parentheses: &str) -> Option<usize> {
    if before.is_empty() || matches!(before, "OR" | "AND" | "NOT") {
        return None;
    }
    let mut depth = 0;
    for (at, c) in parentheses.char_indices().take(LONGEST_CALL) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            c if separates(c) => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

fn name_before_colon(text: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let end = text.find(|c| !is_name(c))?;
    let begins_with_letter = text.starts_with(|c: char| c.is_ascii_alphabetic());
    (begins_with_letter && text[end..].starts_with(':')).then(|| &text[..end])
}

/// The value of an operator that does not exist, marks and all: enough to repeat it in a hint.
fn value_shown(after: &str) -> &str {
    let closing = match after.chars().next() {
        Some('(') => after.find(')'),
        Some('"') => after[1..].find('"').map(|at| at + 1),
        _ => None,
    };
    let end = closing.map(|at| at + 1).or_else(|| after.find(ends_word)).unwrap_or(after.len());
    &after[..end]
}

/// `std::fmt`, `thread::spawn`, `https://example.org`.
fn is_text_after_any_name(after: &str) -> bool {
    after.starts_with(':') || after.starts_with("//")
}

/// `Re:`, `C:\mail`, `mailto:ada@example.org`.
fn is_text_after_unknown_name(name: &str, after: &str) -> bool {
    let nothing_follows = after.chars().next().is_none_or(|c| separates(c) || c == ')');
    let is_path = after.starts_with(['/', '\\']);
    nothing_follows || is_path || SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(name))
}
