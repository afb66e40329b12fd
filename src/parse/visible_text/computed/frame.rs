//! The box of an element: what it takes to know where it is and how much of it can be seen.

use super::super::css::color::Colored;
use super::super::css::declaration::Property;
use super::super::css::length::Length;
use super::backdrop::{Level, Paint};
use crate::model::Reason;

/// How an element takes part in the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Display {
    None,
    Inline,
    InlineBlock,
    /// A box in a line whose children are blocks whatever they are.
    InlineItems,
    Block,
    /// Its children are blocks whatever they are.
    Flex,
    Grid,
    /// `-webkit-box`, which can cut off after some lines.
    OldFlex,
    /// A table, which contains what floats.
    Table,
    /// A row or a group of rows.
    TablePart,
    Cell,
    Contents,
}

impl Display {
    /// Whether it begins on a line of its own.
    pub(in super::super) fn is_block(self) -> bool {
        matches!(self, Self::Block | Self::Flex | Self::Grid | Self::OldFlex | Self::Table | Self::TablePart)
    }

    /// Whether it clips what is larger than itself: lines do not, and parts of tables grow.
    pub(super) fn can_clip(self) -> bool {
        matches!(self, Self::Block | Self::Flex | Self::Grid | Self::OldFlex) || self.is_in_line()
    }

    /// Whether it is a box in a line.
    pub(in super::super) fn is_in_line(self) -> bool {
        matches!(self, Self::InlineBlock | Self::InlineItems)
    }

    /// Whether its children are blocks whatever they are.
    pub(super) fn has_items(self) -> bool {
        matches!(self, Self::Flex | Self::Grid | Self::OldFlex | Self::InlineItems)
    }
}

/// How an element is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Position {
    #[default]
    Static,
    Relative,
    Sticky,
    /// Out of the flow, where it would stand in it unless it is moved.
    Absolute,
    /// Out of the flow.
    Out,
}

impl Position {
    /// Whether it takes no room.
    pub(super) fn is_out(self) -> bool {
        matches!(self, Self::Absolute | Self::Out)
    }
}

/// Pixels of a border that nothing is said about but its style.
pub(super) const MEDIUM: f32 = 3.0;

/// Top, right, bottom, left.
pub(super) type Sides = [Option<Length>; 4];

