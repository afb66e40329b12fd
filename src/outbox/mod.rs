//! What leaves. Tools propose (`propose`), a person or a rule of the owner's says yes to one revision (`approval`), one
//! worker sends it once. Nothing else can: `ApprovedItem` is made in `approval` alone, and only it can be sent.

pub mod approval;
pub mod carriers;
pub mod channels;
mod content;
pub mod delivery;
mod error;
pub mod evidence;
pub mod journal;
pub mod letter;
pub mod mark;
mod outcome;
pub mod overview;
pub mod policy;
pub mod propose;
mod records;
mod retry;
pub mod revisions;
mod routes;
#[cfg(test)]
mod tests;
pub mod trail;
pub mod worker;

pub use error::OutboxError;
pub use routes::{EnvironmentServer, Missing, Routes};
