//! CSS as a tree of tokens: what stands in brackets is one token that holds the rest.

use cssparser::{ParseError, Parser, Token};

/// One token. Names keep their spelling.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tok {
    Ident(String),
    Hash(String),
    Text(String),
    Url(String),
    Number(f32),
    /// As a fraction: 100% is 1.
    Percent(f32),
    Dimension(f32, String),
    Delim(char),
    Colon,
    Semicolon,
    Comma,
    Space,
    AtWord(String),
    Function(String, Vec<Self>),
    Parens(Vec<Self>),
    Square(Vec<Self>),
    Curly(Vec<Self>),
    /// `~=`, `|=`, `^=`, `$=`, `*=`, by their first character.
    Match(char),
    /// `<!--` and `-->`, which stand for nothing between the rules of a sheet and spoil everything else.
    Markup,
    /// Something no declaration may hold.
    Bad,
}

impl Tok {
    /// The name, if it is a plain word.
    pub(crate) fn ident(&self) -> Option<&str> {
        match self {
            Self::Ident(name) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn is_ident(&self, name: &str) -> bool {
        self.ident().is_some_and(|own| own.eq_ignore_ascii_case(name))
    }
}

/// Cuts CSS into tokens; `None` when brackets are nested deeper than anyone would.
pub(crate) fn tokens(css: &str) -> Option<Vec<Tok>> {
    level(&mut Parser::new(css))
}

fn level(parser: &mut Parser<'_>) -> Option<Vec<Tok>> {
    let mut out = Vec::new();
    while let Ok(token) = parser.next_including_whitespace() {
        let token = match token {
            Token::Ident(name) => Tok::Ident(name.to_string()),
            Token::AtKeyword(name) => Tok::AtWord(name.to_string()),
            Token::Hash(name) | Token::IDHash(name) => Tok::Hash(name.to_string()),
            Token::QuotedString(text) => Tok::Text(text.to_string()),
            Token::UnquotedUrl(url) => Tok::Url(url.to_string()),
            Token::Number { value, .. } => Tok::Number(*value),
            Token::Percentage { unit_value, .. } => Tok::Percent(*unit_value),
            Token::Dimension { value, unit, .. } => Tok::Dimension(*value, unit.to_ascii_lowercase()),
            Token::WhiteSpace(_) => Tok::Space,
            Token::Delim(c) => Tok::Delim(*c),
            Token::Colon => Tok::Colon,
            Token::Semicolon => Tok::Semicolon,
            Token::Comma => Tok::Comma,
            Token::IncludeMatch => Tok::Match('~'),
            Token::DashMatch => Tok::Match('|'),
            Token::PrefixMatch => Tok::Match('^'),
            Token::SuffixMatch => Tok::Match('$'),
            Token::SubstringMatch => Tok::Match('*'),
            Token::CDO | Token::CDC => Tok::Markup,
            Token::Comment(_) => continue,
            Token::Function(name) => {
                let name = name.to_ascii_lowercase();
                function(name, inside(parser)?)
            }
            Token::ParenthesisBlock => Tok::Parens(inside(parser)?),
            Token::SquareBracketBlock => Tok::Square(inside(parser)?),
            Token::CurlyBracketBlock => Tok::Curly(inside(parser)?),
            _ => Tok::Bad,
        };
        // A comment between blanks leaves one blank.
        if token != Tok::Space || out.last() != Some(&Tok::Space) {
            out.push(token);
        }
    }
    Some(out)
}

fn inside(parser: &mut Parser<'_>) -> Option<Vec<Tok>> {
    parser.parse_nested_block(|inner| Ok::<_, ParseError<()>>(level(inner))).ok().flatten()
}

/// `url("x")` is the same as `url(x)`, whatever is said about how it is fetched.
fn function(name: String, arguments: Vec<Tok>) -> Tok {
    match trimmed(&arguments) {
        [Tok::Text(url), ..] if name == "url" || name == "src" => Tok::Url(url.clone()),
        _ => Tok::Function(name, arguments),
    }
}

/// The tokens without blanks at both ends.
pub(crate) fn trimmed(mut tokens: &[Tok]) -> &[Tok] {
    while let [Tok::Space, rest @ ..] = tokens {
        tokens = rest;
    }
    while let [rest @ .., Tok::Space] = tokens {
        tokens = rest;
    }
    tokens
}

/// An address as browsers take it: without control characters, and blanks before it.
pub(crate) fn cleaned_address(address: &str) -> String {
    let clean: String = address.chars().filter(|c| !c.is_control()).collect();
    clean.trim_start().to_owned()
}

/// The parts between commas.
pub(crate) fn between_commas(tokens: &[Tok]) -> impl Iterator<Item = &[Tok]> {
    tokens.split(|token| *token == Tok::Comma).map(trimmed)
}

/// The tokens that are not blanks.
pub(crate) fn solid(tokens: &[Tok]) -> impl Iterator<Item = &Tok> {
    tokens.iter().filter(|token| **token != Tok::Space)
}
