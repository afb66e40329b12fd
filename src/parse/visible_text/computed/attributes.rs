//! What an element is before any rule: how browsers display it, and what attributes of old HTML say.

use scraper::node::Element;

use super::super::css::color::{self, BLACK, Colored, LINK};
use super::super::css::length::Length;
use super::frame::{Display, Frame};
use super::{Style, WhiteSpace};

/// How a browser displays an element that nothing was said about.
pub(super) fn usual_display(element: &Element) -> Display {
    let is_open = || element.attr("open").is_some();
    match element.name() {
        "td" | "th" => Display::Cell,
        "table" | "tbody" | "thead" | "tfoot" | "tr" | "caption" | "colgroup" | "col" => Display::TablePart,
        "button" | "input" | "textarea" | "select" | "img" | "marquee" | "meter" | "progress" => {
            Display::InlineBlock
        }
        "dialog" if !is_open() => Display::None,
        "rp" | "datalist" | "area" | "param" | "source" | "track" | "base" | "link" | "meta" => Display::None,
        name if is_block(name) => Display::Block,
        _ => Display::Inline,
    }
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "frameset"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "listing"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "optgroup"
            | "option"
            | "p"
            | "plaintext"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "ul"
            | "xmp"
    )
}

/// Lets the element's own kind and its attributes act on the style; rules come after and win.
pub(super) fn apply(element: &Element, style: &mut Style, frame: &mut Frame) {
    let is_link = element.name() == "a";
    match element.name() {
        "pre" | "textarea" | "listing" | "xmp" | "plaintext" => style.white_space = WhiteSpace::Pre,
        "small" | "sub" | "sup" => style.font_size /= 1.2,
        "big" => style.font_size *= 1.2,
        "mark" => {
            style.color = BLACK;
            frame.paint.color = color::color(&super::Tok::Ident("yellow".to_owned()));
        }
        "table" => style.text_indent = Length::default(),
        _ => {}
    }
    for (name, value) in element.attrs() {
        match name {
            "hidden" | "popover" => style.display = Display::None,
            "bgcolor" => {
                if let Some(color) = color::legacy(value) {
                    frame.paint.color = Colored::Is(color);
                }
            }
            "text" if element.name() == "body" => set_color(style, value),
            "color" if element.name() == "font" => set_color(style, value),
            "size" if element.name() == "font" => {
                style.font_size = font_size(value).unwrap_or(style.font_size)
            }
            "nowrap" => style.white_space = WhiteSpace::NoWrap,
            "dir" if element.name() == "bdo" => style.reversed |= value.eq_ignore_ascii_case("rtl"),
            "href" if is_link => style.color = LINK,
            _ => {}
        }
    }
}

fn set_color(style: &mut Style, value: &str) {
    if let Some(color) = color::legacy(value) {
        style.color = color;
        style.color_unknown = false;
    }
}

/// `<font size>`: 1 to 7, or relative to 3.
fn font_size(value: &str) -> Option<f32> {
    let value = value.trim();
    let digits = value.trim_start_matches(['+', '-']);
    let number: i32 = digits.parse().ok()?;
    let step = match value.as_bytes().first()? {
        b'+' => 3 + number,
        b'-' => 3 - number,
        _ => number,
    };
    let sizes = [10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0];
    Some(sizes[usize::try_from(step.clamp(1, 7) - 1).unwrap_or(0)])
}
