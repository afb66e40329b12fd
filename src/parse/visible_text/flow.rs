//! Lays out words: collapses white space, puts breaks, quotes and list marks before the next visible
//! character, and lets no invisible character through.

use super::prefix;

/// Text past this many bytes is cut off.
const MAX_OUTPUT: usize = 2 << 20;
/// Quotes and lists nested deeper are shown at this depth.
const MAX_INDENT: usize = 8;

/// What stands between the last visible character and the next, the widest wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    None,
    Space,
    Line,
    Blank,
}

/// Text under construction.
pub(super) struct Flow {
    out: String,
    gap: Gap,
    joiner: Option<char>,
    item_mark: bool,
    quotes_of_last_line: usize,
    /// Blockquotes around the next character.
    pub(super) quotes: usize,
    /// Lists around the next character.
    pub(super) lists: usize,
    /// `<pre>` elements around the next character.
    pub(super) preformatted: usize,
    /// Breaks become spaces, as in a cell of a data table.
    pub(super) on_one_line: bool,
}

impl Flow {
    pub(super) fn new() -> Self {
        Self {
            out: String::new(),
            gap: Gap::None,
            joiner: None,
            item_mark: false,
            quotes_of_last_line: 0,
            quotes: 0,
            lists: 0,
            preformatted: 0,
            on_one_line: false,
        }
    }

    /// The text, without blanks at its end.
    pub(super) fn finish(mut self) -> String {
        self.out.truncate(prefix(&self.out, MAX_OUTPUT).trim_end().len());
        self.out
    }

    pub(super) fn is_full(&self) -> bool {
        self.out.len() >= MAX_OUTPUT
    }

    /// Asks for at least this gap before the next visible character.
    pub(super) fn want(&mut self, gap: Gap) {
        let gap = if self.on_one_line { gap.min(Gap::Space) } else { gap };
        if !self.item_mark || gap <= Gap::Line {
            self.gap = self.gap.max(gap);
        }
    }

    /// A `<br>`: the second in a row makes a blank line.
    pub(super) fn line_break(&mut self) {
        self.want(if self.gap >= Gap::Line { Gap::Blank } else { Gap::Line });
    }

    /// Begins a list item, marked once it has something to show.
    pub(super) fn begin_item(&mut self) {
        self.want(Gap::Line);
        self.item_mark = !self.on_one_line;
    }

    pub(super) fn end_item(&mut self) {
        self.item_mark = false;
        self.want(Gap::Line);
    }

    /// Separates a cell of a data table from the one before it.
    pub(super) fn next_cell(&mut self) {
        if self.gap >= Gap::Line {
            self.open_gap();
        }
        self.gap = Gap::None;
        self.out.push_str(if self.out.ends_with(' ') { "| " } else { " | " });
    }

    /// Adds text of the document.
    pub(super) fn text(&mut self, mut text: &str) {
        while let Some(next) = text.chars().next() {
            let word = text.bytes().position(|byte| !byte.is_ascii_graphic()).unwrap_or(text.len());
            if word > 0 {
                self.visible(&text[..word]);
                text = &text[word..];
            } else {
                self.other(next);
                text = &text[next.len_utf8()..];
            }
        }
    }

    fn other(&mut self, c: char) {
        match c {
            '\n' if self.preformatted > 0 => self.line_break(),
            ' ' | '\t' | '\u{a0}' if self.preformatted > 0 => self.visible(" "),
            '\u{200c}' | '\u{200d}' => self.joiner = (self.gap == Gap::None).then_some(c),
            c if c.is_whitespace() => self.want(Gap::Space),
            c if is_invisible(c) => {}
            c => self.visible(c.encode_utf8(&mut [0; 4])),
        }
    }

    fn visible(&mut self, word: &str) {
        self.open_gap();
        // Joiners shape letters and emoji; anywhere else they are filler.
        self.out.extend(self.joiner.take());
        self.out.push_str(word);
    }

    fn open_gap(&mut self) {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        if self.out.is_empty() || gap >= Gap::Line {
            self.joiner = None;
            self.end_line(gap);
            self.begin_line();
        } else if gap == Gap::Space && !self.out.ends_with(' ') {
            self.joiner = None;
            self.out.push(' ');
        }
    }

    fn end_line(&mut self, gap: Gap) {
        if self.out.is_empty() {
            return;
        }
        self.out.truncate(self.out.trim_end_matches(' ').len());
        if gap == Gap::Blank {
            let shared = self.quotes.min(MAX_INDENT).min(self.quotes_of_last_line);
            self.out.push('\n');
            self.out.push_str("> ".repeat(shared).trim_end());
        }
        self.out.push('\n');
    }

    fn begin_line(&mut self) {
        self.quotes_of_last_line = self.quotes.min(MAX_INDENT);
        self.out.push_str(&"> ".repeat(self.quotes_of_last_line));
        if std::mem::take(&mut self.item_mark) {
            self.out.push_str(&"  ".repeat(self.lists.saturating_sub(1).min(MAX_INDENT)));
            self.out.push_str("- ");
        }
    }
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}
