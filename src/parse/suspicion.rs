//! Names that are made to be taken for others: domains that look like another, mix scripts, or carry somebody else's
//! name in front; display names that hold another address. Pure: knows nothing of the owner's correspondents.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::model::{Address, Flag};

use super::visible_text::links::{owner, same_owner};

/// Names that are imitated most, and where their owners really are.
const IMITATED: [&str; 40] = [
    "adobe.com",
    "amazon.com",
    "americanexpress.com",
    "apple.com",
    "bankofamerica.com",
    "barclays.co.uk",
    "binance.com",
    "booking.com",
    "chase.com",
    "citibank.com",
    "coinbase.com",
    "dhl.com",
    "discord.com",
    "docusign.com",
    "dropbox.com",
    "ebay.com",
    "facebook.com",
    "fedex.com",
    "github.com",
    "gmail.com",
    "google.com",
    "hsbc.com",
    "icloud.com",
    "instagram.com",
    "linkedin.com",
    "mastercard.com",
    "microsoft.com",
    "netflix.com",
    "office.com",
    "outlook.com",
    "paypal.com",
    "revolut.com",
    "santander.com",
    "spotify.com",
    "stripe.com",
    "telegram.org",
    "usps.com",
    "wellsfargo.com",
    "whatsapp.com",
    "yahoo.com",
];

/// What is odd about the people a message says it is from.
pub(super) fn of_senders(from: &[Address], reply_to: &[Address]) -> BTreeSet<Flag> {
    let mut flags: BTreeSet<Flag> =
        from.iter().chain(reply_to).flat_map(|address| of_host(&address.domain())).collect();
    if from.iter().any(names_another) {
        flags.insert(Flag::DisplayNameAddress);
    }
    flags
}

/// Whether the display name holds an address of somebody else.
fn names_another(address: &Address) -> bool {
    let domain = address.domain();
    let words = address
        .name
        .split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '(' | ')' | '"' | ',' | ';'));
    let named = words
        .filter_map(|word| word.rsplit_once('@'))
        .filter(|(local, named)| !local.is_empty() && named.contains('.'));
    let mut others = named.filter(|(_, named)| !same_owner(&named.to_lowercase(), &domain));
    others.next().is_some()
}

/// What is odd about a host.
pub(super) fn of_host(host: &str) -> Vec<Flag> {
    if host.is_ascii() && !host.contains("xn--") {
        return if imitates(host) { vec![Flag::LookalikeDomain] } else { Vec::new() };
    }
    let labels: Vec<String> = host.split('.').map(decoded).collect();
    let mut flags = Vec::new();
    if labels.iter().any(|label| mixes_scripts(label)) {
        flags.push(Flag::MixedScriptDomain);
    }
    let spelt = labels.join(".");
    let is_foreign = |c: char| script(c).is_some_and(|script| script != Script::Latin);
    let foreign = labels.iter().any(|label| label.contains(is_foreign) && skeleton(label).is_ascii());
    if foreign || imitates(&spelt) {
        flags.push(Flag::LookalikeDomain);
    }
    flags
}

/// An imitated name: its domain, its first label, and how that looks.
type Imitated = (&'static str, &'static str, String);

fn imitated() -> &'static [Imitated] {
    static NAMES: OnceLock<Vec<Imitated>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let names = IMITATED.iter().map(|real| (*real, real.split('.').next().unwrap_or(real)));
        names.map(|(real, known)| (real, known, skeleton(known))).collect()
    })
}

fn imitates(host: &str) -> bool {
    let own = owner(host);
    let Some((name, _)) = own.split_once('.') else { return false };
    let seen = skeleton(name);
    imitated().iter().any(|(real, known, look)| {
        let alike = name != *known && (seen == *look || (known.len() >= 6 && is_one_letter_off(&seen, look)));
        (alike && !is_plain_variant(name, known)) || (own != *real && stands_in_front(real, host))
    })
}

