//! Takes messages to WhatsApp's Cloud API.

use crate::model::Route;
use crate::outbox::approval::ApprovedItem;
use crate::outbox::carriers::{Carrier, Grace, Means, Outcome};
use crate::outbox::channels::submitted::{misplaced, no_credentials, not_connected, submit, taken};
use crate::outbox::channels::whatsapp::refusals;
use crate::outbox::journal::Journal;
use crate::wire::Answer;
use crate::wire::http::HttpConnection;
use crate::wire::whatsapp::{read, request, url};

/// Sends by WhatsApp's Cloud API.
pub(in crate::outbox) struct WhatsAppCarrier {
    means: Means,
}

impl WhatsAppCarrier {
    pub(in crate::outbox) const fn new(means: Means) -> Self {
        Self { means }
    }

    fn carry(&self, item: &ApprovedItem, journal: &mut Journal<'_>) -> Result<Outcome, Outcome> {
        let Route::WhatsApp { base_url, number } = item.route() else { return Err(misplaced(item)) };
        let access = self.means.routes.whatsapp.as_ref().filter(|it| it.route() == *item.route());
        let access =
            access.ok_or_else(|| no_credentials("WHATSAPP_ACCESS_TOKEN and WHATSAPP_PHONE_NUMBER_ID"))?;
        let url = url(base_url, number);
        let connect =
            |grace: &Grace| HttpConnection::open(&url, grace.limits()).map_err(|error| not_connected(&error));
        let answer = submit(&self.means, journal, connect, &request(&url, &access.token, item.bytes()))?;
        Ok(match read(&answer) {
            Answer::Taken(id) => taken("WhatsApp", &id),
            Answer::Refused(refusal) => refusals::outcome(&refusal, self.means.clock.now().as_second()),
            Answer::Unclear(detail) => Outcome::Unknown(detail),
        })
    }
}

impl Carrier for WhatsAppCarrier {
    fn send(&mut self, item: ApprovedItem, journal: &mut Journal<'_>) -> Outcome {
        self.carry(&item, journal).unwrap_or_else(|outcome| outcome)
    }
}
