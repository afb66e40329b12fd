//! What is wrong with what a browser sent about a key.

/// Why it does not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasskeyFlaw {
    /// It cannot be read.
    #[error("what the browser sent cannot be read: {0}")]
    Malformed(&'static str),
    /// A registration in the place of a signature, or the other way round.
    #[error("it was made for another purpose")]
    OtherType,
    /// It is not over what was asked.
    #[error("it is not over what was shown")]
    OtherChallenge,
    /// We did not ask for it.
    #[error("it was not asked for here")]
    NotAsked,
    /// It was asked for too long ago.
    #[error("it was asked for too long ago")]
    Expired,
    /// It was used before.
    #[error("it was used before")]
    Replayed,
    /// Another page asked for it.
    #[error("another page asked for it")]
    OtherOrigin,
    /// A page inside another page asked for it.
    #[error("a page inside another one asked for it")]
    Framed,
    /// It belongs to another relying party.
    #[error("it belongs to another site")]
    OtherParty,
    /// Nobody touched the key.
    #[error("nobody was there")]
    NotPresent,
    /// Anybody could have touched the key.
    #[error("the key did not ask who was there")]
    NotVerified,
    /// The key is none of ours.
    #[error("the key is not enrolled")]
    UnknownKey,
    /// The row of the key is not what the audit chain knows.
    #[error("the key in the store is not the one that was enrolled")]
    Swapped,
    /// A kind of key that is not read.
    #[error("keys of this kind are not known; ES256, Ed25519 and RS256 are")]
    UnknownAlgorithm,
    /// The signature is not by this key over this.
    #[error("the signature is wrong")]
    BadSignature,
    /// The key counts its signatures, and this one is no later than the last.
    #[error("the key's counter went back: there may be a copy of it")]
    CounterBack,
    /// The key is enrolled already.
    #[error("this key is enrolled already")]
    Known,
    /// The code from the terminal is wrong or too old.
    #[error("the code is wrong or too old")]
    WrongCode,
}
