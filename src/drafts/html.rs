//! HTML that may leave: what could run, spy or hide is taken out, and a text is made of the rest for those who read text.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ammonia::{Builder, UrlRelative};
use scraper::Html;

use crate::drafts::DraftError;
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
const STYLES: [&str; 44] = [
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
    if html.contains('\0') {
        return Err(DraftError::HiddenCharacter { field: "html", value: String::new(), character: '\0' });
    }
    let refused = |problem| DraftError::BadHtml { problem };
    visible_text::from_html(html).ok_or_else(|| refused("it is too deep, or styled with too much"))?;
    let safe = sanitiser().clean(html).to_string();
    let visible = visible_text::from_html(&safe).ok_or_else(|| refused("it is too deep"))?;
    if visible.findings.flags.contains(&Flag::HiddenText) || !visible.doubtful.is_empty() {
        return Err(refused("it holds text that nobody would see"));
    }
    Ok(SafeHtml { removed: removed(html, &safe), html: safe, text: visible.text })
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

/// A style that loads nothing, and is written without escapes that could spell such a thing.
fn is_harmless(style: &str) -> bool {
    let style = style.to_lowercase();
    !["url", "image", "expression", "import", "\\", "/*", "attr", "var"]
        .iter()
        .any(|word| style.contains(word))
}

/// How many elements and attributes of `before` are not in `after`. Attributes of an element that went went with it.
fn removed(before: &str, after: &str) -> u32 {
    let (before, after) = (pieces(before), pieces(after));
    let missing = |(piece, count): (&String, &u32)| count.saturating_sub(*after.get(piece).unwrap_or(&0));
    let element = |piece: &str| piece.split(' ').next().unwrap_or_default().to_owned();
    let stays = |piece: &&String| after.contains_key(&element(piece));
    before.iter().filter(|(piece, _)| !piece.contains(' ') || stays(piece)).map(missing).sum()
}

/// The elements and the attributes in HTML, each with how often it is there.
fn pieces(html: &str) -> HashMap<String, u32> {
    let mut pieces = HashMap::new();
    let document = Html::parse_document(html);
    let elements = document.tree.values().filter_map(|node| node.as_element());
    for element in elements.filter(|element| !FRAME.contains(&element.name())) {
        *pieces.entry(element.name().to_owned()).or_default() += 1;
        for (name, value) in element.attrs() {
            let value: String = value.chars().filter(|c| !c.is_whitespace() && *c != ';').collect();
            *pieces.entry(format!("{} {name} {value}", element.name())).or_default() += 1;
        }
    }
    pieces
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
            "<blockquote>quoted</blockquote><img src=\"https://x.example/logo.png\" alt=\"Logo\">",
        ] {
            let safe = made_safe(html).unwrap();

            assert_eq!((safe.html.as_str(), safe.removed), (html, 0));
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
    fn the_text_is_what_a_person_reads() {
        let safe =
            made_safe("<h1>Offer</h1><p>Dear Bob,<br>two &lt; three</p><script>no()</script>").unwrap();

        for words in ["Offer", "Dear Bob,", "two < three"] {
            assert!(safe.text.contains(words), "{}", safe.text);
        }
        assert!(!safe.text.contains("no()"), "{}", safe.text);
    }

    #[test]
    fn text_that_nobody_would_see_is_refused() {
        for html in [
            "<p>a</p><p style=\"color:#ffffff;background-color:#ffffff\">the other text</p>",
            "<p>a</p><span style=\"font-size:0\">the other text</span>",
            "a\0b",
            &"<div>".repeat(100_000),
        ] {
            assert!(made_safe(html).is_err(), "{}", &html[..html.len().min(80)]);
        }
    }
}
