//! What can be asked of a style: how large its letters and lines are, what they may cover, and what is left of them.

use std::rc::Rc;

use crate::model::Reason;

use super::super::css::color::BLACK;
use super::super::css::length::Units;
use super::super::css::sheet::may_be_solid;
use super::backdrop::Backdrop;
use super::frame::Frame;
use super::readable::LEAST_OPACITY;
use super::shapes::TINY;
use super::{Display, PAPER, Style, WhiteSpace};

/// Letters of fewer pixels can be hidden by what leaves larger ones readable.
const SMALL: f32 = 11.0;
/// Edges and other room beside what is off the page take no more.
const MOST_AWAY: f32 = 600.0;
/// How wide frames and fields are by themselves.
const REPLACED: f32 = 300.0;
/// The same in lines that are no higher than they.
const USUAL: f32 = 15.0;
/// Letters of so many pixels stand out from under several small things.
const LARGE: f32 = 26.0;

impl Style {
    pub(super) fn units(&self) -> Units {
        Units { em: self.font_size, rem: self.rem, usual: self.grown == 1.0, lh: None }
    }

    /// Pixels from line to line, at least those of the block around.
    pub(in super::super) fn line(&self) -> f32 {
        self.own_line().max(self.block.strut)
    }

    pub(in super::super) fn own_line(&self) -> f32 {
        match self.line_height {
            None => 1.2 * self.font_size,
            Some((factor, true)) => factor * self.font_size,
            Some((pixels, false)) => pixels,
        }
    }

    /// How high a line of a box of limited size is at most with it.
    pub(in super::super) fn highest_line(&self) -> f32 {
        if self.uneven { 1.3 * self.line() } else { self.line() }
    }

    /// Whether it is a line across the page, or a picture that is a block: what it looks like is not known, and it makes room for
    /// what floats.
    pub(in super::super) fn is_rule(&self) -> bool {
        self.replaced && self.display == Display::Block
    }

    /// Whether a sign stands before it that is not in its text.
    pub(in super::super) fn has_sign(&self) -> bool {
        self.own.as_ref().is_some_and(|own| own.is_item)
    }

    /// Whether words in it may be broken anywhere.
    pub(in super::super) fn breaks_words(&self) -> bool {
        self.breaks_words
    }

    /// The height that lines of the block around have at least.
    pub(in super::super) fn strut(&self) -> f32 {
        self.block.strut
    }

    /// Whether anything of it is painted besides its letters.
    pub(in super::super) fn is_painted(&self) -> bool {
        self.paints || self.edges || self.replaced
    }

    /// Whether a shadow or a line is drawn around something that it stands in.
    pub(in super::super) fn is_ringed(&self) -> bool {
        self.ringed
    }

    /// Whether what stands in it may stand in another order than in the document, or beside each other.
    pub(in super::super) fn may_be_shuffled(&self) -> bool {
        self.items || self.in_columns
    }

    /// Whether parts of it stand beside each other, or in another order.
    pub(in super::super) fn puts_beside(&self, name: &str) -> bool {
        let is_table = self.display == Display::Table && name != "table";
        self.display.has_items() || self.in_columns || self.is_css_row || is_table
    }

    /// Whether it is a row, or rows, that take no room.
    pub(in super::super) fn is_collapsed_row(&self) -> bool {
        self.collapses && self.display == Display::TablePart
    }

    /// Whether it is a row, or rows, of a table that rules have made.
    pub(in super::super) fn is_css_row(&self) -> bool {
        self.is_css_row
    }

    /// Whether it stands in a line, or is a cell of a table that rules have made.
    pub(in super::super) fn stands_beside(&self, name: &str) -> bool {
        self.display.is_in_line() || (self.display == Display::Cell && !matches!(name, "td" | "th"))
    }

    /// Whether lines in it are as long as those of a page.
    pub(in super::super) fn has_long_lines(&self) -> bool {
        !self.display.is_in_line()
            && !self.in_columns
            && !self.items
            && self.width.is_some_and(|width| width > 600.0)
    }

    /// Whether it is, or stands in, a box in a line that is as wide as what is in it.
    pub(in super::super) fn shrinks_in_line(&self) -> bool {
        self.width.is_none() && (self.display == Display::Inline || self.display.is_in_line())
    }

    /// Whether a word in it may be wider than it is.
    pub(in super::super) fn is_run_over_by(&self, word: &str) -> bool {
        self.width.is_some_and(|width| word.len() as f32 * self.letters().max(self.spacing().0) > width)
    }

    /// Whether breaks in its text are kept.
    pub(in super::super) fn keeps_breaks(&self) -> bool {
        matches!(self.white_space, WhiteSpace::Pre | WhiteSpace::PreWrap | WhiteSpace::PreLine)
    }

    /// Whether something else is drawn in its place.
    pub(in super::super) fn is_drawn(&self) -> bool {
        self.replaced
    }

