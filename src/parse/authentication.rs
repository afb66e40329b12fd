//! What the owner's own provider found out about a sender: SPF, DKIM, DMARC (RFC 8601). A field of anybody else
//! proves nothing, since senders can write such fields themselves; and since they can write one in the provider's name,
//! only the topmost field counts, which is the one that was put there last.

use super::header::{Header, Owner};
use super::visible_text::links::{owner, same_owner};
use super::words;
use crate::model::SenderVerdicts;

/// Providers, by the domains of their addresses and servers, and how these call themselves in their fields.
const PROVIDERS: [(&[&str], &str); 9] = [
    (&["gmail.com", "googlemail.com"], "google.com"),
    (&["outlook.com", "hotmail.com", "live.com", "msn.com", "office365.com", "office.com"], MICROSOFT),
    (&["yahoo.com", "ymail.com", "rocketmail.com", "aol.com"], "yahoo.com"),
    (&["icloud.com", "me.com", "mac.com"], "icloud.com"),
    (&["fastmail.com", "fastmail.fm"], "messagingengine.com"),
    (&["proton.me", "protonmail.com", "pm.me"], "protonmail.ch"),
    (&["gmx.net", "gmx.de", "gmx.com", "gmx.at", "gmx.ch"], "gmx.net"),
    (&["web.de"], "web.de"),
    (&["zoho.com", "zohomail.com"], "zohomail.com"),
];

/// Its servers leave their own name out.
const MICROSOFT: &str = "outlook.com";

/// The server whose word counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailServer(String);

impl MailServer {
    /// The one that an account's mail is read from (`host`); where that is not known by a name, the one of its address.
    #[must_use]
    pub fn of(address: &str, host: Option<&str>) -> Self {
        let is_name = |host: &&str| host.contains('.') && host.parse::<std::net::IpAddr>().is_err();
        let own = address.rsplit_once('@').map(|(_, domain)| domain).unwrap_or_default();
        let domain = host.filter(is_name).unwrap_or(own).trim_end_matches('.').to_lowercase();
        let known = PROVIDERS.iter().find(|(domains, _)| domains.contains(&owner(&domain)));
        Self(known.map_or(domain.as_str(), |(_, server)| server).to_owned())
    }

    /// Whether a field is by it; the name that the field gives.
    fn wrote(&self, field: &str) -> Option<String> {
        let by = field.split(';').next()?.split_whitespace().next()?.to_lowercase();
        let is_nameless = self.0 == MICROSOFT && by.contains('=');
        match is_nameless {
            true => Some(self.0.clone()),
            false => Some(by).filter(|by| same_owner(by, &self.0)),
        }
    }
}

/// The verdicts in a message of an account whose mail is on this server; `None` where it left none.
#[must_use]
pub fn verdicts(bytes: &[u8], server: &MailServer) -> Option<SenderVerdicts> {
    let header = Header::read(bytes, Owner::Message, |_| false);
    let (by, field) = newest(&header, server)?;
    Some(read(by, &field))
}

/// The topmost field, if it is by the server, and the name that it gives.
fn newest(header: &Header<'_>, server: &MailServer) -> Option<(String, String)> {
    let field = without_comments(&words::unstructured(header.all("Authentication-Results").next()?));
    Some((server.wrote(&field)?, field))
}

/// What the owner's own provider said of one signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DkimResult {
    /// The domain that signed, in lower case.
    pub(super) domain: String,
    /// Whether the signature holds.
    pub(super) is_good: bool,
}

/// What the server said of each signature; `None` where it left no field.
pub(super) fn dkim_results(header: &Header<'_>, server: &MailServer) -> Option<Vec<DkimResult>> {
    let (_, field) = newest(header, server)?;
    Some(field.split(';').filter_map(dkim_result).collect())
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

fn read(by: String, field: &str) -> SenderVerdicts {
    let mut verdicts = SenderVerdicts { by, ..SenderVerdicts::default() };
    for part in field.split(';') {
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
    verdicts
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
    use super::{MailServer, verdicts};
    use crate::model::SenderVerdicts;

    const FIELDS: &str = "Authentication-Results: mx.google.com;\r\n dkim=fail (bad; sig) header.i=@a.example;\r\n \
        dkim=pass header.i=@b.example; spf=SoftFail (x) smtp.mailfrom=y;\r\n dmarc=fail (p=NONE)\r\n\
        Authentication-Results: mx.google.com; dmarc=pass\r\nSubject: x\r\n\r\n";

    fn of(fields: &str, address: &str, host: Option<&str>) -> Option<SenderVerdicts> {
        verdicts(format!("{fields}\n\n").as_bytes(), &MailServer::of(address, host))
    }

    #[test]
    fn the_providers_newest_field_counts() {
        let found = of(FIELDS, "ada@gmail.com", None).unwrap();

        assert_eq!((found.spf, found.dkim, found.dmarc), (Some("softfail"), Some("pass"), Some("fail")));
        assert_eq!(found.by, "mx.google.com");
    }

    #[test]
    fn fields_of_others_count_for_nothing() {
        assert_eq!(of(FIELDS, "ada@example.org", None), None);
        assert_eq!(
            of("Authentication-Results: mx.google.com.evil.example; spf=pass", "a@gmail.com", None),
            None
        );
        assert_eq!(of("Authentication-Results:", "a@gmail.com", None), None);
        assert!(of("Authentication-Results: mail.example.org; spf=pass", "a@example.org", None).is_some());
    }

    #[test]
    fn a_field_that_a_sender_wrote_in_the_owners_name_counts_for_nothing() {
        let forged = "Authentication-Results: mail.example.org; dkim=pass header.d=bank.example";
        let true_one = "Authentication-Results: mx.google.com; dkim=none";

        let hosted = of(&format!("{true_one}\n{forged}"), "ada@example.org", Some("imap.gmail.com")).unwrap();

        assert_eq!((hosted.by.as_str(), hosted.dkim), ("mx.google.com", Some("none")));
        assert_eq!(of(forged, "ada@example.org", Some("imap.gmail.com")), None);
        assert_eq!(of(&format!("{true_one}\n{forged}"), "ada@example.org", None), None, "it is not on top");
    }

    #[test]
    fn the_server_of_a_hosted_domain_is_known_by_where_its_mail_is_read() {
        for (host, field) in [
            ("imap.gmail.com", "mx.google.com; spf=pass"),
            ("outlook.office365.com", "spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=a.example; dkim=pass"),
            ("imap.fastmail.com", "mx5.messagingengine.com; spf=pass"),
            ("imap.mail.me.com", "spf.icloud.com; spf=pass"),
            ("127.0.0.1", "mail.example.org; spf=pass"),
            ("localhost", "mail.example.org; spf=pass"),
        ] {
            let found = of(&format!("Authentication-Results: {field}"), "ada@example.org", Some(host));
            assert_eq!(found.unwrap_or_else(|| panic!("{host}")).spf, Some("pass"), "{host}");
        }
        let nameless = "Authentication-Results: spf=pass smtp.mailfrom=a.example; dkim=pass";
        assert_eq!(of(nameless, "ada@example.org", Some("imap.gmail.com")), None);
    }
}
