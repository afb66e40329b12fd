//! What the document says about the columns of a table and what stands beside a cell.

use ego_tree::NodeRef;
use scraper::Node;
use scraper::node::Element;

use super::Styler;

/// Cells behind more nodes of their row count as behind wide ones.
const MOST_BEFORE: usize = 40;
/// Words of no more letters are no longer than any line.
const FEW_LETTERS: usize = 40;
/// A cell of shorter words leaves room for those beside it.
const LONGEST_WORD: usize = 20;

impl Styler {
    /// How many columns a table has, if nothing can make them unequal; else none.
    pub(super) fn columns(&self, table: NodeRef<'_, Node>) -> usize {
        let has_attributes = |node: NodeRef<'_, Node>| {
            node.value()
                .as_element()
                .is_some_and(|element| element.attrs().any(|(name, _)| name != "bgcolor"))
        };
        let groups = elements(table);
        let [body] = groups.as_slice() else { return 0 };
        let rows = elements(*body);
        let is_plain = is_named(*body, "tbody") && rows.iter().all(|row| is_named(*row, "tr"));
        let Some(first) = rows.first().filter(|_| is_plain) else { return 0 };
        let spans = |cell: &NodeRef<'_, Node>| {
            cell.value().as_element().is_some_and(|cell| cell.attr("colspan").is_some())
        };
        let count = elements(*first).len();
        let is_even =
            rows.iter().all(|row| elements(*row).len() == count && !elements(*row).iter().any(spans));
        // Rows that are gone count for nothing, and cells of the first may say how wide they are.
        let is_bare = || {
            let cells = elements(*first);
            self.rules.is_empty() && !rows.iter().copied().chain(cells).any(has_attributes)
        };
        if is_even && (count == 1 || is_bare()) { count } else { 0 }
    }

    /// Whether a marquee does not run, and holds a few words that it need not cut off.
    pub(super) fn stands_still(&self, here: NodeRef<'_, Node>, marquee: &Element) -> bool {
        let texts = here.children().map(|child| child.value().as_text().map(|text| text.len()));
        let length = texts.sum::<Option<usize>>();
        let is_still = marquee.attrs().eq([("scrollamount", "0")]);
        is_still && self.leaves_alone(here) && length.is_some_and(|length| length <= FEW_LETTERS)
    }

    /// Whether anything before an element in its row may be wider than words are.
    pub(super) fn stands_behind_wide_ones(&self, here: NodeRef<'_, Node>) -> bool {
        let is_words = |node: NodeRef<'_, Node>| match node.value() {
            Node::Element(element) => {
                let is_look = |(name, _): (&str, &str)| {
                    matches!(name, "href" | "color" | "align" | "valign" | "bgcolor" | "target")
                };
                matches!(
                    element.name(),
                    "td" | "th" | "b" | "i" | "strong" | "em" | "font" | "a" | "p" | "br" | "span"
                ) && element.attrs().all(is_look)
                    && self.rules.of(node, &self.matcher).is_empty()
            }
            _ => true,
        };
        let text = |cell: NodeRef<'_, Node>| -> String {
            cell.descendants()
                .filter_map(|node| node.value().as_text().map(|text| text.to_string()))
                .collect()
        };
        let is_narrow =
            |cell: NodeRef<'_, Node>| text(cell).split_whitespace().all(|word| word.len() < LONGEST_WORD);
        // So many are looked at, so that the work for a row grows with its length and no faster.
        let before = || here.prev_siblings().take(MOST_BEFORE);
        here.prev_siblings().nth(MOST_BEFORE).is_some()
            || !before().all(|cell| cell.descendants().all(is_words) && is_narrow(cell))
    }
}

fn elements(node: NodeRef<'_, Node>) -> Vec<NodeRef<'_, Node>> {
    node.children().filter(|child| child.value().is_element()).collect()
}

fn is_named(node: NodeRef<'_, Node>, name: &str) -> bool {
    node.value().as_element().is_some_and(|element| element.name() == name)
}
