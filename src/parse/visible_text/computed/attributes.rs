//! What an element is before any rule: how browsers display it, and what attributes of old HTML say.

use html5ever::ns;
use scraper::node::Element;

use super::super::css::color::{self, BLACK, Colored, WHITE};
use super::super::css::length::Length;
use super::super::never_shown::is_permission;
use super::backdrop::is_embedded;
use super::frame::{Display, Frame, Position};
use super::setters::is_usual_family;
use super::{Cover, Style, WhiteSpace};

/// Borders of attributes that are no thicker are no ground for letters.
const THIN_BORDER: f32 = 3.0;

/// How a browser displays an element that nothing was said about.
pub(in super::super) fn usual_display(element: &Element) -> Display {
    let is_open = || element.attr("open").is_some();
    match element.name() {
        "td" | "th" => Display::Cell,
        "table" => Display::Table,
        "tbody" | "thead" | "tfoot" | "tr" | "colgroup" | "col" => Display::TablePart,
        "button" | "input" | "textarea" | "select" | "img" | "marquee" | "meter" | "progress" | "audio"
        | "video" | "iframe" | "embed" | "object" | "applet" | "svg" | "math" | "frame" | "portal"
        | "fencedframe" => Display::InlineBlock,
        "slot" => Display::Contents,
        "dialog" if !is_open() => Display::None,
        "head" | "script" | "style" | "template" | "title" | "noembed" | "noframes" | "rp" | "datalist"
        | "area" | "param" | "source" | "track" | "base" | "link" | "meta" => Display::None,
        name if is_block(name) => Display::Block,
        name if is_permission(name) => Display::InlineBlock,
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
            | "caption"
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

/// An element before any rule: what it takes over, what browsers make of it, and what its attributes say.
pub(super) fn fresh(element: &Element, parent: &Style, quirks: bool) -> (Style, Frame) {
    let mut style = Style { display: usual_display(element), ..parent.inherited() };
    let mut frame = Frame::default();
    usual_look(element.name(), &mut style, &mut frame);
    frame.is_boxed = is_boxed(element);
    frame.is_break = element.name() == "br";
    frame.is_root = element.name() == "html";
    frame.is_word = element.name.ns == ns!(mathml);
    if element.name.ns == ns!(mathml) {
        formula(element, parent, &mut style);
    }
    if element.name() == "table" {
        style.text_indent = Length::default();
        (style.fixed_table, style.cell_room) = (false, 4.0);
        if quirks {
            style.color = style.page_text;
            // Letters that cannot be seen are left to those who show a message in another mode.
            if style.font_size >= 6.0 {
                style.font_size = 16.0;
            }
            (style.line_height, style.white_space) = (None, WhiteSpace::Normal);
        }
    }
    // In quirks mode something is free below them, and not every reader shows a message in its own mode.
    if element.name() == "form" {
        frame.margin[2] = quirks.then(|| Length::px(style.font_size));
        frame.odd |= parent.clips;
    }
    if element.name() == "img" && ["src", "srcset", "alt"].iter().all(|name| element.attr(name).is_none()) {
        style.replaced = false;
    }
    if parent.clips {
        cut_script(element.name(), &mut style, &mut frame);
    }
    for (name, value) in element.attrs() {
        attribute(element.name(), name, value, &mut style, &mut frame);
    }
    (style, frame)
}

/// Whether an element is a box whatever is said about how it is displayed.
fn is_boxed(element: &Element) -> bool {
    let name = element.name();
    is_drawn(name)
        || element.name.ns != ns!(html)
        || matches!(
            name,
            "html"
                | "button"
                | "textarea"
                | "input"
                | "select"
                | "fieldset"
                | "legend"
                | "marquee"
                | "canvas"
        )
}

/// Formulas: only words in elements for words are drawn, and only those of a plain row are followed.
fn formula(element: &Element, parent: &Style, style: &mut Style) {
    let is_row = matches!(element.name(), "math" | "mrow") && (element.name() == "math" || parent.formula);
    let is_word = matches!(element.name(), "mtext" | "mi" | "mn" | "mo" | "ms") && parent.formula;
    // Formulas are one line.
    (style.formula, style.white_space) = (is_row, WhiteSpace::NoWrap);
    if !is_row && !is_word {
        style.doubt("math");
    }
    if !is_word && element.name() != "math" && element.attrs().next().is_some() {
        style.covers = Some(Cover::All);
    }
}

/// Small letters above and below a line, in a box that cuts off: they may be cut, and move the line.
fn cut_script(name: &str, style: &mut Style, frame: &mut Frame) {
    match name {
        "rt" => style.doubt("overflow"),
        "sub" | "sup" => frame.odd = true,
        _ => {}
    }
}

/// What browsers say about an element of this name.
fn usual_look(name: &str, style: &mut Style, frame: &mut Frame) {
    let em = Length::px(style.font_size);
    match name {
        "pre" | "listing" | "xmp" | "plaintext" => {
            (style.white_space, style.odd_font) = (WhiteSpace::Pre, true);
            (frame.margin[0], frame.margin[2]) = (Some(em), Some(em));
        }
        "p" => (frame.margin[0], frame.margin[2]) = (Some(em), Some(em)),
        "ul" | "ol" | "menu" | "dir" | "dl" => list(name, style, frame),
        "blockquote" | "figure" => {
            frame.margin = [Some(em), Some(Length::px(40.0)), Some(em), Some(Length::px(40.0))]
        }
        "center" => frame.centers = true,
        "dd" => frame.margin[3] = Some(Length::px(40.0)),
        "body" => frame.margin = [Some(Length::px(8.0)); 4],
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => heading(name, style, frame),
        "sub" | "sup" => {
            style.font_size /= 1.2;
            frame.raised = true;
        }
        "small" => style.font_size /= 1.2,
        "big" => style.font_size *= 1.2,
        "rt" => {
            frame.raised = true;
            style.font_size /= 2.0;
            frame.odd = true;
        }
        "tt" | "code" | "kbd" | "samp" => style.odd_font = true,
        "nobr" => style.white_space = WhiteSpace::NoWrap,
        "mark" => {
            style.color = BLACK;
            frame.paint.color = color::color(&super::Tok::Ident("yellow".to_owned()));
        }
        // Only the first of several is shown.
        "semantics" | "mprescripts" | "menclose" => style.doubt("math"),
        "li" => frame.is_item = true,
        "q" => {
            frame.has_signs = true;
            (frame.padding[1], frame.padding[3]) =
                (Some(Length::px(0.6 * em.px)), Some(Length::px(0.6 * em.px)))
        }
        "option" | "optgroup" => unlisted(style, frame),
        "u" | "s" | "strike" | "del" | "ins" | "a" => frame.decorated = true,
        "button" | "textarea" | "input" | "select" => control(name, style, frame),
        "dialog" => {
            frame.odd = true;
            style.color = BLACK;
            (frame.position, frame.paint.color) = (Position::Absolute, Colored::Is(WHITE));
        }
        "caption" => (frame.is_outside_group, frame.is_caption, frame.odd) = (true, true, true),
        "fieldset" => group(em, frame),
        "bdi" => style.bidi = true,
        "legend" => (frame.is_outside_group, frame.odd) = (true, true),
        "summary" => (frame.odd, frame.has_signs, style.marks_inside) = (true, true, true),
        "canvas" | "hr" | "marquee" | "ruby" | "math" | "wbr" => frame.odd = true,
        name if is_drawn(name) => style.replaced = true,
        _ => {}
    }
}

/// Lists are apart from what is around them, unless that is a list.
fn list(name: &str, style: &mut Style, frame: &mut Frame) {
    if !std::mem::replace(&mut style.in_list, true) {
        let em = Length::px(style.font_size);
        (frame.margin[0], frame.margin[2]) = (Some(em), Some(em));
    }
    frame.padding[3] = (name != "dl").then_some(Length::px(40.0));
}

/// Choices outside of a list have a label of their own.
fn unlisted(style: &mut Style, frame: &mut Frame) {
    frame.odd = true;
    style.doubt("display");
}

/// Whether something else is drawn in the place of an element of this name.
fn is_drawn(name: &str) -> bool {
    is_permission(name)
        || matches!(
            name,
            "img"
                | "iframe"
                | "fencedframe"
                | "portal"
                | "video"
                | "audio"
                | "embed"
                | "object"
                | "svg"
                | "meter"
                | "progress"
        )
}

/// A group of controls has a line around it, and room inside of that.
fn group(em: Length, frame: &mut Frame) {
    (frame.is_group, frame.odd) = (true, true);
    frame.margin = [None, Some(Length::px(2.0)), None, Some(Length::px(2.0))];
    let inside = |share: f32| Some(Length::px(share * em.px + 2.0));
    frame.padding = [inside(0.35), inside(0.75), inside(0.625), inside(0.75)];
}

/// Whether attributes of an element say how it looks, which `revert` takes back.
pub(super) fn has_hints(element: &Element) -> bool {
    let hints = [
        "bgcolor",
        "background",
        "text",
        "color",
        "size",
        "face",
        "width",
        "height",
        "hidden",
        "nowrap",
        "dir",
        "align",
    ];
    element.attrs().any(|(name, _)| hints.contains(&name))
}

/// Whether sheets can add words to an element: not to what stands for something else.
pub(super) fn has_parts(element: &Element) -> bool {
    let is_replaced = matches!(
        element.name(),
        "img"
            | "br"
            | "wbr"
            | "hr"
            | "input"
            | "textarea"
            | "select"
            | "object"
            | "embed"
            | "iframe"
            | "video"
            | "audio"
            | "canvas"
            | "col"
            | "colgroup"
            | "meter"
            | "progress"
            | "svg"
    );
    !is_replaced && element.name.ns == ns!(html)
}

fn heading(name: &str, style: &mut Style, frame: &mut Frame) {
    let (size, margin) = match name {
        "h1" => (2.0, 0.67),
        "h2" => (1.5, 0.83),
        "h3" => (1.17, 1.0),
        "h4" => (1.0, 1.33),
        "h5" => (0.83, 1.67),
        _ => (0.67, 2.33),
    };
    style.font_size *= size;
    let margin = Some(Length::px(margin * style.font_size));
    (frame.margin[0], frame.margin[2]) = (margin, margin);
}

/// Controls have colours and letters of their own.
fn control(name: &str, style: &mut Style, frame: &mut Frame) {
    style.color = BLACK;
    style.font_size = 13.3;
    style.line_height = None;
    style.text_indent = Length::default();
    (style.letter_spacing, style.word_spacing) = (0.0, 0.0);
    style.replaced = true;
    if name == "textarea" {
        style.white_space = WhiteSpace::PreWrap;
        (frame.width, frame.height) = (Some(Length::px(160.0)), Some(Length::px(34.0)));
        (frame.clip_x, frame.clip_y) = (true, true);
    }
    // What stands in a button stands in the middle of it.
    (frame.border_box, frame.aligned_lines) = (name == "button", name == "button");
    let ground = if name == "button" { "buttonface" } else { "field" };
    frame.paint.color = color::color(&super::Tok::Ident(ground.to_owned()));
}

fn attribute(element: &str, name: &str, value: &str, style: &mut Style, frame: &mut Frame) {
    let in_table =
        matches!(element, "table" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th" | "col" | "colgroup");
    // Readers differ in which blanks around a colour count.
    if matches!(name, "bgcolor" | "text" | "link" | "vlink" | "color") && !value.is_ascii() {
        style.doubt("color");
    }
    match name {
        _ if element == "body" && of_page(name, value, style, frame) => {}
        "hidden" if value.eq_ignore_ascii_case("until-found") => frame.content_hidden = true,
        "hidden" => style.display = Display::None,
        "popover" => popover(style, frame),
        "bgcolor" if in_table || element == "body" => {
            if let Some(color) = color::legacy(value) {
                frame.paint.color = Colored::Is(color);
            }
        }
        "background" if in_table || element == "body" => frame.paint.unknown |= is_embedded(value),
        "color" if element == "font" => set_color(style, value),
        "face" if element == "font" => style.odd_font = !is_usual_family(value),
        "size" if element == "font" => style.font_size = font_size(value).unwrap_or(style.font_size),
        // A line that is only two pixels high covers nothing.
        "size" | "noshade" | "color" if element == "hr" => style.replaced = true,
        "nowrap" if matches!(element, "td" | "th") => style.white_space = WhiteSpace::NoWrap,
        "align"
            if matches!(element, "table" | "img" | "iframe" | "embed" | "object" | "input" | "applet") =>
        {
            frame.floats = ["left", "right"].iter().any(|side| value.trim().eq_ignore_ascii_case(side));
        }
        "width" | "height" if in_table || element == "img" => size(element, name, value, frame),
        "height" if element == "hr" => frame.height = pixels(value),
        // It may show what it holds, in a box as large as this.
        "width" | "height" | "hspace" | "vspace" if element == "object" => style.doubt("width"),
        "bgcolor" if element == "marquee" => frame.paint.unknown = true,
        "cellpadding" | "cellspacing" | "border" | "hspace" | "vspace" => {
            let size = pixels(value).map_or(0.0, |size| size.px);
            edges(element, name, size, frame);
            style.cell_room += if element == "table" { 2.0 * size } else { 0.0 };
        }
        "align" => frame.centers = true,
        "dir" => {
            style.bidi = value.trim().eq_ignore_ascii_case("auto");
            style.rtl = value.trim().eq_ignore_ascii_case("rtl");
            style.reversed |= element == "bdo" && style.rtl;
        }
        // The message itself is where one has been.
        "href" if element == "a" && value.is_empty() => style.color = style.visited,
        "href" if element == "a" => style.color = style.link,
        "size" | "type" if element == "input" => input(name, value, style, frame),
        "cols" | "rows" | "wrap" if element == "textarea" => field(name, value, style, frame),
        "clear" if element == "br" => frame.odd = true,
        "disabled" if matches!(element, "button" | "textarea" | "input" | "select" | "fieldset") => {
            style.doubt("color")
        }
        // Of those with one name only one is open.
        "name" if element == "details" => style.doubt("display"),
        "overflow" if element == "svg" => frame.bursts = true,
        _ if of_formula(element, name) => {
            frame.odd = true;
            style.doubt("math");
        }
        _ => {}
    }
}

/// What is not displayed before somebody asks for it; displayed all the same, it lies over the page.
fn popover(style: &mut Style, frame: &mut Frame) {
    style.display = Display::None;
    style.doubt("popover");
    (frame.position, frame.paint.color) = (Position::Out, Colored::Is(WHITE));
}

/// How large a part of a table, a picture or a line across the page is.
fn size(element: &str, name: &str, value: &str, frame: &mut Frame) {
    match name {
        "width" if matches!(element, "table" | "td" | "th" | "img") => frame.width = pixels(value),
        "height" => frame.height = pixels(value),
        _ => {}
    }
}

/// Whether an attribute says how a part of a formula looks, or how much room it takes.
fn of_formula(element: &str, name: &str) -> bool {
    match name {
        "mathcolor" | "mathsize" | "mathbackground" | "displaystyle" | "scriptlevel" => true,
        "voffset" | "lspace" | "rspace" | "depth" | "width" | "height" | "minsize" => {
            matches!(element, "mpadded" | "mo" | "mspace")
        }
        _ => false,
    }
}

/// What is around an element, or around the cells of a table.
fn edges(element: &str, name: &str, size: f32, frame: &mut Frame) {
    let draws = matches!(element, "table" | "img" | "object" | "embed" | "input");
    if name == "border" && draws && size > THIN_BORDER {
        (frame.border, frame.border_styled) = ([Some(Length::px(size)); 4], true);
    }
    frame.odd |= size > 12.0;
}

/// What only the page's element has: colours of text and links, and what is free around the page. False for anything else.
fn of_page(name: &str, value: &str, style: &mut Style, frame: &mut Frame) -> bool {
    match name {
        "text" => set_color(style, value),
        "link" => style.link = color::legacy(value).unwrap_or(style.link),
        "vlink" => style.visited = color::legacy(value).unwrap_or(style.visited),
        "topmargin" | "marginheight" | "bottommargin" => page_margin([0, 2], value, style, frame),
        "leftmargin" | "marginwidth" | "rightmargin" => page_margin([1, 3], value, style, frame),
        _ => return false,
    }
    true
}

fn page_margin(sides: [usize; 2], value: &str, style: &mut Style, frame: &mut Frame) {
    let size = value.trim().parse().ok().filter(|pixels| *pixels >= 0.0).map(Length::px);
    sides.iter().for_each(|side| frame.margin[*side] = size.or(frame.margin[*side]));
    if size.is_none() && value.contains(|c: char| c.is_ascii_digit()) {
        style.doubt("margin");
    }
}

/// How wide a field is at least, and whether it is shown at all.
fn input(name: &str, value: &str, style: &mut Style, frame: &mut Frame) {
    match name {
        "size" => frame.min_width = whole(value).map(|letters| Length::px(6.0 * letters)),
        _ if value.eq_ignore_ascii_case("hidden") => style.display = Display::None,
        _ => {}
    }
}

/// How large a field is, and whether its lines are broken.
fn field(name: &str, value: &str, style: &mut Style, frame: &mut Frame) {
    match (name, whole(value)) {
        ("cols", Some(letters)) => frame.width = Some(Length::px(6.0 * letters)),
        ("cols", None) => style.doubt("width"),
        ("rows", Some(lines)) => frame.height = Some(Length::px(15.0 * lines)),
        ("rows", None) => style.doubt("height"),
        _ => style.white_space = WhiteSpace::Pre,
    }
}

/// Pixels as attributes say them: digits, and whatever follows. Shares are none.
fn pixels(value: &str) -> Option<Length> {
    let value = value.trim();
    let end = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
    let is_share = value[end..].starts_with('%');
    value[..end].parse().ok().filter(|size| *size > 0.0 && !is_share).map(Length::px)
}

/// A number of letters or lines, if it is one that every reader takes.
pub(in super::super) fn whole(value: &str) -> Option<f32> {
    let is_plain = (1..=3).contains(&value.len()) && value.bytes().all(|digit| digit.is_ascii_digit());
    value.parse().ok().filter(|number| is_plain && *number > 0.0)
}

fn set_color(style: &mut Style, value: &str) {
    if let Some(color) = color::legacy(value) {
        style.color = color;
    }
}

/// `<font size>`: 1 to 7, or relative to 3.
fn font_size(value: &str) -> Option<f32> {
    let value = value.trim_matches(|c: char| c.is_ascii_whitespace());
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number: i32 = digits[..end].parse().ok()?;
    let step = match value.as_bytes().first()? {
        b'+' => 3 + number,
        b'-' => 3 - number,
        _ => number,
    };
    let sizes = [10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0];
    Some(sizes[usize::try_from(step.clamp(1, 7) - 1).unwrap_or(0)])
}
