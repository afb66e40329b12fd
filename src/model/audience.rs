//! Who an answer is for. What the shield withholds is for the person only.

/// Who reads what is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The owner, on a terminal or a page: sees everything.
    Person,
    /// A program that acts for the owner: withheld messages are not there.
    Assistant,
}
