//! Where the cells of a table stand: which wide cells meet others that reach down from a row above.

use std::collections::HashSet;

use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{Html, Node};

use super::computed::Styler;

/// Places that are looked at in one document; a table that has more stays in doubt.
const MOST_PLACES: usize = 100_000;

/// What takes a row or a cell out of the grid, so that the others move.
const MOVES: [&str; 6] = ["all", "display", "float", "position", "visibility", "\\"];

/// What is known about the tables of a document.
#[derive(Debug, Default)]
pub(super) struct Grids {
    /// Tables of which it is known where each cell stands.
    pub(super) known: HashSet<NodeId>,
    /// Their cells that share a place with another.
    pub(super) meeting: HashSet<NodeId>,
}

/// Where the cells of tables stand, whatever they paint. Only attributes can say so: of a table where a rule or the style of a
/// row or cell may take one out of the grid, nothing is known.
pub(super) fn of(html: &Html, styler: &Styler) -> Grids {
    let (mut grids, mut places) = (Grids::default(), 0);
    let named = |name: &'static str| {
        html.tree
            .nodes()
            .filter(move |node| node.value().as_element().is_some_and(|found| found.name() == name))
    };
    for table in named("table") {
        let meeting = if has_still_cells(table, styler) { meeting(table, &mut places) } else { None };
        if let Some(meeting) = meeting {
            grids.known.insert(table.id());
            grids.meeting.extend(meeting);
        }
    }
    grids
}

/// Whether no rule may take a row or a cell of a table out of its grid.
fn has_still_cells(table: NodeRef<'_, Node>, styler: &Styler) -> bool {
    let groups = || elements(table).map(|(group, _)| group);
    let rows = || groups().flat_map(|group| elements(group).map(|(row, _)| row));
    let cells = || rows().flat_map(|row| elements(row).map(|(cell, _)| cell));
    !groups().chain(rows()).chain(cells()).any(|node| styler.may_take_out(node))
}

/// The cells of a table that share a place with another; `None` where that is not known.
fn meeting(table: NodeRef<'_, Node>, places: &mut usize) -> Option<HashSet<NodeId>> {
    let mut meeting = HashSet::new();
    for (group, element) in elements(table) {
        match element.name() {
            "caption" | "colgroup" => {}
            "tbody" | "thead" | "tfoot" if is_plain(element) => place_group(group, &mut meeting, places)?,
            _ => return None,
        }
    }
    Some(meeting)
}

/// The cells that stand in a column, with the rows that they still reach down.
type Column = Vec<(usize, NodeId)>;

/// Cells reach down to the end of their group and no further.
fn place_group(group: NodeRef<'_, Node>, meeting: &mut HashSet<NodeId>, places: &mut usize) -> Option<()> {
    let mut columns: Vec<Column> = Vec::new();
    for (row, element) in elements(group) {
        for column in &mut columns {
            column.iter_mut().for_each(|(rows, _)| *rows -= 1);
            column.retain(|(rows, _)| *rows > 0);
        }
        let is_row = element.name() == "tr" && is_plain(element);
        is_row.then(|| place_row(row, &mut columns, meeting, places))??;
    }
    Some(())
}

/// Puts the cells of a row into the first free columns, as browsers do.
fn place_row(
    row: NodeRef<'_, Node>,
    columns: &mut Vec<Column>,
    meeting: &mut HashSet<NodeId>,
    places: &mut usize,
) -> Option<()> {
    let mut first = 0;
    for (node, cell) in elements(row) {
        while columns.get(first).is_some_and(|column| !column.is_empty()) {
            first += 1;
        }
        let end = first + span(cell, "colspan").clamp(1, 1000);
        *places += end;
        if !matches!(cell.name(), "td" | "th") || !is_plain(cell) || *places > MOST_PLACES {
            return None;
        }
        let rows = match span(cell, "rowspan") {
            0 => usize::MAX,
            rows => rows,
        };
        columns.resize(columns.len().max(end), Vec::new());
        for column in &mut columns[first..end] {
            if !column.is_empty() {
                meeting.extend(column.iter().map(|(_, other)| *other).chain([node.id()]));
            }
            column.push((rows, node.id()));
        }
        first = end;
    }
    Some(())
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
    use super::super::css::media::Scheme;
    use super::{Styler, of};
    use scraper::Html;

    /// How many cells of a table meet others, if that is known.
    fn met(rows: &str) -> Option<usize> {
        let html = Html::parse_document(&format!("<table>{rows}</table>"));
        let grids = of(&html, &Styler::new(&html, rows, Scheme::Light).unwrap());
        (!grids.known.is_empty()).then_some(grids.meeting.len())
    }

    fn is_apart(rows: &str) -> bool {
        met(rows) == Some(0)
    }

    #[test]
    fn cells_beside_each_other_are_apart() {
        for rows in [
            "<tr><td rowspan=2>a<td>b<tr><td>c<tr><td colspan=2>d",
            "<tr><td rowspan=3>a<td colspan=2>b<tr><td colspan=2>c<tr><td>d<td>e",
            "<thead><tr><th rowspan=9>a<th>b<tbody><tr><td colspan=2>c",
            "<tr><td rowspan='2 rows'>a<td>b<tr><td colspan=-2>c",
            "<tr><td rowspan=2 style='color:red'>a<td>b<tr><td>c<style>td{color:red}</style>",
            "<tr><td rowspan=2>a<td>b<tr><td>c<style>p{display:none}td{font-size:small}</style>",
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

    #[test]
    fn only_cells_that_share_a_place_meet() {
        assert_eq!(met("<tr><td>a<td rowspan=2>b<td>x<tr><td colspan=2>c<td>y"), Some(2));
        assert_eq!(
            met("<tr><td rowspan=9>a<td rowspan=3>b<td rowspan=3>c<tr><tr><tr><td colspan=2>d"),
            Some(0)
        );
        assert_eq!(met("<tr><td>e<td rowspan=3>b<td rowspan=3>c<tr><td>d<tr><td colspan=3>f"), Some(3));
        assert_eq!(met("<tr><td style='display:none'>a<td rowspan=2>b<tr><td colspan=2>c"), None);
    }
}
