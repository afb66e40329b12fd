//! Walks a tree in reading order, keeps the style of every open element, and tells the flow what can be read.

mod covers;
mod details;
mod hidden;
mod links;
mod tables;
mod unrest;

use std::collections::HashSet;
use std::ops::Range;

use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{Html, Node};

use crate::model::{Findings, Flag, Reason};
use crate::text_safety;

use super::computed::{Cover, Display, Style, Styler, Verdict, verdict};
use super::doubtful::Doubtful;
use super::flow::{Flow, Gap};
use super::grid::{self, Grids};
use super::links::Target;
use super::loose::Loose;
use super::never_shown;
use super::rooms::{Begin, Fit, Rooms};
use super::tables::data_tables;
use tables::Table;
use unrest::Unrest;

/// What was read of a document.
pub(super) struct Rendered {
    pub(super) text: String,
    /// Text that may be hidden.
    pub(super) doubtful: String,
    pub(super) findings: Findings,
}

/// What may be another way, and the texts that can be read then.
pub(super) type Condition = (&'static str, HashSet<NodeId>);

/// The visible text of a document, and what was left out of it; `None` when there is too much to work out. What cannot be
/// read under each of the conditions is doubtful.
pub(super) fn render(html: &Html, styler: &Styler, conditions: &[Condition]) -> Option<Rendered> {
    let mut renderer = walked(html, styler, conditions)?;
    let Some(calm) = renderer.calm_texts() else { return Some(renderer.finish()) };
    // Words that a sheet adds lie over others in the first walk only.
    renderer.take_back_below();
    let is_covered = renderer.is_covered;
    let kept: HashSet<NodeId> = renderer.shown.iter().map(|(_, node)| *node).collect();
    let calm = calm.intersection(&kept).copied().collect();
    let conditions: Vec<Condition> =
        conditions.iter().cloned().chain([("something over it", calm)]).collect();
    let mut again = walked(html, styler, &conditions)?;
    again.is_covered |= is_covered;
    Some(again.finish())
}

/// The texts of a document that can be read.
pub(super) fn readable(html: &Html, styler: &Styler) -> Option<HashSet<NodeId>> {
    let mut renderer = walked(html, styler, &[])?;
    renderer.take_back_below();
    if renderer.is_covered {
        return Some(HashSet::new());
    }
    let calm = renderer.calm_texts();
    Some(calm.unwrap_or_else(|| renderer.shown.into_iter().map(|(_, node)| node).collect()))
}

fn walked<'s>(html: &Html, styler: &'s Styler, conditions: &'s [Condition]) -> Option<Renderer<'s>> {
    let mut renderer = Renderer {
        styler,
        conditions,
        shown: Vec::new(),
        flow: Flow::new(),
        findings: Findings::default(),
        doubtful: Doubtful::default(),
        styles: vec![styler.paper()],
        starts: vec![0],
        begins: vec![Begin::default()],
        ink_outside: 0,
        away: 0.0,
        beyond: None,
        unrest: Unrest::default(),
        stain: None,
        besides: Vec::new(),
        pulled: 0.0,
        dragged: 0.0,
        spread: false,
        shaded: 0.0,
        far_shaded: 0.0,
        rim: 0.0,
        veiled: 0.0,
        clear: 0.0,
        is_covered: false,
        outside: None,
        floated: None,
        below: None,
        data_tables: data_tables(html),
        grids: grid::of(html, styler),
        tables: Vec::new(),
        links: Vec::new(),
        rooms: Rooms::default(),
        hidden_until: None,
    };
    renderer.is_covered = never_shown::has_shadows(html);
    // The walk keeps no stack, so depth cannot overflow one.
    for edge in html.tree.root().traverse() {
        match edge {
            Edge::Open(node) => renderer.open(node),
            Edge::Close(node) => renderer.close(node),
        }
        if styler.is_spent() {
            return None;
        }
    }
    Some(renderer)
}

/// An element in a line that paints beyond it.
struct Beyond {
    node: NodeId,
    /// Where its text begins.
    start: usize,
    /// It has, or may have, several lines.
    is_broken: bool,
}

/// What an element in a line paints below it.
struct Stain {
    style: Style,
    /// How far down it reaches from the line before what comes next, and how far from the next line on.
    depth: f32,
    left: f32,
    /// A line has begun below it.
    is_above: bool,
}

/// A link that is open: where it leads and where its text began.
struct Link {
    target: Option<Target>,
    start: usize,
}

/// Things that are drawn up by less leave what is before them readable.
const NUDGE: f32 = 6.0;
/// So many letters of usual size over others leave more than a few words of them readable: letters are mostly gaps.
const MOST_INK: usize = 60;

struct Renderer<'s> {
    styler: &'s Styler,
    conditions: &'s [Condition],
    /// What was laid out of each text, by where it ends.
    shown: Vec<(usize, NodeId)>,
    flow: Flow,
    findings: Findings,
    doubtful: Doubtful,
    styles: Vec<Style>,
    /// Where the text of each open element begins.
    starts: Vec<usize>,
    /// Where each open element begins.
    begins: Vec<Begin>,
    /// How far all text off the page may reach.
    away: f32,
    /// Letters that follow text which has left its box.
    ink_outside: usize,
    /// An element in a line that paints beyond it, as each of its lines would over the others.
    beyond: Option<Beyond>,
    /// What makes small text doubtful.
    unrest: Unrest,
    /// What an element in a line paints below it.
    stain: Option<Stain>,
    /// Where text stands whose parts are beside each other.
    besides: Vec<Range<usize>>,
    /// How far things without text have drawn up what comes next.
    pulled: f32,
    /// How far things in this line have drawn what comes next to the left.
    dragged: f32,
    /// A blank in this line was so wide or narrow that what follows may not be readable.
    spread: bool,
    /// How much light shadows have taken since the last text.
    shaded: f32,
    /// How much of it shadows have taken that reach far, whatever stands between them.
    far_shaded: f32,
    /// How much light all veils take that may lie over the same text.
    veiled: f32,
    /// How thick all lines are that were drawn since text left its place.
    rim: f32,
    /// Pixels that are free below the last text, at least.
    clear: f32,
    /// Something may lie over any text of the document.
    is_covered: bool,
    /// Text that has left its box, if there is any.
    outside: Option<Loose>,
    /// Text that blocks behind it may lie over, because it takes no room of theirs.
    floated: Option<Loose>,
    /// Where text begins that something before it lies over.
    below: Option<usize>,
    data_tables: HashSet<NodeId>,
    grids: Grids,
    tables: Vec<Table>,
    links: Vec<Link>,
    rooms: Rooms,
    /// The outermost hidden element around this place, and why it is hidden.
    hidden_until: Option<(NodeId, Reason)>,
}

