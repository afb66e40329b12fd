//! Addresses that may stand in a message we write: checked when a person gives them, cleaned when a stranger did.

use std::borrow::Cow;

use email_address::{EmailAddress, Options};

use crate::drafts::DraftError;
use crate::model::{Address, Recipients};
use crate::text_safety::{is_invisible, one_line, visible};

const LONGEST_NAME: usize = 200;
const MOST_RECIPIENTS: usize = 500;

/// Reads what a person gave for one field, each item one address.
pub(super) fn read(field: &'static str, items: &[String]) -> Result<Vec<Address>, DraftError> {
    items.iter().map(|item| read_address(field, item)).collect()
}

/// Reads one address as a person gives it, with or without a name; the error names the field.
pub fn read_address(field: &'static str, item: &str) -> Result<Address, DraftError> {
    let item = item.trim();
    refuse_hidden(field, item)?;
    let (name, address) = match item.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
        Some((name, address)) => (unquoted(name.trim()), address.trim()),
        None => (String::new(), item),
    };
    let bad = |problem| DraftError::BadAddress { field, value: shown(item), problem };
    let address = &*with_ascii_domain(address);
    check_address(address).map_err(bad)?;
    match name {
        name if name.eq_ignore_ascii_case(address) => Ok(Address::new("", address)),
        name if name.contains(['@', '<', '>']) => {
            Err(bad("the name before the brackets looks like a second address"))
        }
        name if name.contains("=?") => {
            Err(bad("the name before the brackets would be decoded to another one"))
        }
        name if name.chars().count() > LONGEST_NAME => Err(bad("the name before the brackets is too long")),
        name => Ok(Address::new(name, address)),
    }
}

/// The address with its domain as servers know it: `exämple.org` is `xn--exmple-cua.org` (RFC 5891). What has no such
/// form stays as it is, and is refused for it.
fn with_ascii_domain(address: &str) -> Cow<'_, str> {
    let Some((local, domain)) = address.rsplit_once('@').filter(|(_, domain)| !domain.is_ascii()) else {
        return Cow::Borrowed(address);
    };
    match idna::domain_to_ascii_strict(domain) {
        Ok(ascii) => Cow::Owned(format!("{local}@{ascii}")),
        Err(_) => Cow::Borrowed(address),
    }
}

/// Whether mail can be sent to or from this address; says what is wrong otherwise.
pub(super) fn check_address(address: &str) -> Result<(), &'static str> {
    if address.is_empty() {
        return Err("it is empty");
    }
    if !address.is_ascii() {
        return Err("it has characters outside ASCII before the @, or a domain that cannot exist");
    }
    if address.contains('"') {
        return Err("quotes before the @ are not supported");
    }
    let options =
        Options::default().with_no_minimum_sub_domains().without_domain_literal().without_display_text();
    EmailAddress::parse_with_options(address, options).map(|_| ()).map_err(|error| problem(&error))
}

fn problem(error: &email_address::Error) -> &'static str {
    use email_address::Error;
    match error {
        Error::MissingSeparator => "there is no @ in it",
        Error::LocalPartEmpty => "nothing stands before the @",
        Error::LocalPartTooLong => "more than 64 characters stand before the @",
        Error::DomainEmpty => "nothing stands behind the @",
        Error::DomainTooLong | Error::SubDomainTooLong => "the domain is too long",
        Error::SubDomainEmpty => "the domain has an empty part",
        Error::UnsupportedDomainLiteral => "a domain is needed behind the @, not a number",
        Error::MissingEndBracket | Error::UnsupportedDisplayName | Error::MissingDisplayName => {
            "its brackets do not fit together"
        }
        _ => "a character in it is not allowed there",
    }
}

/// An address that a stranger wrote, with a name that cannot mislead; `None` when mail cannot be sent to it.
pub(super) fn cleaned(address: &Address) -> Option<Address> {
    check_address(&address.address).ok()?;
    let visible: String =
        one_line(&address.name).chars().filter(|c| !is_invisible(*c)).take(LONGEST_NAME).collect();
    let misleads = visible.contains(['@', '<', '>']) || visible.contains("=?");
    let name = if misleads { "" } else { visible.trim() };
    Some(Address::new(name, address.address.as_str()))
}

