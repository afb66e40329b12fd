//! Characters that nobody sees. Some shape the letters around them and stay there; all others go, since they can
//! carry a text that only a machine reads.

use std::borrow::Cow;

/// How much was taken out of a text, and what it was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Removed {
    /// Invisible characters.
    pub invisible: usize,
    /// Control characters.
    pub control: usize,
    /// Whether there were controls that override the direction of reading.
    pub bidi: bool,
    /// Whether there were escape sequences.
    pub escape: bool,
    /// Whether so many stood together that they may have carried a text.
    pub smuggled: bool,
}

/// Runs of this length say something to somebody.
const LONG_RUN: usize = 8;

/// Whether there is nothing in a text to take out or to look at closer.
#[must_use]
pub fn is_clean(text: &str) -> bool {
    // Lead bytes of everything that `kind` knows; most texts have none of them.
    let odd = |byte: u8| {
        u8::from(byte < 0x20) & u8::from(byte != b'\t') & u8::from(byte != b'\n')
            | u8::from(byte == 0x7f)
            | u8::from(byte == 0xc2)
            | u8::from(byte == 0xcd)
            | u8::from(byte == 0xd8)
            | u8::from((0xe1..=0xe3).contains(&byte))
            | u8::from(byte >= 0xef)
    };
    text.as_bytes().iter().fold(0, |any, byte| any | odd(*byte)) == 0
        || !text.chars().any(|c| kind(c) != Kind::Seen)
}

/// The text without what nobody sees; line feeds and tabs stay.
#[must_use]
pub fn visible(text: &str) -> (Cow<'_, str>, Removed) {
    if is_clean(text) {
        return (Cow::Borrowed(text), Removed::default());
    }
    let mut cleaner = Cleaner { out: String::with_capacity(text.len()), removed: Removed::default() };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match kind(c) {
            Kind::Seen => {
                cleaner.out.push(c);
                rest = &rest[c.len_utf8()..];
            }
            Kind::Blank => {
                cleaner.out.push(if matches!(c, '\u{2028}' | '\u{2029}') { '\n' } else { ' ' });
                rest = &rest[c.len_utf8()..];
            }
            _ => {
                let end = rest.find(|c| matches!(kind(c), Kind::Seen | Kind::Blank)).unwrap_or(rest.len());
                cleaner.run(&rest[..end], rest[end..].chars().next());
                rest = &rest[end..];
            }
        }
    }
    (Cow::Owned(cleaner.out), cleaner.removed)
}

struct Cleaner {
    out: String,
    removed: Removed,
}

