//! Reads the little CBOR (RFC 8949) that authenticators write. Pure and total. Stricter than the standard, as CTAP2 is:
//! lengths are definite and in their shortest form, no key twice, no tags, no floating point, and everything is bounded.

/// The deepest nesting that is read; CTAP2 has four.
const DEEPEST: usize = 8;
/// Values in one document.
const MOST: usize = 512;

/// A value; strings stay where they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// A whole number, positive or negative.
    Number(i64),
    /// Bytes.
    Bytes(&'a [u8]),
    /// Text.
    Text(&'a str),
    /// A list.
    List(Vec<Self>),
    /// A map, in the order in which it was written.
    Map(Vec<(Self, Self)>),
    /// `true` or `false`.
    Truth(bool),
    /// `null`.
    Null,
}

impl<'a> Value<'a> {
    /// What a map has under a number.
    #[must_use]
    pub(super) fn at(&self, key: i64) -> Option<&Self> {
        self.get(&Value::Number(key))
    }

    /// What a map has under a name.
    #[must_use]
    pub(super) fn named(&self, key: &str) -> Option<&Self> {
        self.get(&Value::Text(key))
    }

    /// The bytes, if it is bytes.
    #[must_use]
    pub(super) const fn bytes(&self) -> Option<&'a [u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// The number, if it is one.
    #[must_use]
    pub(super) const fn number(&self) -> Option<i64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    fn get(&self, key: &Value<'_>) -> Option<&Self> {
        let Self::Map(entries) = self else { return None };
        entries.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }
}

/// Reads one value, and what stands behind it. `None`: it is not CBOR as authenticators write it.
#[must_use]
pub(super) fn read(bytes: &[u8]) -> Option<(Value<'_>, &[u8])> {
    let mut reader = Reader { rest: bytes, left: MOST };
    let value = reader.value(0)?;
    Some((value, reader.rest))
}

/// Reads bytes that are one value and nothing else.
#[must_use]
pub(super) fn read_all(bytes: &[u8]) -> Option<Value<'_>> {
    read(bytes).filter(|(_, rest)| rest.is_empty()).map(|(value, _)| value)
}

