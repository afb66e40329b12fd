//! What kind of thing went wrong, for those who answer by kind and not by name.

/// Of what kind an error is. Each error of the library says it of its own variants, so that a new one cannot be forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The caller asked for something that cannot be meant.
    Mistaken,
    /// There is no such thing.
    Unknown,
    /// Not allowed, whoever asks.
    Forbidden,
    /// The person has to sign in first.
    SignIn,
    /// Too often.
    TooOften,
    /// It may work later.
    Passing,
    /// There is no store yet.
    NoStore,
    /// The store was written by an older version.
    OlderStore,
    /// The store was written by a newer version.
    NewerStore,
    /// What is kept cannot be read.
    Unreadable,
    /// The machine, or a mistake of ours.
    Internal,
}
