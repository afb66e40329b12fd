//! Gmail's API. It has no way to ask for a message to be sent once, so the message becomes a draft first: sending takes the
//! draft away, and after a lost answer its absence tells. A draft that is still there has not been sent, and the next
//! attempt sends this very draft, so that two answers that were lost do not become two messages.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use crate::crash_point::crash_point;
use crate::model::{FitMessage, MailboxRole, OutboxSettings, Route, dated};
use crate::outbox::approval::ApprovedItem;
use crate::outbox::carriers::bcc::with_bcc;
use crate::outbox::carriers::gmail_api::{ApiError, GmailApi};
use crate::outbox::carriers::{Carrier, Found, Grace, Lost, Means, Outcome, Receipt, Trouble, not_signed_in};
use crate::outbox::journal::{Halt, Journal};
use crate::store::RemoteCopyId;
use crate::wire::WireError;
use crate::wire::gmail::ProblemKind;
use crate::wire::http::HttpClient;

/// How often Gmail is asked what became of a message.
const ASK_EVERY: Duration = Duration::from_secs(3);

/// Sends by Gmail's API.
pub(super) struct GmailCarrier {
    means: Means,
}

impl Carrier for GmailCarrier {
    fn send(&mut self, item: ApprovedItem, journal: &mut Journal<'_>) -> Outcome {
        self.carry(&item, journal).unwrap_or_else(|outcome| outcome)
    }

    fn look(&mut self, lost: &Lost<'_>) -> Found {
        let (Some(draft), Route::Gmail { base_url, .. }) = (lost.remote_id, lost.route) else {
            return Found::Unknown;
        };
        let Ok(credentials) = self.means.credentials(lost.account) else { return Found::Unknown };
        self.settled(&mut GmailApi::new(base_url, credentials), draft, lost.message_id)
    }
}

impl GmailCarrier {
    pub(super) const fn new(means: Means) -> Self {
        Self { means }
    }

    fn carry(&self, item: &ApprovedItem, journal: &mut Journal<'_>) -> Result<Outcome, Outcome> {
        let Route::Gmail { base_url, .. } = item.route() else {
            return Err(Outcome::Failed(Trouble::new("INTERNAL_ERROR", "this is not Gmail")));
        };
        journal.go_on()?;
        let credentials = self.means.credentials(item.account()).map_err(Halt::from)?;
        let mut api = GmailApi::new(base_url, credentials);
        let message = with_bcc(&dated(item.bytes(), journal.data()?), item.recipients());
        FitMessage::new(&message)
            .map_err(|unfit| Outcome::Failed(Trouble::new("INVALID_REQUEST", unfit.to_string())))?;
        let draft = self.draft(&mut api, item, &message)?;
        crash_point("the draft is there");
        journal.remote_id(&draft)?;
        journal.dot()?;
        let grace = Grace::begin(&self.means, OutboxSettings::seconds(self.means.settings.reply));
        let sent = api.send_draft(&HttpClient::new(grace.limits()), &draft);
        crash_point("Gmail has answered");
        Ok(self.judged(sent, &mut api, &draft, item.message_id()))
    }

    /// The message as a draft: the one of an earlier attempt, if there is one.
    fn draft(&self, api: &mut GmailApi, item: &ApprovedItem, message: &[u8]) -> Result<String, Outcome> {
        let http = HttpClient::new(self.means.limits(OutboxSettings::seconds(self.means.settings.command)));
        let connections = &self.means.connections;
        let thread = connections
            .reader()
            .and_then(|reader| reader.gmail_thread_of(item.message_id()))
            .map_err(Halt::from)?;
        let known = match item.remote_id() {
            Some(known) => Some(known.to_owned()),
            None if item.is_repeated() => {
                self.left_behind(api, &http, item.message_id()).map_err(|error| told(&error))?
            }
            None => None,
        };
        match api.put_draft(&http, known.as_deref(), message, thread) {
            Ok(draft) => Ok(draft),
            // It was there and is gone: it may have been sent after all, late.
            Err(error) if error.is(ProblemKind::NotFound) && known.is_some() => {
                Err(match self.settled(api, &known.unwrap_or_default(), item.message_id()) {
                    Found::Sent(receipt) => Outcome::Sent(receipt),
                    _ => Outcome::Unknown("the draft that was to be sent is gone from Gmail".to_owned()),
                })
            }
            // Gmail has forgotten the thread, or never had it.
            Err(error) if error.is(ProblemKind::NotFound) && thread.is_some() => {
                api.put_draft(&http, None, message, None).map_err(|error| told(&error))
            }
            Err(error) => Err(told(&error)),
        }
    }

