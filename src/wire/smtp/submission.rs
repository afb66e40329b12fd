//! One message, step by step. Each step takes the one before it, so that none can be left out or repeated.

use std::time::{Duration, Instant};

use crate::model::{FitMessage, Unfit};
use crate::text_safety::one_line;
use crate::wire::WireError;
use crate::wire::smtp::{Reply, SmtpClient};

/// Who a message is from and for, and what a server is told beside it.
#[derive(Debug, Clone, Copy)]
pub struct Envelope<'a> {
    /// Where failures are reported to.
    pub sender: &'a str,
    /// Everybody who gets it. Domains are in their ASCII form.
    pub recipients: &'a [String],
    /// Comes back in reports about this message, where the server can do that.
    pub id: &'a str,
    /// Whether it may go to some recipients when others are refused.
    pub may_be_partial: bool,
}

/// A recipient that the server does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRecipient {
    /// Who.
    pub address: String,
    /// What the server said.
    pub reply: Reply,
}

/// Why nothing has left. The final dot was not sent: trying again sends no second copy.
#[derive(Debug, thiserror::Error)]
pub enum NotSent {
    /// The connection.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The server refused a step.
    #[error("`{server}` refused {what}: {} {}", reply.code, reply.text())]
    Refused {
        /// Host and port.
        server: String,
        /// Which.
        what: &'static str,
        /// What it said.
        reply: Reply,
    },
    /// The server refused recipients, so nobody gets it.
    #[error("`{server}` refused {}", refused_list(refused))]
    Recipients {
        /// Host and port.
        server: String,
        /// Whom.
        refused: Vec<RefusedRecipient>,
    },
    /// It is longer than the server takes.
    #[error("the message has {size} bytes, and `{server}` takes {limit}")]
    TooLarge {
        /// Host and port.
        server: String,
        /// How long it is.
        size: usize,
        /// How long it may be.
        limit: usize,
    },
    /// An address needs SMTPUTF8, which the server does not have.
    #[error("`{server}` cannot take the address `{}`", one_line(address))]
    NeedsUtf8 {
        /// Host and port.
        server: String,
        /// Which.
        address: String,
    },
    /// An address that would not stay one.
    #[error("`{}` cannot be an address", one_line(.0))]
    BadAddress(String),
    /// The bytes are no message on the wire.
    #[error("the message cannot be sent as it is: {0}")]
    Unfit(Unfit),
}

impl NotSent {
    /// Whether trying again, as it is, may help: transport errors and what the server calls temporary.
    #[must_use]
    pub fn can_retry(&self) -> bool {
        match self {
            Self::Wire(error) => error.can_retry(),
            Self::Refused { reply, .. } => reply.is_temporary(),
            Self::Recipients { refused, .. } => refused.iter().all(|one| one.reply.is_temporary()),
            Self::TooLarge { .. } | Self::NeedsUtf8 { .. } | Self::BadAddress(_) | Self::Unfit(_) => false,
        }
    }
}

fn refused_list(refused: &[RefusedRecipient]) -> String {
    let one = |one: &RefusedRecipient| {
        format!("`{}`: {} {}", one_line(&one.address), one.reply.code, one.reply.text())
    };
    refused.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// What became of a message after its final dot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The server has it.
    Accepted(Reply),
    /// The server has it not, and may take it later.
    Deferred(Reply),
    /// The server has it not, and does not want it.
    Rejected(Reply),
    /// Nobody can say: the dot was sent and no clear answer came. Never to be tried again by itself.
    Unknown(String),
}

/// The server knows sender and recipients and takes them.
pub struct Ready<'c> {
    client: &'c mut SmtpClient,
    /// Whom it does not take, where some may be left out.
    pub refused: Vec<RefusedRecipient>,
}

/// The server waits for the message.
pub struct DataOpen<'c>(&'c mut SmtpClient);

/// The server has every byte but the final dot: until that comes it has no message.
pub struct BodySent<'c>(&'c mut SmtpClient);