/// The same recipients, everybody once: in To before Cc, in Cc before Bcc.
pub(super) fn each_once(recipients: Recipients) -> Result<Recipients, DraftError> {
    let mut seen: Vec<String> = Vec::new();
    let mut once = |list: Vec<Address>| -> Vec<Address> {
        let first = |address: &Address| {
            let lower = address.address.to_lowercase();
            let is_new = !seen.contains(&lower);
            seen.push(lower);
            is_new
        };
        list.into_iter().filter(first).collect()
    };
    let length = recipients.all().count();
    if length > MOST_RECIPIENTS {
        return Err(DraftError::TooLong { field: "to", length, limit: MOST_RECIPIENTS });
    }
    let Recipients { to, cc, bcc } = recipients;
    Ok(Recipients { to: once(to), cc: once(cc), bcc: once(bcc) })
}

/// Refuses characters that end a line, turn the direction of text, or cannot be seen and shape no letter.
pub(super) fn refuse_hidden(field: &'static str, value: &str) -> Result<(), DraftError> {
    match value.chars().find(|c| is_invisible(*c)) {
        Some(character) => Err(DraftError::HiddenCharacter { field, value: shown(value), character }),
        None => refuse_unseen(field, value),
    }
}

/// Refuses lines of text with characters that nobody sees, unless they shape the letters around them.
pub(super) fn refuse_unseen(field: &'static str, text: &str) -> Result<(), DraftError> {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let (seen, removed) = visible(&lines);
    if removed.invisible + removed.control == 0 {
        return Ok(());
    }
    let differs = lines.chars().zip(seen.chars().map(Some).chain(std::iter::repeat(None)));
    let first = differs.into_iter().find(|(given, seen)| is_taken_out(*given, *seen));
    let character = first.map_or('\0', |(given, _)| given);
    Err(DraftError::HiddenCharacter { field, value: shown(text), character })
}

/// Whether a character is not what is seen in its place. Rare blanks are seen as a space.
fn is_taken_out(given: char, seen: Option<char>) -> bool {
    Some(given) != seen && !(given.is_whitespace() && seen.is_some_and(char::is_whitespace))
}

fn shown(value: &str) -> String {
    let visible: String = one_line(value).chars().filter(|c| !is_invisible(*c)).collect();
    match visible.char_indices().nth(200) {
        Some((end, _)) => format!("{}...", &visible[..end]),
        None => visible,
    }
}

