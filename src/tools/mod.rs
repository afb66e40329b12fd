//! The assistant's tools: one file per tool, a folder per profile. They ask `query`, file drafts with `drafts`,
//! record label changes with `labels` and work on notes in `vault`; how they are reached (stdio, HTTP) is none of their business.

mod accounts;
pub mod argument;
pub mod arguments;
pub mod assistant;
mod attachment;
pub mod contract;
pub mod core;
pub mod db;
pub mod context;
mod drafting;
pub mod email;
pub mod error;
pub mod gmail;
mod image_size;
mod json_text;
mod kept_files;
pub mod later;
mod letter;
pub mod linkedin;
pub mod manual;
mod pushing;
pub mod registry;
mod sending;
pub mod smtp;
mod text;
pub mod vault;
pub mod whatsapp;

pub use argument::Argument;
pub use arguments::Arguments;
pub use context::{ArchivePool, Caller, Courier, DbSettings, IsSignedIn, PageAddress, ToolContext};
pub use contract::{Cancellation, Effect, Listing, Proposed, Reply, Tool};
pub use error::{ErrorKind, ToolError};
pub use pushing::{ChangePusher, Pushed};
pub use registry::{NameStyle, PROFILES, Profile, Selection, Toolbox};
