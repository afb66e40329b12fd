//! Tells tables of data from tables that only place things on the page, which most tables in mail are.

use std::collections::HashSet;

use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{Html, Node};

/// The tables whose cells belong together row by row: they have headers, a caption or borders, hold no other
/// table, and do not call themselves presentation.
pub(super) fn data_tables(html: &Html) -> HashSet<NodeId> {
    let mut data = HashSet::new();
    let mut layout = HashSet::new();
    for node in html.tree.nodes() {
        let Some(element) = node.value().as_element() else {
            continue;
        };
        match element.name() {
            "th" | "thead" | "caption" => data.extend(table_around(node)),
            "table" => {
                layout.extend(table_around(node));
                let set = if is_layout(element) {
                    Some(&mut layout)
                } else {
                    has_border(element).then_some(&mut data)
                };
                set.map(|set| set.insert(node.id()));
            }
            _ => {}
        }
    }
    data.retain(|table| !layout.contains(table));
    data
}

/// The nearest table that holds this node.
pub(super) fn table_around(node: NodeRef<'_, Node>) -> Option<NodeId> {
    node.ancestors()
        .find(|above| above.value().as_element().is_some_and(|element| element.name() == "table"))
        .map(|table| table.id())
}

fn is_layout(table: &Element) -> bool {
    matches!(table.attr("role"), Some("presentation" | "none"))
}

fn has_border(table: &Element) -> bool {
    table.attr("border").is_some_and(|width| !matches!(width.trim(), "0" | "0px" | "none"))
}
