//! The weights of the features: a linear model, trained by `benches/shield_train`. `weights.txt` says on what.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::naming::{self, Feature};

const WEIGHTS: &str = include_str!("weights.txt");

fn weights() -> &'static [f32] {
    static TABLE: OnceLock<Vec<f32>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let known: HashMap<&str, f32> = entries().collect();
        naming::names().iter().map(|name| known.get(name.as_str()).copied().unwrap_or(0.0)).collect()
    })
}

/// The lines of the file: a weight and what it is of.
fn entries() -> impl Iterator<Item = (&'static str, f32)> {
    let lines = WEIGHTS.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let (weight, name) = line.split_once(' ')?;
        Some((name, weight.parse().ok()?))
    })
}

/// What a feature weighs: for a secret above zero, against one below.
pub(super) fn weight(feature: Feature) -> f32 {
    weights().get(usize::from(feature)).copied().unwrap_or(0.0)
}

/// The sum of the weights; above zero it is a secret.
pub(super) fn score(features: &[Feature]) -> f32 {
    features.iter().map(|feature| weight(*feature)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::naming;
    use super::{WEIGHTS, entries};

    #[test]
    fn every_weight_is_of_a_feature_that_there_is() {
        let unknown: Vec<_> =
            entries().filter(|(name, _)| !naming::names().iter().any(|known| known == name)).collect();
        let lines = WEIGHTS.lines().filter(|line| !line.starts_with('#')).count();

        assert!(unknown.is_empty(), "{unknown:?}");
        assert_eq!(entries().count(), lines, "each line is a weight and a name");
        assert!(lines > 100);
    }
}