impl SmtpClient {
    /// Names sender and recipients. What is refused here leaves the connection fit for another message.
    pub fn open(&mut self, envelope: &Envelope<'_>, size: usize) -> Result<Ready<'_>, NotSent> {
        self.refuse_unfit(envelope, size)?;
        let utf8 = envelope.recipients.iter().any(|address| !address.is_ascii());
        let mut mail = format!("MAIL FROM:<{}>", envelope.sender);
        if self.extension("SIZE").is_some() {
            mail.push_str(&format!(" SIZE={size}"));
        }
        if utf8 {
            mail.push_str(" SMTPUTF8");
        }
        if self.extension("DSN").is_some() {
            mail.push_str(&format!(" RET=HDRS ENVID={}", xtext(envelope.id)));
        }
        self.demand(&mail, "the sender")?;
        let refused = self.name_recipients(envelope.recipients)?;
        let all_or_nothing = !refused.is_empty() && !envelope.may_be_partial;
        if all_or_nothing || refused.len() == envelope.recipients.len() {
            // That some are refused is known, whatever becomes of the connection.
            if self.demand("RSET", "to begin anew").is_err() {
                self.spoil();
            }
            return Err(NotSent::Recipients { server: self.server().to_owned(), refused });
        }
        Ok(Ready { client: self, refused })
    }

    fn refuse_unfit(&self, envelope: &Envelope<'_>, size: usize) -> Result<(), NotSent> {
        let addresses = || envelope.recipients.iter().map(String::as_str).chain([envelope.sender]);
        if let Some(bad) = addresses().find(|address| !is_plain_path(address)) {
            return Err(NotSent::BadAddress(bad.to_owned()));
        }
        if let Some(address) = addresses().find(|address| !address.is_ascii())
            && self.extension("SMTPUTF8").is_none()
        {
            return Err(NotSent::NeedsUtf8 { server: self.server().to_owned(), address: address.to_owned() });
        }
        match self.extension("SIZE").and_then(|limit| limit.trim().parse::<usize>().ok()) {
            Some(limit) if limit > 0 && size > limit => {
                Err(NotSent::TooLarge { server: self.server().to_owned(), size, limit })
            }
            _ => Ok(()),
        }
    }

    /// Names all recipients, also behind a refused one: the person is told of each.
    fn name_recipients(&mut self, recipients: &[String]) -> Result<Vec<RefusedRecipient>, NotSent> {
        let with_reports = self.extension("DSN").is_some();
        let mut refused = Vec::new();
        for address in recipients {
            let reports = match with_reports && address.is_ascii() {
                true => format!(" NOTIFY=FAILURE,DELAY ORCPT=rfc822;{}", xtext(address)),
                false => String::new(),
            };
            let reply = self.ask(&format!("RCPT TO:<{address}>{reports}"))?;
            if !reply.is_good() {
                refused.push(RefusedRecipient { address: address.clone(), reply });
            }
        }
        Ok(refused)
    }

    /// Says something that must be answered with success.
    fn demand(&mut self, command: &str, what: &'static str) -> Result<(), NotSent> {
        let reply = self.ask(command)?;
        if reply.is_good() {
            return Ok(());
        }
        Err(NotSent::Refused { server: self.server().to_owned(), what, reply })
    }

    /// Says something and hears the answer. A server that says goodbye has answered nothing.
    fn ask(&mut self, command: &str) -> Result<Reply, NotSent> {
        let reply = self.run(command)?;
        if reply.is_goodbye() {
            self.spoil();
            return Err(self.hung_up(&reply).into());
        }
        Ok(reply)
    }
}

impl<'c> Ready<'c> {
    /// Asks to send the message itself.
    pub fn data(self) -> Result<DataOpen<'c>, NotSent> {
        let reply = self.client.ask("DATA")?;
        if reply.code != 354 {
            return Err(NotSent::Refused {
                server: self.client.server().to_owned(),
                what: "the message",
                reply,
            });
        }
        // From here on a connection that is left in the middle is good for nothing else.
        self.client.spoil();
        Ok(DataOpen(self.client))
    }
}

impl<'c> DataOpen<'c> {
    /// Sends all of it but the final dot, down to the last byte.
    /// The server may take nothing for at most so long; being asked to stop ends it at once.
    pub fn body(self, message: &FitMessage<'_>, patience: Duration) -> Result<BodySent<'c>, NotSent> {
        self.0.write_slowly(&message.stuffed(), patience)?;
        Ok(BodySent(self.0))
    }
}

impl BodySent<'_> {
    /// Refuses to go on with a server that has hung up, or speaks before it was asked: it has no message.
    pub fn check_open(&mut self) -> Result<(), NotSent> {
        if self.0.is_silent() { Ok(()) } else { Err(self.0.gone().into()) }
    }

    /// Sends the dot and waits for the answer: up to `patience`, and once we are asked to stop up to `grace`.
    #[must_use]
    pub fn dot(self, patience: Duration, grace: Duration) -> Outcome {
        let Self(client) = self;
        if let Err(error) = client.write(b".\r\n") {
            return Outcome::Unknown(error.to_string());
        }
        match wait(client, patience, grace) {
            Err(error) => Outcome::Unknown(error.to_string()),
            Ok(reply) if reply.is_goodbye() => Outcome::Unknown(client.hung_up(&reply).to_string()),
            Ok(reply) => {
                let outcome = verdict(reply);
                if !matches!(outcome, Outcome::Unknown(_)) {
                    client.mend();
                }
                outcome
            }
        }
    }
}

fn verdict(reply: Reply) -> Outcome {
    match reply {
        reply if reply.is_good() => Outcome::Accepted(reply),
        reply if reply.is_temporary() => Outcome::Deferred(reply),
        reply if reply.is_permanent() => Outcome::Rejected(reply),
        reply => Outcome::Unknown(format!("the server answered {} {}", reply.code, reply.text())),
    }
}

/// Waits for a reply. Being asked to stop does not end the wait at once: what the server says now is the difference
/// between knowing and not knowing.
fn wait(client: &mut SmtpClient, patience: Duration, grace: Duration) -> Result<Reply, WireError> {
    let begun = Instant::now();
    let mut stopped: Option<Instant> = None;
    loop {
        let left = patience.saturating_sub(begun.elapsed());
        match client.reply_within(left) {
            Err(WireError::Stopped) => {
                let since = *stopped.get_or_insert_with(Instant::now);
                if since.elapsed() >= grace || left.is_zero() {
                    return Err(WireError::Stopped);
                }
            }
            other => return other,
        }
    }
}

/// Whether an address stays one between angle brackets: a local part and a domain, and nothing that ends or quotes.
fn is_plain_path(address: &str) -> bool {
    let stays = |c: char| {
        !c.is_control() && !c.is_whitespace() && !matches!(c, '<' | '>' | '"' | '\\' | '(' | ')' | ',')
    };
    let (local, domain) = address.rsplit_once('@').unwrap_or_default();
    !local.is_empty()
        && !domain.is_empty()
        && domain.is_ascii()
        && address.len() <= 320
        && address.chars().all(stays)
}

/// Text for a parameter (RFC 3461, 4).
fn xtext(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'+' && byte != b'=';
    let one = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("+{byte:02X}") };
    text.bytes().map(one).collect()
}
