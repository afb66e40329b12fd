//! Changes on the server: flags, labels, moves. Each can be made again without harm.

use crate::model::Flags;
use crate::source::SourceError;
use crate::source::imap::mailboxes::quoted;
use crate::source::imap::{ImapSource, flags};
use crate::wire::WireError;
use crate::wire::imap::Response;

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// The server made it.
    Made,
    /// The message is not there.
    Gone,
    /// It cannot be made, and why.
    Refused(String),
}

impl ImapSource {
    /// Opens a mailbox for changes; gives its UIDVALIDITY.
    pub fn select(&mut self, wire_name: &str) -> Result<u32, SourceError> {
        let mut uidvalidity = 0;
        self.open = None;
        self.client.run(&format!("SELECT {}", quoted(wire_name)), |response| {
            if let Response::Status(_, code, _) = response
                && code.name == "UIDVALIDITY"
            {
                uidvalidity = code.argument.parse().unwrap_or(0);
            }
        })?;
        Ok(uidvalidity)
    }

    /// Sets or clears flags of a message in the selected mailbox.
    pub fn set_flags(&mut self, uid: u32, flags: Flags, set: bool) -> Result<Changed, SourceError> {
        let names = flags::names(flags).join(" ");
        self.store(uid, &format!("{}FLAGS ({names})", sign(set)))
    }

    /// Gives a message in the selected mailbox a label, or takes it away: a keyword, or a label of Gmail's.
    pub fn set_label(&mut self, uid: u32, label: &str, set: bool) -> Result<Changed, SourceError> {
        if self.capabilities.gmail {
            let label = flags::gmail_name(label);
            return self.store(uid, &format!("{}X-GM-LABELS ({label})", sign(set)));
        }
        if !flags::is_keyword(label) {
            let reason =
                format!("`{label}` cannot be a label on this server: only plain letters and digits can");
            return Ok(Changed::Refused(reason));
        }
        self.store(uid, &format!("{}FLAGS ({label})", sign(set)))
    }

    fn store(&mut self, uid: u32, change: &str) -> Result<Changed, SourceError> {
        let mut is_there = false;
        let outcome = self.client.run(&format!("UID STORE {uid} {change}"), |response| {
            is_there |= matches!(response, Response::Fetch(_));
        });
        match outcome {
            Ok(_) if is_there || self.is_there(uid)? => Ok(Changed::Made),
            Ok(_) => Ok(Changed::Gone),
            Err(WireError::Refused { detail, temporary: false, .. }) => Ok(Changed::Refused(detail)),
            Err(error) => Err(error.into()),
        }
    }

    /// Moves a message of the selected mailbox to another one. One that is not there has been moved before.
    pub fn move_to(&mut self, uid: u32, target: &str) -> Result<Changed, SourceError> {
        let target = quoted(target);
        let commands = match self.client.can("MOVE") {
            true => vec![format!("UID MOVE {uid} {target}")],
            false if self.client.can("UIDPLUS") => vec![
                format!("UID COPY {uid} {target}"),
                format!("UID STORE {uid} +FLAGS.SILENT (\\Deleted)"),
                format!("UID EXPUNGE {uid}"),
            ],
            false => return Ok(Changed::Refused("this server cannot move single messages".to_owned())),
        };
        for command in commands {
            match self.client.run(&command, |_| {}) {
                Ok(_) => {}
                Err(WireError::Refused { detail, temporary: false, .. }) => {
                    return Ok(Changed::Refused(detail));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Changed::Made)
    }

    /// Whether the selected mailbox has a message with this uid.
    pub fn is_there(&mut self, uid: u32) -> Result<bool, SourceError> {
        let mut is_there = false;
        self.client.run(&format!("UID FETCH {uid} (UID)"), |response| {
            is_there |= matches!(&response, Response::Fetch(fetched) if fetched.uid == Some(uid));
        })?;
        Ok(is_there)
    }
}

const fn sign(set: bool) -> &'static str {
    if set { "+" } else { "-" }
}
