//! Which declarations win, and the style that comes of them.

use std::cell::Cell;
use std::rc::Rc;

use ego_tree::NodeRef;
use html5ever::tree_builder::QuirksMode;
use scraper::node::Element;
use scraper::{Html, Node};

use super::super::css::declaration::{self, Declaration, Property, has_variables};
use super::super::css::matching::{Match, Matcher};
use super::super::css::rules::{Meant, Rules};
use super::super::css::sheet::{self, TooComplex};
use super::super::css::tokens::{Tok, tokens, trimmed};
use super::super::sheets;
use super::frame::{Display, Frame};
use super::readable::{self, text_reason};
use super::setters::Setting;
use super::{Custom, Style, attributes};

/// Style sheets longer than this in all are not of a message that a person wrote or read.
const MAX_SHEETS: usize = 2 << 20;
/// Looks at elements that every message may cost.
const BASE_LOOKS: u64 = 4_000_000;
/// More of them for each byte of HTML.
const LOOKS_PER_BYTE: u64 = 16;
/// How often variables may refer to variables.
const MAX_VARIABLE_DEPTH: usize = 8;
const MAX_VALUE: usize = 64;

/// Works out the styles of a document's elements.
pub(in super::super) struct Styler {
    rules: Rules,
    matcher: Matcher,
}

impl Styler {
    /// Reads the style sheets of a document that was `length` bytes long.
    pub(in super::super) fn new(html: &Html, length: usize) -> Result<Self, TooComplex> {
        let mut rules = Rules::default();
        let mut total = 0;
        for (css, media) in sheets::of(html) {
            total += css.len();
            if total > MAX_SHEETS {
                return Err(TooComplex);
            }
            let (css, media) = (tokens(&css).ok_or(TooComplex)?, tokens(&media).ok_or(TooComplex)?);
            sheet::read(&css, &media, &mut rules)?;
        }
        let budget = Cell::new(BASE_LOOKS + LOOKS_PER_BYTE * length as u64);
        let quirks = html.quirks_mode == QuirksMode::Quirks;
        Ok(Self { rules, matcher: Matcher { quirks, budget } })
    }

    /// Whether so much had to be looked at that what was found is worth nothing.
    pub(in super::super) fn is_spent(&self) -> bool {
        self.matcher.is_spent()
    }

    /// The style of an element whose parent has this one.
    pub(in super::super) fn style(
        &self,
        here: NodeRef<'_, Node>,
        element: &Element,
        parent: &Style,
    ) -> Style {
        let meant = self.rules.of(here, &self.matcher);
        let inline = element.attrs().find(|(name, _)| *name == "style").map(|(_, value)| inline(value));
        let inline = inline.unwrap_or_default();
        let in_doubt = meant.iter().any(|meant| meant.sure == Match::Maybe);
        if in_doubt {
            let style = cascade(element, &ordered(&meant, &inline), parent);
            if style.hidden.is_some() || text_reason(&style).is_some() {
                return style;
            }
        }
        let sure: Vec<Meant<'_>> = meant.into_iter().filter(|meant| meant.sure == Match::Yes).collect();
        cascade(element, &ordered(&sure, &inline), parent)
    }
}

/// The declarations of a `style` attribute; one that cannot be read hides.
fn inline(value: &str) -> Vec<Declaration> {
    match tokens(value) {
        Some(tokens) => declaration::list(&tokens),
        None => {
            declaration::list(&[Tok::Ident("display".to_owned()), Tok::Colon, Tok::Ident("none".to_owned())])
        }
    }
}

/// What decides between two declarations: importance, the attribute before sheets, layer, specificity, order.
type Rank = (bool, bool, bool, u32, usize);

