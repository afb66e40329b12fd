//! One vector as it lies in the file: a head that says whose it is, the components as bytes, and a checksum over both.
//! A record that was erased is all zeros.

use crate::model::MessageKey;

/// Bytes before the components.
pub(super) const HEAD: usize = 32;

/// What a record says beside its components.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordHead {
    /// The message whose passage it is.
    pub message: MessageKey,
    /// Where the passage begins in the visible text, in bytes.
    pub start: u32,
    /// And where it ends.
    pub end: u32,
    /// Which passage of the message it is, from 0.
    pub ordinal: u16,
    /// How many passages the message has; 0 when there is nothing in it to compare.
    pub of: u16,
}

/// How many bytes a record of so many dimensions has.
pub(super) const fn record_size(dimensions: usize) -> usize {
    HEAD + dimensions
}

/// Adds a record to `out`. The components become whole numbers from -127 to 127 and one factor for all.
pub(super) fn write(head: &RecordHead, vector: &[f32], out: &mut Vec<u8>) {
    let begin = out.len();
    let largest = vector.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let scale = largest / 127.0;
    out.extend([0; 4]);
    out.extend(scale.to_le_bytes());
    out.extend(head.message.0.to_le_bytes());
    out.extend(head.start.to_le_bytes());
    out.extend(head.end.to_le_bytes());
    out.extend(head.ordinal.to_le_bytes());
    out.extend(head.of.to_le_bytes());
    out.extend([0; 4]);
    let whole = |x: &f32| if scale > 0.0 { to_i8(x / scale) } else { 0 };
    out.extend(vector.iter().map(|x| whole(x).cast_unsigned()));
    let checksum = crc32fast::hash(&out[begin + 4..]);
    out[begin..begin + 4].copy_from_slice(&checksum.to_le_bytes());
}

fn to_i8(x: f32) -> i8 {
    x.round().clamp(-127.0, 127.0) as i8
}

/// A record, as it was read.
#[derive(Clone, Copy)]
pub(super) struct Record<'a>(pub(super) &'a [u8]);

impl<'a> Record<'a> {
    fn bytes<const N: usize>(self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.0[at..at + N]);
        bytes
    }

    /// Whether it was erased.
    pub(super) fn is_erased(self) -> bool {
        self.message() == MessageKey(0)
    }

    /// Whether it is what was written.
    pub(super) fn is_sound(self) -> bool {
        u32::from_le_bytes(self.bytes(0)) == crc32fast::hash(&self.0[4..])
    }

    pub(super) fn message(self) -> MessageKey {
        MessageKey(i64::from_le_bytes(self.bytes(8)))
    }

    pub(super) fn head(self) -> RecordHead {
        RecordHead {
            message: self.message(),
            start: u32::from_le_bytes(self.bytes(16)),
            end: u32::from_le_bytes(self.bytes(20)),
            ordinal: u16::from_le_bytes(self.bytes(24)),
            of: u16::from_le_bytes(self.bytes(26)),
        }
    }

    fn scale(self) -> f32 {
        f32::from_le_bytes(self.bytes(4))
    }

    pub(super) fn components(self) -> &'a [u8] {
        &self.0[HEAD..]
    }

    /// The vector, as exactly as it was kept.
    pub(super) fn vector(self) -> impl Iterator<Item = f32> + 'a {
        let scale = self.scale();
        self.components().iter().map(move |byte| f32::from(byte.cast_signed()) * scale)
    }

    /// How near it is to a question: the cosine of the angle between the two.
    pub(super) fn nearness(self, question: &Question) -> f32 {
        let products = self.components().iter().zip(&question.components);
        let sum: i32 = products.map(|(own, asked)| i32::from(own.cast_signed()) * i32::from(*asked)).sum();
        let sum = sum as f32;
        sum * self.scale() * question.scale
    }
}

/// A vector that others are compared with, finer than they are kept.
pub(super) struct Question {
    components: Vec<i16>,
    scale: f32,
}

impl Question {
    /// Sums of products of a question of up to 4,096 dimensions stay within 32 bits.
    const FINEST: f32 = 4_095.0;

    pub(super) fn new(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(f32::MIN_POSITIVE, |most, x| most.max(x.abs()));
        let scale = largest / Self::FINEST;
        let components = vector.iter().map(|x| (x / scale).round() as i16).collect();
        Self { components, scale }
    }
}

#[cfg(test)]
mod tests {
    use super::{Question, Record, RecordHead, record_size, write};
    use crate::model::MessageKey;

    const HEAD: RecordHead = RecordHead { message: MessageKey(7), start: 3, end: 90, ordinal: 1, of: 2 };

    fn unit(seed: usize) -> Vec<f32> {
        let raw: Vec<f32> = (0..384).map(|at| ((at * 37 + seed * 101) % 97) as f32 - 48.0).collect();
        let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
        raw.iter().map(|x| x / length).collect()
    }

    #[test]
    fn a_record_comes_back_as_it_was_written() {
        let mut bytes = Vec::new();
        write(&HEAD, &unit(1), &mut bytes);

        let record = Record(&bytes);

        assert_eq!(bytes.len(), record_size(384));
        assert!(record.is_sound() && !record.is_erased());
        assert_eq!(record.head(), HEAD);
        let off = record.vector().zip(unit(1)).map(|(kept, given)| (kept - given).abs());
        assert!(off.fold(0.0, f32::max) < 0.001);
    }

    #[test]
    fn nearness_is_the_cosine() {
        for seed in 0..20 {
            let (one, other) = (unit(1), unit(seed));
            let mut bytes = Vec::new();
            write(&HEAD, &one, &mut bytes);

            let nearness = Record(&bytes).nearness(&Question::new(&other));

            let cosine: f32 = one.iter().zip(&other).map(|(a, b)| a * b).sum();
            assert!((nearness - cosine).abs() < 0.003, "{nearness} for {cosine}");
        }
    }

    #[test]
    fn any_changed_byte_is_noticed_and_zeros_are_an_erased_record() {
        let mut bytes = Vec::new();
        write(&HEAD, &unit(3), &mut bytes);
        for at in 0..bytes.len() {
            bytes[at] ^= 1;
            assert!(!Record(&bytes).is_sound(), "byte {at}");
            bytes[at] ^= 1;
        }

        assert!(Record(&vec![0; record_size(384)]).is_erased());
    }

    #[test]
    fn what_has_no_direction_is_near_to_nothing() {
        let mut bytes = Vec::new();
        write(&HEAD, &[0.0; 384], &mut bytes);

        assert_eq!(Record(&bytes).nearness(&Question::new(&unit(1))), 0.0);
    }
}
