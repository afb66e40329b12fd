//! A document under conditions that cannot be decided here: where rules may or may not act, what is read is what can be
//! read in every case, each worked out for the whole document.

use std::collections::HashSet;

use ego_tree::NodeId;
use scraper::Html;

use super::computed::Styler;
use super::render::{self, Condition, Rendered};

/// The visible text of a document where all `conditions` leave it readable, and all undecided rules do.
pub(super) fn render(html: &Html, styler: &mut Styler, mut conditions: Vec<Condition>) -> Option<Rendered> {
    let rendered = render::render(html, styler, &conditions)?;
    let Some(shown) = in_every_case(html, styler) else { return Some(rendered) };
    conditions.push(("rules that may act", shown));
    render::render(html, styler, &conditions).or(Some(rendered))
}

/// The texts of a document that can be read, whichever undecided rules act.
pub(super) fn readable(html: &Html, styler: &mut Styler) -> Option<HashSet<NodeId>> {
    let shown = render::readable(html, styler)?;
    Some(in_every_case(html, styler).unwrap_or(shown))
}

/// The texts that can be read in each case of what was found undecided, if that is little; the styler is left with the case
/// in which no such rule acts.
fn in_every_case(html: &Html, styler: &mut Styler) -> Option<HashSet<NodeId>> {
    let undecided = styler.undecided()?;
    let mut shown: Option<HashSet<NodeId>> = None;
    for case in (0..1_usize << undecided.len()).rev() {
        styler.decide(undecided.iter().enumerate().map(|(place, own)| (*own, case >> place & 1 == 1)));
        let readable = render::readable(html, styler)?;
        shown = Some(match shown {
            Some(before) => before.intersection(&readable).copied().collect(),
            None => readable,
        });
    }
    shown
}
