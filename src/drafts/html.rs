//! HTML that may leave: what could run, spy or hide is taken out, and a text is made of the rest for those who read text.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ammonia::{Builder, UrlRelative};
use scraper::Html;

use crate::drafts::{DraftError, recipient};
use crate::model::Flag;
use crate::parse::visible_text;

/// More than mail programs show.
const LONGEST_HTML: usize = 2 << 20;

/// HTML that was made safe.
pub(super) struct SafeHtml {
    pub(super) html: String,
    /// What a person reads in it.
    pub(super) text: String,
    /// How many elements and attributes were taken out.
    pub(super) removed: u32,
}

/// Styles that only change how text looks. Values that load something or hide text are refused apart.
const STYLES: [&str; 45] = [
    "background",
    "background-color",
    "border",
    "border-bottom",
    "border-bottom-color",
    "border-bottom-style",
    "border-bottom-width",
    "border-collapse",
    "border-color",
    "border-left",
    "border-radius",
    "border-right",
    "border-spacing",
    "border-style",
    "border-top",
    "border-width",
    "color",
    "direction",
    "font",
    "font-family",
    "font-size",
    "font-style",
    "font-variant",
    "font-weight",
    "height",
    "letter-spacing",
    "line-height",
    "list-style-type",
    "margin",
    "margin-bottom",
    "margin-left",
    "margin-right",
    "margin-top",
    "max-width",
    "min-width",
    "padding",
    "padding-bottom",
    "padding-left",
    "padding-right",
    "padding-top",
    "text-align",
    "text-decoration",
    "vertical-align",
    "white-space",
    "width",
];
const EVERYWHERE: [&str; 6] = ["align", "bgcolor", "dir", "style", "valign", "width"];
const SCHEMES: [&str; 5] = ["http", "https", "mailto", "tel", "cid"];
/// Elements that go with all that is in them.
const WITH_CONTENT: [&str; 8] =
    ["script", "style", "title", "noscript", "iframe", "object", "textarea", "template"];
/// The frame of a document, which a body does not need.
const FRAME: [&str; 3] = ["html", "head", "body"];

/// Makes HTML safe. Refuses what cannot be read with certainty, and text that nobody would see.
pub(super) fn made_safe(html: &str) -> Result<SafeHtml, DraftError> {
    if html.len() > LONGEST_HTML {
        return Err(DraftError::TooLong { field: "html", length: html.len(), limit: LONGEST_HTML });
    }
    recipient::refuse_unseen("html", html)?;
    let refused = |problem| DraftError::BadHtml { problem };
    visible_text::from_html(html).ok_or_else(|| refused("it is too deep, or styled with too much"))?;
    let safe = sanitiser().clean(html).to_string();
    // Also what was spelt as `&#x202e;`.
    recipient::refuse_unseen("html", &safe)?;
    let visible = visible_text::from_html(&safe).ok_or_else(|| refused("it is too deep"))?;
    if visible.findings.flags.contains(&Flag::HiddenText) {
        return Err(refused("it holds text that nobody would see"));
    }
    Ok(SafeHtml { removed: removed(html, &safe), text: all_words(&safe), html: safe })
}

/// All text in it, also where its colours leave a doubt: without styles nothing is hidden.
fn all_words(html: &str) -> String {
    let plain = Builder::default().url_schemes(HashSet::from(SCHEMES)).link_rel(None).clean(html).to_string();
    visible_text::from_html(&plain).map(|visible| visible.text).unwrap_or_default()
}

fn sanitiser() -> Builder<'static> {
    let mut builder = Builder::default();
    builder
        .add_tags(["font", "u"])
        .add_generic_attributes(EVERYWHERE)
        .add_tag_attributes("table", ["border", "cellpadding", "cellspacing", "role"])
        .add_tag_attributes("font", ["color", "face", "size"])
        .clean_content_tags(HashSet::from(WITH_CONTENT))
        .filter_style_properties(HashSet::from(STYLES))
        .attribute_filter(|_, name, value| {
            (name != "style" || is_harmless(value)).then_some(Cow::Borrowed(value))
        })
        .url_schemes(HashSet::from(SCHEMES))
        .url_relative(UrlRelative::Deny)
        .link_rel(None);
    builder
}

/// A style that loads nothing, and is written without escapes and comments that could spell such a thing.
fn is_harmless(style: &str) -> bool {
    const LOADING: [&str; 8] = ["url(", "image(", "image-set(", "expression(", "attr(", "var(", "\\", "/*"];
    let style = style.to_lowercase();
    !LOADING.iter().any(|word| style.contains(word))
}