struct Reader<'a> {
    rest: &'a [u8],
    /// Values that may still come.
    left: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Option<Value<'a>> {
        self.left = self.left.checked_sub(1)?;
        let (kind, information) = self.head()?;
        // Of what is neither number nor length only three are known.
        if kind == 7 {
            return match information {
                20 => Some(Value::Truth(false)),
                21 => Some(Value::Truth(true)),
                22 => Some(Value::Null),
                _ => None,
            };
        }
        let argument = self.argument(information)?;
        match kind {
            0 => Some(Value::Number(i64::try_from(argument).ok()?)),
            1 => Some(Value::Number(-1 - i64::try_from(argument).ok()?)),
            2 => self.take(argument).map(Value::Bytes),
            3 => std::str::from_utf8(self.take(argument)?).ok().map(Value::Text),
            4 => self.list(argument, depth + 1),
            5 => self.map(argument, depth + 1),
            _ => None,
        }
    }

    fn head(&mut self) -> Option<(u8, u8)> {
        let first = *self.take(1)?.first()?;
        Some((first >> 5, first & 31))
    }

    /// A number or a length, in its shortest form.
    fn argument(&mut self, information: u8) -> Option<u64> {
        let (length, least) = match information {
            0..=23 => return Some(u64::from(information)),
            24 => (1, 24),
            25 => (2, 1 << 8),
            26 => (4, 1 << 16),
            27 => (8, 1 << 32),
            _ => return None,
        };
        let bytes = self.take(length)?;
        let number = bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        (number >= least).then_some(number)
    }

    fn list(&mut self, count: u64, depth: usize) -> Option<Value<'a>> {
        let count = self.bounded(count, depth)?;
        (0..count).map(|_| self.value(depth)).collect::<Option<_>>().map(Value::List)
    }

    fn map(&mut self, count: u64, depth: usize) -> Option<Value<'a>> {
        let count = self.bounded(count, depth)?;
        let mut entries: Vec<(Value<'a>, Value<'a>)> = Vec::new();
        for _ in 0..count {
            let key = self.value(depth)?;
            let is_plain = matches!(key, Value::Number(_) | Value::Text(_));
            if !is_plain || entries.iter().any(|(known, _)| *known == key) {
                return None;
            }
            entries.push((key, self.value(depth)?));
        }
        Some(Value::Map(entries))
    }

    /// A count that what is left can have, and a depth that is allowed.
    fn bounded(&self, count: u64, depth: usize) -> Option<usize> {
        let count = usize::try_from(count).ok()?;
        (count <= self.left && count <= self.rest.len() && depth <= DEEPEST).then_some(count)
    }

    fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(usize::try_from(length).ok()?)?;
        self.rest = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

    use super::{DEEPEST, Value, read, read_all};

    #[test]
    fn what_authenticators_write_is_read() {
        let bytes = b"\xa3\x01\x02\x20\x38\xff\x63fmt\x82\x42\x00\xff\xf5";

        let value = read_all(bytes).unwrap();

        assert_eq!(value.at(1).and_then(Value::number), Some(2));
        assert_eq!(value.at(-1).and_then(Value::number), Some(-256));
        let list = Value::List(vec![Value::Bytes(&[0, 255]), Value::Truth(true)]);
        assert_eq!(value.named("fmt"), Some(&list));
        assert_eq!(value.named("other"), None);
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        for bytes in [
            &b"\xa2\x01\x02\x01\x03"[..], // a key twice
            b"\xa2\x61a\x02\x61a\x03",    // the same of text
            b"\x18\x17",                  // 23 in two bytes
            b"\x19\x00\xff",              // 255 in three
            b"\x1a\x00\x00\xff\xff",      // 65,535 in five
            b"\x1b\x00\x00\x00\x00\x00\x00\x00\x01",
            b"\x5f\x41\x00\xff", // bytes without a length
            b"\xbf\x01\x02\xff", // a map without a length
            b"\xa1\xf5\x01",     // a key that is no number and no text
            b"\xa1\x80\x01",
            b"\x61\xff",     // no UTF-8
            b"\xc0\x00",     // a tag
            b"\xf9\x3c\x00", // 1.0
            b"\xf7",         // undefined
            b"\xf8\x14",     // false in two bytes
            b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\x3b\x80\x00\x00\x00\x00\x00\x00\x00",
            b"",
            b"\x42\x00",
            b"\x01\x01",
        ] {
            assert_eq!(read_all(bytes), None, "{bytes:x?}");
        }
    }

    #[test]
    fn a_length_that_lies_costs_nothing() {
        for head in
            [&b"\x9a\xff\xff\xff\xff"[..], b"\xba\xff\xff\xff\xff", b"\x5b\x7f\xff\xff\xff\xff\xff\xff\xff"]
        {
            assert_eq!(read(head), None);
        }
        let deep = [vec![0x81; DEEPEST + 1], vec![0]].concat();
        assert_eq!((read(&deep), read(&deep[1..]).is_some()), (None, true));
        let many = [vec![0x99, 0x02, 0x58], vec![0; 600]].concat();
        assert_eq!(read(&many), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn any_bytes_are_read_or_refused_and_nothing_is_made_up(bytes in any::<Vec<u8>>()) {
            if let Some((_, rest)) = read(&bytes) {
                prop_assert!(bytes.ends_with(rest) && rest.len() < bytes.len());
                let read_bytes = &bytes[..bytes.len() - rest.len()];
                prop_assert!(read_all(read_bytes).is_some());
                for cut in 0..read_bytes.len() {
                    prop_assert_eq!(read_all(&read_bytes[..cut]), None);
                }
            }
        }
    }
}
