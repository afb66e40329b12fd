//! Boxes of limited size around a text: whether it surely has room in all of them. Letters are taken to be wide, lines to
//! be broken early, all that takes room to stand below each other, and what cannot be worked out to fill its box.

use ego_tree::NodeId;

use super::computed::{Display, Ink, RoomSize, Style, WhiteSpace};
use super::loose::Loose;

/// Where nothing is known about a width, lines are broken as early as this.
const NARROW: f32 = 120.0;
/// Something of an unknown width takes more than any line has.
const TOO_WIDE: f32 = 100_000.0;
/// Pixels across that every window has.
const PAGE: f32 = 700.0;
/// Boxes that are narrower may have no room beside what floats.
const COLUMN: f32 = 500.0;
/// Things that float take no more room together than a picture beside a text.
const WIDE_FLOATS: f32 = 300.0;
/// What is painted so far beyond its box lies over a few letters at most.
const LETTERS: f32 = 24.0;
/// Pixels that a box may lack.
const SLACK: f32 = 2.0;

struct Room {
    node: NodeId,
    size: RoomSize,
    top: f32,
    first_line: usize,
    /// Where its text begins.
    start: usize,
    /// Something inside takes room that nobody can say.
    full: bool,
    /// Text that leaves it: what follows it may lie over that.
    leaving: Option<Loose>,
    /// Something in it is painted beyond it.
    spills: bool,
    /// Something wide floats beside it, and it cuts off or ends where that begins.
    is_squeezed: bool,
    /// How wide all is that floats beside it, where that makes it narrower.
    floats: f32,
}

impl Room {
    /// Whether what is in it may be too high for it.
    fn is_low(&self) -> bool {
        self.size.height.is_some() || self.size.lines.is_some()
    }
}

/// How a text fits into the boxes around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    Inside,
    /// It leaves a box, so that something else may lie over it.
    Outside,
    /// It may be cut off, or leave the colour that it stands on.
    Cut,
}

/// Where an element begins.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Begin {
    y: f32,
    lead: f32,
    row: f32,
    widest: f32,
    lines: usize,
    floated: bool,
    floats: f32,
}

/// The boxes that are open, and a pen that is nowhere above or left of where a browser would be.
#[derive(Default)]
pub(super) struct Rooms {
    open: Vec<Room>,
    y: f32,
    x: f32,
    /// The height of the line so far.
    line: f32,
    lines: usize,
    /// The lines of a box that may stand in the same line: what is higher moves them down.
    boxed: Option<f32>,
    /// Where lines begin.
    lead: f32,
    /// Where the next cell of a row begins.
    row: f32,
    /// The widest piece of a cell that cannot be broken.
    widest: f32,
    /// Edges of lines since the last blank: a word behind them goes to the next line with them.
    led: f32,
    /// Letters since the last blank, which go to the next line with what follows them.
    run: f32,
    /// Something has made a line higher that had text already, and so moved that text down.
    pushed: bool,
    /// The innermost box that the text placed last leaves.
    left: Option<usize>,
    /// Something that is aligned has left its box, to any side.
    burst: bool,
    /// Something wide floats before what comes next.
    floated: bool,
    /// Letters that may have their lines run to the left.
    pub(super) runs_back: bool,
    /// What stands before something in the document may stand beside or below it.
    pub(super) unordered: bool,
    /// How wide all is that floats before what comes next.
    floats: f32,
    /// A line that runs to the left has become too long, and has drawn out of sight what stood in it before.
    drawn: bool,
}

