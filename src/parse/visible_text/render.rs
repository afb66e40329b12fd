//! Walks a tree in reading order, keeps the style of every open element, and tells the flow what can be read.

use std::collections::HashSet;

use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{Html, Node};

use crate::model::{Findings, Flag, Reason};
use crate::text_safety;

use super::super::suspicion;
use super::computed::{Display, Style, Styler, WhiteSpace, text_reason};
use super::flow::{Flow, Gap};
use super::links::{self, Target};
use super::never_shown;
use super::tables::data_tables;

/// The visible text of a document, and what was left out of it; `None` when there is too much to work out.
pub(super) fn render(html: &Html, styler: &Styler) -> Option<(String, Findings)> {
    let mut renderer = Renderer {
        styler,
        flow: Flow::new(),
        findings: Findings::default(),
        styles: vec![Style::paper()],
        data_tables: data_tables(html),
        shadow_hosts: never_shown::shadow_hosts(html),
        tables: Vec::new(),
        links: Vec::new(),
        rooms: Vec::new(),
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
    Some((renderer.flow.finish(), renderer.findings))
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

/// A box that cuts off what has no room in it.
struct Room {
    node: NodeId,
    first_line: usize,
    lines: usize,
    characters: usize,
    /// Pixels of empty space inside so far.
    empty: f32,
}

/// Empty space of this height takes the place of a line.
const LINE: f32 = 20.0;

struct Renderer<'s> {
    styler: &'s Styler,
    flow: Flow,
    findings: Findings,
    styles: Vec<Style>,
    data_tables: HashSet<NodeId>,
    shadow_hosts: HashSet<NodeId>,
    tables: Vec<Table>,
    links: Vec<Link>,
    rooms: Vec<Room>,
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
        if let Some(reason) = text_reason(self.style()) {
            // What cannot be read still keeps words apart.
            if text.contains(char::is_whitespace) {
                self.flow.want(Gap::Space);
            }
            return self.drop_text(reason, text);
        }
        let (text, removed) = text_safety::visible(text);
        super::note_removed(removed, &mut self.findings);
        let fits = self.that_fits(&text);
        let (shown, cut) = text.split_at(fits);
        self.flow.text(shown, self.style().white_space);
        self.drop_text(Reason::Clipped, cut);
    }

    /// How many bytes of a text have room in the boxes around it.
    fn that_fits(&mut self, text: &str) -> usize {
        let line = self.flow.lines();
        let mut left = usize::MAX;
        for room in &self.rooms {
            let used = line - room.first_line + (room.empty / LINE) as usize;
            left = left.min(if used >= room.lines { 0 } else { room.characters });
        }
        if left == usize::MAX {
            return text.len();
        }
        let fits = text.char_indices().nth(left).map_or(text.len(), |(at, _)| at);
        let shown = text[..fits].chars().filter(|c| !c.is_whitespace()).count();
        self.rooms.iter_mut().for_each(|room| room.characters = room.characters.saturating_sub(shown));
        fits
    }

    fn open_element(&mut self, node: NodeRef<'_, Node>, element: &Element) {
        if never_shown::is_never_shown(element.name()) || self.shadow_hosts.contains(&node.id()) {
            self.hidden_until = Some((node.id(), Reason::NotRendered));
            return;
        }
        let style = self.styler.style(node, element, self.style());
        if let Some(reason) = style.hidden {
            self.hidden_until = Some((node.id(), reason));
            return;
        }
        if style.reversed {
            self.findings.flag(Flag::BidiControls);
        }
        self.rooms.iter_mut().for_each(|room| room.empty += style.space_above.max(0.0));
        if let Some((lines, characters)) = style.room {
            let first_line = self.flow.lines();
            self.rooms.push(Room { node: node.id(), first_line, lines, characters, empty: 0.0 });
        }
        self.flow.want(gap_around(element.name(), style.display));
        self.styles.push(style);
        self.begin(node, element);
    }

    fn begin(&mut self, node: NodeRef<'_, Node>, element: &Element) {
        match element.name() {
            "br" => self.flow.line_break(),
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
            self.flow.want(gap_around(name, style.display));
        }
        self.rooms.retain(|room| room.node != node);
    }

    /// An image shows nothing that can be read; one that is all there is of a link stands for it.
    fn image(&mut self, element: &Element) {
        let is_tiny = |name| {
            element.attr(name).and_then(|size: &str| size.trim().parse::<f32>().ok()).is_some_and(|s| s < 4.0)
        };
        if self.flow.has_waiting_bracket()
            && !is_tiny("width")
            && !is_tiny("height")
            && text_reason(self.style()).is_none()
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
        if !is_same && !target.host.is_empty() {
            self.findings.flag(Flag::HtmlLinkExfil);
            return self.flow.append(&format!("]({} ⚠ other host than shown)", target.shown));
        }
        match repeats {
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
