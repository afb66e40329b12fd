//! D-Bus values as bytes, low byte first. Knows as much of the format as our calls need to write, and all of it
//! to read.

use std::str;

/// How deep values may stand in each other; the format itself allows no more.
const DEEPEST: usize = 64;

/// Bytes that are being written; each value begins where its alignment says.
#[derive(Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// Fills up to a multiple of so many bytes.
    pub fn align(&mut self, to: usize) {
        self.0.resize(self.0.len().next_multiple_of(to), 0);
    }

    /// One byte.
    pub fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    /// A number of four bytes.
    pub fn number(&mut self, value: u32) {
        self.align(4);
        self.0.extend(value.to_le_bytes());
    }

    /// A text or the path of an object.
    pub fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
        self.0.push(0);
    }

    /// An array of bytes.
    pub fn bytes(&mut self, value: &[u8]) {
        self.number(u32::try_from(value.len()).unwrap_or(u32::MAX));
        self.0.extend(value);
    }

    /// What kinds of values follow.
    pub fn signature(&mut self, value: &str) {
        self.0.push(u8::try_from(value.len()).unwrap_or(u8::MAX));
        self.0.extend(value.as_bytes());
        self.0.push(0);
    }

    /// A text that says itself what it is.
    pub fn variant(&mut self, signature: &str, value: &str) {
        self.signature(signature);
        if signature == "g" { self.signature(value) } else { self.text(value) }
    }

    /// An array whose elements begin at multiples of eight, or of four. Its length does not count the gap before the first.
    pub fn array(&mut self, alignment: usize, fill: impl FnOnce(&mut Self)) {
        self.number(0);
        let length_at = self.0.len() - 4;
        self.align(alignment);
        let start = self.0.len();
        fill(self);
        let length = u32::try_from(self.0.len() - start).unwrap_or(u32::MAX);
        self.0[length_at..length_at + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// A dictionary of texts.
    pub fn texts(&mut self, entries: &[(&str, &str)]) {
        self.array(8, |array| {
            for (key, value) in entries {
                array.align(8);
                array.text(key);
                array.text(value);
            }
        });
    }

    /// What was written.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// A value that was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A text, the path of an object, or a signature.
    Text(String),
    /// Any number, and 0 or 1 for no and yes.
    Number(u64),
    /// An array of bytes.
    Bytes(Vec<u8>),
    /// Any other array, a structure, an entry of a dictionary.
    List(Vec<Self>),
    /// A value that said itself what it is.
    Variant(Box<Self>),
}

impl Value {
    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    /// The elements; none where it is no list.
    #[must_use]
    pub fn list(&self) -> &[Self] {
        if let Self::List(list) = self { list } else { &[] }
    }
}

/// Bytes that are being read. Nothing can be read past their end.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The values that a signature names.
    pub(super) fn values(&mut self, signature: &str) -> Option<Vec<Value>> {
        self.sequence(signature.as_bytes(), 0)
    }

    fn sequence(&mut self, mut signature: &[u8], depth: usize) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        while !signature.is_empty() {
            let (first, rest) = signature.split_at_checked(complete_type(signature, depth)?)?;
            values.push(self.value(first, depth)?);
            signature = rest;
        }
        Some(values)
    }

    fn value(&mut self, signature: &[u8], depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        match signature.first()? {
            b's' | b'o' => self.text().map(Value::Text),
            b'g' => self.short_text().map(Value::Text),
            b'y' => Some(Value::Number(u64::from(self.take::<1>()?[0]))),
            b'n' | b'q' => Some(Value::Number(u64::from(u16::from_le_bytes(self.take()?)))),
            b'b' | b'u' | b'i' | b'h' => self.number().map(u64::from).map(Value::Number),
            b'x' | b't' | b'd' => Some(Value::Number(u64::from_le_bytes(self.take()?))),
            b'v' => {
                let inner = self.short_text()?;
                let is_one = complete_type(inner.as_bytes(), depth)? == inner.len();
                let value = is_one.then(|| self.value(inner.as_bytes(), depth + 1))??;
                Some(Value::Variant(Box::new(value)))
            }
            b'a' => self.array(&signature[1..], depth),
            b'(' | b'{' => {
                self.align(8)?;
                self.sequence(signature.get(1..signature.len() - 1)?, depth + 1).map(Value::List)
            }
            _ => None,
        }
    }

    fn array(&mut self, element: &[u8], depth: usize) -> Option<Value> {
        let length = usize::try_from(self.number()?).ok()?;
        if element == b"y" {
            return self.slice(length).map(|bytes| Value::Bytes(bytes.to_vec()));
        }
        self.align(alignment(*element.first()?))?;
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len())?;
        let mut values = Vec::new();
        while self.at < end {
            values.push(self.value(element, depth + 1)?);
        }
        (self.at == end).then_some(Value::List(values))
    }

    pub(super) fn number(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        self.terminated(length)
    }

    fn short_text(&mut self) -> Option<String> {
        let length = self.take::<1>()?[0];
        self.terminated(usize::from(length))
    }

    fn terminated(&mut self, length: usize) -> Option<String> {
        let text = str::from_utf8(self.slice(length)?).ok()?.to_owned();
        (self.take::<1>()? == [0]).then_some(text)
    }

    /// A number of so many bytes, which begins at a multiple of them.
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.align(N)?;
        self.slice(N)?.try_into().ok()
    }

    fn slice(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(length)?;
        let slice = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(slice)
    }

    pub(super) fn align(&mut self, to: usize) -> Option<()> {
        self.at = self.at.next_multiple_of(to);
        (self.at <= self.bytes.len()).then_some(())
    }
}

