//! The words around what was found, on one line.

use unicode_normalization::is_nfc;

use crate::text_safety::one_line;
use crate::vault::catalog::{folded, searched};
use crate::vault::{Note, VaultPath};

/// Characters before and behind what was found.
const AROUND: usize = 80;

/// What stands around a text in a note; its beginning, if the text is no longer there.
pub(super) fn snippet(path: &VaultPath, bytes: Vec<u8>, wanted: &str) -> String {
    let raw = String::from_utf8_lossy(&bytes).into_owned();
    let text = Note::parse(path.clone(), bytes).map_or(raw, |note| searched(&note));
    let (start, end) = position(&text, wanted).unwrap_or((0, 0));
    let from = text[..start].char_indices().rev().nth(AROUND).map(|(at, _)| at);
    let to = text[end..].char_indices().nth(AROUND).map(|(at, _)| end + at);
    let shown = one_line(&text[from.unwrap_or(0)..to.unwrap_or(text.len())]);
    let mark = |cut: Option<usize>| if cut.is_some() { "..." } else { "" };
    format!("{}{shown}{}", mark(from), mark(to))
}

/// Where a folded text stands in one that is not: folding can make letters longer or shorter.
fn position(text: &str, wanted: &str) -> Option<(usize, usize)> {
    let found = folded(text).find(wanted)?;
    if text.is_ascii() {
        return Some((found, found + wanted.len()));
    }
    if is_nfc(&text.to_lowercase()) {
        return Some((reached(text, found), reached(text, found + wanted.len())));
    }
    let reaches = |length: usize| {
        let at = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let boundaries: Vec<_> = at.collect();
        let index = boundaries.partition_point(|at| folded(&text[..*at]).len() < length);
        boundaries[index.min(boundaries.len() - 1)]
    };
    Some((reaches(found), reaches(found + wanted.len())))
}

/// Where the lower case of a text has reached so many bytes.
fn reached(text: &str, length: usize) -> usize {
    let mut lower = 0;
    let passed = text.char_indices().find(|(_, c)| {
        let is_there = lower >= length;
        lower += c.to_lowercase().map(char::len_utf8).sum::<usize>();
        is_there
    });
    passed.map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::snippet;
    use crate::vault::VaultPath;

    fn of(text: &str, wanted: &str) -> String {
        snippet(&VaultPath::root(), text.as_bytes().to_vec(), wanted)
    }

    #[test]
    fn what_was_found_stands_between_its_neighbours() {
        let long = format!("{} The Quarterly\nREPORT is late {}", "before ".repeat(30), "after ".repeat(30));

        let shown = of(&long, "report is");

        assert!(shown.starts_with("...") && shown.ends_with("..."), "{shown}");
        assert!(shown.contains("The Quarterly REPORT is late after"), "{shown}");
        assert!(shown.len() < 200);
    }

    #[test]
    fn letters_that_fold_to_more_letters_move_nothing() {
        assert!(
            of(&format!("{} Grüße aus KÖLN {}", "İ".repeat(200), "İ".repeat(200)), "grüße aus köln")
                .contains("Grüße aus KÖLN")
        );
        assert!(of("Cafe\u{301} Müller", "café m").contains("Müller"));
    }

    #[test]
    fn a_value_of_the_frontmatter_is_found_too() {
        assert_eq!(of("---\nsubject: Invoice 42\n---\nPlease pay.\n", "invoice"), "Invoice 42 Please pay.");
    }
}
