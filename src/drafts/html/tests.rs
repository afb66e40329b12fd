//! HTML of ordinary programs and of hostile ones: what leaves is what is shown.

use super::{Targets, Words, allowed, made_safe};

#[test]
fn ordinary_mail_stays_as_it_is() {
    for html in [
        "<p>Dear <b>Bob</b>,</p><p>see you <i>soon</i>.<br>Ada</p>",
        "<table border=\"1\"><tbody><tr><td style=\"color:#333;padding:4px\">a</td><td>b</td></tr></tbody></table>",
        "<ul><li>one</li><li><a href=\"https://x.example/a?b=c\">two</a></li></ul>",
        "<a href=\"https://x.example\" style=\"background:#06c;color:#fff;padding:9px\">Button</a>",
        "<table><tbody><tr><td bgcolor=\"#000000\"><font color=\"#ffffff\">light</font></td></tr></tbody></table>",
        "<div style=\"max-width:600px;margin:0 auto;font-family:Arial,sans-serif\">narrow</div>",
        "<blockquote>quoted</blockquote><div dir=\"ltr\">H<sub>2</sub>O <s>old</s> <a href=\"mailto:a@x.example\">a</a></div>",
    ] {
        let safe = made_safe(html).unwrap();

        assert_eq!((safe.html.as_str(), safe.removed), (html, 0));
    }
}

#[test]
fn what_programs_write_is_taken_with_all_its_words() {
    for html in [
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>t</title><style>.x{color:red}</style></head>\
         <body style=\"margin:0;font-family:Arial,sans-serif\"><div style=\"max-width:600px;margin:0 auto\">\
         <div style=\"background-color:#4CAF50;color:white;padding:20px;text-align:center\"><h1>first</h1></div>\
         <p style=\"color:#666;font-size:12px\">second</p></div></body></html>",
        "<table width=\"100%\" cellpadding=\"0\" style=\"background:#f4f4f4\"><tr><td align=\"center\"><table width=\"600\" \
         style=\"background:#fff;border-radius:8px\"><tr><td style=\"padding:24px;line-height:1.5\">first</td></tr></table>\
         </td></tr><tr><td><a href=\"https://x.example\" style=\"display:inline-block;background:#06c;color:#fff\">second</a>\
         </td></tr></table>",
        "<div style=\"display:none;max-height:0;overflow:hidden\">first</div><p>second</p>",
        "<div dir=\"ltr\">first<div><br></div><div><b><span style=\"font-size:large\">second</span></b></div></div>",
        "<p class=\"MsoNormal\"><span style=\"font-family:&quot;Calibri&quot;;mso-bidi-theme-font:x\">first</span></p><pre>second</pre>",
    ] {
        let safe = made_safe(html).unwrap_or_else(|error| panic!("{error}: {html}"));

        let places = ["first", "second"].map(|word| safe.text.find(word));
        assert!(places[0].is_some() && places[0] < places[1], "{html}: {}", safe.text);
    }
}

#[test]
fn what_could_run_or_spy_is_taken_out_and_counted() {
    for (html, left, removed) in [
        ("<p>a</p><script>alert(1)</script>", "<p>a</p>", 1),
        ("<p onclick=\"x()\" onmouseover='y()'>a</p>", "<p>a</p>", 2),
        ("<a href=\"javascript:alert(1)\">a</a>", "<a>a</a>", 1),
        ("<a href=\" java\tscript:alert(1)\">a</a>", "<a>a</a>", 1),
        ("<a href=\"data:text/html,x\">a</a>", "<a>a</a>", 1),
        ("<iframe src=\"https://x.example\"></iframe>a", "a", 1),
        ("<form action=\"https://x.example\"><input name=\"pin\">a</form>", "a", 2),
        ("<p style=\"background-image:url(https://x.example/t.gif)\">a</p>", "<p>a</p>", 1),
        ("<p style=\"color:red;position:fixed\">a</p>", "<p style=\"color:red\">a</p>", 1),
        ("<meta http-equiv=refresh content=\"0;url=https://x.example\">a", "a", 1),
        ("<svg onload=alert(1)><circle/></svg>a", "a", 2),
        ("<base href=\"https://x.example\"><a href=\"/y\">a</a>", "<a>a</a>", 2),
        ("<html><head><title>no</title></head><body><p>a</p></body></html>", "<p>a</p>", 1),
    ] {
        let safe = made_safe(html).unwrap();

        assert_eq!((safe.html.as_str(), safe.removed), (left, removed), "{html}");
    }
}

