//! Takes posts to LinkedIn's API, and says what its refusals mean.

use crate::model::Route;
use crate::outbox::approval::ApprovedItem;
use crate::outbox::carriers::{Carrier, Grace, Means, Outcome, Trouble};
use crate::outbox::channels::submitted::{misplaced, no_credentials, not_connected, submit, taken};
use crate::outbox::journal::Journal;
use crate::wire::http::HttpConnection;
use crate::wire::linkedin::{read, request, url};
use crate::wire::{Answer, Refusal};

const DAY: i64 = 86_400;

/// Posts by LinkedIn's API.
pub(in crate::outbox) struct LinkedInCarrier {
    means: Means,
}

impl LinkedInCarrier {
    pub(in crate::outbox) const fn new(means: Means) -> Self {
        Self { means }
    }

    fn carry(&self, item: &ApprovedItem, journal: &mut Journal<'_>) -> Result<Outcome, Outcome> {
        let Route::LinkedIn { base_url, version, .. } = item.route() else { return Err(misplaced(item)) };
        let access = self.means.routes.linkedin.as_ref().filter(|it| it.route() == *item.route());
        let access = access.ok_or_else(|| no_credentials("LINKEDIN_ACCESS_TOKEN and LINKEDIN_AUTHOR_URN"))?;
        let url = url(base_url);
        let connect =
            |grace: &Grace| HttpConnection::open(&url, grace.limits()).map_err(|error| not_connected(&error));
        let request = request(&url, version, &access.token, item.bytes());
        let answer = submit(&self.means, journal, connect, &request)?;
        Ok(match read(&answer) {
            Answer::Taken(id) => taken("LinkedIn", &id),
            Answer::Refused(refusal) => refused(&refusal, self.means.clock.now().as_second()),
            Answer::Unclear(detail) => Outcome::Unknown(detail),
        })
    }
}

impl Carrier for LinkedInCarrier {
    fn send(&mut self, item: ApprovedItem, journal: &mut Journal<'_>) -> Outcome {
        self.carry(&item, journal).unwrap_or_else(|outcome| outcome)
    }
}

/// What a refusal comes to. Nothing was posted.
fn refused(refusal: &Refusal, now: i64) -> Outcome {
    let failed = |code, words: &str| {
        Outcome::Failed(Trouble::new(code, format!("{words} (LinkedIn says: {})", refusal.message)))
    };
    match refusal.status {
        429 => {
            let reason = format!("no more posts for now (LinkedIn says: {})", refusal.message);
            // What a day allows begins anew at midnight, UTC.
            let until = match refusal.retry_after {
                Some(seconds) => now.saturating_add(seconds),
                None => (now.div_euclid(DAY) + 1) * DAY,
            };
            Outcome::Later(Trouble::new("RATE_LIMIT_EXCEEDED", reason).until(until))
        }
        401 => failed("AUTH_FAILED", "the token is refused or has ended: set a new LINKEDIN_ACCESS_TOKEN"),
        403 => failed(
            "AUTH_FAILED",
            "the token may not post for this author: it needs `w_member_social`, or `w_organization_social` for an \
             organisation, and LINKEDIN_AUTHOR_URN must be its own",
        ),
        422 => failed("INVALID_REQUEST", "it is not taken; the same text twice never is"),
        426 => failed("INVALID_REQUEST", "this month's form of the API has ended: set `[linkedin] version`"),
        _ => failed("SEND_FAILED", "it was not taken"),
    }
}

#[cfg(test)]
mod tests {
    use super::refused;
    use crate::outbox::carriers::Outcome;
    use crate::wire::Refusal;

    #[test]
    fn a_limit_is_waited_out_until_midnight_in_utc_unless_it_says_otherwise() {
        let at = |now, retry_after| {
            let refusal = Refusal { code: None, message: String::new(), status: 429, retry_after };
            match refused(&refusal, now) {
                Outcome::Later(trouble) => trouble.until,
                other => panic!("{other:?}"),
            }
        };

        assert_eq!(at(1_800_000_123, None), Some(1_800_057_600));
        assert_eq!(at(1_800_057_600, None), Some(1_800_144_000));
        assert_eq!(at(1_800_000_123, Some(60)), Some(1_800_000_183));
    }
}
