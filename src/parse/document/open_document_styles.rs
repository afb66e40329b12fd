//! Styles of OpenDocument, by family and name, and which of their properties leave text readable.

use std::collections::{HashMap, HashSet};

use crate::model::Reason;

use super::docx_known::is_in;
use super::docx_styles::is_pictures;
use super::sight::{Ink, Letters};
use super::xml::{self, Listener, Tag};

/// Styles that are based on each other, at most.
const DEEPEST: usize = 20;

/// Properties that never hide text, or whose values are looked at.
const UNDERSTOOD: &str = "\
    align allow-overlap anchor-page-number anchor-type auto-grow-height auto-grow-width auto-text-indent \
    automatic-update background-color background-objects-visible background-size background-transparency background-visible backface-visibility \
    blue border-model break-after break-before caption-angle caption-angle-type caption-escape caption-escape-direction \
    caption-fit-line-length caption-gap caption-line-length caption-type cell-protect char-shading-value clip \
    color color-inversion color-lum-mod color-lum-off color-mode column-count column-gap column-width condition contextual-spacing \
    contrast corner-radius country decimal-places decorative default-outline-level diagonal-bl-tr diagonal-bl-tr-widths \
    diagonal-tl-br diagonal-tl-br-widths direction display display-date-time display-footer display-header display-page-number \
    dont-balance-text-columns draw-aspect dynamic-spacing editable end-line-spacing-horizontal end-line-spacing-vertical \
    fade-out-size first-line-indent fit-to-contour fit-to-size fitting-size flow-with-text font-adornments font-charset \
    font-family font-family-generic font-independent-line-height font-independent-line-spacing font-name font-pitch font-relief font-size \
    font-size-rel font-style font-style-name font-variant font-weight fontname-generic gamma \
    glyph-orientation-vertical green guide-distance guide-overhang height horizontal-pos horizontal-rel \
    hyphenate hyphenation-keep hyphenation-keep-type hyphenation-keep-line hyphenation-ladder-count hyphenation-no-caps hyphenation-no-last-word \
    hyphenation-push-char-count hyphenation-remain-char-count hyphenation-word-char-count hyphenation-zone hyphenation-compound-remain-char-count \
    image-opacity join-border justify-single-word keep-together keep-with-next language layout-grid-mode letter-kerning letter-spacing \
    line-break line-distance line-height line-height-at-least line-number line-spacing list-level-position-and-space-mode \
    list-tab-stop-position label-followed-by luminance margin margin-bottom margin-left margin-right margin-top may-break-between-rows \
    max-height max-width measure-align measure-vertical-align min-height min-label-distance min-label-width min-row-height \
    min-width mirror number-lines number-wrapped-paragraphs ole-draw-aspect opacity orphans overflow-behavior padding \
    padding-bottom padding-left padding-right padding-top page-number page-usage paragraph-rsid parallel placing presentation-page-layout-name print-content \
    protect punctuation-wrap red register-true register-truth-ref-style-name rel-column-width rel-height rel-width \
    relative-tab-stop-position repeat-content rfc-language-tag rotation-align rotation-angle row-height rsid run-through script \
    script-type shadow shadow-blur shadow-color shadow-offset-x shadow-offset-y shadow-opacity show-unit shrink-to-fit snap-to-layout-grid space-before \
    start-line-spacing-horizontal start-line-spacing-vertical style-name symbol-color tab-color tab-stop-distance text-align text-align-last \
    text-align-source text-autospace text-blinking text-combine text-combine-end-char text-combine-start-char text-emphasize \
    text-indent text-outline text-position text-rotation-angle text-rotation-scale text-scale text-shadow text-transform \
    textarea-horizontal-align textarea-vertical-align text-underline-type theme-color tile-repeat-offset transition-speed transition-type type unit use-optimal-column-width \
    use-optimal-row-height use-window-font-color vertical-align vertical-pos vertical-rel visible-area-height visible-area-left \
    visible-area-top visible-area-width visibility widows width word-wrap wrap wrap-contour wrap-contour-mode wrap-dynamic-threshold \
    wrap-influence-on-position wrap-option writing-mode writing-mode-automatic x y";

