//! The style of an element: what it inherits, what rules and attributes set, and whether a person can read text in it.
//! Text is shown when everything that acts on it is understood and leaves it readable, hidden when something understood
//! hides it, and doubtful else.

mod alignment_setters;
pub(super) mod attributes;
mod backdrop;
mod box_setters;
mod cascade;
mod cover;
mod effect_setters;
mod font_setters;
mod frame;
mod limits;
mod measures;
mod parts;
mod place;
mod readable;
mod resets;
mod setters;
mod settle;
mod shapes;
mod shelter;
mod values;
mod variables;

pub(super) use backdrop::THIN_VEIL;
pub(super) use cascade::{Odd, Question, Styler};
pub(super) use cover::KNOWN;
pub(super) use frame::Display;
pub(super) use readable::Ink;
pub(super) use readable::verdict;
pub(in crate::parse) use readable::{Verdict, of_letters};

use std::rc::Rc;

use crate::model::Reason;

use super::css::color::{BLACK, Color, LINK};
use super::css::length::Length;
use super::css::tokens::Tok;
use backdrop::{Backdrop, Level};
use shelter::Shelter;

/// Pixels across that a message is shown on.
const PAPER: f32 = 980.0;

/// How white space is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhiteSpace {
    Normal,
    NoWrap,
    Pre,
    PreWrap,
    PreLine,
}

/// A custom property and those known before it.
#[derive(Debug, PartialEq)]
pub(super) struct Custom {
    name: String,
    value: Vec<Tok>,
    outer: Option<Rc<Self>>,
}

/// A box of limited size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RoomSize {
    /// Pixels from the first line to the end; `None` when it grows.
    pub(super) height: Option<f32>,
    /// Pixels across at least; `None` when it grows.
    pub(super) width: Option<f32>,
    /// How wide it may be at least, where that is a share of something and others stand beside it.
    pub(super) least: Option<f32>,
    /// It is as wide as what is in it.
    pub(super) grows: bool,
    /// Where it begins on the page.
    pub(super) left: f32,
    pub(super) lines: Option<usize>,
    /// Whether what is too much for it moves what it holds.
    pub(super) aligned: bool,
    /// Whether it surely begins there, with the whole page to its right.
    pub(super) at_left: bool,
    /// What is beside it, if that has another colour.
    pub(super) ground: Option<Backdrop>,
    pub(super) clips: bool,
    /// A sign takes the place of what it cuts off, and of letters before that.
    pub(super) ellipsis: bool,
    /// What is too wide for it draws what stands before that out of the page.
    pub(super) from_right: bool,
    /// Whether it stands beside what floats before it, as wide as that leaves it.
    pub(super) makes_room: bool,
}

impl RoomSize {
    /// Whether something of an unknown width in it may push text out of sight.
    pub(super) fn is_strict(&self) -> bool {
        let is_narrow = self.width.is_some_and(|width| width < 500.0);
        is_narrow && (self.clips || self.ground.is_some())
    }
}

/// The room that an element takes, in pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Takes {
    /// How far below the text before it the element begins, in pixels.
    pub(super) space_above: f32,
    /// How much of that, and of what it takes below, is surely free.
    pub(super) free: (f32, f32),
    /// How much room it takes below, and how high it is at least.
    pub(super) space_below: f32,
    pub(super) extent: f32,
    /// How far its text begins behind its edge, in a line.
    pub(super) lead: f32,
    /// How far what follows it in its line is behind its text, and how wide it is at least.
    pub(super) trail: f32,
    pub(super) across: f32,
    /// It stands below all that is before it in the box around it.
    pub(super) is_below: bool,
    /// It floats, and is wider than a picture beside a text or of an unknown width.
    pub(super) is_wide_float: bool,
    /// It floats, and is so wide at least.
    pub(super) float_width: f32,
    /// How far it paints below its line.
    pub(super) falls: f32,
    /// It stands beside the one before it: a cell, an item.
    pub(super) is_beside: bool,
    /// It takes room that nobody can say.
    pub(super) odd: bool,
    /// How far it paints above its line.
    pub(super) rises: f32,
    /// How much of what is free above and below it its margins take away.
    pub(super) uses: (f32, f32),
    /// How far it draws up what follows it, in pixels that are few.
    pub(super) pulled: f32,
    /// How far it draws what follows it in its line to the left.
    pub(super) dragged: f32,
    /// How much of the light around it its thin shadows take, and how much of that far from it.
    pub(super) shade: f32,
    pub(super) far_shade: f32,
    /// How thick the lines at a side of it are.
    pub(super) rim: f32,
    /// How much of the light it takes from what it may lie over, where that is little.
    pub(super) veil: f32,
}

