//! mailkeep keeps a person's mail on their own machine and finds it in milliseconds.
//!
//! The modules stand in the order data flows; `ARCHITECTURE.md` walks a message through them.

pub mod clock;
pub mod config;
pub(crate) mod crash_point;
pub mod figures;
pub mod home;
pub mod local_time;
pub mod model;
pub mod secret;
pub mod text_safety;

// Others are spoken to.
pub mod wire;
pub mod account;

// A message arrives.
pub mod source;
pub mod parse;
pub mod store;
pub mod index;
pub mod sync;
pub mod labels;

// A question is asked.
pub mod query;

// A message leaves.
pub mod drafts;
pub mod vault;
pub mod audit;
pub mod outbox;
pub mod orchestrator;

// Who talks to us.
pub mod tools;
pub mod server;
pub mod web;
pub mod cli;
