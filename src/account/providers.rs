//! What is publicly known about mail providers, so that an address is enough to add an account.

use crate::model::{AccountSettings, Endpoint, SignIn, Tls, Via};

/// A provider of mail accounts.
#[derive(Debug, Clone, Copy)]
pub struct Provider {
    /// Its name.
    pub name: &'static str,
    /// Domains of its addresses.
    domains: &'static [&'static str],
    imap: (&'static str, u16, Tls),
    smtp: (&'static str, u16, Tls),
    /// How it wants to be signed in to; an app password works where `app_password` says how to get one.
    pub sign_in: SignIn,
    /// Where a password for programs is made.
    pub app_password: Option<&'static str>,
    /// Whether it puts what was submitted by SMTP into Sent itself.
    pub keeps_sent: bool,
}

const PLAIN: Provider = Provider {
    name: "",
    domains: &[],
    imap: ("", 993, Tls::Implicit),
    smtp: ("", 465, Tls::Implicit),
    sign_in: SignIn::Password,
    app_password: None,
    keeps_sent: false,
};

/// The providers we know.
pub const PROVIDERS: &[Provider] = &[
    Provider {
        name: "Gmail",
        domains: &["gmail.com", "googlemail.com"],
        imap: ("imap.gmail.com", 993, Tls::Implicit),
        smtp: ("smtp.gmail.com", 465, Tls::Implicit),
        app_password: Some("https://myaccount.google.com/apppasswords"),
        keeps_sent: true,
        ..PLAIN
    },
    Provider {
        name: "Outlook",
        domains: &[
            "outlook.com",
            "hotmail.com",
            "live.com",
            "msn.com",
            "outlook.de",
            "hotmail.co.uk",
            "hotmail.fr",
        ],
        imap: ("outlook.office365.com", 993, Tls::Implicit),
        smtp: ("smtp-mail.outlook.com", 587, Tls::StartTls),
        sign_in: SignIn::Microsoft,
        keeps_sent: true,
        ..PLAIN
    },
    Provider {
        name: "iCloud",
        domains: &["icloud.com", "me.com", "mac.com"],
        imap: ("imap.mail.me.com", 993, Tls::Implicit),
        smtp: ("smtp.mail.me.com", 587, Tls::StartTls),
        app_password: Some("https://account.apple.com, under Sign-In and Security"),
        ..PLAIN
    },
    Provider {
        name: "Fastmail",
        domains: &["fastmail.com", "fastmail.fm", "sent.com", "messagingengine.com"],
        imap: ("imap.fastmail.com", 993, Tls::Implicit),
        smtp: ("smtp.fastmail.com", 465, Tls::Implicit),
        app_password: Some("https://app.fastmail.com/settings/security/apps"),
        ..PLAIN
    },
    Provider {
        name: "Yahoo",
        domains: &[
            "yahoo.com",
            "ymail.com",
            "rocketmail.com",
            "yahoo.de",
            "yahoo.co.uk",
            "yahoo.fr",
            "aol.com",
        ],
        imap: ("imap.mail.yahoo.com", 993, Tls::Implicit),
        smtp: ("smtp.mail.yahoo.com", 465, Tls::Implicit),
        app_password: Some("https://login.yahoo.com/account/security"),
        keeps_sent: true,
        ..PLAIN
    },
    Provider {
        name: "GMX",
        domains: &["gmx.de", "gmx.net", "gmx.at", "gmx.ch"],
        imap: ("imap.gmx.net", 993, Tls::Implicit),
        smtp: ("mail.gmx.net", 465, Tls::Implicit),
        ..PLAIN
    },
    Provider {
        name: "GMX",
        domains: &["gmx.com", "gmx.us", "gmx.co.uk"],
        imap: ("imap.gmx.com", 993, Tls::Implicit),
        smtp: ("mail.gmx.com", 465, Tls::Implicit),
        ..PLAIN
    },
    Provider {
        name: "WEB.DE",
        domains: &["web.de"],
        imap: ("imap.web.de", 993, Tls::Implicit),
        smtp: ("smtp.web.de", 465, Tls::Implicit),
        ..PLAIN
    },
    Provider {
        name: "Proton Bridge",
        domains: &["proton.me", "protonmail.com", "pm.me", "protonmail.ch"],
        imap: ("127.0.0.1", 1143, Tls::None),
        smtp: ("127.0.0.1", 1025, Tls::None),
        app_password: Some("the Proton Mail Bridge application, which must be running"),
        keeps_sent: true,
        ..PLAIN
    },
    Provider {
        name: "Mailbox.org",
        domains: &["mailbox.org"],
        imap: ("imap.mailbox.org", 993, Tls::Implicit),
        smtp: ("smtp.mailbox.org", 465, Tls::Implicit),
        ..PLAIN
    },
    Provider {
        name: "Posteo",
        domains: &["posteo.de", "posteo.net", "posteo.org"],
        imap: ("posteo.de", 993, Tls::Implicit),
        smtp: ("posteo.de", 465, Tls::Implicit),
        ..PLAIN
    },
    Provider {
        name: "Zoho",
        domains: &["zoho.com", "zohomail.com"],
        imap: ("imap.zoho.com", 993, Tls::Implicit),
        smtp: ("smtp.zoho.com", 465, Tls::Implicit),
        app_password: Some("https://accounts.zoho.com/home#security/app_password"),
        ..PLAIN
    },
    Provider {
        name: "T-Online",
        domains: &["t-online.de", "magenta.de"],
        imap: ("secureimap.t-online.de", 993, Tls::Implicit),
        smtp: ("securesmtp.t-online.de", 465, Tls::Implicit),
        ..PLAIN
    },
];

fn endpoint((host, port, tls): (&str, u16, Tls)) -> Endpoint {
    Endpoint { host: host.to_owned(), port, tls }
}

/// The part of an address behind the `@`, in lower case.
#[must_use]
pub fn domain(address: &str) -> String {
    address.rsplit_once('@').map(|(_, domain)| domain.to_lowercase()).unwrap_or_default()
}

impl Provider {
    /// The provider of an address, if we know it.
    #[must_use]
    pub fn of(address: &str) -> Option<&'static Self> {
        let domain = domain(address);
        PROVIDERS.iter().find(|provider| provider.domains.contains(&domain.as_str()))
    }

    /// The provider whose server this is, if we know it.
    #[must_use]
    pub fn of_host(host: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|p| [p.imap.0, p.smtp.0].contains(&host) && !host.starts_with("127."))
    }

    /// Google, whatever the domain of an address is.
    #[must_use]
    pub fn gmail() -> &'static Self {
        &PROVIDERS[0]
    }

    /// Settings for one of its addresses.
    #[must_use]
    pub fn settings(&self, address: &str) -> AccountSettings {
        AccountSettings {
            via: Via::Imap,
            user: address.to_owned(),
            sign_in: self.sign_in,
            imap: Some(endpoint(self.imap)),
            smtp: Some(endpoint(self.smtp)),
        }
    }
}

