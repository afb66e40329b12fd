//! Text nodes of XML, laid out by dialect. Entities a document defines itself are never expanded, so none can
//! grow. Malformed XML is read up to its first defect.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, Event};

use super::text::Text;

/// Whose element names decide the layout.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Every element stands on its own line.
    Generic,
    /// Word and PowerPoint: text only within `t`.
    Office,
    /// OpenDocument: text anywhere in the body.
    OpenDocument,
}

/// Adds the text of a document.
pub(super) fn read(xml: &str, dialect: Dialect, out: &mut Text) {
    let mut reader = Reader::from_str(xml);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut shown = dialect != Dialect::Office;
    while let Ok(event) = reader.read_event() {
        if matches!(event, Event::Eof) || out.is_full() {
            break;
        }
        add(&event, dialect, &mut shown, out);
    }
}

fn add(event: &Event<'_>, dialect: Dialect, shown: &mut bool, out: &mut Text) {
    match event {
        Event::Start(tag) => *shown = dialect != Dialect::Office || tag.local_name().as_ref() == "t",
        Event::Empty(tag) => out.push(gap_of_empty(dialect, tag.local_name().as_ref())),
        Event::End(tag) => {
            *shown = dialect != Dialect::Office;
            out.push(gap_after(dialect, tag.local_name().as_ref()));
        }
        Event::Text(text) if *shown => add_text(text, dialect, out),
        Event::CData(text) if *shown => add_text(text, dialect, out),
        Event::GeneralRef(reference) if *shown => add_reference(reference, out),
        _ => {}
    }
}

/// Blanks between elements only indent generic XML; between words they count.
fn add_text(text: &str, dialect: Dialect, out: &mut Text) {
    if dialect != Dialect::Generic || !text.trim().is_empty() {
        out.push(text);
    } else if !out.is_at_line_start() {
        out.push(" ");
    }
}

fn add_reference(reference: &BytesRef<'_>, out: &mut Text) {
    if let Ok(Some(c)) = reference.resolve_char_ref() {
        out.push(c.encode_utf8(&mut [0; 4]));
    } else {
        out.push(quick_xml::escape::resolve_predefined_entity(reference).unwrap_or_default());
    }
}

fn gap_of_empty(dialect: Dialect, name: &str) -> &'static str {
    match (dialect, name) {
        (Dialect::Office | Dialect::OpenDocument, "tab") => "\t",
        (Dialect::OpenDocument, "s") => " ",
        (Dialect::Office, "br" | "cr" | "p") | (Dialect::OpenDocument, "line-break" | "p") => "\n",
        _ => "",
    }
}

fn gap_after(dialect: Dialect, name: &str) -> &'static str {
    match (dialect, name) {
        (Dialect::Generic, _) | (Dialect::Office, "p" | "tr") | (Dialect::OpenDocument, "p" | "h") => "\n",
        _ => gap_of_empty(dialect, name),
    }
}
