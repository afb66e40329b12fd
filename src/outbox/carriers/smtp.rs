//! A server that takes mail. Several items in a row go over one connection. Nothing is repeated here: what became of an
//! item is told, and the worker decides.

use std::time::{Duration, Instant};

use crate::account::{AccountError, Credentials};
use crate::crash_point::crash_point;
use crate::model::{Endpoint, FitMessage, OutboxSettings, Route, Tls, dated};
use crate::outbox::approval::ApprovedItem;
use crate::outbox::carriers::{Carrier, Means, Outcome, Receipt, Trouble, envelope, not_signed_in};
use crate::outbox::journal::{Halt, Journal};
use crate::store::RefusedRecipient;
use crate::wire::smtp::{self, Envelope, NotSent, Reply, SmtpClient};
use crate::wire::{Credential, WireError, is_loopback};

/// A connection that nobody used for so long is ended.
const IDLE: Duration = Duration::from_secs(20);

/// Sends by SMTP.
pub(super) struct SmtpCarrier {
    means: Means,
    open: Option<Connection>,
    /// What a server did not let in. It is not shown the same again: that locks accounts.
    refused: Option<RefusedSignIn>,
}

/// A sign-in that a server did not take.
struct RefusedSignIn {
    account: Account,
    credential: Credential,
    trouble: Trouble,
}

/// Who signs in where.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Account {
    endpoint: Endpoint,
    user: String,
    address: String,
}

struct Connection {
    client: SmtpClient,
    account: Account,
    used: Instant,
}

impl Carrier for SmtpCarrier {
    fn send(&mut self, item: ApprovedItem, journal: &mut Journal<'_>) -> Outcome {
        let Route::Smtp { endpoint, user } = item.route() else {
            return Outcome::Failed(Trouble::new("INTERNAL_ERROR", "this is no mail server"));
        };
        let account =
            Account { endpoint: endpoint.clone(), user: user.clone(), address: item.account().to_owned() };
        self.carry(&account, &item, journal).unwrap_or_else(|outcome| outcome)
    }
}

impl SmtpCarrier {
    pub(super) const fn new(means: Means) -> Self {
        Self { means, open: None, refused: None }
    }

    /// Ends a connection that was not used for a while.
    pub(super) fn rest(&mut self) {
        if self.open.as_ref().is_some_and(|open| open.used.elapsed() > IDLE) {
            self.leave();
        }
    }

    fn leave(&mut self) {
        if let Some(open) = self.open.take() {
            open.client.leave();
        }
    }

    fn carry(
        &mut self,
        account: &Account,
        item: &ApprovedItem,
        journal: &mut Journal<'_>,
    ) -> Result<Outcome, Outcome> {
        journal.go_on()?;
        let now = self.means.clock.now().as_second();
        let size =
            FitMessage::new(&dated(item.bytes(), now)).map_err(|unfit| told(&NotSent::Unfit(unfit)))?.len();
        let mut connection = self.connection(account, journal)?;
        let offer = Offer { item, size, settings: &self.means.settings, grace: self.means.grace };
        let outcome = offer.make(&mut connection.client, journal);
        // Only what is certainly between two messages is used again, and who refused something is asked anew.
        match &outcome {
            Ok(Outcome::Sent(_)) if connection.client.is_usable() => {
                connection.used = Instant::now();
                self.open = Some(connection);
            }
            _ => connection.client.leave(),
        }
        outcome
    }

    /// The connection that is open, or a new one.
    fn connection(&mut self, account: &Account, journal: &mut Journal<'_>) -> Result<Connection, Outcome> {
        if let Some(mut open) = self.open.take() {
            if open.account == *account && open.client.is_usable() {
                return Ok(open);
            }
            open.client.leave();
        }
        let credential = self.credential(account)?;
        match self.connect(account, credential.as_ref(), journal) {
            Err(Refusal::Token(token)) => {
                let other = self.credentials(account)?.instead_of(&token);
                let other = other.map_err(|error| Outcome::Failed(not_signed_in(&error)))?;
                self.connect(account, other.as_ref(), journal).map_err(|refusal| refusal.into_outcome())
            }
            other => other.map_err(Refusal::into_outcome),
        }
    }

