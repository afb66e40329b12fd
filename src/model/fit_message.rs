//! Bytes that mean one message to every server: what is not exactly this is not sent.

use std::fmt;

/// The longest line without its end (RFC 5321, 4.5.3.1.6).
const LONGEST_LINE: usize = 998;

/// Why bytes cannot be a message on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// A carriage return or a line feed that is not part of a CRLF. Servers disagree about what it ends, and what
    /// follows could become a second message.
    BareLineEnd,
    /// It does not end with CRLF.
    OpenEnd,
    /// A line of more than 998 octets.
    LongLine,
    /// An octet that not every server takes.
    NotSevenBit,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BareLineEnd => "a line ends with something else than CRLF",
            Self::OpenEnd => "the last line does not end",
            Self::LongLine => "a line has more than 998 octets",
            Self::NotSevenBit => "an octet is not ASCII",
        })
    }
}

/// A message that ends in CRLF, in lines of at most 998 octets of ASCII that all end in CRLF. Asked for when a message is
/// frozen and again at the socket.
#[derive(Debug, Clone, Copy)]
pub struct FitMessage<'a>(&'a [u8]);

impl<'a> FitMessage<'a> {
    /// Takes bytes as they are, or says why not.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Unfit> {
        if !bytes.ends_with(b"\r\n") {
            return Err(Unfit::OpenEnd);
        }
        let mut rest = bytes;
        while let Some(end) = memchr::memchr2(b'\r', b'\n', rest) {
            if rest[end] != b'\r' || rest.get(end + 1) != Some(&b'\n') {
                return Err(Unfit::BareLineEnd);
            }
            if end > LONGEST_LINE {
                return Err(Unfit::LongLine);
            }
            if !rest[..end].iter().all(|byte| byte.is_ascii() && *byte != 0) {
                return Err(Unfit::NotSevenBit);
            }
            rest = &rest[end + 2..];
        }
        Ok(Self(bytes))
    }

    /// The message as it is.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.0
    }

    /// How many octets it has.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it is empty, which it never is.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes for the wire: a dot at the start of a line is doubled (RFC 5321, 4.5.2). The final dot is not here.
    #[must_use]
    pub fn stuffed(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.0.len() + 16);
        for line in self.0.split_inclusive(|byte| *byte == b'\n') {
            if line.first() == Some(&b'.') {
                out.push(b'.');
            }
            out.extend_from_slice(line);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop, proptest};

    use super::{FitMessage, Unfit};

    #[test]
    fn whatever_could_be_read_as_two_messages_is_refused() {
        for (bytes, why) in [
            (&b"a\r\n.\n\r\nMAIL FROM:<x@y>\r\n"[..], Unfit::BareLineEnd),
            (b"a\n.\r\nb\r\n", Unfit::BareLineEnd),
            (b"a\r.\r\nb\r\n", Unfit::BareLineEnd),
            (b"a\r\r\n", Unfit::BareLineEnd),
            (b"a\r\n.\r", Unfit::OpenEnd),
            (b"a", Unfit::OpenEnd),
            (b"", Unfit::OpenEnd),
            (b"caf\xc3\xa9\r\n", Unfit::NotSevenBit),
            (b"a\0b\r\n", Unfit::NotSevenBit),
        ] {
            assert_eq!(FitMessage::new(bytes).err(), Some(why), "{bytes:?}");
        }
        let line = |length: usize| [vec![b'x'; length], b"\r\n".to_vec()].concat();
        assert!(FitMessage::new(&line(998)).is_ok());
        assert_eq!(FitMessage::new(&line(999)).err(), Some(Unfit::LongLine));
    }

    #[test]
    fn a_line_with_a_dot_comes_back_as_it_was() {
        let bytes = b".\r\n..\r\n.a\r\na.\r\n\r\n";

        assert_eq!(FitMessage::new(bytes).unwrap().stuffed(), b"..\r\n...\r\n..a\r\na.\r\n\r\n");
    }

    proptest! {
        #[test]
        fn what_is_fit_never_holds_the_end_of_a_message(lines in prop::collection::vec(any::<Vec<u8>>(), 1..8)) {
            let bytes: Vec<u8> = lines.into_iter().flat_map(|line| [line, b"\r\n".to_vec()].concat()).collect();
            if let Ok(fit) = FitMessage::new(&bytes) {
                let sent = [b"\r\n".to_vec(), fit.stuffed()].concat();
                assert!(!sent.windows(5).any(|window| window == b"\r\n.\r\n"));
            }
        }
    }
}
