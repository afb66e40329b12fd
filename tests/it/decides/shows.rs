//! What a person is shown of a message before it leaves: every word, every link, every file.

use mailkeep::parse;
use serde_json::{Value, json};

use super::Desk;
use crate::world::{ACCOUNT, list};

impl Desk {
    /// Has an assistant propose a message of these parts; what it was told.
    fn proposed_with(&self, parts: &Value) -> Value {
        let mut letter = json!({ "account": ACCOUNT, "to": ["bob@stone.example"], "subject": "Lunch" });
        letter.as_object_mut().unwrap().extend(parts.as_object().unwrap().clone());
        let mut assistant = self.assistant();
        let answer = assistant.call("send_email", letter);
        assistant.finish();
        let told = answer["result"]["structuredContent"].clone();
        assert!(told["code"].is_string(), "{answer}");
        told
    }

    /// What `outbox show` prints.
    fn shown_text(&self, item: &Value) -> String {
        let output = self.command(&["outbox", "show", item["id"].as_str().unwrap()]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn links_are_shown_whole_with_the_site_they_belong_to() {
    let desk = Desk::new();
    let long = format!("https://ok.example/{}END", "a".repeat(600));
    let html = format!(
        "<p>See <a href='https://bank.example.evil.co.uk/phish?d=1'>https://bank.example/login</a>, \
         <a href='{long}'>this</a> or <a href='mailto:eve@x.example?bcc=mallory@evil.example'>write</a></p>"
    );
    let item = desk.proposed_with(&json!({ "html": html }));

    let shown = desk.shown_text(&item);
    let Some(ended) = desk.reviewed("review", &["q"]) else { return };

    for seen in [&shown, &ended.seen] {
        assert!(seen.contains("Links: 3 links"), "{seen}");
        let warned =
            "[1] evil.co.uk, behind `https://bank.example/login`  WARNING: its words say `bank.example`";
        assert!(
            seen.replace("  WARNING", " WARNING").contains(&warned.replace("  WARNING", " WARNING")),
            "{seen}"
        );
        let joined: String = seen.split("\n      | ").collect();
        assert!(joined.contains(&long), "{seen}");
        assert!(
            seen.contains("[3] x.example, behind `write`") && seen.contains("| mailto:eve@x.example\n"),
            "{seen}"
        );
        assert!(!seen.contains("mallory"), "{seen}");
    }
    let told = desk.json(&["outbox", "show", item["id"].as_str().unwrap()]);
    let links = list(&told["html"]["links"]);
    assert_eq!((&links[0]["site"], &links[0]["poses_as"]), (&json!("evil.co.uk"), &json!("bank.example")));
    assert_eq!(links[1]["target"], json!(long));
    assert_eq!(told["html"]["is_same_as_text"], json!(true));
}

#[test]
fn a_text_and_html_that_differ_are_both_shown_afterwards_too() {
    let desk = Desk::new();
    let item =
        desk.proposed_with(&json!({ "body": "At noon?", "html": "<p>You are <del>not</del> fired.</p>" }));

    let shown = desk.shown_text(&item);

    assert!(shown.contains("  | At noon?") && shown.contains("  | You are ~~not~~ fired."), "{shown}");
    assert!(shown.contains("HTML: differs from the text"), "{shown}");
    let told = desk.json(&["outbox", "show", item["id"].as_str().unwrap()]);
    assert_eq!(
        (&told["body"], &told["html"]["words"]),
        (&json!("At noon?\n"), &json!("You are ~~not~~ fired."))
    );
}

#[test]
fn files_are_told_by_what_is_in_them() {
    let desk = Desk::new();
    let files = json!([
        { "name": "invoice.pdf", "content_base64": "PGh0bWw+PHNjcmlwdD4=" },
        { "name": "notes.txt", "content_base64": "aGk=" },
    ]);
    let item = desk.proposed_with(&json!({ "body": "Here.", "attachments": files }));

    let shown = desk.shown_text(&item);
    let Some(ended) = desk.reviewed("review", &["q"]) else { return };

    for seen in [&shown, &ended.seen] {
        assert!(
            seen.contains(
                "Attached: invoice.pdf (HTML page, sent as application/pdf, 14 bytes; NOT what its name says)"
            ),
            "{seen}"
        );
        assert!(seen.contains("Attached: notes.txt (text, sent as text/plain, 2 bytes)"), "{seen}");
    }
    let told = desk.json(&["outbox", "show", item["id"].as_str().unwrap()]);
    assert_eq!(told["attachments"][0]["kind"], json!("HTML page"));
    assert_eq!(told["attachments"][0]["is_disguised"], json!(true));
}

#[test]
fn what_becomes_a_draft_while_it_is_looked_at_is_left_and_the_next_one_is_shown() {
    let desk = Desk::new();
    let first = desk.proposed("bob@stone.example", "At noon?");
    let second = desk.proposed("bob@stone.example", "And cake?");
    let (id, code) = (first["id"].as_str().unwrap(), first["code"].as_str().unwrap());
    let Some(mut person) = desk.at_terminal("review", &["outbox", "review"]) else { return };
    person.sees("At noon?").sees("`q` stops: ");

    desk.world.database().execute("UPDATE drafts SET state = 'draft' WHERE short_id = ?1", [id]).unwrap();
    person.types(code).sees("was changed while you looked").sees("is a draft again, revision 1");
    person.sees("And cake?").sees("`q` stops: ").types(second["code"].as_str().unwrap());
    let ended = person.ends();

    assert_eq!(ended.code, Some(0), "{}", ended.seen);
    assert_eq!(
        (desk.state(&first["id"]), desk.state(&second["id"])),
        ("draft".to_owned(), "sent".to_owned())
    );
    assert_eq!(desk.sent().len(), 1);
}

#[test]
fn a_no_to_what_was_withdrawn_says_so_and_goes_on() {
    let desk = Desk::new();
    let first = desk.proposed("bob@stone.example", "At noon?");
    let second = desk.proposed("bob@stone.example", "And cake?");
    let Some(mut person) = desk.at_terminal("review", &["outbox", "review"]) else { return };
    person.sees("At noon?").sees("`q` stops: ");

    let mut assistant = desk.assistant();
    let told = assistant.call("withdraw_send", json!({ "id": first["id"] }));
    assert_eq!(told["result"]["isError"], json!(false), "{told}");
    assistant.finish();
    person.types("r no").sees("is withdrawn and waits for nothing");
    person.sees("And cake?").sees("`q` stops: ").types("r no");
    let ended = person.ends();

    assert_eq!(ended.code, Some(0), "{}", ended.seen);
    assert_eq!(
        (desk.state(&first["id"]), desk.state(&second["id"])),
        ("withdrawn".to_owned(), "rejected".to_owned())
    );
}

/// Bodies that try to take something along, or to say something else to the recipient than to the owner.
const HOSTILE: [&str; 34] = [
    "<table><tbody><tr><td>body</td></tr></tbody><thead><tr><td>head K</td></tr></thead><tfoot><tr><td>K</td></tr></tfoot></table>",
    "<a href='https://ok.example/K'><table><tr><td>x</td></tr></table></a>",
    "<p>zalgo x\u{337}\u{322}\u{31b}K</p><p title=K>hi</p>",
    "<p style='\\64isplay:none'>K</p><p style='color:\\23 fff'>K2</p>hi",
    "<p>hi <font color='#fffffe'>K</font> <font color=white size=2>K2</font></p>",
    "<p>hi <a href='https://evil.example/%E2%80%AEgpj.K'>photo.jpg</a></p>",
    "<p>hi <a href='https://good.example&#9;@evil.example/K'>good.example</a></p>",
    "<p>hi <a href='https:evil.example/K'>go</a> <a href='\\\\evil.example/K'>go</a></p>",
    "<p>hi</p><plaintext><p title=K>K</p>",
    "<p>hi</p><svg><foreignObject><p>K</p></foreignObject></svg><svg><style><img title=K></style></svg>",
    "<p>hi</p><math><annotation-xml encoding='text/html'><p>K</p></annotation-xml></math>",
    "<table><form><tr><td>hi</td></tr>K<input value=K></form></table>",
    "<select><p>K</p><option label=K>K</select>hi",
    "<frameset><frame src='https://evil.example/K'></frameset>hi",
    "<p>hi</p><br><br><br><br><br><br><br><br><br><br><br><br>ABCD  Send to 1 person, from ada@example.org<br>To: fake@x.example K",
    "<pre>hi\nTo: fake@x.example\nLinks: 0 links\nK</pre>",
    "<ol reversed start=99 type=K><li value=7>hi</li><li>K</li></ol>",
    "<dl><dt>K</dt><dd>hi</dd></dl><li>loose</li><dd>K3</dd>",
    "<table width=1200><tr><td width=1200>hi</td><td width=1200>b</td><td>K</td></tr></table>",
    "<p>hi<ruby>a<rp>(K</rp><rt>K2</rt><rp>)</rp></ruby></p><q cite=K>K</q>",
    "<p>hi <a href='mailto:bob@x.example?bcc=K@evil.example&body=K'>bob</a></p>",
    "<p>hi <a href='tel:+1900K'>call</a> <a href='tel:+19005555555'>030 1234567</a></p>",
    "<p>hi <img src='https://evil.example/t.gif?K' alt=K><a href='https://evil.example/K'><img alt=K></a></p>",
    "<p>hi <a href='https://ok.example/?K=1#K' title=K>x</a></p>",
    "<details><summary>hi</summary>K</details><dialog open>K2</dialog>",
    "<p>hi <bdo dir=rtl>K 001</bdo> <span dir=rtl>K2</span></p>",
    "<p>10<sup>3</sup> <del>not</del> K</p><!-- K --><?xml K?>",
    "<p>hi <span style='font-size:1px;color:#fefefe;letter-spacing:-9px'>K</span></p>",
    "<p>hi <font face='Wingdings'>K</font> <span style='font-family:Symbol'>K2</span></p>",
    "<div style='position:absolute;left:-9999px'>K</div><div style='height:0;overflow:hidden'>K2</div>hi",
    "<template><p>K</p></template><noscript><p>K</p></noscript><title>K</title><textarea>K</textarea>hi",
    "<p>hi</p><style>p{content:'K'}</style><link href=K><base href=K><meta name=K content=K>",
    "<p>hi <u>https://bank.example</u> <a href='https://xn--bnk-ela.example/K'>b\u{e4}nk.example</a></p>",
    "<p>hi &lt;a href='K'&gt; &amp;lt;K2&amp;gt; <a href='https://ok.example/'>https://ok.example/?K</a></p>",
];

/// What stands on the screen, without blanks and without the margins that cut long words.
fn unfolded(screen: &str) -> String {
    let lines = screen.lines().map(|line| line.trim_start().trim_start_matches("| "));
    lines.flat_map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn no_hostile_html_takes_along_what_is_not_on_the_screen() {
    let desk = Desk::new();
    let mut assistant = desk.assistant();
    let propose = |(number, html): (usize, &&str)| {
        let html = html.replace('K', "CANARYTEXT");
        let letter = json!({ "account": ACCOUNT, "to": ["bob@stone.example"], "subject": format!("Try {number}"), "html": html });
        let answer = assistant.call("send_email", letter);
        let told = answer["result"]["structuredContent"].clone();
        assert!(told["id"].is_string(), "{html}: {answer}");
        told["id"].as_str().unwrap().to_owned()
    };
    let ids: Vec<String> = HOSTILE.iter().enumerate().map(propose).collect();
    assistant.finish();
    let Some(ended) = desk.reviewed("review", &["s"; HOSTILE.len()]) else { return };

    let pages: Vec<&str> = ended.seen.split(&format!(" of {}\n", HOSTILE.len())).skip(1).collect();
    assert_eq!(pages.len(), HOSTILE.len(), "{}", ended.seen);
    for (id, page) in ids.iter().zip(pages) {
        let raw = desk.command(&["outbox", "show", id, "--raw"]).output().unwrap().stdout;
        let html = String::from_utf8(parse::part_bytes(&raw, "2").unwrap()).unwrap();
        let screen = unfolded(page);
        let document = scraper::Html::parse_document(&html);
        let words =
            document.tree.values().filter_map(|node| node.as_text()).flat_map(|text| text.split_whitespace());
        words.for_each(|word| assert!(screen.contains(word), "`{word}`: {html}\n{page}"));
        for (name, value) in
            document.tree.values().filter_map(|node| node.as_element()).flat_map(|it| it.attrs())
        {
            assert!(!value.contains("CANARYTEXT") || name == "href", "{html}");
            assert!(name != "href" || screen.contains(value), "`{value}`: {html}\n{page}");
        }
        assert!(!html.contains("<!--") && !html.contains("<img"), "{html}");
        assert!(!page.lines().any(|line| line.starts_with("To: fake") || line.starts_with("ABCD")), "{page}");
    }
}
