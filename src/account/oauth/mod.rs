//! Signing in with the provider's own page (OAuth 2.0): a person agrees once, and we get tokens that can be taken back
//! at any time. Passwords are never seen here.

mod browser;
mod device;
mod form;
mod grant;

pub use browser::BrowserLogin;
pub use device::DeviceLogin;
pub(super) use grant::{Grant, Refusal};

use crate::account::AccountError;
use crate::model::{OauthClient, OauthClients, SignIn};
use crate::secret::Secret;

/// Who gives tokens, and who we are there.
#[derive(Debug, Clone)]
pub struct Authority {
    /// Its name.
    pub name: &'static str,
    client_id: String,
    client_secret: Option<Secret<String>>,
    auth_url: String,
    token_url: String,
    device_url: String,
    usual: &'static Usual,
}

/// What is the same for all who use a provider.
#[derive(Debug)]
struct Usual {
    auth_url: &'static str,
    token_url: &'static str,
    device_url: &'static str,
    scope: &'static str,
    /// What the page where a person agrees is told beside it.
    more: &'static [(&'static str, &'static str)],
    /// The name of this machine that the provider takes any port of.
    loopback: &'static str,
}

/// One scope serves IMAP, SMTP and the API; what a token may do is bounded here, by what this program does.
const GOOGLE: Usual = Usual {
    auth_url: "https://accounts.google.com/o/oauth2/v2/auth",
    token_url: "https://oauth2.googleapis.com/token",
    device_url: "https://oauth2.googleapis.com/device/code",
    scope: "https://mail.google.com/",
    // Without these two Google gives a token that cannot be renewed.
    more: &[("access_type", "offline"), ("prompt", "consent")],
    loopback: "127.0.0.1",
};

const MICROSOFT: Usual = Usual {
    auth_url: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    token_url: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    device_url: "https://login.microsoftonline.com/common/oauth2/v2.0/devicecode",
    scope: "https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send offline_access",
    more: &[],
    loopback: "localhost",
};

impl Authority {
    /// The provider for this way to sign in, if the owner registered us there.
    pub fn of(way: SignIn, clients: &OauthClients, address: &str) -> Result<Self, AccountError> {
        let (client, usual, name) = match way {
            SignIn::Google => (&clients.google, &GOOGLE, "Google"),
            SignIn::Microsoft => (&clients.microsoft, &MICROSOFT, "Microsoft"),
            SignIn::Password => return Err(AccountError::NoToken { address: address.to_owned() }),
        };
        let OauthClient { client_id, client_secret, auth_url, token_url, device_url } = client.clone();
        let client_id = client_id.filter(|id| !id.trim().is_empty());
        Ok(Self {
            name,
            client_id: client_id.ok_or(AccountError::NoClient { provider: name })?,
            client_secret: client_secret.map(Secret::new),
            auth_url: auth_url.unwrap_or_else(|| usual.auth_url.to_owned()),
            token_url: token_url.unwrap_or_else(|| usual.token_url.to_owned()),
            device_url: device_url.unwrap_or_else(|| usual.device_url.to_owned()),
            usual,
        })
    }
}

/// Random text that cannot be guessed, fit for URLs.
fn random_text() -> Secret<String> {
    use base64::Engine;
    use chacha20poly1305::aead::OsRng;
    use chacha20poly1305::aead::rand_core::RngCore;

    let mut bytes = [0; 32];
    OsRng.fill_bytes(&mut bytes);
    Secret::new(base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes))
}
