//! Whether a message carries a secret of its own: a one-time code, a link that resets a password or signs in, a
//! password, backup codes, the key of an authenticator. Pure, and judged by what a person sees.
//!
//! Everything that looks like a code or is a link is a candidate. What it looks like, where it stands and what is said
//! around it are facts with names (`features`); a linear model weighs them (`model`). Mail that merely talks about
//! such things passes, because nothing in it is handed over. Before that comes what needs no weighing (`certain`).

mod address;
mod called;
mod certain;
mod features;
mod lexicon;
mod model;
mod naming;
mod page;
mod phrase;
mod tokens;

use crate::model::SecretKind;

use certain::Certain;
use features::{Candidate, Surroundings};
use naming::Feature;
use page::{Page, Source};
use tokens::Shape;

/// What a fact weighs that needs no other.
const CERTAIN: f32 = 100.0;

/// The secret that a subject and the visible text carry.
#[must_use]
pub fn secret(subject: &str, text: &str) -> Option<SecretKind> {
    if let Some(found) = certain(subject, text) {
        return Some(found.kind);
    }
    let source = source(subject, text)?;
    let page = worth_weighing(&source)?;
    let (candidate, features) = heaviest(&page)?;
    (model::score(&features) > 0.0).then(|| kind(&page, &candidate))
}

/// What needs no weighing.
fn certain(subject: &str, text: &str) -> Option<Certain> {
    let other = || page::may_carry(subject, text).then(|| certain::secret(subject, text)).flatten();
    certain::key(subject, text).or_else(other)
}

/// What a message is judged by, unless nothing in it may be a secret.
fn source(subject: &str, text: &str) -> Option<Source> {
    page::may_carry(subject, text).then(|| Source::new(subject, text))
}

/// The page, unless too little in it speaks of secrets.
fn worth_weighing(source: &Source) -> Option<Page<'_>> {
    let hits = source.hits();
    let said = hits.iter().fold(0, |all, hit| all | hit.concepts);
    naming::may_carry(said, source.words()).then(|| source.page(&hits))
}

/// What weighed how much in a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// What it carries, when that is enough.
    pub secret: Option<SecretKind>,
    /// The line that was looked at, without blank and quoted ones; the subject is line 0.
    pub line: usize,
    /// The sum; above zero it is a secret.
    pub score: f32,
    /// Names of facts and what they weigh, the heaviest first.
    pub weights: Vec<(String, f32)>,
}

impl Explanation {
    /// Where what was looked at stands, in words.
    #[must_use]
    pub fn place(&self) -> String {
        match self.line {
            0 => "in the subject".to_owned(),
            line => format!("in line {line} of the text"),
        }
    }
}

/// Why `secret` says what it says: the facts about what looks most like a secret. `None` when nothing does at all.
#[must_use]
pub fn explain(subject: &str, text: &str) -> Option<Explanation> {
    if let Some(Certain { kind, line, fact }) = certain(subject, text) {
        let weights = vec![(fact.to_owned(), CERTAIN)];
        return Some(Explanation { secret: Some(kind), line, score: CERTAIN, weights });
    }
    let source = source(subject, text)?;
    let page = worth_weighing(&source)?;
    let (candidate, features) = heaviest(&page)?;
    let score = model::score(&features);
    let mut weights: Vec<(String, f32)> =
        features.iter().map(|feature| (name(*feature), model::weight(*feature))).collect();
    weights.retain(|(_, weight)| weight.abs() >= 0.005);
    weights.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    let secret = (score > 0.0).then(|| kind(&page, &candidate));
    Some(Explanation { secret, line: line_of(&candidate), score, weights })
}

/// The names of the facts about every candidate of a message, and the text of each: what the model is trained on.
#[must_use]
pub fn candidates(subject: &str, text: &str) -> Vec<(String, Vec<String>)> {
    let source = source(subject, text);
    let Some(page) = source.as_ref().and_then(worth_weighing) else { return Vec::new() };
    let surroundings = Surroundings::of(&page);
    let named = |candidate: Candidate| {
        let facts = features::facts(&page, &surroundings, &candidate);
        let (line, start, end) = match candidate {
            Candidate::Token(line, token) => (line, token.start, token.end),
            Candidate::Link(link) => (link.line, link.start, link.end),
        };
        (page.lines[line].text[start..end].to_owned(), facts.into_iter().map(name).collect())
    };
    features::candidates(&page).map(named).collect()
}

fn name(feature: Feature) -> String {
    naming::names().get(usize::from(feature)).cloned().unwrap_or_default()
}

fn heaviest(page: &Page<'_>) -> Option<(Candidate, Vec<Feature>)> {
    let surroundings = Surroundings::of(page);
    let weighed = features::candidates(page).map(|candidate| {
        let facts = features::facts(page, &surroundings, &candidate);
        (model::score(&facts), candidate, facts)
    });
    weighed.max_by(|(a, ..), (b, ..)| a.total_cmp(b)).map(|(_, candidate, facts)| (candidate, facts))
}

fn line_of(candidate: &Candidate) -> usize {
    match candidate {
        Candidate::Token(line, _) => *line,
        Candidate::Link(link) => link.line,
    }
}

/// What a secret is called, by its shape and what the lines around it speak of.
fn kind(page: &Page<'_>, candidate: &Candidate) -> SecretKind {
    let line = line_of(candidate);
    let first = line.saturating_sub(3);
    let last = (line + 3).min(page.lines.len());
    let near = page.lines[first..last].iter().fold(page.lines[0].concepts, |all, line| all | line.concepts);
    let says = |name: &str| near & lexicon::concept(name) != 0;
    match candidate {
        Candidate::Link(_) if says("reset") || says("forgot") || says("new_password") => {
            SecretKind::ResetLink
        }
        Candidate::Link(_) => SecretKind::SignInLink,
        Candidate::Token(_, token) if token.shape == Shape::Seed => SecretKind::AuthenticatorKey,
        Candidate::Token(..) if says("backup") => SecretKind::BackupCode,
        Candidate::Token(_, token)
            if says("password") && !says("one_time") && (token.shape.is_key() || says("temporary")) =>
        {
            SecretKind::Password
        }
        Candidate::Token(..) => SecretKind::OneTimeCode,
    }
}

#[cfg(test)]
mod tests;
