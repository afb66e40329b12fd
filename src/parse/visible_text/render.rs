//! Walks a tree in reading order and tells the flow what each element means for the layout.

use std::collections::HashSet;

use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{Html, Node};

use super::flow::{Flow, Gap};
use super::hidden::is_hidden;
use super::tables::data_tables;

/// The visible text of a document.
pub(super) fn render(html: &Html) -> String {
    let mut renderer = Renderer {
        flow: Flow::new(),
        data_tables: data_tables(html),
        tables: Vec::new(),
        hidden_until: None,
    };
    // The walk keeps no stack, so depth cannot overflow one.
    for edge in html.tree.root().traverse() {
        match edge {
            Edge::Open(node) => renderer.open(node),
            Edge::Close(node) => renderer.close(node),
        }
        if renderer.flow.is_full() {
            break;
        }
    }
    renderer.flow.finish()
}

struct Table {
    is_data: bool,
    row_has_cells: bool,
}

struct Renderer {
    flow: Flow,
    data_tables: HashSet<NodeId>,
    tables: Vec<Table>,
    /// The outermost hidden element around this place.
    hidden_until: Option<NodeId>,
}

impl Renderer {
    fn open(&mut self, node: NodeRef<'_, Node>) {
        if self.hidden_until.is_some() {
            return;
        }
        match node.value() {
            Node::Text(text) => self.flow.text(text),
            Node::Element(element) if is_hidden(element) => self.hidden_until = Some(node.id()),
            Node::Element(element) => self.open_element(node.id(), element),
            _ => {}
        }
    }

    fn close(&mut self, node: NodeRef<'_, Node>) {
        match (self.hidden_until, node.value()) {
            (Some(id), _) if id == node.id() => self.hidden_until = None,
            (None, Node::Element(element)) => self.close_element(element.name()),
            _ => {}
        }
    }

    fn open_element(&mut self, id: NodeId, element: &Element) {
        self.flow.want(gap_around(element.name()));
        match element.name() {
            "br" => self.flow.line_break(),
            "img" => self.flow.text(element.attr("alt").unwrap_or_default()),
            "pre" => self.flow.preformatted += 1,
            "blockquote" => self.flow.quotes += 1,
            "ul" | "ol" | "menu" => self.flow.lists += 1,
            "li" => self.flow.begin_item(),
            "table" => self.open_table(self.data_tables.contains(&id)),
            "tr" => self.open_row(),
            "td" | "th" => self.open_cell(),
            _ => {}
        }
    }

    fn close_element(&mut self, name: &str) {
        match name {
            "pre" => self.flow.preformatted = self.flow.preformatted.saturating_sub(1),
            "blockquote" => self.flow.quotes = self.flow.quotes.saturating_sub(1),
            "ul" | "ol" | "menu" => self.flow.lists = self.flow.lists.saturating_sub(1),
            "li" => self.flow.end_item(),
            "table" => drop(self.tables.pop()),
            "td" | "th" => self.flow.on_one_line = false,
            _ => {}
        }
        self.flow.want(gap_around(name));
    }

    fn open_table(&mut self, is_data: bool) {
        self.tables.push(Table { is_data, row_has_cells: false });
    }

    fn open_row(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            table.row_has_cells = false;
        }
    }

    fn open_cell(&mut self) {
        let Some(table) = self.tables.last_mut() else {
            return;
        };
        let is_first = !std::mem::replace(&mut table.row_has_cells, true);
        match (table.is_data, is_first) {
            (true, false) => self.flow.next_cell(),
            (true, true) => {}
            (false, _) => self.flow.want(Gap::Space),
        }
        self.flow.on_one_line = table.is_data;
    }
}

fn gap_around(name: &str) -> Gap {
    match name {
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "pre" | "hr" | "dl" | "figure" => {
            Gap::Blank
        }
        "address" | "article" | "aside" | "body" | "caption" | "center" | "dd" | "details" | "dir"
        | "div" | "dt" | "fieldset" | "figcaption" | "footer" | "form" | "header" | "html" | "legend"
        | "main" | "menu" | "nav" | "ol" | "option" | "section" | "summary" | "table" | "tbody" | "tfoot"
        | "thead" | "tr" | "ul" => Gap::Line,
        _ => Gap::None,
    }
}
