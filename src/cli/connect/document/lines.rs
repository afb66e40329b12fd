//! Where two texts differ: the lines they share at the start and at the end, and what is between.

/// The lines of two texts, cut into what they share and what they do not.
pub(in crate::cli::connect) struct Difference<'a> {
    pub(in crate::cli::connect) before: Vec<&'a str>,
    pub(in crate::cli::connect) after: Vec<&'a str>,
    /// How many lines at the start are the same.
    pub(in crate::cli::connect) head: usize,
    /// How many lines at the end are the same.
    pub(in crate::cli::connect) tail: usize,
}

impl<'a> Difference<'a> {
    pub(in crate::cli::connect) fn between(before: &'a str, after: &'a str) -> Self {
        let before: Vec<_> = before.split_inclusive('\n').collect();
        let after: Vec<_> = after.split_inclusive('\n').collect();
        let same = |(one, other): &(&&str, &&str)| one == other;
        let head = before.iter().zip(&after).take_while(same).count();
        let rest = before[head..].iter().rev().zip(after[head..].iter().rev());
        let tail = rest.take_while(same).count();
        Self { before, after, head, tail }
    }

    /// The lines that only the first text has.
    pub(in crate::cli::connect) fn gone(&self) -> &[&'a str] {
        &self.before[self.head..self.before.len() - self.tail]
    }

    /// The lines that only the second text has.
    pub(in crate::cli::connect) fn come(&self) -> &[&'a str] {
        &self.after[self.head..self.after.len() - self.tail]
    }
}
