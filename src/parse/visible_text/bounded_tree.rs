//! HTML to a tree, within bounds. The HTML algorithm is quadratic in three places: depth of nesting,
//! attributes of one tag, and formatting elements reopened in each paragraph. The parser cannot be stopped
//! from inside, so it is fed in small pieces, and feeding ends when a piece shows one of the three.

use html5ever::driver::{self, ParseOpts, Parser};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use scraper::{Html, HtmlTreeSink};

/// HTML of more bytes is not read; pictures written into it may make it large.
const MAX_INPUT: usize = 16 << 20;
/// Deeper than any mail program nests its quotes, shallow enough for scans of the open elements.
const MAX_DEPTH: usize = 512;
/// About 60 MB of tree.
const MAX_NODES: usize = 400_000;
/// Bytes given to the parser between two looks at the tree.
const PIECE: usize = 512;
/// A piece that makes more nodes than this reopens formatting elements over and over.
const MAX_NODES_PER_PIECE: usize = 4 * PIECE;
/// Comparisons of attribute names. A picture of 1 MB written into its tag stays below: one character of 64 in
/// it is a slash, which could end an attribute.
const MAX_COMPARISONS: usize = 300_000_000;

/// The tree of `html`; `None` when it is past the bounds. Half a tree would be worth nothing: what hides its first
/// half may stand in the second.
pub(super) fn parse(html: &str) -> Option<Html> {
    let mut rest = Some(html).filter(|html| html.len() <= MAX_INPUT)?;
    let mut parser = new_parser();
    let mut watch = Watch::default();
    while !rest.is_empty() {
        let piece = &rest[..rest.ceil_char_boundary(PIECE)];
        rest = &rest[piece.len()..];
        parser.process(StrTendril::from_slice(piece));
        if watch.sees_trouble(&parser.tokenizer.sink.sink, piece) {
            return None;
        }
    }
    Some(parser.finish())
}

fn new_parser() -> Parser<HtmlTreeSink> {
    let options = ParseOpts {
        // Without scripts `<noscript>` is shown, so its content must be parsed as elements.
        tree_builder: TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() },
        ..ParseOpts::default()
    };
    driver::parse_document(HtmlTreeSink::new(Html::new_document()), options)
}

/// What has been seen so far of the tree under construction.
#[derive(Default)]
struct Watch {
    nodes: usize,
    /// Length of the newest node, if it is text.
    text: usize,
    /// Separators since the tree last grew: no tag has more attributes than this.
    attributes: usize,
    comparisons: usize,
}

impl Watch {
    fn sees_trouble(&mut self, sink: &HtmlTreeSink, piece: &str) -> bool {
        let html = sink.0.borrow();
        let added = html.tree.nodes().len() - self.nodes;
        let text = newest_text(&html);
        self.count_comparisons(piece);
        if added > 0 || text != self.text {
            self.attributes = separators(piece);
        }
        self.nodes += added;
        self.text = text;
        self.comparisons > MAX_COMPARISONS
            || self.nodes > MAX_NODES
            || added > MAX_NODES_PER_PIECE
            || newest_are_too_deep(&html, added)
    }

    /// Each attribute is compared with all before it in its tag.
    fn count_comparisons(&mut self, piece: &str) {
        let separators = separators(piece);
        self.attributes += separators;
        self.comparisons += separators * self.attributes;
    }
}

fn newest_text(html: &Html) -> usize {
    let newest = html.tree.nodes().next_back();
    newest.and_then(|node| node.value().as_text()).map_or(0, |text| text.len())
}

/// Looks at all new nodes, because the last of them may stand high up while deep elements are still open.
fn newest_are_too_deep(html: &Html, added: usize) -> bool {
    let mut newest = html.tree.nodes().rev().take(added);
    newest.any(|node| node.ancestors().nth(MAX_DEPTH).is_some())
}

fn separators(piece: &str) -> usize {
    piece.bytes().map(|byte| usize::from(is_separator(byte))).sum()
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'/' | b'"' | b'\'')
}
