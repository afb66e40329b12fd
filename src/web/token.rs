//! Shows that a form is of a page that this browser was shown: bound to its session, to one item and to the revision that
//! stood there. Nothing is kept for it; whoever has not the cookie cannot make one.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;

/// A session's key for its forms.
pub(super) struct FormKey(hmac::Key);

impl FormKey {
    /// The key of the browser with this cookie.
    pub(super) fn of(cookie: &str) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, cookie.as_bytes()))
    }

    /// The token for what is said about an item at a revision; for the whole outbox both are empty.
    pub(super) fn token(&self, item: &str, hash: &str) -> String {
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.0, message(item, hash).as_bytes()))
    }

    /// Whether a token is that one.
    pub(super) fn is_good(&self, token: &str, item: &str, hash: &str) -> bool {
        let Ok(given) = URL_SAFE_NO_PAD.decode(token) else { return false };
        hmac::verify(&self.0, message(item, hash).as_bytes(), &given).is_ok()
    }
}

/// Lengths stand before the words, so that no two pairs make the same text.
fn message(item: &str, hash: &str) -> String {
    format!("mailkeep page form v1 {} {item} {} {hash}", item.len(), hash.len())
}

#[cfg(test)]
mod tests {
    use super::FormKey;

    #[test]
    fn a_token_is_good_for_its_browser_its_item_and_its_revision_only() {
        let key = FormKey::of("cookie");
        let token = key.token("d1", "aa");

        assert!(key.is_good(&token, "d1", "aa"));
        assert!(!key.is_good(&token, "d2", "aa") && !key.is_good(&token, "d1", "ab"));
        assert!(
            !key.is_good(&token, "d1 2", "aa")
                && !key.is_good(&token, "", "")
                && !key.is_good("", "d1", "aa")
        );
        assert!(!FormKey::of("other").is_good(&token, "d1", "aa"));
    }
}