/// Whether a host begins with, or holds in its middle, a whole domain of somebody else.
fn stands_in_front(real: &str, host: &str) -> bool {
    let mut rest = host;
    while rest.len() > real.len() {
        if rest.strip_prefix(real).is_some_and(|behind| behind.starts_with('.')) {
            return true;
        }
        let Some((_, behind)) = rest.split_once('.') else { return false };
        rest = behind;
    }
    false
}

/// Whether one letter more, less, other or swapped makes all the difference. Whole letters, of any script.
#[must_use]
pub fn is_one_letter_off(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() {
        return is_one_off(a.as_bytes(), b.as_bytes());
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    is_one_off(&a, &b)
}

fn is_one_off<T: PartialEq>(a: &[T], b: &[T]) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let head = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let tail = short[head..].iter().rev().zip(long[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    let rest = long.len() - head - tail;
    let swapped = rest == 2
        && short.len() == long.len()
        && short[head] == long[head + 1]
        && short[head + 1] == long[head];
    rest <= 1 || swapped
}

/// Names that have a right of their own: the same word in another form.
fn is_plain_variant(name: &str, known: &str) -> bool {
    name.strip_prefix(known).is_some_and(|rest| rest == "s")
        || known.strip_prefix(name).is_some_and(|rest| rest == "s")
}

/// The text as a hasty reader sees it: letters of other scripts and digits as the Latin ones they look like.
#[must_use]
pub fn look_of(text: &str) -> String {
    skeleton(text)
}

fn skeleton(text: &str) -> String {
    let mut plain: String = text.chars().map(look).collect();
    for (pair, one) in [("rn", "m"), ("vv", "w"), ("cl", "d")] {
        if plain.contains(pair) {
            plain = plain.replace(pair, one);
        }
    }
    plain
}

fn look(c: char) -> char {
    match c {
        'а' | 'α' | 'ɑ' | 'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ạ' => 'a',
        'ь' | 'Ь' | 'β' | 'ƅ' => 'b',
        'с' | 'ϲ' | 'ç' | 'ċ' => 'c',
        'ԁ' | 'ɗ' => 'd',
        'е' | 'є' | 'ҽ' | 'ε' | 'è' | 'é' | 'ê' | 'ë' | 'ė' | 'ẹ' => 'e',
        'ɡ' | 'ġ' | 'ğ' => 'g',
        'һ' | 'հ' => 'h',
        'і' | 'ι' | 'ı' | 'í' | 'ì' | 'î' | 'ï' | 'ӏ' | '1' | '|' | 'l' | 'ł' => 'l',
        'i' => 'l',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'м' => 'm',
        'п' | 'ո' | 'η' | 'ñ' => 'n',
        'о' | 'ο' | 'օ' | 'ó' | 'ò' | 'ô' | 'õ' | 'ö' | 'ø' | '0' | 'ọ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' | 'ș' | 'ş' | '5' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' | 'ü' | 'ú' | 'ù' | 'û' => 'u',
        'ν' | 'ѵ' => 'v',
        'ѡ' | 'ԝ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' | 'ý' | 'ÿ' => 'y',
        'ᴢ' | 'ż' | 'ź' | 'ž' => 'z',
        c => c,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Hebrew,
    Arabic,
    EastAsian,
    Other,
}

fn script(c: char) -> Option<Script> {
    c.is_alphabetic().then_some(match c {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{250}'..='\u{2af}' => {
            Script::Latin
        }
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Greek,
        '\u{400}'..='\u{52f}' => Script::Cyrillic,
        '\u{530}'..='\u{58f}' => Script::Armenian,
        '\u{590}'..='\u{5ff}' => Script::Hebrew,
        '\u{600}'..='\u{77f}' => Script::Arabic,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' => Script::EastAsian,
        _ => Script::Other,
    })
}

/// Whether a label holds letters of two scripts that nobody writes together.
fn mixes_scripts(label: &str) -> bool {
    let scripts: BTreeSet<Script> = label.chars().filter_map(script).collect();
    scripts.len() > 1 && !scripts.iter().all(|script| matches!(script, Script::Latin | Script::EastAsian))
}

/// A host as its letters, where its name is an ASCII form of other letters; nothing where it is what it seems.
#[must_use]
pub fn spelt_out(host: &str) -> Option<String> {
    let spelt = host.split('.').map(decoded).collect::<Vec<_>>().join(".");
    (spelt != host.to_lowercase()).then_some(spelt)
}

/// A label as it is shown: `xn--` forms spelt out (RFC 3492).
pub(super) fn decoded(label: &str) -> String {
    match label.strip_prefix("xn--").and_then(punycode) {
        Some(text) => text,
        None => label.to_lowercase(),
    }
}

fn punycode(text: &str) -> Option<String> {
    let (basic, digits) = text.rsplit_once('-').unwrap_or(("", text));
    let mut out: Vec<char> = basic.chars().collect();
    let (mut code, mut place, mut bias) = (128_u32, 0_u32, 72_u32);
    let mut digits = digits.bytes().peekable();
    while digits.peek().is_some() && out.len() < 64 {
        let (before, mut weight) = (place, 1_u32);
        for k in (1..).map(|step| step * 36_u32) {
            let digit = match digits.next()? {
                digit @ b'a'..=b'z' => u32::from(digit - b'a'),
                digit @ b'A'..=b'Z' => u32::from(digit - b'A'),
                digit @ b'0'..=b'9' => u32::from(digit - b'0') + 26,
                _ => return None,
            };
            place = place.checked_add(digit.checked_mul(weight)?)?;
            let threshold = k.saturating_sub(bias).clamp(1, 26);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(36 - threshold)?;
        }
        let length = u32::try_from(out.len()).ok()? + 1;
        bias = adapted(place - before, length, before == 0);
        code = code.checked_add(place / length)?;
        place %= length;
        out.insert(usize::try_from(place).ok()?, char::from_u32(code)?);
        place += 1;
    }
    Some(out.into_iter().collect())
}

fn adapted(delta: u32, length: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta / length;
    let mut k = 0;
    while delta > 455 {
        delta /= 35;
        k += 36;
    }
    k + 36 * delta / (delta + 38)
}

#[cfg(test)]
mod tests {
    use super::{Flag, of_host, of_senders, punycode};
    use crate::model::Address;

    #[test]
    fn hosts_that_are_made_to_be_taken_for_others_are_told() {
        for (host, expected) in [
            ("paypa1.com", vec![Flag::LookalikeDomain]),
            ("rnicrosoft.com", vec![Flag::LookalikeDomain]),
            ("paypal.com.secure.example", vec![Flag::LookalikeDomain]),
            ("login.gooogle.com", vec![Flag::LookalikeDomain]),
            ("xn--80ak6aa92e.com", vec![Flag::LookalikeDomain]),
            ("pаypal.com", vec![Flag::MixedScriptDomain, Flag::LookalikeDomain]),
            ("paypal.com", vec![]),
            ("mail.google.co.uk", vec![]),
            ("m\u{fc}ller.example", vec![]),
            ("example.org", vec![]),
            ("почта.example", vec![]),
            ("東京tower.example", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(of_host(host), expected, "{host}");
        }
        assert_eq!(punycode("bcher-kva").as_deref(), Some("bücher"));
        assert_eq!(punycode("999999999999"), None);
    }

    #[test]
    fn a_display_name_with_another_address_is_told() {
        let flagged = |name: &str, address: &str| {
            of_senders(&[Address::new(name, address)], &[]).contains(&Flag::DisplayNameAddress)
        };
        assert!(flagged("support@bank.example", "x@evil.test"));
        assert!(flagged("The Bank <support@bank.example>", "x@evil.test"));
        assert!(!flagged("ada@example.org", "ada@example.org"));
        assert!(!flagged("ada@mail.example.org", "ada@example.org"));
        assert!(!flagged("Ada @ Home", "ada@example.org"));
    }
}
