//! The five flags a placement can carry, as IMAP and Maildir know them.

use std::ops::{BitOr, BitOrAssign};

/// A set of message flags, stored as one small integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Flags(u8);

impl Flags {
    /// No flag: a new, unread message.
    pub const NONE: Self = Self(0);
    /// `\Seen`, Maildir `S`.
    pub const SEEN: Self = Self(1);
    /// `\Answered`, Maildir `R`.
    pub const ANSWERED: Self = Self(2);
    /// `\Flagged`, Maildir `F`: a star.
    pub const FLAGGED: Self = Self(4);
    /// `\Deleted`, Maildir `T`.
    pub const DELETED: Self = Self(8);
    /// `\Draft`, Maildir `D`.
    pub const DRAFT: Self = Self(16);

    const LETTERS: [(char, Self); 5] = [
        ('D', Self::DRAFT),
        ('F', Self::FLAGGED),
        ('R', Self::ANSWERED),
        ('S', Self::SEEN),
        ('T', Self::DELETED),
    ];

    const NAMES: [(Self, &'static str); 5] = [
        (Self::SEEN, "seen"),
        (Self::ANSWERED, "answered"),
        (Self::FLAGGED, "flagged"),
        (Self::DELETED, "deleted"),
        (Self::DRAFT, "draft"),
    ];

    /// The names of the flags that are set.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        Self::NAMES.iter().filter(|(flag, _)| self.contains(*flag)).map(|(_, name)| *name).collect()
    }

    /// The set with these names; others are ignored.
    #[must_use]
    pub fn from_names<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        names
            .filter_map(|name| Self::NAMES.iter().find(|(_, known)| *known == name))
            .fold(Self::NONE, |set, (flag, _)| set | *flag)
    }

    /// The set without the flags of `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether every flag of `other` is set here.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The integer kept in the store.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The set for an integer of the store; unknown bits are dropped.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 31)
    }

    /// Reads the letters behind `:2,` of a Maildir file name; `P` (passed) and custom letters are ignored.
    #[must_use]
    pub fn from_maildir(letters: &str) -> Self {
        Self::LETTERS
            .iter()
            .filter(|(letter, _)| letters.contains(*letter))
            .fold(Self::NONE, |set, (_, flag)| set | *flag)
    }

    /// The letters for a Maildir file name, in the alphabetical order the format asks for.
    #[must_use]
    pub fn to_maildir(self) -> String {
        Self::LETTERS.iter().filter(|(_, flag)| self.contains(*flag)).map(|(letter, _)| *letter).collect()
    }
}

impl BitOr for Flags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::Flags;

    #[test]
    fn names_round_trip() {
        let all = Flags::from_bits(31);
        assert_eq!(Flags::from_names(all.names().into_iter()), all);
        assert_eq!((Flags::SEEN | Flags::FLAGGED).without(Flags::SEEN).names(), ["flagged"]);
    }

    #[test]
    fn maildir_letters_round_trip_in_alphabetical_order() {
        assert_eq!(Flags::from_maildir("SFxP"), Flags::SEEN | Flags::FLAGGED);
        assert_eq!((Flags::SEEN | Flags::FLAGGED | Flags::ANSWERED).to_maildir(), "FRS");
        assert_eq!(Flags::from_maildir(&Flags::from_bits(31).to_maildir()), Flags::from_bits(31));
    }
}