/// Where the IMAP server of an unknown provider usually is, the likeliest place first.
#[must_use]
pub fn imap_guesses(address: &str) -> Vec<Endpoint> {
    guesses(address, "imap", [(993, Tls::Implicit), (143, Tls::StartTls)])
}

/// Where its SMTP server usually is.
#[must_use]
pub fn smtp_guesses(address: &str) -> Vec<Endpoint> {
    guesses(address, "smtp", [(465, Tls::Implicit), (587, Tls::StartTls)])
}

/// The usual hosts of a domain, each with the usual ports. Never without protection.
fn guesses(address: &str, name: &str, ports: [(u16, Tls); 2]) -> Vec<Endpoint> {
    let domain = domain(address);
    let hosts = [format!("{name}.{domain}"), format!("mail.{domain}"), domain];
    let places = hosts.iter().flat_map(|host| ports.iter().map(move |port| (host, port)));
    places.map(|(host, (port, tls))| Endpoint { host: host.clone(), port: *port, tls: *tls }).collect()
}

#[cfg(test)]
mod tests {
    use super::{PROVIDERS, Provider, imap_guesses, smtp_guesses};
    use crate::model::Tls;

    #[test]
    fn a_known_address_needs_nothing_else() {
        let settings = Provider::of("Ada@GMail.com").unwrap().settings("Ada@GMail.com");

        assert_eq!(settings.imap.unwrap().to_string(), "imap.gmail.com:993");
        assert_eq!(settings.smtp.unwrap().to_string(), "smtp.gmail.com:465");
        assert_eq!(Provider::gmail().name, "Gmail");
        assert!(Provider::of("ada@example.org").is_none());
        assert_eq!(imap_guesses("ada@example.org")[0].to_string(), "imap.example.org:993");
        assert_eq!(smtp_guesses("ada@example.org")[3].to_string(), "mail.example.org:587");
    }

    #[test]
    fn only_a_bridge_on_the_own_machine_goes_without_tls_and_no_domain_stands_twice() {
        let mut domains: Vec<_> = PROVIDERS.iter().flat_map(|p| p.domains).collect();
        let count = domains.len();
        domains.sort();
        domains.dedup();

        assert_eq!(domains.len(), count);
        for provider in PROVIDERS {
            for (host, _, tls) in [provider.imap, provider.smtp] {
                assert!(tls != Tls::None || host == "127.0.0.1", "{}", provider.name);
            }
        }
    }
}
