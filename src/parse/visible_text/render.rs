//! Walks a tree in reading order, keeps the style of every open element, and tells the flow what can be read.

use std::collections::HashSet;

use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{Html, Node};

use crate::model::{Findings, Flag, Reason};
use crate::text_safety;

use super::super::suspicion;
use super::computed::{Cover, Display, Style, Styler, Verdict, WhiteSpace, verdict};
use super::doubtful::Doubtful;
use super::embedded;
use super::flow::{Flow, Gap};
use super::links::{self, Target};
use super::never_shown;
use super::rooms::{Fit, Rooms};
use super::tables::data_tables;

/// What was read of a document.
pub(super) struct Rendered {
    pub(super) text: String,
    /// Text that may be hidden.
    pub(super) doubtful: String,
    pub(super) findings: Findings,
}

/// The visible text of a document, and what was left out of it; `None` when there is too much to work out.
pub(super) fn render(html: &Html, styler: &Styler) -> Option<Rendered> {
    let mut renderer = Renderer {
        styler,
        flow: Flow::new(),
        findings: Findings::default(),
        doubtful: Doubtful::default(),
        styles: vec![styler.paper()],
        starts: vec![0],
        is_covered: false,
        outside: None,
        floated: None,
        below: None,
        data_tables: data_tables(html),
        shadow_hosts: never_shown::shadow_hosts(html),
        tables: Vec::new(),
        links: Vec::new(),
        rooms: Rooms::default(),
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
        if styler.is_spent() {
            return None;
        }
    }
    Some(renderer.finish())
}

struct Table {
    is_data: bool,
    row_has_cells: bool,
}

/// A link that is open: where it leads and where its text began.
struct Link {
    target: Option<Target>,
    start: usize,
}

/// Empty space of this height takes the place of a line.
const LINE: f32 = 20.0;

