//! The code with which the terminal lets a page enrol the first key where there is no PIN: the person types it from one
//! into the other. It holds for some minutes and for one enrolment, and is written down nowhere.

use crate::clock::Clock;
use crate::outbox::approval::Seal;

/// Seconds after which there is another one; the one before holds as long again.
const WINDOW: i64 = 600;
/// Without letters that look alike.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const LENGTH: usize = 8;

/// The code of now, after so many changes of keys.
pub(super) fn code(seal: &Seal, clock: &Clock, changes: usize) -> String {
    of_window(seal, clock.now().as_second().div_euclid(WINDOW), changes)
}

/// Whether this is the code, however it was typed.
pub(super) fn is_code(given: &str, seal: &Seal, clock: &Clock, changes: usize) -> bool {
    let given: String = given.chars().filter(char::is_ascii_alphanumeric).collect();
    let window = clock.now().as_second().div_euclid(WINDOW);
    let is = |window| {
        let code = of_window(seal, window, changes).replace('-', "");
        subtle::ConstantTimeEq::ct_eq(given.to_ascii_uppercase().as_bytes(), code.as_bytes()).into()
    };
    is(window) || is(window - 1)
}

fn of_window(seal: &Seal, window: i64, changes: usize) -> String {
    let digest = seal.sign_bytes(format!("mailkeep enrolment code {window} {changes}").as_bytes());
    let digits: String =
        digest.iter().take(LENGTH).map(|byte| char::from(ALPHABET[usize::from(byte & 31)])).collect();
    format!("{}-{}", &digits[..LENGTH / 2], &digits[LENGTH / 2..])
}
