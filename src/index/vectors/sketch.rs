//! One bit a dimension: on which side of zero it lies. So small, vectors can be held in memory, and how many bits differ
//! says which of a million are worth to be read and compared exactly.

use rten_simd::{Isa, SimdOp};

/// As many dimensions as one word holds.
const BITS: usize = 64;
/// The words of the usual model, whose loop the compiler can unroll.
const USUAL: usize = 6;

/// How many words a sketch of so many dimensions has.
pub(super) const fn words(dimensions: usize) -> usize {
    dimensions.div_ceil(BITS)
}

/// Adds the sketch of a vector.
pub(super) fn push(is_positive: impl Iterator<Item = bool>, sketches: &mut Vec<u64>) {
    let (mut word, mut bit) = (0, 0);
    for positive in is_positive {
        word |= u64::from(positive) << bit;
        bit += 1;
        if bit == BITS {
            sketches.push(word);
            (word, bit) = (0, 0);
        }
    }
    if bit > 0 {
        sketches.push(word);
    }
}

/// How many bits each sketch differs in from the one that is asked for. With the best instructions this machine has.
pub(super) fn distances(sketches: &[u64], asked: &[u64]) -> Vec<u16> {
    Distances { sketches, asked }.dispatch()
}

struct Distances<'a> {
    sketches: &'a [u64],
    asked: &'a [u64],
}

impl SimdOp for Distances<'_> {
    type Output = Vec<u16>;

    // Inlined into a function for each set of instructions, where the compiler makes vectors of the plain loop.
    #[inline(always)]
    fn eval<I: Isa>(self, _: I) -> Vec<u16> {
        match <&[u64; USUAL]>::try_from(self.asked) {
            Ok(asked) => {
                let (sketches, _) = self.sketches.as_chunks::<USUAL>();
                sketches
                    .iter()
                    .map(
                        #[inline(always)]
                        |one| differing(one, asked),
                    )
                    .collect()
            }
            Err(_) => {
                let sketches = self.sketches.chunks_exact(self.asked.len().max(1));
                sketches
                    .map(
                        #[inline(always)]
                        |one| differing(one, self.asked),
                    )
                    .collect()
            }
        }
    }
}

#[inline(always)]
fn differing(one: &[u64], other: &[u64]) -> u16 {
    let bits: u32 = one
        .iter()
        .zip(other)
        .map(
            #[inline(always)]
            |(a, b)| (a ^ b).count_ones(),
        )
        .sum();
    u16::try_from(bits).unwrap_or(u16::MAX)
}

/// The largest distance at which no more than `most` of the allowed are nearer, or all of them are; in a pool that big
/// the nearest are to be found.
pub(super) fn horizon(counts: &[usize], most: usize) -> u16 {
    let mut within = 0;
    for (distance, count) in (0_u16..).zip(counts) {
        within += count;
        if within > most {
            return distance;
        }
    }
    u16::MAX
}

#[cfg(test)]
mod tests {
    use super::{distances, horizon, push, words};

    #[test]
    fn distances_count_the_bits_that_differ_for_any_number_of_dimensions() {
        for dimensions in [1, 63, 64, 384, 500, 768] {
            let mut sketches = Vec::new();
            for flipped in 0..10 {
                push((0..dimensions).map(|at| (at % 3 == 0) != (at < flipped)), &mut sketches);
            }
            let asked: Vec<u64> = sketches[..words(dimensions)].to_vec();

            let expected: Vec<u16> = (0..10).map(|flipped| flipped.min(dimensions) as u16).collect();

            assert_eq!(sketches.len(), 10 * words(dimensions));
            assert_eq!(distances(&sketches, &asked), expected, "{dimensions} dimensions");
        }
    }

    #[test]
    fn the_horizon_holds_at_least_as_many_as_are_wanted() {
        assert_eq!(horizon(&[0, 2, 3, 4], 4), 2);
        assert_eq!(horizon(&[0, 2, 3, 4], 100), u16::MAX);
        assert_eq!(horizon(&[], 1), u16::MAX);
    }
}
