//! What lies over text that was laid out before it: that text is taken back and is doubtful.

use scraper::node::Element;

use super::super::computed::{Cover, Display, Style};
use super::{NUDGE, Renderer};

impl Renderer<'_> {
    /// Takes back text that left its place before an element which is painted over it, also where its own text is hidden.
    pub(super) fn lie_over(&mut self, style: &Style) {
        if style.over
            && let Some(start) = self.outside.take()
        {
            self.take_back(start);
        }
        if style.over_floats
            && let Some(start) = self.floated.take()
        {
            self.take_back(start);
        }
    }

    /// Takes back what a cell of several columns may lie over: cells of several rows.
    pub(super) fn span(&mut self, cell: &Element) {
        let spans = |name: &str| cell.attr(name).is_some_and(|count| count.trim() != "1");
        let paints = self.style().paints;
        let Some(table) = self.tables.last_mut() else { return };
        let start = table.start;
        let covers = table.is_spanned && spans("colspan") && paints && !table.is_apart;
        table.is_spanned |= spans("rowspan");
        if covers {
            self.take_back(start);
        }
    }

    /// Takes back what a row of small steps upwards may have covered.
    pub(super) fn pull(&mut self, pixels: f32) {
        self.pulled += pixels;
        if pixels > 0.0 && self.pulled > NUDGE {
            self.take_back(self.flow.lines_before((self.pulled / 8.0) as usize + 2));
        }
    }

    /// Leaves doubt about the table that is open, whose columns are coloured or gone.
    pub(super) fn doubt_table(&mut self) {
        if let Some(table) = self.styles.iter_mut().rfind(|style| style.display == Display::Table) {
            table.doubt("columns of a table");
        }
    }

    /// Takes back what the element that opens here may lie over.
    pub(super) fn cover(&mut self, cover: Cover) {
        match cover {
            Cover::All => self.is_covered = true,
            Cover::After => self.below = self.below.or(Some(self.flow.position())),
            Cover::Container => self.cover_container(),
            Cover::Before(lines) => self.take_back(self.flow.lines_before(lines)),
        }
    }

    /// Leaves doubt about the box that the next element is placed against; the page, if there is none.
    pub(super) fn cover_container(&mut self) {
        match self.styles.iter().rposition(|style| style.positioned) {
            Some(place) => {
                self.styles[place..].iter_mut().for_each(|style| style.doubt("something over it"));
                let start = self.starts.get(place).copied().unwrap_or(0);
                self.take_back(start);
            }
            None => self.is_covered = true,
        }
    }

    /// Takes back what was moved down in a box of limited height.
    pub(super) fn take_back_pushed(&mut self) {
        if let Some(start) = self.rooms.pushed() {
            self.take_back(start);
        }
    }

    pub(super) fn take_back(&mut self, start: usize) {
        let covered = self.flow.take_back(start);
        self.shown.truncate(self.shown.partition_point(|(end, _)| *end <= start));
        self.doubtful.add("something over it", &covered, &mut self.findings);
        self.links.iter_mut().for_each(|link| link.target = None);
    }

    pub(super) fn take_back_below(&mut self) {
        if let Some(start) = self.below {
            self.take_back(start);
        }
    }
}
