//! Messages on WhatsApp, by its Cloud API: one text to one number.

mod carrier;
mod refusals;

use crate::model::{Address, Channel, Recipients, Route};
use crate::outbox::OutboxError;
use crate::outbox::channels::{Composed, Reading, checked, titled};
use crate::secret::Secret;
use crate::wire::whatsapp::TextMessage;

pub(in crate::outbox) use carrier::WhatsAppCarrier;

/// Characters that the API takes.
const LONGEST: usize = 4_096;
/// Digits of a number with its country (E.164).
const DIGITS: std::ops::RangeInclusive<usize> = 7..=15;
const TITLE: &str = "WhatsApp message";

/// What a process needs to send as somebody.
#[derive(Debug, Clone)]
pub struct WhatsAppAccess {
    /// Where the API is, with its version.
    pub base_url: String,
    /// The id of the number that messages come from.
    pub number: String,
    /// What it signs in with.
    pub token: Secret<String>,
}

impl WhatsAppAccess {
    /// Who sends, as accounts are named.
    #[must_use]
    pub fn account(&self) -> String {
        format!("{}@whatsapp", self.number)
    }

    /// By which way it leaves.
    #[must_use]
    pub fn route(&self) -> Route {
        Route::WhatsApp { base_url: self.base_url.clone(), number: self.number.clone() }
    }
}

/// A text to a number, checked.
pub(in crate::outbox) fn compose(
    access: &WhatsAppAccess,
    to: &str,
    text: &str,
) -> Result<Composed, OutboxError> {
    let digits = digits(to)?;
    let text = checked("message", text, LONGEST)?;
    let recipient = Address::new("", format!("+{digits}@whatsapp"));
    Ok(Composed {
        channel: Channel::WhatsApp,
        account: access.account(),
        recipients: Recipients { to: vec![recipient], ..Recipients::default() },
        title: titled(TITLE, &text),
        text: text.clone(),
        payload: TextMessage::new(&digits, &text).to_bytes(),
        route: access.route(),
        about: None,
    })
}

/// The digits of a number as people write it, with its country and without the zeros of a call from abroad.
fn digits(to: &str) -> Result<String, OutboxError> {
    let unfit = |problem: &str| OutboxError::Unfit { field: "to", problem: problem.to_owned() };
    let to = to.trim();
    let rest = to.strip_prefix('+').unwrap_or(to);
    if !rest.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '(' | ')' | '/')) {
        return Err(unfit("a phone number has digits, and spaces between them; names are not looked up"));
    }
    let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
    if digits.starts_with('0') {
        return Err(unfit("the number needs its country, such as +49 for Germany, and no zero before it"));
    }
    if DIGITS.contains(&digits.len()) { Ok(digits) } else { Err(unfit("a phone number has 7 to 15 digits")) }
}

/// What leaves, as a person reads it.
pub(super) fn read(route: &Route, bytes: &[u8]) -> Reading {
    let number = if let Route::WhatsApp { number, .. } = route { number } else { "" };
    let from = format!("{number}@whatsapp");
    match TextMessage::read(bytes) {
        Some(message) => Reading::of_text(&from, &titled(TITLE, &message.text.body), message.text.body),
        None => Reading::of_text(&from, TITLE, String::from_utf8_lossy(bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{WhatsAppAccess, compose, read};
    use crate::secret::Secret;

    fn access() -> WhatsAppAccess {
        let token = Secret::new("t".to_owned());
        WhatsAppAccess { base_url: "https://x.example/v1".to_owned(), number: "99".to_owned(), token }
    }

    #[test]
    fn numbers_as_people_write_them_become_digits() {
        for (written, digits) in [
            ("+49 (151) 234-5678", "+491512345678"),
            ("1.650.555.1234", "+16505551234"),
            (" 4915112345 ", "+4915112345"),
        ] {
            let composed = compose(&access(), written, "Hi").unwrap();
            assert_eq!(composed.recipients.to[0].address, format!("{digits}@whatsapp"));
        }
        for wrong in
            ["", "Bob", "0151 2345678", "+49", "1234567890123456", "+49151\u{202e}2345678", "49151x2345678"]
        {
            assert!(compose(&access(), wrong, "Hi").is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_text_of_4096_characters_is_taken_and_one_more_is_not() {
        let fits = "ä".repeat(4_096);

        let composed = compose(&access(), "+4915112345", &fits).unwrap();

        assert_eq!(read(&composed.route, &composed.payload).contents.text, fits);
        for wrong in [format!("{fits}x"), " \n ".to_owned(), "a\u{202e}b".to_owned()] {
            assert!(compose(&access(), "+4915112345", &wrong).is_err());
        }
    }
}
