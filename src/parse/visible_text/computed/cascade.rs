//! Which declarations win, and the style that comes of them.

mod odd;
mod page;
mod tables;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use ego_tree::{NodeId, NodeRef};
use html5ever::tree_builder::QuirksMode;
use scraper::node::Element;
use scraper::{Html, Node};

use super::super::css::declaration::{self, Declaration, Property, has_variables};
use super::super::css::matching::{Match, Matcher};
use super::super::css::media::Scheme;
use super::super::css::rules::{Meant, Rule, Rules};
use super::super::css::selector::Target;
use super::super::css::sheet::{self, TooComplex};
use super::super::css::tokens::{Tok, between_commas, tokens, trimmed};
use super::super::sheets;
use super::frame::Display;
use super::parts::act_on_parts;
use super::setters::{Setting, wide};
use super::variables::{Known, steadied, substitute};
use super::{Custom, Style, attributes, settle};
pub(in super::super) use odd::Odd;

/// Style sheets longer than this in all are not of a message that a person wrote or read.
const MAX_SHEETS: usize = 2 << 20;
/// Looks at elements that every message may cost.
const BASE_LOOKS: u64 = 4_000_000;
/// More of them for each byte of HTML.
const LOOKS_PER_BYTE: u64 = 16;
/// Rules that may or may not act on one element are tried in every combination up to this many.
const MOST_TRIED: usize = 3;

/// Works out the styles of a document's elements.
pub(in super::super) struct Styler {
    rules: Rules,
    matcher: Matcher,
    paper: Style,
    /// What was met that cannot be decided.
    seen: RefCell<BTreeMap<Question, Undecided>>,
    /// How it is decided in the case that is looked at.
    decided: BTreeMap<Question, bool>,
    /// What was met that not every reader takes in the same way.
    odd: RefCell<Vec<Odd>>,
    /// What of that is dropped in the case that is looked at.
    dropped: Vec<Odd>,
}

/// An element and where it stands.
type Here<'h> = (NodeRef<'h, Node>, &'h Element);

/// What cannot be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Question {
    /// Whether a condition around rules holds.
    Condition(usize),
    /// Whether a rule means an element, by the place of the rule.
    Rule(usize),
}

impl Question {
    fn of(meant: &Meant<'_>) -> Self {
        match meant.rule.condition {
            Some(condition) if meant.selected == Match::Yes => Self::Condition(condition),
            _ => Self::Rule(meant.order),
        }
    }
}

/// What is known of such a question.
#[derive(Debug, Clone, Default)]
struct Undecided {
    /// The elements that it is asked about.
    elements: HashSet<NodeId>,
    /// What difference the answer makes.
    matters: Difference,
}

/// What difference it makes to an element whether rules act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Difference {
    #[default]
    None,
    /// Its letters have another colour.
    Color,
    /// Anything, also to what stands around it.
    Any,
}

impl Styler {
    /// Reads the style sheets of a document that came of this source, for a person who likes these colours.
    pub(in super::super) fn new(html: &Html, source: &str, scheme: Scheme) -> Result<Self, TooComplex> {
        let length = source.len();
        let mut rules = Rules::default();
        rules.scheme = scheme;
        let lower = source.to_ascii_lowercase();
        let asks = lower.matches("@container").count();
        rules.has_containers =
            lower.matches("container").count() > asks || ["\\", "&#"].iter().any(|part| lower.contains(part));
        rules.has_transitions = ["transition", "\\", "&#"].iter().any(|part| lower.contains(part));
        rules.has_plain_letters = lower.contains("<svg") && !page::dresses_drawings(&lower);
        rules.has_drawings = ["<svg", "<clippath", "<filter"].iter().any(|name| lower.contains(name));
        let mut total = 0;
        for sheets::Sheet { css, medium, holds, plain } in sheets::of(html) {
            total += css.len();
            if total > MAX_SHEETS {
                return Err(TooComplex);
            }
            let (css, medium) = (tokens(&css).ok_or(TooComplex)?, tokens(&medium).ok_or(TooComplex)?);
            sheet::read(&css, &medium, (holds, plain), &mut rules)?;
        }
        let budget = Cell::new(BASE_LOOKS + LOOKS_PER_BYTE * length as u64);
        let quirks = html.quirks_mode == QuirksMode::Quirks || page::is_old(html);
        let doubt = sheets::strange_head(html)
            .or(rules.replaces_usual_fonts().then_some("font"))
            .or(rules.has_several_orders().then_some("rules that may act"))
            // Parsers differ in what such an element holds.
            .or(lower.contains("<annotation-xml").then_some("math"))
            .or(sheets::has_odd_list(&lower).then_some("list to choose from"));
        let leftwards = !lower.contains('\\') && !page::has_rightwards(html);
        let paper = Style { doubt, leftwards, ..Style::paper() };
        let matcher = Matcher { quirks, budget };
        Ok(Self {
            rules,
            matcher,
            paper,
            seen: RefCell::default(),
            decided: BTreeMap::new(),
            odd: RefCell::default(),
            dropped: Vec::new(),
        })
    }