    /// Whether it is a box in a line, or floats: blocks in it leave that line as it is.
    pub(in super::super) fn stands_in_line(&self) -> bool {
        self.display.is_in_line() || self.floats
    }

    /// How wide it is at least; what stands for something else is as wide as browsers make it.
    pub(in super::super) fn least_width(&self) -> f32 {
        let own = if self.replaced && self.takes.across == 0.0 { REPLACED } else { self.takes.across };
        own + self.takes.lead + self.takes.trail
    }

    /// Whether it is drawn in columns, and may be wider than one.
    pub(in super::super) fn spans_columns(&self) -> bool {
        self.in_columns && self.least_width() > 100.0
    }

    /// Whether its first line begins before its block.
    pub(in super::super) fn begins_before(&self) -> bool {
        self.block.indent.px < 0.0 || self.block.indent.share < 0.0
    }

    /// Whether its letters throw shadows beyond their lines.
    pub(in super::super) fn drops_shadows(&self) -> bool {
        self.drops && self.may_have_ink()
    }

    /// Whether it is larger or smaller than its numbers say.
    pub(in super::super) fn is_scaled(&self) -> bool {
        self.scale != 1.0 || self.grown != 1.0
    }

    /// Whether it may be lower than what is in it.
    pub(in super::super) fn is_limited(&self) -> bool {
        self.takes.odd || self.is_scaled() || self.room.as_ref().is_some_and(|room| room.height.is_some())
    }

    /// Whether it stands on what it paints itself, or what a line around it does.
    pub(in super::super) fn stands_on_line(&self) -> bool {
        self.line_paints
    }

    /// Whether it stands at the right of others, or may.
    pub(in super::super) fn stands_right(&self) -> bool {
        self.from_right && self.display != Display::Inline
    }

    /// Whether its lines begin at the right.
    pub(in super::super) fn runs_left(&self) -> bool {
        self.rtl
    }

    /// Whether lines are drawn along the edges of its letters.
    pub(in super::super) fn has_edges(&self) -> bool {
        self.stroke.0 > 0.0
    }

    /// The width that every letter may have, as a share of its size.
    pub(in super::super) fn least_letter(&self) -> f32 {
        if self.odd_font { 0.61 } else { 0.0 }
    }

    /// Whether its letters are drawn as large ones.
    pub(in super::super) fn is_capital(&self) -> bool {
        self.capitals
    }

    /// Pixels between letters, and more of them between words.
    pub(in super::super) fn spacing(&self) -> (f32, f32) {
        (self.letter_spacing, self.word_spacing)
    }

    /// How far the first line begins behind the others.
    pub(in super::super) fn first_indent(&self) -> f32 {
        self.block.indent.of(self.width.unwrap_or(PAPER)).max(0.0)
    }

    /// What is behind its text.
    pub(in super::super) fn backdrop(&self) -> &Backdrop {
        &self.backdrop
    }

    /// Whether what floats in it ends with it.
    pub(in super::super) fn ends_floats(&self) -> bool {
        let is_box = !matches!(self.display, Display::Inline | Display::TablePart | Display::Contents);
        is_box && self.contains_floats && !self.floats
    }

    /// Whether letters of it may be painted at all.
    pub(in super::super) fn may_have_ink(&self) -> bool {
        // What is only cut off or far away may hold letters that are not.
        let is_gone =
            self.hidden.is_some_and(|reason| !matches!(reason, Reason::Clipped | Reason::OffScreen));
        !is_gone && self.visible && self.opacity > LEAST_OPACITY && self.font_size * self.scale >= TINY
    }

    /// Whether a text of it may lie over anything, as what stands elsewhere does: blanks only where lines run along them, and
    /// what is off the page only if all that is there may be long enough to reach back.
    pub(in super::super) fn lifts(&self, text: &str, away: &mut f32) -> bool {
        if !self.lifted || self.cut_away || !self.may_lie_over(text) {
            return false;
        }
        *away += text.len() as f32 * self.line().max(self.letters() * self.scale * self.grown);
        self.far_off <= *away + MOST_AWAY
    }

    /// Whether words that a sheet adds to it may lie elsewhere than in a line of their own.
    pub(super) fn moves_parts(&self) -> bool {
        self.lifted || self.is_low() || self.limited || self.stacked
    }

    /// Whether it, or something around it, cuts off what leaves it.
    pub(in super::super) fn is_cut_off(&self) -> bool {
        self.clips
    }

    /// Whether it may lie over what follows it, and over nothing before.
    pub(in super::super) fn is_sunk(&self) -> bool {
        self.sunk && !self.cut_away
    }

    /// Whether it is painted after what follows it in the flow.
    pub(in super::super) fn is_stacked(&self) -> bool {
        self.stacked
    }

    /// Whether anything of a text is painted.
    pub(in super::super) fn may_lie_over(&self, text: &str) -> bool {
        let is_seen = |c: char| !c.is_ascii_whitespace();
        self.may_have_ink() && (self.rules > 0 || text.chars().any(is_seen))
    }