impl Rooms {
    /// Begins an element.
    pub(super) fn begin(&mut self, style: &Style) -> Begin {
        let begin = Begin {
            y: self.y,
            lead: self.lead,
            row: self.row,
            widest: self.widest,
            lines: self.lines,
            floated: self.floated,
            floats: self.floats,
        };
        if matches!(style.display, Display::Inline | Display::Contents) {
            self.x += style.takes.lead;
            self.led += style.takes.lead;
            self.lead += style.takes.lead;
            // Edges make a line, also where no text follows, and so may letters that are not there.
            self.pushed |= self.line > 0.0 && style.line() > self.line + 1.0;
            self.push_box(style);
            if style.takes.lead > 0.0 || style.line() > style.strut() + 1.0 {
                self.line = self.line.max(style.line());
            }
        } else {
            // A box in a line moves what stands before it there down to its own last line.
            let is_in_line = style.display.is_in_line();
            self.pushed |= is_in_line && (self.line > 0.0 || self.boxed.is_some());
            self.boxed.take_if(|_| !is_in_line);
            self.end_line();
            self.y += style.takes.space_above;
            if style.takes.is_beside {
                (self.lead, self.x) = (self.row, self.row);
            } else {
                self.row = self.lead;
            }
            self.widest = 0.0;
        }
        if style.display == Display::Cell {
            // A table makes room for what floats as a whole.
            (self.floated, self.floats) = (false, 0.0);
        }
        if style.takes.odd {
            self.fill_with(style);
        }
        if style.elaborate {
            self.open.iter_mut().for_each(|room| room.full |= room.is_low());
        }
        self.float(style);
        Begin { y: self.y, ..begin }
    }

    /// Takes down how wide an element is that floats.
    pub(super) fn float(&mut self, style: &Style) {
        self.floats += style.takes.float_width;
        self.floated |= style.takes.is_wide_float || self.floats > WIDE_FLOATS;
    }

    /// Makes the element that began last a box of limited size.
    pub(super) fn enter(&mut self, node: NodeId, size: RoomSize, start: usize) {
        let is_ground = size.ground.is_some() && !size.grows;
        let is_beside = self.floats > 0.0 && (size.clips || size.makes_room || is_ground);
        let full = self.floated && (size.clips || size.height.is_some())
            || (is_beside && (size.height.is_some() || size.lines.is_some()));
        let is_ground = is_ground && size.width.is_some_and(|width| width < COLUMN);
        let is_squeezed = self.floated && (size.clips || size.makes_room || is_ground);
        let floats = if is_beside { self.floats } else { 0.0 };
        self.open.push(Room {
            node,
            size,
            top: self.y,
            first_line: self.lines,
            start,
            full,
            leaving: None,
            spills: false,
            is_squeezed,
            floats,
        });
    }

    /// Where text begins that was moved down in a box of limited height after it was placed.
    pub(super) fn pushed(&mut self) -> Option<usize> {
        if std::mem::take(&mut self.drawn) {
            return self.open.first().map(|room| room.start);
        }
        if !std::mem::take(&mut self.pushed) {
            return None;
        }
        // What is moved down in a box that neither cuts off nor has a colour only leaves it.
        let ends = |size: &RoomSize| size.lines.is_some() || size.clips || size.ground.is_some();
        for room in self.open.iter_mut().filter(|room| room.is_low() && !ends(&room.size)) {
            room.leaving = Some(Loose::anything_from(room.start));
        }
        self.open.iter().find(|room| room.is_low() && ends(&room.size)).map(|room| room.start)
    }

