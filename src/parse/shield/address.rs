//! What the address of a link says: words that sites make their addresses of, and parts that nobody chose.

use super::naming::Mark;

/// The facts about an address.
pub(super) fn marks(address: &str) -> Vec<Mark> {
    let url = address.to_ascii_lowercase();
    let place = url.split_once("://").map_or(url.as_str(), |(_, place)| place);
    let path = place.split_once(['/', '?']).map_or("", |(_, path)| path);
    let chosen = without_random_parts(path);
    let says = |list: &str| list.split('|').any(|word| chosen.contains(word));
    let behind_equals = path.split('=').skip(1).map(|rest| rest.split(BETWEEN).next().unwrap_or_default());
    let last = path.trim_end_matches('/').rsplit(BETWEEN).next();
    let holds = [
        (Mark::Cut, path.ends_with('…')),
        (Mark::HostOnly, path.is_empty()),
        (Mark::Otpauth, url.starts_with("otpauth")),
        (Mark::RandomPath, path.split(BETWEEN).any(is_random)),
        (Mark::UrlHash, path.split(BETWEEN).any(is_hash)),
        (Mark::UrlValue, behind_equals.into_iter().any(is_random)),
        (Mark::UrlLast, last.is_some_and(is_random)),
    ];
    let said = ADDRESSES.into_iter().map(|(mark, list)| (mark, says(list)));
    holds.into_iter().chain(said).filter_map(|(mark, holds)| holds.then_some(mark)).collect()
}

/// A path as it was thought out: letters that were drawn may spell a word.
fn without_random_parts(path: &str) -> String {
    let parts = path.split_inclusive(BETWEEN);
    parts
        .map(|part| {
            let bare = part.trim_end_matches(BETWEEN);
            if is_random(bare) { &part[bare.len()..] } else { part }
        })
        .collect()
}

/// What addresses say that are made for a purpose, in the languages that sites are made in.
const ADDRESSES: [(Mark, &str); 7] = [
    (
        Mark::UrlReset,
        "reset|forgot|recover|newpass|new-pass|set-pass|setpass|password|passwd|kennwort|passwort|pwd|findpw|parol|haslo|\
         heslo|senha|contrasen|motdepasse|mdp|wachtwoord|losenord|passord|sifre|credential|restablec|redefin|herstel|\
         aterstall|vosst|/pw/|unlock",
    ),
    (
        Mark::UrlLogin,
        "login|log-in|signin|sign-in|sign_in|auth|magic|session|sso|otp|anmeld|zugang|acces|acceso|entrar|entra|inlog|logowan|\
         wejsc|vhod|giris|device|approve|passport|signon|enter",
    ),
    (
        Mark::UrlVerify,
        "verif|confirm|activat|valid|invit|optin|opt-in|aktiv|bestaetig|bekraft|potwierd|register|signup|sign-up|join|\
         complete|registr|onboard|setup",
    ),
    (
        Mark::UrlToken,
        "token=|code=|key=|t=|otp=|ticket=|nonce=|sig=|hash=|jwt=|/token/|oobcode=|k=|schluessel=|clave=|jeton=|chave=|klucz=|\
         anahtar=|codigo=|sign=|secret=|req=|challenge=",
    ),
    (Mark::UrlNews, "unsub|subscri|prefer|track|newsletter|utm_|campaign|click|survey|feedback|/open/|/c/"),
    (
        Mark::UrlRead,
        "help|docs|blog|article|news|faq|support|post|wiki|.html|.pdf|order|invoice|about|policy|privacy|howto|how-to|guide|\
         forum|thread|issue|pull/|commit|build|learn|watch|shop|product|/account",
    ),
    (
        Mark::UrlMeets,
        "/j/|meet|zoom|webinar|calendar|event|/d/|/file|document|share|download|booking|ticket/|survey",
    ),
];

const BETWEEN: [char; 7] = ['/', '?', '&', '=', '#', '.', ':'];

/// Thirty-two hexadecimal digits or more.
fn is_hash(part: &str) -> bool {
    part.len() >= 32 && part.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A part of a path or a value that nobody chose: long, letters and digits mixed.
fn is_random(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let letters = part.bytes().filter(u8::is_ascii_alphabetic).count();
    part.len() >= 10 && digits >= 2 && letters >= 2 && !part.contains('-') || part.len() >= 20 && digits >= 3
}

#[cfg(test)]
mod tests {
    use super::without_random_parts;

    #[test]
    fn letters_that_were_drawn_say_nothing() {
        assert_eq!(without_random_parts("reset?token=a8auth2news9x"), "reset?token=");
        assert_eq!(without_random_parts("a8auth2news9x/verify/12"), "/verify/12");
    }
}
