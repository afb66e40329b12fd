//! Which elements a person does not see: by their kind, the `hidden` attribute, or their inline style.

use scraper::node::Element;

/// Whether the element and all it holds stay unread.
pub(super) fn is_hidden(element: &Element) -> bool {
    is_never_shown(element.name()) || element.attrs().any(|(name, value)| hides(name, value))
}

fn is_never_shown(name: &str) -> bool {
    matches!(
        name,
        "head"
            | "script"
            | "style"
            | "template"
            | "title"
            | "iframe"
            | "object"
            | "audio"
            | "video"
            | "canvas"
            | "datalist"
            | "noembed"
            | "noframes"
            | "select"
    )
}

fn hides(name: &str, value: &str) -> bool {
    name == "hidden" || (name == "style" && style_hides(value))
}

fn style_hides(style: &str) -> bool {
    style.split(';').filter_map(|declaration| declaration.split_once(':')).any(|(property, value)| {
        let value = value.split('!').next().unwrap_or_default().trim();
        match property.trim() {
            name if name.eq_ignore_ascii_case("display") => value.eq_ignore_ascii_case("none"),
            name if name.eq_ignore_ascii_case("visibility") => {
                value.eq_ignore_ascii_case("hidden") || value.eq_ignore_ascii_case("collapse")
            }
            _ => false,
        }
    })
}
