//! Secrets that need no weighing, because their form says what they are: the address of an authenticator's key, a link that
//! names its own token, and the words that a wallet is recovered with.

use memchr::memmem;

use crate::model::SecretKind;

use super::phrase;

/// How much of a text is looked at for links and words; the address of a key is one anywhere.
const LOOKED_AT: usize = 4 << 10;

/// A secret that is certain, and what says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Certain {
    pub(super) kind: SecretKind,
    /// The line of the text, without blank and quoted ones; the subject is line 0.
    pub(super) line: usize,
    pub(super) fact: &'static str,
}

/// The key of an authenticator. It is looked for in every message, as it may stand anywhere.
pub(super) fn key(subject: &str, text: &str) -> Option<Certain> {
    if !holds_key(subject) && !holds_key(text) {
        return None;
    }
    let line = line_with(subject, text, holds_key).unwrap_or(0);
    Some(Certain { kind: SecretKind::AuthenticatorKey, line, fact: "an authenticator's address" })
}

/// What else is certain about a message that may carry a secret at all.
pub(super) fn secret(subject: &str, text: &str) -> Option<Certain> {
    let near = &text[..text.floor_char_boundary(LOOKED_AT)];
    let found = |kind: SecretKind, line: Option<usize>, fact: &'static str| {
        line.map(|line| Certain { kind, line, fact })
    };
    let words = found(SecretKind::BackupCode, phrase::line(subject, near), "the words that recover a wallet");
    if words.is_some() || memchr::memchr(b'=', near.as_bytes()).is_none() && !subject.contains('=') {
        return words;
    }
    let resets = line_with_link(subject, near, &RESETS);
    let signs_in = || line_with_link(subject, near, &SIGN_INS);
    found(SecretKind::ResetLink, resets, "an address that sets a password, with its token")
        .or_else(|| found(SecretKind::SignInLink, signs_in(), "an address that signs in, with its token"))
}

/// The number of the first line that has something, counted as in an explanation.
fn line_with(subject: &str, text: &str, has: impl Fn(&str) -> bool) -> Option<usize> {
    let lines = std::iter::once(subject).chain(text.lines().filter(|line| !line.trim().is_empty()));
    lines.enumerate().find(|(_, line)| has(line)).map(|(number, _)| number)
}

/// `otpauth://totp/Name?secret=...`, or the form in which an app hands over all its keys.
fn holds_key(text: &str) -> bool {
    let is_key = |scheme: &[u8], address: &[u8]| {
        let is_scheme = |known: &[u8]| {
            scheme.len() >= known.len() && scheme[scheme.len() - known.len()..].eq_ignore_ascii_case(known)
        };
        let address = || address.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let says = |name: &[u8]| address().windows(name.len()).any(|found| found.eq_ignore_ascii_case(name));
        is_scheme(b"otpauth") && says(b"secret=") || is_scheme(b"otpauth-migration") && says(b"data=")
    };
    // What stands between two marks is looked through once, however many there are.
    let mut marks = memmem::find_iter(text.as_bytes(), b"://").chain([text.len()]);
    let mut last = 0;
    let Some(mut mark) = marks.next() else { return false };
    marks.any(|next| {
        let behind = (mark + 3).min(next);
        let found = is_key(&text.as_bytes()[last..mark], &text.as_bytes()[behind..next]);
        (last, mark) = (behind, next);
        found
    })
}

/// What the path of an address says, and what its token is called then; names that say it all are among them.
struct Purpose {
    paths: &'static [&'static str],
    tokens: &'static [&'static str],
}

const TOKENS: &[&str] = &["token", "t", "key", "code", "k", "ticket"];
const RESETS: Purpose = Purpose {
    paths: &[
        "set-password",
        "setpassword",
        "set_password",
        "reset-password",
        "resetpassword",
        "reset_password",
        "password-reset",
        "password_reset",
        "password/reset",
        "new-password",
        "create-password",
        "change-password",
    ],
    tokens: &["reset_password_token", "reset_token", "password_token", "resettoken"],
};
const SIGN_INS: Purpose = Purpose {
    paths: &["login", "log-in", "signin", "sign-in", "sign_in", "magic", "passwordless", "one-time"],
    tokens: &[
        "magic",
        "magic_link",
        "magiclink",
        "magic_token",
        "login_token",
        "logintoken",
        "signin_token",
        "otp_token",
    ],
};

/// The first line with a link for a purpose; lines that quote another message are not looked at.
fn line_with_link(subject: &str, text: &str, purpose: &Purpose) -> Option<usize> {
    let mut lines = std::iter::once(subject).chain(own_lines(text)).enumerate();
    lines.find(|(_, line)| addresses(line).any(|address| purpose.is_of(address))).map(|(number, _)| number)
}

fn own_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('>'))
}

