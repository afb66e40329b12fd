//! Whether a machine wrote a message: nobody waits there for an answer. Judged by the header alone.

use super::header::{Header, Owner};
use super::words;

/// What the part of an address before the `@` is called, or begins or ends with, where nobody reads the answers.
const NOBODY: [&str; 22] = [
    "noreply",
    "donotreply",
    "dontreply",
    "noanswer",
    "nepasrepondre",
    "nichtantworten",
    "keineantwort",
    "noresponder",
    "mailerdaemon",
    "postmaster",
    "bounce",
    "bounces",
    "notification",
    "notifications",
    "notify",
    "newsletter",
    "newsletters",
    "mailing",
    "alert",
    "alerts",
    "automated",
    "autoconfirm",
];

/// Whether the header says that a program sent this, to many or on its own account (RFC 3834, RFC 2919, RFC 2369).
#[must_use]
pub fn says_automatic(bytes: &[u8]) -> bool {
    let header = Header::read(bytes, Owner::Message, |_| false);
    let value = |name: &str| header.first(name).map(words::unstructured).unwrap_or_default().to_lowercase();
    let first_word = |name: &str| {
        let value = value(name);
        value.split([';', ' ', '(']).find(|word| !word.is_empty()).unwrap_or_default().to_owned()
    };
    let submitted = first_word("Auto-Submitted");
    (!submitted.is_empty() && submitted != "no")
        || matches!(first_word("Precedence").as_str(), "bulk" | "list" | "junk" | "auto_reply")
        || ["List-Id", "List-Unsubscribe", "X-Autoreply", "X-Autorespond", "Feedback-ID"]
            .into_iter()
            .any(|name| header.first(name).is_some())
        || first_word("Content-Type") == "text/calendar"
        || value("Return-Path").trim() == "<>"
}

/// Whether the header says that a program answered in the place of a person who is away (RFC 3834, and what went before).
#[must_use]
pub fn is_auto_reply(bytes: &[u8]) -> bool {
    let header = Header::read(bytes, Owner::Message, |_| false);
    let value =
        |name: &str| header.first(name).map(words::unstructured).unwrap_or_default().trim().to_lowercase();
    value("Auto-Submitted").starts_with("auto-replied")
        || value("Precedence").starts_with("auto_reply")
        || ["X-Autoreply", "X-Autorespond", "X-Auto-Response-From"].iter().any(|name| !value(name).is_empty())
        || value("X-Auto-Response-Suppress") == "all" && value("Auto-Submitted").starts_with("auto-generated")
}

/// Whether an address says that nobody reads what is sent to it.
#[must_use]
pub fn is_nobodys(address: &str) -> bool {
    let (local, _) = address.rsplit_once('@').unwrap_or((address, ""));
    let local = local.to_lowercase();
    let local = local.split('+').next().unwrap_or_default();
    let joined: String = local.chars().filter(|c| c.is_alphanumeric()).collect();
    let words: Vec<&str> =
        local.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    NOBODY.contains(&joined.as_str())
        || words.iter().any(|word| NOBODY.contains(word))
        || ["noreply", "donotreply"]
            .into_iter()
            .any(|name| joined.starts_with(name) || joined.ends_with(name))
}

/// What addresses are called that shops and services write from on their own, and sometimes people.
const SERVICES: [&str; 11] = [
    "tracking", "order", "orders", "billing", "receipt", "receipts", "invoice", "invoices", "rechnung",
    "versand", "tickets",
];

/// Whether an address is one of a service, which waits for an answer only where somebody has written to it before.
#[must_use]
pub fn is_of_a_service(address: &str) -> bool {
    let local = address.split(['@', '+']).next().unwrap_or_default().to_lowercase();
    local.split(|c: char| !c.is_alphanumeric()).any(|word| SERVICES.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::{is_nobodys, is_of_a_service, says_automatic};

    #[test]
    fn headers_of_machines_are_told_from_those_of_people() {
        for field in [
            "Auto-Submitted: auto-generated",
            "auto-submitted: Auto-Replied; owner-email=\"x@y.example\"",
            "Precedence: bulk",
            "PRECEDENCE:\n list",
            "List-Id: News <news.shop.example>",
            "List-Unsubscribe: <mailto:off@shop.example>",
            "Content-Type: text/calendar; method=REQUEST",
            "Return-Path: <>",
        ] {
            let mail = format!("From: a@b.example\n{field}\nSubject: x\n\nPrecedence: first-class\n");
            assert!(says_automatic(mail.as_bytes()), "{field}");
        }
        for field in
            ["Auto-Submitted: no", "Precedence: first-class", "X-List: no", "Return-Path: <a@b.example>"]
        {
            let mail = format!("From: a@b.example\n{field}\n\nList-Id: in the body\nPrecedence: bulk\n");
            assert!(!says_automatic(mail.as_bytes()), "{field}");
        }
    }

    #[test]
    fn services_are_told_from_people_by_whole_words() {
        assert!(is_of_a_service("tracking@parcel.example") && is_of_a_service("my-orders@shop.example"));
        assert!(!is_of_a_service("orderly@shop.example") && !is_of_a_service("ada@tickets.example"));
    }

    #[test]
    fn addresses_that_nobody_reads_are_known_in_their_spellings() {
        for address in [
            "no-reply@shop.example",
            "noreply@shop.example",
            "NoReply+42@shop.example",
            "do_not_reply@bank.example",
            "orders-noreply@shop.example",
            "noreply-orders@shop.example",
            "MAILER-DAEMON@host.example",
            "jira.notifications@work.example",
            "ne-pas-repondre@impots.example",
        ] {
            assert!(is_nobodys(address), "{address}");
        }
        for address in [
            "ada@example.org",
            "norbert.eply@example.org",
            "info@shop.example",
            "alertina@x.example",
            "",
            "@",
            "reply@x.example",
        ] {
            assert!(!is_nobodys(address), "{address}");
        }
    }
}
