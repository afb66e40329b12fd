//! Whether an element is meant by a selector. Every look at an element is counted, so that the work has a bound.

use std::cell::Cell;

use ego_tree::NodeRef;
use html5ever::ns;
use scraper::Node;
use scraper::node::Element;

use super::selector::{AttributeTest, Bond, Part, Pseudo, Selector};

/// How sure it is that a selector means an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Match {
    No,
    Maybe,
    Yes,
}

type Here<'t> = NodeRef<'t, Node>;

/// Matches selectors within a budget of looks.
pub(crate) struct Matcher {
    /// In quirks mode classes and ids are the same in any case.
    pub(crate) quirks: bool,
    /// Looks left.
    pub(crate) budget: Cell<u64>,
}

impl Matcher {
    /// Whether the budget is used up: what was answered since is worth nothing.
    pub(crate) fn is_spent(&self) -> bool {
        self.budget.get() == 0
    }

    /// Takes one look from the budget; `false` when there is none left.
    pub(crate) fn look(&self) -> bool {
        let left = self.budget.get();
        self.budget.set(left.saturating_sub(1));
        left > 0
    }

    pub(crate) fn matches(&self, selector: &Selector, here: Here<'_>) -> Match {
        self.from(&selector.parts, here)
    }

    /// Whether a selector means an element if the lists in it are left out.
    pub(crate) fn may_mean(&self, selector: &Selector, here: Here<'_>) -> bool {
        let parts: Vec<Part> = selector.parts.iter().map(without_lists).collect();
        self.from(&parts, here) != Match::No
    }

    fn from(&self, parts: &[Part], here: Here<'_>) -> Match {
        let Some((part, rest)) = parts.split_first() else { return Match::Yes };
        let own = self.part(part, here);
        if own == Match::No {
            return own;
        }
        let outer = match part.bond {
            None => Match::Yes,
            Some(Bond::Child) => parent(here).map_or(Match::No, |parent| self.from(rest, parent)),
            Some(Bond::Next) => previous(here).map_or(Match::No, |previous| self.from(rest, previous)),
            Some(Bond::Inside) => self.any(rest, std::iter::successors(parent(here), |node| parent(*node))),
            Some(Bond::After) => {
                self.any(rest, std::iter::successors(previous(here), |node| previous(*node)))
            }
        };
        own.min(outer)
    }

    fn any<'t>(&self, parts: &[Part], candidates: impl Iterator<Item = Here<'t>>) -> Match {
        let mut best = Match::No;
        for candidate in candidates {
            best = best.max(self.from(parts, candidate));
            if best == Match::Yes || self.is_spent() {
                break;
            }
        }
        best
    }

    fn part(&self, part: &Part, here: Here<'_>) -> Match {
        let Some(element) = here.value().as_element().filter(|_| self.look()) else { return Match::No };
        if part.tag.as_deref().is_some_and(|tag| !element.name().eq_ignore_ascii_case(tag)) {
            return Match::No;
        }
        let mut sure = Match::Yes;
        for id in &part.ids {
            sure = sure.min(self.same(element.id().unwrap_or_default(), id));
        }
        for class in &part.classes {
            let best = element.classes().map(|own| self.same(own, class)).max();
            sure = sure.min(best.unwrap_or(Match::No));
        }
        if sure == Match::No || !part.attributes.iter().all(|test| attribute(test, element)) {
            return Match::No;
        }
        // Which attributes are compared in any case depends on the language of the element.
        if !part.attributes.is_empty() && element.name.ns != ns!(html) {
            sure = sure.min(Match::Maybe);
        }
        part.pseudos.iter().fold(sure, |sure, pseudo| match sure {
            Match::No => Match::No,
            _ => sure.min(self.pseudo(pseudo, here, element)),
        })
    }

    /// The same name; another case is enough for doubt, as not every reader shows a message in its own mode.
    fn same(&self, own: &str, wanted: &str) -> Match {
        match own.eq_ignore_ascii_case(wanted) {
            _ if own == wanted => Match::Yes,
            true if self.quirks => Match::Yes,
            true => Match::Maybe,
            false => Match::No,
        }
    }

    fn pseudo(&self, pseudo: &Pseudo, here: Here<'_>, element: &Element) -> Match {
        let sure = |holds| if holds { Match::Yes } else { Match::No };
        match pseudo {
            Pseudo::Never => Match::No,
            Pseudo::Maybe => Match::Maybe,
            Pseudo::Root => sure(parent(here).is_none()),
            // Where a link leads nowhere else, it leads to where one is.
            Pseudo::Link | Pseudo::Visited if leads_here(element) => Match::Maybe,
            Pseudo::Link => sure(matches!(element.name(), "a" | "area") && element.attr("href").is_some()),
            Pseudo::Visited => Match::No,
            Pseudo::Checked => match element.name() {
                "input" | "option" => Match::Maybe,
                _ => Match::No,
            },
            Pseudo::Control => match element.name() {
                "input" | "button" | "select" | "textarea" | "option" | "optgroup" | "fieldset" | "form"
                | "details" | "dialog" | "progress" | "meter" | "object" | "output" => Match::Maybe,
                name if name.contains('-') => Match::Maybe,
                _ => Match::No,
            },
            // Nothing but controls can be written into, unless it says so.
            Pseudo::ReadOnly => {
                let is_written = |element: &Element| {
                    matches!(element.name(), "input" | "textarea")
                        || element.attr("contenteditable").is_some()
                };
                let around = || here.ancestors().filter_map(|around| around.value().as_element());
                if is_written(element) || around().any(is_written) { Match::Maybe } else { Match::Yes }
            }
            Pseudo::Defined => {
                if element.name().contains('-') {
                    Match::Maybe
                } else {
                    Match::Yes
                }
            }
            Pseudo::Empty => sure(here.children().all(|child| child.value().is_comment())),
            Pseudo::Nth { .. } => sure(self.nth(pseudo, here, element)),
            // Which of them it is is not counted.
            Pseudo::NthOf(list) => self.best(list, here).min(Match::Maybe),
            Pseudo::Only { of_type } => sure([false, true].into_iter().all(|from_end| {
                self.nth(&Pseudo::Nth { step: 0, offset: 1, from_end, of_type: *of_type }, here, element)
            })),
            Pseudo::Is(list) => self.best(list, here),
            Pseudo::Not(list) => match self.best(list, here) {
                Match::Yes => Match::No,
                Match::Maybe => Match::Maybe,
                Match::No => Match::Yes,
            },
            Pseudo::Has(list) => self.has(list, here),
        }
    }

    fn best(&self, list: &[Selector], here: Here<'_>) -> Match {
        list.iter().map(|selector| self.matches(selector, here)).max().unwrap_or(Match::No)
    }

    /// Whether something below or behind may be meant. Where exactly it must stand is left to doubt, unless it is
    /// anywhere below.
    fn has(&self, list: &[Selector], here: Here<'_>) -> Match {
        if list.iter().all(|selector| selector.parts.len() == 1) {
            let below = here.descendants().skip(1).filter(|_| self.look());
            return below.map(|candidate| self.best(list, candidate)).max().unwrap_or(Match::No);
        }
        let below = here.descendants().skip(1);
        let behind = here.next_siblings().flat_map(|sibling| sibling.descendants());
        let mut best = Match::No;
        for candidate in below.chain(behind) {
            if best != Match::No || !self.look() {
                break;
            }
            best = self.best(list, candidate).min(Match::Maybe);
        }
        best
    }

    fn nth(&self, pseudo: &Pseudo, here: Here<'_>, element: &Element) -> bool {
        let Pseudo::Nth { step, offset, from_end, of_type } = pseudo else { return false };
        let counts = |node: &Here<'_>| {
            let other = node.value().as_element().filter(|_| self.look());
            other.is_some_and(|other| !of_type || other.name() == element.name())
        };
        let before = match from_end {
            true => here.next_siblings().filter(counts).count(),
            false => here.prev_siblings().filter(counts).count(),
        };
        let distance = i64::try_from(before).unwrap_or(i64::MAX - 1) + 1 - i64::from(*offset);
        match i64::from(*step) {
            0 => distance == 0,
            step => distance % step == 0 && distance / step >= 0,
        }
    }
}