    /// Ends an element.
    pub(super) fn end(&mut self, node: NodeId, style: &Style, begin: Begin) -> (Option<Loose>, bool) {
        let ends = self.open.last().is_some_and(|room| room.node == node);
        let ended = self.open.pop_if(|_| ends);
        let spills = ended.as_ref().is_some_and(|room| room.spills);
        let leaving = ended.and_then(|room| room.leaving);
        if !matches!(style.display, Display::Inline | Display::Contents) {
            self.end_line();
            // A box without text may be a line all the same.
            self.lines += usize::from(self.lines == begin.lines);
            self.push_lines();
            self.y = self.y.max(begin.y + style.takes.extent) + style.takes.space_below;
            let widest = self.widest;
            self.widest =
                begin.widest.max(widest).max(style.takes.across + style.takes.lead + style.takes.trail);
            let widest = widest.max(style.takes.across);
            self.row = if style.takes.is_beside {
                self.lead + widest + style.takes.lead + style.takes.trail
            } else {
                begin.row
            };
        }
        self.lead = begin.lead;
        self.x = self.x.max(self.lead);
        if style.display == Display::Inline {
            self.x += style.takes.trail;
        }
        if style.display.is_in_line() {
            self.x += TOO_WIDE;
            self.boxed = Some(style.own_line());
        } else if !matches!(style.display, Display::Inline | Display::Contents) {
            self.boxed = None;
        }
        if style.ends_floats() {
            (self.floated, self.floats) = (begin.floated, begin.floats);
        }
        if style.is_painted() {
            self.spill(style);
        }
        (leaving, spills)
    }

    /// Whether something that is aligned has left its box, so that it may lie over anything.
    pub(super) fn has_burst(&mut self) -> bool {
        std::mem::take(&mut self.burst)
    }

    /// Whether anything floats beside what comes next.
    pub(super) fn has_floats(&self) -> bool {
        self.floated || self.floats > 0.0
    }

    /// Whether a box around has a limited height.
    pub(super) fn has_low(&self) -> bool {
        self.open.iter().any(|room| room.size.height.is_some())
    }

    /// Takes down what is painted beyond a box that does not cut off; says whether anything is.
    pub(super) fn spill(&mut self, style: &Style) -> bool {
        let (y, width) = (self.y, style.width.unwrap_or(0.0));
        let x = if style.display == Display::Inline { style.block.left + self.x } else { f32::MIN };
        for room in self.open.iter_mut().filter(|room| !room.size.clips) {
            let is_clamped = room.size.lines.is_some_and(|most| self.lines - room.first_line > most);
            let below = is_clamped
                || room.size.height.is_some_and(|height| room.full || y - room.top > height + SLACK);
            let own =
                if room.size.grows { width } else { width.max(style.least_width()).max(x - room.size.left) };
            let beyond = room.size.width.or(room.size.least).is_some_and(|most| own > most + LETTERS);
            room.spills |= below || beyond;
            // It may lie over what stands before it in the document.
            self.burst |= beyond && self.unordered;
            self.burst |= below && room.size.aligned;
        }
        self.open.iter().any(|room| room.spills)
    }

    /// Takes down that the text placed last, which begins here, leaves a box: nothing in that can lie over it.
    pub(super) fn leave(&mut self, start: usize, ink: Ink) {
        if let Some(room) = self.left.and_then(|place| self.open.get_mut(place)) {
            Loose::add(&mut room.leaving, start, ink);
        }
    }

    /// Says that nobody knows how much room an element takes.
    pub(super) fn fill_with(&mut self, style: &Style) {
        self.fill();
        if style.display.is_in_line() || style.display == Display::Inline {
            self.pushed = true;
            self.x += TOO_WIDE;
        }
    }

    fn fill(&mut self) {
        self.pushed |= self.open.iter().any(|room| room.size.lines.is_some());
        self.open.iter_mut().for_each(|room| room.full = true);
    }

    /// Ends the line; an empty one only if it is asked for.
    pub(super) fn line_break(&mut self, style: &Style) {
        self.line = self.line.max(style.line());
        self.next_line();
        self.run = 0.0;
        self.boxed = None;
    }

    /// Moves down what stands in boxes of the line, if something is higher than they and than any line here is.
    fn push_box(&mut self, style: &Style) {
        self.pushed |= self.boxed.is_some_and(|line| style.line() > line.max(style.strut()) + 1.0);
    }

    fn end_line(&mut self) {
        if self.line > 0.0 {
            self.next_line();
        }
        self.run = 0.0;
        self.x = self.lead;
    }

    fn next_line(&mut self) {
        self.y += self.line;
        self.line = 0.0;
        self.x = self.lead;
        self.lines += 1;
        self.push_lines();
    }

