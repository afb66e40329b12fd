//! Numbers as people read them.

/// `1234567` as `1,234,567`.
pub(super) fn grouped(number: impl Into<i64>) -> String {
    let digits = number.into().to_string();
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |rest| ("-", rest));
    let mut grouped = String::from(sign);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A size with a unit: `1.5 MB`. A kilobyte has 1,024 bytes, as in `larger:`.
pub(super) fn size(bytes: i64) -> String {
    let units = ["bytes", "KB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", units[unit]) }
}

/// `1 message`, `2 messages`.
pub(super) fn counted(number: impl Into<i64>, one: &str) -> String {
    let number = number.into();
    format!("{} {one}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A bar of at most `width` blocks.
pub(super) fn bar(value: i64, most: i64, width: usize) -> String {
    let eighths = (value.max(0) as f64 / most.max(1) as f64 * (width * 8) as f64).round() as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    format!("{}{rest}", "█".repeat(eighths / 8))
}

/// The text cut to `width` characters and filled up with spaces.
pub(super) fn column(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length > width {
        let kept: String = text.chars().take(width.saturating_sub(1)).collect();
        return format!("{kept}…");
    }
    format!("{text}{}", " ".repeat(width - length))
}

#[cfg(test)]
mod tests {
    use super::{bar, column, counted, grouped, size};

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(1_234_567_i64), "1,234,567");
        assert_eq!(grouped(-1234_i64), "-1,234");
        assert_eq!(counted(1_i64, "message"), "1 message");
        assert_eq!((size(512), size(1536)), ("512 bytes".to_owned(), "1.5 KB".to_owned()));
        assert_eq!((bar(1, 2, 4), column("abcdef", 4)), ("██".to_owned(), "abc…".to_owned()));
    }
}