    /// Whether the document has no rule that could act on anything.
    pub(in super::super) fn has_no_rules(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether letters of a drawing look as usual: nothing in the document says what only they take over.
    pub(in super::super) fn has_plain_letters(&self) -> bool {
        self.rules.has_plain_letters
    }

    /// Whether no rule could act on an element or anything in it.
    pub(in super::super) fn leaves_alone(&self, node: NodeRef<'_, Node>) -> bool {
        let elements = || node.descendants().filter(|inner| inner.value().is_element());
        self.has_no_rules() || elements().all(|inner| self.rules.of(inner, &self.matcher).is_empty())
    }

    /// Whether a rule may take an element out of the flow, or away.
    pub(in super::super) fn may_take_out(&self, node: NodeRef<'_, Node>) -> bool {
        let takes_out = |one: &Declaration| {
            matches!(
                one.property,
                Property::All
                    | Property::Display
                    | Property::Float
                    | Property::Position
                    | Property::Visibility
            )
        };
        self.rules.of(node, &self.matcher).iter().any(|meant| meant.rule.block.iter().any(takes_out))
    }

    /// Whether anything depends on the colours that the person likes.
    pub(in super::super) fn asks_scheme(&self) -> bool {
        self.rules.asks_scheme
    }

    /// The style of the paper that the document lies on.
    pub(in super::super) fn paper(&self) -> Style {
        self.paper.clone()
    }

    /// Whether so much had to be looked at that what was found is worth nothing.
    pub(in super::super) fn is_spent(&self) -> bool {
        self.matcher.is_spent()
    }

    /// What cannot be decided and makes a difference.
    pub(in super::super) fn undecided(&self) -> Vec<Question> {
        let seen = self.seen.borrow();
        let matters = |about: &Undecided| about.matters != Difference::None;
        seen.iter().filter(|(_, about)| matters(about)).map(|(question, _)| *question).collect()
    }

    /// Whether each such question has one answer: no rule may mean one element and not another.
    pub(in super::super) fn can_be_tried(&self) -> bool {
        let is_one = |(question, about): (&Question, &Undecided)| {
            let is_same = about.matters == Difference::None || about.elements.len() == 1;
            is_same || matches!(question, Question::Condition(_))
        };
        self.seen.borrow().iter().all(is_one)
    }

    /// Whether an answer can make a difference to other elements than those that it is about.
    pub(in super::super) fn reaches_others(&self) -> bool {
        self.seen.borrow().values().any(|about| about.matters == Difference::Any)
    }

    /// Takes questions to be decided in this way.
    pub(in super::super) fn decide(&mut self, cases: impl Iterator<Item = (Question, bool)>) {
        self.decided = cases.collect();
    }

    /// The rules that mean an element, in the case that is looked at.
    fn meant(&self, here: NodeRef<'_, Node>) -> Vec<Meant<'_>> {
        let mut meant = self.rules.of(here, &self.matcher);
        if !self.decided.is_empty() {
            let answer = |meant: &Meant<'_>| self.decided.get(&Question::of(meant)).copied();
            meant.retain(|meant| meant.sure == Match::Yes || answer(meant) != Some(false));
            for meant in &mut meant {
                meant.sure = if answer(meant) == Some(true) { Match::Yes } else { meant.sure };
            }
        }
        meant
    }

    /// Remembers rules that may act on an element, and whether that makes a difference.
    fn note(&self, here: NodeRef<'_, Node>, maybe: &[Meant<'_>], matters: Difference) {
        let mut seen = self.seen.borrow_mut();
        for meant in maybe {
            let known = seen.entry(Question::of(meant)).or_default();
            known.elements.insert(here.id());
            known.matters = known.matters.max(matters);
        }
    }

    /// Looks left of the budget.
    #[cfg(test)]
    pub(in super::super) fn looks_left(&self) -> u64 {
        self.matcher.budget.get()
    }

    /// The style of an element whose parent has this one.
    pub(in super::super) fn style(
        &self,
        here: NodeRef<'_, Node>,
        element: &Element,
        parent: &Style,
    ) -> Style {
        let meant = self.meant(here);
        let inline = element.attrs().find(|(name, _)| *name == "style").map(|(_, value)| inline(value));
        let (inline, broken) = match inline {
            Some(Some(inline)) => (inline, false),
            Some(None) => (Vec::new(), true),
            None => (Vec::new(), false),
        };
        let (on_parts, meant): (Vec<Meant<'_>>, Vec<Meant<'_>>) =
            meant.into_iter().partition(|meant| meant.rule.selector.target != Target::Element);
        let (sure, maybe): (Vec<Meant<'_>>, Vec<Meant<'_>>) =
            meant.into_iter().partition(|meant| meant.sure == Match::Yes);
        let mut style = self.cascade((here, element), &self.ordered(&sure, &inline, &[]), parent);
        if element.name() == "table" {
            style.block.columns = self.columns(here);
        }
        let sets_variables = |meant: &Meant<'_>| meant.rule.block.iter().any(Declaration::is_custom);
        if !maybe.is_empty() {
            let matters = match maybe.iter().any(sets_variables) {
                true => Difference::Any,
                false => self.difference((here, element), (&sure, &maybe, &inline), parent, &style),
            };
            self.note(here, &maybe, matters);
            if matters != Difference::None {
                style.doubt("rules that may act");
            }
        }
        if element.name() == "marquee" && !self.stands_still(here, element) {
            style.doubt("marquee");
        }
        self.note_odd((here, element), (&sure, &inline), parent, &style);
        if broken {
            style.doubt("style");
        }
        style.elaborate |= !on_parts.is_empty();
        act_on_parts(&mut style, &on_parts, element);
        style
    }

    /// What difference it makes to an element which of the doubtful rules act.
    fn difference(
        &self,
        element: Here<'_>,
        (sure, maybe, inline): (&[Meant<'_>], &[Meant<'_>], &[Declaration]),
        parent: &Style,
        without: &Style,
    ) -> Difference {
        if maybe.len() > MOST_TRIED {
            return Difference::Any;
        }
        let cases = (1..1_usize << maybe.len()).map(|case| {
            let chosen =
                maybe.iter().enumerate().filter(|(place, _)| case >> place & 1 == 1).map(|(_, meant)| *meant);
            let mut all: Vec<Meant<'_>> = sure.iter().copied().chain(chosen).collect();
            all.sort_by_key(|meant| meant.order);
            let with = self.cascade(element, &self.ordered(&all, inline, &[]), parent);
            match () {
                () if without.display == Display::None && with.display == Display::None => Difference::None,
                () if *without == with => Difference::None,
                () if without.uncolored() == with.uncolored() => Difference::Color,
                () => Difference::Any,
            }
        });
        cases.max().unwrap_or_default()
    }

    fn cascade(&self, (here, element): Here<'_>, declarations: &[&Declaration], parent: &Style) -> Style {
        let kept;
        let declarations = match declarations.iter().any(|one| takes_all_back(one)) {
            true => {
                kept = behind_all(declarations);
                &kept[..]
            }
            false => declarations,
        };
        let fresh = attributes::fresh(element, parent, self.matcher.quirks);
        let (mut style, mut frame) = fresh.clone();
        let mut setting = Setting {
            style: &mut style,
            frame: &mut frame,
            parent,
            fresh: &fresh,
            quirks: self.matcher.quirks,
            has_drawings: self.rules.has_drawings,
            has_usual_lines: parent.line_height.is_none() && !declarations.iter().any(|one| sets_lines(one)),
            has_hints: attributes::has_hints(element),
        };
        for declaration in declarations {
            if let Property::Custom(name) = &declaration.property {
                setting.custom(name, &declaration.value);
            }
        }
        self.set_all(&mut setting, declarations, element);
        setting.grow_usual_margins(declarations, element.name());
        setting.doubt_sides(declarations);
        frame.animated = self.is_animated(declarations);
        if self.uses_own_letters(element, declarations) || uses_signs(element, declarations) {
            style.doubt("font");
        }
        match element.name() {
            "html" => style.rem = style.font_size,
            // In quirks mode tables take the colour of the page's text and not of what is around them.
            "body" => style.page_text = style.color,
            _ => {}
        }
        // What they paint is the ground of the whole page, however high they are.
        if matches!(element.name(), "html" | "body") {
            frame.grow_with_page();
            let is_bare = parent.own.as_ref().is_none_or(|own| own.paint.is_nothing());
            frame.is_page = element.name() == "html" || is_bare;
        }
        if style.display == Display::Contents && !attributes::has_parts(element) {
            style.display = Display::None;
        }
        frame.widen_borders();
        frame.is_later_cell = style.display == Display::Cell && self.stands_behind_wide_ones(here);
        settle::settle(&mut style, &frame, parent);
        style.own = Some(Rc::new(frame));
        style
    }

    /// Applies all declarations but those of variables: the size of letters and their colour first, since others are
    /// taken of them.
    fn set_all(&self, setting: &mut Setting<'_>, declarations: &[&Declaration], element: &Element) {
        let known = setting.style.custom.clone();
        let font = declarations.iter().rposition(|one| one.property == Property::Font).unwrap_or(0);
        let set = |setting: &mut Setting<'_>, first: bool| {
            for (place, declaration) in declarations.iter().enumerate() {
                let is_first = matches!(
                    declaration.property,
                    Property::FontSize
                        | Property::Font
                        | Property::FontSizeAdjust
                        | Property::Color
                        | Property::All
                );
                let is_reset = declaration.property == Property::LineHeight && place < font;
                if is_first == first && !is_reset && !matches!(declaration.property, Property::Custom(_)) {
                    self.set(setting, declaration, element, known.as_ref());
                }
            }
        };
        set(setting, true);
        set(setting, false);
    }

