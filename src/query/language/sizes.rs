//! Sizes as people write them: `2M`, `500k`, `1.5MB`, plain bytes. A k is 1024 bytes.

/// SQLite counts in signed 64-bit numbers, so nothing larger can be compared with.
const LARGEST: u128 = i64::MAX as u128;

const MOST_DECIMALS: usize = 9;

/// The number of bytes, rounded down; `None` when this is no size or one too large to count.
pub(super) fn bytes(text: &str) -> Option<u64> {
    let number_ends = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(number_ends);
    let unit = bytes_in(unit)?;
    let size = match number.split_once('.') {
        None => whole(number)?.checked_mul(unit)?,
        Some(_) if unit == 1 => return None,
        Some((before, after)) => whole(before)?.checked_mul(unit)?.checked_add(part(after, unit)?)?,
    };
    u64::try_from(size).ok().filter(|_| size <= LARGEST)
}

fn bytes_in(unit: &str) -> Option<u128> {
    match unit.to_ascii_lowercase().as_str() {
        "" | "b" => Some(1),
        "k" | "kb" | "kib" => Some(1 << 10),
        "m" | "mb" | "mib" => Some(1 << 20),
        "g" | "gb" | "gib" => Some(1 << 30),
        _ => None,
    }
}

fn whole(digits: &str) -> Option<u128> {
    digits.parse().ok()
}

fn part(decimals: &str, unit: u128) -> Option<u128> {
    if decimals.len() > MOST_DECIMALS {
        return None;
    }
    let scale = decimals.chars().fold(1, |scale: u128, _| scale * 10);
    Some(whole(decimals)? * unit / scale)
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_count_in_steps_of_1024() {
        let sizes = [
            ("0", 0),
            ("1234", 1234),
            ("12b", 12),
            ("500k", 512_000),
            ("2M", 2_097_152),
            ("2MiB", 2_097_152),
            ("1.5MB", 1_572_864),
            ("0.1k", 102),
            ("3gb", 3_221_225_472),
            ("9223372036854775807", 9_223_372_036_854_775_807),
        ];
        for (text, expected) in sizes {
            assert_eq!(bytes(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        let refused = [
            "",
            "M",
            "-1",
            "+1",
            "1.5",
            "1.",
            ".5M",
            "1..5M",
            "1.5.1M",
            "2T",
            "2 M",
            "1e3",
            "２M",
            "9223372036854775808",
            "99999999999999999999999999999999999999999999",
            "99999999999G",
            "1.0000000001M",
        ];
        for text in refused {
            assert_eq!(bytes(text), None, "{text}");
        }
    }
}