/// What lines take from the block that they stand in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lines {
    /// Where the block around begins on the page.
    pub(super) left: f32,
    /// The height that lines have at least.
    strut: f32,
    /// The indent of the block around: lines have none of their own.
    indent: Length,
    /// Whether blocks in it surely begin at its left edge, and it at that of the page.
    at_left: bool,
    /// Columns of a table that is laid out by them, if they are equal.
    columns: usize,
}

/// Those of the page.
const PAGE_LINES: Lines =
    Lines { left: 0.0, strut: 0.0, indent: Length { px: 0.0, share: 0.0 }, at_left: true, columns: 0 };

/// What an element may lie over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cover {
    /// What follows it.
    After,
    /// All that is not in it.
    Around,
    /// Anything.
    All,
}

/// What an element's text looks like, and what its children start from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Style {
    pub(super) display: Display,
    pub(super) white_space: WhiteSpace,
    /// Why no text in the element can be seen. What stands out of the flow in it may still be painted.
    pub(super) hidden: Option<Reason>,
    /// What may hide the element and everything in it.
    pub(super) doubt: Option<&'static str>,
    pub(super) room: Option<RoomSize>,
    pub(super) takes: Takes,
    /// The block that its lines stand in.
    pub(super) block: Lines,
    /// What the element may lie over, if it paints.
    pub(super) covers: Option<Cover>,
    pub(super) reversed: bool,
    /// Whether it paints a background of its own.
    pub(super) paints: bool,
    pub(super) visible: bool,
    /// It stands in a list, of which those in it are not apart.
    in_list: bool,
    /// Rows and items of it are gone.
    collapses: bool,
    color: Color,
    /// What the page says its text and its links have.
    page_text: Color,
    link: Color,
    visited: Color,
    /// Something that is drawn over what is behind it: an image, a control.
    replaced: bool,
    /// `-webkit-text-fill-color`, which wins over the colour.
    fill: Option<Color>,
    /// Width and colour of lines along the letters' edges.
    stroke: (f32, Option<Color>),
    /// Its letters are drawn as others.
    masked: bool,
    /// It is moved from where it would be, so that what is painted in it may lie over other text.
    pub(super) lifted: bool,
    /// It may lie over what follows it.
    sunk: bool,
    /// All of it, or nearly all, is cut off.
    cut_away: bool,
    /// How far off the page it is, to the left or above.
    far_off: f32,
    /// How far small steps have moved it in all.
    drift: f32,
    /// It, or something around it, is seen as in a mirror.
    mirrored: bool,
    /// Pixels that are free above what comes next in it.
    pub(super) free: f32,
    /// How far transformations have moved it to the right and down.
    shift: (f32, f32),
    /// Whether its children are blocks whatever they are.
    items: bool,
    font_size: f32,
    /// Pixels, or a factor of the size.
    line_height: Option<(f32, bool)>,
    text_indent: Length,
    letter_spacing: f32,
    word_spacing: f32,
    /// Letters are drawn as large ones.
    capitals: bool,
    /// Its letters are drawn with thin lines.
    thin: bool,
    /// Its letters may all be as wide as those of a typewriter.
    odd_font: bool,
    /// Shadows of letters that lie far from them, or are many.
    /// Lines along its text lie elsewhere than usual.
    far_line: bool,
    /// Words may be broken anywhere.
    breaks_words: bool,
    far_shadow: bool,
    /// How many shadows its letters have.
    shadows: usize,
    /// Such a shadow is the only one, and no more than the letters once more.
    thrown: bool,
    rtl: bool,
    vertical: bool,
    combined: bool,
    custom: Option<Rc<Custom>>,
    backdrop: Backdrop,
    shelter: Shelter,
    /// The size of the letters that what is behind it was painted for.
    ground_size: f32,
    /// It is a box in a line, or in one, that stands on what the line paints.
    on_line: bool,
    /// What is behind the block around, which blocks inside lines stand on.
    block_backdrop: Backdrop,
    /// What is behind the box that contains what floats.
    flow_backdrop: Backdrop,
    /// Whether it contains what floats in it.
    contains_floats: bool,
    opacity: f32,
    scale: f32,
    tinted: bool,
    darkens: bool,
    /// What filters around it make of its colours, the innermost first.
    levels: Vec<Level>,
    /// How much larger a font may be drawn than its size says.
    grown: f32,
    /// Whether the cells of a table in it may stand far from each other.
    spaced: bool,
    /// How far its text is from the left edge of the page.
    x: f32,
    /// The width it has at least; `None` where it grows with its text.
    pub(super) width: Option<f32>,
    /// The width of which shares are taken is not less; `None` where nothing is known of it.
    pub(super) base: Option<f32>,
    /// Something around it cuts off.
    clips: bool,
    /// A line around it is cut off along its letters.
    line_cut: bool,
    fixed_table: bool,
    sized_tracks: bool,
    /// Whether something around it is seen in depth.
    deep: bool,
    /// Its box, for children that take something over from it.
    own: Option<Rc<frame::Frame>>,
    /// It is painted after what comes before it, and may lie over text that leaves its box.
    pub(super) over: bool,
    /// What follows may lie over it.
    pub(super) outside: bool,
    /// It takes no room, or only that of lines: blocks that follow may lie over it.
    pub(super) floats: bool,
    /// It may lie over what floats before it, or be what that stands on.
    pub(super) over_floats: bool,
    pub(super) under_floats: bool,
    /// It draws lines or shadows around itself.
    pub(super) edges: bool,
    /// Something around it has columns.
    in_columns: bool,
    /// Something around it is painted as a whole, after what floats.
    stacked: bool,
    /// A box around it cuts off or has a colour, and so many pixels across.
    bound: Option<f32>,
    /// The height of something around it is limited.
    limited: bool,
    /// It cuts off, but does not hold what floats in it.
    cuts_floats: bool,
    /// A line or shadow is drawn around something that it stands in.
    ringed: bool,
    /// It stands at the right, or may, so that what is too wide for the page leaves it to the left.
    from_right: bool,
    /// It, or a line that it stands in, is painted.
    line_paints: bool,
    /// Pixels that are left of its right edge then.
    right_room: f32,
    /// What is behind the table or group that it stands in.
    around: Rc<Backdrop>,
    /// How many lines are drawn along its text, and the largest letters that they belong to.
    lines: (usize, f32),
    /// How many elements around it draw lines along its text.
    rules: u8,
    /// It makes its line higher than it is itself: its letters stand elsewhere in it, or are of another kind.
    uneven: bool,
    /// Nothing is free above and below lines in it, so that what makes a line higher leaves it.
    trims: bool,
    /// How its blanks are kept is said in several ways.
    odd_blanks: bool,
    /// It is a row of a formula, in which bare text is not drawn.
    formula: bool,
    /// Signs of list items stand in their lines.
    marks_inside: bool,
    /// The direction of its text comes of the text.
    bidi: bool,
    /// No text of the document runs to the left by itself.
    leftwards: bool,
    /// How much room its letters take is not worked out.
    fickle: bool,
    /// Pixels that the edges of a cell of the table take across.
    cell_room: f32,
    /// How many shadows filters around it throw.
    thrown_by_filters: usize,
    /// How much of the light shadows of boxes around it take.
    glow: f32,
    /// Its letters have shadows that leave their lines.
    drops: bool,
    /// Pixels that filters blur it by.
    blur: f32,
    /// Words that the sheet puts before and behind its text.
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    /// In which ways it is moved, or painted beyond its box, by however little: a bit for each.
    pub(super) unrest: u16,
    /// It is a row, or rows, of a table that rules have made.
    is_css_row: bool,
    /// It is more than a plain block or line: how high it makes a box that is limited is not worked out.
    pub(super) elaborate: bool,
    rem: f32,
}

