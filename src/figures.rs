//! Numbers as people read them.

/// `1234567` as `1,234,567`.
#[must_use]
pub fn grouped(number: impl TryInto<i64>) -> String {
    let digits = number.try_into().unwrap_or(i64::MAX).to_string();
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
#[must_use]
pub fn size(bytes: impl TryInto<i64>) -> String {
    let bytes = bytes.try_into().unwrap_or(i64::MAX);
    let units = ["bytes", "KB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { counted(bytes, "byte") } else { format!("{value:.1} {}", units[unit]) }
}

/// `1 message`, `2 messages`, `12,345 mailboxes`.
#[must_use]
pub fn counted(number: impl TryInto<i64>, one: &str) -> String {
    let number = number.try_into().unwrap_or(i64::MAX);
    let ending = match number {
        1 => "",
        _ if one.ends_with('x') => "es",
        _ => "s",
    };
    format!("{} {one}{ending}", grouped(number))
}

/// `1 message is`, `2 messages are`.
#[must_use]
pub fn counted_are(number: impl TryInto<i64>, one: &str) -> String {
    let number = number.try_into().unwrap_or(i64::MAX);
    format!("{} {}", counted(number, one), if number == 1 { "is" } else { "are" })
}

/// A bar of at most `width` blocks.
#[must_use]
pub fn bar(value: i64, most: i64, width: usize) -> String {
    let eighths = (value.max(0) as f64 / most.max(1) as f64 * (width * 8) as f64).round() as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    format!("{}{rest}", "█".repeat(eighths / 8))
}

#[cfg(test)]
mod tests {
    use super::{bar, counted, counted_are, grouped, size};

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(1_234_567_i64), "1,234,567");
        assert_eq!(grouped(-1234_i64), "-1,234");
        assert_eq!(grouped(u64::MAX), "9,223,372,036,854,775,807");
        assert_eq!(counted(1_u64, "message"), "1 message");
        assert_eq!(counted(12_345_usize, "message"), "12,345 messages");
        assert_eq!(counted(0_i64, "mailbox"), "0 mailboxes");
        assert_eq!(counted_are(1_usize, "message"), "1 message is");
        assert_eq!((size(512_i64), size(1536_u64)), ("512 bytes".to_owned(), "1.5 KB".to_owned()));
        assert_eq!(bar(1, 2, 4), "██");
    }
}
