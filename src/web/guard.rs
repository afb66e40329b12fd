//! Who may talk to the pages. The person's browser, under one name with its port, from our own pages. Another page in the
//! same browser must not, even one that another server on this machine shows.

use axum::http::{HeaderMap, Method, StatusCode};

/// Who speaks to this port need not name it.
const HTTP_PORT: u16 = 80;
/// What a form of ours is sent as. Other types can be sent by pages of others without asking.
const FORM: &str = "application/x-www-form-urlencoded";

/// Where the pages are.
#[derive(Debug, Clone)]
pub struct PageAddress {
    /// As browsers name it in `Host`.
    host: String,
    /// The same server under names that keys and cookies would not know.
    aliases: [String; 2],
}

/// What to do with a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is for us.
    Pass,
    /// It is for us under another name: the same path under our own.
    Elsewhere,
    /// It is not.
    Refuse(StatusCode, &'static str),
}

/// What a page needs from who asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Anybody may follow a link to it; it shows nothing.
    Door,
    /// Only our own pages, and the person's own hand, lead to it.
    Inside,
}

impl PageAddress {
    /// The pages of a server on this port of this machine.
    #[must_use]
    pub fn at(port: u16) -> Self {
        let named = |name: &str| if port == HTTP_PORT { name.to_owned() } else { format!("{name}:{port}") };
        Self { host: named("localhost"), aliases: [named("127.0.0.1"), named("[::1]")] }
    }

    /// Where they begin: `http://localhost:8025`.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.host)
    }

    /// Judges a request by what it says about where it comes from and goes to.
    pub(super) fn judge(&self, method: &Method, headers: &HeaderMap, kind: Kind) -> Verdict {
        let refuse = |why| Verdict::Refuse(StatusCode::FORBIDDEN, why);
        let (Ok(host), Ok(origin), Ok(site)) =
            (only(headers, "host"), only(headers, "origin"), only(headers, "sec-fetch-site"))
        else {
            return refuse("a field that may stand once stands twice");
        };
        let is_reading = *method == Method::GET || *method == Method::HEAD;
        match host {
            Some(host) if host == self.host => {}
            Some(host) if is_reading && self.aliases.iter().any(|alias| alias == host) => {
                return Verdict::Elsewhere;
            }
            _ => return refuse("this Host is not served here"),
        }
        if origin.is_some_and(|origin| origin != self.origin()) {
            return refuse("this Origin may not ask");
        }
        if !is_reading {
            return self.judge_post(method, headers, origin);
        }
        match (kind, site) {
            (Kind::Door, _) | (Kind::Inside, None | Some("same-origin" | "none")) => Verdict::Pass,
            _ => refuse("another page led here"),
        }
    }

    /// A change needs a form of ours, and a browser that says so.
    fn judge_post(&self, method: &Method, headers: &HeaderMap, origin: Option<&str>) -> Verdict {
        let refuse = |why| Verdict::Refuse(StatusCode::FORBIDDEN, why);
        if *method != Method::POST {
            return Verdict::Refuse(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST are known here");
        }
        if origin.is_none() {
            return refuse("the request does not say which page it comes from");
        }
        if !matches!(only(headers, "sec-fetch-site"), Ok(None | Some("same-origin" | "none"))) {
            return refuse("another page asks");
        }
        if only(headers, "content-type") != Ok(Some(FORM)) {
            return Verdict::Refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "only forms are taken here");
        }
        Verdict::Pass
    }
}

/// The value of a field that stands once at most.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    let first = values.next().map(|value| value.to_str().map_err(|_| ())).transpose()?;
    if values.next().is_some() { Err(()) } else { Ok(first) }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};

    use super::{FORM, Kind, PageAddress, Verdict};

    const HOSTS: [&str; 10] = [
        "localhost:8025",
        "127.0.0.1:8025",
        "[::1]:8025",
        "localhost",
        "localhost:80",
        "localhost:8026",
        "LOCALHOST:8025",
        "localhost:8025.evil.example",
        "evil.example:8025",
        "",
    ];
    const ORIGINS: [&str; 12] = [
        "http://localhost:8025",
        "",
        "null",
        "http://localhost",
        "http://localhost:8026",
        "http://127.0.0.1:8025",
        "http://[::1]:8025",
        "https://localhost:8025",
        "http://localhost:8025/",
        "http://evil.example",
        "http://localhost:8025.evil.example",
        "file://",
    ];
    const SITES: [&str; 6] = ["", "same-origin", "none", "same-site", "cross-site", "SAME-ORIGIN"];
    const TYPES: [&str; 6] = [
        FORM,
        "",
        "text/plain",
        "application/json",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded, text/plain",
    ];

    fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    /// 4,320 posts; only those that our own forms send pass.
    #[test]
    fn of_all_posts_only_our_own_pass() {
        let address = PageAddress::at(8025);
        let mut passed = Vec::new();
        for host in HOSTS {
            for origin in ORIGINS {
                for site in SITES {
                    for kind in TYPES {
                        let fields = headers(&[
                            ("host", host),
                            ("origin", origin),
                            ("sec-fetch-site", site),
                            ("content-type", kind),
                        ]);
                        if address.judge(&Method::POST, &fields, Kind::Inside) == Verdict::Pass {
                            passed.push((host, origin, site, kind));
                        }
                    }
                }
            }
        }

        let own = ["", "same-origin", "none"];
        assert_eq!(passed, own.map(|site| ("localhost:8025", "http://localhost:8025", site, FORM)));
    }

    #[test]
    fn other_pages_lead_to_the_door_and_no_further() {
        let address = PageAddress::at(8025);
        let judge = |kind, site| {
            address.judge(
                &Method::GET,
                &headers(&[("host", "localhost:8025"), ("sec-fetch-site", site)]),
                kind,
            ) == Verdict::Pass
        };

        for site in SITES {
            assert!(judge(Kind::Door, site), "{site}");
            assert_eq!(judge(Kind::Inside, site), ["", "same-origin", "none"].contains(&site), "{site}");
        }
    }

    #[test]
    fn other_names_of_this_machine_lead_to_the_one_that_keys_know() {
        let address = PageAddress::at(8025);
        let verdict = |method, host| address.judge(method, &headers(&[("host", host)]), Kind::Door);

        assert_eq!(verdict(&Method::GET, "127.0.0.1:8025"), Verdict::Elsewhere);
        assert_eq!(verdict(&Method::GET, "[::1]:8025"), Verdict::Elsewhere);
        assert!(matches!(verdict(&Method::POST, "127.0.0.1:8025"), Verdict::Refuse(..)));
        assert!(matches!(verdict(&Method::GET, "192.168.1.5:8025"), Verdict::Refuse(..)));
    }

    #[test]
    fn a_field_that_stands_twice_is_refused() {
        let address = PageAddress::at(8025);
        for name in ["host", "origin", "sec-fetch-site"] {
            let own = [("host", "localhost:8025"), ("origin", "http://localhost:8025")];
            let mut fields = headers(&own);
            fields.append("sec-fetch-site", HeaderValue::from_static("same-origin"));
            let again = fields[name].clone();
            fields.append(name, again);
            assert!(
                matches!(address.judge(&Method::GET, &fields, Kind::Door), Verdict::Refuse(..)),
                "{name}"
            );
        }
    }

    #[test]
    fn the_port_is_left_out_where_browsers_leave_it_out() {
        assert_eq!(PageAddress::at(80).origin(), "http://localhost");
        assert_eq!(PageAddress::at(8025).origin(), "http://localhost:8025");
    }
}
