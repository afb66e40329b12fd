//! What takes an item away: a server that takes mail, Gmail's API, a folder. A carrier gets an [`ApprovedItem`], which
//! nobody but `approval` can make, writes a line into the journal before each step, and says what became of it.

mod bcc;
mod folder;
mod gmail;
mod gmail_api;
mod grace;
mod smtp;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::account::{AccountError, Credentials, Tokens};
use crate::clock::Clock;
use crate::model::{IoLimits, OutboxSettings, Recipients, Route, SignIn};
use crate::outbox::Routes;
use crate::outbox::approval::ApprovedItem;
use crate::outbox::channels::linkedin::LinkedInCarrier;
use crate::outbox::channels::unsubscribe::OneClickCarrier;
use crate::outbox::channels::whatsapp::WhatsAppCarrier;
use crate::outbox::journal::{Halt, Journal};
use crate::store::{ConnectionPool, RefusedRecipient, StoreError};

pub(super) use grace::Grace;

/// The server has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Receipt {
    /// What it said.
    pub reply: String,
    /// Whom it does not take.
    pub refused: Vec<RefusedRecipient>,
    /// Other Message-IDs under which it knows the message.
    pub aliases: Vec<String>,
}

impl Receipt {
    /// For what was found among the sent mail.
    pub(super) fn found() -> Self {
        Self { reply: "it is in the mailbox for sent mail".to_owned(), ..Self::default() }
    }
}

/// Why nothing has left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// For programs.
    pub code: &'static str,
    /// For people.
    pub reason: String,
    /// Whom the server does not take.
    pub refused: Vec<RefusedRecipient>,
    /// Until when the server asks us to wait, in seconds since 1970.
    pub until: Option<i64>,
}

impl Trouble {
    pub(super) fn new(code: &'static str, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), refused: Vec::new(), until: None }
    }

    /// The same, where the server says when it may be tried again.
    pub(super) const fn until(mut self, epoch: i64) -> Self {
        self.until = Some(epoch);
        self
    }
}

/// What became of an item.
#[derive(Debug)]
pub enum Outcome {
    /// It has left.
    Sent(Receipt),
    /// Nothing has left, and trying again does not help.
    Failed(Trouble),
    /// Nothing has left, and it may be tried again.
    Later(Trouble),
    /// Nothing has left, because we went no further.
    Halted(Halt),
    /// Nobody can say.
    Unknown(String),
}

impl From<Halt> for Outcome {
    fn from(halt: Halt) -> Self {
        Self::Halted(halt)
    }
}

/// What is known about an attempt whose outcome is not.
#[derive(Debug, Clone)]
pub struct Lost<'a> {
    /// Short id of the item.
    pub id: String,
    /// The account it leaves from.
    pub account: &'a str,
    /// Its Message-ID without angle brackets.
    pub message_id: &'a str,
    /// What an API calls it.
    pub remote_id: Option<&'a str>,
    /// What it leaves by.
    pub route: &'a Route,
    /// The message as it was to leave.
    pub message: &'a [u8],
}

/// What a second look says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It has left.
    Sent(Receipt),
    /// It has not left, and cannot any more by itself.
    NotSent,
    /// Nobody can say.
    Unknown,
}

/// Takes items away.
pub trait Carrier {
    /// Sends an item once. Whatever fails before its final step is in the journal has sent nothing.
    fn send(&mut self, item: ApprovedItem, journal: &mut Journal<'_>) -> Outcome;

    /// Looks for what became of a message whose answer was lost.
    fn look(&mut self, _lost: &Lost<'_>) -> Found {
        Found::Unknown
    }
}

/// What carriers share.
#[derive(Clone)]
pub(super) struct Means {
    pub(super) connections: Arc<ConnectionPool>,
    pub(super) clock: Clock,
    pub(super) settings: OutboxSettings,
    pub(super) tokens: Arc<Tokens>,
    pub(super) routes: Routes,
    pub(super) stop: Arc<AtomicBool>,
    /// How long a stop waits for the answer to a message.
    pub(super) grace: Duration,
}

impl Means {
    /// What an account signs in with.
    fn credentials(&self, address: &str) -> Result<Credentials, StoreError> {
        let reader = self.connections.reader()?;
        let key = reader.account(address)?;
        let settings = key.map(|key| reader.account_settings(key)).transpose()?.flatten();
        let way = settings.map_or(SignIn::Password, |settings| settings.sign_in);
        Ok(Credentials::new(Arc::clone(&self.tokens), address, way))
    }

    fn limits(&self, silence: Duration) -> IoLimits {
        IoLimits { silence, stop: Arc::clone(&self.stop) }
    }
}

/// All ways out.
pub(super) struct Carriers {
    smtp: smtp::SmtpCarrier,
    gmail: gmail::GmailCarrier,
    folder: folder::FolderCarrier,
    whatsapp: WhatsAppCarrier,
    linkedin: LinkedInCarrier,
    one_click: OneClickCarrier,
}

impl Carriers {
    pub(super) fn new(means: &Means) -> Self {
        Self {
            smtp: smtp::SmtpCarrier::new(means.clone()),
            gmail: gmail::GmailCarrier::new(means.clone()),
            folder: folder::FolderCarrier,
            whatsapp: WhatsAppCarrier::new(means.clone()),
            linkedin: LinkedInCarrier::new(means.clone()),
            one_click: OneClickCarrier::new(means.clone()),
        }
    }

    /// The one for a route.
    pub(super) fn of(&mut self, route: &Route) -> &mut dyn Carrier {
        match route {
            Route::Smtp { .. } => &mut self.smtp,
            Route::Gmail { .. } => &mut self.gmail,
            Route::Folder(_) => &mut self.folder,
            Route::WhatsApp { .. } => &mut self.whatsapp,
            Route::LinkedIn { .. } => &mut self.linkedin,
            Route::OneClick(_) => &mut self.one_click,
        }
    }

    /// Ends connections that nobody needs for now.
    pub(super) fn rest(&mut self) {
        self.smtp.rest();
    }
}

/// Everybody who gets a message, once each.
fn envelope(recipients: &Recipients) -> Vec<String> {
    let mut once: Vec<String> = Vec::new();
    for to in recipients.all() {
        if !once.iter().any(|known| known.eq_ignore_ascii_case(&to.address)) {
            once.push(to.address.clone());
        }
    }
    once
}

/// A sign-in that cannot be made.
fn not_signed_in(error: &AccountError) -> Trouble {
    Trouble::new("AUTH_FAILED", error.to_string())
}