#[test]
fn no_trick_brings_a_script_through() {
    for html in [
        "<img src=x onerror=alert(1)>a",
        "<img src=\"x` `<script>alert(1)</script>\"` `>a",
        "<svg><script>alert(1)</script></svg>a",
        "<svg/onload=alert(1)>a",
        "<math><mtext><table><mglyph><style><img src onerror=alert(1)></style></mglyph></table></mtext></math>a",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\"></noscript>a",
        "<a href=\"&#106;avascript:alert(1)\">a</a>",
        "<a href=\"JaVaScRiPt:alert(1)\">a</a>",
        "<a href=\"\u{1}javascript:alert(1)\">a</a>",
        "<a href=\"vbscript:alert(1)\">a</a>",
        "<a href=\"data:text/html;base64,PHNjcmlwdD4=\">a</a>",
        "<body onload=alert(1)>a",
        "<div style=\"width:expression(alert(1))\">a</div>",
        "<div style=\"background:u\\72l(javascript:alert(1))\">a</div>",
        "<div style=\"behavior:url(x.htc)\">a</div>",
        "<link rel=stylesheet href=javascript:alert(1)>a",
        "<meta http-equiv=\"refresh\" content=\"0;url=javascript:alert(1)\">a",
        "<object data=\"javascript:alert(1)\"></object>a",
        "<embed src=\"javascript:alert(1)\">a",
        "<form><button formaction=javascript:alert(1)>a</button></form>",
        "<isindex type=image src=1 onerror=alert(1)>a",
        "<<script>script>alert(1)<</script>/script>a",
        "<!--[if IE]><script>alert(1)</script><![endif]-->a",
        "<xmp><script>alert(1)</script></xmp>a",
        "<video><source onerror=alert(1)></video>a",
        "<details open ontoggle=alert(1)>a</details>",
        "<a href=\"https://x.example\" target=_blank onclick=alert(1) ping=\"https://spy.example\">a</a>",
    ] {
        let Ok(safe) = made_safe(html) else { continue };

        let lower = safe.html.to_lowercase();
        let document = scraper::Html::parse_document(&safe.html);
        let elements = document.tree.values().filter_map(|node| node.as_element());
        for (name, value) in elements.flat_map(|element| element.attrs()) {
            assert!(!name.starts_with("on") && name != "ping", "{html}: {lower}");
            assert!(
                !["script:", "data:", "expression"].iter().any(|bad| value.to_lowercase().contains(bad)),
                "{html}: {lower}"
            );
        }
        for element in [
            "<script", "<style", "<svg", "<math", "<iframe", "<object", "<embed", "<form", "<meta", "<link",
            "<!--",
        ] {
            assert!(!lower.contains(element), "{html}: {lower}");
        }
        assert!(safe.removed > 0 || lower.contains("&lt;"), "{html}: {lower}");
        assert_eq!(made_safe(&safe.html).unwrap().html, safe.html, "{html}");
    }
}

#[test]
fn the_text_is_what_a_person_reads() {
    let safe = made_safe("<h1>Offer</h1><p>Dear Bob,<br>two &lt; three</p><script>no()</script>").unwrap();

    for words in ["Offer", "Dear Bob,", "two < three"] {
        assert!(safe.text.contains(words), "{}", safe.text);
    }
    assert!(!safe.text.contains("no()"), "{}", safe.text);
}

#[test]
fn letters_that_would_have_the_colour_of_the_paper_lose_it() {
    for html in [
        "<p>Dear Bob,</p><h1 style=\"background:linear-gradient(135deg,#667eea,#764ba2);color:white\">Offer</h1><p>Ada</p>",
        "<p>Dear Bob,</p><p style=\"color:#ffffff;background-color:#ffffff\">Offer</p>Ada",
        "<p>Dear Bob,</p><p style=\"color:#fefefe;font-size:1px\">Offer</p>Ada",
        "<table bgcolor=white><tr><td><font color=white>Dear Bob, Offer</font></td></tr></table>Ada",
        "<p>Dear Bob,</p><font color=\"#ffffff\">Offer</font> Ada",
    ] {
        let safe = made_safe(html).unwrap();

        assert_eq!(safe.text.split_whitespace().collect::<Vec<_>>().join(" "), "Dear Bob, Offer Ada");
        assert!(!safe.html.contains("color") && safe.removed > 0, "{}", safe.html);
    }
}

