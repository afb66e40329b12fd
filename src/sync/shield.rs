//! Judges stored mail by the owner's rules, when they or the classifier changed.

use crate::home::Home;
use crate::model::{Released, ShieldRules};
use crate::parse::shield;
use crate::store::{Store, StoreError};

/// Makes the store go by these rules; returns how many messages are now withheld that were not, or shown that were
/// withheld. Costs one look when nothing changed.
pub fn apply_shield(home: &Home, rules: &ShieldRules) -> Result<usize, StoreError> {
    Store::open(&home.store())?.apply_shield(rules, shield::secret)
}

/// Changes what the owner has released; returns how many messages are judged differently now.
pub fn release(home: &Home, change: impl FnOnce(&mut Released)) -> Result<usize, StoreError> {
    Store::open(&home.store())?.release(change)
}