impl Cleaner {
    /// Decides about invisible characters that stand together before `next`.
    fn run(&mut self, run: &str, next: Option<char>) {
        let before = self.out.chars().next_back();
        let keepable: String = run.chars().filter(|c| kind(*c) == Kind::Shaping).collect();
        let count = run.chars().count();
        let controls = run.chars().filter(|c| kind(*c) == Kind::Control).count();
        let kept = if is_in_place(&keepable, before, next) { keepable.chars().count() } else { 0 };
        if kept > 0 {
            self.out.push_str(&keepable);
        }
        self.removed.control += controls;
        self.removed.invisible += count - controls - kept;
        self.removed.bidi |= run.contains(['\u{202d}', '\u{202e}']);
        self.removed.escape |= run.contains(['\u{1b}', '\u{9b}']);
        self.removed.smuggled |= count - controls - kept >= LONG_RUN
            || (kept == 0 && run.chars().any(|c| matches!(c, '\u{e0000}'..='\u{e0fff}')));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Seen,
    /// Seen as a gap.
    Blank,
    /// Has a meaning between the right letters.
    Shaping,
    /// Has none.
    Empty,
    Control,
}

fn kind(c: char) -> Kind {
    match c {
        '\t' | '\n' | ' '..='~' => Kind::Seen,
        c if c.is_control() => Kind::Control,
        '\u{ad}'
        | '\u{61c}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200c}'..='\u{200f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0030}'..='\u{e0039}'
        | '\u{e0061}'..='\u{e007a}'
        | '\u{e007f}'
        | '\u{e0100}'..='\u{e01ef}' => Kind::Shaping,
        '\u{34f}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{200b}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{fffe}'
        | '\u{ffff}'
        | '\u{13430}'..='\u{1345f}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d159}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => Kind::Empty,
        '\u{115f}'
        | '\u{1160}'
        | '\u{1680}'
        | '\u{2000}'..='\u{200a}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{205f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{ffa0}' => Kind::Blank,
        _ => Kind::Seen,
    }
}

/// Whether a run shapes what stands around it as it is meant to.
fn is_in_place(run: &str, before: Option<char>, next: Option<char>) -> bool {
    let mut chars = run.chars();
    let (Some(first), second, third) = (chars.next(), chars.next(), chars.next()) else { return false };
    let Some(before) = before else {
        return matches!(first, '\u{200e}' | '\u{200f}' | '\u{61c}') && second.is_none();
    };
    match (first, second) {
        ('\u{e0000}'..='\u{e007f}', _) => before == '\u{1f3f4}' && is_flag(run),
        // ❤️‍🔥: shown as an emoji and joined to the next one.
        ('\u{fe0f}', Some('\u{200d}')) => third.is_none() && is_emoji(before) && next.is_some_and(is_emoji),
        (_, Some(_)) => false,
        ('\u{200d}', None) => {
            (is_emoji(before) && next.is_some_and(is_emoji))
                || (is_joining(before) && before.is_alphanumeric())
                || (is_joining(before) && next.is_some_and(is_joining))
        }
        ('\u{200c}', None) => is_joining(before) && next.is_some_and(is_joining),
        ('\u{ad}', None) => before.is_alphabetic() && next.is_some_and(char::is_alphabetic),
        ('\u{180b}'..='\u{180f}', None) => matches!(before, '\u{1800}'..='\u{18af}'),
        ('\u{fe0e}' | '\u{fe0f}', None) => is_emoji(before) || matches!(before, '#' | '*' | '0'..='9'),
        ('\u{fe00}'..='\u{fe0d}', None) => before >= '\u{1000}',
        ('\u{e0100}'..='\u{e011f}', None) => is_ideograph(before),
        ('\u{e0120}'.., None) => false,
        _ => true,
    }
}

/// The flags of England, Scotland and Wales, the only ones that are written in tags.
fn is_flag(run: &str) -> bool {
    let letters: String =
        run.chars().filter_map(|c| char::from_u32(u32::from(c).wrapping_sub(0xe0000))).collect();
    matches!(letters.as_str(), "gbeng\u{7f}" | "gbsct\u{7f}" | "gbwls\u{7f}")
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}' | '\u{fe0f}')
}

/// Letters that change their form with their neighbours.
fn is_joining(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{18af}'
        | '\u{1a00}'..='\u{1bff}' | '\u{a840}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10a00}'..='\u{11fff}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_shapes_letters_stays() {
        for text in [
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "I \u{2764}\u{fe0f} it",
            "\u{2764}\u{fe0f}\u{200d}\u{1f525}",
            "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}",
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "\u{845b}\u{e0100}\u{57ce}",
            "\u{182f}\u{180b}",
            "1\u{fe0f}\u{20e3}",
            "co\u{ad}operate",
            "\u{5e9}\u{200f}!",
            "caf\u{e9} \u{2013} \u{201c}so\u{201d}",
        ] {
            assert_eq!(visible(text).0, text);
        }
    }

    #[test]
    fn what_carries_a_text_of_its_own_goes() {
        let tags: String = "ab".chars().filter_map(|c| char::from_u32(0xe0000 + u32::from(c))).collect();
        for (text, expected) in [
            (format!("x{tags}"), "x"),
            (format!("\u{1f3f4}{tags}\u{e007f}"), "\u{1f3f4}"),
            ("\u{1f600}\u{e014a}\u{e0141}".to_owned(), "\u{1f600}"),
            ("a\u{fe01}b\u{fe02}".to_owned(), "ab"),
            ("\u{845b}\u{e01a0}".to_owned(), "\u{845b}"),
            ("a\u{200c}b\u{200d}c".to_owned(), "abc"),
            ("\u{2062}\u{2064}x\u{2062}".to_owned(), "x"),
            ("a\u{200e}\u{200f}\u{200e}b".to_owned(), "ab"),
            ("a\u{202e}b\u{2066}c".to_owned(), "abc"),
            ("a\u{200b}\u{feff}b\u{1d173}".to_owned(), "ab"),
            ("a\u{3164}b\u{2800}c".to_owned(), "a b c"),
            ("a\u{ad}\u{ad}b\u{ad} \u{ad}c".to_owned(), "ab c"),
        ] {
            assert_eq!(visible(&text).0, expected, "{}", text.escape_unicode());
        }
    }

    #[test]
    fn it_is_known_what_was_taken_out() {
        let smuggled = visible(&format!("x{}", "\u{200b}\u{200c}".repeat(40))).1;
        let escaped = visible("\u{1b}[2J\u{202e}").1;

        assert_eq!((smuggled.invisible, smuggled.smuggled), (80, true));
        assert!(escaped.escape && escaped.bidi && !escaped.smuggled);
    }
}