/// All declarations, the winner of each property last.
fn ordered<'d>(meant: &[Meant<'d>], inline: &'d [Declaration]) -> Vec<&'d Declaration> {
    let mut all: Vec<(Rank, &Declaration)> = Vec::new();
    for meant in meant {
        for declaration in meant.rule.block.iter() {
            // Layers lose, unless what they say is important.
            let layer = meant.rule.layered == declaration.important;
            let weight = meant.rule.selector.weight;
            all.push(((declaration.important, false, layer, weight, meant.order), declaration));
        }
    }
    all.extend(inline.iter().map(|declaration| ((declaration.important, true, true, 0, 0), declaration)));
    all.sort_by_key(|(key, _)| *key);
    all.into_iter().map(|(_, declaration)| declaration).collect()
}

fn cascade(element: &Element, declarations: &[&Declaration], parent: &Style) -> Style {
    let usual = attributes::usual_display(element);
    let mut style = Style { display: usual, ..inherited(parent) };
    let mut frame = Frame::default();
    attributes::apply(element, &mut style, &mut frame);
    let mut setting = Setting { style: &mut style, frame: &mut frame, parent, usual };
    for declaration in declarations {
        if let Property::Custom(name) = &declaration.property {
            setting.custom(name, &declaration.value);
        }
    }
    let known = setting.style.custom.clone();
    let resolved: Vec<(&Property, std::borrow::Cow<'_, [Tok]>)> = declarations
        .iter()
        .filter(|declaration| !matches!(declaration.property, Property::Custom(_)))
        .map(|declaration| (&declaration.property, resolve(&declaration.value, known.as_ref())))
        .collect();
    for (property, value) in &resolved {
        match property {
            Property::FontSize | Property::Font => setting.font_size(property, trimmed(value)),
            Property::Color => setting.text_color(trimmed(value)),
            _ => {}
        }
    }
    for (property, value) in &resolved {
        setting.set(property, trimmed(value));
    }
    if element.name() == "html" {
        style.rem = style.font_size;
    }
    readable::settle(&mut style, &frame, parent);
    style
}

/// What children take over from their parent.
fn inherited(parent: &Style) -> Style {
    Style {
        display: Display::Inline,
        hidden: None,
        room: None,
        space_above: 0.0,
        reversed: false,
        ..parent.clone()
    }
}

/// The value with its variables put in. One that cannot be found leaves nothing, which is no value at all.
fn resolve<'v>(value: &'v [Tok], known: Option<&Rc<Custom>>) -> std::borrow::Cow<'v, [Tok]> {
    match has_variables(value) {
        false => std::borrow::Cow::Borrowed(value),
        true => std::borrow::Cow::Owned(substitute(value, known, 0)),
    }
}

fn substitute(value: &[Tok], known: Option<&Rc<Custom>>, depth: usize) -> Vec<Tok> {
    let mut out = Vec::new();
    for token in value {
        if out.len() > MAX_VALUE || depth > MAX_VARIABLE_DEPTH {
            break;
        }
        match token {
            Tok::Function(name, arguments) if name == "var" => {
                out.extend(variable(arguments, known, depth));
            }
            Tok::Function(name, arguments) => {
                out.push(Tok::Function(name.clone(), substitute(arguments, known, depth + 1)));
            }
            Tok::Parens(inner) => out.push(Tok::Parens(substitute(inner, known, depth + 1))),
            other => out.push(other.clone()),
        }
    }
    out.truncate(MAX_VALUE);
    out
}

fn variable(arguments: &[Tok], known: Option<&Rc<Custom>>, depth: usize) -> Vec<Tok> {
    let name = arguments.iter().find_map(Tok::ident).unwrap_or_default();
    let mut next = known;
    while let Some(custom) = next {
        if custom.name == name {
            return substitute(&custom.value, known, depth + 1);
        }
        next = custom.outer.as_ref();
    }
    match arguments.iter().position(|token| *token == Tok::Comma) {
        Some(comma) => substitute(&arguments[comma + 1..], known, depth + 1),
        None => Vec::new(),
    }
}
