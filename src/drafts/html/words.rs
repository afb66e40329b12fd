//! All words of HTML that leaves, in the order in which they stand, and all its links. Nothing is judged and nothing left
//! out: what is struck through, raised or lowered is marked, because it means something else then.

use ego_tree::iter::Edge;
use scraper::node::Element;
use scraper::{Html, Node};

use super::link::Link;
use crate::text_safety::plain_line;

/// How a link's target stands in the words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::drafts) enum Targets {
    /// Not at all.
    #[default]
    Left,
    /// As the number that it has in the list: `[1]`.
    Numbered,
    /// As `<https://...>`, for who reads the text only.
    Written,
}

/// What can be read in HTML.
pub(in crate::drafts) struct Words {
    pub(in crate::drafts) text: String,
    pub(in crate::drafts) links: Vec<Link>,
}

impl Words {
    pub(in crate::drafts) fn of(html: &str, targets: Targets) -> Self {
        let document = Html::parse_document(html);
        let mut writer = Writer { targets, ..Writer::default() };
        for edge in document.tree.root().traverse() {
            match edge {
                Edge::Open(node) => match node.value() {
                    Node::Text(text) => writer.text(text),
                    Node::Element(element) => writer.open(element),
                    _ => {}
                },
                Edge::Close(node) => {
                    if let Node::Element(element) = node.value() {
                        writer.close(element.name());
                    }
                }
            }
        }
        writer.finish()
    }
}

/// What stands between two words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Cell,
    Line,
    Blank,
}

#[derive(Default)]
struct Writer {
    targets: Targets,
    out: String,
    gap: Gap,
    preformatted: usize,
    /// How many quotations are open.
    quotes: usize,
    /// Lists that are open: how many items a numbered one had.
    lists: Vec<Option<usize>>,
    /// Targets of links that are open, and where their words begin.
    open_links: Vec<(Option<String>, usize)>,
    links: Vec<Link>,
}

impl Writer {
    fn want(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Writes what is no blank, behind the gap that is due.
    fn put(&mut self, text: &str) {
        let gap = match std::mem::take(&mut self.gap) {
            _ if self.out.is_empty() || self.out.ends_with('\n') => "",
            Gap::None => "",
            Gap::Space => " ",
            Gap::Cell => " | ",
            Gap::Line => "\n",
            Gap::Blank => "\n\n",
        };
        self.out.push_str(gap);
        if self.out.is_empty() || self.out.ends_with('\n') {
            self.out.push_str(&self.margin());
        }
        self.out.push_str(text);
    }

    fn margin(&self) -> String {
        "> ".repeat(self.quotes.min(10))
    }

    fn text(&mut self, text: &str) {
        if self.preformatted > 0 {
            return self.preformatted_text(text);
        }
        if text.starts_with(is_blank) {
            self.want(Gap::Space);
        }
        for (index, word) in text.split(is_blank).filter(|word| !word.is_empty()).enumerate() {
            if index > 0 {
                self.want(Gap::Space);
            }
            self.put(word);
        }
        if text.ends_with(is_blank) {
            self.want(Gap::Space);
        }
    }

    fn preformatted_text(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.put(&text.replace('\n', &format!("\n{}", self.margin())));
        } else {
            self.want(if text.contains('\n') { Gap::Line } else { Gap::Space });
        }
    }

    fn open(&mut self, element: &Element) {
        self.want(gap_around(element.name()));
        match element.name() {
            "br" => self.line_break(),
            "hr" => self.put("----"),
            "s" | "strike" | "del" => self.put("~~"),
            "sup" => self.put("^"),
            "sub" => self.put("_"),
            "pre" => self.preformatted += 1,
            "ul" => self.lists.push(None),
            "ol" => self.lists.push(Some(0)),
            "li" => self.begin_item(),
            "blockquote" => self.quotes += 1,
            "a" => self.open_links.push((element.attr("href").map(str::to_owned), self.out.len())),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "s" | "strike" | "del" => self.out.push_str("~~"),
            "blockquote" => self.quotes = self.quotes.saturating_sub(1),
            "pre" => self.preformatted = self.preformatted.saturating_sub(1),
            "ul" | "ol" => drop(self.lists.pop()),
            "a" => self.close_link(),
            _ => {}
        }
        self.want(gap_around(name));
    }

    fn line_break(&mut self) {
        self.gap = Gap::None;
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn begin_item(&mut self) {
        let depth = self.lists.len().saturating_sub(1);
        let mark = match self.lists.last_mut() {
            Some(Some(count)) => {
                *count += 1;
                format!("{count}. ")
            }
            _ => "- ".to_owned(),
        };
        self.put(&format!("{}{mark}", "  ".repeat(depth.min(10))));
    }

    fn close_link(&mut self) {
        let Some((Some(target), start)) = self.open_links.pop() else { return };
        let words = plain_line(self.out.get(start..).unwrap_or_default());
        let is_said = words == target || target.strip_prefix("mailto:") == Some(words.as_str());
        self.links.push(Link::new(words, target.clone()));
        match self.targets {
            Targets::Numbered => self.out.push_str(&format!(" [{}]", self.links.len())),
            Targets::Written if !is_said => self.out.push_str(&format!(" <{target}>")),
            Targets::Left | Targets::Written => {}
        }
    }

    fn finish(self) -> Words {
        let lines: Vec<&str> = self.out.lines().map(str::trim_end).collect();
        Words { text: lines.join("\n").trim_matches('\n').to_owned(), links: self.links }
    }
}

/// Blanks that HTML draws as one; others are characters.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

fn gap_around(name: &str) -> Gap {
    match name {
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "pre" | "table" => Gap::Blank,
        "td" | "th" => Gap::Cell,
        "address" | "article" | "aside" | "center" | "dd" | "div" | "dl" | "dt" | "figcaption" | "figure"
        | "footer" | "header" | "hr" | "li" | "main" | "ol" | "section" | "tbody" | "tr" | "ul" => Gap::Line,
        _ => Gap::None,
    }
}