    /// A draft that an earlier attempt made without hearing what it is called. The copy for the person stays what it is.
    fn left_behind(
        &self,
        api: &mut GmailApi,
        http: &HttpClient,
        message_id: &str,
    ) -> Result<Option<String>, ApiError> {
        let connections = &self.means.connections;
        let copy = connections
            .reader()
            .and_then(|reader| reader.copy(MailboxRole::Drafts, message_id))
            .ok()
            .flatten();
        let own = match copy.and_then(|copy| copy.remote_id) {
            Some(RemoteCopyId::Name(name)) => name.split(' ').next().map(str::to_owned),
            _ => None,
        };
        Ok(api.drafts_with(http, message_id)?.into_iter().find(|draft| Some(draft) != own.as_ref()))
    }

    fn judged(
        &self,
        sent: Result<String, ApiError>,
        api: &mut GmailApi,
        draft: &str,
        message_id: &str,
    ) -> Outcome {
        match sent {
            Ok(id) => Outcome::Sent(receipt(&id)),
            // Without a token nothing was asked for, or it was turned away.
            Err(error @ ApiError::Account(_)) => told(&error),
            Err(error) if error.is(ProblemKind::Refused) || error.is(ProblemKind::Token) => {
                let http =
                    HttpClient::new(self.means.limits(OutboxSettings::seconds(self.means.settings.command)));
                let _ = api.delete_draft(&http, draft);
                told(&error)
            }
            // Everything else says nothing about whether it was sent, a 404 and a 429 included.
            Err(error) => match self.settled(api, draft, message_id) {
                Found::Sent(receipt) => Outcome::Sent(receipt),
                Found::NotSent => Outcome::Later(Trouble::new("NETWORK_ERROR", error.to_string())),
                Found::Unknown => Outcome::Unknown(error.to_string()),
            },
        }
    }

    /// What became of a draft. Gmail's search lags behind, so it is asked for a while.
    fn settled(&self, api: &mut GmailApi, draft: &str, message_id: &str) -> Found {
        let until = Instant::now() + Duration::from_secs(u64::from(self.means.settings.settle));
        let http = HttpClient::new(self.means.limits(OutboxSettings::seconds(self.means.settings.connect)));
        loop {
            match api.has_draft(&http, draft) {
                Ok(true) => return Found::NotSent,
                Ok(false) => {
                    if let Ok(Some(id)) = api.sent_with(&http, message_id) {
                        return Found::Sent(receipt(&id));
                    }
                }
                Err(_) => {}
            }
            if Instant::now() >= until || self.means.stop.load(Ordering::Relaxed) {
                return Found::Unknown;
            }
            thread::sleep(ASK_EVERY.min(until.saturating_duration_since(Instant::now())));
        }
    }
}

fn receipt(id: &str) -> Receipt {
    Receipt { reply: format!("Gmail has it as {id}"), ..Receipt::default() }
}

/// Nothing has left: whether it may be tried again.
fn told(error: &ApiError) -> Outcome {
    let reason = error.to_string();
    match error {
        ApiError::Wire(WireError::Stopped) => Outcome::Halted(Halt::Stopped),
        ApiError::Account(error) if error.is_stopped() => Outcome::Halted(Halt::Stopped),
        ApiError::Account(error) if !error.can_retry() => Outcome::Failed(not_signed_in(error)),
        ApiError::Refused(problem) => match problem.kind {
            ProblemKind::Token => Outcome::Failed(Trouble::new("AUTH_FAILED", reason)),
            ProblemKind::Rate => Outcome::Later(Trouble::new("RATE_LIMIT_EXCEEDED", reason)),
            ProblemKind::Temporary => Outcome::Later(Trouble::new("SMTP_ERROR", reason)),
            ProblemKind::NotFound | ProblemKind::Refused => {
                Outcome::Failed(Trouble::new("SMTP_ERROR", reason))
            }
        },
        _ => Outcome::Later(Trouble::new("NETWORK_ERROR", reason)),
    }
}