/// Where a value begins: at a multiple of this.
fn alignment(code: u8) -> usize {
    match code {
        b'y' | b'g' | b'v' => 1,
        b'n' | b'q' => 2,
        b'x' | b't' | b'd' | b'(' | b'{' => 8,
        _ => 4,
    }
}

/// How long the first type of a signature is.
fn complete_type(signature: &[u8], depth: usize) -> Option<usize> {
    if depth > DEEPEST {
        return None;
    }
    match signature.first()? {
        b'a' => complete_type(&signature[1..], depth + 1).map(|length| length + 1),
        b'(' => enclosed(signature, b')', depth),
        b'{' => enclosed(signature, b'}', depth),
        _ => Some(1),
    }
}

fn enclosed(signature: &[u8], end: u8, depth: usize) -> Option<usize> {
    let mut at = 1;
    while *signature.get(at)? != end {
        at += complete_type(&signature[at..], depth + 1)?;
    }
    (at > 1).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Reader, Value, Writer};

    fn text(value: &str) -> Value {
        Value::Text(value.to_owned())
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut writer = Writer::default();
        writer.texts(&[("service", "mailkeep"), ("username", "ü")]);
        writer.byte(1);
        writer.number(7);
        writer.bytes(&[0, 255]);
        writer.variant("s", "x");
        writer.variant("g", "ay");
        let bytes = writer.finish();

        let values = Reader::new(&bytes).values("a{ss}yuayvv").unwrap();

        let entry = |key, value| Value::List(vec![text(key), text(value)]);
        assert_eq!(
            values,
            [
                Value::List(vec![entry("service", "mailkeep"), entry("username", "ü")]),
                Value::Number(1),
                Value::Number(7),
                Value::Bytes(vec![0, 255]),
                Value::Variant(Box::new(text("x"))),
                Value::Variant(Box::new(text("ay"))),
            ]
        );
    }

    /// From the specification's own example: the length of an array leaves out the gap before its first element.
    #[test]
    fn an_array_of_one_large_number_has_a_gap_that_does_not_count() {
        let bytes = [8, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0];

        let values = Reader::new(&bytes).values("at").unwrap();

        assert_eq!(values, [Value::List(vec![Value::Number(5)])]);
    }

    #[test]
    fn an_array_that_is_too_long_or_a_signature_without_end_is_refused() {
        assert_eq!(Reader::new(&[255, 255, 255, 127, 0]).values("as"), None);
        assert_eq!(Reader::new(&[255, 255, 255, 255, 0]).values("ay"), None);
        for signature in ["(", "a", "()", "a{", "(s", "!", &"a".repeat(200), &"(".repeat(200)] {
            assert_eq!(Reader::new(&[0; 64]).values(signature), None, "{signature}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_and_no_signature_break_the_reader(bytes: Vec<u8>, signature in "[a-z(){}v]{0,12}") {
            let _ = Reader::new(&bytes).values(&signature);
        }
    }
}
