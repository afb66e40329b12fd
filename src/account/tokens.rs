//! The tokens of accounts: kept with the secrets, renewed before they end, by one process at a time. A sign-in that
//! was taken back is remembered, so that nobody asks for it again and again.

use serde::{Deserialize, Serialize};

use crate::account::oauth::{Authority, BrowserLogin, DeviceLogin, Grant, Refusal};
use crate::account::{AccountError, Secrets};
use crate::clock::Clock;
use crate::model::{IoLimits, OauthClients, SignIn};
use crate::secret::Secret;

use crate::wire::http::HttpClient;

/// A token that ends within this many seconds is renewed: it must last for the sign-in it is asked for.
const MARGIN: i64 = 60;
/// How long a token is good for when nobody says (RFC 6749 leaves it open).
const USUAL_LIFE: i64 = 3600;

/// Gives tokens that are good now.
pub struct Tokens {
    secrets: Secrets,
    clients: OauthClients,
    clock: Clock,
    http: HttpClient,
}

/// What is kept for one account.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// For the next access token; `None`: none was given, or it was taken back.
    refresh: Option<String>,
    access: String,
    /// When the access token ends, in seconds since 1970.
    expires: i64,
    /// Why the provider takes the refresh token no longer.
    #[serde(default)]
    ended: Option<String>,
}

impl Tokens {
    /// Tokens among these secrets, renewed as these clients.
    #[must_use]
    pub fn new(secrets: Secrets, clients: OauthClients, clock: Clock, limits: IoLimits) -> Self {
        Self { secrets, clients, clock, http: HttpClient::new(limits) }
    }

    /// The secrets they are kept among.
    #[must_use]
    pub const fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// A token for this account, renewed first if it is about to end.
    pub fn access(&self, address: &str, way: SignIn) -> Result<Secret<String>, AccountError> {
        let kept = self.kept(address)?;
        if self.is_fresh(&kept) {
            return Ok(Secret::new(kept.access));
        }
        self.renew(address, way, |tokens, kept| !tokens.is_fresh(kept))
    }

    /// Another token in the place of one that a server refused. Whoever renewed it in the meantime did it for us too.
    pub fn instead_of(
        &self,
        refused: &Secret<String>,
        address: &str,
        way: SignIn,
    ) -> Result<Secret<String>, AccountError> {
        self.renew(address, way, |_, kept| kept.access == *refused.reveal())
    }

    /// Whether a token is there that was not taken back; asks nobody.
    pub fn is_signed_in(&self, address: &str) -> Result<bool, AccountError> {
        match self.kept(address) {
            Ok(_) => Ok(true),
            Err(AccountError::NotSignedIn { .. } | AccountError::SignInAgain { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// A sign-in with a browser, to be waited for with [`Tokens::finish`].
    pub fn with_browser(&self, address: &str, way: SignIn) -> Result<BrowserLogin, AccountError> {
        BrowserLogin::start(Authority::of(way, &self.clients, address)?, address)
    }

    /// A sign-in with a code to type elsewhere, to be waited for with [`Tokens::finish`].
    pub fn with_device(&self, address: &str, way: SignIn) -> Result<DeviceLogin, AccountError> {
        DeviceLogin::start(Authority::of(way, &self.clients, address)?, &self.http)
    }

    /// Waits for the person to decide, and keeps what was granted.
    pub fn finish(&self, address: &str, login: &Login<'_>) -> Result<(), AccountError> {
        let grant = match login {
            Login::Browser(browser, within, pasted) => browser.wait(&self.http, *within, pasted),
            Login::Device(device) => device.wait(&self.http),
        }?;
        let before = self.kept(address).ok().and_then(|kept| kept.refresh);
        let kept = self.granted(grant, before);
        self.keep(address, &kept)
    }

    /// Renews under a lock across processes, if it is still needed then.
    fn renew(
        &self,
        address: &str,
        way: SignIn,
        is_needed: impl Fn(&Self, &Kept) -> bool,
    ) -> Result<Secret<String>, AccountError> {
        let _lock = self.secrets.lock_for(&format!("{}-tokens", way.name()), &self.http.limits().stop)?;
        let kept = self.kept(address)?;
        if !is_needed(self, &kept) {
            return Ok(Secret::new(kept.access));
        }
        let authority = Authority::of(way, &self.clients, address)?;
        let again = |reason: String| AccountError::SignInAgain {
            address: address.to_owned(),
            provider: authority.name,
            reason,
        };
        let Some(refresh) = kept.refresh.clone() else {
            return Err(again("it gave a token that cannot be renewed".to_owned()));
        };
        let fields = [("grant_type", "refresh_token"), ("refresh_token", refresh.as_str())];
        match authority.grant(&self.http, &fields) {
            Ok(grant) => {
                let kept = self.granted(grant, Some(refresh));
                self.keep(address, &kept)?;
                Ok(Secret::new(kept.access))
            }
            Err(Refusal::Said { code, reason }) if code == "invalid_grant" => {
                let ended =
                    Kept { refresh: None, access: String::new(), expires: 0, ended: Some(reason.clone()) };
                self.keep(address, &ended)?;
                Err(again(reason))
            }
            Err(refusal) => Err(AccountError::from_refusal(refusal, authority.name)),
        }
    }

    /// A grant without a refresh token leaves the one that is there: providers give it once, or now and then.
    fn granted(&self, grant: Grant, refresh: Option<String>) -> Kept {
        let new = grant.refresh.map(|token| token.reveal().clone());
        Kept {
            refresh: new.or(refresh),
            access: grant.access.reveal().clone(),
            expires: self.clock.now().as_second() + grant.lasts.unwrap_or(USUAL_LIFE),
            ended: None,
        }
    }

    fn is_fresh(&self, kept: &Kept) -> bool {
        self.clock.now().as_second() + MARGIN < kept.expires
    }

    fn kept(&self, address: &str) -> Result<Kept, AccountError> {
        let missing = || AccountError::NotSignedIn { address: address.to_owned() };
        let text = self.secrets.get(&name(address))?.ok_or_else(missing)?;
        let kept: Kept = serde_json::from_str(text.reveal()).map_err(|_| missing())?;
        match kept.ended {
            Some(reason) => Err(AccountError::SignInAgain {
                address: address.to_owned(),
                provider: "the provider",
                reason,
            }),
            None => Ok(kept),
        }
    }

    fn keep(&self, address: &str, kept: &Kept) -> Result<(), AccountError> {
        let text = serde_json::to_string(kept).expect("text and numbers are JSON");
        self.secrets.set(&name(address), &Secret::new(text))
    }

    /// Forgets an account's tokens.
    pub fn forget(&self, address: &str) -> Result<(), AccountError> {
        self.secrets.remove(&name(address))
    }
}

/// A sign-in that a person was asked for.
pub enum Login<'a> {
    /// With a browser: how long to wait, and where the address it ended on may come from.
    Browser(&'a BrowserLogin, std::time::Duration, &'a std::sync::mpsc::Receiver<String>),
    /// With a code that is typed elsewhere.
    Device(&'a DeviceLogin),
}

/// Tokens stand beside passwords, which have the address as their name.
fn name(address: &str) -> String {
    format!("oauth:{address}")
}
