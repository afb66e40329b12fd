//! How wide and high an image is, as far as its first bytes tell.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// So much of a drawing is looked at for its outermost element.
const MOST_READ: usize = 64 << 10;
/// Nobody draws larger ones; what is not a size is none.
const LARGEST: f64 = 1_000_000.0;

/// Width and height in pixels.
pub(super) fn image_size(content_type: &str, bytes: &[u8]) -> Option<(usize, usize)> {
    if content_type.starts_with("image/svg") {
        return drawing_size(&bytes[..bytes.len().min(MOST_READ)]);
    }
    imagesize::blob_size(bytes).ok().map(|size| (size.width, size.height))
}

/// What the outermost element of an SVG says: its width and height, else those of what it shows.
fn drawing_size(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut reader = Reader::from_reader(bytes);
    let mut buffer = Vec::new();
    loop {
        match reader.read_event_into(&mut buffer).ok()? {
            Event::Start(element) | Event::Empty(element) => {
                let is_drawing = element.local_name().as_ref().eq_ignore_ascii_case("svg");
                return is_drawing.then(|| size_of(&element)).flatten();
            }
            Event::Eof => return None,
            _ => buffer.clear(),
        }
    }
}

fn size_of(element: &BytesStart<'_>) -> Option<(usize, usize)> {
    let attribute = |name: &str| {
        let found = element.try_get_attribute(name).ok().flatten()?;
        Some(found.value.into_owned())
    };
    let given = |name: &str| attribute(name).and_then(|text| pixels(&text));
    let shown = || {
        let view = attribute("viewBox")?;
        let mut numbers = view.split([' ', ',', '\n', '\t']).filter(|word| !word.is_empty()).skip(2);
        Some((pixels(numbers.next()?)?, pixels(numbers.next()?)?))
    };
    given("width").zip(given("height")).or_else(shown)
}

/// A length in pixels; other units mean something else on every screen.
fn pixels(text: &str) -> Option<usize> {
    let number: f64 = text.trim().trim_end_matches("px").trim_end().parse().ok()?;
    (number > 0.0 && number <= LARGEST).then(|| number.round() as usize)
}

#[cfg(test)]
mod tests {
    use super::image_size;

    #[test]
    fn drawings_tell_their_size_in_both_ways() {
        for (text, size) in [
            ("<svg width=\"120\" height=\"80px\"/>", Some((120, 80))),
            (
                "<?xml version='1.0'?><!-- x --><svg:svg xmlns:svg='s' viewBox='0 0 24,16.4'><g/></svg:svg>",
                Some((24, 16)),
            ),
            ("<svg width='100%' height='100%' viewBox='0 0 300 150'/>", Some((300, 150))),
            ("<svg width='10em' height='2em'/>", None),
            ("<svg width='-3' height='nan'/>", None),
            ("<svg width='9e99' height='1'/>", None),
            ("<html><svg width='1' height='1'/></html>", None),
            ("<svg width='1", None),
            ("", None),
        ] {
            assert_eq!(image_size("image/svg+xml", text.as_bytes()), size, "{text}");
        }
    }
}
