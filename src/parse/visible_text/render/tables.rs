//! Tables while they are read: which cell stands beside others, and which rows end where.

use ego_tree::NodeId;
use scraper::node::Element;

use super::super::flow::Gap;
use super::Renderer;

/// A table that is open.
pub(super) struct Table {
    is_data: bool,
    pub(super) start: usize,
    /// It is known which cells lie over others.
    pub(super) is_known: bool,
    /// A cell reaches into rows below, where wide ones may lie over it.
    pub(super) is_spanned: bool,
    /// A cell of several columns has begun since, and may meet it.
    pub(super) meets: bool,
    row_has_cells: bool,
    /// Where the row begins, and whether its cell stands beside others.
    pub(super) row: usize,
    pub(super) is_beside: bool,
    /// Something stands at its end that is told before.
    pub(super) is_shuffled: bool,
}

impl Renderer<'_> {
    pub(super) fn open_table(&mut self, node: NodeId) {
        let start = self.flow.position();
        self.tables.push(Table {
            is_data: self.data_tables.contains(&node),
            start,
            is_known: self.grids.known.contains(&node),
            is_spanned: false,
            meets: false,
            row_has_cells: false,
            row: start,
            is_beside: false,
            is_shuffled: false,
        });
    }

    pub(super) fn open_row(&mut self) {
        let position = self.flow.position();
        if let Some(table) = self.tables.last_mut() {
            table.row_has_cells = false;
            table.row = if table.is_spanned { table.start } else { position };
        }
    }

    pub(super) fn close_row(&mut self) {
        if let Some(row) = self.tables.last().filter(|table| table.is_beside).map(|table| table.row) {
            self.end_beside(row);
        }
    }

    /// The last rows of a table need not be those that are told last.
    pub(super) fn close_table(&mut self) {
        if let Some(table) = self.tables.pop().filter(|table| table.is_shuffled) {
            self.end_beside(table.start);
        }
    }

    pub(super) fn open_cell(&mut self, cell: &Element) {
        self.span(cell);
        let Some(table) = self.tables.last_mut() else {
            return;
        };
        let is_first = !std::mem::replace(&mut table.row_has_cells, true);
        table.is_beside = !is_first || table.is_spanned;
        match (table.is_data, is_first) {
            (true, false) => self.flow.next_cell(),
            (true, true) => {}
            (false, _) => self.flow.want(Gap::Space),
        }
        self.flow.on_one_line = table.is_data;
    }
}
