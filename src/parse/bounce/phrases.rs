//! What mail systems say in words and numbers: that it failed, that it is late, that it arrived. Languages as mail
//! systems write them; a phrase is as short as it can be without meaning something else.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::super::visible_text::prefix;
use super::super::words;
use super::Action;

/// What a text says of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wording {
    /// Nothing that is known.
    Silent,
    Failed,
    Delayed,
    Delivered,
}

/// How much of a notice is searched for phrases.
const MOST_WORDS: usize = 64 << 10;

const FAILED: [&str; 71] = [
    "undeliver",
    "not deliver",
    "n't deliver",
    "not be deliver",
    "n't be deliver",
    "not been deliver",
    "delivery fail",
    "delivery to the following",
    "failed",
    "failure",
    "returned mail",
    "returned to sender",
    "returning message",
    "unable to deliver",
    "unable to send",
    "could not send",
    "couldn't send",
    "cannot send",
    "able to deliver",
    "able to send",
    "rejected",
    "refused",
    "user unknown",
    "unknown user",
    "unknown local",
    "no such",
    "not exist",
    "n't exist",
    "not found",
    "n't found",
    "mailbox full",
    "mailbox is full",
    "over quota",
    "quota exceeded",
    "delivery error",
    "fatal error",
    "blocked",
    "permanent error",
    "delivery status",
    "not reach",
    "n't reach",
    "not accepted",
    "unrouteable",
    "invalid address",
    "invalid recipient",
    "address unknown",
    "unknown address",
    "host unknown",
    "unknown host",
    "delivery problem",
    "problem delivering",
    "mail error",
    "error mail",
    "unzustellbar",
    "nicht zugestellt",
    "nicht zustellbar",
    "non remis",
    "pas pu",
    "non recapitabile",
    "stato impossibile",
    "no se pudo",
    "no se ha podido",
    "não pôde",
    "não foi possível",
    "не доставлен",
    "не удалось",
    "配信でき",
    "届け",
    "送信でき",
    "退信",
    "無法",
];

const DELAYED: [&str; 43] = [
    "will retry",
    "be retried",
    "being retried",
    "keep trying",
    "continue to try",
    "continue trying",
    "continue to attempt",
    "will try again",
    "still trying",
    "still be tried",
    "still in the queue",
    "attempts will continue",
    "attempts to deliver the message will continue",
    "has been delayed",
    "is delayed",
    "was delayed",
    "delivery delayed",
    "delivery delay",
    "delayed mail",
    "delivery warning",
    "been postponed",
    "delayed for",
    "message delayed",
    "been deferred",
    "yet been delivered",
    "not yet delivered",
    "warning message only",
    "need to resend",
    "need to re-send",
    "only a warning",
    "temporary failure report",
    "transient non-fatal",
    "for past",
    "notification (delay",
    "notification: warning",
    "noch nicht zugestellt",
    "verzögert",
    "weiterhin versucht",
    "retardé",
    "in ritardo",
    "retrasad",
    "遅延",
    "задерж",
];

const GIVEN_UP: [&str; 24] = [
    "giving up",
    "given up",
    "gave up",
    "timeout exceeded",
    "deleted from queue",
    "deleted from the queue",
    "removed from queue",
    "removed from the queue",
    "queue too long",
    "not going to try",
    "not be retried",
    "not be attempted",
    "no further",
    "not try again",
    "permanent fatal",
    "permanent error",
    "permanent failure",
    "permanently",
    "expired",
    "all delivery attempts",
    "too many delivery attempts",
    "returned to you as undeliver",
    "endgültig",
    "was not delivered",
];

const DELIVERED: [&str; 10] = [
    "successfully delivered",
    "was delivered to",
    "has been delivered",
    "successful delivery",
    "successful mail delivery",
    "notification (success",
    "notification (relay",
    "successfully relayed",
    "been relayed",
    "erfolgreich zugestellt",
];

const AWAY: [&str; 17] = [
    "out of office",
    "out of the office",
    "automatic reply",
    "auto reply",
    "auto-reply",
    "autoreply",
    "auto response",
    "autoresp",
    "auto-resp",
    "away until",
    "away from",
    "vacation",
    "abwesen",
    "absence",
    "ausente",
    "fuori sede",
    "自動返信",
];

