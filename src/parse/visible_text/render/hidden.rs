//! Elements that cannot be read: what they do to others all the same, and what is drawn in the place of some.

use ego_tree::NodeRef;
use scraper::Node;
use scraper::node::Element;

use crate::model::Reason;

use super::super::computed::attributes::usual_display;
use super::super::computed::{Display, Style, Verdict, verdict};
use super::super::css::color::BLACK;
use super::super::rooms::Begin;
use super::super::{embedded, never_shown};
use super::Renderer;

impl Renderer<'_> {
    /// Begins an element that cannot be read, and takes its room all the same.
    pub(super) fn open_hidden(
        &mut self,
        node: NodeRef<'_, Node>,
        element: &Element,
        mut style: Style,
        reason: Reason,
    ) {
        if style.display != Display::None {
            // Nobody displays a style sheet or a title but to lay its letters over others.
            self.is_covered |= never_shown::is_never_read(element) && usual_display(element) == Display::None;
            self.rooms.fill_with(&style);
            self.rooms.float(&style);
            self.take_back_pushed();
            if self.rooms.spill(&style) || style.spans_columns() {
                self.below = self.below.or(Some(self.flow.position()));
            }
            self.lie_over_rest(&style);
        }
        if matches!(element.name(), "col" | "colgroup") {
            self.doubt_table();
        }
        self.embedded(node, element, &style);
        // A list that is open draws what stands in it as boxes.
        let inner = || node.descendants().skip(1).filter(|inner| inner.value().is_element());
        let has_styles = || inner().any(|inner| !self.styler.leaves_alone(inner) || has_style(inner));
        self.is_covered |= element.name() == "select" && has_styles();
        if style.display == Display::None || never_shown::is_never_painted(element.name()) {
            self.hidden_until = Some((node.id(), reason));
        } else {
            style.hidden = Some(reason);
            self.push(style, Begin::default());
        }
    }

    /// What a frame, a drawing or a field shows in black, where that can be read.
    pub(super) fn embedded(&mut self, node: NodeRef<'_, Node>, element: &Element, own: &Style) {
        // Fields take over what letters are filled with, and nothing else of their colour.
        let is_filled = element.name() != "input" || verdict(self.style()) == Verdict::Shown;
        let is_usual = self.style().letters() <= 16.5 && !self.style().runs_left();
        let is_plain =
            own.hidden.is_none() && own.doubt.is_none() && is_filled && is_usual && self.style().shows(BLACK);
        if let Some(text) = embedded::plain_text(node, element, self.styler).filter(|_| is_plain) {
            self.text(&text, node.id());
        }
    }
}

fn has_style(node: NodeRef<'_, Node>) -> bool {
    node.value().as_element().is_some_and(|element| element.attr("style").is_some())
}
