//! What lies over text that was laid out before it: that text is taken back and is doubtful.

use std::ops::Range;

use ego_tree::NodeId;
use scraper::node::Element;

use super::super::computed::{Cover, Display, Style, THIN_VEIL, Verdict};
use super::super::loose::Loose;
use super::{Beyond, MOST_INK, NUDGE, Renderer, Stain};

/// What follows in a line may be drawn to the left by so many pixels.
const MOST_DRAGGED: f32 = 8.0;
/// So much of the light that shadows take leaves text below all of them readable.
const MOST_SHADED: f32 = 0.5;

/// Letters in boxes of limited height stand over each other, so that few of them are as many.
const PILED: usize = 4;
/// The sign of an item is as large as so many letters.
const SIGN: usize = 5;
/// What stands between two lines is no longer.
const BREAK: usize = 4;
/// Edges beside a text that take no more leave room for more text in its line.
const WIDE_EDGES: f32 = 100.0;
/// Text of so many letters fits into a line beside a few others.
const SHORT: usize = 30;

/// Lines are at least so many pixels high.
const LOW_LINE: f32 = 10.0;

impl Renderer<'_> {
    /// Takes back text that left its place before an element which is painted over it, or below it in a colour on which it
    /// cannot be read.
    pub(super) fn lie_over(&mut self, style: &Style) {
        let hides = |loose: &mut Loose, over: bool, under: bool| {
            over || style.edges || (under && !loose.is_readable_on(style))
        };
        self.rim += style.takes.rim;
        if self.outside.is_none() && self.floated.is_none() {
            self.rim = 0.0;
        }
        let rimmed = self.rim > NUDGE;
        self.run_over(style);
        let over = rimmed || style.over || style.is_rule();
        let outside = self.outside.take_if(|loose| hides(loose, over, style.paints));
        let floated =
            self.floated.take_if(|loose| rimmed || hides(loose, style.over_floats, style.under_floats));
        for loose in [outside, floated].into_iter().flatten() {
            self.take_back(loose.start());
        }
    }

    /// Takes back text that floats where a line that is painted may run over it: its edges are wide, it is a box that is wider
    /// than the block it stands in, or it begins before that block. Other boxes go where they have room.
    fn run_over(&mut self, style: &Style) {
        let is_line = style.display == Display::Inline && !style.is_drawn();
        let is_box = style.display.is_in_line() || (style.display == Display::Inline && style.is_drawn());
        // What floats is as wide as what stands in it.
        if !style.is_painted() || !(is_line || is_box) || style.floats {
            return;
        }
        let room = self.style().width.filter(|_| is_box).unwrap_or(WIDE_EDGES);
        let is_far = (is_line || self.style().width.is_some()) && style.least_width() > room;
        let floated = self.floated.take_if(|_| is_far || style.begins_before());
        floated.into_iter().for_each(|floated| self.take_back(floated.start()));
    }

    /// Whether what stands here keeps what is above it apart from what is below.
    pub(super) fn takes_room(&self) -> bool {
        let style = self.style();
        !style.floats && !style.outside && !self.rooms.has_low()
    }

    /// Counts the sign of an item over text that has left its box.
    pub(super) fn sign_over(&mut self, style: &Style) {
        if style.has_sign() && self.outside.is_some() {
            self.ink_outside += if style.is_limited() { PILED * SIGN } else { SIGN };
            self.ink_over("");
        }
    }

    /// Takes back what a cell of several columns may lie over: cells of several rows.
    pub(super) fn span(&mut self, cell: &Element) {
        let spans = |name: &str| cell.attr(name).is_some_and(|count| count.trim() != "1");
        let Some(table) = self.tables.last_mut() else { return };
        let start = table.start;
        table.meets |= table.is_spanned && spans("colspan") && !table.is_known;
        table.is_spanned |= spans("rowspan");
        self.rooms.unordered |= table.is_spanned;
        if table.meets {
            self.take_back(start);
        }
    }

    /// Takes back what something painted in a cell may lie over, if cells of its table meet.
    pub(super) fn paint_in_cell(&mut self, style: &Style) {
        let meets =
            self.tables.last().filter(|table| table.meets && style.is_painted()).map(|table| table.start);
        if let Some(start) = meets {
            self.take_back(start);
        }
    }

    /// Takes back what a row of small steps upwards may have covered.
    pub(super) fn pull(&mut self, pixels: f32) {
        self.pulled += pixels;
        if pixels > 0.0 && self.pulled > NUDGE {
            self.take_back(self.lines_above((self.pulled / 8.0) as usize + 2));
        }
    }

    /// Takes back what follows an element that has ended, if that lies over it.
    pub(super) fn lie_over_rest(&mut self, style: &Style) {
        self.is_covered |= style.covers == Some(Cover::After) && self.rooms.runs_back;
        if matches!(style.covers, Some(Cover::After | Cover::Around)) {
            self.below = self.below.or(Some(self.flow.position()));
        }
    }

    /// Leaves doubt about what follows in a line that was drawn to the left by more than a few letters.
    pub(super) fn drag(&mut self, style: &Style) {
        self.end_drag(style);
        self.dragged += style.takes.dragged;
        if style.takes.dragged > 0.0 && self.dragged > MOST_DRAGGED {
            self.below = self.below.or(Some(self.flow.position()));
            // What is painted or cut off around it ends before it, also around what stands before it there.
            if let Some(bound) = self.styles.iter().position(Style::is_bound) {
                self.take_back(self.starts[bound]);
            }
        }
        // What is painted there lies over what stands before it in the line.
        if self.dragged > MOST_DRAGGED && style.is_painted() {
            self.take_back(self.lines_above(1));
        }
    }

    /// A block begins at the edge, and so does what follows it; not one that stands beside others.
    pub(super) fn end_drag(&mut self, style: &Style) {
        let is_in_line = self.styles.iter().any(Style::stands_in_line);
        if (style.takes.is_below || style.display == Display::Table) && !style.takes.is_beside && !is_in_line
        {
            (self.dragged, self.spread) = (0.0, false);
        }
    }

    /// Leaves doubt where veils, each of which is thin, may lie over each other.
    pub(super) fn veil(&mut self, style: &Style) {
        if style.takes.veil <= THIN_VEIL {
            self.veiled += style.takes.veil;
        }
        self.is_covered |= self.veiled > THIN_VEIL;
    }

    /// Leaves doubt where shadows, each of which is thin, may lie over each other.
    pub(super) fn shade(&mut self, style: &Style) {
        self.shaded += style.takes.shade;
        self.far_shaded += style.takes.far_shade;
        if style.takes.shade > 0.0 && self.shaded.max(self.far_shaded) > MOST_SHADED {
            self.is_covered = true;
        }
    }

    /// Whether blanks of another width than usual stand in a text or before it in its block: a word by itself has none. Where
    /// lines run to the left, blanks behind it move it too.
    pub(super) fn is_spread(&mut self, text: &str) -> bool {
        let style = self.style();
        let is_moved = style.runs_left() || text.contains(char::is_whitespace);
        self.spread |= style.spreads_words() && is_moved;
        self.spread
    }

    /// Takes back text that left its box where letters follow that are drawn as their ground is, or with edges of it: the same
    /// words again would wipe it out.
    pub(super) fn wipe(&mut self, text: &str, verdict: Verdict) {
        let style = self.styles.last().expect("the paper is never taken off the stack");
        let wipes = verdict != Verdict::Shown || style.has_edges();
        if !wipes || style.ink(text) == 0 {
            return;
        }
        if let Some(loose) = self.outside.take() {
            self.take_back(loose.start());
        }
    }

    /// Whether text stands on what an element in a line above it paints.
    pub(super) fn is_stained(&mut self, text: &str) -> bool {
        let begins = self.flow.begins_line();
        // What is short stands in the line of the element itself, where nothing wraps it.
        let is_broken = self.flow.on_one_line || (self.style().keeps_breaks() && text.contains('\n'));
        let is_short = text.len() <= SHORT && self.style().has_long_lines() && !is_broken;
        // What takes no room of its own leaves no line between.
        let low_line = if self.takes_room() { LOW_LINE } else { 0.0 };
        let Some(stain) = self.stain.as_mut() else { return false };
        if begins {
            (stain.depth, stain.is_above) = (stain.left, true);
            stain.left -= low_line;
        }
        if stain.depth <= NUDGE {
            self.stain = None;
            return false;
        }
        let is_narrow = stain.style.takes.lead + stain.style.takes.trail <= WIDE_EDGES;
        if !stain.is_above && is_short && is_narrow {
            return false;
        }
        let (above, depth) = (stain.style.clone(), stain.depth);
        let ink = self.style().drawn_with();
        depth > self.clear + NUDGE && !(above.paints && !above.edges && ink.is_readable_on(above.backdrop()))
    }

    /// Keeps what an element in a line paints below it, unless something reaches further down.
    pub(super) fn stain(&mut self, style: &Style) {
        let depth = style.takes.falls;
        if depth > NUDGE && self.stain.as_ref().is_none_or(|stain| stain.left <= depth) {
            self.stain = Some(Stain { style: style.clone(), depth, left: depth, is_above: false });
        }
    }

    /// Takes down that a box in a line has ended: it stands beside what is before it there, and beside other boxes.
    pub(super) fn end_in_line(&mut self, start: usize) {
        let line = self.flow.lines_before(start, 1);
        let follows = |beside: &&Range<usize>| beside.end + BREAK >= line;
        let first = self.besides.last().filter(follows).map_or(line, |beside| beside.start);
        self.end_beside(first.min(line));
    }

    /// Takes down that a construct has ended whose parts stand beside each other, or in another order: each of its lines may
    /// be the last one.
    pub(super) fn end_beside(&mut self, start: usize) {
        let end = self.flow.position();
        if start < end {
            self.besides.retain(|beside| beside.start < start);
            self.besides.push(start..end);
        }
    }

    /// Takes down that an element in a line paints beyond it, or that one which does has a box in it and so several lines.
    pub(super) fn reach_beyond(&mut self, node: NodeId, style: &Style) {
        let is_line = style.display == Display::Inline;
        if is_line && self.beyond.is_none() && style.takes.rises.max(style.takes.falls) > NUDGE {
            self.beyond = Some(Beyond { node, start: self.flow.position(), is_broken: false });
        }
        if style.display.is_block() || style.takes.odd {
            self.break_beyond();
        }
    }

    /// Takes back the text of an element whose lines may lie over each other.
    pub(super) fn break_beyond(&mut self) {
        if let Some(beyond) = self.beyond.as_mut().filter(|beyond| !beyond.is_broken) {
            beyond.is_broken = true;
            let start = beyond.start;
            self.take_back(start);
        }
    }

    /// Whether a text stands in such an element: what is short is one line.
    pub(super) fn is_overpainted(&mut self, text: &str) -> bool {
        let Some(beyond) = &self.beyond else { return false };
        let length = self.flow.position().saturating_sub(beyond.start) + text.len();
        let style = self.style();
        let has_lines = text.contains(char::is_whitespace) || length > text.len();
        // A box that shrinks to fit has lines as long as those around it.
        let around = self.styles.iter().rev().find(|style| !style.shrinks_in_line());
        let is_long = length > MOST_INK || (has_lines && !around.is_some_and(Style::has_long_lines));
        if is_long || (style.keeps_breaks() && text.contains('\n')) {
            self.break_beyond();
        }
        self.beyond.as_ref().is_some_and(|beyond| beyond.is_broken)
    }

    /// Takes back text that left its box once more letters follow than can be read through.
    pub(super) fn ink_over(&mut self, text: &str) {
        let pile = if self.rooms.has_low() { PILED } else { 1 };
        let ink = pile * self.style().ink(text);
        self.ink_outside = if self.outside.is_some() { self.ink_outside + ink } else { 0 };
        if self.ink_outside > MOST_INK
            && let Some(outside) = self.outside.take()
        {
            self.take_back(outside.start());
        }
    }

    /// Leaves doubt about the table that is open, whose columns are coloured or gone.
    pub(super) fn doubt_table(&mut self) {
        if let Some(table) = self.styles.iter_mut().rfind(|style| style.display == Display::Table) {
            table.doubt("columns of a table");
        }
    }

    /// Where as many lines begin as may stand right above this place: what stands beside others reaches up to where those begin.
    pub(super) fn lines_above(&self, lines: usize) -> usize {
        if self.styles.iter().any(Style::may_be_shuffled) {
            return 0;
        }
        let open = self.tables.iter().filter(|table| table.is_beside).map(|table| table.row);
        let floated = self.floated.as_ref().map(Loose::start);
        let beside = open.chain(floated).min().unwrap_or(usize::MAX);
        let start = self.flow.lines_before(beside, lines);
        // What has ended above counts whole if any of it is reached.
        let reached = self.besides.iter().filter(|beside| beside.end > start);
        reached.map(|beside| beside.start).fold(start, usize::min)
    }

    /// Takes back what the element that opens here may lie over.
    pub(super) fn cover(&mut self, cover: Cover) {
        // Items and columns stand in an order of their own.
        if self.styles.iter().any(Style::may_be_shuffled) {
            self.is_covered = true;
        }
        match cover {
            Cover::All => self.is_covered = true,
            Cover::After => self.below = self.below.or(Some(self.flow.position())),
            Cover::Around => self.take_back(0),
        }
    }

    /// Takes back what was moved down in a box of limited height.
    pub(super) fn take_back_pushed(&mut self) {
        if let Some(start) = self.rooms.pushed() {
            self.take_back(start);
        }
        self.is_covered |= self.rooms.has_burst();
    }

    pub(super) fn take_back(&mut self, start: usize) {
        let covered = self.flow.take_back(start);
        self.besides.retain(|beside| beside.start < start);
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
