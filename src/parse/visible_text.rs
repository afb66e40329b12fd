//! Renders what a person would see of a body part. (Placeholder until the renderer is in.)

/// The visible text of an HTML body.
#[must_use]
pub fn from_html(html: &str) -> String {
    html.to_owned()
}

/// The visible text of a plain body.
#[must_use]
pub fn from_plain(text: &str) -> String {
    text.to_owned()
}
