//! A server is believed only as far as it is whole: whatever it says or leaves unsaid, no stored message vanishes, no
//! shortfall is silent, memory stays bounded, and no secret of ours comes back in its words.

mod endless;
mod imap;
mod imap_lies;
pub(crate) mod secrets;
