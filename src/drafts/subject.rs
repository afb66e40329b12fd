//! Subjects of replies and of what is passed on: `Re:` or `Fwd:` once, whatever the programs of others have put in front.

use crate::model::behind_reply_prefix;

/// The subject of a reply to a message with this subject.
pub(super) fn reply_to(subject: &str) -> String {
    format!("Re: {}", base(subject)).trim_end().to_owned()
}

/// The subject a person gave for a reply: theirs, but `Re:` only once, and in front when it is the same subject.
pub(super) fn given_for_reply(given: &str, parent: &str) -> String {
    let own = base(given);
    if own == given.trim() && own != base(parent) { own } else { reply_to(given) }
}

/// The subject of a message that is passed on: `Fwd:` in front, unless it was passed on before.
pub(super) fn forwarded(subject: &str) -> String {
    let subject = subject.trim();
    let is_forward = ["fwd:", "fw:", "wg:", "tr:"]
        .iter()
        .any(|prefix| subject.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix)));
    if is_forward { subject.to_owned() } else { format!("Fwd: {subject}").trim_end().to_owned() }
}

/// The subject without the prefixes of replies. The tag of a mailing list stays in front.
fn base(subject: &str) -> String {
    let rest = without_prefixes(subject.trim());
    match rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((tag, behind)) if without_prefixes(behind.trim_start()) != behind.trim_start() => {
            format!("[{tag}] {}", without_prefixes(behind.trim_start()))
        }
        _ => rest.to_owned(),
    }
}

/// Forwarding prefixes (Fwd, WG, TR) stay: a reply to a forwarded message says so.
fn without_prefixes(subject: &str) -> &str {
    let mut rest = subject;
    while let Some(behind) = behind_reply_prefix(rest) {
        rest = behind;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::{forwarded, given_for_reply, reply_to};

    #[test]
    fn fwd_stands_once_and_what_was_answered_stays_an_answer() {
        for (subject, passed_on) in [
            ("Kitchen", "Fwd: Kitchen"),
            ("Re: Kitchen", "Fwd: Re: Kitchen"),
            ("FW: Kitchen", "FW: Kitchen"),
            ("Fwd: Kitchen", "Fwd: Kitchen"),
            ("", "Fwd:"),
            ("Fü", "Fwd: Fü"),
        ] {
            assert_eq!(forwarded(subject), passed_on, "{subject}");
        }
    }

    #[test]
    fn re_stands_once_whatever_was_in_front() {
        for (subject, reply) in [
            ("Kitchen", "Re: Kitchen"),
            ("Re: Kitchen", "Re: Kitchen"),
            ("RE: re:Re : Kitchen", "Re: Kitchen"),
            ("AW: Kitchen", "Re: Kitchen"),
            ("Re: AW: SV: Antw: Kitchen", "Re: Kitchen"),
            ("Re[2]: Kitchen", "Re: Kitchen"),
            ("RE (3): Kitchen", "Re: Kitchen"),
            ("回复：厨房", "Re: 厨房"),
            ("Fwd: Kitchen", "Re: Fwd: Kitchen"),
            ("Re: Fwd: Re: Kitchen", "Re: Fwd: Re: Kitchen"),
            ("[lumen] Re: Patch", "Re: [lumen] Patch"),
            ("Re: [lumen] AW: Patch", "Re: [lumen] Patch"),
            ("[lumen] Patch", "Re: [lumen] Patch"),
            ("Result: good", "Re: Result: good"),
            ("Regarding: Re: x", "Re: Regarding: Re: x"),
            ("10:30 at the office", "Re: 10:30 at the office"),
            ("", "Re:"),
            ("Re:", "Re:"),
        ] {
            assert_eq!(reply_to(subject), reply, "{subject}");
        }
    }

    #[test]
    fn a_subject_of_one_s_own_stays() {
        assert_eq!(given_for_reply("Lunch instead", "Re: Kitchen"), "Lunch instead");
        assert_eq!(given_for_reply("Kitchen", "AW: Kitchen"), "Re: Kitchen");
        assert_eq!(given_for_reply("Re: Re: Kitchen", "Kitchen"), "Re: Kitchen");
        assert_eq!(given_for_reply("AW: Kitchen", "Kitchen"), "Re: Kitchen");
    }
}