    /// Another line moves the text of a box whose last line stands in the line around it.
    fn push_lines(&mut self) {
        let is_too_much = |room: &Room| {
            room.size.aligned && room.size.lines.is_some_and(|most| self.lines - room.first_line > most)
        };
        self.pushed |= self.open.iter().any(is_too_much);
    }

    /// Whether a text has room in every box around it.
    pub(super) fn place(&mut self, text: &str, style: &Style) -> Fit {
        self.left = None;
        if !text.is_ascii() && text.chars().any(is_rightwards) {
            self.drawn |= style.keeps_lines();
            (self.unordered, self.runs_back) = (true, true);
            self.fill();
        }
        if self.open.is_empty() && !self.floated {
            return Fit::Inside;
        }
        // Where words may be broken anywhere, a box that shrinks may be as narrow as a letter.
        if style.breaks_words() && style.base.is_none() {
            self.fill();
        }
        if style.is_scaled() {
            self.pushed |= self.line > 0.0;
            self.fill();
            self.x += TOO_WIDE;
        }
        let keeps_blanks = matches!(style.white_space, WhiteSpace::Pre | WhiteSpace::PreWrap);
        let keeps_breaks = keeps_blanks || style.white_space == WhiteSpace::PreLine;
        let mut fit = Fit::Inside;
        for (place, line) in text.split('\n').enumerate() {
            if place > 0 && keeps_breaks {
                self.line_break(style);
            }
            if keeps_blanks && line.contains('\t') {
                self.fill();
                self.x += TOO_WIDE;
                self.run += TOO_WIDE;
            }
            let is_blank_before = place > 0 && !keeps_breaks;
            for (place, word) in line.split(is_blank).enumerate() {
                let place = place + usize::from(is_blank_before);
                if place > 0 && (keeps_blanks || self.x > self.lead) {
                    self.x +=
                        0.35 * style.letters() + style.spacing().0.max(0.0) + style.spacing().1.max(0.0);
                }
                if place > 0 {
                    self.led = 0.0;
                    self.run = if style.keeps_lines() { self.run } else { 0.0 };
                }
                for (place, piece) in pieces(word).enumerate() {
                    self.run = if place > 0 { 0.0 } else { self.run };
                    fit = fit.max(self.word(piece, style));
                }
            }
        }
        fit
    }

    fn word(&mut self, word: &str, style: &Style) -> Fit {
        let size = style.letters().max(1.0);
        let width: f32 = word
            .chars()
            .map(|c| {
                size * letter(c, style.is_capital()).max(style.least_letter()) + style.spacing().0.max(0.0)
            })
            .sum();
        let across = style.width.or(style.base);
        let across = across.or_else(|| self.open.last()?.size.width.map(|width| width.min(NARROW)));
        let is_first = self.x == self.lead && self.line == 0.0;
        if is_first {
            self.x += style.first_indent();
        }
        if !is_first
            && !style.keeps_lines()
            && self.x > self.lead
            && self.x + width > across.unwrap_or(1.0).max(NARROW.min(width))
        {
            self.line = self.line.max(style.line());
            self.next_line();
            self.x += self.led + self.run;
        }
        self.led = 0.0;
        self.run += width;
        self.x += width;
        self.pushed |= self.line > 0.0 && style.line() > self.line + 1.0;
        self.push_box(style);
        self.line = self.line.max(style.highest_line());
        self.widest = self.widest.max(if style.keeps_lines() { self.x - self.lead } else { width });
        self.fit(style)
    }

