//! Where a link of ours may lead: to the web, to a mail address, to a telephone. Not to what runs, not with a name before
//! the host that poses as one, not with a message ready to be sent, and not further than can be shown.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use url::Url;

use crate::drafts::recipient;

pub(super) const SCHEMES: [&str; 4] = ["http", "https", "mailto", "tel"];
/// The longest target that leaves: it is shown whole.
const LONGEST: usize = 2_000;

/// The target as it leaves, if it may: in plain ASCII, and as any program would read it.
pub(super) fn safe(href: &str) -> Option<Cow<'_, str>> {
    let url = Url::parse(href).ok()?;
    let safe = match url.scheme() {
        "http" | "https" => on_the_web(href, &url)?,
        "mailto" => mail_address(href, &url)?,
        "tel" => is_telephone(url.path()).then_some(Cow::Borrowed(href))?,
        _ => return None,
    };
    (safe.len() <= LONGEST).then_some(safe)
}

/// Programs read blanks, backslashes and other letters each in their own way: there the form they agree on is taken.
fn on_the_web<'h>(href: &'h str, url: &Url) -> Option<Cow<'h, str>> {
    url.domain().or(url.host_str()).filter(|host| !host.is_empty())?;
    if !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !br#"\"'<>`{}|^"#.contains(&byte);
    let lower = href.to_ascii_lowercase();
    let is_usual = lower.starts_with("http://") || lower.starts_with("https://");
    let host =
        url.host_str().is_some_and(|host| lower.split("://").nth(1).is_some_and(|it| it.starts_with(host)));
    Some(if is_usual && host && href.bytes().all(is_plain) {
        Cow::Borrowed(href)
    } else {
        Cow::Owned(url.to_string())
    })
}

/// The address alone: recipients, subjects and texts behind it would be a message that nobody wrote.
fn mail_address<'h>(href: &'h str, url: &Url) -> Option<Cow<'h, str>> {
    let decoded = percent_decode_str(url.path()).decode_utf8().ok()?;
    let address = recipient::read_address("html", &decoded).ok().filter(|address| address.name.is_empty())?;
    let bare = format!("mailto:{}", address.address);
    Some(if bare == href { Cow::Borrowed(href) } else { Cow::Owned(bare) })
}

fn is_telephone(number: &str) -> bool {
    (3..=30).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit() || b"+-().".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn ordinary_links_stay_as_they_are() {
        for href in [
            "https://x.example",
            "https://X.example/a?b=c&d=%20#e",
            "http://127.0.0.1:8080/",
            "mailto:ada@example.org",
            "tel:+49-30-1234567",
        ] {
            assert_eq!(safe(href).as_deref(), Some(href));
        }
    }

    #[test]
    fn what_reads_in_two_ways_gets_the_one_that_programs_agree_on() {
        for (href, expected) in [
            ("https:\\\\evil.example\\x", "https://evil.example/x"),
            ("https:evil.example", "https://evil.example/"),
            ("https:///evil.example/", "https://evil.example/"),
            (" https://evil.example/a\nb ", "https://evil.example/ab"),
            ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
            ("https://0x7f.1/", "https://127.0.0.1/"),
            ("https://ok%2eevil.example/", "https://ok.evil.example/"),
            ("mailto:ada@example.org?bcc=eve@x.example&body=secret", "mailto:ada@example.org"),
            ("MAILTO:ada%40example.org?subject=x", "mailto:ada@example.org"),
        ] {
            assert_eq!(safe(href).as_deref(), Some(expected), "{href}");
            assert_eq!(safe(expected).as_deref(), Some(expected), "{href}");
        }
    }

    #[test]
    fn what_runs_poses_or_cannot_be_shown_goes() {
        for href in [
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "cid:x",
            "/relative",
            "//x.example",
            "https://",
            "https://bank.example@evil.example/",
            "https://u:p@evil.example/",
            "mailto:?bcc=eve@x.example",
            "mailto:a@x.example,eve@x.example",
            "mailto:a@x.example%0aBcc:eve@x.example",
            "tel:secret-words",
            &format!("https://x.example/{}", "a".repeat(2_000)),
        ] {
            assert_eq!(safe(href), None, "{href}");
        }
    }
}
