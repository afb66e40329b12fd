//! mailkeep keeps a person's mail on their own machine and finds it in milliseconds.
//!
//! The modules stand in the order data flows; `ARCHITECTURE.md` walks a message through them.

pub mod clock;
pub mod model;
pub mod text_safety;

// A message arrives.
pub mod parse;
pub mod source;

pub mod index;

// A question is asked.
pub mod query;
