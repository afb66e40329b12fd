//! Judges stored mail by the owner's rules, when they or the classifier changed.

use crate::home::Home;
use crate::model::ShieldRules;
use crate::parse::shield;
use crate::store::{Store, StoreError};

/// Makes the store go by these rules; returns how many messages are now withheld that were not, or shown that were
/// withheld. Costs one look when nothing changed.
pub fn apply_shield(home: &Home, rules: &ShieldRules) -> Result<usize, StoreError> {
    Store::open(&home.store())?.apply_shield(rules, shield::secret)
}
