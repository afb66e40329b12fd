//! What can go wrong with a note, with the word that programs know it by.

use std::io;

use crate::model::Fault;

/// Why something could not be done in the vault.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The path leads out of the vault, or to what nobody may touch.
    #[error("`{path}` is refused: {problem}")]
    Refused {
        /// The path, as far as it can be shown.
        path: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The path names nothing that could be a note.
    #[error("`{path}` is no path of a note: {problem}")]
    BadPath {
        /// The path.
        path: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// There is no such note or folder.
    #[error("there is no `{path}` in the vault")]
    NotFound {
        /// The path.
        path: String,
    },
    /// Something is there already.
    #[error("`{path}` exists already")]
    AlreadyExists {
        /// The path.
        path: String,
    },
    /// The frontmatter is no YAML mapping, or the note is no text.
    #[error("cannot read `{path}`: {problem}")]
    Unreadable {
        /// The path.
        path: String,
        /// What is wrong.
        problem: String,
        /// The line of the note, counted from 1.
        line: Option<usize>,
    },
    /// A key cannot be changed without changing something else.
    #[error("cannot change `{key}` in `{path}` without changing other lines of its frontmatter")]
    Entangled {
        /// The path.
        path: String,
        /// The key.
        key: String,
    },
    /// Somebody changed the note since it was read.
    #[error("`{path}` was changed by somebody else meanwhile")]
    Changed {
        /// The path.
        path: String,
    },
    /// The note is longer than any note should be.
    #[error("`{path}` has {size} bytes, which is too long for a note")]
    TooLarge {
        /// The path.
        path: String,
        /// Its size.
        size: u64,
    },
    /// The root is not there.
    #[error("there is no vault at `{root}`: {source}")]
    NoVault {
        /// Where it should be.
        root: String,
        /// What the system says.
        source: io::Error,
    },
    /// The system refuses.
    #[error("cannot use `{path}`: {source}")]
    Io {
        /// The path.
        path: String,
        /// What the system says.
        source: io::Error,
    },
}

impl VaultError {
    /// The word that programs know it by.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "permission_denied",
            Self::BadPath { .. } => "bad_path",
            Self::NotFound { .. } => "not_found",
            Self::AlreadyExists { .. } => "already_exists",
            Self::Unreadable { .. } => "parse_error",
            Self::Entangled { .. } => "note_entangled",
            Self::Changed { .. } => "note_changed",
            Self::TooLarge { .. } => "note_too_large",
            Self::NoVault { .. } => "vault_missing",
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "permission_denied",
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "disk_full",
                _ => "io",
            },
        }
    }

    /// Of what kind it is.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self {
            // The documents have no word of their own for a name that is taken.
            Self::Refused { .. } | Self::AlreadyExists { .. } => Fault::Forbidden,
            Self::NotFound { .. } | Self::NoVault { .. } => Fault::Unknown,
            Self::Unreadable { .. } => Fault::Unreadable,
            Self::Changed { .. } => Fault::Passing,
            Self::BadPath { .. } | Self::Entangled { .. } | Self::TooLarge { .. } => Fault::Mistaken,
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Fault::Forbidden,
                _ => Fault::Internal,
            },
        }
    }

    /// Whether the same may work a moment later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Changed { .. } => true,
            Self::Io { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::ResourceBusy | io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
            ),
            _ => false,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Refused { .. } => {
                "name a note by its path inside the vault, such as `Needs_Action/email-001.md`"
            }
            Self::BadPath { .. } => "notes are files that end in `.md`, such as `Needs_Action/email-001.md`",
            Self::NotFound { .. } => "list_notes and search_notes tell which notes there are",
            Self::AlreadyExists { .. } => "choose another name; nothing is overwritten by moving",
            Self::Unreadable { .. } => {
                "the user mends the frontmatter in an editor; the note was left as it is"
            }
            Self::Entangled { .. } => "the user changes it in an editor; the note was left as it is",
            Self::Changed { .. } => "read it again, then write",
            Self::TooLarge { .. } => "the user splits the note; it was left as it is",
            Self::NoVault { .. } => {
                "set `VAULT_PATH`, or `path` in `[vault]` of the configuration, to a directory"
            }
            Self::Io { .. } => "the user checks the permissions and the space of the vault's directory",
        }
    }

    /// An error of the system about a path.
    pub(super) fn io(path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::AlreadyExists => Self::AlreadyExists { path },
            io::ErrorKind::InvalidFilename => Self::BadPath { path, problem: "a name in it is too long" },
            _ => Self::Io { path, source },
        }
    }
}