/// What in a line is an address with something behind an equals sign.
fn addresses(line: &str) -> impl Iterator<Item = &str> {
    let may_hold = memchr::memchr(b'=', line.as_bytes()).is_some();
    let ends = |c: char| {
        c.is_whitespace() || matches!(c, ')' | '(' | '>' | '"' | '<' | ']' | '[') || c >= '\u{3000}'
    };
    let pieces = line.split(ends).filter(move |piece| may_hold && piece.contains('='));
    pieces.filter_map(|piece| {
        let piece = piece.trim_end_matches(['.', ',', ';', '!']);
        piece.split_once("://").map(|(_, rest)| rest).or_else(|| piece.starts_with("www.").then_some(piece))
    })
}

impl Purpose {
    fn is_of(&self, address: &str) -> bool {
        let Some((place, query)) = address.split_once(['?', '#']) else { return false };
        let path = place.split_once('/').map_or("", |(_, path)| path).to_ascii_lowercase();
        // What is behind the host alone has no purpose but the token's.
        let is_bare = path.is_empty() && self.tokens.contains(&"magic");
        let is_path = self.paths.iter().any(|known| is_in_path(&path, known));
        query.split(['&', ';', '?', '#']).filter_map(|pair| pair.split_once('=')).any(|(name, value)| {
            let name = name.to_ascii_lowercase();
            let names_itself = self.tokens.contains(&name.as_str());
            let is_token = TOKENS.contains(&name.as_str()) && is_path || name == "token" && is_bare;
            (names_itself || is_token) && is_drawn(value)
        })
    }
}

/// Whether a path has this as one of its parts, or at an end of one: `users/set-password`, not `blogindex`.
fn is_in_path(path: &str, known: &str) -> bool {
    path.match_indices(known).any(|(at, _)| {
        let (before, behind) = (path[..at].bytes().next_back(), path[at + known.len()..].bytes().next());
        before.is_none_or(|byte| byte == b'/') && behind.is_none_or(|byte| matches!(byte, b'/' | b'.'))
    })
}

/// Letters and digits in turn, as nobody thinks them out: `c3-91kd82lmz0`, not `spring-sale-2026`. An address may be cut off.
fn is_drawn(value: &str) -> bool {
    let value = value.trim_end_matches('…');
    let digits: Vec<bool> = value.bytes().map(|byte| byte.is_ascii_digit()).collect();
    let runs = digits
        .iter()
        .zip(std::iter::once(&false).chain(&digits))
        .filter(|(now, last)| **now && !**last)
        .count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    value.len() >= 10 && runs >= 2 && letters >= 2
}

#[cfg(test)]
mod tests {
    use super::Certain;
    use crate::model::SecretKind;

    fn secret(subject: &str, text: &str) -> Option<Certain> {
        super::key(subject, text).or_else(|| super::secret(subject, text))
    }

    #[test]
    fn an_address_that_carries_a_key_or_a_token_is_a_secret_whatever_is_said_around_it() {
        for (text, expected) in [
            ("otpauth://totp/Elm:ada?secret=KRSXG5CTMVRXEZLU&issuer=Elm", SecretKind::AuthenticatorKey),
            ("> OTPAUTH://hotp/Elm?counter=1&secret=KRSXG5CTMVRXEZLU", SecretKind::AuthenticatorKey),
            ("[x](otpauth-migration://offline?data=CjEKCkhlbGxv)", SecretKind::AuthenticatorKey),
            ("Read on: https://opal.example/?magic=9fK2vQx71LmZp0Tt", SecretKind::SignInLink),
            ("Read on: https://opal.example/?token=9fK2vQx71LmZp0Tt.", SecretKind::SignInLink),
            ("www.opal.example/login?ref=mail&token=9fK2vQx71LmZp0Tt", SecretKind::SignInLink),
            ("https://kestrel.example/set-password?uid=MTI&token=c3-91kd82lmz0", SecretKind::ResetLink),
            (
                "<https://kestrel.example/users/password?reset_password_token=x9Kd82lmz0>",
                SecretKind::ResetLink,
            ),
        ] {
            assert_eq!(secret("Hello", text).map(|found| found.kind), Some(expected), "{text}");
        }
    }

    #[test]
    fn addresses_of_other_purposes_are_weighed() {
        for text in [
            "https://ci.example/build/771520?token=readonly",
            "https://letters.example/confirm?u=8sLz0QpV71kd",
            "https://news.example/unsubscribe?token=9fK2vQx71LmZp0Tt",
            "https://shop.example/login?utm_campaign=spring-sale-2026",
            "https://docs.example/otpauth?secret=how-to",
            "the otpauth scheme has a secret= parameter",
            "> https://opal.example/?magic=9fK2vQx71LmZp0Tt",
            "https://forum.example/login-loop?t=9fK2vQx71LmZp0Tt",
        ] {
            assert_eq!(secret("Hello", text), None, "{text}");
        }
    }
}