    /// How much a text of it could cover, in letters of usual size: signs may be solid, and large or thick letters are.
    pub(in super::super) fn ink(&self, text: &str) -> usize {
        if !self.may_have_ink() {
            return 0;
        }
        let size = self.font_size * self.scale * self.grown;
        let is_usual = size <= 24.0 && self.stroke.0 <= 1.0 && (!self.far_shadow || self.thrown);
        let is_dense = self.letter_spacing < -0.1 * self.font_size;
        let each = |c: char| match c {
            c if c.is_whitespace() => 0,
            // Drawn over each other, letters are a box.
            _ if is_dense => 100,
            c if is_usual && size > 18.0 && c.is_ascii() => 3,
            c if is_usual && c.is_ascii() => 1,
            c if is_usual && c.is_alphanumeric() => 3,
            c if self.stroke.0 > 8.0 || size > 60.0 || may_be_solid(c) => 100,
            _ => 20,
        };
        text.chars().map(each).sum::<usize>() * (1 + self.shadows)
    }

    /// Whether a text of it is solid, and larger than lines are or drawn beyond them.
    pub(in super::super) fn is_solid(&self, text: &str) -> bool {
        let size = self.font_size * self.scale * self.grown;
        let is_low = self.trims || self.own_line() < 0.9 * size;
        // Lines of which nothing is said are as high as the largest sign in them.
        let is_large = size > 40.0 && (self.line_height.is_some() || self.is_scaled());
        let leaves = is_large || is_low || self.shadows > 0 || self.stroke.0 > 0.0;
        self.visible && leaves && text.chars().any(may_be_solid)
    }

    /// Whether its lines are lower than its letters, so that these leave them.
    pub(in super::super) fn is_low(&self) -> bool {
        self.own_line() < 0.9 * self.font_size
    }

    /// Whether its letters leave their lines so far that they lie over others.
    pub(in super::super) fn leaves_lines(&self) -> bool {
        self.own_line() < 0.7 * self.font_size || (self.is_low() && self.font_size > 24.0)
    }

    /// Whether its letters are so small, or its lines so close to them, that little beside them hides them.
    pub(in super::super) fn is_tight(&self) -> bool {
        let size = self.font_size * self.scale;
        let is_close = self.line() < 1.12 * self.font_size;
        size < SMALL || (is_close && size < USUAL) || self.line() < 0.95 * self.font_size
    }

    /// Whether little beside its letters leaves them readable, whatever it is.
    pub(in super::super) fn is_large(&self) -> bool {
        self.font_size * self.scale >= LARGE
    }

    /// Whether blanks that are not usual draw what follows them back.
    pub(in super::super) fn draws_back(&self, text: &str) -> bool {
        let odd = text.chars().filter(|c| c.is_whitespace() && !c.is_ascii()).count();
        let kept = text.chars().filter(|c| matches!(c, ' ' | '\t' | '\u{a0}')).count();
        let keeps =
            !matches!(self.white_space, WhiteSpace::Normal | WhiteSpace::NoWrap | WhiteSpace::PreLine);
        let is_back = self.word_spacing < 0.0 && (keeps && kept > 3 || text.contains('\u{a0}'));
        is_back || (self.letter_spacing < 0.0 && (odd > 3 || self.word_spacing < 0.0))
    }

    /// Whether nobody can say how it keeps blanks, or in which direction it runs.
    pub(in super::super) fn runs_oddly(&self) -> bool {
        let is_bound = self.clips || self.bound.is_some() || self.limited;
        (self.odd_blanks && is_bound) || (self.bidi && !self.leftwards && (self.clips || self.keeps_lines()))
    }

    /// The size of the letters, before anything is scaled.
    pub(in super::super) fn letters(&self) -> f32 {
        self.font_size
    }

    /// Whether lines break only where the text says so.
    pub(in super::super) fn keeps_lines(&self) -> bool {
        matches!(self.white_space, WhiteSpace::NoWrap | WhiteSpace::Pre)
    }

    /// The same in black, without thin lines along its letters.
    pub(super) fn uncolored(&self) -> Self {
        let bare = |own: &Rc<Frame>| Frame { declared: Vec::new(), decorated: false, ..Frame::clone(own) };
        Self { color: BLACK, fill: None, own: self.own.as_ref().map(bare).map(Rc::new), ..self.clone() }
    }

    /// The same without the names of what was set: those make a difference only where they do something.
    pub(super) fn unnamed(&self) -> Self {
        let bare = |own: &Rc<Frame>| Frame { declared: Vec::new(), ..Frame::clone(own) };
        Self { own: self.own.as_ref().map(bare).map(Rc::new), ..self.clone() }
    }

    /// Leaves doubt, if there was none.
    pub(in super::super) fn doubt(&mut self, reason: &'static str) {
        self.doubt.get_or_insert(reason);
    }
}
