//! Elements whose content no mail program shows as text, whatever their style.

use scraper::Html;
use scraper::node::Element;

/// Whether nothing in an element of this name is ever shown.
fn is_never_shown(name: &str) -> bool {
    is_permission(name)
        || matches!(
            name,
            "head"
                | "script"
                | "style"
                | "template"
                | "title"
                | "iframe"
                | "frame"
                | "frameset"
                | "applet"
                | "audio"
                | "video"
                | "datalist"
                | "noembed"
                | "noframes"
                | "select"
                | "svg"
                | "rp"
                | "meter"
                | "progress"
                | "mphantom"
                | "maction"
                | "annotation"
                | "annotation-xml"
                | "portal"
                | "fencedframe"
                | "xml"
        )
}

/// Whether what an element holds is never shown, or something else is in its place.
pub(super) fn is_never_read(element: &Element) -> bool {
    is_never_shown(element.name()) || is_replaced(element)
}

/// Elements in whose place a browser draws a button of its own, which asks for something.
pub(super) fn is_permission(name: &str) -> bool {
    matches!(name, "camera" | "geolocation" | "install" | "login" | "microphone" | "permission" | "usermedia")
}

/// Whether nothing in an element of this name can be painted, so that it lies over nothing either.
pub(super) fn is_never_painted(name: &str) -> bool {
    let may_be = [
        "applet",
        "portal",
        "fencedframe",
        "xml",
        "mphantom",
        "maction",
        "annotation",
        "annotation-xml",
        "object",
    ];
    is_never_shown(name) && !may_be.contains(&name)
}

/// Whether an element stands for something else, which is shown instead of what it holds.
fn is_replaced(element: &Element) -> bool {
    let has = |name: &&str| element.attr(name).is_some();
    match element.name() {
        "object" => ["data", "type", "classid"].iter().any(has),
        "option" => element.attr("label").is_some(),
        _ => false,
    }
}

/// Whether anything in a document is shown in the place of what an element holds, from a tree of its own: neither what stands
/// there nor what rules then mean is worked out.
pub(super) fn has_shadows(html: &Html) -> bool {
    let is_shadow = |element: &Element| element.name() == "template" && element.attrs().next().is_some();
    html.tree.nodes().any(|node| node.value().as_element().is_some_and(is_shadow))
}
