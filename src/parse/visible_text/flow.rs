//! Lays out words: collapses white space, and puts breaks, quotes, marks of lists and headings before the next visible
//! character.

use super::computed::WhiteSpace;
use super::prefix;

/// Text past this many bytes is cut off.
const MAX_OUTPUT: usize = 2 << 20;
/// Quotes and lists nested deeper are shown at this depth.
const MAX_INDENT: usize = 8;

/// What stands between the last visible character and the next, the widest wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    None,
    Space,
    Line,
    Blank,
}

/// Marks that text of any length may have; beyond, there are at most as many bytes of marks as of words.
const FREE_MARKS: usize = 400;

/// A list around the next character: the number of its next item, or none.
type List = Option<usize>;

/// Text under construction.
pub(super) struct Flow {
    out: String,
    gap: Gap,
    /// What begins the next line: `- `, `3. `, `## `.
    mark: String,
    /// Bytes of words, and of everything else but blanks.
    words: usize,
    marks: usize,
    quotes_of_last_line: usize,
    lists: Vec<List>,
    brackets: usize,
    /// Blockquotes around the next character.
    pub(super) quotes: usize,
    /// Breaks become spaces, as in a cell of a data table.
    pub(super) on_one_line: bool,
}

impl Flow {
    pub(super) fn new() -> Self {
        Self {
            out: String::new(),
            gap: Gap::None,
            mark: String::new(),
            words: 0,
            marks: 0,
            quotes_of_last_line: 0,
            lists: Vec::new(),
            brackets: 0,
            quotes: 0,
            on_one_line: false,
        }
    }

    /// The text, without blanks at its end.
    pub(super) fn finish(mut self) -> String {
        self.out.truncate(prefix(&self.out, MAX_OUTPUT).trim_end().len());
        self.out
    }

    /// Whether the next text begins a line.
    pub(super) fn begins_line(&self) -> bool {
        self.gap >= Gap::Line
    }

    pub(super) fn is_full(&self) -> bool {
        self.out.len() >= MAX_OUTPUT
    }

    /// Whether there may be a mark of this length: what is around the words must not outgrow them.
    pub(super) fn may_mark(&mut self, length: usize) -> bool {
        let may = self.marks + length <= self.words + FREE_MARKS;
        self.marks += if may { length } else { 0 };
        may
    }

    /// Asks for at least this gap before the next visible character.
    pub(super) fn want(&mut self, gap: Gap) {
        let gap = if self.on_one_line { gap.min(Gap::Space) } else { gap };
        if self.mark.is_empty() || gap <= Gap::Line {
            self.gap = self.gap.max(gap);
        }
    }

    /// A `<br>`: the second in a row makes a blank line. Says whether the line that it ends is empty.
    pub(super) fn line_break(&mut self) -> bool {
        let is_empty = self.gap >= Gap::Line;
        self.want(if is_empty { Gap::Blank } else { Gap::Line });
        is_empty
    }

    pub(super) fn open_list(&mut self, first: List) {
        self.lists.push(first);
    }

    pub(super) fn close_list(&mut self) {
        self.lists.pop();
    }

