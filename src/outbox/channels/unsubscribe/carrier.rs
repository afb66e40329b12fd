//! Makes the one request that leaves a list: to a public address that was checked after its name was looked up, over TLS,
//! without following anywhere, with nothing in it that tells who asks but what the list put into its own address.

use url::Url;

use crate::model::Route;
use crate::outbox::approval::ApprovedItem;
use crate::outbox::carriers::{Carrier, Grace, Means, Outcome, Receipt, Trouble};
use crate::outbox::channels::submitted::{misplaced, not_connected, submit};
use crate::outbox::channels::unsubscribe::body;
use crate::outbox::channels::unsubscribe::public::{Refused, address_of};
use crate::outbox::journal::Journal;
use crate::wire::http::{HttpConnection, HttpRequest, HttpResponse};

/// The longest answer; nobody reads it.
const LONGEST_ANSWER: u64 = 1 << 20;
/// After this long a list that has too much to do is asked again.
const USUAL_WAIT: i64 = 3_600;

/// Leaves lists.
pub(in crate::outbox) struct OneClickCarrier {
    means: Means,
}

impl OneClickCarrier {
    pub(in crate::outbox) const fn new(means: Means) -> Self {
        Self { means }
    }

    fn carry(&self, item: &ApprovedItem, journal: &mut Journal<'_>) -> Result<Outcome, Outcome> {
        let Route::OneClick(url) = item.route() else { return Err(misplaced(item)) };
        let body = body(item.route(), item.bytes())
            .map_err(|error| Outcome::Failed(Trouble::new("INVALID_REQUEST", error.to_string())))?;
        let request =
            HttpRequest::post(url, "application/x-www-form-urlencoded", body).at_most(LONGEST_ANSWER);
        let answer = submit(&self.means, journal, |grace| connect(url, grace), &request)?;
        Ok(judged(&answer, self.means.clock.now().as_second()))
    }
}

impl Carrier for OneClickCarrier {
    fn send(&mut self, item: ApprovedItem, journal: &mut Journal<'_>) -> Outcome {
        self.carry(&item, journal).unwrap_or_else(|outcome| outcome)
    }
}

/// Connects to exactly the address that was checked.
fn connect(url: &str, grace: &Grace) -> Result<HttpConnection, Outcome> {
    let failed = |code, reason: String| Outcome::Failed(Trouble::new(code, reason));
    let parsed = Url::parse(url).ok().filter(|url| url.scheme() == "https");
    let parsed =
        parsed.ok_or_else(|| failed("INVALID_REQUEST", format!("`{url}` is not reached by https")))?;
    let (host, port) = (parsed.host_str().unwrap_or_default(), parsed.port_or_known_default().unwrap_or(443));
    let at = address_of(host, port).map_err(|refused| match refused {
        Refused::Unknown(detail) => {
            Outcome::Later(Trouble::new("NETWORK_ERROR", format!("`{host}` cannot be looked up: {detail}")))
        }
        Refused::NotPublic(address) => {
            failed("INVALID_REQUEST", format!("`{host}` leads to {address}, which is no public address"))
        }
    })?;
    HttpConnection::open_at(url, at, grace.limits()).map_err(|error| not_connected(&error))
}

fn judged(answer: &HttpResponse, now: i64) -> Outcome {
    let failed = |reason: String| Outcome::Failed(Trouble::new("SEND_FAILED", reason));
    match answer.status {
        200..=299 => Outcome::Sent(Receipt {
            reply: format!("the list has taken it ({})", answer.status),
            ..Receipt::default()
        }),
        300..=399 => failed(format!("the list points elsewhere ({}), and nobody goes there", answer.status)),
        429 => {
            let wait = answer.retry_after().unwrap_or(USUAL_WAIT);
            let trouble = Trouble::new("RATE_LIMIT_EXCEEDED", "the list has too much to do for now");
            Outcome::Later(trouble.until(now.saturating_add(wait)))
        }
        400..=499 => failed(format!("the list does not take it ({})", answer.status)),
        status => Outcome::Unknown(format!("the list answered {status}")),
    }
}