impl Style {
    /// Black text of usual size on white paper.
    #[expect(clippy::too_many_lines, reason = "one line for each field")]
    pub(super) fn paper() -> Self {
        Self {
            display: Display::Block,
            white_space: WhiteSpace::Normal,
            hidden: None,
            doubt: None,
            room: None,
            takes: Takes::default(),
            block: PAGE_LINES,
            covers: None,
            reversed: false,
            paints: false,
            visible: true,
            in_list: false,
            collapses: false,
            color: BLACK,
            page_text: BLACK,
            link: LINK,
            visited: Color::opaque(85, 26, 139),
            replaced: false,
            fill: None,
            stroke: (0.0, None),
            masked: false,
            lifted: false,
            sunk: false,
            cut_away: false,
            far_off: 0.0,
            drift: 0.0,
            mirrored: false,
            free: 0.0,
            shift: (0.0, 0.0),
            items: false,
            font_size: 16.0,
            line_height: None,
            text_indent: Length::default(),
            letter_spacing: 0.0,
            word_spacing: 0.0,
            capitals: false,
            thin: false,
            odd_font: false,
            far_line: false,
            breaks_words: false,
            far_shadow: false,
            shadows: 0,
            thrown: false,
            rtl: false,
            vertical: false,
            combined: false,
            custom: None,
            backdrop: Backdrop::paper(),
            shelter: Shelter::of_page(),
            ground_size: 16.0,
            on_line: false,
            block_backdrop: Backdrop::paper(),
            flow_backdrop: Backdrop::paper(),
            contains_floats: true,
            opacity: 1.0,
            scale: 1.0,
            tinted: false,
            darkens: false,
            levels: Vec::new(),
            grown: 1.0,
            spaced: false,
            x: 0.0,
            width: Some(PAPER),
            base: Some(PAPER),
            clips: false,
            line_cut: false,
            fixed_table: false,
            sized_tracks: false,
            deep: false,
            own: None,
            over: false,
            outside: false,
            floats: false,
            over_floats: false,
            under_floats: false,
            edges: false,
            in_columns: false,
            stacked: false,
            bound: None,
            limited: false,
            cuts_floats: false,
            ringed: false,
            from_right: false,
            line_paints: false,
            right_room: PAPER,
            around: Rc::new(Backdrop::paper()),
            lines: (0, 0.0),
            rules: 0,
            uneven: false,
            trims: false,
            odd_blanks: false,
            formula: false,
            marks_inside: false,
            bidi: false,
            leftwards: false,
            fickle: false,
            cell_room: 4.0,
            thrown_by_filters: 0,
            glow: 0.0,
            drops: false,
            blur: 0.0,
            before: None,
            after: None,
            unrest: 0,
            elaborate: false,
            is_css_row: false,
            rem: 16.0,
        }
    }

