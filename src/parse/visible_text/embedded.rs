//! Text in frames, drawings and fields, in the plainest form only: without any style of their own, and short enough to be
//! seen at once.

use ego_tree::NodeRef;
use scraper::Node;
use scraper::node::Element;

use super::computed::Styler;
use super::computed::attributes::whole;

/// A frame of the usual size shows so many letters, and words that are no longer than this.
const MOST: usize = 100;
const LONGEST: usize = 25;
/// Letters that a field shows, unless it says another number.
const FIELD: usize = 20;
/// Pixels that a letter of a drawing is wide.
const LETTER: f32 = 10.0;

/// What a frame, a drawing or a field shows; `None` for everything that is not plain.
pub(super) fn plain_text(node: NodeRef<'_, Node>, element: &Element, styler: &Styler) -> Option<String> {
    match element.name() {
        "iframe" if styler.leaves_alone(node) => frame(element),
        "svg" if styler.has_plain_letters() && styler.leaves_alone(node) => drawing(node, element),
        "input" if styler.leaves_alone(node) => field(element),
        _ => None,
    }
}

/// What stands in a field, if it is no longer than the field.
fn field(element: &Element) -> Option<String> {
    let is_text = element.attr("type").is_none_or(|kind| kind.eq_ignore_ascii_case("text"));
    let size = element.attr("size").map_or(Some(FIELD), |size| whole(size).map(|size| size as usize))?;
    let value =
        element.attr("value").filter(|_| is_text && has_only(element, &["name", "size", "type", "value"]))?;
    (letters(value)? <= size).then(|| value.to_owned())
}

fn has_only(element: &Element, names: &[&str]) -> bool {
    element.attrs().all(|(name, _)| names.contains(&name))
}

fn frame(element: &Element) -> Option<String> {
    let source = element.attr("srcdoc").filter(|_| has_only(element, &["srcdoc"]))?;
    let inner = source.strip_prefix("<p>").unwrap_or(source);
    let text = inner.strip_suffix("</p>").unwrap_or(inner);
    let is_short = letters(text)? <= MOST && text.split(' ').all(|word| letters(word) <= Some(LONGEST));
    (is_short && !text.contains(['<', '&'])).then(|| text.to_owned())
}

/// How many letters of usual width a text is as wide as; `None` where that cannot be said.
fn letters(text: &str) -> Option<usize> {
    let width = |letter: u8| match letter {
        b'm' | b'w' | b'A'..=b'Z' | b'@' | b'%' | b'&' => Some(2),
        b' '..=b'~' => Some(1),
        _ => None,
    };
    text.bytes().map(width).sum()
}

/// The words of a drawing that holds nothing but words, each with enough room from where it begins.
fn drawing(node: NodeRef<'_, Node>, element: &Element) -> Option<String> {
    let number = |element: &Element, name: &str| {
        element
            .attr(name)
            .map_or(Some(0.0), |value| value.trim().parse::<f32>().ok().filter(|number| number.is_finite()))
    };
    let (width, height) = (number(element, "width")?, number(element, "height")?);
    if !has_only(element, &["width", "height", "xmlns"]) || width < 50.0 || height < 16.0 {
        return None;
    }
    let mut words = String::new();
    for child in node.children() {
        match child.value() {
            Node::Text(text) if text.trim().is_empty() => {}
            Node::Element(text)
                if words.is_empty() && text.name() == "text" && has_only(text, &["x", "y"]) =>
            {
                let (x, y) = (number(text, "x")?, number(text, "y")?);
                let own: String = child
                    .children()
                    .map(|inner| inner.value().as_text().map(|text| text.to_string()))
                    .collect::<Option<String>>()?;
                let end = x + LETTER * letters(&own)? as f32;
                if x < 0.0 || y < 12.0 || y > height || end > width {
                    return None;
                }
                words.push_str(&own);
                words.push(' ');
            }
            Node::Element(page) if page.name() == "foreignObject" && has_only(page, &["width", "height"]) => {
                let (across, down) = (number(page, "width")?, number(page, "height")?);
                let own = one_line(child)?;
                let end = LETTER * letters(&own)? as f32;
                // A paragraph begins a line below the edge.
                if end > across || across > width || down.min(height) < 40.0 || !words.is_empty() {
                    return None;
                }
                words.push_str(&own);
            }
            _ => return None,
        }
    }
    (!words.trim().is_empty()).then_some(words)
}

/// The text of a page in a drawing, if it is one line of text or one plain paragraph.
fn one_line(page: NodeRef<'_, Node>) -> Option<String> {
    let mut inner = page.children();
    let only = inner.next().filter(|_| inner.next().is_none())?;
    let text = match only.value() {
        Node::Element(block) if matches!(block.name(), "p" | "div") && block.attrs().next().is_none() => {
            let mut texts = only.children();
            texts.next().filter(|_| texts.next().is_none())?
        }
        _ => only,
    };
    text.value().as_text().map(|text| text.to_string()).filter(|text| !text.contains('\n'))
}
