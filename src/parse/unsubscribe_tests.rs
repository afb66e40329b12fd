//! Fields that strangers write, and what becomes of them.

use super::{MailServer, Mailto, Offer};

const GOOD: &str = "Authentication-Results: mx.google.com; dkim=pass header.i=@news.example; spf=pass";
const SIGNED: &str =
    "DKIM-Signature: v=1; d=news.example; s=a;\r\n h=From:List-Unsubscribe:\r\n List-Unsubscribe-Post; b=x";
const PLACE: &str = "List-Unsubscribe: <https://news.example/off?u=1>";
const POST: &str = "List-Unsubscribe-Post: List-Unsubscribe=One-Click";

fn message(fields: &[&str]) -> Vec<u8> {
    format!("{}\r\nFrom: News <hi@news.example>\r\n\r\nHello\r\n", fields.join("\r\n")).into_bytes()
}

fn offer(bytes: &[u8], account: &str) -> Offer {
    super::offer(bytes, &MailServer::of(account, None))
}

fn one_click(fields: &[&str]) -> Result<String, String> {
    offer(&message(fields), "ada@gmail.com").one_click
}

fn mail(place: &str) -> Result<Mailto, String> {
    offer(&message(&[&format!("List-Unsubscribe: <{place}>")]), "ada@gmail.com").mail
}

#[test]
fn a_page_that_is_vouched_for_is_taken() {
    assert_eq!(one_click(&[GOOD, SIGNED, PLACE, POST]).unwrap(), "https://news.example/off?u=1");
    let folded = "List-Unsubscribe: <mailto:a@news.example>,\r\n <https://sub.news.example/o\r\n ff#x>";
    assert_eq!(one_click(&[GOOD, SIGNED, folded, POST]).unwrap(), "https://sub.news.example/off");
    let by_page = "Authentication-Results: mx.google.com; dkim=pass header.d=esp.example";
    let their = SIGNED.replace("news.example", "esp.example");
    assert!(one_click(&[by_page, &their, "List-Unsubscribe: <https://x.esp.example/o>", POST]).is_ok());
}

#[test]
fn a_page_that_nobody_should_be_sent_to_is_refused_with_a_reason() {
    for (place, reason) in [
        ("http://news.example/off", "https"),
        ("https://ada:x@news.example/off", "names a user"),
        ("https://ada@news.example/off", "names a user"),
        ("https://127.0.0.1/off", "no public name"),
        ("https://2130706433/off", "no public name"),
        ("https://[::1]/off", "no public name"),
        ("https://localhost/off", "no public name"),
        ("https://printer/off", "no public name"),
        ("https://news.example:8443/off", "unusual port"),
        ("https://news.example:22/off", "unusual port"),
        ("ftp://news.example/off", "names no page"),
        ("httpsx://news.example/off", "https"),
        ("https:///off", "no public name"),
        ("https://news.example/\u{202e}off", "letters that none has"),
    ] {
        let told = one_click(&[GOOD, SIGNED, &format!("List-Unsubscribe: <{place}>"), POST]).unwrap_err();
        assert!(told.contains(reason), "{place}: {told}");
    }
    let long = format!("List-Unsubscribe: <https://news.example/{}>", "x".repeat(3_000));
    assert!(one_click(&[GOOD, SIGNED, &long, POST]).unwrap_err().contains("longer than 2000"));
    let huge = format!("List-Unsubscribe: <https://news.example/{}>", "x".repeat(20_000));
    assert!(one_click(&[GOOD, SIGNED, &huge, POST]).unwrap_err().contains("longer than 8000"));
}

#[test]
fn a_page_that_the_owners_provider_does_not_vouch_for_is_refused() {
    let forged = GOOD.replace("mx.google.com", "mx.google.com.evil.example");
    let failed = GOOD.replace("pass header.i", "fail header.i");
    let other = GOOD.replace("news.example", "evil.example");
    let uncovered = SIGNED.replace("List-Unsubscribe-Post", "Subject");
    let below = format!("{failed}\r\n{GOOD}");
    let both = format!("{GOOD}; dkim=fail header.d=news.example");
    let evil = SIGNED.replace("news.example", "evil.example");
    for (fields, reason) in [
        (vec![SIGNED, PLACE, POST], "no word about its signatures"),
        (vec![&forged, SIGNED, PLACE, POST], "no word about its signatures"),
        (vec![&failed, SIGNED, PLACE, POST], "does not hold"),
        (vec![&below, SIGNED, PLACE, POST], "does not hold"),
        (vec![&other, &evil, PLACE, POST], "no signature"),
        (vec!["Authentication-Results: mx.google.com; spf=pass", SIGNED, PLACE, POST], "no signature"),
        (vec![GOOD, PLACE, POST], "does not cover"),
        (vec![GOOD, &uncovered, PLACE, POST], "does not cover"),
        (vec![GOOD, SIGNED, &uncovered, PLACE, POST], "does not cover"),
        (vec![&both, SIGNED, PLACE, POST], "does not cover"),
        (vec![GOOD, SIGNED, PLACE], "no `List-Unsubscribe-Post`"),
        (vec![GOOD, SIGNED, PLACE, PLACE, POST], "twice"),
        (vec![GOOD, SIGNED, PLACE, POST, POST], "twice"),
        (vec![GOOD, SIGNED, PLACE, "List-Unsubscribe-Post: yes"], "does not say"),
        (vec![GOOD, SIGNED, POST], "no `List-Unsubscribe`"),
        (vec![GOOD, SIGNED, "List-Unsubscribe: call us", POST], "names no place"),
    ] {
        let told = one_click(&fields).unwrap_err();
        assert!(told.contains(reason), "{fields:?}: {told}");
    }
}

#[test]
fn a_mail_that_a_list_asks_for_can_hold_nothing_but_a_subject_and_a_text() {
    let plain = Mailto {
        to: "off@news.example".to_owned(),
        subject: "unsubscribe".to_owned(),
        body: "unsubscribe".to_owned(),
    };
    assert_eq!(mail("mailto:off@news.example").unwrap(), plain);
    let asked = mail("MAILTO:off@news.example?Subject=Leave%20me&body=id%3D1").unwrap();
    assert_eq!((asked.subject.as_str(), asked.body.as_str()), ("Leave me", "id=1"));
    for (place, reason) in [
        ("mailto:off@news.example?subject=x%0D%0ABcc:eve@evil.example", "line ends"),
        ("mailto:off@news.example%0aBcc:eve@evil.example", "line ends"),
        ("mailto:off@news.example?bcc=eve@evil.example", "field of its own"),
        ("mailto:off@news.example?to=eve@evil.example", "field of its own"),
        ("mailto:off@news.example?attach=/etc/passwd", "field of its own"),
        ("mailto:a@news.example,b@evil.example", "several"),
        ("mailto:off@news.example?body=%ff", "cannot be read"),
        ("https://news.example/off", "no mail address"),
    ] {
        let told = mail(place).unwrap_err();
        assert!(told.contains(reason), "{place}: {told}");
    }
}