#[test]
fn text_that_nobody_would_see_is_refused() {
    let small = format!("<p>a</p>{}the other text", "<small>".repeat(30));
    let links = "<a href='https://x.example/'>x</a>".repeat(301);
    for html in [
        small.as_str(),
        &links,
        &"<blockquote>".repeat(30),
        &"<div style='padding:100px'>".repeat(30),
        "a\0b",
        "<p>pay \u{202e}001\u{202c}</p>",
        "<p>pay &#x202e;001&#x202c;</p>",
        "<p>hi\u{e0073}\u{e0065}</p>",
        "a&#x1b;[2Jb",
        &"<div>".repeat(100_000),
    ] {
        assert!(made_safe(html).is_err(), "{}", &html[..html.len().min(80)]);
    }
}

/// Every word in the HTML stands in the text, every target in the list, and all other values are those of our lists.
fn assert_all_is_shown(given: &str, html: &str) {
    let seen = Words::of(html, Targets::Numbered);
    let shown: String = seen.text.split_whitespace().collect();
    let document = scraper::Html::parse_document(html);
    assert!(!document.tree.values().any(|node| node.is_comment() || node.is_doctype()), "{given}: {html}");
    for text in document.tree.values().filter_map(|node| node.as_text()) {
        for word in text.split_whitespace() {
            assert!(shown.contains(word), "`{word}` of {given}: {html}\n{}", seen.text);
        }
    }
    for element in document.tree.values().filter_map(|node| node.as_element()) {
        for (name, value) in element.attrs() {
            let known = allowed::value(element.name(), name, value);
            assert_eq!(known.as_deref(), Some(value), "{name} of {given}: {html}");
            let is_listed = || seen.links.iter().any(|link| link.target == value && !link.words.is_empty());
            assert!(name != "href" || is_listed(), "{value} of {given}: {html}");
        }
    }
}

#[test]
fn nothing_leaves_in_html_that_the_person_is_not_shown() {
    const UNSEEN: &str = "CANARYTEXT";
    for html in [
        "<p>hello</p><details><summary>more</summary>K</details>",
        "<p><abbr title='K'>hello</abbr></p>",
        "<p>hello<ruby>a<rp>K</rp><rt>b</rt></ruby></p>",
        "<p>hello</p><map name=x><area alt='K' href='https://evil.example/K'></map>",
        "<p>hello<img alt='K' src='https://evil.example/x.png?K'></p>",
        "<p>hello<img alt='K' src='cid:K'></p>",
        "<p>hello <img srcset='https://evil.example/K 2x' sizes='K' usemap='#K'></p>",
        "<picture><source srcset='https://evil.example/K'><img alt=K></picture>hello",
        "<p>hello</p><textarea>K</textarea><select><option value=K>K</option></select>",
        "<p>hello</p><noscript>K</noscript><template>K</template><title>K</title>",
        "<p>hello <a href='https://evil.example/K'></a></p>",
        "<p>hello <a href='https://evil.example/K'><img src='https://evil.example/a.png'></a></p>",
        "<p>hello <a href='https://evil.example/K'> &nbsp; </a></p>",
        "<p>hello <a href='https://evil.example/K'><b></b><br></a></p>",
        "<p>hello <a title='K' hreflang='K' name='K' id='K' href='https://ok.example/'>x</a></p>",
        "<blockquote cite='https://evil.example/K'>hello</blockquote><q cite=K>a</q>",
        "<p><del datetime='K' cite='K'>hello</del><time datetime='K'>now</time></p>",
        "<p lang='K' id='K' class='K' data-x='K' aria-label='K' itemprop='K' slot='K'>hello</p>",
        "<p><a href='mailto:a@x.example?body=K&bcc=K@evil.example'>hello</a></p>",
        "<table summary='K'><tr><td headers='K' abbr='K' axis='K'>hello</td></tr></table>",
        "<ol start='7391'><li value='K'>hello</li></ol>",
        "<p>hello</p><math alttext=K><mtext>K</mtext><annotation>K</annotation></math>",
        "<p>hello</p><svg><text>K</text><desc>K</desc><title>K</title></svg>",
        "<p>hello</p><xmp>K</xmp><plaintext>K",
        "<p>hello</p><button value=K>K</button><input value=K placeholder=K><label for=K>l</label>",
        "<p>hello</p><object data=K>K</object><embed src=K><iframe srcdoc=K>K</iframe><audio src=K>K</audio>",
        "<!-- K --><p>hello</p><!--[if mso]>K<![endif]--><?K?><!K>",
        "<p style='font-family:K'>hello</p><p style='--K:1'>a</p><p style='color:red/*K*/'>b</p>",
        "<font face='K' color='K' size='K'>hello</font>",
        "<table><caption>K</caption><tfoot><tr><td>last</td></tr></tfoot><tbody><tr><td>hello</td></tr></tbody></table>",
        "<table><tr><td>hello</td></tr>K</table>",
        "<p K=K K>hello</p><K-element K=K>a</K-element>",
        "<base href='https://evil.example/K'><a href='x'>hello</a><link rel=K href=K><meta content=K>",
        "<dialog>K</dialog><marquee behavior=K>hello</marquee><blink>a</blink>",
        "<p hidden>K</p><div style='display:none'>K</div>hello",
        "<a href='https://user:K@evil.example/'>hello</a><a href='tel:K'>b</a><a href='https://[K]/'>c</a>",
        "<a href='https://ok.example/#K'>hello</a><a href='https://K.evil.example/?q=K'>b</a>",
        "<bdo dir=rtl>K</bdo>hello<bdi dir=K>b</bdi><wbr><wbr>",
        "<frameset><frame src=K><noframes>K</noframes></frameset>hello",
        "<p>hello&lt;!-- K --&gt;&lt;p title=K&gt;</p>",
        "<pre>hello\n\n\n          K</pre>",
    ] {
        let html = html.replace('K', UNSEEN);
        let safe = made_safe(&html).unwrap_or_else(|error| panic!("{error}: {html}"));

        assert_all_is_shown(&html, &safe.html);
        let seen = Words::of(&safe.html, Targets::Written);
        let targets = seen.links.iter().map(|link| link.target.to_uppercase());
        let is_shown =
            seen.text.contains(UNSEEN) || targets.into_iter().any(|target| target.contains(UNSEEN));
        assert!(is_shown || !safe.html.to_uppercase().contains(UNSEEN), "{html}: {}", safe.html);
        let lower = safe.html.to_lowercase();
        assert!(!lower.contains("<img") && !lower.contains("evil.example/x.png"), "{html}: {lower}");
    }
}

