//! Signing in: by password, or by a token.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::secret::Secret;
use crate::wire::WireError;
use crate::wire::imap::Client;
use crate::wire::imap::response::{Code, Response, Status};

/// What proves who we are.
#[derive(Debug, Clone)]
pub enum Credential {
    /// A password.
    Password(Secret<String>),
    /// An access token.
    Token(Secret<String>),
}

impl Client {
    /// Signs in with the best way the server offers.
    pub fn sign_in(&mut self, user: &str, credential: &Credential) -> Result<(), WireError> {
        let outcome = match credential {
            Credential::Token(token) => {
                let reply = format!("user={user}\x01auth=Bearer {}\x01\x01", token.reveal());
                self.authenticate("XOAUTH2", &STANDARD.encode(reply.as_bytes()))
            }
            Credential::Password(password) if self.can("AUTH=PLAIN") => {
                let reply = format!("\0{user}\0{}", password.reveal());
                self.authenticate("PLAIN", &STANDARD.encode(reply.as_bytes()))
            }
            Credential::Password(password) => self.login(user, password.reveal()),
        };
        let (Credential::Password(secret) | Credential::Token(secret)) = credential;
        let (status, code, text) = outcome?;
        if status == Status::Ok {
            return self.learn_capabilities(&code);
        }
        // What a server says is shown and kept; it must not be able to give the secret away.
        let said = text.replace(secret.reveal().as_str(), "...");
        if matches!(code.name.as_str(), "UNAVAILABLE" | "LIMIT" | "INUSE") {
            let what = "the sign-in for now".to_owned();
            return Err(WireError::Refused {
                server: self.server().to_owned(),
                what,
                detail: said,
                temporary: true,
            });
        }
        let detail = if said.is_empty() { "the server refused the password".to_owned() } else { said };
        Err(WireError::SignIn { server: self.server().to_owned(), user: user.to_owned(), detail })
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
