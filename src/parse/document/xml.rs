//! XML, element by element, without a tree: nesting costs nothing. Entities a document defines itself are never expanded,
//! so none can grow. Malformed XML is read up to its first defect.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::text::Text;

/// Who is told what stands in a document.
pub(super) trait Listener {
    /// An element begins.
    fn open(&mut self, tag: &Tag<'_>);
    /// An element ends.
    fn close(&mut self, name: &str);
    /// Text in the element that began last.
    fn text(&mut self, text: &str);
    /// Whether it has seen enough.
    fn is_done(&self) -> bool {
        false
    }
}

/// The start of an element.
pub(super) struct Tag<'a>(&'a BytesStart<'a>);

impl Tag<'_> {
    /// Its name without a prefix.
    pub(super) fn name(&self) -> Cow<'_, str> {
        Cow::Owned(self.0.local_name().as_ref().to_owned())
    }

    /// Prefixes that it declares, and the names that they stand for.
    pub(super) fn prefixes(&self) -> Vec<(String, String)> {
        let mut attributes = self.0.attributes();
        let declared = attributes.with_checks(false).flatten();
        let prefixed = declared.filter_map(|name| {
            let prefix = name.key.as_ref().strip_prefix("xmlns")?;
            let prefix = prefix.strip_prefix(':').or(prefix.is_empty().then_some(""))?;
            Some((prefix.to_owned(), name.value.trim().to_owned()))
        });
        prefixed.collect()
    }

    /// What stands before its name.
    pub(super) fn prefix(&self) -> &str {
        self.0.name().into_inner().split_once(':').map_or("", |(prefix, _)| prefix)
    }

    /// An attribute by its name without a prefix.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        self.value(|key| key.rsplit(':').next() == Some(name))
    }

    /// An attribute by its whole name, where two differ in their prefix only.
    pub(super) fn qualified(&self, name: &str) -> Option<String> {
        self.value(|key| key == name)
    }

    fn value(&self, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        let mut attributes = self.0.attributes();
        let mut found = attributes.with_checks(false).flatten();
        let attribute = found.find(|attribute| is_wanted(attribute.key.as_ref()))?;
        let value = quick_xml::escape::unescape(&attribute.value).map(Cow::into_owned);
        Some(value.unwrap_or_else(|_| attribute.value.into_owned()))
    }

    /// The names of its attributes without their prefixes.
    pub(super) fn attribute_names(&self) -> impl Iterator<Item = String> {
        let mut attributes = self.0.attributes();
        attributes.with_checks(false);
        let names = attributes.flatten().map(|attribute| attribute.key.as_ref().to_owned());
        names
            .filter(|name| !name.starts_with("xmlns"))
            .map(|name| name.rsplit(':').next().unwrap_or_default().to_owned())
    }

    /// An attribute that is a number.
    pub(super) fn number(&self, name: &str) -> Option<f32> {
        self.attribute(name)?.trim().parse().ok()
    }

    /// Whether a switch of office formats is on: there, or there and not said to be off.
    pub(super) fn is_on(&self) -> bool {
        self.attribute("val").is_none_or(|value| is_true(&value))
    }

    /// Whether an attribute says yes.
    pub(super) fn says(&self, name: &str) -> bool {
        self.attribute(name).is_some_and(|value| is_true(&value))
    }
}

fn is_true(value: &str) -> bool {
    !matches!(value, "0" | "false" | "off" | "none")
}

/// Tells a listener all of a document.
pub(super) fn walk(xml: &str, listener: &mut impl Listener) {
    let mut reader = Reader::from_str(xml);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    while let Ok(event) = reader.read_event() {
        match &event {
            Event::Eof => break,
            Event::Start(tag) => listener.open(&Tag(tag)),
            Event::Empty(tag) => {
                listener.open(&Tag(tag));
                listener.close(tag.local_name().as_ref());
            }
            Event::End(tag) => listener.close(tag.local_name().as_ref()),
            Event::Text(text) => listener.text(text),
            Event::CData(text) => listener.text(text),
            Event::GeneralRef(reference) => listener.text(&resolved(reference)),
            _ => {}
        }
        if listener.is_done() {
            break;
        }
    }
}

fn resolved(reference: &BytesRef<'_>) -> Cow<'static, str> {
    match reference.resolve_char_ref() {
        Ok(Some(c)) => Cow::Owned(c.to_string()),
        _ => Cow::Borrowed(quick_xml::escape::resolve_predefined_entity(reference).unwrap_or_default()),
    }
}

/// Adds all text of a document, every element on its own line.
pub(super) fn read(xml: &str, out: &mut Text) {
    walk(xml, &mut Plain { out, is_empty: false });
}

struct Plain<'a> {
    out: &'a mut Text,
    /// Whether the element that ends next holds nothing at all.
    is_empty: bool,
}

impl Listener for Plain<'_> {
    fn open(&mut self, _tag: &Tag<'_>) {
        self.is_empty = true;
    }

    fn close(&mut self, _name: &str) {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push("\n");
        }
    }

    /// Blanks between elements only indent; between words they count.
    fn text(&mut self, text: &str) {
        self.is_empty = false;
        if !text.trim().is_empty() {
            self.out.push(text);
        } else if !self.out.is_at_line_start() {
            self.out.push(" ");
        }
    }

    fn is_done(&self) -> bool {
        self.out.is_full()
    }
}
