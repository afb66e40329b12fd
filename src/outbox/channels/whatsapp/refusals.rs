//! What WhatsApp's refusals mean for a person: what they can do, and whether it is tried again.

use crate::outbox::carriers::{Outcome, Trouble};
use crate::wire::Refusal;

/// Without a word about how long, a rate is waited out for an hour.
const USUAL_WAIT: i64 = 3_600;
/// Between two messages to one number.
const PAIR_WAIT: i64 = 60;

/// What a refusal comes to. Nothing has left.
pub(super) fn outcome(refusal: &Refusal, now: i64) -> Outcome {
    let reason = |words: &str| format!("{words} (WhatsApp says: {}{})", refusal.message, number(refusal));
    let failed = |code, words: &str| Outcome::Failed(Trouble::new(code, reason(words)));
    match (refusal.status, refusal.code) {
        (_, Some(131_056)) => later(refusal, now, PAIR_WAIT),
        (429, _) | (_, Some(4 | 80_007 | 130_429 | 131_048 | 133_016)) => later(refusal, now, USUAL_WAIT),
        (401, _) | (_, Some(0 | 3 | 10 | 190 | 200..=299)) => failed(
            "AUTH_FAILED",
            "the token is refused: make a new one in Meta's developer console and set WHATSAPP_ACCESS_TOKEN",
        ),
        (_, Some(131_047)) => failed(
            "WINDOW_CLOSED",
            "they have not written within the last 24 hours, so that WhatsApp takes only a template that it approved \
             before; ask them to write first",
        ),
        (_, Some(132_000..=132_999)) => failed(
            "TEMPLATE_ERROR",
            "WhatsApp speaks of a template; mailkeep sends none, only texts within 24 hours of their last message",
        ),
        (_, Some(131_026)) => failed("UNDELIVERABLE", "this number cannot get it: it may not be on WhatsApp"),
        (_, Some(131_030)) => {
            failed("UNDELIVERABLE", "a test number sends only to numbers that are listed in Meta's console")
        }
        (_, Some(131_021)) => failed("INVALID_REQUEST", "nobody can write to the number they send from"),
        (_, Some(100 | 131_008 | 131_009)) => failed(
            "INVALID_REQUEST",
            "a value is not what it takes: check WHATSAPP_PHONE_NUMBER_ID, which is an id and no phone number",
        ),
        (_, Some(368 | 131_031 | 131_042 | 131_045)) => {
            failed("ACCOUNT_RESTRICTED", "the business account cannot send now: look into Meta's console")
        }
        _ => failed("SEND_FAILED", "it was not taken"),
    }
}

fn later(refusal: &Refusal, now: i64, usual: i64) -> Outcome {
    let reason = format!("too many messages for now (WhatsApp says: {}{})", refusal.message, number(refusal));
    let wait = refusal.retry_after.unwrap_or(usual);
    Outcome::Later(Trouble::new("RATE_LIMIT_EXCEEDED", reason).until(now.saturating_add(wait)))
}

fn number(refusal: &Refusal) -> String {
    refusal.code.map(|code| format!(", {code}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::outcome;
    use crate::outbox::carriers::Outcome;
    use crate::wire::Refusal;

    #[test]
    fn every_refusal_has_its_word_and_only_rates_are_tried_again() {
        let refused = |status, code, retry_after| {
            outcome(&Refusal { code, message: "no".to_owned(), status, retry_after }, 1_000)
        };
        let failed = |outcome| match outcome {
            Outcome::Failed(trouble) => trouble.code,
            other => panic!("{other:?}"),
        };
        let until = |outcome| match outcome {
            Outcome::Later(trouble) => trouble.until.unwrap(),
            other => panic!("{other:?}"),
        };

        assert_eq!(failed(refused(400, Some(131_047), None)), "WINDOW_CLOSED");
        assert_eq!(failed(refused(404, Some(132_001), None)), "TEMPLATE_ERROR");
        assert_eq!(failed(refused(401, Some(190), None)), "AUTH_FAILED");
        assert_eq!(failed(refused(401, None, None)), "AUTH_FAILED");
        assert_eq!(failed(refused(400, Some(100), None)), "INVALID_REQUEST");
        assert_eq!(failed(refused(400, Some(999_999), None)), "SEND_FAILED");
        assert_eq!(failed(refused(302, None, None)), "SEND_FAILED");
        assert_eq!(until(refused(429, Some(130_429), None)), 4_600);
        assert_eq!(until(refused(400, Some(131_056), None)), 1_060);
        assert_eq!(until(refused(429, Some(131_056), Some(7))), 1_007);
    }
}
