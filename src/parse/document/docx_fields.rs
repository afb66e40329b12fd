//! Fields of Word: an instruction, which nobody sees, and what it gives.

use crate::model::Reason;

use super::docx_known::{Given, given_by};
use super::sight::Letters;

/// Of an instruction as much as tells what it does.
const LONGEST: usize = 64;
/// Letters of a number, and letters and words of a date.
const LONGEST_NUMBER: usize = 7;
const LONGEST_DATE: usize = 36;
const MOST_WORDS: usize = 4;

/// The fields that are open.
#[derive(Default)]
pub(super) struct Fields {
    open: Vec<Field>,
    /// How many of them are in their instruction.
    in_instruction: usize,
    /// How many of them gave dates.
    dates: usize,
    /// Whether all are worked out anew when the document is opened.
    are_updated: bool,
    /// Whether an instruction is being read.
    pub(super) reads: bool,
}

#[derive(Default)]
struct Field {
    instruction: String,
    is_read: bool,
    gift: Gift,
}

/// What a field gave when it was written, as much as has been read of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Gift {
    pub(super) given: Given,
    letters: usize,
    words: usize,
    in_word: bool,
    is_odd: bool,
    has_digits: bool,
    /// Whether a date of the document may have been read before: several could be put together to a sentence.
    is_later: bool,
}

impl Gift {
    /// What a field gives, with the dates that were given before it.
    pub(super) fn of(instruction: &str, dates: &mut usize) -> Self {
        let given = given_by(instruction);
        let is_later = *dates > 0;
        *dates += usize::from(given == Given::Date);
        Self { given, is_later, ..Self::default() }
    }

    /// Some more of it.
    pub(super) fn give(&mut self, text: &str) {
        for c in text.chars() {
            self.letters += 1;
            self.has_digits |= c.is_ascii_digit();
            self.is_odd |= c.is_alphabetic() && !"ivxlcdmIVXLCDM".contains(c);
            let was_in_word = std::mem::replace(&mut self.in_word, c.is_alphabetic());
            self.words += usize::from(self.in_word && !was_in_word);
        }
    }

    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Whether it is seen now as it was written, or is short enough to be a number or a date.
    pub(super) fn is_as_written(&self) -> bool {
        match self.given {
            Given::Text => true,
            Given::Number => self.letters <= LONGEST_NUMBER && !self.is_odd,
            Given::Date => {
                let most = if self.is_later || !self.has_digits { 0 } else { MOST_WORDS };
                self.letters <= LONGEST_DATE && self.words <= most
            }
            Given::Unknown => false,
        }
    }
}

impl Fields {
    pub(super) fn updated(are_updated: bool) -> Self {
        Self { are_updated, ..Self::default() }
    }

    /// A field begins, comes to what it gives, or ends.
    pub(super) fn mark(&mut self, kind: &str, is_old: bool) {
        match kind {
            "begin" => {
                self.in_instruction += 1;
                self.open.push(Field::default());
                self.are_updated |= is_old;
            }
            "separate" => self.separate(),
            "end" => {
                self.separate();
                self.open.pop();
            }
            _ => {}
        }
    }

    /// A field that stands in one element with its instruction.
    pub(super) fn begin(&mut self, instruction: &str, is_old: bool) {
        self.are_updated |= is_old;
        self.open.push(Field {
            is_read: true,
            gift: Gift::of(instruction, &mut self.dates),
            ..Field::default()
        });
    }

    /// Such a field ends.
    pub(super) fn end(&mut self) {
        self.open.pop();
    }

    fn separate(&mut self) {
        let Some(field) = self.open.last_mut().filter(|field| !field.is_read) else { return };
        field.is_read = true;
        field.gift = Gift::of(&field.instruction, &mut self.dates);
        self.in_instruction -= 1;
    }

    /// A piece of an instruction.
    pub(super) fn read(&mut self, text: &str) {
        if let Some(field) = self.open.last_mut().filter(|field| field.instruction.len() < LONGEST) {
            field.instruction.extend(text.chars().take(LONGEST));
        }
    }

    /// What the fields around letters do to them.
    pub(super) fn act_on(&self, letters: &mut Letters) {
        if self.in_instruction > 0 {
            letters.hide(Reason::NotRendered);
        }
        if !self.open.is_empty() && self.are_updated
            || self.open.iter().any(|field| field.is_read && !field.gift.is_as_written())
        {
            letters.doubt("fields");
        }
    }

    /// Fields give this text, too.
    pub(super) fn give(&mut self, text: &str) {
        self.open.iter_mut().filter(|field| field.is_read).for_each(|field| field.gift.give(text));
    }
}
