//! The style sheets that stand in a message. Those that would have to be fetched do not count.

use html5ever::ns;
use scraper::node::Element;
use scraper::{Html, Node};

use super::css::matching::Match;
use super::css::tokens::cleaned_address;

/// The sheets of a document in their order, each with its `media` attribute and whether it surely counts: a sheet with a
/// title is one of several to choose from.
pub(super) fn of(html: &Html) -> Vec<Sheet> {
    let mut sheets = Vec::new();
    for node in html.tree.root().descendants() {
        let Some(element) = node.value().as_element() else { continue };
        let css = match element.name() {
            "style" if is_css(element.attr("type")) => {
                let texts = node.children().filter_map(|child| child.value().as_text().map(|text| &**text));
                Some(texts.collect::<String>())
            }
            _ => None,
        };
        if let Some(css) = css.filter(|_| !node.ancestors().any(|above| is_template(above.value()))) {
            let holds = if element.attr("title").is_some() || element.attr("disabled").is_some() {
                Match::Maybe
            } else {
                Match::Yes
            };
            let kind = element.attr("type").unwrap_or_default();
            let plain = (kind.is_empty() || kind.eq_ignore_ascii_case("text/css")) && is_html(element);
            let medium = element.attr("media").unwrap_or_default().to_owned();
            sheets.push(Sheet { css, medium, holds, plain });
        }
    }
    sheets
}

/// A style sheet of a message.
pub(super) struct Sheet {
    pub(super) css: String,
    /// For which media it is.
    pub(super) medium: String,
    pub(super) holds: Match,
    /// Whether every reader finds it.
    pub(super) plain: bool,
}

/// Whether an element is one of HTML, and not of a drawing or a formula.
fn is_html(element: &Element) -> bool {
    element.name.ns == ns!(html)
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
            // Whatever does not say in so many words that light is fine may ask for dark.
            () if is("name", "color-scheme") && !has_word(&content, "light") => Some("color-scheme"),
            () => None,
        }
    })
}

fn is_css(kind: Option<&str>) -> bool {
    kind.is_none_or(|kind| kind.trim().is_empty() || kind.trim().eq_ignore_ascii_case("text/css"))
}

fn is_style_link(rel: Option<&str>) -> bool {
    rel.is_some_and(|rel| has_word(rel, "stylesheet"))
}

fn has_word(words: &str, wanted: &str) -> bool {
    words.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(wanted))
}

fn is_template(node: &Node) -> bool {
    node.as_element().is_some_and(|element| element.name() == "template" && is_html(element))
}

/// Whether a sheet comes with the message in an address or in another part, where readers find different ones.
fn is_beyond(address: &str) -> bool {
    let start: String = cleaned_address(address).chars().take(5).collect::<String>().to_ascii_lowercase();
    start.starts_with("cid:") || start.starts_with("data:") || start.starts_with("blob:")
}

/// Whether a list to choose from holds tags that some parsers keep there and others drop, and that may be styled.
pub(super) fn has_odd_list(lower: &str) -> bool {
    let has_sheets = lower.contains("<style");
    lower.split("<select").skip(1).any(|rest| {
        let list = rest.split("</select").next().unwrap_or(rest);
        let mut names = list.split('<').skip(1).map(|tag| tag.trim_start_matches('/'));
        let is_known =
            |tag: &str| ["option", "optgroup", "hr", "!--"].iter().any(|known| tag.starts_with(known));
        (has_sheets || list.contains("style")) && !names.all(is_known)
    })
}
