//! How a list says it can be left: List-Unsubscribe (RFC 2369) and its one click (RFC 8058). A stranger wrote these fields:
//! what is not plainly meant for this, or not vouched for by the owner's own provider, is refused with a reason.

use percent_encoding::percent_decode_str;
use url::Url;

use super::authentication::{DkimResult, MailServer, dkim_results};
use super::header::{Header, Owner};
use super::words;
use super::{is_host_name, site};
use crate::model::{Address, DateHints};

/// The longest field that is read, and the longest address of a page in it.
const LONGEST_FIELD: usize = 8_000;
const LONGEST_URL: usize = 2_000;
/// The longest text that a list asks for.
const LONGEST_TEXT: usize = 1_000;
/// What the field about one click says (RFC 8058, 3.2).
const ONE_CLICK: &str = "List-Unsubscribe=One-Click";

/// How a list can be left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Whose list it is: the sender as the message names them.
    pub list: String,
    /// Where one request does it, or why there is none that counts.
    pub one_click: Result<String, String>,
    /// The mail that does it, or why there is none that counts.
    pub mail: Result<Mailto, String>,
}

/// A mail that a list asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailto {
    /// To whom.
    pub to: String,
    /// Its subject.
    pub subject: String,
    /// Its text.
    pub body: String,
}

/// What a message of an account whose mail is on this server offers.
#[must_use]
pub fn offer(bytes: &[u8], server: &MailServer) -> Offer {
    let header = Header::read(bytes, Owner::Message, |_| false);
    let message = super::message(&bytes[..header.body_start.min(bytes.len())], &DateHints::default());
    let sender = message.sender().cloned().unwrap_or_default();
    let places = places(&header);
    Offer {
        list: sender.shown(),
        one_click: places.as_ref().map_err(Clone::clone).and_then(|places| {
            let url = one_click_url(&header, places)?;
            signed(&header, server, &sender, &url)?;
            Ok(url.to_string())
        }),
        mail: places.and_then(|places| mailto(&places)),
    }
}

/// What stands between angle brackets in the field, without the blanks that folding leaves.
fn places(header: &Header<'_>) -> Result<Vec<String>, String> {
    let field = only(header, "List-Unsubscribe")?;
    let inner = field.split('<').skip(1).filter_map(|rest| rest.split_once('>').map(|(inner, _)| inner));
    let places: Vec<_> = inner.map(words::without_blanks).collect();
    if places.is_empty() { Err("`List-Unsubscribe` names no place".to_owned()) } else { Ok(places) }
}

/// The one field of this name: of two, nobody knows which was signed.
fn only(header: &Header<'_>, name: &str) -> Result<String, String> {
    let mut fields = header.all(name);
    let value = fields.next().ok_or_else(|| format!("it has no `{name}`"))?;
    if fields.next().is_some() {
        return Err(format!("it has `{name}` twice"));
    }
    if value.len() > LONGEST_FIELD {
        return Err(format!("its `{name}` is longer than {LONGEST_FIELD} bytes"));
    }
    Ok(words::unfolded(&String::from_utf8_lossy(value)).into_owned())
}

fn one_click_url(header: &Header<'_>, places: &[String]) -> Result<Url, String> {
    let post = only(header, "List-Unsubscribe-Post")?;
    if !words::without_blanks(&post).eq_ignore_ascii_case(ONE_CLICK) {
        return Err(format!("its `List-Unsubscribe-Post` does not say `{ONE_CLICK}`"));
    }
    let is_web = |place: &&String| place.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("http"));
    let place = places.iter().find(is_web).ok_or("`List-Unsubscribe` names no page")?;
    checked_url(place)
}

fn checked_url(place: &str) -> Result<Url, String> {
    if place.len() > LONGEST_URL {
        return Err(format!("the address of its page is longer than {LONGEST_URL} characters"));
    }
    if !place.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("the address of its page has letters that none has".to_owned());
    }
    let mut url = Url::parse(place).map_err(|_| "the address of its page cannot be read".to_owned())?;
    if url.scheme() != "https" {
        return Err("its page is not reached by https".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the address of its page names a user".to_owned());
    }
    if url.port_or_known_default() != Some(443) {
        return Err("its page is at an unusual port".to_owned());
    }
    let host = url.host_str().unwrap_or_default().to_owned();
    if !matches!(url.host(), Some(url::Host::Domain(_))) || !is_host_name(host.trim_end_matches('.')) {
        return Err(format!("its page is at `{host}`, which is no public name"));
    }
    url.set_fragment(None);
    Ok(url)
}