#[test]
fn what_is_drawn_elsewhere_or_otherwise_is_shown_as_it_will_be() {
    for (html, text) in [
        ("<p>I do <del>not</del> <s>never</s> agree</p>", "I do ~~not~~ ~~never~~ agree"),
        ("<p>10<sup>3</sup> H<sub>2</sub>O</p>", "10^3 H_2O"),
        ("<p>pay <bdo dir=rtl>001</bdo></p>", "pay 001"),
        ("<ol start=7><li>a</li><li>b</li></ol>", "1. a\n2. b"),
        ("<table><tbody><tr><td>b</td></tr></tbody><thead><tr><td>a</td></tr></thead></table>", "b\na"),
        ("<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n\n> b\n\nc"),
        ("<p>a <a href='https://x.example/y'>b</a></p>", "a b <https://x.example/y>"),
        ("<p><a href='https://x.example/'>https://x.example/</a></p>", "https://x.example/"),
    ] {
        let safe = made_safe(html).unwrap();

        assert_eq!(safe.text, text, "{html}: {}", safe.html);
    }
}

/// Pieces of HTML, whole and broken.
const SOUP: [&str; 44] = [
    "<p>",
    "</p>",
    "<table>",
    "<tr>",
    "<td colspan=2>",
    "</td>",
    "</table>",
    "<caption>",
    "<thead>",
    "<a href='https://x.example/q'>",
    "</a>",
    "<b>",
    "</b>",
    "<i>",
    "<select>",
    "<option>",
    "<svg>",
    "<title>",
    "</svg>",
    "<math>",
    "<mi>",
    "<style>",
    "</style>",
    "<!--",
    "-->",
    "<template>",
    "</template>",
    "<textarea>",
    "<ul>",
    "<li value=9>",
    "<pre>\n",
    "</pre>",
    "<form>",
    "<nobr>",
    "<s>",
    "</s>",
    "<font size=3 color=red>",
    "<p title=\"",
    "\">",
    "word",
    " other ",
    "&lt;",
    "&amp;amp;",
    "<frameset>",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 400, ..Default::default() })]

    #[test]
    fn whatever_the_soup_all_that_leaves_is_shown(pieces in proptest::collection::vec(0..SOUP.len(), 0..40)) {
        let html: String = pieces.iter().map(|piece| SOUP[*piece]).collect();

        if let Ok(safe) = made_safe(&html) {
            assert_all_is_shown(&html, &safe.html);
            assert_eq!(made_safe(&safe.html).unwrap().html, safe.html, "{html}");
        }
    }
}
