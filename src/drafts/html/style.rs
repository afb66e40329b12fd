//! Styles that change how text looks, and neither hide nor move it. Every value is read: what is not understood goes, so
//! that no style can hold a text, load something or spell one thing as another.

use std::borrow::Cow;

use super::allowed::is_number;

/// The declarations that may leave, if there are any.
pub(super) fn safe(style: &str) -> Option<Cow<'_, str>> {
    kept(style, is_safe)
}

/// Those of them that give no colour to letters or paper.
pub(super) fn colourless(style: &str) -> Option<Cow<'_, str>> {
    let paints = |name: &str| ["color", "background", "background-color"].contains(&name);
    let name =
        |declaration: &str| declaration.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
    kept(style, |declaration| is_safe(declaration) && !paints(&name(declaration)))
}

fn kept(style: &str, stays: impl Fn(&str) -> bool) -> Option<Cow<'_, str>> {
    let declarations = || style.split(';').map(str::trim).filter(|it| !it.is_empty());
    let kept: Vec<&str> = declarations().filter(|it| stays(it)).collect();
    if kept.is_empty() {
        return None;
    }
    let is_whole = kept.len() == declarations().count();
    Some(if is_whole { Cow::Borrowed(style) } else { Cow::Owned(kept.join(";")) })
}

fn is_safe(declaration: &str) -> bool {
    let Some((name, value)) = declaration.split_once(':') else { return false };
    let value = value.trim().to_ascii_lowercase();
    let name = name.trim().to_ascii_lowercase();
    let one_of = |words: &[&str]| words.contains(&value.as_str());
    match name.as_str() {
        "color" | "background" | "background-color" => is_colour(&value),
        "font-family" => is_family(&value),
        "font-size" => is_font_size(&value),
        "font-style" => one_of(&["normal", "italic"]),
        "font-weight" => one_of(&["normal", "bold", "300", "400", "500", "600", "700", "800"]),
        "line-height" => one_of(&["normal"]) || is_line_height(&value),
        "text-align" => one_of(&["left", "right", "center", "justify", "start", "end"]),
        "text-decoration" => one_of(&["none", "underline"]),
        "vertical-align" => one_of(&["baseline", "top", "middle", "bottom"]),
        "border-collapse" => one_of(&["collapse", "separate"]),
        "width" | "max-width" => one_of(&["auto"]) || is_width(&value),
        _ => is_box(&name, &value),
    }
}

/// What stands around a text.
fn is_box(name: &str, value: &str) -> bool {
    let side = ["-top", "-right", "-bottom", "-left"].iter().find_map(|side| name.strip_suffix(side));
    let words: Vec<&str> = value.split_whitespace().collect();
    let all = |is: &dyn Fn(&str) -> bool| (1..=4).contains(&words.len()) && words.iter().all(|word| is(word));
    match side.unwrap_or(name) {
        "padding" | "border-radius" | "border-spacing" | "border-width" => all(&is_distance),
        "margin" => all(&|word| word == "auto" || is_distance(word)),
        "border" => all(&|word| is_line(word) || is_distance(word) || is_colour(word)),
        "border-color" => all(&is_colour),
        "border-style" => all(&is_line),
        _ => false,
    }
}

fn is_line(word: &str) -> bool {
    ["none", "solid", "dashed", "dotted", "double"].contains(&word)
}

/// A length in pixels as most programs have it, if it is written plainly.
fn pixels(text: &str) -> Option<f32> {
    const UNITS: [(&str, f32); 5] =
        [("px", 1.0), ("pt", 4.0 / 3.0), ("rem", 16.0), ("em", 16.0), ("%", 0.16)];
    let (number, factor) =
        UNITS.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)))?;
    Some(plain_number(number)? * factor)
}

/// At most three digits and two behind a point, so that a number can hold little else.
fn plain_number(text: &str) -> Option<f32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_short =
        |digits: &str, most| digits.len() <= most && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain =
        is_short(whole, 4) && is_short(part, 2) && !part.is_empty() && !(whole.is_empty() && part == "0");
    if is_plain { format!("0{text}").parse().ok() } else { None }
}

fn within(text: &str, least: f32, most: f32) -> bool {
    pixels(text).is_some_and(|length| (least..=most).contains(&length))
}

/// Room beside a text, not so much that it pushes the text out of sight.
fn is_distance(text: &str) -> bool {
    text == "0" || within(text, 0.0, 100.0)
}

fn is_width(text: &str) -> bool {
    match text.strip_suffix('%') {
        Some(share) => is_number(share, 10, 100),
        None => within(text, 40.0, 1_200.0),
    }
}

fn is_font_size(text: &str) -> bool {
    ["small", "medium", "large", "x-large", "xx-large"].contains(&text) || within(text, 9.0, 60.0)
}

