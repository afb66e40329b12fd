//! The tail that the archives of one process share. Reading it takes tens of megabytes for a moment: of several calls at
//! once one reads it, and the others wait for it and take it.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::index::{IndexError, Tail};
use crate::model::Audience;

/// What a tail was read for.
#[derive(PartialEq)]
pub(super) struct Wanted {
    /// The store's identity.
    pub(super) store: String,
    /// Who may see it.
    pub(super) audience: Audience,
    /// What the index has seen.
    pub(super) indexed: i64,
    /// The newest change of the store.
    pub(super) newest: i64,
}

static LAST: Mutex<Option<(Wanted, Weak<Tail>)>> = Mutex::new(None);

/// The tail that another archive of this process has read, or a new one.
pub(super) fn get(
    wanted: Wanted,
    read: impl FnOnce() -> Result<Option<Tail>, IndexError>,
) -> Result<Option<Arc<Tail>>, IndexError> {
    if wanted.indexed >= wanted.newest {
        return Ok(None);
    }
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) =
        last.as_ref().filter(|(known, _)| *known == wanted).and_then(|(_, tail)| tail.upgrade())
    {
        return Ok(Some(known));
    }
    let tail = read()?.map(Arc::new);
    *last = tail.as_ref().map(|tail| (wanted, Arc::downgrade(tail)));
    Ok(tail)
}