/// What is set on an element and not inherited.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Frame {
    /// Properties whose winning value is not understood.
    pub(super) doubts: Vec<Property>,
    pub(super) position: Position,
    pub(super) inset: Sides,
    pub(super) margin: Sides,
    pub(super) padding: Sides,
    pub(super) border: Sides,
    /// Whether a margin takes what is left over.
    pub(super) auto_margin: bool,
    /// Whether blocks in it may stand elsewhere than at its left edge.
    pub(super) centers: bool,
    /// Whether a border is drawn at all.
    pub(super) border_styled: bool,
    pub(super) width: Option<Length>,
    pub(super) height: Option<Length>,
    pub(super) max_width: Option<Length>,
    pub(super) max_height: Option<Length>,
    pub(super) min_width: Option<Length>,
    pub(super) min_height: Option<Length>,
    /// It cuts off by `hidden`, `scroll` or `auto`, which hold what floats.
    pub(super) scrolls_itself: bool,
    /// Nothing is cut off, which pictures and drawings do else.
    pub(super) bursts: bool,
    pub(super) clip_x: bool,
    pub(super) clip_y: bool,
    /// `contain: paint` and the like, which cut off as `overflow` does.
    pub(super) contained: bool,
    pub(super) border_box: bool,
    pub(super) floats: bool,
    /// It makes room for what floats before it.
    pub(super) flow_root: bool,
    /// Lines beside it may run into it.
    pub(super) shaped: bool,
    /// It is painted as a whole, after what floats and after lines before it.
    pub(super) stacks: bool,
    pub(super) line_clamp: Option<usize>,
    pub(super) opacity: Option<f32>,
    pub(super) zoom: Option<f32>,
    pub(super) negative_layer: bool,
    pub(super) columns: bool,
    /// Its items stand far from each other.
    pub(super) some_gap: bool,
    /// It has the sign of a list item.
    pub(super) is_item: bool,
    /// Its height is as much as there is.
    pub(super) stretches: bool,
    /// Lines between columns or items that are wide enough to be what text stands on.
    pub(super) wide_rule: bool,
    /// What follows it, or it, begins another column.
    pub(super) breaks: bool,
    /// Its marks or quotes are long.
    pub(super) long_marks: bool,
    /// What is in it does not begin at its upper left corner.
    pub(super) aligned: bool,
    /// Its lines do not begin at its upper edge.
    pub(super) aligned_lines: bool,
    /// It does not stand where the order of the document has it.
    pub(super) ordered: bool,
    /// It stands for a column of a table, which is painted or gone as a whole.
    pub(super) is_column: bool,
    /// It has a place in a grid, which others may have too.
    pub(super) placed: bool,
    /// It scrolls something to another place than its beginning.
    pub(super) scrolls: bool,
    /// `clip`, which acts on what stands out of the flow.
    pub(super) cut_out: bool,
    /// Nothing is free above its first line and below its last one.
    pub(super) trims: bool,
    /// It is painted some way beyond where it cuts off.
    pub(super) clips_beyond: bool,
    /// A sign takes the place of what is cut off, and of letters before that.
    pub(super) ellipsis: bool,
    /// Styles of borders are set without a width.
    pub(super) medium: bool,
    /// Its items stand below each other, if it is a `-webkit-box`.
    pub(super) stacks_items: bool,
    /// It begins below what floats, wherever that ends.
    pub(super) clears: bool,
    /// It may have signs that are not in its text.
    pub(super) has_signs: bool,
    /// It may stand elsewhere in its line than on the line of letters.
    pub(super) uneven: bool,
    /// It is moved up or down in its line.
    pub(super) raised: bool,
    /// What is behind it is seen through it in another way.
    pub(super) backdrop: bool,
    /// What that makes of the colours behind it.
    pub(super) backdrop_levels: Vec<Level>,
    /// Its size is worked out as if nothing were in it.
    pub(super) sizeless: bool,
    /// Properties that were set and that children can ask for, of those that are not kept.
    pub(super) declared: Vec<Property>,
    /// It is a box, whatever is said about how it is displayed.
    pub(super) is_boxed: bool,
    /// It is the outermost element.
    pub(super) is_root: bool,
    /// It is part of a formula: what stands in it are boxes.
    pub(super) is_word: bool,
    /// It ends a line, and has no box at all.
    pub(super) is_break: bool,
    /// It is the page, whose ground lies behind everything.
    pub(super) is_page: bool,
    /// It stands behind another cell in its row, of which it is not known how wide that is.
    pub(super) is_later_cell: bool,
    /// Its width is that of what is in it.
    pub(super) shrinks: bool,
    /// It is as narrow as the longest word.
    pub(super) min_content: bool,
    /// A size or place of it is that of something else, where it stands out of the flow.
    pub(super) anchored: bool,
    /// Its border, ground and edge have a shape of their own.
    pub(super) border_shape: bool,
    /// It is a group of controls, whose name stands half above it.
    pub(super) is_group: bool,
    /// It is such a name, or that of a table.
    pub(super) is_outside_group: bool,
    pub(super) is_caption: bool,
    pub(super) fixed_table: Option<bool>,
    /// It takes room that is not worked out.
    pub(super) odd: bool,
    /// The colours of shadows inside, which lie on the background.
    pub(super) inner_shadows: Vec<Colored>,
    pub(super) wide_gap: bool,
    pub(super) sized_tracks: bool,
    pub(super) flexes: bool,
    pub(super) round: bool,
    /// Its corners may be larger than a word.
    pub(super) very_round: bool,
    /// Its height comes of its width.
    pub(super) ratio: bool,
    pub(super) border_image: bool,
    /// It may reach into the box.
    pub(super) border_image_wide: bool,
    pub(super) paint: Paint,
    pub(super) content_hidden: bool,
    pub(super) clip_path: Seen,
    pub(super) has_clip_path: bool,
    pub(super) mask: Seen,
    pub(super) mask_set: bool,
    pub(super) mask_changed: bool,
    pub(super) filter: Filter,
    pub(super) blends: Blend,
    pub(super) transform: Moved,
    pub(super) translate: Moved,
    pub(super) scale: Moved,
    pub(super) rotate: Moved,
    pub(super) origin_moved: bool,
    pub(super) backface_hidden: bool,
    pub(super) outline: Outline,
    /// Whether a shadow reaches over what is beside it and may hide that.
    pub(super) shadow: bool,
    /// How much of the light thinner shadows take that reach as far.
    pub(super) shade: f32,
    /// How much of that is taken further away than a line is high.
    pub(super) far_shade: f32,
    /// How much of the light shadows outside take right beside it.
    pub(super) glow: f32,
    /// Whether it has any shadow outside.
    pub(super) shadowed: bool,
    pub(super) reflects: bool,
    /// Lines through the text that are thick enough to cover it.
    pub(super) thick_line: bool,
    /// How thick they are is said.
    pub(super) has_thickness: bool,
    /// Whether lines are drawn along its text at all.
    pub(super) decorated: bool,
    pub(super) animated: bool,
}

impl Frame {
    /// Whether what stands in it changes places in its box, so that what leaves that goes where no page goes on.
    pub(super) fn mirrors(&self) -> bool {
        [self.transform, self.scale, self.rotate].iter().any(|moved| moved.mirrored)
    }

    /// Whether the box is that of a block or line as it comes: with margins, and with the sign of an item.
    pub(super) fn is_bare(&self) -> bool {
        *self == Self { margin: self.margin, is_item: self.is_item, ..self.surroundings() }
    }

