//! Tells Gmail what was changed here, in the order in which it was changed. A change that was made and not noted,
//! because we were killed in between, is made again, which changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Flags;
use crate::source::gmail::{LabelEdit, LabelNames, MOST_MODIFIED};
use crate::source::imap::Changed;
use crate::store::{ChangeAction, PendingChange};
use crate::sync::SyncError;
use crate::sync::gmail::GmailPass;
use crate::sync::imap::push::settle_change;

/// From so many messages on, one call for all is cheaper than one for each, and worth not knowing which are gone.
const MANY: usize = 20;

/// Names of labels: as they were here when the changes were made, and as Gmail has them now.
struct Names {
    here: LabelNames,
    there: LabelNames,
}

impl GmailPass<'_> {
    /// Makes all changes that wait; gives the messages that were changed.
    pub(super) fn push(&mut self) -> Result<BTreeSet<u64>, SyncError> {
        let waiting = self.reader.pending_changes(self.account.key)?;
        let mut touched = BTreeSet::new();
        if waiting.is_empty() {
            return Ok(touched);
        }
        let here = self.reader.gmail_labels(self.account.key)?;
        let mut names = Names { here, there: self.source.labels()? };
        for alike in waiting.chunk_by(|one, other| one.action == other.action) {
            let edit = self.edit(&alike[0].action, &mut names)?;
            let mut wanted = BTreeMap::new();
            for change in alike {
                wanted.insert(change.number, self.gmail_id(change)?);
            }
            let ids: BTreeSet<u64> = wanted.values().flatten().copied().collect();
            let outcomes = self.make(&ids, &edit)?;
            for change in alike {
                let outcome = wanted[&change.number].and_then(|id| outcomes.get(&id).cloned());
                settle_change(self.feed, self.report, change, outcome.unwrap_or(Changed::Gone))?;
            }
            touched.extend(ids);
        }
        Ok(touched)
    }

    /// Gmail's number of the message that was changed; `None` when Gmail does not have it.
    fn gmail_id(&self, change: &PendingChange) -> Result<Option<u64>, SyncError> {
        let account = self.account.key;
        let row = self.reader.gmail_row_at(account, change.uid)?;
        if let Some(row) = row.filter(|row| row.message == Some(change.message)) {
            return Ok(Some(row.gmail_id));
        }
        let row = change.gmail_id.map(|id| self.reader.gmail_row(account, id)).transpose()?.flatten();
        Ok(row.map(|row| row.gmail_id))
    }

    /// Changes messages alike; says for each what became of it.
    fn make(
        &mut self,
        ids: &BTreeSet<u64>,
        edit: &Result<LabelEdit, String>,
    ) -> Result<BTreeMap<u64, Changed>, SyncError> {
        let edit = match edit {
            Err(reason) => return Ok(ids.iter().map(|id| (*id, Changed::Refused(reason.clone()))).collect()),
            Ok(edit) if edit == &LabelEdit::default() => {
                return Ok(ids.iter().map(|id| (*id, Changed::Made)).collect());
            }
            Ok(edit) => edit,
        };
        let mut outcomes = BTreeMap::new();
        if ids.len() < MANY {
            for id in ids {
                outcomes.insert(*id, self.source.modify(*id, edit)?);
            }
            return Ok(outcomes);
        }
        let ids: Vec<u64> = ids.iter().copied().collect();
        for ids in ids.chunks(MOST_MODIFIED) {
            let outcome = self.source.modify_all(ids, edit)?;
            outcomes.extend(ids.iter().map(|id| (*id, outcome.clone())));
        }
        Ok(outcomes)
    }

    /// What a change is to Gmail, or why it is nothing.
    fn edit(
        &mut self,
        action: &ChangeAction,
        names: &mut Names,
    ) -> Result<Result<LabelEdit, String>, SyncError> {
        Ok(match action {
            ChangeAction::AddLabel(name) => self.label(name, names)?.map(|id| LabelEdit::of_label(&id, true)),
            // A label that Gmail does not have is on no message.
            ChangeAction::RemoveLabel(name) => {
                Ok(find(&names.there, name)
                    .map_or_else(LabelEdit::default, |id| LabelEdit::of_label(id, false)))
            }
            ChangeAction::SetFlag(flags) => flag(*flags, true),
            ChangeAction::ClearFlag(flags) => flag(*flags, false),
            ChangeAction::Move(role) => LabelEdit::of_move(*role)
                .ok_or_else(|| format!("Gmail itself decides what is in `{}`", role.usual_mailbox())),
        })
    }

    /// The id of a label; one that is new is made, one that somebody deleted in Gmail is not made again.
    fn label(&mut self, name: &str, names: &mut Names) -> Result<Result<String, String>, SyncError> {
        if let Some(id) = find(&names.there, name) {
            return Ok(Ok(id.to_owned()));
        }
        if find(&names.here, name).is_some() {
            return Ok(Err(format!("the label `{name}` is no longer on the server")));
        }
        let made = self.source.create_label(name)?;
        if let Ok(id) = &made {
            names.there.insert(id.clone(), name.to_owned());
        }
        Ok(made)
    }
}

fn find<'n>(names: &'n LabelNames, name: &str) -> Option<&'n str> {
    let wanted = name.to_lowercase();
    names.iter().find(|(_, known)| known.to_lowercase() == wanted).map(|(id, _)| id.as_str())
}

fn flag(flags: Flags, set: bool) -> Result<LabelEdit, String> {
    LabelEdit::of_flag(flags, set)
        .ok_or_else(|| format!("Gmail does not know the flag `{}`", flags.names().join(" ")))
}