    /// How the word before the pen fits.
    fn fit(&mut self, style: &Style) -> Fit {
        let bottom = self.y + 0.5 * self.line + 0.4 * style.letters();
        // What leaves a box may leave those around it, which are as large as it is.
        let mut fit = Fit::Inside;
        if self.floated && style.width.is_some_and(|width| self.x - self.lead > width + SLACK) {
            fit = Fit::Cut;
        }
        for (place, Room { size, top, first_line, full, is_squeezed, floats, .. }) in
            self.open.iter().enumerate().rev()
        {
            let beyond = size.width.is_some_and(|width| {
                (*full && (size.is_strict() || (size.clips && style.keeps_lines())))
                    || style.block.left - size.left + self.x > width - floats + SLACK
            });
            let is_later = size.clips && self.lines > *first_line;
            let below = size.height.is_some_and(|height| *full || is_later || bottom - top > height + SLACK)
                || size.lines.is_some_and(|most| *full || self.lines - first_line >= most);
            self.pushed |= (below || beyond) && size.aligned;
            self.burst |= below && size.aligned && !size.clips && size.height.is_some();
            self.drawn |= beyond && (style.runs_left() || size.ellipsis || size.from_right);
            let is_open = !size.clips && (size.from_right || self.unordered);
            self.burst |= beyond && is_open && style.stands_on_line();
            fit = match &size.ground {
                // Where else a narrow box stands is not worked out: its end may be that of the page.
                None if beyond && size.at_left && !size.clips && style.block.left + self.x < PAGE => {
                    fit.max(Fit::Outside)
                }
                _ if beyond || *is_squeezed || (below && size.aligned) => Fit::Cut,
                _ if !below && fit == Fit::Inside => Fit::Inside,
                _ if size.clips => Fit::Cut,
                Some(ground) if !style.drawn_with().is_readable_on(ground) => Fit::Cut,
                _ => fit.max(Fit::Outside),
            };
            if fit != Fit::Inside {
                self.left = self.left.max(Some(place));
            }
        }
        fit
    }
}

/// Whether a letter or sign may have a line run to the left.
pub(super) fn is_rightwards(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}

/// The pieces of a word that lines are broken between: text of ideographs, without blanks, is broken before each of them.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let is_ideograph =
        |c: char| matches!(c, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}');
    let mut rest = word;
    std::iter::from_fn(move || {
        let mut letters = rest.char_indices().zip(rest.chars().skip(1));
        let end = letters.find(|((_, before), c)| is_ideograph(*before) && is_ideograph(*c) && !hangs(*c));
        let end = end.map_or(rest.len(), |((at, before), _)| at + before.len_utf8());
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Whether a small letter or a mark of length keeps to what stands before it.
fn hangs(c: char) -> bool {
    matches!(c, '\u{3041}' | '\u{3043}' | '\u{3045}' | '\u{3047}' | '\u{3049}' | '\u{3063}' | '\u{3083}' | '\u{3085}' | '\u{3087}' | '\u{308e}'
        | '\u{3095}'..='\u{30a1}' | '\u{30a3}' | '\u{30a5}' | '\u{30a7}' | '\u{30a9}' | '\u{30c3}' | '\u{30e3}' | '\u{30e5}' | '\u{30e7}' | '\u{30ee}'
        | '\u{30f5}'..='\u{30ff}')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\u{c}')
}

/// How wide a letter is at most in the usual fonts, as a share of its size.
fn letter(c: char, is_capital: bool) -> f32 {
    match c {
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '&' => 1.05,
        _ if is_capital => {
            if c.is_ascii() {
                1.05
            } else {
                2.4
            }
        }
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.4,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | '\u{a0}' => 0.5,
        'a'..='z' | '0'..='9' => 0.72,
        'A'..='Z' => 0.85,
        'æ' | 'œ' => 1.1,
        c if c.is_ascii() || (c.is_lowercase() && c <= '\u{ff}') => 0.8,
        c if c.is_alphabetic() && c < '\u{530}' => 1.5,
        '\u{2030}'..='\u{2031}' => 2.5,
        '\u{2010}'..='\u{206f}'
        | '\u{3000}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{ff00}'..='\u{ffef}' => 1.1,
        '\u{fdf0}'..='\u{fdff}' => 12.0,
        _ => 1.5,
    }
}
