//! Ids as types, so that a mailbox can never be taken for a message.

use std::fmt;

use sha2::{Digest, Sha256};

macro_rules! key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub i64);
    };
}

key!(
    /// A row of `accounts`.
    AccountKey
);
key!(
    /// A row of `mailboxes`.
    MailboxKey
);
key!(
    /// A row of `messages`.
    MessageKey
);
key!(
    /// A row of `placements`: one message in one mailbox.
    PlacementKey
);
key!(
    /// A thread: the number all its messages share.
    ThreadKey
);
key!(
    /// A row of `drafts`.
    DraftKey
);

/// Bytes that are gathered before they are hashed: one call for each line would take longer than the hash.
const HASHED_AT_ONCE: usize = 16 << 10;

/// SHA-256 of a message's or an attachment's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Reads the digits that [`ContentHash::to_hex`] writes.
    #[must_use]
    pub fn from_hex(digits: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if digits.len() != 64 || !digits.is_ascii() {
            return None;
        }
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[place * 2..place * 2 + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// The hash of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// What identifies a message: the hash of its bytes with every CRLF as a plain line feed. The server's copy, whose
    /// lines end with CRLF, is the same message as one from a file.
    #[must_use]
    pub fn of_message(bytes: &[u8]) -> Self {
        let mut hasher = Sha256::new();
        let mut waiting = Vec::new();
        let mut start = 0;
        for at in memchr::memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) == Some(&b'\n')) {
            if waiting.len() + at - start > HASHED_AT_ONCE {
                hasher.update(&waiting);
                hasher.update(&bytes[start..at]);
                waiting.clear();
            } else {
                waiting.extend_from_slice(&bytes[start..at]);
            }
            start = at + 1;
        }
        hasher.update(&waiting);
        hasher.update(&bytes[start..]);
        Self(hasher.finalize().into())
    }

    /// Lower-case hexadecimal digits.
    #[must_use]
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({}..)", &self.to_hex()[..12])
    }
}

/// The id people and assistants see: `m` and twelve letters or digits that stand for
/// the first 60 bits of the content hash. It stays the same in every store that holds the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShortId(u64);

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const DIGITS: u32 = 12;

impl ShortId {
    /// The short id of a message with this hash.
    #[must_use]
    pub fn of(hash: &ContentHash) -> Self {
        let head: [u8; 8] = std::array::from_fn(|i| hash.0[i]);
        Self(u64::from_be_bytes(head) >> 4)
    }

    /// Reads an id as printed; case does not matter.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        read_digits(text.strip_prefix(['m', 'M'])?).map(Self)
    }

    /// The lowest and highest hash this id can stand for, to look it up by range.
    #[must_use]
    pub fn hash_range(self) -> ([u8; 32], [u8; 32]) {
        let (mut low, mut high) = ([0_u8; 32], [0xff_u8; 32]);
        low[..8].copy_from_slice(&(self.0 << 4).to_be_bytes());
        high[..8].copy_from_slice(&(self.0 << 4 | 0xf).to_be_bytes());
        (low, high)
    }
}

impl fmt::Display for ShortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}", digits(self.0))
    }
}

/// The id of a draft, which stays while its content is edited: `d` and twelve letters or digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DraftId(u64);

impl DraftId {
    /// The id that stands for the low 60 bits of this number.
    #[must_use]
    pub const fn from_number(number: u64) -> Self {
        Self(number & ((1 << (5 * DIGITS)) - 1))
    }

    /// Reads an id as printed; case does not matter.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        read_digits(text.strip_prefix(['d', 'D'])?).map(Self)
    }
}

impl fmt::Display for DraftId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "d{}", digits(self.0))
    }
}

fn digits(number: u64) -> String {
    (0..DIGITS).rev().map(|place| char::from(ALPHABET[(number >> (5 * place) & 31) as usize])).collect()
}

fn read_digits(digits: &str) -> Option<u64> {
    if digits.len() != DIGITS as usize {
        return None;
    }
    digits.bytes().try_fold(0_u64, |value, byte| {
        let digit = ALPHABET.iter().position(|letter| *letter == byte.to_ascii_lowercase())?;
        Some(value << 5 | digit as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::{ContentHash, DraftId, ShortId};

    #[test]
    fn a_short_id_reads_back_and_spans_its_hash() {
        let hash = ContentHash::of(b"hello");
        let id = ShortId::of(&hash);

        let (low, high) = id.hash_range();

        assert_eq!(ShortId::parse(&id.to_string()), Some(id));
        assert_eq!(ShortId::parse(&id.to_string().to_uppercase()), Some(id));
        assert!(low <= hash.0 && hash.0 <= high);
    }

    #[test]
    fn a_message_is_the_same_however_its_lines_end() {
        let long = "a line of a letter\n".repeat(5_000);
        let wide = format!("a\n{}\nb\n", "x".repeat(50_000));
        for text in ["", "a", "\n", "a\nb", "\r\n\n", "a\r\nb\n\n", "a\rb\nc\n", &long, &wide] {
            let wire = text.replace("\r\n", "\n").replace('\n', "\r\n");
            let file = text.replace("\r\n", "\n");
            let expected = ContentHash::of(file.as_bytes());
            for copy in [&wire, &file, text] {
                assert_eq!(ContentHash::of_message(copy.as_bytes()), expected, "{copy:?}");
            }
        }
        for (one, other) in [("a\rb", "a\nb"), ("a\r\r\n", "a\r\n"), ("a\n\r", "a\n"), ("a\r", "a\n")] {
            assert_ne!(
                ContentHash::of_message(one.as_bytes()),
                ContentHash::of_message(other.as_bytes()),
                "{one:?}"
            );
        }
    }

    #[test]
    fn a_draft_id_reads_back_and_is_not_taken_for_a_message() {
        let id = DraftId::from_number(u64::MAX);

        assert_eq!(DraftId::parse(&id.to_string()), Some(id));
        assert_eq!(ShortId::parse(&id.to_string()), None);
        assert_eq!(DraftId::parse("m0123456789ab"), None);
    }

    #[test]
    fn other_kinds_of_id_are_not_short_ids() {
        for text in ["", "m", "123", "18c2f0a9b3d4e5f6", "<a@b>", "m123456789abci"] {
            assert_eq!(ShortId::parse(text), None, "{text}");
        }
    }
}