    /// What children take over from it.
    fn inherited(&self) -> Self {
        Self {
            display: Display::Inline,
            room: None,
            takes: Takes::default(),
            items: false,
            free: 0.0,
            reversed: false,
            covers: None,
            own: None,
            before: None,
            after: None,
            unrest: 0,
            is_css_row: false,
            over: false,
            over_floats: false,
            under_floats: false,
            edges: false,
            paints: false,
            replaced: false,
            sized_tracks: false,
            ..self.clone()
        }
    }

    /// The same with what surrounds another, which no declaration resets.
    fn with_surroundings(self, other: &Self) -> Self {
        let other = other.clone();
        Self {
            hidden: other.hidden,
            doubt: other.doubt,
            room: None,
            covers: None,
            page_text: other.page_text,
            link: other.link,
            visited: other.visited,
            replaced: other.replaced,
            lifted: other.lifted,
            sunk: other.sunk,
            cut_away: other.cut_away,
            far_off: other.far_off,
            block: other.block,
            drift: other.drift,
            mirrored: other.mirrored,
            free: 0.0,
            shift: other.shift,
            floats: other.floats,
            in_columns: other.in_columns,
            stacked: other.stacked,
            bound: other.bound,
            limited: other.limited,
            cuts_floats: other.cuts_floats,
            ringed: other.ringed,
            from_right: other.from_right,
            around: other.around,
            lines: other.lines,
            rules: other.rules,
            blur: other.blur,
            backdrop: other.backdrop,
            ground_size: other.ground_size,
            on_line: other.on_line,
            block_backdrop: other.block_backdrop,
            flow_backdrop: other.flow_backdrop,
            contains_floats: other.contains_floats,
            opacity: other.opacity,
            scale: other.scale,
            tinted: other.tinted,
            darkens: other.darkens,
            levels: other.levels,
            x: other.x,
            width: other.width,
            base: other.base,
            clips: other.clips,
            line_cut: other.line_cut,
            rem: other.rem,
            ..self
        }
    }
}
