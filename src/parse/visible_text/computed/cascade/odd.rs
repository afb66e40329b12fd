//! What not every reader takes in the same way, and what a document says where some of it is dropped.

use super::super::super::css::declaration::Declaration;
use super::super::super::css::plain::{is_bare_length, is_plain};
use super::super::super::css::rules::Meant;
use super::super::super::css::tokens::Tok;
use super::super::Style;
use super::super::setters::Setting;
use super::{Here, INLINE, Rank, Styler, place};

/// What not every reader takes in the same way: one may drop it, and show what is below.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super::super) enum Odd {
    /// Rules in something, or under a selector, by its number.
    Rules(usize),
    /// All lengths without a unit.
    BareLengths,
    /// A declaration, wherever it stands.
    Said(Declaration),
    /// What a declaration comes to once its variables are put in.
    PutIn(Declaration),
}

impl Odd {
    /// What a declaration is, if it is odd.
    fn of(declaration: &Declaration) -> Option<Self> {
        match is_plain(declaration) {
            true => None,
            false if is_bare_length(declaration) => Some(Self::BareLengths),
            false => Some(Self::Said(declaration.clone())),
        }
    }
}

impl Styler {
    /// Keeps the odd forms that make a difference to an element.
    pub(super) fn note_odd(
        &self,
        element: Here<'_>,
        (sure, inline): (&[Meant<'_>], &[Declaration]),
        parent: &Style,
        with: &Style,
    ) {
        let all: Vec<Odd> = odd_forms(sure, inline).collect();
        if all.iter().all(|odd| self.is_known(odd)) {
            return;
        }
        let looks =
            |without: &[Odd]| self.cascade(element, &self.ordered(sure, inline, without), parent).unnamed();
        let (with, bare) = (with.unnamed(), looks(&all));
        for odd in &all {
            // Of two that say the same either can be dropped, and one alone makes a difference to what is below both.
            let others: Vec<Odd> = all.iter().filter(|other| *other != odd).cloned().collect();
            let matters =
                || looks(std::slice::from_ref(odd)) != with || (!others.is_empty() && looks(&others) != bare);
            if !self.is_known(odd) && matters() {
                self.odd.borrow_mut().push(odd.clone());
            }
        }
    }

    fn is_known(&self, odd: &Odd) -> bool {
        self.odd.borrow().contains(odd)
    }

    /// What not every reader takes in the same way, and makes a difference to an element.
    pub(in super::super::super) fn odd(&self) -> Vec<Odd> {
        self.odd.borrow().clone()
    }

    /// Takes these forms to be dropped.
    pub(in super::super::super) fn drop_forms(&mut self, dropped: Vec<Odd>) {
        self.dropped = dropped;
    }

    /// All declarations that are not dropped, the winner of each property last.
    pub(super) fn ordered<'d>(
        &self,
        meant: &[Meant<'d>],
        inline: &'d [Declaration],
        without: &[Odd],
    ) -> Vec<&'d Declaration> {
        let is_dropped = |odd: &Odd| self.dropped.contains(odd) || without.contains(odd);
        let drops = !self.dropped.is_empty() || !without.is_empty();
        let is_kept = |one: &Declaration| !drops || Odd::of(one).is_none_or(|odd| !is_dropped(&odd));
        let mut all: Vec<(Rank, &Declaration)> = Vec::new();
        for meant in
            meant.iter().filter(|meant| !meant.rule.odd.iter().any(|number| is_dropped(&Odd::Rules(*number))))
        {
            let (weight, rule) = (meant.rule.selector.weight, meant.rule);
            let rank =
                |one: &Declaration| (one.important, place(one, rule), weight, rule.scoped, meant.order);
            let kept = rule.block.iter().filter(|one| is_kept(one));
            all.extend(kept.map(|declaration| (rank(declaration), declaration)));
        }
        let kept = inline.iter().filter(|one| is_kept(one));
        all.extend(kept.map(|declaration| ((declaration.important, INLINE, 0, false, 0), declaration)));
        all.sort_by_key(|(key, _)| *key);
        all.into_iter().map(|(_, declaration)| declaration).collect()
    }

    /// Applies what a declaration comes to once its variables are put in. Where not every reader takes that, it takes back
    /// what was set before instead.
    pub(super) fn put_in(&self, setting: &mut Setting<'_>, declaration: &Declaration, value: &[Tok]) {
        // The same words may come to one value here and to another there.
        let odd = Odd::PutIn(Declaration { value: value.to_vec(), ..declaration.clone() });
        if self.dropped.contains(&odd) {
            setting.apply(&declaration.property, &[Tok::Ident("unset".to_owned())], false);
            return;
        }
        let said = Declaration { value: value.to_vec(), ..declaration.clone() };
        let is_taken = setting.apply(&declaration.property, value, true);
        if is_taken && !is_plain(&said) && !self.is_known(&odd) {
            self.odd.borrow_mut().push(odd);
        }
    }
}

/// The odd forms of what is said about an element.
fn odd_forms<'d>(sure: &'d [Meant<'d>], inline: &'d [Declaration]) -> impl Iterator<Item = Odd> {
    let rules = sure.iter().flat_map(|meant| meant.rule.odd.iter().copied().map(Odd::Rules));
    let said = sure.iter().flat_map(|meant| meant.rule.block.iter()).chain(inline);
    rules.chain(said.filter_map(Odd::of))
}
