//! Links that nobody sees: without a text they would take a target along that no reader meets.

use std::borrow::Cow;

use scraper::{ElementRef, Html, Selector};

/// The same HTML without links that have no text.
pub(super) fn taken_out(html: &str) -> Cow<'_, str> {
    if !html.contains("<a") {
        return Cow::Borrowed(html);
    }
    let mut document = Html::parse_fragment(html);
    let links = Selector::parse("a").expect("the selector is a constant and is read");
    let is_empty = |link: &ElementRef<'_>| link.text().all(|text| text.trim().is_empty());
    let empty: Vec<_> = document.select(&links).filter(is_empty).map(|link| link.id()).collect();
    if empty.is_empty() {
        return Cow::Borrowed(html);
    }
    for link in empty {
        if let Some(mut link) = document.tree.get_mut(link) {
            link.detach();
        }
    }
    Cow::Owned(document.root_element().inner_html())
}
