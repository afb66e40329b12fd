//! Elements, attributes and values that may stand in HTML of ours. A value is one of a few words, a short number, a colour
//! or a link: none of them can hold a text. Left out with care: what is drawn elsewhere than it is written (`thead`,
//! `caption`, `bdo`), what is shown only after a click (`details`), what adds marks of its own (`q`), and images.

use std::borrow::Cow;

use super::{href, style};

pub(super) const TAGS: [&str; 58] = [
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "b",
    "big",
    "blockquote",
    "br",
    "center",
    "cite",
    "code",
    "dd",
    "del",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "font",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "ins",
    "kbd",
    "li",
    "main",
    "mark",
    "ol",
    "p",
    "pre",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
];

/// Elements that go with all that is in them.
pub(super) const WITH_CONTENT: [&str; 14] = [
    "script", "style", "title", "noscript", "iframe", "object", "textarea", "template", "noembed",
    "noframes", "audio", "video", "canvas", "datalist",
];

pub(super) const ATTRIBUTES: [&str; 16] = [
    "align",
    "bgcolor",
    "border",
    "cellpadding",
    "cellspacing",
    "color",
    "colspan",
    "dir",
    "face",
    "href",
    "role",
    "rowspan",
    "size",
    "style",
    "valign",
    "width",
];

/// The value that an attribute leaves with, if it may.
pub(super) fn value<'v>(element: &str, name: &str, value: &'v str) -> Option<Cow<'v, str>> {
    let is_cell = matches!(element, "td" | "th");
    let one_of = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
    let stays = match (element, name) {
        ("a", "href") => return href::safe(value),
        ("a", _) if name != "style" => false,
        (_, "style") => return style::safe(value),
        (_, "dir") if one_of(&["rtl"]) => return Some(Cow::Borrowed("auto")),
        (_, "dir") => one_of(&["ltr", "auto"]),
        (_, "align") => one_of(&["left", "right", "center", "justify"]),
        (_, "valign") => one_of(&["top", "middle", "bottom", "baseline"]),
        (_, "bgcolor") => style::is_colour(value),
        ("font", "color") => style::is_colour(value),
        ("font", "face") => style::is_family(value),
        ("font", "size") => is_number(value, 2, 6),
        ("table" | "td" | "th" | "hr", "width") => is_width(value),
        ("table", "border") => is_number(value, 0, 20),
        ("table", "cellpadding" | "cellspacing") => is_number(value, 0, 50),
        ("table", "role") => one_of(&["presentation", "none"]),
        (_, "colspan" | "rowspan") if is_cell => is_number(value, 1, 50),
        _ => false,
    };
    stays.then_some(Cow::Borrowed(value))
}

/// The same without colours.
pub(super) fn colourless<'v>(element: &str, name: &str, given: &'v str) -> Option<Cow<'v, str>> {
    match name {
        "bgcolor" | "color" => None,
        "style" => style::colourless(given),
        _ => value(element, name, given),
    }
}

/// A number without any ornament, so that it can be written in one way only.
pub(super) fn is_number(text: &str, least: u32, most: u32) -> bool {
    text.parse::<u32>().is_ok_and(|number| (least..=most).contains(&number) && number.to_string() == text)
}

fn is_width(text: &str) -> bool {
    match text.strip_suffix('%') {
        Some(share) => is_number(share, 1, 100),
        None => is_number(text.strip_suffix("px").unwrap_or(text), 1, 1_200),
    }
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn a_value_is_one_of_a_few_or_goes() {
        for (element, name, given) in [
            ("td", "align", "secret"),
            ("td", "width", "99999"),
            ("td", "width", "007"),
            ("td", "width", "+7"),
            ("table", "border", "21"),
            ("table", "role", "the secret"),
            ("div", "bgcolor", "attackatdawn"),
            ("font", "size", "-7"),
            ("font", "size", "1"),
            ("font", "face", "Wingdings"),
            ("p", "dir", "secret"),
            ("p", "href", "https://x.example"),
            ("p", "title", "secret"),
            ("p", "width", "5"),
            ("a", "align", "left"),
        ] {
            assert_eq!(value(element, name, given), None, "{element} {name}={given}");
        }
        assert_eq!(value("p", "dir", "RTL").as_deref(), Some("auto"));
        assert_eq!(value("td", "width", "50%").as_deref(), Some("50%"));
    }
}