    fn set(
        &self,
        setting: &mut Setting<'_>,
        declaration: &Declaration,
        element: &Element,
        known: Option<&Rc<Custom>>,
    ) {
        let value = steadied(&declaration.value);
        if !has_variables(&value) {
            setting.apply(&declaration.property, trimmed(&value), false);
            return;
        }
        let known = Known { custom: known, element };
        match substitute(&value, known, 0).filter(|_| !self.rules.has_registered()) {
            Some(value) => self.put_in(setting, declaration, trimmed(&value)),
            None => setting.doubt(&declaration.property),
        }
    }

    /// Whether an animation of the message acts for some time or stays.
    fn is_animated(&self, declarations: &[&Declaration]) -> bool {
        let animations =
            declarations.iter().filter(|declaration| declaration.property == Property::Animation);
        let mut acts = declarations.iter().any(|declaration| declaration.property == Property::AnimationTime);
        let mut named = false;
        for declaration in animations {
            for token in &declaration.value {
                match token {
                    Tok::Ident(name) | Tok::Text(name) => {
                        named |= self.rules.animation(name);
                        acts |= ["forwards", "backwards", "both", "infinite", "paused"]
                            .iter()
                            .any(|stays| name.eq_ignore_ascii_case(stays));
                    }
                    // What soon ends leaves everything as it was.
                    Tok::Dimension(time, unit) => {
                        acts |= time.abs() > if unit == "ms" { 5000.0 } else { 5.0 }
                    }
                    Tok::Number(times) => acts |= *times > 3.0,
                    Tok::Function(..) => acts = true,
                    _ => {}
                }
            }
            let is_taken_over = declaration.value.iter().any(|token| token.is_ident("inherit"));
            let is_unknown = has_variables(&declaration.value) || is_taken_over;
            named |= is_unknown && self.rules.has_animations();
        }
        named && acts
    }

