//! What a server answers.

use crate::text_safety::{brief, one_line};

/// The most of a server's words that is shown and kept.
const MOST_WORDS: usize = 300;

/// A code, and the lines behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Three digits.
    pub code: u16,
    pub(super) lines: Vec<String>,
}

impl Reply {
    /// Its words on one line, bounded.
    #[must_use]
    pub fn text(&self) -> String {
        brief(&one_line(&self.lines.join(" ")), MOST_WORDS).into_owned()
    }

    /// The enhanced status code (RFC 3463), such as `5.1.1`.
    #[must_use]
    pub fn enhanced(&self) -> Option<&str> {
        let word = self.lines.first()?.split(' ').next()?;
        let numbers: Vec<_> = word.split('.').collect();
        let is_number =
            |part: &&str| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        let fits =
            numbers.len() == 3 && numbers.iter().all(is_number) && matches!(numbers[0], "2" | "4" | "5");
        fits.then_some(word)
    }

    /// A Message-ID that the server names: some providers give a message another one than we did.
    #[must_use]
    pub fn message_id(&self) -> Option<String> {
        let text = self.lines.join(" ");
        let (_, behind) = text.split_once('<')?;
        let (id, _) = behind.split_once('>')?;
        let is_plain = id.len() <= 250 && id.bytes().all(|byte| byte.is_ascii_graphic());
        (is_plain && id.contains('@')).then(|| id.to_owned())
    }

    /// Whether the server did what it was asked for.
    #[must_use]
    pub const fn is_good(&self) -> bool {
        self.code >= 200 && self.code < 300
    }

    /// Whether the server says that it may work later.
    #[must_use]
    pub const fn is_temporary(&self) -> bool {
        self.code >= 400 && self.code < 500
    }

    /// Whether the server says that it will not work.
    #[must_use]
    pub const fn is_permanent(&self) -> bool {
        self.code >= 500 && self.code < 600
    }

    /// The server ends the conversation (RFC 5321, 3.8): it says nothing about what was asked.
    #[must_use]
    pub const fn is_goodbye(&self) -> bool {
        self.code == 421
    }
}

#[cfg(test)]
mod tests {
    use super::Reply;

    fn reply(code: u16, line: &str) -> Reply {
        Reply { code, lines: vec![line.to_owned()] }
    }

    #[test]
    fn the_enhanced_code_is_read_where_there_is_one() {
        for (line, expected) in [
            ("5.1.1 no such user", Some("5.1.1")),
            ("2.0.0 OK", Some("2.0.0")),
            ("4.7.28", Some("4.7.28")),
            ("127.0.0 is where I am", None),
            ("5.1 too short", None),
            ("5.1.1000 too long", None),
            ("", None),
        ] {
            assert_eq!(reply(550, line).enhanced(), expected, "{line}");
        }
    }

    #[test]
    fn a_message_id_in_a_reply_is_found_and_nothing_else_is_taken_for_one() {
        let outlook = reply(250, "2.0.0 OK <AB12@x.prod.outlook.com> [Hostname=x.prod.outlook.com]");

        assert_eq!(outlook.message_id().as_deref(), Some("AB12@x.prod.outlook.com"));
        for line in ["2.0.0 Ok: queued as 4F2", "<no at>", "a < b", "<ada b@example.org>"] {
            assert_eq!(reply(250, line).message_id(), None, "{line}");
        }
    }
}
