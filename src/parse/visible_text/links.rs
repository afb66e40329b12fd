//! Where a link really leads: its host, without what only serves to follow people, short enough to be read.

/// Longer addresses are shown as far as their host.
const LONGEST: usize = 80;

/// A link's target as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The address without tracking, cut to its host when it is long.
    pub(crate) shown: String,
    /// The host in lower case; empty for a mail address.
    pub(crate) host: String,
}

/// Reads an `href`; `None` for what leads nowhere on its own.
pub(crate) fn target(href: &str) -> Option<Target> {
    let href: String = href.trim().chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
    if let Some(address) = strip_prefix_any_case(&href, "mailto:") {
        let address = address.split(['?', '&']).next().unwrap_or_default();
        let plain = address.contains('@') && address.len() <= LONGEST && address.chars().all(is_plain);
        return plain.then(|| Target { shown: format!("mailto:{address}"), host: String::new() });
    }
    let (scheme, rest) = match href.split_once(':') {
        Some((scheme, rest))
            if ["http", "https", "ftp"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) =>
        {
            (scheme.to_ascii_lowercase(), rest.trim_start_matches(['/', '\\']))
        }
        _ => ("https".to_owned(), href.strip_prefix("//")?),
    };
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let host = host_of(&rest[..end]);
    if host.is_empty() {
        return None;
    }
    let path = without_tracking(&rest[end..]);
    let full = format!("{scheme}://{host}{path}");
    let fits = full.len() <= LONGEST && path.chars().all(is_plain);
    let shown = match fits {
        true => full.trim_end_matches('/').to_owned(),
        false => format!("{scheme}://{host}/…"),
    };
    Some(Target { shown, host })
}

fn strip_prefix_any_case<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

/// Characters that mean nothing to Markdown.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~/?#@!$&'*+,;=:%".contains(c)
}

/// The host of an authority, without user, port and what a browser would not show.
fn host_of(authority: &str) -> String {
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let clean = |c: &char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '%' | ':');
    host.chars()
        .filter(clean)
        .take(253)
        .flat_map(char::to_lowercase)
        .collect::<String>()
        .trim_matches('.')
        .to_owned()
}

/// A path and query without parameters that follow people, and without a fragment of text.
fn without_tracking(path: &str) -> String {
    let (path, fragment) = path.split_once('#').unwrap_or((path, ""));
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let kept: Vec<&str> =
        query.split('&').filter(|parameter| !parameter.is_empty() && !tracks(parameter)).collect();
    let mut out = path.to_owned();
    if !kept.is_empty() {
        out.push('?');
        out.push_str(&kept.join("&"));
    }
    if !fragment.is_empty() && !fragment.starts_with(":~:") && !fragment.contains("utm_") {
        out.push('#');
        out.push_str(fragment);
    }
    out
}

const TRACKERS: [&str; 24] = [
    "fbclid",
    "gclid",
    "dclid",
    "gbraid",
    "wbraid",
    "msclkid",
    "yclid",
    "twclid",
    "ttclid",
    "igshid",
    "mc_cid",
    "mc_eid",
    "_hsenc",
    "_hsmi",
    "hsctatracking",
    "vero_id",
    "vero_conv",
    "oly_anon_id",
    "oly_enc_id",
    "wickedid",
    "mkt_tok",
    "trk",
    "trkemail",
    "elqtrackid",
];

fn tracks(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.starts_with("utm_")
        || name.starts_with("pk_")
        || name.starts_with("sc_")
        || TRACKERS.contains(&name.as_str())
}

/// The host that a text names, if it looks like an address of its own.
pub(crate) fn shown_host(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches(['<', '(', '"', '[']);
    let word = text.split_whitespace().next()?;
    let rest = match word.find("://") {
        Some(at) => &word[at + 3..],
        None => word,
    };
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let host = host_of(&rest[..end]);
    let (name, top) = host.rsplit_once('.')?;
    let is_domain = !name.is_empty() && top.chars().count() >= 2 && top.chars().all(char::is_alphabetic);
    let alone = text.split_whitespace().count() == 1 || word.contains("://") || word.starts_with("www.");
    (is_domain && alone && !word[..word.find('/').unwrap_or(word.len())].contains('@')).then_some(host)
}

/// Whether two hosts belong to the same owner, as far as names tell: one is a part of the other, or they share
/// their last two labels, or three where the last two are as short as `co.uk`.
pub(crate) fn same_owner(a: &str, b: &str) -> bool {
    owner(a) == owner(b)
}

/// The part of a host that its owner registered.
pub(crate) fn owner(host: &str) -> &str {
    let mut dots = host.char_indices().rev().filter(|(_, c)| *c == '.').map(|(at, _)| at);
    let (Some(last), second, third) = (dots.next(), dots.next(), dots.next()) else { return host };
    let Some(second) = second else { return host };
    let short = host.len() - last <= 3
        && matches!(
            &host[second + 1..last],
            "co" | "com" | "net" | "org" | "ac" | "gov" | "edu" | "ne" | "or" | "gob" | "go"
        );
    match (short, third) {
        (false, _) => &host[second + 1..],
        (true, Some(third)) => &host[third + 1..],
        (true, None) => host,
    }
}

#[cfg(test)]
mod tests {
    use super::{owner, same_owner, shown_host, target};

    fn shown(href: &str) -> String {
        target(href).map(|target| target.shown).unwrap_or_default()
    }

    #[test]
    fn a_link_shows_where_it_leads() {
        for (href, expected) in [
            ("https://example.org/a?utm_source=x&id=3&fbclid=y#top", "https://example.org/a?id=3#top"),
            ("HTTP://user:pass@Example.org:8080/", "http://example.org"),
            ("https://bank.example@evil.example/login", "https://evil.example/login"),
            ("https:\\\\evil.example\\x", "https://evil.example/…"),
            ("//example.org/x", "https://example.org/x"),
            ("mailto:ada@example.org?subject=hi", "mailto:ada@example.org"),
            ("javascript:alert(1)", ""),
            ("data:text/html,x", ""),
            ("/relative", ""),
            ("https://exa\nmple.org/a b", "https://example.org/ab"),
            ("https://example.org/a)(b", "https://example.org/…"),
        ] {
            assert_eq!(shown(href), expected, "{href}");
        }
        assert_eq!(shown(&format!("https://t.example/{}", "x".repeat(300))), "https://t.example/…");
    }

    #[test]
    fn a_text_that_is_an_address_names_its_host() {
        for (text, expected) in [
            ("https://bank.example.com/login", Some("bank.example.com")),
            ("www.example.org", Some("www.example.org")),
            ("example.org", Some("example.org")),
            ("Read more", None),
            ("ada@example.org", None),
            ("version 2.0", None),
            ("1.5", None),
        ] {
            assert_eq!(shown_host(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn hosts_of_one_owner_are_told() {
        assert!(same_owner("www.example.org", "click.mail.example.org"));
        assert!(same_owner("shop.example.co.uk", "example.co.uk"));
        assert!(!same_owner("example.co.uk", "other.co.uk"));
        assert!(!same_owner("example.org", "example.com"));
        assert_eq!(owner("localhost"), "localhost");
    }
}