    /// Whether letters are drawn by a font of the message, which may show anything, or nothing.
    fn uses_own_letters(&self, element: &Element, declarations: &[&Declaration]) -> bool {
        if !self.rules.has_own_fonts() {
            return false;
        }
        if element.name() == "font" && element.attr("face").is_some() {
            return true;
        }
        let is_family = |property: &Property| matches!(property, Property::FontFamily | Property::Font);
        let families = declarations.iter().filter(|declaration| is_family(&declaration.property));
        families.into_iter().any(|family| {
            // In the shorthand a family stands behind the size, and nothing marks where it begins.
            let mut ends =
                between_commas(&family.value).flat_map(|part| (0..part.len()).map(move |at| &part[at..]));
            has_variables(&family.value) || ends.any(|end| self.rules.is_own_font(&sheet::family_name(end)))
        })
    }
}

/// Whether a declaration may say how high lines are.
fn sets_lines(declaration: &Declaration) -> bool {
    matches!(declaration.property, Property::LineHeight | Property::Font | Property::All)
}

/// Whether a declaration is of `all`, and of a value that it takes.
fn takes_all_back(declaration: &Declaration) -> bool {
    let is_taken = || wide(&declaration.value).is_some() || has_variables(&declaration.value);
    declaration.property == Property::All && is_taken()
}