/// Beginnings of names of properties of which the same holds.
const FAMILIES: &str = "\
    border fill marker stroke text-line-through text-overline text-underline margin- padding- caption- start-line end-line";

/// What a style says itself.
#[derive(Debug, Clone, Copy, Default)]
struct Said {
    ink: Option<Ink>,
    ground: Option<Ink>,
    size: Option<Size>,
    hidden: Option<bool>,
    doubt: Option<&'static str>,
    /// Whether a shape is filled, and whether text runs through under it.
    is_filled: Option<bool>,
    lets_through: Option<bool>,
    is_behind: Option<bool>,
    /// How high rows and how wide columns are at any rate, in points, and whether cells break their lines.
    height: Option<f32>,
    width: Option<f32>,
    wraps: Option<bool>,
}

#[derive(Debug, Clone, Copy)]
enum Size {
    Points(f32),
    Share(f32),
}

impl Said {
    fn apply(&self, letters: &mut Letters) {
        letters.ink = self.ink.unwrap_or(letters.ink);
        letters.ground = self.ground.unwrap_or(letters.ground);
        letters.size = match self.size {
            Some(Size::Points(points)) => points,
            Some(Size::Share(share)) => letters.size * share,
            None => letters.size,
        };
        if self.hidden == Some(true) {
            letters.hide(Reason::Display);
        }
        letters.doubt = letters.doubt.or(self.doubt);
    }

    fn hear(&mut self, tag: &Tag<'_>) {
        let value = |name: &str| tag.attribute(name);
        if let Some(color) = value("color") {
            self.ink = Some(Ink::hex(&color));
        }
        if tag.says("use-window-font-color") {
            self.ink = Some(Ink::Automatic);
        }
        if let Some(color) = value("background-color") {
            self.ground = if color == "transparent" { None } else { Some(Ink::hex(&color)) };
        }
        if let Some(size) = value("font-size") {
            self.size = size_of(&size);
        }
        if let Some(display) = value("display") {
            self.hidden = Some(matches!(display.as_str(), "none" | "false" | "condition"));
        }
        if value("visibility").is_some_and(|seen| matches!(seen.as_str(), "hidden" | "collapse" | "filter")) {
            self.hidden = Some(true);
        }
        self.hear_fill(tag);
        if tag.says("use-optimal-row-height") {
            self.height = Some(f32::MAX);
        } else if let Some(height) = value("row-height").and_then(|height| length(&height)) {
            self.height = Some(height);
        }
        self.width = value("column-width").and_then(|width| length(&width)).or(self.width);
        self.wraps = value("wrap-option").map(|wraps| wraps == "wrap").or(self.wraps);
        let unknown = tag.attribute_names().any(|name| !is_understood(&name)).then_some("not understood");
        self.doubt = self.doubt.or_else(|| odd_letters(tag)).or_else(|| odd_block(tag)).or(unknown);
    }

    fn hear_fill(&mut self, tag: &Tag<'_>) {
        let value = |name: &str| tag.attribute(name);
        if let Some(fill) = value("fill") {
            self.is_filled = Some(fill != "none");
            if !matches!(fill.as_str(), "none" | "solid") {
                self.ground = Some(Ink::Unknown);
            }
        }
        if let (Some(color), true) = (value("fill-color"), value("fill").is_none_or(|fill| fill == "solid")) {
            self.ground = Some(Ink::hex(&color));
        }
        let is_graphic = tag.name() == "graphic-properties";
        if is_graphic && percent(value("opacity")).is_some_and(|opacity| opacity < 90.0) {
            self.ground = Some(Ink::Unknown);
        }
        if let Some(wrap) = value("wrap") {
            self.lets_through = Some(wrap == "run-through");
        }
        if let Some(side) = value("run-through") {
            self.is_behind = Some(side == "background");
        }
    }
}

