//! Why a question could not be answered.

use crate::index::IndexError;
use crate::model::{Fault, NotFound};
use crate::query::SqlError;
use crate::query::known_names::{known_names, shown_name};
use crate::query::language::LanguageError;
use crate::store::StoreError;

/// An error of a question.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The query is not in the search language.
    #[error(transparent)]
    Language(#[from] LanguageError),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The text index could not be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A statement of the caller's was refused or stopped.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// An argument of a question cannot be used.
    #[error("`{name}`: {problem}")]
    Argument {
        /// Its name.
        name: &'static str,
        /// What is wrong with it.
        problem: String,
        /// What would be right.
        hint: String,
    },
    /// What was named is not there.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// No such mailbox.
    #[error("there is no mailbox `{}`", shown_name(name))]
    UnknownMailbox {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// No such attachment.
    #[error("there is no attachment `{}`", shown_name(name))]
    UnknownAttachment {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
}

impl QueryError {
    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Language(error) => error.hint(),
            Self::Store(error) => Some(error.hint()),
            Self::Index(error) => Some(error.hint()),
            Self::Sql(error) => Some(error.hint()),
            Self::Argument { hint, .. } => Some(hint.clone()),
            Self::NotFound(error) => Some(error.hint()),
            Self::UnknownMailbox { name, known } => {
                Some(format!("the mailboxes are: {}", known_names(name, known)))
            }
            Self::UnknownAttachment { known, .. } if known.is_empty() => {
                Some("this message has no attachments".to_owned())
            }
            Self::UnknownAttachment { name, known } => {
                Some(format!("the attachments are: {}", known_names(name, known)))
            }
        }
    }

    /// Of what kind it is.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        match self {
            Self::Language(_) | Self::Sql(_) | Self::Argument { .. } => Fault::Mistaken,
            Self::Store(error) => error.fault(),
            Self::Index(error) => error.fault(),
            Self::NotFound(_) | Self::UnknownMailbox { .. } | Self::UnknownAttachment { .. } => {
                Fault::Unknown
            }
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Language(_) => "bad_query",
            Self::Store(error) => error.code(),
            Self::Index(error) => error.code(),
            Self::Sql(error) => error.code(),
            Self::Argument { .. } => "bad_argument",
            Self::NotFound(error) => error.code(),
            Self::UnknownMailbox { .. } => "unknown_mailbox",
            Self::UnknownAttachment { .. } => "unknown_attachment",
        }
    }
}
