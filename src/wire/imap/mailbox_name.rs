//! Mailbox names in modified UTF-7 (RFC 3501, 5.1.3).

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Encodes a name.
#[must_use]
pub fn encode(name: &str) -> String {
    let mut out = String::new();
    let mut shifted: Vec<u8> = Vec::new();
    let flush = |shifted: &mut Vec<u8>, out: &mut String| {
        if !shifted.is_empty() {
            let digits = STANDARD_NO_PAD.encode(&*shifted).replace('/', ",");
            out.push_str(&format!("&{digits}-"));
            shifted.clear();
        }
    };
    for character in name.chars() {
        if matches!(character, ' '..='~') {
            flush(&mut shifted, &mut out);
            out.push(character);
            out.push_str(if character == '&' { "-" } else { "" });
        } else {
            let mut units = [0; 2];
            shifted.extend(character.encode_utf16(&mut units).iter().flat_map(|unit| unit.to_be_bytes()));
        }
    }
    flush(&mut shifted, &mut out);
    out
}

/// Decodes a name; what is not valid stays as it is.
#[must_use]
pub fn decode(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let mut out = String::new();
    let mut rest = text.as_ref();
    while let Some(start) = rest.find('&') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let decoded = rest.find('-').and_then(|end| Some((decode_shifted(&rest[1..end])?, end)));
        match decoded {
            Some((decoded, end)) => {
                out.push_str(&decoded);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

/// Decodes what stands between `&` and `-`: base64 with `,` for `/` and without padding, over UTF-16 in network order;
/// nothing stands for `&` itself.
#[must_use]
pub fn decode_shifted(digits: &str) -> Option<String> {
    if digits.is_empty() {
        return Some("&".to_owned());
    }
    let mut bits = 0_u32;
    let mut held = 0;
    let mut units = Vec::new();
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b',' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 16 {
            held -= 16;
            units.push((bits >> held & 0xffff) as u16);
        }
    }
    String::from_utf16(&units).ok()
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn names_in_other_scripts_are_read() {
        for (written, read) in [
            ("INBOX", "INBOX"),
            ("Entw&APw-rfe", "Entwürfe"),
            ("&U,BTFw-/&ZeVnLIqe-", "台北/日本語"),
            ("R&-D", "R&D"),
            ("broken &", "broken &"),
            ("broken &!-", "broken &!-"),
            ("&2D3eAA-", "😀"),
        ] {
            assert_eq!(decode(written.as_bytes()), read);
            assert_eq!(decode(encode(read).as_bytes()), read);
        }
    }
}
