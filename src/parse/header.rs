//! A header block: where it ends, which fields it has. Reads at most [`MAX_HEADER`] bytes of it and refuses
//! to interpret: values are raw bytes, still folded and encoded.

/// How much of a header block is read; the rest is skipped.
pub(super) const MAX_HEADER: usize = 1 << 20;

/// One field as it stands in the block.
#[derive(Debug, Clone, Copy)]
struct Field<'a> {
    name: &'a [u8],
    value: &'a [u8],
}

/// The fields of a message or of a part.
#[derive(Debug, Default)]
pub(super) struct Header<'a> {
    fields: Vec<Field<'a>>,
    /// Where the body starts, counted from the start of the slice that was read.
    pub body_start: usize,
    /// Whether the block was longer than we read.
    pub too_long: bool,
    /// Whether it ends in a line that is no field, without a separator: other programs read on behind that line.
    pub is_broken: bool,
}

/// Whether a header belongs to a message, which may start with junk lines, or to a part, which may have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Message,
    Part,
}

/// What a line is to the block it stands in.
enum Line {
    /// A new field; the colon stands here.
    Field(usize),
    /// More of the field before.
    Continuation,
    /// The line that separates header and body.
    Separator,
    /// The body has begun without a separator.
    Body,
}

impl<'a> Header<'a> {
    /// Reads the block at the start of `bytes`. `ends` tells lines that end it early, such as a boundary.
    pub(super) fn read(bytes: &'a [u8], owner: Owner, ends: impl Fn(&[u8]) -> bool) -> Self {
        let mut header = Self::default();
        let mut at = if owner == Owner::Message { skip_junk(bytes) } else { 0 };
        let mut value_start = at;
        while at < bytes.len() {
            let line_end = end_of_line(bytes, at);
            let line = &bytes[at..line_end];
            let has_begun = !header.fields.is_empty() || colon_of_field(line).is_some();
            if line_end > MAX_HEADER && has_begun && !is_blank(line) {
                at = header.stop_reading(bytes, at, line_end);
                break;
            }
            if line.starts_with(b"--") && ends(line) {
                break;
            }
            match classify(line, &bytes[line_end..], owner, header.fields.last()) {
                Line::Field(colon) => {
                    value_start = at + colon + 1;
                    header.push(&line[..colon], &line[colon + 1..]);
                }
                Line::Continuation => header.extend_last(&bytes[value_start..line_end]),
                Line::Separator => {
                    at = line_end;
                    break;
                }
                Line::Body => {
                    header.is_broken = true;
                    break;
                }
            }
            at = line_end;
        }
        header.body_start = at;
        header
    }

    /// Takes what fits of the line that crosses the limit; returns where the body starts.
    fn stop_reading(&mut self, bytes: &'a [u8], at: usize, line_end: usize) -> usize {
        self.too_long = true;
        let line = &bytes[at..line_end.min(at.max(MAX_HEADER))];
        if let Some(colon) = colon_of_field(line) {
            self.push(&line[..colon], &line[colon + 1..]);
        }
        skip_to_body(bytes, line_end)
    }

    fn push(&mut self, name: &'a [u8], value: &'a [u8]) {
        let name = name.trim_ascii_end();
        self.fields.push(Field { name, value });
    }

    fn extend_last(&mut self, value: &'a [u8]) {
        if let Some(last) = self.fields.last_mut() {
            last.value = value;
        }
    }

    /// Whether no field could be made out.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The values of every field of this name, top down.
    pub(super) fn all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'a [u8]> + 'h {
        self.fields
            .iter()
            .filter(move |field| field.name.eq_ignore_ascii_case(name.as_bytes()))
            .map(|field| field.value)
    }

    /// The value of the first field of this name that says anything.
    pub(super) fn first(&self, name: &str) -> Option<&'a [u8]> {
        self.all(name).find(|value| !value.trim_ascii().is_empty())
    }
}

/// What editors and exports put at the start of a text to say that it is UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Skips byte order marks, blank lines and `From ` lines that an export left before the first field.
fn skip_junk(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < bytes.len() && at < MAX_HEADER {
        if bytes[at..].starts_with(BYTE_ORDER_MARK) {
            at += BYTE_ORDER_MARK.len();
            continue;
        }
        let end = end_of_line(bytes, at);
        let line = &bytes[at..end];
        let envelope = (line.starts_with(b"From ") || line.starts_with(b">From ")) && end < bytes.len();
        if !line.trim_ascii().is_empty() && !envelope {
            break;
        }
        at = end;
    }
    let indented = &bytes[at..end_of_line(bytes, at)];
    match colon_of_field(indented.trim_ascii_start()) {
        Some(_) => at + indented.len() - indented.trim_ascii_start().len(),
        None => at,
    }
}

