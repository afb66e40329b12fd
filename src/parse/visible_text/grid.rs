//! Where the cells of a table stand: whether a wide cell meets one that reaches down from a row above.

use std::collections::HashSet;

use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{Html, Node};

/// Places that are looked at in one document; a table that has more stays in doubt.
const MOST_PLACES: usize = 100_000;

/// What takes a row or a cell out of the grid, so that the others move.
const MOVES: [&str; 6] = ["all", "display", "float", "position", "visibility", "\\"];

/// The tables of which no two cells lie over each other, whatever they paint. Only attributes can say so: where a style
/// sheet or the style of a row or cell may take one out of the grid, nothing is known.
pub(super) fn apart(html: &Html) -> HashSet<NodeId> {
    let mut places = 0;
    let named = |name: &'static str| {
        html.tree
            .nodes()
            .filter(move |node| node.value().as_element().is_some_and(|found| found.name() == name))
    };
    let mut sheets = named("style").flat_map(|sheet| sheet.children());
    if sheets.any(|text| text.value().as_text().is_some_and(|text| may_move(text))) {
        return HashSet::new();
    }
    named("table").filter(|table| is_apart(*table, &mut places)).map(|table| table.id()).collect()
}

fn is_apart(table: NodeRef<'_, Node>, places: &mut usize) -> bool {
    elements(table).all(|(group, element)| match element.name() {
        "caption" | "colgroup" => true,
        "tbody" | "thead" | "tfoot" => is_plain(element) && group_is_apart(group, places),
        _ => false,
    })
}

/// Cells reach down to the end of their group and no further.
fn group_is_apart(group: NodeRef<'_, Node>, places: &mut usize) -> bool {
    let mut reaching = Vec::new();
    elements(group).all(|(row, element)| {
        let is_row = element.name() == "tr" && is_plain(element);
        reaching.iter_mut().for_each(|rows: &mut usize| *rows = rows.saturating_sub(1));
        is_row && row_is_apart(row, &mut reaching, places)
    })
}

/// Puts the cells of a row into the first free columns, as browsers do.
fn row_is_apart(row: NodeRef<'_, Node>, reaching: &mut Vec<usize>, places: &mut usize) -> bool {
    let mut column = 0;
    elements(row).all(|(_, cell)| {
        while reaching.get(column).is_some_and(|rows| *rows > 0) {
            column += 1;
        }
        let end = column + span(cell, "colspan").clamp(1, 1000);
        *places += end;
        let is_cell = matches!(cell.name(), "td" | "th") && is_plain(cell) && *places <= MOST_PLACES;
        if !is_cell || reaching.iter().take(end).skip(column).any(|rows| *rows > 0) {
            return false;
        }
        let rows = match span(cell, "rowspan") {
            0 => usize::MAX,
            rows => rows,
        };
        reaching.resize(reaching.len().max(end), 0);
        reaching[column..end].fill(rows);
        column = end;
        true
    })
}

fn elements(node: NodeRef<'_, Node>) -> impl Iterator<Item = (NodeRef<'_, Node>, &Element)> {
    node.children().filter_map(|child| child.value().as_element().map(|element| (child, element)))
}

fn is_plain(element: &Element) -> bool {
    !element.attr("style").is_some_and(may_move) && element.attr("hidden").is_none()
}

/// Whether a style may take something out of the grid; words of other things are taken for it too.
fn may_move(style: &str) -> bool {
    let style = style.to_ascii_lowercase();
    MOVES.iter().any(|word| style.contains(word))
}

/// The number that an attribute begins with, as HTML reads it; one where there is none.
fn span(cell: &Element, name: &str) -> usize {
    let digits = |text: &str| {
        let text = text.trim_start();
        let text = text.strip_prefix('+').unwrap_or(text);
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        text[..end].parse().ok()
    };
    cell.attr(name).and_then(digits).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::apart;
    use scraper::Html;

    fn is_apart(rows: &str) -> bool {
        !apart(&Html::parse_document(&format!("<table>{rows}</table>"))).is_empty()
    }

    #[test]
    fn cells_beside_each_other_are_apart() {
        for rows in [
            "<tr><td rowspan=2>a<td>b<tr><td>c<tr><td colspan=2>d",
            "<tr><td rowspan=3>a<td colspan=2>b<tr><td colspan=2>c<tr><td>d<td>e",
            "<thead><tr><th rowspan=9>a<th>b<tbody><tr><td colspan=2>c",
            "<tr><td rowspan='2 rows'>a<td>b<tr><td colspan=-2>c",
            "<tr><td rowspan=2 style='color:red'>a<td>b<tr><td>c<style>td{color:red}</style>",
        ] {
            assert!(is_apart(rows), "{rows}");
        }
    }

    #[test]
    fn cells_that_meet_and_tables_with_styles_are_not() {
        for rows in [
            "<tr><td>a<td rowspan=2>b<tr><td colspan=2>c",
            "<tr><td>a<td rowspan=0>b<tr><td>c<tr><td colspan=3>d",
            "<tr><td style='display:none'>a<td rowspan=2>b<tr><td colspan=2>c",
            "<tr><td hidden>a<td rowspan=2>b<tr><td colspan=2>c",
            "<tr><td rowspan=2>a<td>b<tr style='display:none'><td>c<tr><td colspan=2>d",
            "<tr><td rowspan=2>a<td>b<tr><td>c<style>td{display:block}</style>",
        ] {
            assert!(!is_apart(rows), "{rows}");
        }
        assert!(!is_apart(&"<tr><td colspan=1000>a".repeat(200)));
    }
}
