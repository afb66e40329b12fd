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
pub(super) fn assigned(approved: Folder, drafts: Folder, standing: &BTreeMap<String, Standing>) -> Vec<Waiting> {
    let of = |folder: &'static str, notes: Folder| {
        notes.notes.into_iter().map(move |found| Waiting { item: None, folder, found })
    };
    let mut all: Vec<_> = of(APPROVED, approved).chain(of(DRAFTS, drafts)).collect();
    let claims: Vec<_> = all.iter().map(|waiting| claim(waiting, standing)).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&at| {
        let (waiting, claim) = (&all[at], &claims[at]);
        let stood = claim.as_ref().and_then(|id| standing.get(id));
        let path: &VaultPath = waiting.found.note.path();
        let is_old = stood.is_some_and(|it| it.name == path.name() && it.folder == waiting.folder);
        (waiting.folder != APPROVED, !is_old, at)
    });
    let mut taken = BTreeSet::new();
    for at in order {
        all[at].item = claims[at].clone().filter(|id| taken.insert(id.clone()));
    }
    all
}

/// The item that a note says it is, or that had a note of its name.
fn claim(waiting: &Waiting, standing: &BTreeMap<String, Standing>) -> Option<String> {
    let note = &waiting.found.note;
    let by_name = || {
        let mut all = standing.iter().filter(|(_, it)| it.name == note.path().name());
        all.next().map(|(id, _)| id.clone()).filter(|_| all.next().is_none())
    };
    notes::text(note, "item").or_else(by_name)
}