    /// Whether a margin draws it, or what follows it, back.
    pub(super) fn is_drawn_back(&self) -> bool {
        self.margin.iter().flatten().any(|side| side.px < 0.0 || side.share < 0.0)
    }

    /// Takes back that the page is as high as a window, where nothing cuts it off there.
    pub(super) fn grow_with_page(&mut self) {
        if !(self.clip_x || self.clip_y || self.contained) {
            let is_fixed = |size: &Length| size.share == 0.0;
            (self.height, self.min_height) = (self.height.filter(is_fixed), self.min_height.filter(is_fixed));
        }
    }

    /// A box of which only is known what it is to others.
    fn surroundings(&self) -> Self {
        Self {
            is_page: self.is_page,
            is_later_cell: self.is_later_cell,
            is_boxed: self.is_boxed,
            is_break: self.is_break,
            is_root: self.is_root,
            is_word: self.is_word,
            ..Self::default()
        }
    }

    /// Gives borders that have a style and no width the usual one.
    pub(super) fn widen_borders(&mut self) {
        if self.medium {
            self.border = self.border.map(|width| width.or(Some(Length::px(MEDIUM))));
        }
    }

    /// Whether nothing is set on the box but its sizes and what is free around and in it.
    pub(super) fn is_only_sized(&self) -> bool {
        let bare = Self {
            margin: self.margin,
            padding: self.padding,
            auto_margin: self.auto_margin,
            is_item: self.is_item,
            centers: self.centers,
            width: self.width,
            height: self.height,
            max_width: self.max_width,
            max_height: self.max_height,
            min_width: self.min_width,
            min_height: self.min_height,
            ..self.surroundings()
        };
        *self == bare
    }

    /// Whether nothing is set on the box but what is free around and in it, its lines and its ground.
    pub(super) fn is_plain_content(&self) -> bool {
        let bare = Self {
            margin: self.margin,
            padding: self.padding,
            border: self.border,
            border_styled: self.border_styled,
            medium: self.medium,
            is_item: self.is_item,
            centers: self.centers,
            width: self.width,
            max_width: self.max_width,
            decorated: self.decorated,
            has_thickness: self.has_thickness,
            declared: self.declared.clone(),
            paint: self.paint.clone(),
            ..self.surroundings()
        };
        let edges = self.margin.iter().chain(&self.padding).flatten();
        *self == bare && edges.into_iter().all(|edge| edge.share == 0.0)
    }

    /// Whether a property of the box was set, by anything that was not dropped.
    pub(super) fn declares(&self, property: &Property) -> bool {
        self.declared.contains(property)
    }
}

/// What something leaves to be seen of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Seen {
    #[default]
    All,
    Nothing,
    Unknown,
}

/// How an element is mixed with what is behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Blend {
    #[default]
    Normal,
    Darkens,
    Unknown,
}

/// What filters leave of an element.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Filter {
    pub(super) opacity: f32,
    /// Whether colours change, which text of strong contrast survives.
    pub(super) tints: bool,
    /// What it makes of the light of each colour.
    pub(super) levels: Vec<Level>,
    pub(super) hidden: Option<Reason>,
    pub(super) unknown: bool,
    /// How many shadows of the letters it draws.
    pub(super) shadows: usize,
    /// Whether one of them lies far from the letters.
    pub(super) far: bool,
    /// Whether one lies so far from the box that it covers something beside it.
    pub(super) reaches: bool,
    /// Pixels that it blurs letters by.
    pub(super) blur: f32,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            opacity: 1.0,
            tints: false,
            levels: Vec::new(),
            hidden: None,
            unknown: false,
            shadows: 0,
            far: false,
            reaches: false,
            blur: 0.0,
        }
    }
}

/// What a transformation does to an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moved {
    /// The smaller of the two factors.
    pub(super) scale: f32,
    /// Pixels that it is moved to the right, and down.
    pub(super) shift: (f32, f32),
    /// Whether it is moved towards the reader, which shows in perspective only.
    pub(super) deep: bool,
    /// Whether what is in it is seen in depth; as long as nothing leaves the page, that changes nothing.
    pub(super) perspective: bool,
    /// Whether right and left, or above and below, change places in its box.
    pub(super) mirrored: bool,
    /// Whether it leaves everything where it is.
    pub(super) identity: bool,
    pub(super) hidden: Option<Reason>,
    pub(super) unknown: bool,
}

impl Default for Moved {
    fn default() -> Self {
        Self {
            scale: 1.0,
            shift: (0.0, 0.0),
            deep: false,
            perspective: false,
            mirrored: false,
            identity: true,
            hidden: None,
            unknown: false,
        }
    }
}

/// A line around an element, which is drawn over what is there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outline {
    pub(super) drawn: bool,
    pub(super) width: f32,
    pub(super) offset: f32,
}

impl Default for Outline {
    fn default() -> Self {
        Self { drawn: false, width: 3.0, offset: 0.0 }
    }
}