/// Refuses a page that nobody vouches for: the owner's provider must say that a signature holds which covers both fields,
/// by the sender's domain or by the page's.
fn signed(header: &Header<'_>, server: &MailServer, sender: &Address, url: &Url) -> Result<(), String> {
    let results = dkim_results(header, server)
        .ok_or("your mail server left no word about its signatures (`Authentication-Results`)")?;
    let owners = [sender.domain(), url.host_str().unwrap_or_default().to_owned()];
    let is_theirs = |domain: &str| owners.iter().any(|owner| site(owner) == site(domain));
    let theirs: Vec<_> = results.iter().filter(|it| is_theirs(&it.domain)).collect();
    if theirs.is_empty() {
        return Err("no signature (DKIM) is by the sender's domain or by that of its page".to_owned());
    }
    let covering = signatures(header);
    let holds = |result: &&DkimResult| {
        let of = |it: &&&DkimResult| it.domain == result.domain;
        let own: Vec<_> = covering.iter().filter(|(domain, _)| *domain == result.domain).collect();
        theirs.iter().filter(of).all(|it| it.is_good)
            && !own.is_empty()
            && own.iter().all(|(_, covers)| *covers)
    };
    if theirs.iter().any(holds) {
        return Ok(());
    }
    if theirs.iter().all(|it| !it.is_good) {
        return Err("your mail server says that its signature (DKIM) does not hold".to_owned());
    }
    Err("its signature (DKIM) does not cover both `List-Unsubscribe` fields".to_owned())
}

/// The domain of each signature, and whether it covers both fields.
fn signatures(header: &Header<'_>) -> Vec<(String, bool)> {
    let read = |value: &[u8]| {
        let text = words::without_blanks(&String::from_utf8_lossy(value));
        let tag = |name: &str| text.split(';').find_map(|it| it.strip_prefix(name)?.strip_prefix('='));
        let domain = tag("d")?.trim_end_matches('.').to_lowercase();
        let covered: Vec<_> = tag("h")?.split(':').map(str::to_lowercase).collect();
        let covers = |name: &str| covered.iter().any(|it| it == name);
        Some((domain, covers("list-unsubscribe") && covers("list-unsubscribe-post")))
    };
    header.all("DKIM-Signature").filter_map(read).collect()
}

fn mailto(places: &[String]) -> Result<Mailto, String> {
    let is_mail = |place: &&String| place.get(..7).is_some_and(|it| it.eq_ignore_ascii_case("mailto:"));
    let place = places.iter().find(is_mail).ok_or("`List-Unsubscribe` names no mail address")?;
    let (to, query) = place[7..].split_once('?').unwrap_or((&place[7..], ""));
    let mut mail =
        Mailto { to: decoded(to)?, subject: "unsubscribe".to_owned(), body: "unsubscribe".to_owned() };
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match name.to_ascii_lowercase().as_str() {
            "subject" => mail.subject = decoded(value)?,
            "body" => mail.body = decoded(value)?,
            other => {
                return Err(format!(
                    "the mail it asks for has a field of its own, `{}`",
                    words::one_line(other)
                ));
            }
        }
    }
    if mail.to.contains([',', ';', ' ']) {
        return Err("the mail it asks for goes to several addresses".to_owned());
    }
    Ok(mail)
}

/// A piece without its percent signs; one with a line end could begin a field of its own.
fn decoded(piece: &str) -> Result<String, String> {
    let text = percent_decode_str(piece).decode_utf8().map_err(|_| "the mail it asks for cannot be read")?;
    if text.chars().any(char::is_control) {
        return Err("the mail it asks for has line ends or control characters in it".to_owned());
    }
    if text.chars().count() > LONGEST_TEXT {
        return Err(format!("the mail it asks for is longer than {LONGEST_TEXT} characters"));
    }
    Ok(text.into_owned())
}

#[cfg(test)]
#[path = "unsubscribe_tests.rs"]
mod tests;