struct Renderer<'s> {
    styler: &'s Styler,
    flow: Flow,
    findings: Findings,
    doubtful: Doubtful,
    styles: Vec<Style>,
    /// Where the text of each open element begins.
    starts: Vec<usize>,
    /// Something may lie over any text of the document.
    is_covered: bool,
    /// Where text begins that leaves its box, if there is any.
    outside: Option<usize>,
    /// Where text begins that blocks behind it may lie over, because it takes no room of theirs.
    floated: Option<usize>,
    /// Where text begins that something before it lies over.
    below: Option<usize>,
    data_tables: HashSet<NodeId>,
    shadow_hosts: HashSet<NodeId>,
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
            (None, Node::Text(text)) => self.text(text),
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

    fn text(&mut self, text: &str) {
        let style = self.styles.last().expect("the paper is never taken off the stack");
        let mut verdict = verdict(style);
        if verdict == Verdict::Shown {
            if style.floats {
                self.floated = self.floated.or(Some(self.flow.position()));
            }
            match self.rooms.fit(text, style, self.flow.lines()) {
                Fit::Inside if !style.outside => {}
                Fit::Inside => self.outside = self.outside.or(Some(self.flow.position())),
                Fit::Outside => self.outside = self.outside.or(Some(self.flow.position())),
                Fit::Cut => verdict = Verdict::Doubtful("overflow"),
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
                self.flow.text(&text, self.style().white_space);
            }
        }
    }

    fn open_element(&mut self, node: NodeRef<'_, Node>, element: &Element) {
        if let Some(text) = embedded::plain_text(node, element, self.styler)
            && verdict(self.style()) == Verdict::Shown
        {
            self.text(&text);
        }
        if never_shown::is_never_shown(element.name()) || self.shadow_hosts.contains(&node.id()) {
            self.hidden_until = Some((node.id(), Reason::NotRendered));
            return;
        }
        let style = self.styler.style(node, element, self.style());
        if let Some(cover) = style.covers {
            self.cover(cover);
        }
        if let Some(reason) = style.hidden {
            self.hidden_until = Some((node.id(), reason));
            return;
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
        self.rooms.push_down(style.space_above.max(0.0));
        if let Some(size) = style.room {
            self.rooms.enter(node.id(), size, self.flow.lines());
        }
        self.flow.want(gap_around(element.name(), style.display));
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
        let before = style.before.clone();
        self.styles.push(style);
        self.starts.push(self.flow.position());
        self.begin(node, element);
        if let Some(before) = before {
            self.text(&before);
        }
    }

    /// Leaves doubt about the table that is open, whose columns are coloured or gone.
    fn doubt_table(&mut self) {
        if let Some(table) = self.styles.iter_mut().rfind(|style| style.display == Display::Table) {
            table.doubt("columns of a table");
        }
    }

    /// Takes back what the element that opens here may lie over.
    fn cover(&mut self, cover: Cover) {
        match cover {
            Cover::All => self.is_covered = true,
            // When it ends.
            Cover::After => {}
            Cover::Container => self.cover_container(),
            Cover::Before(lines) => self.take_back(self.flow.lines_before(lines)),
        }
    }

    /// Leaves doubt about the box that the next element is placed against; the page, if there is none.
    fn cover_container(&mut self) {
        match self.styles.iter().rposition(|style| style.positioned) {
            Some(place) => {
                self.styles[place..].iter_mut().for_each(|style| style.doubt("something over it"));
                let start = self.starts.get(place).copied().unwrap_or(0);
                self.take_back(start);
            }
            None => self.is_covered = true,
        }
    }

    fn take_back(&mut self, start: usize) {
        let covered = self.flow.take_back(start);
        self.doubtful.add("something over it", &covered, &mut self.findings);
        self.links.iter_mut().for_each(|link| link.target = None);
    }

    fn finish(mut self) -> Rendered {
        if let Some(start) = self.below {
            self.take_back(start);
        }
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
            "table" => {
                self.tables
                    .push(Table { is_data: self.data_tables.contains(&node.id()), row_has_cells: false });
            }
            "tr" => self.open_row(),
            "td" | "th" => self.open_cell(),
            _ => {}
        }
    }

    fn close_element(&mut self, node: NodeId, name: &str) {
        if let Some(after) = self.styles.last_mut().and_then(|style| style.after.take()) {
            self.text(&after);
        }
        match name {
            "blockquote" => self.flow.quotes = self.flow.quotes.saturating_sub(1),
            "ul" | "ol" | "menu" | "dir" => self.flow.close_list(),
            "li" => self.flow.end_marked(Gap::Line),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.flow.end_marked(Gap::Blank),
            "a" | "area" => self.close_link(),
            "table" => drop(self.tables.pop()),
            "td" | "th" => self.flow.on_one_line = false,
            _ => {}
        }
        if self.styles.len() > 1
            && let Some(style) = self.styles.pop()
        {
            self.starts.pop();
            if style.covers == Some(Cover::After) {
                self.below = self.below.or(Some(self.flow.position()));
            }
            self.flow.want(gap_around(name, style.display));
        }
        self.rooms.leave(node);
    }

    fn line_break(&mut self) {
        if self.flow.line_break() {
            self.rooms.push_down(LINE);
        }
    }

    /// An image shows nothing that can be read; one that is all there is of a link stands for it.
    fn image(&mut self, element: &Element) {
        let is_tiny = |name| {
            element.attr(name).and_then(|size: &str| size.trim().parse::<f32>().ok()).is_some_and(|s| s < 4.0)
        };
        if self.flow.has_waiting_bracket()
            && !is_tiny("width")
            && !is_tiny("height")
            && verdict(self.style()) == Verdict::Shown
        {
            self.flow.text("image", WhiteSpace::Normal);
        }
    }

    fn open_link(&mut self, href: Option<&str>) {
        let target = href.and_then(links::target);
        if target.is_some() {
            self.flow.open_bracket();
        }
        self.links.push(Link { target, start: self.flow.position() });
    }

    fn close_link(&mut self) {
        let Some(Link { target: Some(target), start }) = self.links.pop() else { return };
        if self.flow.has_waiting_bracket() {
            return self.flow.drop_bracket();
        }
        self.findings.flags.extend(suspicion::of_host(&target.host));
        let written = self.flow.since(start);
        let Some(at) = written.find('[') else { return };
        let words = &written[at + 1..];
        let shown_host = links::shown_host(words);
        let is_same =
            shown_host.as_deref().is_none_or(|host| host.is_empty() || links::same_owner(host, &target.host));
        let repeats = words.trim() == target.shown
            || target.shown.strip_prefix("mailto:") == Some(words.trim())
            || shown_host.as_ref().is_some_and(|host| {
                is_same && words.trim().len() >= target.host.len() && *host == target.host
            });
        let length = target.shown.len() + 4;
        if !is_same && !target.host.is_empty() {
            self.findings.flag(Flag::HtmlLinkExfil);
            return self.flow.append(&format!("]({} ⚠ other host than shown)", target.shown));
        }
        match repeats || !self.flow.may_mark(length) {
            true => self.flow.unbracket(start + at),
            false => self.flow.append(&format!("]({})", target.shown)),
        }
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
