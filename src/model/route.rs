//! What an item leaves by, in words that are part of what is approved.

use std::fmt;
use std::path::PathBuf;

use crate::model::{Endpoint, Tls};

/// What an item leaves by. Its words are part of what is approved: another server or user needs another yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// A server that takes mail.
    Smtp {
        /// Where it is.
        endpoint: Endpoint,
        /// Who signs in there; nobody where it asks for nothing.
        user: String,
    },
    /// The Gmail API.
    Gmail {
        /// Where it is.
        base_url: String,
        /// Whose mailbox.
        user: String,
    },
    /// Files in a folder; nothing goes to a server.
    Folder(PathBuf),
    /// WhatsApp's Cloud API.
    WhatsApp {
        /// Where it is, with its version.
        base_url: String,
        /// The id of the owner's number.
        number: String,
    },
    /// LinkedIn's API.
    LinkedIn {
        /// Where it is.
        base_url: String,
        /// The month whose form it has: `202511`.
        version: String,
        /// Who posts: `urn:li:person:...`.
        author: String,
    },
    /// One request to where a list takes them (RFC 8058).
    OneClick(String),
}

impl Route {
    /// Reads the words that a route is kept as.
    #[must_use]
    pub fn parse(words: &str) -> Option<Self> {
        let (kind, rest) = words.split_once(' ')?;
        match kind {
            "folder" => Some(Self::Folder(PathBuf::from(rest))),
            "gmail" => {
                let (base_url, user) = rest.split_once(' ')?;
                Some(Self::Gmail { base_url: base_url.to_owned(), user: user.to_owned() })
            }
            "smtp" => {
                let mut fields = rest.splitn(4, ' ');
                let mut next = || fields.next().map(str::to_owned);
                let (host, port, tls, user) = (next()?, next()?, next()?, next()?);
                let endpoint = Endpoint { host, port: port.parse().ok()?, tls: Tls::parse(&tls)? };
                Some(Self::Smtp { endpoint, user })
            }
            "whatsapp" => {
                let (base_url, number) = rest.split_once(' ')?;
                Some(Self::WhatsApp { base_url: base_url.to_owned(), number: number.to_owned() })
            }
            "linkedin" => {
                let mut fields = rest.splitn(3, ' ').map(str::to_owned);
                let (base_url, version, author) = (fields.next()?, fields.next()?, fields.next()?);
                Some(Self::LinkedIn { base_url, version, author })
            }
            "one-click" => Some(Self::OneClick(rest.to_owned())),
            _ => None,
        }
    }

    /// The host, or what stands for it, as limits name it.
    #[must_use]
    pub fn server(&self) -> &str {
        match self {
            Self::Smtp { endpoint, .. } => &endpoint.host,
            Self::Gmail { .. } => "gmail",
            Self::Folder(_) => "folder",
            Self::WhatsApp { .. } => "whatsapp",
            Self::LinkedIn { .. } => "linkedin",
            Self::OneClick(url) => host(url),
        }
    }

    /// Host and port, or what stands for them, for people.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            Self::Smtp { endpoint, .. } => endpoint.to_string(),
            Self::Gmail { .. } => "Gmail".to_owned(),
            Self::Folder(path) => path.display().to_string(),
            Self::WhatsApp { base_url, .. } | Self::LinkedIn { base_url, .. } => host(base_url).to_owned(),
            Self::OneClick(url) => host(url).to_owned(),
        }
    }
}

/// As it is kept and hashed.
impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Smtp { endpoint: Endpoint { host, port, tls }, user } => {
                write!(f, "smtp {host} {port} {} {user}", tls.name())
            }
            Self::Gmail { base_url, user } => write!(f, "gmail {base_url} {user}"),
            Self::Folder(path) => write!(f, "folder {}", path.display()),
            Self::WhatsApp { base_url, number } => write!(f, "whatsapp {base_url} {number}"),
            Self::LinkedIn { base_url, version, author } => {
                write!(f, "linkedin {base_url} {version} {author}")
            }
            Self::OneClick(url) => write!(f, "one-click {url}"),
        }
    }
}

/// Host and port of a URL.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Route;
    use crate::model::{Endpoint, Tls};

    fn smtp(host: &str, port: u16, tls: Tls, user: &str) -> Route {
        Route::Smtp { endpoint: Endpoint { host: host.to_owned(), port, tls }, user: user.to_owned() }
    }

    #[test]
    fn a_route_reads_back_from_its_words() {
        let gmail = Route::Gmail { base_url: "https://x.example".to_owned(), user: "a@x.example".to_owned() };
        for route in [
            smtp("mx.example", 465, Tls::Implicit, "ada lovelace"),
            smtp("::1", 25, Tls::None, ""),
            gmail,
            Route::Folder("/home/ada/out going".into()),
            Route::WhatsApp { base_url: "https://x.example/v1".to_owned(), number: "123".to_owned() },
            Route::LinkedIn {
                base_url: "https://x.example".to_owned(),
                version: "202511".to_owned(),
                author: "urn:li:person:a".to_owned(),
            },
            Route::OneClick("https://news.example/off?u=1".to_owned()),
        ] {
            assert_eq!(Route::parse(&route.to_string()), Some(route));
        }
    }
}