fn is_understood(name: &str) -> bool {
    let name = name.trim_end_matches("-asian").trim_end_matches("-complex");
    is_in(UNDERSTOOD, name) || FAMILIES.split_ascii_whitespace().any(|family| name.starts_with(family))
}

fn percent(value: Option<String>) -> Option<f32> {
    value?.trim().strip_suffix('%')?.parse().ok()
}

/// What properties of letters may do to them besides colour and size.
fn odd_letters(tag: &Tag<'_>) -> Option<&'static str> {
    let value = |name: &str| tag.attribute(name);
    let font = ["font-name", "font-family", "font-name-asian", "font-name-complex"]
        .iter()
        .filter_map(|name| value(name))
        .any(|font| is_pictures(&font));
    let is_tiny = |size: Size| {
        matches!(size, Size::Points(points) if points < 5.0)
            || matches!(size, Size::Share(share) if share < 0.4)
    };
    let other_sizes = ["font-size-asian", "font-size-complex"];
    let is_letters = tag.name() == "text-properties";
    let doubt = match () {
        () if is_beyond(tag, "letter-spacing", -1.5, 40.0) => "spacing of letters",
        () if percent(value("text-scale")).is_some_and(|scale| !(40.0..=600.0).contains(&scale)) => {
            "width of letters"
        }
        () if other_sizes.iter().filter_map(|name| size_of(&value(name)?)).any(is_tiny) => "font-size",
        () if is_beyond(tag, "font-size-rel", -4.0, 200.0) => "font-size",
        () if value("text-position").is_some_and(|position| is_odd_position(&position)) => "position",
        // LibreOffice writes an opacity of nothing beside the automatic colour, which it shows all the same.
        () if is_letters
            && !tag.says("use-window-font-color")
            && percent(value("opacity")).is_some_and(|opacity| opacity < 50.0) =>
        {
            "opacity"
        }
        () if tag.says("text-blinking") || value("font-relief").is_some_and(|kind| kind != "none") => {
            "effects"
        }
        () if tag.says("text-combine") && value("text-combine").is_some_and(|kind| kind != "letters") => {
            "effects"
        }
        () if value("condition").is_some_and(|condition| condition != "none") => "conditions",
        () if font => "fonts",
        () => return None,
    };
    Some(doubt)
}

/// Raised or lowered by, and made smaller to, parts of the size: `super 58%`, `-33% 66%`.
fn is_odd_position(position: &str) -> bool {
    let mut parts = position.split_whitespace();
    let raised = parts.next().unwrap_or_default();
    let is_far = !matches!(raised, "super" | "sub")
        && percent(Some(raised.to_owned())).is_none_or(|raised| raised.abs() > 100.0);
    is_far || percent(parts.next().map(str::to_owned)).is_some_and(|size| size < 40.0)
}

/// What properties of paragraphs, tables and shapes may do to the text in them.
fn odd_block(tag: &Tag<'_>) -> Option<&'static str> {
    let sides = [
        "margin",
        "margin-left",
        "margin-right",
        "text-indent",
        "padding",
        "padding-left",
        "padding-right",
        "space-before",
        "min-label-width",
    ];
    let doubt = match () {
        () if is_beyond(tag, "line-height", 4.0, 1e4) => "line-height",
        () if percent(tag.attribute("line-height")).is_some_and(|line| line < 60.0) => "line-height",
        () if is_beyond(tag, "line-spacing", -2.0, 1e4) => "line-height",
        () if sides.iter().any(|name| is_beyond(tag, name, -60.0, 400.0)) => "indent",
        () if is_beyond(tag, "x", -100.0, 800.0) || is_beyond(tag, "y", -100.0, 1_200.0) => "position",
        () if is_beyond(tag, "row-height", 3.0, 1e5) || is_beyond(tag, "column-width", 9.0, 1e5) => "size",
        () if tag.says("shrink-to-fit") => "font-size",
        () if tag.attribute("cell-protect").is_some_and(|kind| kind.contains("hidden-and")) => "conditions",
        () => return None,
    };
    Some(doubt)
}

/// Whether a length is given, and none that is usual.
fn is_beyond(tag: &Tag<'_>, name: &str, low: f32, high: f32) -> bool {
    tag.attribute(name).and_then(|value| length(&value)).is_some_and(|points| !(low..=high).contains(&points))
}

fn size_of(value: &str) -> Option<Size> {
    match value.strip_suffix('%') {
        Some(share) => share.parse::<f32>().ok().map(|share| Size::Share(share / 100.0)),
        None => length(value).map(Size::Points),
    }
}

/// A length in points.
pub(super) fn length(value: &str) -> Option<f32> {
    let value = value.trim();
    let digits = value.find(|c: char| c.is_ascii_alphabetic() || c == '%')?;
    let number: f32 = value[..digits].parse().ok()?;
    Some(
        number
            * match &value[digits..] {
                "pt" => 1.0,
                "cm" => 28.35,
                "mm" => 2.835,
                "in" => 72.0,
                "pc" => 12.0,
                "px" => 0.75,
                _ => return None,
            },
    )
}

/// All styles of a document, by family and name.
#[derive(Default)]
pub(super) struct Styles {
    styles: HashMap<(String, String), (Option<String>, Said)>,
    open: Option<((String, String), Option<String>, Said)>,
    /// Formats of values that show nothing, or in a colour that cannot be read, and the one that is being read.
    blank: HashSet<String>,
    format: Option<(String, bool)>,
    /// Styles and the formats of values that they name.
    formats: Vec<((String, String), String)>,
    /// Layers of a drawing that are not shown.
    pub(super) layers: Vec<String>,
    pub(super) brings_fonts: bool,
    /// How wide and how high the largest page is, in points.
    pub(super) page: (f32, f32),
}

impl Styles {
    /// Reads the styles of some parts.
    pub(super) fn read<'p>(parts: impl IntoIterator<Item = &'p str>) -> Self {
        let mut styles = Self { page: (595.0, 842.0), ..Self::default() };
        parts.into_iter().for_each(|part| xml::walk(part, &mut styles));
        for (style, format) in std::mem::take(&mut styles.formats) {
            if let (true, Some((_, said))) = (styles.blank.contains(&format), styles.styles.get_mut(&style)) {
                said.hidden = Some(true);
            }
        }
        styles
    }

    fn chain(&self, family: &str, name: &str) -> Vec<Said> {
        let mut chain = Vec::new();
        let mut next = Some(name.to_owned());
        while let Some(name) = next.take()
            && chain.len() < DEEPEST
            && let Some((parent, said)) = self.styles.get(&(family.to_owned(), name))
        {
            chain.push(*said);
            next.clone_from(parent);
        }
        chain
    }

    /// What the style does to letters.
    pub(super) fn apply(&self, family: &str, name: &str, letters: &mut Letters) {
        let chain = self.chain(family, name);
        chain.iter().rev().for_each(|said| said.apply(letters));
        if chain.len() == DEEPEST {
            letters.doubt("styles");
        }
    }

    /// How high rows of a style are at any rate, how wide columns are, and whether cells break their lines.
    pub(super) fn measures(&self, family: &str, name: &str) -> (Option<f32>, Option<f32>, bool) {
        let chain = self.chain(family, name);
        let height = chain.iter().find_map(|said| said.height).filter(|height| *height < f32::MAX);
        let wraps = chain.iter().find_map(|said| said.wraps);
        (height, chain.iter().find_map(|said| said.width), wraps.unwrap_or(false))
    }

    /// Whether a shape of this style hides what lies under it, and whether it lies over the text of a page.
    pub(super) fn covers(&self, name: Option<&str>, usually: bool) -> (bool, bool) {
        let chain: Vec<Said> = ["graphic", "presentation"]
            .iter()
            .flat_map(|family| self.chain(family, name.unwrap_or(DEFAULT)))
            .collect();
        let first = |said: fn(&Said) -> Option<bool>| chain.iter().find_map(said);
        let is_before = first(|said| said.lets_through).unwrap_or(false)
            && !first(|said| said.is_behind).unwrap_or(false);
        (first(|said| said.is_filled).unwrap_or(usually), is_before)
    }

    fn begin(&mut self, tag: &Tag<'_>, family: String) {
        let name = tag.attribute("name").unwrap_or_else(|| DEFAULT.to_owned());
        let parent =
            tag.attribute("parent-style-name").or_else(|| (name != DEFAULT).then(|| DEFAULT.to_owned()));
        if let Some(format) = tag.attribute("data-style-name") {
            self.formats.push(((family.clone(), name.clone()), format));
        }
        self.open = Some(((family, name), parent, Said::default()));
    }

    /// What a format of values shows.
    fn read_format(&mut self, tag: &Tag<'_>, name: &str) {
        let Some((_, shows)) = &mut self.format else { return };
        match name {
            "number" | "text-content" | "day" | "month" | "year" | "hours" | "minutes" | "seconds"
            | "fraction" | "scientific-number" | "boolean" | "era" | "quarter" | "day-of-week" | "am-pm"
            | "week-of-year" => *shows = true,
            "text-properties" => {
                let ink = tag.attribute("color").map_or(Ink::Automatic, |color| Ink::hex(&color));
                let letters = Letters { ink, ..Letters::default() };
                *shows &= letters.verdict() == crate::parse::visible_text::Verdict::Shown;
            }
            _ => {}
        }
    }
}

/// The name of what holds where no style is named.
const DEFAULT: &str = "";

impl Listener for Styles {
    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name();
        match name.as_ref() {
            "style" | "default-style" => self.begin(tag, tag.attribute("family").unwrap_or_default()),
            "list-style" => self.begin(tag, "list".to_owned()),
            "number-style" | "text-style" | "date-style" | "time-style" | "currency-style"
            | "percentage-style" | "boolean-style" => {
                self.format = Some((tag.attribute("name").unwrap_or_default(), false))
            }
            "layer" if tag.attribute("display").is_some_and(|display| display != "always") => {
                self.layers.extend(tag.attribute("name"));
            }
            "font-face-src" | "font-face-uri" => self.brings_fonts = true,
            "page-layout-properties" => {
                let side = |name: &str| tag.attribute(name).and_then(|value| length(&value)).unwrap_or(0.0);
                self.page = (self.page.0.max(side("page-width")), self.page.1.max(side("page-height")));
            }
            // The properties of letters in a list are those of its numbers.
            "text-properties" if matches!(&self.open, Some(((family, _), _, _)) if family == "list") => {}
            // A style that changes with what a cell holds, or where a paragraph stands.
            "map" => {
                if let Some((_, _, said)) = &mut self.open {
                    said.doubt = Some("conditions");
                }
            }
            name if self.format.is_some() => self.read_format(tag, name),
            name if name.ends_with("-properties") || name == "list-level-label-alignment" => {
                if let Some((_, _, said)) = &mut self.open {
                    said.hear(tag);
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "style" | "default-style" | "list-style" => {
                if let Some((name, parent, said)) = self.open.take() {
                    self.styles.insert(name, (parent, said));
                }
            }
            name if name.ends_with("-style") => {
                let format = self.format.take();
                self.blank.extend(format.filter(|(_, shows)| !shows).map(|(name, _)| name));
            }
            _ => {}
        }
    }

    fn text(&mut self, _text: &str) {}
}
