//! What can go wrong between mailkeep and the files of a mailbox, told with the path and the next step.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Origin;

/// A failure about one path or one message. Reading goes on behind it wherever there is more to read.
#[derive(Debug, Error)]
pub enum FileError {
    /// Nothing is there.
    #[error("there is no file or directory `{}`", .path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// It is there, but the system does not let us read it.
    #[error("cannot read `{}`: {}", .path.display(), reason(.source))]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that holds neither an mbox nor a message.
    #[error("`{}` is not mail: neither an mbox, nor a Maildir, nor a message", .path.display())]
    NotMail {
        /// The path as given.
        path: PathBuf,
    },
    /// A file that stops making sense on the way; what stood before has been delivered.
    #[error("`{}` cannot be read past byte {offset}: {}", .path.display(), reason(.source))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How far the (decompressed) content could be read.
        offset: u64,
        /// What the decompressor or the system said.
        source: io::Error,
    },
    /// A message longer than mailkeep takes.
    #[error("the message in `{origin}` is larger than {} MB", .size_limit >> 20)]
    TooLarge {
        /// Where it stands.
        origin: Origin,
        /// The largest size taken, in bytes.
        size_limit: u64,
    },
    /// A directory that holds other things, so that no Maildir is made in it.
    #[error("`{}` is neither empty nor a Maildir", .path.display())]
    NotAMaildir {
        /// The directory.
        path: PathBuf,
    },
    /// A file or directory that could not be written.
    #[error("cannot write `{}`: {}", .path.display(), reason(.source))]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl FileError {
    /// The failure to open or list `path`.
    pub(super) fn reading(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            _ => Self::Unreadable { path, source },
        }
    }

    /// The failure to write `path`.
    pub(super) fn writing(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        Self::Unwritable { path, source }
    }

    /// A short name that stays the same when the wording changes.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "file_missing",
            Self::Unreadable { .. } => "file_unreadable",
            Self::NotMail { .. } => "not_mail",
            Self::Damaged { .. } => "file_damaged",
            Self::TooLarge { .. } => "message_too_large",
            Self::NotAMaildir { .. } => "not_a_maildir",
            Self::Unwritable { .. } => "file_unwritable",
        }
    }

    /// What a person can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Missing { .. } => "check the spelling of the path",
            Self::Unreadable { .. } => "check the owner and the permissions of the path",
            Self::NotMail { path } if is_packed(path) => "unpack it first, then import what was in it",
            Self::NotMail { .. } => {
                "give an mbox file, a Maildir, an .eml file, or a directory that holds some of these"
            }
            Self::Damaged { .. } => {
                "everything before that byte was read; fetch the file again if there is another copy"
            }
            Self::TooLarge { .. } => {
                "the message was left out, the others were read; save its attachments by other means"
            }
            Self::NotAMaildir { .. } => "name a new or an empty directory",
            Self::Unwritable { .. } => "check the permissions and the free space",
        };
        Some(text.to_owned())
    }
}

/// Archives of files, such as Google Takeout hands out.
fn is_packed(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    ["zip", "tar", "tgz", "7z", "rar"].contains(&ending.as_str())
        || path.to_string_lossy().ends_with(".tar.gz")
}

/// The system's words as part of a sentence: lower case, without the error number.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::{Path, PathBuf};

    use super::{FileError, Origin};

    #[test]
    fn an_error_names_the_path_and_the_reason_without_numbers() {
        let denied = FileError::reading(Path::new("/m/a"), io::Error::from_raw_os_error(13));
        let missing = FileError::reading(Path::new("/m/a"), io::ErrorKind::NotFound.into());
        let large = FileError::TooLarge {
            origin: Origin { path: PathBuf::from("a.mbox"), offset: Some(7) },
            size_limit: 256 << 20,
        };

        assert_eq!(denied.to_string(), "cannot read `/m/a`: permission denied");
        assert_eq!(missing.to_string(), "there is no file or directory `/m/a`");
        assert_eq!(large.to_string(), "the message in `a.mbox at byte 7` is larger than 256 MB");
        assert!(large.hint().is_some());
    }
}
