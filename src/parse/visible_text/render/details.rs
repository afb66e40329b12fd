//! What a person opens with a click: the line to click on stands first, wherever it is told.

use ego_tree::NodeRef;
use scraper::Node;

use super::Renderer;

impl Renderer<'_> {
    pub(super) fn begin_details(&mut self, details: NodeRef<'_, Node>) {
        let style = self.styles.last().expect("the paper is never taken off the stack");
        match summary_place(details) {
            Some(0) => return,
            Some(_) => self.rooms.fill_with(style),
            // The browser adds a line, of a word that nobody wrote.
            None => {
                self.rooms.place("Details", style);
                self.rooms.line_break(style);
            }
        }
        self.take_back_pushed();
    }
}

/// Behind how many others the line stands that something is opened with, if there is one.
fn summary_place(details: NodeRef<'_, Node>) -> Option<usize> {
    let is_blank = |node: &NodeRef<'_, Node>| match node.value() {
        Node::Text(text) => text.trim().is_empty(),
        node => !node.is_element(),
    };
    let mut inner = details.children().filter(|node| !is_blank(node));
    inner.position(|node| node.value().as_element().is_some_and(|inner| inner.name() == "summary"))
}