/// Whether an element is a link to the message itself.
fn leads_here(element: &Element) -> bool {
    matches!(element.name(), "a" | "area") && element.attr("href").is_some_and(|href| href.trim().is_empty())
}

/// A part of a selector without lists of others.
fn without_lists(part: &Part) -> Part {
    let is_list = |pseudo: &Pseudo| matches!(pseudo, Pseudo::Not(_) | Pseudo::Is(_) | Pseudo::Has(_));
    Part { pseudos: part.pseudos.iter().filter(|pseudo| !is_list(pseudo)).cloned().collect(), ..part.clone() }
}

fn parent(here: Here<'_>) -> Option<Here<'_>> {
    here.parent().filter(|node| node.value().is_element())
}

fn previous(here: Here<'_>) -> Option<Here<'_>> {
    here.prev_siblings().find(|node| node.value().is_element())
}

fn attribute(test: &AttributeTest, element: &Element) -> bool {
    let Some(own) =
        element.attrs().find(|(name, _)| name.eq_ignore_ascii_case(&test.name)).map(|(_, value)| value)
    else {
        return false;
    };
    // HTML compares the values of some in any case.
    let is_exact = !test.any_case && !is_any_case(&test.name);
    let fold = |text: &str| if is_exact { text.to_owned() } else { text.to_ascii_lowercase() };
    let (own, wanted) = (fold(own), fold(&test.value));
    if test.operator == ' ' {
        return true;
    }
    match test.operator {
        '=' => own == wanted,
        '~' => !wanted.is_empty() && own.split_ascii_whitespace().any(|word| word == wanted),
        '|' => own == wanted || own.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('-')),
        '^' => !wanted.is_empty() && own.starts_with(&wanted),
        '$' => !wanted.is_empty() && own.ends_with(&wanted),
        _ => !wanted.is_empty() && own.contains(&wanted),
    }
}

/// The attributes whose values HTML compares in any case ("Case-sensitivity of selectors").
fn is_any_case(name: &str) -> bool {
    const NAMES: &str = " accept accept-charset align alink axis bgcolor charset checked clear codetype color compact \
        declare defer dir direction disabled enctype face frame hreflang http-equiv lang language link media method \
        multiple nohref noresize noshade nowrap readonly rel rev rules scope scrolling selected shape target text type \
        valign valuetype vlink ";
    NAMES.split_ascii_whitespace().any(|known| known == name)
}
