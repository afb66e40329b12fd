//! What the owner's own provider found out about a sender: SPF, DKIM, DMARC (RFC 8601). A field of anybody else
//! proves nothing, since senders can write such fields themselves.

use super::header::{Header, Owner};
use super::visible_text::links::same_owner;
use super::words;
use crate::model::SenderVerdicts;

/// Providers, by the domains of their addresses, and how their servers call themselves.
const PROVIDERS: [(&[&str], &str); 9] = [
    (&["gmail.com", "googlemail.com"], "google.com"),
    (&["outlook.com", "hotmail.com", "live.com", "msn.com"], "outlook.com"),
    (&["yahoo.com", "ymail.com", "rocketmail.com", "aol.com"], "yahoo.com"),
    (&["icloud.com", "me.com", "mac.com"], "icloud.com"),
    (&["fastmail.com", "fastmail.fm"], "messagingengine.com"),
    (&["proton.me", "protonmail.com", "pm.me"], "protonmail.ch"),
    (&["gmx.net", "gmx.de", "gmx.com", "gmx.at", "gmx.ch"], "gmx.net"),
    (&["web.de"], "web.de"),
    (&["zoho.com", "zohomail.com"], "zohomail.com"),
];

/// The verdicts in a message that lies in the account with this address; `None` where its provider left none.
#[must_use]
pub fn verdicts(bytes: &[u8], account: &str) -> Option<SenderVerdicts> {
    let header = Header::read(bytes, Owner::Message, |_| false);
    let (_, domain) = account.rsplit_once('@')?;
    let server = server_of(&domain.to_lowercase());
    // Servers put their field on top, so the first one of the provider's is its newest.
    header.all("Authentication-Results").map(words::unstructured).find_map(|field| read(&field, &server))
}

/// What the owner's own provider said of one signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DkimResult {
    /// The domain that signed, in lower case.
    pub(super) domain: String,
    /// Whether the signature holds.
    pub(super) is_good: bool,
}

/// What the provider of the account with this address said of each signature, in its newest field; `None` where it left
/// no field. Servers put theirs on top, so that what a sender wrote under its name stands below.
pub(super) fn dkim_results(header: &Header<'_>, account: &str) -> Option<Vec<DkimResult>> {
    let (_, domain) = account.rsplit_once('@')?;
    let server = server_of(&domain.to_lowercase());
    let fields = header.all("Authentication-Results").map(words::unstructured);
    let field = fields.map(|field| without_comments(&field)).find(|field| is_by(field, &server))?;
    Some(field.split(';').skip(1).filter_map(dkim_result).collect())
}

fn is_by(field: &str, server: &str) -> bool {
    let by = field.split(';').next().and_then(|first| first.split_whitespace().next());
    by.is_some_and(|by| same_owner(&by.to_lowercase(), server))
}

/// `dkim=pass header.d=example.org`, or with `header.i=@example.org`.
fn dkim_result(part: &str) -> Option<DkimResult> {
    let mut words = part.split_whitespace();
    let (method, result) = words.next()?.split_once('=')?;
    if !method.eq_ignore_ascii_case("dkim") {
        return None;
    }
    let properties: Vec<_> = words.filter_map(|word| word.split_once('=')).collect();
    let property = |name: &str| {
        let found = properties.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim_matches('"'))
    };
    let behind_at = |value: &'_ str| value.rsplit('@').next().unwrap_or_default().to_owned();
    let domain = property("header.d").map(str::to_owned).or_else(|| property("header.i").map(behind_at))?;
    let domain = domain.trim_end_matches('.').to_lowercase();
    Some(DkimResult { domain, is_good: result.eq_ignore_ascii_case("pass") })
}

fn server_of(domain: &str) -> String {
    let known = PROVIDERS.iter().find(|(domains, _)| domains.contains(&domain));
    known.map_or(domain, |(_, server)| server).to_owned()
}

fn read(field: &str, server: &str) -> Option<SenderVerdicts> {
    let field = without_comments(field);
    let mut parts = field.split(';').map(str::trim);
    let by = parts.next()?.split_whitespace().next()?.to_lowercase();
    if !same_owner(&by, server) {
        return None;
    }
    let mut verdicts = SenderVerdicts { by, ..SenderVerdicts::default() };
    for part in parts {
        let Some((method, result)) = part.split_whitespace().next().and_then(|word| word.split_once('='))
        else {
            continue;
        };
        let place = match method.to_lowercase().as_str() {
            "spf" => &mut verdicts.spf,
            "dkim" => &mut verdicts.dkim,
            "dmarc" => &mut verdicts.dmarc,
            _ => continue,
        };
        let result = known_result(result);
        // Of several signatures one that holds is enough.
        if place.is_none() || result == "pass" {
            *place = Some(result);
        }
    }
    Some(verdicts)
}

fn known_result(result: &str) -> &'static str {
    const RESULTS: [&str; 10] = [
        "pass",
        "fail",
        "softfail",
        "neutral",
        "none",
        "policy",
        "temperror",
        "permerror",
        "bestguesspass",
        "hardfail",
    ];
    RESULTS.into_iter().find(|known| result.eq_ignore_ascii_case(known)).unwrap_or("unknown")
}

fn without_comments(field: &str) -> String {
    let mut depth = 0_usize;
    let keep = |c: &char| {
        match c {
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                return false;
            }
            _ => {}
        }
        depth == 0
    };
    field.chars().filter(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::verdicts;

    const FIELDS: &str = "Authentication-Results: mx.google.com;\r\n dkim=fail (bad; sig) header.i=@a.example;\r\n \
        dkim=pass header.i=@b.example; spf=SoftFail (x) smtp.mailfrom=y;\r\n dmarc=fail (p=NONE)\r\n\
        Authentication-Results: mx.google.com; dmarc=pass\r\nSubject: x\r\n\r\n";

    #[test]
    fn the_providers_newest_field_counts() {
        let found = verdicts(FIELDS.as_bytes(), "ada@gmail.com").unwrap();

        assert_eq!((found.spf, found.dkim, found.dmarc), (Some("softfail"), Some("pass"), Some("fail")));
        assert_eq!(found.by, "mx.google.com");
    }

    #[test]
    fn fields_of_others_count_for_nothing() {
        assert_eq!(verdicts(FIELDS.as_bytes(), "ada@example.org"), None);
        assert_eq!(
            verdicts(b"Authentication-Results: mx.google.com.evil.example; spf=pass\n\n", "a@gmail.com"),
            None
        );
        assert_eq!(verdicts(b"Authentication-Results:\n\n", "a@gmail.com"), None);
        assert!(
            verdicts(b"Authentication-Results: mail.example.org; spf=pass\n\n", "a@example.org").is_some()
        );
    }
}