    /// Begins a list item, marked once it has something to show.
    pub(super) fn begin_item(&mut self) {
        self.want(Gap::Line);
        let depth = self.lists.len().saturating_sub(1).min(MAX_INDENT);
        let sign = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number = number.saturating_add(1);
                format!("{}.", *number - 1)
            }
            _ => "-".to_owned(),
        };
        self.set_mark(format!("{}{sign} ", "  ".repeat(depth)));
    }

    /// Begins a heading, marked once it has something to show.
    pub(super) fn begin_heading(&mut self, level: usize) {
        self.want(Gap::Blank);
        self.set_mark(format!("{} ", "#".repeat(level)));
    }

    fn set_mark(&mut self, mark: String) {
        if !self.on_one_line && (self.gap >= Gap::Line || self.out.is_empty()) {
            self.mark = mark;
        }
    }

    /// Ends what was marked, if it had nothing to show.
    pub(super) fn end_marked(&mut self, gap: Gap) {
        self.mark.clear();
        self.want(gap);
    }

    /// A line across the page.
    pub(super) fn rule(&mut self) {
        if !self.out.is_empty() && !self.on_one_line && !self.out.ends_with("---") {
            self.want(Gap::Blank);
            self.open_gap();
            self.out.push_str("---");
        }
        self.want(Gap::Blank);
    }

    /// Separates a cell of a data table from the one before it.
    pub(super) fn next_cell(&mut self) {
        if self.gap >= Gap::Line {
            self.open_gap();
        }
        if !self.may_mark(2) {
            return self.want(Gap::Space);
        }
        self.gap = Gap::None;
        self.out.push_str(if self.out.ends_with(' ') { "| " } else { " | " });
    }

    /// Opens a bracket before the next visible character.
    pub(super) fn open_bracket(&mut self) {
        self.brackets += 1;
    }

    /// Whether a bracket is waiting for something to stand before.
    pub(super) fn has_waiting_bracket(&self) -> bool {
        self.brackets > 0
    }

    /// Takes back a bracket that nothing stood behind.
    pub(super) fn drop_bracket(&mut self) {
        self.brackets = self.brackets.saturating_sub(1);
    }

    /// Where the next byte will stand.
    pub(super) fn position(&self) -> usize {
        self.out.len()
    }

    /// What was laid out since a position, which must be one that was asked for.
    pub(super) fn since(&self, position: usize) -> &str {
        self.out.get(position..).unwrap_or_default()
    }

    /// Takes out the bracket before some text.
    pub(super) fn unbracket(&mut self, position: usize) {
        if self.out.as_bytes().get(position) == Some(&b'[') {
            self.out.remove(position);
        }
    }

    /// Where the last lines of words before a position begin: what else makes a line need not be as high as one.
    pub(super) fn lines_before(&self, position: usize, lines: usize) -> usize {
        let before = &self.out[..position.min(self.out.len())];
        let has_words = |line: &str| line.chars().any(char::is_alphanumeric);
        let (mut end, mut seen) = (before.len(), 0);
        for (at, _) in before.rmatch_indices('\n') {
            seen += usize::from(has_words(&before[at..end]));
            if seen >= lines.max(1) {
                return at + 1;
            }
            end = at;
        }
        0
    }

    /// Takes back everything since a position; returns it.
    pub(super) fn take_back(&mut self, start: usize) -> String {
        self.brackets = 0;
        self.out.split_off(self.out.floor_char_boundary(start))
    }

    /// Adds something right behind the last visible character.
    pub(super) fn append(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Adds text of the document. `text` holds no invisible characters.
    pub(super) fn text(&mut self, mut text: &str, white_space: WhiteSpace) {
        while let Some(next) = text.chars().next() {
            let word = text.bytes().position(|byte| !byte.is_ascii_graphic()).unwrap_or(text.len());
            if word > 0 {
                self.visible(&text[..word]);
                text = &text[word..];
            } else {
                self.other(next, white_space);
                text = &text[next.len_utf8()..];
            }
        }
    }

    fn other(&mut self, c: char, white_space: WhiteSpace) {
        match c {
            '\n' if matches!(white_space, WhiteSpace::Pre | WhiteSpace::PreWrap | WhiteSpace::PreLine) => {
                self.line_break();
            }
            ' ' | '\t' | '\u{a0}' if matches!(white_space, WhiteSpace::Pre | WhiteSpace::PreWrap) => {
                self.visible(" ")
            }
            c if c.is_whitespace() => self.want(Gap::Space),
            c if c.is_control() => {}
            c => self.visible(c.encode_utf8(&mut [0; 4])),
        }
    }

    fn visible(&mut self, word: &str) {
        self.open_gap();
        let brackets = std::mem::take(&mut self.brackets);
        // Behind an exclamation mark a link would be an image.
        if brackets > 0 && self.out.ends_with('!') {
            self.out.push(' ');
        }
        self.out.extend(std::iter::repeat_n('[', brackets));
        self.out.push_str(word);
        self.words += word.len();
    }

    fn open_gap(&mut self) {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        if self.out.is_empty() || gap >= Gap::Line {
            self.end_line(gap);
            self.begin_line();
        } else if gap == Gap::Space && !self.out.ends_with([' ', '[']) {
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
        let quotes = self.quotes.min(MAX_INDENT);
        self.quotes_of_last_line = if self.may_mark(2 * quotes) { quotes } else { quotes.min(1) };
        self.out.push_str(&"> ".repeat(self.quotes_of_last_line));
        let mark = std::mem::take(&mut self.mark);
        if self.may_mark(mark.len()) {
            self.out.push_str(&mark);
        }
    }
}