fn classify(line: &[u8], next: &[u8], owner: Owner, last: Option<&Field<'_>>) -> Line {
    if is_blank(line) {
        return Line::Separator;
    }
    if let Some(colon) = colon_of_field(line) {
        return Line::Field(colon);
    }
    let Some(last) = last else {
        return Line::Body;
    };
    let following = &next[..end_of_line(next, 0)];
    let head_goes_on = colon_of_field(following).is_some();
    match (line.trim_ascii().is_empty(), starts_with_blank(line)) {
        // Mailers fold before trailing blanks, which leaves a line of nothing inside the header.
        (true, _) if head_goes_on || starts_with_blank(following) => Line::Continuation,
        (true, _) => Line::Separator,
        (false, true) => Line::Continuation,
        // A long value broken without indentation. Parts more often lack the separator.
        (false, false) if head_goes_on => Line::Continuation,
        (false, false) if is_blank(following) && !following.is_empty() => match owner {
            Owner::Part if !matches!(last.value.trim_ascii_end().last(), Some(b';' | b',' | b'=')) => {
                Line::Body
            }
            _ => Line::Continuation,
        },
        (false, false) => Line::Body,
    }
}

fn starts_with_blank(line: &[u8]) -> bool {
    matches!(line.first(), Some(b' ' | b'\t'))
}

fn is_blank(line: &[u8]) -> bool {
    matches!(line, b"" | b"\n" | b"\r\n" | b"\r\r\n" | b"\r")
}

/// Where the colon behind a field's name stands; names are visible ASCII, blanks may follow them.
fn colon_of_field(line: &[u8]) -> Option<usize> {
    let name_length = line.iter().take_while(|byte| byte.is_ascii_graphic() && **byte != b':').count();
    let rest = &line[name_length..];
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    (name_length > 0 && rest.get(blanks) == Some(&b':')).then_some(name_length + blanks)
}

/// The offset behind the line feed that ends the line at `at`.
pub(super) fn end_of_line(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |offset| at + offset + 1)
}

/// The offset behind the next blank line.
fn skip_to_body(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        let end = end_of_line(bytes, at);
        if is_blank(&bytes[at..end]) {
            return end;
        }
        at = end;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{Header, MAX_HEADER, Owner};

    fn read(text: &str) -> Header<'_> {
        Header::read(text.as_bytes(), Owner::Message, |_| false)
    }

    fn value<'a>(header: &Header<'a>, name: &str) -> &'a str {
        std::str::from_utf8(header.first(name).unwrap_or(b"-")).unwrap()
    }

    #[test]
    fn fields_are_found_by_name_in_any_case() {
        let header = read("From x Mon Jan  5 10:00:00 2009\n>From y\nSUBJECT : a\r\n\tb\r\nx:\n\nbody");
        assert_eq!(value(&header, "Subject"), " a\r\n\tb\r\n");
        assert_eq!(value(&header, "x"), "-");
    }

    #[test]
    fn a_value_broken_without_indentation_stays_together() {
        let header = read("Subject: a\nvery long one\nTo: b\n \n c\n\nbody");
        assert_eq!(value(&header, "subject"), " a\nvery long one\n");
        assert_eq!(value(&header, "to"), " b\n \n c\n");
    }

    #[test]
    fn a_body_without_separator_is_not_lost() {
        let text = "Subject: a\nHello there\nsecond line\n";
        assert_eq!(&text[read(text).body_start..], "Hello there\nsecond line\n");
        assert_eq!(read("just text").body_start, 0);
        assert_eq!(read(&"x".repeat(MAX_HEADER * 2)).body_start, 0);
    }

    #[test]
    fn a_mark_or_blanks_before_the_first_field_hide_nothing() {
        for junk in
            ["\u{feff}", " \t \r\n", "\u{feff}\n  \n", "\n\u{feff}From x Mon Jan  5 10:00:00 2009\n\u{feff}"]
        {
            let text = format!("{junk}Subject: a\n\nbody");
            assert_eq!(value(&read(&text), "subject"), " a\n", "{junk:?}");
        }
        assert_eq!(&"\u{feff}  \nno header"[read("\u{feff}  \nno header").body_start..], "no header");
    }

    #[test]
    fn a_part_may_have_no_header() {
        let header = Header::read(b"\nA: b\n", Owner::Part, |_| false);
        assert!(header.is_empty());
        assert_eq!(header.body_start, 1);
    }

    #[test]
    fn an_endless_header_is_read_to_the_limit_only() {
        let text = format!("{}\nbody", "X: y\n".repeat(MAX_HEADER / 2));
        let header = read(&text);
        assert!(header.too_long);
        assert_eq!(&text[header.body_start..], "body");
    }
}