impl Wording {
    /// What subject and text say together. A system that goes on trying says so in words of its own; one that has given
    /// up may tell all the same how long it tried.
    pub(super) fn of(subject: &str, text: &str) -> Self {
        let text = collapsed(&format!("{subject}\n{}", prefix(text, MOST_WORDS)));
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| text.contains(phrase));
        if says(&DELAYED) && !says(&GIVEN_UP) {
            Self::Delayed
        } else if says(&FAILED) || says(&GIVEN_UP) {
            Self::Failed
        } else if says(&DELIVERED) {
            Self::Delivered
        } else {
            Self::Silent
        }
    }

    /// The fate it means; whoever sends a report and says nothing we know has not delivered.
    pub(super) fn action(self) -> Action {
        match self {
            Self::Delayed => Action::Delayed,
            Self::Delivered => Action::Delivered,
            Self::Failed | Self::Silent => Action::Failed,
        }
    }
}

/// Whether a subject has any of the phrases; asked of every new message.
pub(super) fn is_titled(subject: &str) -> bool {
    static PHRASES: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let phrases = FAILED.iter().chain(&DELAYED).chain(&GIVEN_UP).chain(&DELIVERED);
        AhoCorasick::new(phrases).expect("the phrases are constant and few")
    });
    PHRASES.is_match(&subject.to_lowercase())
}

/// Whether a subject says that somebody is away.
pub(super) fn says_away(subject: &str) -> bool {
    let subject = collapsed(subject);
    AWAY.iter().any(|phrase| subject.contains(phrase))
}

/// Lower case with single blanks, because systems wrap their lines.
fn collapsed(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        output.push_str(&word.to_lowercase());
        output.push(' ');
    }
    output.replace('’', "'")
}

/// The first enhanced status, such as `5.1.1`; no part of an address of the internet.
pub(super) fn status_in(text: &str) -> Option<String> {
    statuses(text).next()
}

/// The first enhanced status that refuses: a transcript has those of the steps before it too.
pub(super) fn refusal_in(text: &str) -> Option<String> {
    statuses(text).find(|status| !status.starts_with('2'))
}

fn statuses(text: &str) -> impl Iterator<Item = String> {
    let bytes = text.as_bytes();
    let dots = memchr::memchr_iter(b'.', bytes).filter(|dot| *dot > 0);
    dots.filter_map(|dot| status_at(bytes, dot - 1))
        .map(|status| String::from_utf8_lossy(status).into_owned())
}

fn status_at(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let is_class = matches!(bytes[at], b'2' | b'4' | b'5');
    let is_inside = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'.');
    let middle = digits(bytes, at + 2);
    let last_start = at + 2 + middle;
    let last = if bytes.get(last_start) == Some(&b'.') { digits(bytes, last_start + 1) } else { 0 };
    let end = last_start + 1 + last;
    let goes_on = bytes.get(end) == Some(&b'.') && digits(bytes, end + 1) > 0;
    let fits = (1..=3).contains(&middle) && (1..=3).contains(&last);
    (is_class && !is_inside && fits && !goes_on).then(|| &bytes[at..end])
}

fn digits(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..).unwrap_or_default().iter().take(5).take_while(|byte| byte.is_ascii_digit()).count()
}

/// Whether a text has an enhanced status or a reply of SMTP that refuses.
pub(super) fn has_code(text: &str) -> bool {
    let text = prefix(text, MOST_WORDS);
    refusal_in(text).is_some() || text.split(|c: char| !c.is_alphanumeric()).any(is_refusal)
}

fn is_refusal(word: &str) -> bool {
    matches!(
        word,
        "421"
            | "450"
            | "451"
            | "452"
            | "454"
            | "455"
            | "500"
            | "501"
            | "502"
            | "503"
            | "504"
            | "510"
            | "511"
            | "512"
            | "521"
            | "523"
            | "530"
            | "535"
            | "541"
            | "550"
            | "551"
            | "552"
            | "553"
            | "554"
            | "555"
            | "556"
            | "557"
            | "571"
    )
}

/// How long a diagnostic may be.
const LONGEST: usize = 300;

/// A diagnostic as it may be kept: one line, not too long.
pub(super) fn shown(text: &str) -> String {
    words::one_line(prefix(&words::unfolded(text), LONGEST))
}

/// The first line that gives a reason: with a code, else with a word of failure.
pub(super) fn first_telling_line(text: &str) -> String {
    let text = prefix(text, MOST_WORDS);
    let with_code = text.lines().find(|line| has_code(line));
    let telling = with_code.or_else(|| text.lines().find(|line| Wording::of("", line) != Wording::Silent));
    telling.map(shown).unwrap_or_default()
}