/// The declarations that `all` does not take back: those behind it, and of what it leaves alone.
fn behind_all<'d>(declarations: &[&'d Declaration]) -> Vec<&'d Declaration> {
    let last = declarations.iter().rposition(|one| takes_all_back(one)).unwrap_or(0);
    let is_kept = |one: &Declaration| {
        matches!(one.property, Property::Custom(_) | Property::Direction | Property::Bidi)
    };
    declarations
        .iter()
        .enumerate()
        .filter(|(place, one)| *place >= last || is_kept(one))
        .map(|(_, one)| *one)
        .collect()
}

/// Whether letters are drawn as signs, by fonts that many machines have.
fn uses_signs(element: &Element, declarations: &[&Declaration]) -> bool {
    const SIGNS: [&str; 4] = ["wingdings", "webdings", "dingbats", "marlett"];
    let are_signs = |family: &str| SIGNS.iter().any(|signs| family.contains(signs));
    let face = element.attr("face").filter(|_| element.name() == "font");
    let named =
        face.is_some_and(|face| are_signs(&face.split(',').next().unwrap_or_default().to_ascii_lowercase()));
    let families = declarations
        .iter()
        .filter(|declaration| matches!(declaration.property, Property::FontFamily | Property::Font));
    named
        || families.into_iter().next_back().is_some_and(|family| {
            between_commas(&family.value).next().is_some_and(|first| are_signs(&sheet::family_name(first)))
        })
}

/// The declarations of a `style` attribute; `None` for one that is nested deeper than anyone would, or holds rules.
fn inline(value: &str) -> Option<Vec<Declaration>> {
    let tokens = tokens(value)?;
    let has_rules = tokens.iter().any(|token| matches!(token, Tok::AtWord(_)));
    (!has_rules).then(|| declaration::list(&tokens))
}

/// What decides between two declarations: importance, where they stand, specificity, scope, order.
type Rank = (bool, u8, u32, bool, usize);

/// The place of the attribute: above all that stands in a sheet (CSS Cascade 5, 6.4.3).
const INLINE: u8 = 4;

/// Layers lose to all else, and win where they are important (CSS Cascade 5, 6.4.4).
fn place(declaration: &Declaration, rule: &Rule) -> u8 {
    match (declaration.important, rule.layered) {
        (false, true) => 0,
        (_, false) => 1,
        (true, true) => 3,
    }
}
