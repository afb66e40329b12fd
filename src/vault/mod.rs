//! Notes with YAML frontmatter inside one root, straight on the file system and beside whoever else edits them.
//!
//! The room owns three things: a path cannot leave the root, whatever it is spelt like and whatever links lie in the
//! way; a write is whole or not there at all; and a change of one frontmatter key leaves every other byte as it was.
//! A [`Vault`] may write everywhere below its root and belongs to the owner's own programs. What assistants are given
//! is a [`ToolVault`], which cannot write into the folders where the owner's decisions and records lie.

mod beneath;
mod catalog;
mod error;
mod filter;
mod frontmatter;
mod gate;
mod note;
mod path;
mod room;
mod snippet;
mod yaml;
mod yaml_text;

pub use error::VaultError;
pub use filter::Filter;
pub use gate::{Match, Matches, PROTECTED, Piece, ToolVault};
pub use note::Note;
pub use path::VaultPath;
pub use room::{Entry, EntryKind, Stamp, Vault};
pub use yaml::Yaml;

/// A note may have so many bytes; longer files are left alone.
pub const LARGEST_NOTE: u64 = 16 << 20;

#[cfg(test)]
mod edit_tests;
#[cfg(test)]
mod tests;
