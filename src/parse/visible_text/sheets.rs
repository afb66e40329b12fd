//! The style sheets that stand in a message. Those that would have to be fetched do not count.

use scraper::{Html, Node};

use super::super::transfer;
use super::css::matching::Match;

/// The sheets of a document in their order, each with its `media` attribute and whether it surely counts: a sheet with a
/// title is one of several to choose from.
pub(super) fn of(html: &Html) -> Vec<(String, String, Match)> {
    let mut sheets = Vec::new();
    for node in html.tree.root().descendants() {
        let Some(element) = node.value().as_element() else { continue };
        let css = match element.name() {
            "style" if is_css(element.attr("type")) => {
                let texts = node.children().filter_map(|child| child.value().as_text().map(|text| &**text));
                Some(texts.collect::<String>())
            }
            "link" if is_style_link(element.attr("rel")) => element.attr("href").and_then(embedded),
            _ => None,
        };
        if let Some(css) = css.filter(|_| !node.ancestors().any(|above| is_template(above.value()))) {
            let holds = if element.attr("title").is_some() || element.attr("disabled").is_some() {
                Match::Maybe
            } else {
                Match::Yes
            };
            sheets.push((css, element.attr("media").unwrap_or_default().to_owned(), holds));
        }
    }
    sheets
}

/// What a `meta` element, or a sheet that cannot be read, may change about how everything looks.
pub(super) fn strange_head(html: &Html) -> Option<&'static str> {
    html.tree.nodes().find_map(|node| {
        let element =
            node.value().as_element().filter(|element| matches!(element.name(), "meta" | "link"))?;
        if element.name() == "link" {
            let is_beyond = is_style_link(element.attr("rel")) && element.attr("href").is_some_and(is_beyond);
            return is_beyond.then_some("style sheet");
        }
        let is = |name: &str, wanted: &str| {
            element.attr(name).is_some_and(|own| own.trim().eq_ignore_ascii_case(wanted))
        };
        let content = element.attr("content").unwrap_or_default().to_ascii_lowercase();
        match () {
            () if is("http-equiv", "content-security-policy") || is("http-equiv", "default-style") => {
                Some("policy")
            }
            () if is("name", "color-scheme") && content.contains("dark") && !content.contains("light") => {
                Some("color-scheme")
            }
            () => None,
        }
    })
}

fn is_css(kind: Option<&str>) -> bool {
    kind.is_none_or(|kind| kind.trim().is_empty() || kind.trim().eq_ignore_ascii_case("text/css"))
}

fn is_style_link(rel: Option<&str>) -> bool {
    let has =
        |rel: &str, wanted: &str| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(wanted));
    rel.is_some_and(|rel| has(rel, "stylesheet") && !has(rel, "alternate"))
}

fn is_template(node: &Node) -> bool {
    node.as_element().is_some_and(|element| element.name() == "template")
}

/// The content of a `data:` address.
fn embedded(address: &str) -> Option<String> {
    let address = address.trim();
    let (scheme, rest) = address.split_once(':')?;
    let (head, data) = rest.split_once(',').filter(|_| scheme.eq_ignore_ascii_case("data"))?;
    let bytes = percent_decoded(data);
    let is_base64 = head.rsplit(';').next().is_some_and(|last| last.trim().eq_ignore_ascii_case("base64"));
    let bytes = if is_base64 { transfer::base64(&bytes).0 } else { bytes };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a sheet comes with the message and cannot be read here: in another part, or in letters of another kind.
fn is_beyond(address: &str) -> bool {
    let start: String = address.trim_start().chars().take(200).collect::<String>().to_ascii_lowercase();
    let head = start.split(',').next().unwrap_or_default();
    let is_plain = |charset: &str| charset.starts_with("utf-8") || charset.starts_with("us-ascii");
    let charset = head.split_once("charset=").map(|(_, charset)| charset.trim_start_matches(['"', ' ']));
    start.starts_with("cid:") || (start.starts_with("data:") && charset.is_some_and(|name| !is_plain(name)))
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let value = (*byte == b'%').then(|| transfer::hex_pair(&bytes[at + 1..])).flatten();
        out.push(value.unwrap_or(*byte));
        at += if value.is_some() { 3 } else { 1 };
    }
    out
}
