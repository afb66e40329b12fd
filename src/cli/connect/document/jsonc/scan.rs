//! Text -> a tree that knows where everything stands. Total: a document is read whole or refused with a place.

use std::ops::Range;

use serde_json::Value;

use super::super::{BYTE_ORDER_MARK, Refusal};

/// Deeper nesting is refused, so that no document can exhaust the stack.
const DEEPEST: usize = 200;

/// A value and the bytes it covers.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Scalar(Value),
}

/// A member of an object, and where its key, its value and the comma behind it stand.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) start: usize,
    pub(super) value: Node,
    pub(super) comma: Option<usize>,
}

impl Node {
    /// The members, when this is an object.
    pub(super) fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The place of a member; of several with the name the last counts, as for every reader of JSON.
    pub(super) fn position(&self, key: &str) -> Option<usize> {
        self.members()?.iter().rposition(|member| member.key == key)
    }

    /// What the text means.
    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Object(members) => {
                members.iter().map(|member| (member.key.clone(), member.value.value())).collect()
            }
            Kind::Array(items) => items.iter().map(Self::value).collect(),
            Kind::Scalar(value) => value.clone(),
        }
    }
}

/// Reads a document; nothing when there are only blanks and comments in it.
pub(super) fn document(text: &str) -> Result<Option<Node>, Refusal> {
    let mut scanner = Scanner { text, at: 0, depth: 0 };
    scanner.eat(BYTE_ORDER_MARK);
    scanner.blanks()?;
    if scanner.rest().is_empty() {
        return Ok(None);
    }
    let root = scanner.node()?;
    scanner.blanks()?;
    match scanner.rest().is_empty() {
        true => Ok(Some(root)),
        false => Err(scanner.error("there is something behind the end of the value")),
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn error(&self, message: impl Into<String>) -> Refusal {
        Refusal::at(self.text, self.at, message)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    /// Goes over white space and comments.
    fn blanks(&mut self) -> Result<(), Refusal> {
        loop {
            self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\r', '\n']).len();
            if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                let end = self.rest()[2..].find("*/");
                self.at += end.ok_or_else(|| self.error("this comment has no end"))? + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn node(&mut self) -> Result<Node, Refusal> {
        let start = self.at;
        let kind = match self.rest().bytes().next() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(b'"') => Kind::Scalar(Value::String(self.string()?)),
            Some(_) => self.word()?,
            None => return Err(self.error("the text ends where a value should stand")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn nested(&mut self, inner: impl FnOnce(&mut Self) -> Result<Kind, Refusal>) -> Result<Kind, Refusal> {
        if self.depth == DEEPEST {
            return Err(self.error(format!("this is nested more than {DEEPEST} levels deep")));
        }
        self.depth += 1;
        self.at += 1;
        let kind = inner(self)?;
        self.depth -= 1;
        Ok(kind)
    }

    fn object(&mut self) -> Result<Kind, Refusal> {
        let mut members: Vec<Member> = Vec::new();
        loop {
            self.blanks()?;
            if self.eat("}") {
                return Ok(Kind::Object(members));
            }
            if members.last().is_some_and(|member| member.comma.is_none()) {
                return Err(self.error("a `,` or `}` should stand here"));
            }
            let member = self.member()?;
            members.push(member);
        }
    }

    fn member(&mut self) -> Result<Member, Refusal> {
        let start = self.at;
        if !self.rest().starts_with('"') {
            return Err(self.error("a name in double quotes or `}` should stand here"));
        }
        let key = self.string()?;
        self.blanks()?;
        if !self.eat(":") {
            return Err(self.error("a `:` should stand here"));
        }
        self.blanks()?;
        let value = self.node()?;
        self.blanks()?;
        let comma = self.at;
        Ok(Member { key, start, value, comma: self.eat(",").then_some(comma) })
    }

    fn array(&mut self) -> Result<Kind, Refusal> {
        let mut items = Vec::new();
        let mut more = true;
        loop {
            self.blanks()?;
            if self.eat("]") {
                return Ok(Kind::Array(items));
            }
            if !more {
                return Err(self.error("a `,` or `]` should stand here"));
            }
            items.push(self.node()?);
            self.blanks()?;
            more = self.eat(",");
        }
    }

    /// A string. Half of a surrogate pair is no reason to refuse a file: programs that cut text write them.
    fn string(&mut self) -> Result<String, Refusal> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 1;
        loop {
            match bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                Some(0..0x20) | None => return Err(self.error("this string has no end on its line")),
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        let quoted = &self.text[start..self.at];
        Ok(serde_json::from_str(quoted).unwrap_or_else(|_| quoted.to_owned()))
    }

    fn escape(&mut self) -> Result<(), Refusal> {
        let after = &self.text.as_bytes()[self.at + 1..];
        let length = match after.first() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') if after.len() > 4 && after[1..5].iter().all(u8::is_ascii_hexdigit) => 6,
            _ => return Err(self.error("this escape does not exist in JSON")),
        };
        self.at += length;
        Ok(())
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Kind, Refusal> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
        let length = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        let value = serde_json::from_str(&self.rest()[..length]);
        let value = value.map_err(|_| self.error("this is no value that JSON knows"))?;
        self.at += length;
        Ok(Kind::Scalar(value))
    }
}
