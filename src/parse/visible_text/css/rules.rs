//! The rules of all style sheets of a message, found by the id, class or name of the element they are about.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use ego_tree::NodeRef;
use scraper::Node;

use super::declaration::Declaration;
use super::matching::{Match, Matcher};
use super::media::Scheme;
use super::selector::Selector;

/// One selector and what it sets.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) selector: Selector,
    pub(crate) block: Rc<Vec<Declaration>>,
    /// Whether the conditions around it hold.
    pub(crate) holds: Match,
    /// What makes that doubtful, if it is so for all elements or for none.
    pub(crate) condition: Option<usize>,
    /// In a layer: below all that is in none, and above it where it is important.
    pub(crate) layered: bool,
    /// In a scope: before all else that is as specific, wherever it stands.
    pub(crate) scoped: bool,
    /// What around it, and which selector, not every reader takes in the same way.
    pub(crate) odd: Vec<usize>,
}

/// A rule that means an element.
#[derive(Clone, Copy)]
pub(crate) struct Meant<'r> {
    pub(crate) rule: &'r Rule,
    /// Its place among all rules.
    pub(crate) order: usize,
    pub(crate) sure: Match,
    /// How sure it is that its selector means the element.
    pub(crate) selected: Match,
}

/// All rules, by what the element must have.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    rules: Vec<Rule>,
    by_id: HashMap<String, Vec<usize>>,
    by_class: HashMap<String, Vec<usize>>,
    by_tag: HashMap<String, Vec<usize>>,
    others: Vec<usize>,
    /// The names of animations that change something which can hide.
    pub(super) animations: HashSet<String>,
    /// The names of layers that hold rules: which of several wins is not worked out.
    pub(super) layers: HashSet<String>,
    /// How many scopes hold rules.
    pub(super) scopes: usize,
    /// How many conditions were met so far.
    pub(super) conditions: usize,
    /// How many things were met that not every reader takes in the same way.
    pub(super) odd: usize,
    /// Whether variables are registered with a type, which changes what they come to.
    pub(super) registered: bool,
    /// Whether the document may make anything a container that rules can ask about.
    pub(crate) has_containers: bool,
    /// Whether the document may make anything change slowly, from a beginning that is then seen for a while.
    pub(crate) has_transitions: bool,
    /// Whether nothing in the document says how letters of drawings look.
    pub(crate) has_plain_letters: bool,
    /// Whether the document may hold shapes that cut off, or filters.
    pub(crate) has_drawings: bool,
    /// The colours that the person likes, and whether any rule asks for them.
    pub(crate) scheme: Scheme,
    pub(crate) asks_scheme: bool,
    /// Families whose letters are drawn by a font in the message itself: they may show anything, or nothing.
    pub(super) own_fonts: HashSet<String>,
    /// Fonts of the message stand under names that are not followed.
    pub(super) replaces_fonts: bool,
}

/// Messages that people send have up to a few thousand.
const MAX_RULES: usize = 20_000;

impl Rules {
    /// Adds a rule; `false` when there are too many.
    pub(super) fn add(&mut self, rule: Rule) -> bool {
        let subject = &rule.selector.parts[0];
        let place = match (subject.ids.first(), subject.classes.first(), &subject.tag) {
            (Some(id), ..) => self.by_id.entry(id.to_ascii_lowercase()).or_default(),
            (_, Some(class), _) => self.by_class.entry(class.to_ascii_lowercase()).or_default(),
            (.., Some(tag)) => self.by_tag.entry(tag.clone()).or_default(),
            _ => &mut self.others,
        };
        place.push(self.rules.len());
        self.rules.push(rule);
        self.rules.len() <= MAX_RULES
    }

    /// Whether an animation of this name changes something that can hide.
    pub(crate) fn animation(&self, name: &str) -> bool {
        self.animations.contains(name)
    }

    /// Whether rules stand in several layers or scopes, whose order is not followed.
    pub(crate) fn has_several_orders(&self) -> bool {
        self.layers.len() > 1 || self.scopes > 1
    }

    pub(crate) fn has_animations(&self) -> bool {
        !self.animations.is_empty()
    }

    pub(crate) fn has_registered(&self) -> bool {
        self.registered
    }

    pub(crate) fn has_own_fonts(&self) -> bool {
        !self.own_fonts.is_empty()
    }

    /// Whether a font of the message has the name of one that text has without asking for it.
    pub(crate) fn replaces_usual_fonts(&self) -> bool {
        const USUAL: [&str; 10] = [
            "times new roman",
            "times",
            "arial",
            "helvetica",
            "verdana",
            "georgia",
            "courier new",
            "courier",
            "dejavu sans",
            "dejavu serif",
        ];
        self.replaces_fonts || USUAL.iter().any(|name| self.own_fonts.contains(*name))
    }

    /// Whether the letters of this family are drawn by the message itself.
    pub(crate) fn is_own_font(&self, family: &str) -> bool {
        self.own_fonts.contains(&family.to_lowercase())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rules that mean this element, or may mean it.
    pub(crate) fn of(&self, here: NodeRef<'_, Node>, matcher: &Matcher) -> Vec<Meant<'_>> {
        let Some(element) = here.value().as_element().filter(|_| !self.is_empty()) else { return Vec::new() };
        let mut meant = Vec::new();
        let id = element.id().map(str::to_ascii_lowercase);
        let by_id = id.as_ref().and_then(|id| self.by_id.get(id));
        let classes = element.classes().map(str::to_ascii_lowercase);
        let by_class: Vec<_> = classes.filter_map(|class| self.by_class.get(&class)).collect();
        let by_tag = self.by_tag.get(&element.name().to_ascii_lowercase());
        let lists = by_id.into_iter().chain(by_class).chain(by_tag).chain([&self.others]);
        for order in lists.flatten() {
            let rule = &self.rules[*order];
            let matches = matcher.matches(&rule.selector, here);
            // Readers that know more or fewer of the selectors in it may mean more elements.
            let may_mean =
                matches == Match::No && rule.selector.fuzzy && matcher.may_mean(&rule.selector, here);
            let selected = if may_mean { Match::Maybe } else { matches };
            let sure = rule.holds.min(selected);
            if sure != Match::No {
                meant.push(Meant { rule, order: *order, sure, selected });
            }
            if matcher.is_spent() {
                break;
            }
        }
        // A class that is written twice finds its rules twice.
        meant.sort_by_key(|meant| meant.order);
        meant.dedup_by_key(|meant| meant.order);
        meant
    }
}
