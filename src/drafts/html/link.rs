//! A link of HTML that leaves, as a person is shown it: its whole target, whose it is, and whether its words say otherwise.

use serde::Serialize;
use url::Url;

use crate::parse::{self, is_host_name};

/// A link, with what a person needs to judge it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    /// The words that are pressed.
    pub words: String,
    /// Where it leads, whole.
    pub target: String,
    /// The domain that somebody registered for it; empty where it leads to none.
    pub site: String,
    /// The site as letters, where its name is an ASCII form of other letters.
    pub spelt: Option<String>,
    /// What its words name instead: another site, address or number.
    pub poses_as: Option<String>,
}

impl Link {
    /// A link with these words to this place.
    #[must_use]
    pub fn new(words: String, target: String) -> Self {
        let site = parse::site(&host_of(&target)).to_owned();
        let poses_as = posed(&words, &target, &site);
        Self { spelt: parse::spelt_out(&site), poses_as, words, target, site }
    }
}

fn host_of(target: &str) -> String {
    match target.strip_prefix("mailto:") {
        Some(address) => address.rsplit('@').next().unwrap_or_default().to_lowercase(),
        None => Url::parse(target).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default(),
    }
}

/// What the words name, if the target is another one.
fn posed(words: &str, target: &str, site: &str) -> Option<String> {
    if let Some(number) = target.strip_prefix("tel:") {
        let named = digits(words);
        let is_other =
            named.len() >= FEWEST_DIGITS && !digits(number).ends_with(&named[named.len() - FEWEST_DIGITS..]);
        return is_other.then(|| words.to_owned());
    }
    let address = target.strip_prefix("mailto:");
    words.split_whitespace().find_map(|word| match (address, address_in(word)) {
        (Some(target), Some(named)) if !named.eq_ignore_ascii_case(target) => Some(named.to_owned()),
        _ => named_site(word).filter(|named| named != site),
    })
}

/// Numbers are the same if they end alike; what stands before is the country.
const FEWEST_DIGITS: usize = 5;

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

fn address_in(word: &str) -> Option<&str> {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let (_, host) = bare.rsplit_once('@')?;
    is_host_name(host).then_some(bare)
}

/// The site that a word names, with or without a scheme before it and a path behind it.
fn named_site(word: &str) -> Option<String> {
    let rest = word.rsplit_once("//").map_or(word, |(_, rest)| rest);
    let authority = rest.split(['/', '\\', '?', '#']).find(|part| !part.is_empty())?;
    let host = authority.rsplit('@').next()?.split(':').next()?;
    let host = host.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let ascii = idna::domain_to_ascii(&host).ok().filter(|_| is_host_name(&host))?;
    Some(parse::site(&ascii).to_owned())
}

#[cfg(test)]
mod tests {
    use super::Link;

    fn link(words: &str, target: &str) -> Link {
        Link::new(words.to_owned(), target.to_owned())
    }

    #[test]
    fn words_that_name_another_place_are_told() {
        for (words, target, named) in [
            ("https://bank.example/login", "https://evil.example/", "bank.example"),
            ("www.bank.com", "https://bank.com.evil.example/", "bank.com"),
            ("Log in at bank.com, please", "https://evil.example/", "bank.com"),
            ("https://bank.com@evil.example", "https://third.example/", "evil.example"),
            ("ada@example.org", "mailto:eve@example.org", "ada@example.org"),
            ("ada@example.org", "https://evil.example/", "example.org"),
            ("example.org", "mailto:eve@evil.example", "example.org"),
            ("+49 30 1234567", "tel:+1900555555", "+49 30 1234567"),
            ("bücher.example", "https://xn--bcher-kxa.example/", "xn--bcher-kva.example"),
        ] {
            assert_eq!(link(words, target).poses_as.as_deref(), Some(named), "{words} {target}");
        }
    }

    #[test]
    fn words_that_name_the_same_place_or_none_are_not() {
        for (words, target) in [
            ("here", "https://evil.example/"),
            ("version 2.0, see report.pdf", "https://x.example/"),
            ("https://www.x.example/long", "https://login.x.example/"),
            ("bücher.example", "https://xn--bcher-kva.example/"),
            ("Ada@example.org", "mailto:ada@example.org"),
            ("030 1234567", "tel:+49-30-1234567"),
        ] {
            assert_eq!(link(words, target).poses_as, None, "{words} {target}");
        }
        assert_eq!(link("x", "https://www.xn--bcher-kva.example/").spelt.as_deref(), Some("bücher.example"));
        assert_eq!(link("x", "https://bank.example.evil.co.uk/").site, "evil.co.uk");
    }
}