    fn connect(
        &mut self,
        account: &Account,
        credential: Option<&Credential>,
        journal: &mut Journal<'_>,
    ) -> Result<Connection, Refusal> {
        journal.go_on()?;
        let limits = self.means.limits(OutboxSettings::seconds(self.means.settings.connect));
        let commands = OutboxSettings::seconds(self.means.settings.command);
        let mut client = SmtpClient::connect_within(&account.endpoint, limits, commands)?;
        crash_point("the server has greeted");
        let needs_sign_in = client.offers_sign_in() || client.is_basic() && credential.is_some();
        if needs_sign_in && !account.user.is_empty() {
            journal.go_on()?;
            self.sign_in(&mut client, account, credential)?;
        }
        Ok(Connection { client, account: account.clone(), used: Instant::now() })
    }

    fn sign_in(
        &mut self,
        client: &mut SmtpClient,
        account: &Account,
        credential: Option<&Credential>,
    ) -> Result<(), Refusal> {
        let missing = || Trouble::new("AUTH_FAILED", format!("there is no password for `{}`", account.user));
        let credential = credential.ok_or_else(|| Outcome::Failed(missing()))?;
        if account.endpoint.tls == Tls::None && !is_loopback(&account.endpoint.host) {
            let reason = format!("`{}` would get the password unprotected", account.endpoint);
            return Err(Outcome::Failed(Trouble::new("AUTH_FAILED", reason)).into());
        }
        match client.sign_in(&account.user, credential) {
            Ok(_) => Ok(()),
            Err(error) if error.is_sign_in() && credential.is_token() => {
                Err(Refusal::Token(credential.clone()))
            }
            Err(error) if error.is_sign_in() => {
                let trouble = trouble(&NotSent::Wire(error));
                let (account, credential) = (account.clone(), credential.clone());
                self.refused = Some(RefusedSignIn { account, credential, trouble: trouble.clone() });
                Err(Outcome::Failed(trouble).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What to sign in with. A server that the environment names gets what stands beside it there, and nothing else.
    fn credential(&self, account: &Account) -> Result<Option<Credential>, Outcome> {
        let named = self.means.routes.environment.as_ref().filter(|server| {
            server.endpoint == account.endpoint && server.user.eq_ignore_ascii_case(&account.address)
        });
        let credential = match named {
            Some(server) => server.password.clone().map(Credential::Password),
            None => match self.credentials(account)?.get() {
                Ok(credential) => Some(credential),
                Err(AccountError::NotSignedIn { .. }) => None,
                Err(error) if error.can_retry() => {
                    return Err(Outcome::Later(Trouble::new("NETWORK_ERROR", error.to_string())));
                }
                Err(error) => return Err(Outcome::Failed(not_signed_in(&error))),
            },
        };
        let is_same = |refused: &&RefusedSignIn| {
            refused.account == *account && credential.as_ref() == Some(&refused.credential)
        };
        match self.refused.as_ref().filter(is_same) {
            Some(refused) => Err(Outcome::Failed(refused.trouble.clone())),
            None => Ok(credential),
        }
    }

    fn credentials(&self, account: &Account) -> Result<Credentials, Outcome> {
        self.means.credentials(&account.address).map_err(|error| Halt::from(error).into())
    }
}

/// Why there is no connection.
enum Refusal {
    /// A token that may just have ended.
    Token(Credential),
    /// Anything else.
    Other(Outcome),
}

impl Refusal {
    fn into_outcome(self) -> Outcome {
        match self {
            Self::Token(_) => {
                Outcome::Failed(Trouble::new("AUTH_FAILED", "the server refused a token that is fresh"))
            }
            Self::Other(outcome) => outcome,
        }
    }
}

impl From<Outcome> for Refusal {
    fn from(outcome: Outcome) -> Self {
        Self::Other(outcome)
    }
}

impl From<Halt> for Refusal {
    fn from(halt: Halt) -> Self {
        Self::Other(halt.into())
    }
}

impl From<WireError> for Refusal {
    fn from(error: WireError) -> Self {
        Self::Other(told(&NotSent::Wire(error)))
    }
}

/// One message that is offered to a server.
struct Offer<'a> {
    item: &'a ApprovedItem,
    /// How long it is with its date.
    size: usize,
    settings: &'a OutboxSettings,
    /// How long a stop waits for the answer to it.
    grace: Duration,
}

impl Offer<'_> {
    fn make(&self, client: &mut SmtpClient, journal: &mut Journal<'_>) -> Result<Outcome, Outcome> {
        journal.go_on()?;
        let (recipients, id) = (envelope(self.item.recipients()), self.item.id().to_string());
        let named = Envelope {
            sender: self.item.sender(),
            recipients: &recipients,
            id: &id,
            may_be_partial: self.item.may_be_partial(),
        };
        let ready = client.open(&named, self.size).map_err(|error| told(&error))?;
        crash_point("the recipients are named");
        let refused = kept(&ready.refused);
        journal.go_on()?;
        let open = ready.data().map_err(|error| told(&error))?;
        let message = dated(self.item.bytes(), journal.data()?);
        let message = FitMessage::new(&message).map_err(|unfit| told(&NotSent::Unfit(unfit)))?;
        let patience = OutboxSettings::seconds(self.settings.data);
        let mut body = open.body(&message, patience).map_err(|error| told(&error))?;
        crash_point("all but the dot is out");
        body.check_open().map_err(|error| told(&error))?;
        journal.dot()?;
        let outcome = body.dot(OutboxSettings::seconds(self.settings.reply), self.grace);
        crash_point("the server has answered");
        Ok(judged(outcome, refused, self.item.message_id()))
    }
}

fn judged(outcome: smtp::Outcome, refused: Vec<RefusedRecipient>, message_id: &str) -> Outcome {
    match outcome {
        smtp::Outcome::Accepted(reply) => {
            let aliases = reply.message_id().into_iter().filter(|id| id != message_id).collect();
            Outcome::Sent(Receipt { reply: words(&reply), refused, aliases })
        }
        smtp::Outcome::Deferred(reply) => Outcome::Later(Trouble::new("SMTP_ERROR", words(&reply))),
        smtp::Outcome::Rejected(reply) => Outcome::Failed(Trouble::new("SMTP_ERROR", words(&reply))),
        smtp::Outcome::Unknown(detail) => Outcome::Unknown(detail),
    }
}

fn words(reply: &Reply) -> String {
    format!("{} {}", reply.code, reply.text())
}

fn kept(refused: &[smtp::RefusedRecipient]) -> Vec<RefusedRecipient> {
    let one = |one: &smtp::RefusedRecipient| RefusedRecipient {
        address: one.address.clone(),
        reply: words(&one.reply),
    };
    refused.iter().map(one).collect()
}

/// Nothing has left: whether it may be tried again.
fn told(error: &NotSent) -> Outcome {
    match error {
        NotSent::Wire(WireError::Stopped) => Outcome::Halted(Halt::Stopped),
        // Somebody in between, or a certificate that has ended: another network, or another day.
        NotSent::Wire(WireError::Certificate { .. } | WireError::Tls { .. }) => {
            Outcome::Later(trouble(error))
        }
        _ if error.can_retry() => Outcome::Later(trouble(error)),
        _ => Outcome::Failed(trouble(error)),
    }
}

fn trouble(error: &NotSent) -> Trouble {
    let refused = match error {
        NotSent::Recipients { refused, .. } => kept(refused),
        _ => Vec::new(),
    };
    Trouble { refused, ..Trouble::new(code(error), error.to_string()) }
}

const fn code(error: &NotSent) -> &'static str {
    match error {
        NotSent::Wire(WireError::SignIn { .. } | WireError::Locked { .. }) => "AUTH_FAILED",
        NotSent::Refused { reply: Reply { code: 530 | 534 | 535 | 538, .. }, .. } => "AUTH_FAILED",
        NotSent::Wire(WireError::Refused { .. }) | NotSent::Refused { .. } | NotSent::Recipients { .. } => {
            "SMTP_ERROR"
        }
        NotSent::Wire(_) => "NETWORK_ERROR",
        NotSent::TooLarge { .. } | NotSent::NeedsUtf8 { .. } | NotSent::BadAddress(_) | NotSent::Unfit(_) => {
            "INVALID_REQUEST"
        }
    }
}
