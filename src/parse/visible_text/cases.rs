//! A document under conditions that cannot be decided here: where rules may or may not act, what is read is what can be
//! read in every case, each worked out for the whole document.

use std::collections::HashSet;

use ego_tree::NodeId;
use scraper::Html;

use super::computed::{Question, Styler};
use super::render::{self, Condition, Rendered};

/// So many questions are answered in every combination.
const MOST_CASES: usize = 3;

/// The visible text of a document where all `conditions` leave it readable, and all undecided rules do.
pub(super) fn render(html: &Html, styler: &mut Styler, mut conditions: Vec<Condition>) -> Option<Rendered> {
    let rendered = render::render(html, styler, &conditions)?;
    let Some(shown) = in_every_case(html, styler) else { return Some(rendered) };
    conditions.push(("rules that may act", shown));
    render::render(html, styler, &conditions)
}

/// The texts of a document that can be read, whichever undecided rules act.
pub(super) fn readable(html: &Html, styler: &mut Styler) -> Option<HashSet<NodeId>> {
    let shown = render::readable(html, styler)?;
    Some(in_every_case(html, styler).unwrap_or(shown))
}

/// The texts that can be read in each case of what was found undecided; `None` where what was found while reading is enough,
/// none where it is too much.
fn in_every_case(html: &Html, styler: &mut Styler) -> Option<HashSet<NodeId>> {
    let mut asked = Vec::new();
    let mut shown = None;
    // Rules that act may bring up others that may.
    loop {
        let undecided = styler.undecided();
        if undecided == asked {
            return shown;
        }
        if undecided.len() > MOST_CASES || !styler.can_be_tried() {
            return (styler.reaches_others() || shown.is_some()).then(HashSet::new);
        }
        shown = Some(try_all(html, styler, &undecided).unwrap_or_default());
        asked = undecided;
    }
}

/// The texts that can be read in every case; the styler is left with the one in which no such rule acts.
fn try_all(html: &Html, styler: &mut Styler, undecided: &[Question]) -> Option<HashSet<NodeId>> {
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
