//! A document under conditions that cannot be decided here: where rules may or may not act, and where readers may drop what
//! others take, what is read is what can be read in every case, each worked out for the whole document.

use std::collections::HashSet;

use ego_tree::NodeId;
use scraper::Html;

use super::computed::{Odd, Question, Styler};
use super::render::{self, Condition, Rendered};

/// So many rules that may act are tried.
const MOST_QUESTIONS: usize = 3;
/// So many of them, and of what readers may drop, are tried in every combination.
const MOST_CASES: usize = 6;

/// The visible text of a document where all `conditions` leave it readable, and every case does.
pub(super) fn render(html: &Html, styler: &mut Styler, mut conditions: Vec<Condition>) -> Option<Rendered> {
    let rendered = render::render(html, styler, &conditions)?;
    let Some(cases) = in_every_case(html, styler) else { return Some(rendered) };
    conditions.push(cases);
    render::render(html, styler, &conditions)
}

/// The texts of a document that can be read in every case.
pub(super) fn readable(html: &Html, styler: &mut Styler) -> Option<HashSet<NodeId>> {
    let shown = render::readable(html, styler)?;
    Some(in_every_case(html, styler).map_or(shown, |(_, shown)| shown))
}

/// The texts that can be read in each case of what was found undecided or odd; `None` where what was found while reading is
/// enough, none where it is too much.
fn in_every_case(html: &Html, styler: &mut Styler) -> Option<Condition> {
    let mut asked = (Vec::new(), Vec::new());
    let mut shown = None;
    // Rules that act, and what is not dropped, may bring up more of both.
    loop {
        let (mut undecided, odd) = (styler.undecided(), styler.odd());
        let reason = if undecided.is_empty() { "style" } else { "rules that may act" };
        if undecided.len() > MOST_QUESTIONS || !styler.can_be_tried() {
            if styler.reaches_others() || shown.is_some() {
                return Some((reason, HashSet::new()));
            }
            undecided.clear();
        }
        if (&undecided, &odd) == (&asked.0, &asked.1) {
            return shown.map(|shown| (reason, shown));
        }
        let is_tried = undecided.len() + odd.len() <= MOST_CASES;
        let tried = is_tried.then(|| try_all(html, styler, &undecided, &odd)).flatten();
        shown = Some(tried.unwrap_or_default());
        asked = (undecided, odd);
    }
}

/// The texts that can be read in every case; the styler is left with the one in which no such rule acts and nothing is
/// dropped.
fn try_all(html: &Html, styler: &mut Styler, undecided: &[Question], odd: &[Odd]) -> Option<HashSet<NodeId>> {
    let cases = (0..1_usize << (undecided.len() + odd.len())).rev();
    let mut readable = cases.map(|case| {
        let holds = |place: usize| case >> place & 1 == 1;
        styler.decide(undecided.iter().enumerate().map(|(place, own)| (*own, holds(place))));
        let dropped = odd.iter().enumerate().filter(|(place, _)| holds(undecided.len() + place));
        styler.drop_forms(dropped.map(|(_, odd)| odd.clone()).collect());
        render::readable(html, styler)
    });
    let first = readable.next().flatten();
    readable.fold(first, |all, own| Some(all?.intersection(&own?).copied().collect()))
}
