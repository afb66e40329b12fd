//! HTML that may leave. Only elements, attributes and values from our own lists stay, so that nothing goes along that the
//! person is not shown: every word of it is in [`words`], every target of a link in its list, and no value can hold a text.

mod allowed;
mod empty_links;
mod href;
mod link;
mod style;
mod words;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ammonia::{Builder, UrlRelative};
use scraper::Html;

use crate::drafts::{DraftError, recipient};
use crate::model::Flag;
use crate::parse::visible_text;

pub use link::Link;
pub(super) use words::{Targets, Words};

/// More than mail programs show.
const LONGEST_HTML: usize = 2 << 20;
/// All of them are shown.
const MOST_LINKS: usize = 300;
/// What is taken out of a table may make its parts fall into other places; after this often they have found them.
const ROUNDS: usize = 5;

/// HTML that was made safe.
#[derive(Debug)]
pub(super) struct SafeHtml {
    pub(super) html: String,
    /// All its words, with the targets of its links.
    pub(super) text: String,
    /// How many elements and attributes were taken out or changed.
    pub(super) removed: u32,
}

/// The frame of a document, which a body does not need.
const FRAME: [&str; 3] = ["html", "head", "body"];

/// Makes HTML safe. Refuses what cannot be read with certainty, and text that nobody would see.
pub(super) fn made_safe(html: &str) -> Result<SafeHtml, DraftError> {
    if html.len() > LONGEST_HTML {
        return Err(DraftError::TooLong { field: "html", length: html.len(), limit: LONGEST_HTML });
    }
    recipient::refuse_unseen("html", html)?;
    visible_text::from_html(html).ok_or_else(|| refused("it is too deep, or styled with too much"))?;
    // Without a background that cannot stay, letters may have the colour of the paper: then all colours go.
    let safe = match readable(cleaned(html, allowed::value)?)? {
        Some(safe) => safe,
        None => readable(cleaned(html, allowed::colourless)?)?
            .ok_or_else(|| refused("it holds text that nobody would see"))?,
    };
    if is_pushed_out(&safe) {
        return Err(refused("its boxes stand so deep in each other that text is pushed out of sight"));
    }
    let Words { text, links } = Words::of(&safe, Targets::Written);
    if links.len() > MOST_LINKS {
        return Err(refused("it has more links than a person would look at"));
    }
    Ok(SafeHtml { removed: removed(html, &safe), text, html: safe })
}

/// The same, if all of it is seen for sure.
fn readable(safe: String) -> Result<Option<String>, DraftError> {
    // Also what was spelt as `&#x202e;`.
    recipient::refuse_unseen("html", &safe)?;
    let visible = visible_text::from_html(&safe).ok_or_else(|| refused("it is too deep"))?;
    let is_unseen = |flag: &Flag| matches!(flag, Flag::HiddenText | Flag::DoubtfulText);
    Ok(Some(safe).filter(|_| !visible.findings.flags.iter().any(is_unseen)))
}

/// Whether more boxes with room beside them stand in each other than a screen is wide.
fn is_pushed_out(safe: &str) -> bool {
    const MOST: usize = 20;
    let document = Html::parse_fragment(safe);
    let pushes = |element: &scraper::node::Element| {
        let style = element.attr("style").unwrap_or_default().to_ascii_lowercase();
        ["blockquote", "ul", "ol", "dd", "figure"].contains(&element.name())
            || ["padding", "margin", "border"].iter().any(|room| style.contains(room))
    };
    let is_box = |node: &ego_tree::NodeRef<'_, scraper::Node>| node.value().as_element().is_some_and(pushes);
    document.tree.nodes().filter(is_box).any(|node| node.ancestors().filter(is_box).count() >= MOST)
}

const fn refused(problem: &'static str) -> DraftError {
    DraftError::BadHtml { problem }
}

/// What stays of it, as it is read again and again.
fn cleaned(html: &str, value: ValueFilter) -> Result<String, DraftError> {
    let sanitiser = sanitiser(value);
    let mut safe = sanitiser.clean(html).to_string();
    for _ in 0..ROUNDS {
        let again = sanitiser.clean(&empty_links::taken_out(&safe)).to_string();
        if again == safe {
            return Ok(safe);
        }
        safe = again;
    }
    Err(refused("it is so damaged that it reads otherwise each time"))
}

/// The value that an attribute of an element leaves with.
type ValueFilter = for<'v> fn(&str, &str, &'v str) -> Option<Cow<'v, str>>;

fn sanitiser(value: ValueFilter) -> Builder<'static> {
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from(allowed::TAGS))
        .generic_attributes(HashSet::from(allowed::ATTRIBUTES))
        .clean_content_tags(HashSet::from(allowed::WITH_CONTENT))
        .attribute_filter(value)
        .url_schemes(HashSet::from(href::SCHEMES))
        .url_relative(UrlRelative::Deny)
        .link_rel(None);
    builder
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
    format!("{name}={}", value.to_lowercase())
}

#[cfg(test)]
mod tests;
