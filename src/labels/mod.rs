//! Changes of flags, labels and places of a message: the local copy at once, in all places where the account holds the
//! message, and noted for the server. Speaks to no server: a sync makes there what is noted here.

mod change;
mod error;
mod wish;

pub use change::{LabelChange, LabelsChanged, ServerState, change_labels, server_state};
pub use error::LabelError;
