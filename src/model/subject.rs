//! What mail programs put before a subject. Owns the words; refuses to change the subject itself.

/// Before the subject of a reply, in lower case: English, German, Dutch, the Nordic countries, Finnish, Italian,
/// Portuguese, Polish, Turkish, Hungarian, Welsh, Russian, Chinese.
const REPLY_PREFIXES: [&str; 17] = [
    "re", "aw", "antw", "antwort", "sv", "vs", "rif", "res", "odp", "ynt", "vá", "atb", "отв", "回复",
    "回覆", "答复", "答覆",
];

/// Before the subject of a forwarded message.
const FORWARD_PREFIXES: [&str; 15] =
    ["fw", "fwd", "wg", "tr", "rv", "enc", "pd", "vl", "vb", "fs", "doorst", "ilt", "пересл", "转发", "轉寄"];

/// What stands behind the prefix of a reply: `Re:`, `AW :`, `Re[2]:`, `RE(3):` or `Re^4:`.
#[must_use]
pub fn behind_reply_prefix(subject: &str) -> Option<&str> {
    behind_prefix(subject, &[&REPLY_PREFIXES])
}

/// The subject without the prefixes of replies and forwarded messages; `None` when it has none.
#[must_use]
pub fn answered_subject(subject: &str) -> Option<&str> {
    let mut rest = behind_prefix(subject, &[&REPLY_PREFIXES, &FORWARD_PREFIXES])?;
    while let Some(behind) = behind_prefix(rest, &[&REPLY_PREFIXES, &FORWARD_PREFIXES]) {
        rest = behind;
    }
    Some(rest.trim_end())
}

/// The longest that stands before the colon of a prefix, in bytes.
const LONGEST: usize = 24;

fn behind_prefix<'s>(subject: &'s str, prefixes: &[&[&str]]) -> Option<&'s str> {
    let near = &subject[..subject.floor_char_boundary(LONGEST)];
    let end = near.find([':', '：'])?;
    let word = near[..end].trim_end();
    let word = word.trim_end_matches([']', ')']).trim_end_matches(|c: char| c.is_ascii_digit());
    let word = word.trim_end_matches(['[', '(', '^']).trim_end().to_lowercase();
    let is_known = prefixes.iter().any(|words| words.contains(&word.as_str()));
    let behind = subject[end..].strip_prefix([':', '：'])?;
    is_known.then(|| behind.trim_start())
}

#[cfg(test)]
mod tests {
    use super::answered_subject;

    #[test]
    fn an_answer_is_told_by_what_stands_before_its_subject() {
        for (subject, answered) in [
            ("Re: Kitchen", Some("Kitchen")),
            ("RE: AW: Fwd: Kitchen ", Some("Kitchen")),
            ("WG: [3] Kitchen", Some("[3] Kitchen")),
            ("Re[2]:Kitchen", Some("Kitchen")),
            ("转发：厨房", Some("厨房")),
            ("Re:", Some("")),
            ("Kitchen", None),
            ("Result: good", None),
            ("10:30 at the office", None),
            ("", None),
        ] {
            assert_eq!(answered_subject(subject), answered, "{subject}");
        }
    }
}
