//! How text fits into columns: measured as a terminal shows it, cut, filled up, wrapped between words. Pure.

use unicode_width::UnicodeWidthChar;

const ESCAPE: char = '\u{1b}';
const JOINER: char = '\u{200d}';
/// Asks for the coloured picture of a character, which takes two columns.
const AS_EMOJI: char = '\u{fe0f}';
/// Where a tab leads at most.
const TAB: usize = 8;
/// Marks that do not begin a line.
const CLOSING: &str = "、。，．・）」』】〉》！？：；ーっゃゅょッャュョ…";

/// Counts columns character by character. Where terminals disagree the larger number counts, so that no line is
/// wider than we think.
#[derive(Default)]
struct Ruler {
    columns: usize,
    last: usize,
    in_colour: bool,
}

impl Ruler {
    fn push(&mut self, c: char) {
        if self.in_colour {
            self.in_colour = c != 'm';
            return;
        }
        match c {
            ESCAPE => self.in_colour = true,
            AS_EMOJI if self.last == 1 => self.columns += 1,
            '\t' => self.columns += TAB,
            _ => {
                self.last = c.width().unwrap_or(0);
                self.columns += self.last;
            }
        }
    }
}

/// How many columns a terminal needs for the text. Codes for colours need none.
pub(super) fn width(text: &str) -> usize {
    let mut ruler = Ruler::default();
    text.chars().for_each(|c| ruler.push(c));
    ruler.columns
}

/// The text in at most so many columns; an ellipsis tells that it was longer.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut ruler = Ruler::default();
    let fits = |c: &char| {
        ruler.push(*c);
        ruler.columns < columns
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end_matches([JOINER, ' ']))
}

/// The text filled up with spaces.
pub(super) fn filled(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text cut, or filled up with spaces.
pub(super) fn column(text: &str, columns: usize) -> String {
    filled(&cut(text, columns), columns)
}

/// The widths of a table's columns, with two blanks between them: as wide as their content, or the widest of them
/// narrower until the table fits.
pub(super) fn fitted(mut widths: Vec<usize>, columns: Option<usize>) -> Vec<usize> {
    let most = columns.unwrap_or(usize::MAX);
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
    while total(&widths) > most {
        match widths.iter_mut().max() {
            Some(widest) if *widest > 1 => *widest -= 1,
            _ => break,
        }
    }
    widths
}

/// The text in lines of at most so many columns; all but the first begin with `hang` spaces. A word that is too long
/// stays whole, so that it can be copied; text without spaces breaks between its wide characters.
pub(super) fn wrapped(text: &str, columns: usize, hang: usize) -> Vec<String> {
    let indent = " ".repeat(hang.min(columns / 2));
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for Piece { blanks, text } in pieces(text) {
        let wants = width(blanks) + width(text);
        let is_begun = !line.trim_start().is_empty();
        if is_begun && !text.is_empty() && used + wants > columns {
            lines.push(std::mem::replace(&mut line, format!("{indent}{text}")));
            used = indent.len() + width(text);
        } else {
            line.extend([blanks, text]);
            used += wants;
        }
    }
    lines.push(line);
    lines.iter_mut().for_each(|line| line.truncate(line.trim_end_matches(' ').len()));
    lines
}

/// What must stay on one line, and the blanks before it.
struct Piece<'a> {
    blanks: &'a str,
    text: &'a str,
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.len() - rest.trim_start_matches(' ').len();
        let end = start + piece_length(&rest[start..]);
        let piece = Piece { blanks: &rest[..start], text: &rest[start..end] };
        rest = &rest[end..];
        (!piece.blanks.is_empty() || !piece.text.is_empty()).then_some(piece)
    })
}

/// Up to the next blank, or the next place beside a wide character where a line may end.
fn piece_length(text: &str) -> usize {
    let mut before = None;
    for (at, c) in text.char_indices() {
        if c == ' ' || before.is_some_and(|before| may_part(before, c)) {
            return at;
        }
        if c.width() != Some(0) || c == JOINER {
            before = Some(c);
        }
    }
    text.len()
}

fn may_part(before: char, after: char) -> bool {
    let is_wide = |c: char| c.width() == Some(2);
    let belongs = before == JOINER || after.width() == Some(0) || CLOSING.contains(after);
    (is_wide(before) || is_wide(after)) && !belongs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{column, cut, fitted, width, wrapped};

    #[test]
    fn columns_are_counted_as_a_terminal_shows_them() {
        assert_eq!(width("abc"), 3);
        assert_eq!(width("反射防止膜"), 10);
        assert_eq!(width("e\u{301}"), 1);
        assert_eq!(width("👍"), 2);
        assert_eq!(width("❤\u{fe0f}"), 2);
        assert_eq!(width("\u{1b}[1mbold\u{1b}[0m"), 4);
    }

    #[test]
    fn what_is_too_long_ends_in_an_ellipsis_and_nothing_is_halved() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("反射防止膜", 6), "反射…");
        assert_eq!(cut("cafe\u{301} au lait", 6), "cafe\u{301}…");
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(column("反射", 6), "反射  ");
        assert_eq!(column("👩\u{200d}👧 x", 4), "👩… ");
    }

    #[test]
    fn the_widest_columns_of_a_table_give_way() {
        assert_eq!(fitted(vec![10, 50, 40], Some(64)), [10, 25, 25]);
        assert_eq!(fitted(vec![10, 50, 40], None), [10, 50, 40]);
        assert_eq!(fitted(vec![3; 20], Some(40)), [1; 20]);
        assert_eq!(fitted(Vec::new(), Some(40)), [0; 0]);
    }

    #[test]
    fn lines_end_between_words_and_hang() {
        assert_eq!(wrapped("one two three", 8, 2), ["one two", "  three"]);
        assert_eq!(wrapped("  a  b", 20, 0), ["  a  b"]);
        assert_eq!(wrapped("", 20, 0), [""]);
    }

    #[test]
    fn a_word_that_can_be_copied_stays_whole() {
        let link = "https://example.org/a/very/long/way";
        assert_eq!(wrapped(&format!("see {link} now"), 20, 0), ["see", link, "now"]);
    }

    #[test]
    fn text_without_spaces_breaks_between_its_characters() {
        assert_eq!(wrapped("反射防止膜の厚さ。", 8, 0), ["反射防止", "膜の厚", "さ。"]);
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_it_may_be(text in "[a-zäé反射膜👍❤\u{fe0f}\u{301}\u{200d} ]{0,80}", columns in 20_usize..60) {
            prop_assert!(width(&cut(&text, columns)) <= columns);
            prop_assert_eq!(width(&column(&text, columns)), columns);
        }

        #[test]
        fn wrapping_loses_no_word(text in "[a-z反射膜 ]{0,120}", columns in 20_usize..60) {
            let lines = wrapped(&text, columns, 2);

            let squeezed = |text: &str| text.replace(' ', "");
            prop_assert_eq!(squeezed(&lines.concat()), squeezed(&text));
        }
    }
}
