//! Which note is which item, whatever people and programs did with the files.

use std::collections::{BTreeMap, BTreeSet};

use crate::orchestrator::notes::{self, APPROVED, DRAFTS, Folder, Found};
use crate::orchestrator::state::Standing;
use crate::vault::VaultPath;

/// A note that may be an item.
pub(super) struct Waiting {
    /// The note.
    pub(super) found: Found,
    /// Where it lies.
    pub(super) folder: &'static str,
    /// The item that it says it is.
    pub(super) item: Option<String>,
}

/// Which note is which item: the one in `Approved` first, then the one that was it before. A copy is a note of its own.
pub(super) fn assigned(
    approved: Folder,
    drafts: Folder,
    standing: &BTreeMap<String, Standing>,
) -> Vec<Waiting> {
    let of = |folder: &'static str, notes: Folder| {
        notes.notes.into_iter().map(move |found| Waiting { item: None, folder, found })
    };
    let mut all: Vec<_> = of(APPROVED, approved).chain(of(DRAFTS, drafts)).collect();
    let claims: Vec<_> = all.iter().map(|waiting| claims(waiting, standing)).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&at| {
        let (waiting, claims) = (&all[at], &claims[at]);
        let path: &VaultPath = waiting.found.note.path();
        let was = |it: &Standing| it.name == path.name() && it.folder == waiting.folder;
        let is_old = claims.first().and_then(|id| standing.get(id)).is_some_and(was);
        (waiting.folder != APPROVED, !is_old, at)
    });
    let mut taken = BTreeSet::new();
    for at in order {
        all[at].item = claims[at].iter().find(|id| taken.insert((*id).clone())).cloned();
    }
    all
}

/// The items that a note may be: the one that it says it is, and the only one that had a note of its name.
fn claims(waiting: &Waiting, standing: &BTreeMap<String, Standing>) -> Vec<String> {
    let note = &waiting.found.note;
    let mut named = standing.iter().filter(|(_, it)| it.name == note.path().name());
    let by_name = named.next().map(|(id, _)| id.clone()).filter(|_| named.next().is_none());
    notes::text(note, "item").into_iter().chain(by_name).collect()
}
