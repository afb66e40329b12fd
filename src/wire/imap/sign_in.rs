//! Signing in: by password, or by a token.

use crate::wire::imap::Client;
use crate::wire::imap::response::{Code, Response, Status};
use crate::wire::{Credential, WireError};

impl Client {
    /// Signs in with the best way the server offers.
    pub fn sign_in(&mut self, user: &str, credential: &Credential) -> Result<(), WireError> {
        let outcome = match credential {
            Credential::Password(password) if !self.can("AUTH=PLAIN") => self.login(user, password.reveal()),
            _ => {
                let (mechanism, reply) = credential.sasl(user);
                self.authenticate(mechanism, reply.reveal())
            }
        };
        let (status, code, said) = outcome?;
        if status == Status::Ok {
            return self.learn_capabilities(&code);
        }
        let said = self.words(&said);
        if matches!(code.name.as_str(), "UNAVAILABLE" | "LIMIT" | "INUSE") {
            let what = "the sign-in for now".to_owned();
            return Err(WireError::Refused {
                server: self.server().to_owned(),
                what,
                detail: said,
                temporary: true,
            });
        }
        if matches!(code.name.as_str(), "CONTACTADMIN" | "AUTHORIZATIONFAILED" | "WEBALERT") {
            let (server, user) = (self.server().to_owned(), user.to_owned());
            return Err(WireError::Locked { server, user, detail: said });
        }
        let by_token = credential.is_token();
        let unsaid =
            if by_token { "the server refused the token" } else { "the server refused the password" };
        let detail = if said.is_empty() { unsaid.to_owned() } else { said };
        Err(WireError::SignIn { server: self.server().to_owned(), user: user.to_owned(), detail, by_token })
    }

    /// What a server can do may change with who asks.
    fn learn_capabilities(&mut self, code: &Code) -> Result<(), WireError> {
        if code.name != "CAPABILITY" {
            self.run("CAPABILITY", |_| {})?;
        }
        Ok(())
    }

    fn login(&mut self, user: &str, password: &str) -> Result<(Status, Code, String), WireError> {
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        if [user, password].iter().any(|text| !text.is_ascii() || text.contains(['\r', '\n', '\0'])) {
            let detail = "this server takes plain ASCII passwords only".to_owned();
            return Err(WireError::SignIn {
                server: self.server().to_owned(),
                user: user.to_owned(),
                detail,
                by_token: false,
            });
        }
        let tag = self.send(&format!("LOGIN {} {}", quoted(user), quoted(password)))?;
        self.until_done(tag, "")
    }

    fn authenticate(&mut self, mechanism: &str, reply: &str) -> Result<(Status, Code, String), WireError> {
        if self.can("SASL-IR") {
            let tag = self.send(&format!("AUTHENTICATE {mechanism} {reply}"))?;
            return self.until_done(tag, "");
        }
        let tag = self.send(&format!("AUTHENTICATE {mechanism}"))?;
        self.until_done(tag, reply)
    }

    /// Answers the first question with `reply`, and any further one with an empty line: with XOAUTH2 it holds the
    /// reason of a refusal, and the end comes only after it was answered.
    fn until_done(&mut self, tag: u32, reply: &str) -> Result<(Status, Code, String), WireError> {
        let mut reply = reply;
        loop {
            match self.read()? {
                Response::Done(done, status, code, text) if done == tag => return Ok((status, code, text)),
                Response::Continue(_) => {
                    self.send_line(reply)?;
                    reply = "";
                }
                _ => {}
            }
        }
    }
}
