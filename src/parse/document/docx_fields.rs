//! Fields of Word: an instruction, which nobody sees, and what it gives.

use crate::model::Reason;

use super::docx_known::shows_result;
use super::sight::Letters;

/// Of an instruction as much as tells what it does.
const LONGEST: usize = 64;

/// The fields that are open.
#[derive(Default)]
pub(super) struct Fields {
    open: Vec<Field>,
    /// How many of them are in their instruction, and how many give something that may not be seen.
    in_instruction: usize,
    odd: usize,
    /// Whether an instruction is being read.
    pub(super) reads: bool,
}

struct Field {
    instruction: String,
    is_read: bool,
    is_odd: bool,
}

impl Fields {
    /// A field begins, comes to what it gives, or ends.
    pub(super) fn mark(&mut self, kind: &str) {
        match kind {
            "begin" => {
                self.in_instruction += 1;
                self.open.push(Field { instruction: String::new(), is_read: false, is_odd: false });
            }
            "separate" => self.separate(),
            "end" => {
                self.separate();
                let field = self.open.pop();
                self.odd -= usize::from(field.is_some_and(|field| field.is_odd));
            }
            _ => {}
        }
    }

    fn separate(&mut self) {
        let Some(field) = self.open.last_mut().filter(|field| !field.is_read) else { return };
        field.is_read = true;
        field.is_odd = !shows_result(&field.instruction);
        self.odd += usize::from(field.is_odd);
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
        if self.odd > 0 {
            letters.doubt("fields");
        }
    }
}