fn is_line_height(text: &str) -> bool {
    plain_number(text).is_some_and(|lines| (1.0..=3.0).contains(&lines)) || within(text, 12.0, 80.0)
}

/// Families of letters, and none of signs: a text in such a one says something else than it reads.
const FAMILIES: [&str; 36] = [
    "-apple-system",
    "aptos",
    "arial",
    "blinkmacsystemfont",
    "calibri",
    "cambria",
    "candara",
    "consolas",
    "courier",
    "courier new",
    "cursive",
    "garamond",
    "geneva",
    "georgia",
    "helvetica",
    "helvetica neue",
    "inter",
    "lato",
    "lucida grande",
    "lucida sans",
    "menlo",
    "monaco",
    "monospace",
    "noto sans",
    "open sans",
    "palatino",
    "roboto",
    "sans-serif",
    "segoe ui",
    "serif",
    "source sans pro",
    "system-ui",
    "tahoma",
    "times",
    "times new roman",
    "verdana",
];

pub(super) fn is_family(value: &str) -> bool {
    let known = |family: &str| {
        let bare = family.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        FAMILIES.contains(&bare.as_str()) || bare == "trebuchet ms"
    };
    value.len() <= 200 && value.split(',').all(known)
}

const COLOURS: [&str; 36] = [
    "aqua",
    "black",
    "blue",
    "brown",
    "crimson",
    "darkblue",
    "darkgray",
    "darkgreen",
    "darkgrey",
    "darkred",
    "dimgray",
    "dimgrey",
    "fuchsia",
    "gold",
    "gray",
    "green",
    "grey",
    "indigo",
    "lightblue",
    "lightgray",
    "lightgreen",
    "lightgrey",
    "lime",
    "maroon",
    "navy",
    "olive",
    "orange",
    "pink",
    "purple",
    "red",
    "silver",
    "steelblue",
    "teal",
    "white",
    "whitesmoke",
    "yellow",
];

pub(super) fn is_colour(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    if let Some(digits) = value.strip_prefix('#') {
        return matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let channels = value.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')'));
    match channels.map(|channels| channels.split(',').map(str::trim).collect::<Vec<_>>()) {
        Some(channels) => channels.len() == 3 && channels.iter().all(|channel| is_number(channel, 0, 255)),
        None => COLOURS.contains(&value.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn ordinary_styles_stay_as_they_are() {
        for style in [
            "color:#333;padding:4px",
            "font-family: Arial, 'Helvetica Neue', sans-serif; font-size: 14px; line-height: 1.5",
            "border: 1px solid #ddd; border-radius: 8px; margin: 0 auto; max-width: 600px",
            "background-color: rgb(76, 175, 80); color: white; text-align: center; padding: 20px 0",
            "padding-left:1.5em;border-bottom:1px solid gray;font-weight:600",
        ] {
            assert_eq!(safe(style).as_deref(), Some(style));
        }
    }

    const REFUSED: [&str; 57] = [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "font-size:0",
        "font-size:1px",
        "font-size:0.1em",
        "position:absolute",
        "left:-9999px",
        "margin:-9999px",
        "margin-left:5000px",
        "padding:101px",
        "text-indent:-99em",
        "float:right",
        "order:-1",
        "direction:rtl",
        "unicode-bidi:bidi-override",
        "text-transform:uppercase",
        "text-decoration:line-through",
        "letter-spacing:9em",
        "line-height:0",
        "line-height:0.1",
        "height:0",
        "width:0",
        "width:1px",
        "max-height:0",
        "overflow:hidden",
        "clip-path:circle(0)",
        "transform:scale(0)",
        "z-index:9",
        "content:'secret'",
        "--secret:attack",
        "quotes:'a' 'b'",
        "font-family:secret",
        "font-family:Wingdings",
        "color:secret",
        "color:transparent",
        "color:rgba(0,0,0,0)",
        "color:#12345678",
        "background:url(https://x.example)",
        "background:u\\72l(x)",
        "color:red/**/",
        "color:/*secret*/red",
        "color:red !important",
        "color:var(--x)",
        "width:calc(1px)",
        "font:0 a",
        "white-space:nowrap",
        "color",
        ":",
        "padding:1e9px",
        "padding:.px",
        "padding:1.234px",
        "animation:x",
        "filter:blur(9px)",
        "column-count:9",
        "mix-blend-mode:screen",
        "writing-mode:vertical-rl",
    ];

    #[test]
    fn what_hides_moves_loads_or_holds_a_text_goes() {
        for style in REFUSED {
            assert_eq!(safe(style), None, "{style}");
        }
        assert_eq!(safe("color:red;position:fixed").as_deref(), Some("color:red"));
        assert_eq!(safe("font-family:'a;color:red;x'").as_deref(), Some("color:red"));
    }
}
