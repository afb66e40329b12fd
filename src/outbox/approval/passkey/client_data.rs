//! What a browser says about what it had signed (WebAuthn 3, 5.8.1). Pure.

use serde::Deserialize;

use super::base64url::Base64Url;
use super::flaw::PasskeyFlaw;

/// Browsers write some 200 bytes.
const LONGEST: usize = 4_096;

/// What was to be done with the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ceremony {
    /// Making it.
    Create,
    /// Signing with it.
    Get,
}

#[derive(Deserialize)]
struct ClientData {
    r#type: String,
    challenge: Base64Url,
    origin: String,
    #[serde(rename = "crossOrigin")]
    cross_origin: Option<bool>,
    #[serde(rename = "topOrigin")]
    top_origin: Option<serde_json::Value>,
}

/// Asks whether it is for this, over this, and from this page, scheme, host and port.
pub(super) fn check(
    bytes: &[u8],
    ceremony: Ceremony,
    challenge: &[u8],
    origin: &str,
) -> Result<(), PasskeyFlaw> {
    let malformed = PasskeyFlaw::Malformed("client data");
    if bytes.len() > LONGEST {
        return Err(malformed);
    }
    let data: ClientData = serde_json::from_slice(bytes).map_err(|_| malformed)?;
    let wanted = match ceremony {
        Ceremony::Create => "webauthn.create",
        Ceremony::Get => "webauthn.get",
    };
    if data.r#type != wanted {
        return Err(PasskeyFlaw::OtherType);
    }
    if data.challenge.0 != challenge {
        return Err(PasskeyFlaw::OtherChallenge);
    }
    if data.origin != origin {
        return Err(PasskeyFlaw::OtherOrigin);
    }
    if data.cross_origin == Some(true) || data.top_origin.is_some() {
        return Err(PasskeyFlaw::Framed);
    }
    Ok(())
}

/// Whether pages of ours can be there: keys of `localhost` work at no other place.
#[must_use]
pub(super) fn is_ours(origin: &str) -> bool {
    let port = origin.strip_prefix("http://localhost").map(|rest| rest.strip_prefix(':').unwrap_or(rest));
    let Some(port) = port else { return false };
    origin == "http://localhost"
        || port
            .parse::<u16>()
            .is_ok_and(|number| number > 0 && format!("http://localhost:{number}") == origin)
}