impl Renderer<'_> {
    fn open(&mut self, node: NodeRef<'_, Node>) {
        match (self.hidden_until, node.value()) {
            (Some((_, reason)), Node::Text(text)) => self.count(reason, text, node),
            (_, Node::Comment(comment)) => self.drop_text(Reason::Comment, comment),
            (Some(_), _) => {}
            (None, Node::Text(text)) => self.text(text, node.id()),
            (None, Node::Element(element)) => self.open_element(node, element),
            _ => {}
        }
    }

    fn close(&mut self, node: NodeRef<'_, Node>) {
        match (self.hidden_until, node.value()) {
            (Some((id, _)), _) if id == node.id() => self.hidden_until = None,
            (None, Node::Element(element)) => self.close_element(node.id(), element.name()),
            _ => {}
        }
    }

    fn style(&self) -> &Style {
        self.styles.last().expect("the paper is never taken off the stack")
    }

    /// Counts text that is not shown; code was never meant to be.
    fn count(&mut self, reason: Reason, text: &str, node: NodeRef<'_, Node>) {
        let inside = node.parent().and_then(|parent| parent.value().as_element().map(Element::name));
        if !matches!(inside, Some("style" | "script" | "title")) {
            self.drop_text(reason, text);
        }
    }

    fn drop_text(&mut self, reason: Reason, text: &str) {
        let count = text.chars().filter(|c| !c.is_whitespace()).count();
        self.findings.drop_characters(reason, count);
        if count > 0 && reason < Reason::NotRendered {
            self.findings.flag(Flag::HiddenText);
        }
    }

    /// Lays out a text of a node, or that belongs to it.
    fn text(&mut self, text: &str, node: NodeId) {
        let style = self.styles.last().expect("the paper is never taken off the stack");
        let mut verdict = verdict(style);
        let fit = self.rooms.place(text, style);
        self.take_back_pushed();
        let is_drawn = text.chars().any(|c| !c.is_whitespace());
        self.wipe(text, verdict);
        // Blanks are drawn where lines run along them.
        self.is_covered |= self.lifts(text);
        self.unrest.see_text(text, self.styles.last().expect("the paper is never taken off the stack"), node);
        if is_drawn {
            verdict = self.after_lines(text, verdict);
        } else {
            self.is_spread(text);
        }
        let style = self.styles.last().expect("the paper is never taken off the stack");
        if verdict == Verdict::Shown && is_drawn {
            (self.clear, self.shaded) = (0.0, 0.0);
            // Lines that text stands between are apart, unless it takes no room of its own.
            self.rim = if self.takes_room() { 0.0 } else { self.rim };
            if !self.rooms.has_low() {
                self.pulled = 0.0;
            }
            let start = self.flow.position();
            if style.floats {
                Loose::add(&mut self.floated, start, style.drawn_with());
            }
            match fit {
                _ if style.outside => Loose::add(&mut self.outside, start, style.drawn_with()),
                Fit::Inside => {}
                // What leaves its box leaves those around it, and stands on the shadows that these throw.
                Fit::Outside if style.is_ringed() => verdict = Verdict::Doubtful("box-shadow"),
                Fit::Outside => self.rooms.leave(start, style.drawn_with()),
                Fit::Cut => verdict = Verdict::Doubtful("overflow"),
            }
            if let Some((reason, _)) = self.conditions.iter().find(|(_, shown)| !shown.contains(&node)) {
                verdict = Verdict::Doubtful(reason);
            }
        }
        // What cannot be read still keeps words apart.
        if verdict != Verdict::Shown && text.contains(char::is_whitespace) {
            self.flow.want(Gap::Space);
        }
        match verdict {
            Verdict::Hidden(reason) => self.drop_text(reason, text),
            Verdict::Doubtful(reason) => self.doubtful.add(reason, text, &mut self.findings),
            Verdict::Shown => {
                let (text, removed) = text_safety::visible(text);
                super::note_removed(removed, &mut self.findings);
                // What is cut off may still lie over what is not.
                if !self.flow.is_full() {
                    self.flow.text(&text, self.style().white_space);
                    self.shown.push((self.flow.position(), node));
                }
            }
        }
        // What leaves its box, and is not cut off there, lies over what follows, if it is painted later; so do shadows.
        let style = self.style();
        let leaves = fit == Fit::Outside || (fit == Fit::Cut && !style.is_cut_off());
        let is_later = (leaves && style.is_stacked()) || style.is_sunk();
        if (is_drawn && style.drops_shadows()) || (is_later && style.may_lie_over(text)) {
            self.below = self.below.or(Some(self.flow.position()));
        }
    }

    fn lifts(&mut self, text: &str) -> bool {
        let style = self.styles.last().expect("the paper is never taken off the stack");
        style.lifts(text, &mut self.away)
    }

    /// Lays out words that a sheet adds to an element, which are not told apart in different cases.
    fn generated(&mut self, text: &str, node: NodeId) {
        self.is_covered |= self.lifts(text);
        match self.conditions.first() {
            Some((reason, _)) => self.doubtful.add(reason, text, &mut self.findings),
            None => self.text(text, node),
        }
    }

    /// What is left of a verdict where blanks, and what lines before it paint, are taken into account.
    fn after_lines(&mut self, text: &str, mut verdict: Verdict) -> Verdict {
        let style = self.style();
        if verdict == Verdict::Shown && style.draws_back(text) {
            verdict = Verdict::Doubtful("spacing of letters");
        }
        if verdict == Verdict::Shown && style.runs_oddly() {
            verdict = Verdict::Doubtful("white-space");
        }
        let drops = style.drops_shadows();
        // A long word runs over what floats beside a narrower block.
        let is_long =
            style.stands_on_line() && text.split_whitespace().any(|word| style.is_run_over_by(word));
        if style.is_solid(text) {
            self.is_covered = true;
        }
        if is_long {
            self.floated.take().into_iter().for_each(|floated| self.take_back(floated.start()));
        }
        if drops {
            // Its shadows fall on what floats, wherever that begins.
            self.floated.take().into_iter().for_each(|floated| self.take_back(floated.start()));
        }
        self.ink_over(text);
        if verdict == Verdict::Shown && self.is_stained(text) {
            verdict = Verdict::Doubtful("background");
        }
        if self.is_spread(text) && verdict == Verdict::Shown {
            verdict = Verdict::Doubtful("spacing of letters");
        }
        if self.is_overpainted(text) && verdict == Verdict::Shown {
            verdict = Verdict::Doubtful("something over it");
        }
        verdict
    }

    fn open_element(&mut self, node: NodeRef<'_, Node>, element: &Element) {
        if let Some(parent) = self.styles.last_mut() {
            parent.free = self.clear;
        }
        let mut style = self.styler.style(node, element, self.style());
        if self.grids.meeting.contains(&node.id()) {
            style.doubt("something over it");
        }
        // What lies over what follows does so when it ends.
        if let Some(cover) = style.covers.filter(|cover| *cover != Cover::After) {
            self.cover(cover);
        }
        if style.display != Display::None {
            self.rooms.unordered |= style.stands_right();
            self.unrest.see(&style);
            self.pull(style.takes.pulled);
            self.drag(&style);
            self.shade(&style);
            self.veil(&style);
            self.lie_over(&style);
            self.sign_over(&style);
            self.paint_in_cell(&style);
        }
        // Cells of several rows are cut off there, and leave the colour of their own.
        let is_spanned = self.tables.iter().any(|table| table.is_spanned);
        self.is_covered |= is_spanned && style.is_collapsed_row();
        let is_never = never_shown::is_never_read(element);
        if let Some(reason) = style.hidden.or(is_never.then_some(Reason::NotRendered)) {
            return self.open_hidden(node, element, style, reason);
        }
        match element.name() {
            "col" | "colgroup" if style.paints || !style.visible || style.doubt.is_some() => {
                self.doubt_table()
            }
            _ => {}
        }
        if style.reversed {
            self.findings.flag(Flag::BidiControls);
        }
        let begin = self.begin_box(node.id(), &style);
        self.reach_beyond(node.id(), &style);
        self.flow.want(gap_around(element.name(), style.display));
        let before = style.before.clone();
        self.push(style, begin);
        self.begin(node, element);
        if let Some(before) = before {
            self.generated(&before, node.id());
        }
    }

    fn push(&mut self, style: Style, begin: Begin) {
        self.styles.push(style);
        self.starts.push(self.flow.position());
        self.begins.push(begin);
    }

    /// Takes the room that an element takes.
    fn begin_box(&mut self, node: NodeId, style: &Style) -> Begin {
        self.free_up(style, self.clear - style.takes.uses.0, style.takes.free.0);
        if style.takes.rises > self.clear + NUDGE {
            self.take_back(self.lines_above((style.takes.rises / 8.0) as usize + 1));
        }
        let begin = self.rooms.begin(style);
        self.take_back_pushed();
        if let Some(size) = style.room.clone() {
            self.rooms.enter(node, size, self.flow.position());
        }
        begin
    }

    /// Takes down how much is free at an edge of a block; what stands beside others may end above or below them.
    fn free_up(&mut self, style: &Style, before: f32, space: f32) {
        // What floats may end anywhere beside what is free.
        self.clear = match style.display {
            _ if self.rooms.has_floats() => 0.0,
            Display::Inline | Display::Contents => before,
            _ if style.takes.is_below => before.max(space).max(0.0),
            _ => 0.0,
        };
    }

    fn finish(mut self) -> Rendered {
        self.take_back_below();
        let mut text = self.flow.finish();
        if self.is_covered {
            self.doubtful.add("something over it", &std::mem::take(&mut text), &mut self.findings);
        }
        Rendered { text, doubtful: self.doubtful.finish(), findings: self.findings }
    }

    fn begin(&mut self, node: NodeRef<'_, Node>, element: &Element) {
        match element.name() {
            "br" => self.line_break(),
            "hr" => self.flow.rule(),
            "img" => self.image(element),
            "input" => {
                let own = self.style().clone();
                self.embedded(node, element, &own);
            }
            "blockquote" => self.flow.quotes += 1,
            "ul" | "menu" | "dir" => self.flow.open_list(None),
            "ol" => {
                let first = element.attr("start").and_then(|start| start.trim().parse().ok());
                self.flow.open_list(Some(first.unwrap_or(1)));
            }
            "li" => self.flow.begin_item(),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.flow.begin_heading(usize::from(element.name().as_bytes()[1] - b'0'));
            }
            "a" | "area" => self.open_link(element.attr("href")),
            "table" => self.open_table(node.id()),
            "tr" => self.open_row(),
            "td" | "th" => self.open_cell(element),
            "details" => self.begin_details(node),
            _ => {}
        }
    }

    fn close_element(&mut self, node: NodeId, name: &str) {
        if self.style().hidden.is_some() {
            self.styles.pop();
            self.starts.pop();
            self.begins.pop();
            return;
        }
        self.beyond.take_if(|beyond| beyond.node == node);
        if let Some(after) = self.styles.last_mut().and_then(|style| style.after.take()) {
            self.generated(&after, node);
        }
        match name {
            "blockquote" => self.flow.quotes = self.flow.quotes.saturating_sub(1),
            "ul" | "ol" | "menu" | "dir" => self.flow.close_list(),
            "li" => self.flow.end_marked(Gap::Line),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.flow.end_marked(Gap::Blank),
            "a" | "area" => self.close_link(),
            "table" => self.close_table(),
            "tr" => self.close_row(),
            "tfoot" => self.tables.iter_mut().for_each(|table| table.is_shuffled = true),
            "td" | "th" => self.flow.on_one_line = false,
            _ => {}
        }
        if self.styles.len() > 1
            && let Some(style) = self.styles.pop()
        {
            let start = self.starts.pop().unwrap_or_default();
            let begin = self.begins.pop().unwrap_or_default();
            let (leaving, spills) = self.rooms.end(node, &style, begin);
            // Without text between them its lines are beside each other.
            self.rim += if start == self.flow.position() { style.takes.rim } else { 0.0 };
            self.take_back_pushed();
            if let Some(leaving) = leaving {
                Loose::join(&mut self.outside, leaving);
            }
            // What it holds is painted beyond it, where something else follows.
            if spills {
                self.below = self.below.or(Some(self.flow.position()));
            }
            // What is free in a box of limited height need not be free below it.
            let inner = if style.is_limited() { 0.0 } else { self.clear - style.takes.uses.1 };
            self.free_up(&style, inner, style.takes.free.1);
            self.stain(&style);
            let held = self.floated.take_if(|floated| style.ends_floats() && floated.start() >= start);
            match () {
                // Boxes in a line stand beside what is before them in it.
                () if style.stands_beside(name) => self.end_in_line(start),
                () if style.puts_beside(name) || held.is_some() => self.end_beside(start),
                // What these are called or opened with stands first, wherever it is told.
                () if matches!(name, "details" | "fieldset") => self.end_beside(start),
                () => {}
            }
            if style.is_css_row() {
                self.tables.iter_mut().for_each(|table| table.is_shuffled = true);
            }
            self.lie_over_rest(&style);
            self.end_drag(&style);
            self.flow.want(gap_around(name, style.display));
        }
    }

    fn line_break(&mut self) {
        self.break_beyond();
        self.flow.line_break();
        self.rooms.line_break(self.styles.last().expect("the paper is never taken off the stack"));
        self.take_back_pushed();
    }
}

fn gap_around(name: &str, display: Display) -> Gap {
    let by_name = match name {
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "pre" | "dl" | "figure" => Gap::Blank,
        _ => Gap::Line,
    };
    match display {
        display if display.is_block() => by_name,
        Display::Cell => Gap::Space,
        _ => Gap::None,
    }
}
