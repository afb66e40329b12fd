//! Texts that formulas gave when a workbook was written. Programs work them out anew, so what is not made of words of the
//! formula, or of cells that are seen, is in doubt.

use std::collections::HashSet;

/// Words that are kept of a workbook, and letters of a formula.
const MOST_WORDS: usize = 500_000;
const LONGEST: usize = 8_192;

type Place = (u32, u32);

/// The cells of one sheet.
#[derive(Default)]
pub(super) struct Own {
    place: Place,
    open: Option<String>,
    text: String,
    /// Texts that stand in cells as they are, and those that formulas gave, with these.
    plain: Vec<(Place, String)>,
    given: Vec<(Place, String, String)>,
}

impl Own {
    pub(super) fn begin(&mut self, place: Place) {
        self.place = place;
        self.open = None;
        self.text.clear();
    }

    pub(super) fn is_formula(&mut self) {
        self.open.get_or_insert_default();
    }

    /// A piece of a formula.
    pub(super) fn literal(&mut self, text: &str) {
        if let Some(formula) = self.open.as_mut().filter(|formula| formula.len() < LONGEST) {
            formula.push_str(text);
        }
    }

    /// A piece of the text of a cell.
    pub(super) fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A cell ends: what its text is. Where formulas are shown, what they gave is not.
    pub(super) fn end(&mut self, shows_formulas: bool) -> &str {
        match self.open.take() {
            Some(formula) => {
                let words = if shows_formulas { String::new() } else { literals(&formula) };
                self.given.push((self.place, words, self.text.clone()));
            }
            None => self.plain.push((self.place, self.text.clone())),
        }
        &self.text
    }
}

/// What stands word by word in a formula.
fn literals(formula: &str) -> String {
    formula.split('"').skip(1).step_by(2).collect::<Vec<_>>().join(" ")
}

/// The cells of all sheets.
#[derive(Default)]
pub(super) struct Formulas {
    words: HashSet<String>,
    given: Vec<(String, Place, String, String)>,
}

impl Formulas {
    pub(super) fn add(&mut self, sheet: &str, own: Own, is_shown: impl Fn(Place) -> bool) {
        for (_, text) in own.plain.iter().filter(|(place, _)| is_shown(*place)) {
            if self.words.len() < MOST_WORDS {
                self.words.extend(words(text).map(str::to_lowercase));
            }
        }
        let given = own.given.into_iter();
        self.given.extend(given.map(|(place, formula, text)| (sheet.to_owned(), place, formula, text)));
    }

    /// Cells whose text may be another one.
    pub(super) fn unproven(self) -> impl Iterator<Item = (String, Place)> {
        let known = self.words;
        let given = self.given.into_iter().filter(move |(_, _, formula, text)| {
            let own: HashSet<String> = words(formula).map(str::to_lowercase).collect();
            words(text).map(str::to_lowercase).any(|word| !own.contains(&word) && !known.contains(&word))
        });
        given.map(|(sheet, place, _, _)| (sheet, place))
    }
}

/// Words of letters; numbers are what formulas give.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() > 1)
}
