//! Words, strings and lists of one response. Pure: takes a line and its literals, knows no connection.

/// A part of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Nil,
    Atom(String),
    Text(Vec<u8>),
    List(Vec<Self>),
}

impl Value {
    /// The text of an atom or a string.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Self::Atom(text) => Some(text.clone()),
            Self::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        }
    }

    pub(super) fn number(&self) -> Option<u64> {
        match self {
            Self::Atom(text) => text.parse().ok(),
            _ => None,
        }
    }

    pub(super) fn list(self) -> Option<Vec<Self>> {
        match self {
            Self::List(values) => Some(values),
            _ => None,
        }
    }
}

/// Lists in lists, as deep as any answer we ask for.
const DEEPEST: usize = 16;

/// Reads values off a line, from left to right.
pub(super) struct Parser<'a> {
    line: &'a [u8],
    at: usize,
    /// Bytes that were announced by their length.
    literals: std::vec::IntoIter<Vec<u8>>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(line: &'a [u8], literals: Vec<Vec<u8>>) -> Self {
        Self { line, at: 0, literals: literals.into_iter() }
    }

    /// The next run of bytes without a space, as text.
    pub(super) fn word(&mut self) -> &'a str {
        self.skip_spaces();
        let rest = &self.line[self.at..];
        let end = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
        self.at += end;
        std::str::from_utf8(&rest[..end]).unwrap_or("")
    }

    /// What is left of the line.
    pub(super) fn rest(&mut self) -> &'a [u8] {
        self.skip_spaces();
        let rest = &self.line[self.at..];
        self.at = self.line.len();
        rest
    }

    /// The next value; `None` at the end or where nothing can be made out.
    pub(super) fn value(&mut self) -> Option<Value> {
        self.nested(0)
    }

    fn nested(&mut self, depth: usize) -> Option<Value> {
        self.skip_spaces();
        match self.peek()? {
            b'(' if depth < DEEPEST => self.list(depth),
            b'"' => self.quoted().map(Value::Text),
            b'{' => self.literal(),
            b'~' if self.line.get(self.at + 1) == Some(&b'{') => {
                self.at += 1;
                self.literal()
            }
            b'(' | b')' => None,
            _ => self.atom(),
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut values = Vec::new();
        loop {
            self.skip_spaces();
            if self.peek()? == b')' {
                self.at += 1;
                return Some(Value::List(values));
            }
            values.push(self.nested(depth + 1)?);
        }
    }

    fn quoted(&mut self) -> Option<Vec<u8>> {
        self.at += 1;
        let mut text = Vec::new();
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'"' => return Some(text),
                b'\\' => {
                    text.push(self.peek()?);
                    self.at += 1;
                }
                other => text.push(other),
            }
        }
    }

    fn literal(&mut self) -> Option<Value> {
        let end = self.line[self.at..].iter().position(|byte| *byte == b'}')?;
        self.at += end + 1;
        self.literals.next().map(Value::Text)
    }

    /// A word; brackets in it hold together what is between them (`BODY[HEADER.FIELDS (SUBJECT)]<0>`).
    fn atom(&mut self) -> Option<Value> {
        let start = self.at;
        let mut open = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'[' => open += 1,
                b']' => open = open.saturating_sub(1),
                b' ' | b'(' | b')' | b'"' if open == 0 => break,
                _ => {}
            }
            self.at += 1;
        }
        let text = String::from_utf8_lossy(&self.line[start..self.at]);
        let is_nil = text.eq_ignore_ascii_case("nil");
        (self.at > start).then(|| if is_nil { Value::Nil } else { Value::Atom(text.into_owned()) })
    }

    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }
}
