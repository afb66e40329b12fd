//! Text in quoted-printable (RFC 2045, 6.7): any line may be as long as its writer made it, and comes back so.

/// Longest encoded line, without its line end.
const LONGEST: usize = 76;

/// Encodes text. Line ends of every kind become CRLF, and the last line has one.
pub(super) fn encode(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for line in text.strip_suffix('\n').unwrap_or(&text).split('\n') {
        encode_line(line, &mut out);
        out.push_str("\r\n");
    }
    out
}

/// Characters are kept whole: a soft line break never stands inside one.
fn encode_line(line: &str, out: &mut String) {
    let mut column = 0;
    for (at, c) in line.char_indices() {
        let rest = &line[at..];
        let room = if is_last(c, rest) { LONGEST } else { LONGEST - 1 };
        let mut unit = encode_char(c, rest, column == 0);
        if column + unit.len() > room {
            out.push_str("=\r\n");
            column = 0;
            unit = encode_char(c, rest, true);
        }
        column += unit.len();
        out.push_str(&unit);
    }
}

/// The character that `rest` begins with. What other programs do something to is encoded too: white space at the end
/// of a line, `From ` and a dot at the beginning of one, which mbox files and SMTP change.
fn encode_char(c: char, rest: &str, at_start: bool) -> String {
    let changed_by_others = at_start && (c == '.' || rest.starts_with("From "));
    match c {
        ' ' | '\t' if !is_last(c, rest) => c.to_string(),
        '!'..='~' if c != '=' && !changed_by_others => c.to_string(),
        _ => c.to_string().bytes().map(|byte| format!("={byte:02X}")).collect(),
    }
}

fn is_last(c: char, rest: &str) -> bool {
    rest.len() == c.len_utf8()
}

#[cfg(test)]
mod tests {
    use super::encode;

    fn decoded(text: &str) -> String {
        let joined = text.replace("=\r\n", "");
        let mut bytes = Vec::new();
        let mut rest = joined.as_bytes();
        while let Some((first, tail)) = rest.split_first() {
            if *first == b'=' {
                bytes.push(u8::from_str_radix(std::str::from_utf8(&tail[..2]).unwrap(), 16).unwrap());
                rest = &tail[2..];
            } else {
                bytes.push(*first);
                rest = tail;
            }
        }
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn what_others_change_is_encoded() {
        assert_eq!(encode("From here\n.dot\nend "), "=46rom here\r\n=2Edot\r\nend=20\r\n");
        assert_eq!(encode("a = b\ttab\t"), "a =3D b\ttab=09\r\n");
        assert_eq!(encode(""), "\r\n");
        assert_eq!(encode("\n\n"), "\r\n\r\n");
        assert_eq!(encode("a\r\nb\rc\n"), "a\r\nb\r\nc\r\n");
    }

    #[test]
    fn long_lines_of_any_characters_come_back_whole() {
        for text in
            ["x".repeat(5000), "ü€𝄞 ".repeat(700), "From ".repeat(400), ".".repeat(999), "= \t".repeat(500)]
        {
            let encoded = encode(&text);

            assert!(encoded.split("\r\n").all(|line| line.len() <= 76), "{encoded}");
            let harmless =
                |line: &str| !line.starts_with("From ") && !line.starts_with('.') && !line.ends_with(' ');
            assert!(encoded.split("\r\n").all(harmless), "{encoded}");
            assert!(encoded.is_ascii());
            assert_eq!(decoded(&encoded), format!("{text}\r\n"));
        }
    }
}