fn unquoted(name: &str) -> String {
    let Some(inner) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return name.to_owned();
    };
    let mut out = String::new();
    let mut characters = inner.chars();
    while let Some(c) = characters.next() {
        out.extend(if c == '\\' { characters.next() } else { Some(c) });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{cleaned, each_once, read};
    use crate::model::{Address, Recipients};

    fn one(item: &str) -> Result<Address, String> {
        read("to", &[item.to_owned()]).map(|mut list| list.remove(0)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_text_carries_nothing_that_nobody_sees_and_keeps_what_shapes_letters() {
        let tags: String = "pin".chars().filter_map(|c| char::from_u32(0xe0000 + u32::from(c))).collect();
        for text in [
            &format!("hi {tags}"),
            "pay \u{202e}001\u{202c}",
            "a\u{1b}[2Jb",
            "a\u{200b}b",
            "a\0b",
            "x\u{e0173}",
        ] {
            let refused = super::refuse_unseen("body", text).unwrap_err();
            assert_eq!(refused.code(), "hidden_character", "{text:?}");
        }
        for text in [
            "a\r\nb\rc\td",
            "❤\u{fe0f}\u{200d}🔥",
            "می\u{200c}خواهم",
            "Silben\u{ad}trennung",
            "\u{200f}שלום",
            "10\u{2009}km\u{a0}x",
        ] {
            assert!(super::refuse_unseen("body", text).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn the_usual_ways_to_write_an_address_are_read() {
        for (item, name, address) in [
            ("bob@stone.example", "", "bob@stone.example"),
            (" <bob@stone.example> ", "", "bob@stone.example"),
            ("Bob Stone <bob@stone.example>", "Bob Stone", "bob@stone.example"),
            ("Stone, Bob <bob@stone.example>", "Stone, Bob", "bob@stone.example"),
            (r#""Stone, \"Bobby\"" <bob@stone.example>"#, r#"Stone, "Bobby""#, "bob@stone.example"),
            ("Jürgen Groß <j+tag@stone.example>", "Jürgen Groß", "j+tag@stone.example"),
            ("bob@stone.example <Bob@stone.example>", "", "Bob@stone.example"),
            ("root@localhost", "", "root@localhost"),
            ("bob@stöne.example", "", "bob@xn--stne-6qa.example"),
            ("❤\u{fe0f} Bob <bob@stone.example>", "❤\u{fe0f} Bob", "bob@stone.example"),
        ] {
            assert_eq!(one(item), Ok(Address::new(name, address)), "{item}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_by_field_and_value() {
        for item in [
            "",
            "bob",
            "@stone.example",
            "bob@",
            "bob@stone..example",
            "bob@-stone.example",
            "bob@stone.example, eve@stone.example",
            "bob@stone.example; eve@stone.example",
            "bob@stone.example, Eve <eve@stone.example>",
            "eve@stone.example <bob@stone.example>",
            "Bob <bob@stone.example",
            "=?utf-8?B?RXZl?= <bob@stone.example>",
            "Bob <<bob@stone.example>>",
            "bob stone@stone.example",
            "\"bob stone\"@stone.example",
            "bob@[127.0.0.1]",
            "bob@stö ne.example",
            "bоb@stone.example",
        ] {
            let error = one(item).unwrap_err();
            assert!(error.starts_with(&format!("`to` holds `{}`", item.trim())), "{item}: {error}");
        }
    }

    #[test]
    fn nothing_can_break_out_of_a_header_field_or_hide_in_it() {
        for item in [
            "bob@stone.example\r\nBcc: eve@stone.example",
            "Bob\nBcc: eve@stone.example <bob@stone.example>",
            "Bob\u{0} <bob@stone.example>",
            "Bob \u{202e}elpmaxe <bob@stone.example>",
            "B\u{200b}ob <bob@stone.example>",
            "Bob\u{e0041} <bob@stone.example>",
            "bob\u{2060}@stone.example",
            "bob@stone.example\u{feff}x",
            "Bob\u{e0173}\u{e0174} <bob@stone.example>",
            "Bob\u{fe00} <bob@stone.example>",
        ] {
            let error = one(item).unwrap_err();
            assert!(error.contains("cannot be seen"), "{item:?}: {error}");
            assert!(!error.contains(['\n', '\r', '\u{202e}', '\u{200b}']), "{error:?}");
        }
    }

    #[test]
    fn a_stranger_s_address_keeps_only_a_name_that_cannot_mislead() {
        let clean = |name: &str| cleaned(&Address::new(name, "bob@stone.example")).unwrap().name;

        assert_eq!(clean("Bob\r\nBcc: x"), "Bob Bcc: x");
        assert_eq!(clean("B\u{200b}ob\u{202e}"), "Bob");
        assert_eq!(clean("ada@example.org"), "");
        assert_eq!(cleaned(&Address::new("Bob", "bob at stone")), None);
    }

    #[test]
    fn everybody_gets_a_message_once() {
        let list = |text: &str| text.split(' ').map(|address| Address::new("", address)).collect();

        let recipients = Recipients {
            to: list("a@x.example A@x.example"),
            cc: list("b@x.example a@X.example"),
            bcc: list("B@x.example c@x.example"),
        };

        let expected =
            Recipients { to: list("a@x.example"), cc: list("b@x.example"), bcc: list("c@x.example") };
        assert_eq!(each_once(recipients).unwrap(), expected);
    }
}