/// How many elements and attributes of `before` are not in `after`. Attributes of an element that went went with it.
fn removed(before: &str, after: &str) -> u32 {
    let (before, after) = (pieces(before), pieces(after));
    let missing = |(piece, count): (&Piece, &u32)| count.saturating_sub(*after.get(piece).unwrap_or(&0));
    let stays =
        |piece: &Piece| FRAME.contains(&piece.0.as_str()) || after.contains_key(&(piece.0.clone(), None));
    before.iter().filter(|(piece, _)| piece.1.is_none() || stays(piece)).map(missing).sum()
}

/// An element by its name, or one of its attributes.
type Piece = (String, Option<String>);

/// The elements and the attributes in HTML, each with how often it is there. Of the frame only what could run counts.
fn pieces(html: &str) -> HashMap<Piece, u32> {
    let mut pieces = HashMap::new();
    let document = Html::parse_document(html);
    let comments = document.tree.values().filter(|node| node.is_comment());
    comments.for_each(|_| *pieces.entry(("!--".to_owned(), None)).or_default() += 1);
    for element in document.tree.values().filter_map(|node| node.as_element()) {
        let is_frame = FRAME.contains(&element.name());
        let attributes = element.attrs().filter(|(name, _)| !is_frame || name.starts_with("on"));
        let own = (!is_frame).then_some(None);
        for piece in own.into_iter().chain(attributes.map(|attribute| Some(without_blanks(attribute)))) {
            *pieces.entry((element.name().to_owned(), piece)).or_default() += 1;
        }
    }
    pieces
}

fn without_blanks((name, value): (&str, &str)) -> String {
    let value: String = value.chars().filter(|c| !c.is_whitespace() && *c != ';').collect();
    format!("{name}={value}")
}

#[cfg(test)]
mod tests {
    use super::made_safe;

    #[test]
    fn ordinary_mail_stays_as_it_is() {
        for html in [
            "<p>Dear <b>Bob</b>,</p><p>see you <i>soon</i>.<br>Ada</p>",
            "<table border=\"1\"><tbody><tr><td style=\"color:#333;padding:4px\">a</td><td>b</td></tr></tbody></table>",
            "<ul><li>one</li><li><a href=\"https://x.example/a?b=c\">two</a></li></ul>",
            "<a href=\"https://x.example\" style=\"background:#06c;color:#fff;padding:9px\">Button</a>",
            "<table><tbody><tr><td bgcolor=\"#000000\"><font color=\"#ffffff\">light</font></td></tr></tbody></table>",
            "<div style=\"max-width:600px;margin:0 auto;font-variant:small-caps\">narrow</div>",
            "<blockquote>quoted</blockquote><img src=\"https://x.example/logo.png\" alt=\"Logo\">",
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
                "<script", "<style", "<svg", "<math", "<iframe", "<object", "<embed", "<form", "<meta",
                "<link", "<!--",
            ] {
                assert!(!lower.contains(element), "{html}: {lower}");
            }
            assert!(safe.removed > 0 || lower.contains("&lt;"), "{html}: {lower}");
            assert_eq!(made_safe(&safe.html).unwrap().html, safe.html, "{html}");
        }
    }

    #[test]
    fn the_text_is_what_a_person_reads() {
        let safe =
            made_safe("<h1>Offer</h1><p>Dear Bob,<br>two &lt; three</p><script>no()</script>").unwrap();

        for words in ["Offer", "Dear Bob,", "two < three"] {
            assert!(safe.text.contains(words), "{}", safe.text);
        }
        assert!(!safe.text.contains("no()"), "{}", safe.text);
    }

    #[test]
    fn text_on_a_background_that_is_hard_to_judge_stands_in_the_text_too() {
        let html = "<p>Dear Bob,</p><h1 style=\"background:linear-gradient(135deg,#667eea,#764ba2);color:white\">Offer</h1>\
                    <p>Ada</p>";

        let safe = made_safe(html).unwrap();

        let words: Vec<_> = safe.text.split_whitespace().filter(|word| *word != "#").collect();
        assert_eq!(words, ["Dear", "Bob,", "Offer", "Ada"], "{}", safe.text);
        assert!(safe.html.contains("linear-gradient"), "{}", safe.html);
    }

    #[test]
    fn text_that_nobody_would_see_is_refused() {
        for html in [
            "<p>a</p><p style=\"color:#ffffff;background-color:#ffffff\">the other text</p>",
            "<p>a</p><span style=\"font-size:0\">the other text</span>",
            "a\0b",
            "<p>pay \u{202e}001\u{202c}</p>",
            "<p>pay &#x202e;001&#x202c;</p>",
            "<p>hi\u{e0073}\u{e0065}</p>",
            "<a href=\"https://x.example/&#xe0073;\">a</a>",
            "a&#x1b;[2Jb",
            &"<div>".repeat(100_000),
        ] {
            assert!(made_safe(html).is_err(), "{}", &html[..html.len().min(80)]);
        }
    }
}
