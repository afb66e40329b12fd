//! Why labels could not be changed, in words that name the label and a way out.

use strsim::jaro_winkler;

use crate::model::{Fault, NotFound};
use crate::store::StoreError;

/// An error of a change of labels.
#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    /// The store could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What was named is not there.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// A label that the account does not know cannot be removed.
    #[error("there is no label `{label}`")]
    UnknownLabel {
        /// What was asked for.
        label: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Nothing that a label can be called.
    #[error("`{label}` cannot be the name of a label: {problem}")]
    BadLabel {
        /// What was given, on one line.
        label: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// No label was named.
    #[error("no label was named")]
    NoLabels,
    /// The same label is to be added and removed.
    #[error("the label `{label}` cannot be added and removed at once")]
    Contradiction {
        /// The label.
        label: String,
    },
    /// A message can be moved to one mailbox at a time.
    #[error("a message cannot be moved to `{one}` and to `{other}` at once")]
    TwoMailboxes {
        /// The one.
        one: String,
        /// The other.
        other: String,
    },
}

impl LabelError {
    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Store(error) => error.hint(),
            Self::NotFound(error) => error.hint(),
            Self::UnknownLabel { label, known } => label_hint(label, known),
            Self::BadLabel { .. } => "choose another name".to_owned(),
            Self::NoLabels => "name at least one label to add or to remove".to_owned(),
            Self::Contradiction { label } => format!("decide whether the message should carry `{label}`"),
            Self::TwoMailboxes { .. } => "add one of them".to_owned(),
        }
    }

    /// Of what kind it is.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        match self {
            Self::Store(error) => error.fault(),
            Self::NotFound(_) | Self::UnknownLabel { .. } => Fault::Unknown,
            Self::BadLabel { .. }
            | Self::NoLabels
            | Self::Contradiction { .. }
            | Self::TwoMailboxes { .. } => Fault::Mistaken,
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Store(error) => error.code(),
            Self::NotFound(error) => error.code(),
            Self::UnknownLabel { .. } => "unknown_label",
            Self::BadLabel { .. } => "bad_label",
            Self::NoLabels => "no_labels",
            Self::Contradiction { .. } | Self::TwoMailboxes { .. } => "contradiction",
        }
    }
}

/// How many labels a hint names.
const NAMED_LABELS: usize = 20;

/// The label that was probably meant, and what there is.
fn label_hint(label: &str, known: &[String]) -> String {
    let likeness = |name: &String| jaro_winkler(&name.to_lowercase(), &label.to_lowercase());
    let nearest = known.iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    let question = nearest.filter(|name| likeness(name) > 0.8).map(|name| format!("did you mean `{name}`? "));
    let named = known.iter().take(NAMED_LABELS).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = match known.len().saturating_sub(NAMED_LABELS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let own = "UNREAD, STARRED, INBOX, TRASH, SPAM";
    match known {
        [] => format!("the account has no labels yet, beside {own}"),
        _ => format!("{}the labels are: {named}{more}, beside {own}", question.unwrap_or_default()),
    }
}
