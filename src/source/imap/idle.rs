//! Waiting for the server to tell of news (RFC 2177).

use std::time::Duration;

use crate::source::SourceError;
use crate::source::imap::ImapSource;
use crate::wire::WireError;
use crate::wire::imap::{Response, Status};

impl ImapSource {
    /// Asks the server to tell of news in a mailbox from now on.
    pub fn idle(&mut self, wire_name: &str) -> Result<(), SourceError> {
        self.examine(wire_name, None)?;
        self.begin_idle()
    }

    fn begin_idle(&mut self) -> Result<(), SourceError> {
        let tag = self.client.send("IDLE")?;
        loop {
            match self.client.read()? {
                Response::Continue(_) => return Ok(()),
                Response::Done(done, ..) if done == tag => {
                    return Err(self.protocol_error("it offers IDLE and refuses it"));
                }
                _ => {}
            }
        }
    }

    /// Waits for news at most this long; says whether there are any.
    pub fn wait_for_news(&mut self, time: Duration) -> Result<bool, SourceError> {
        match self.client.read_within(time) {
            Ok(Response::Exists(_) | Response::Expunge(_) | Response::Vanished(..) | Response::Fetch(_)) => {
                Ok(true)
            }
            Ok(_) => Ok(false),
            Err(WireError::Timeout { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Ends the waiting and begins it anew, because servers hang up on those who are silent for half an hour.
    pub fn renew_idle(&mut self) -> Result<(), SourceError> {
        self.client.send_line("DONE")?;
        loop {
            if let Response::Done(_, Status::Ok, ..) = self.client.read()? {
                return self.begin_idle();
            }
        }
    }
}
