//! What speaks for and against a token or a link being a secret: facts with names, which the model weighs.

use super::address;
use super::called::{Called, called};
use super::lexicon::Concepts;
use super::naming::{Family, Feature, Mark, PAIRS, PLACES, Place, numbering};
use super::page::{Line, Link, Page};
use super::tokens::{Shape, Token};

/// What may be a secret.
#[derive(Debug, Clone, Copy)]
pub(super) enum Candidate {
    Token(usize, Token),
    Link(Link),
}

/// How far what touches a token may be from it, in bytes.
const TOUCHING: usize = 28;
/// How far from a token its name may stand, in bytes.
const FROM_ITS_NAME: usize = 40;
/// How far from a token `for example` may stand, in bytes.
const FROM_AN_EXAMPLE: usize = 12;
/// What stands right before what something is done with: `confirm with 482913`.
const WITH: &str = "with|mit|avec|con|com|met|med|z|ze|s|со|с|ile|cu|με|dengan|bằng|käyttäen|via|using";
/// What stands right before something that is only like it.
const LIKE: &str = "like|wie|comme|como|come|als|jak|som|kuten|gibi|как|jako|mint|ca|όπως|як|seperti|như";
/// How many lines away is near.
const NEAR: usize = 3;

/// Everything that may be a secret in a page.
pub(super) fn candidates(page: &Page<'_>) -> impl Iterator<Item = Candidate> {
    let tokens = page.tokens.iter().map(|(line, token)| Candidate::Token(*line, *token));
    tokens.chain(page.links.iter().map(|link| Candidate::Link(*link)))
}

/// What is the same for all candidates of a page.
pub(super) struct Surroundings {
    marks: Vec<Mark>,
    rest: Concepts,
}

impl Surroundings {
    pub(super) fn of(page: &Page<'_>) -> Self {
        let mut marks = vec![Mark::Any];
        marks.push(match page.words {
            0..=30 => Mark::Words30,
            31..=80 => Mark::Words80,
            81..=200 => Mark::Words200,
            _ => Mark::WordsMore,
        });
        marks.push(match page.link_count {
            0 => Mark::NoLinks,
            1 => Mark::OneLink,
            2..=4 => Mark::FewLinks,
            5..=12 => Mark::SomeLinks,
            _ => Mark::ManyLinks,
        });
        marks.push(match page.tokens.len() {
            0..=2 => Mark::FewTokens,
            3..=8 => Mark::SomeTokens,
            _ => Mark::ManyTokens,
        });
        let subject = page.lines[0].text;
        marks.extend(is_answer(subject).then_some(Mark::Answer));
        marks.extend(page.has_quotes.then_some(Mark::Quotes));
        marks.extend(is_technical(page).then_some(Mark::Technical));
        Self { marks, rest: page.concepts }
    }
}

fn is_answer(subject: &str) -> bool {
    let head: String = subject.chars().take(5).flat_map(char::to_lowercase).collect();
    [
        "re:", "aw:", "fw:", "fwd:", "sv:", "tr:", "rv:", "odp:", "vs:", "antw", "wg:", "res:", "回复",
        "答复", "转发",
    ]
    .iter()
    .any(|prefix| head.starts_with(prefix))
        || subject.starts_with('[')
}

/// Lines of programs, tables and patches.
fn is_technical(page: &Page<'_>) -> bool {
    let odd = |text: &str| {
        text.starts_with(['+', '|', '\t'])
            || text.starts_with("    ")
            || text.ends_with([';', '{', '}', '\\'])
            || text.starts_with("diff ")
            || text.contains("()")
    };
    let count = page.lines.iter().filter(|line| odd(line.text)).count();
    count > 2 && count * 6 > page.lines.len()
}

/// The facts about one candidate, each once.
pub(super) struct Facts<'p> {
    page: &'p Page<'p>,
    surroundings: &'p Surroundings,
    family: Family,
    line: usize,
    start: usize,
    end: usize,
    called: Called,
    features: Vec<Feature>,
}

/// The facts about a candidate of a page.
pub(super) fn facts(page: &Page<'_>, surroundings: &Surroundings, candidate: &Candidate) -> Vec<Feature> {
    let (family, line, start, end) = match candidate {
        Candidate::Token(line, token) => {
            let family = if token.shape.is_key() { Family::Key } else { Family::Code };
            (family, *line, token.start, token.end)
        }
        Candidate::Link(link) => (Family::Link, link.line, link.start, link.end),
    };
    let called = match candidate {
        Candidate::Token(..) => called(page, line, start, end),
        Candidate::Link(_) => Called::default(),
    };
    let features = Vec::with_capacity(64);
    let mut facts = Facts { page, surroundings, family, line, start, end, called, features };
    facts.words(candidate);
    facts.place();
    match candidate {
        Candidate::Token(_, token) => facts.token(token),
        Candidate::Link(link) => facts.link(link),
    }
    for mark in &surroundings.marks {
        facts.mark(*mark);
    }
    facts.features
}

impl Facts<'_> {
    fn base(&self) -> usize {
        self.family as usize * numbering().family
    }

    fn push(&mut self, number: usize) {
        self.features.push((self.base() + number) as Feature);
    }

    fn mark(&mut self, mark: Mark) {
        let before = numbering().concepts * PLACES.len() + 2 * PAIRS.len() + Shape::NAMES.len();
        self.push(before + mark as usize);
    }

    fn mark_if(&mut self, mark: Mark, holds: bool) {
        if holds {
            self.mark(mark);
        }
    }

    fn said(&mut self, concepts: Concepts, place: Place) {
        let mut left = concepts;
        while left != 0 {
            let concept = left.trailing_zeros() as usize;
            left &= left - 1;
            self.push(concept * PLACES.len() + place as usize);
        }
    }

    /// What is said around it.
    fn words(&mut self, candidate: &Candidate) {
        let numbering = numbering();
        // A sign-in code is one, whatever it gives access to.
        let counts = if self.called.is_a_secret() { !numbering.beside_codes } else { Concepts::MAX };
        let touching = self.touching() & counts;
        let line = self.page.lines[self.line].concepts & counts;
        let sentence = self.sentence() & counts;
        let near = self.near() & counts;
        let subject = self.page.lines[0].concepts & counts;
        let page = self.surroundings.rest & counts;
        for (concepts, place) in [
            (touching, Place::Touching),
            (line, Place::Line),
            (near, Place::Near),
            (page, Place::Page),
            (subject, Place::Subject),
            (self.before() & counts, Place::Before),
            (self.behind() & counts, Place::Behind),
            (sentence, Place::Sentence),
        ] {
            self.said(concepts, place);
        }
        if let Candidate::Link(Link { label: Some((start, end)), .. }) = candidate {
            self.said(self.between(*start, *end), Place::Label);
        }
        self.pairs(near | subject, 0);
        self.pairs(sentence, PAIRS.len());
        self.mark_if(Mark::Strong, near & numbering.strong != 0);
        self.mark_if(Mark::StrongPage, page & numbering.strong != 0);
        self.mark_if(Mark::StrongSubject, subject & numbering.strong != 0);
        self.mark_if(Mark::OtherTouching, touching & numbering.of_others != 0);
        self.mark_if(Mark::OtherSentence, sentence & numbering.of_others != 0);
        self.mark_if(Mark::OtherLine, line & numbering.of_others != 0);
        self.mark_if(Mark::OtherNear, near & numbering.of_others != 0);
        self.mark_if(Mark::OtherSubject, subject & numbering.of_others != 0);
        self.mark_if(Mark::OtherPage, page & numbering.of_others != 0);
        self.counts((near & numbering.of_secrets).count_ones(), (page & numbering.of_secrets).count_ones());
    }

    fn pairs(&mut self, said: Concepts, offset: usize) {
        let numbering = numbering();
        for (number, (first, second)) in numbering.pairs.iter().enumerate() {
            if said & first != 0 && said & second != 0 {
                self.push(numbering.concepts * PLACES.len() + offset + number);
            }
        }
    }

    fn counts(&mut self, near: u32, page: u32) {
        for (least, mark) in
            [(1, Mark::SecretNear1), (2, Mark::SecretNear2), (3, Mark::SecretNear3), (5, Mark::SecretNear5)]
        {
            self.mark_if(mark, near >= least);
        }
        for (least, mark) in
            [(2, Mark::SecretPage2), (4, Mark::SecretPage4), (6, Mark::SecretPage6), (8, Mark::SecretPage8)]
        {
            self.mark_if(mark, page >= least);
        }
    }

    fn between(&self, start: usize, end: usize) -> Concepts {
        let hits = self.page.lines[self.line].hits.iter();
        hits.filter(|hit| hit.start >= start && hit.end <= end).fold(0, |all, hit| all | hit.concepts)
    }

    fn touching(&self) -> Concepts {
        let Line { hits, text, .. } = &self.page.lines[self.line];
        // `Is this you? [Yes]`: a link answers the sentence before it.
        let is_link = self.family == Family::Link;
        let touches = |from: usize, until: usize| {
            from <= until && until - from <= TOUCHING && (is_link || !ends_a_sentence(&text[from..until]))
        };
        hits.iter()
            .filter(|hit| touches(hit.end, self.start) || touches(self.end, hit.start))
            .fold(0, |all, hit| all | hit.concepts)
    }

    /// All that is said in its sentence, or above it where it stands alone.
    fn sentence(&self) -> Concepts {
        let Line { hits, text, .. } = &self.page.lines[self.line];
        let is_empty = |part: &str| !part.contains(char::is_alphanumeric);
        if is_empty(&text[..self.start]) && is_empty(&text[self.end..]) {
            return self.line.checked_sub(1).map_or(0, |above| self.page.lines[above].concepts);
        }
        let in_it = |from: usize, until: usize| from <= until && !ends_a_sentence(&text[from..until]);
        hits.iter()
            .filter(|hit| in_it(hit.end, self.start) || in_it(self.end, hit.start))
            .fold(0, |all, hit| all | hit.concepts)
    }

    /// What is said last before it names it, also from the line above where it stands alone.
    fn before(&self) -> Concepts {
        let own = self.page.lines[self.line].hits.iter().rev().find(|hit| hit.end <= self.start);
        let text = self.page.lines[self.line].text;
        let begins = !text[..self.start].contains(char::is_alphanumeric);
        let above = || self.page.lines[..self.line].last().filter(|_| begins && self.line > 1);
        let is_beside =
            |from: usize| self.start - from <= FROM_ITS_NAME && !ends_a_sentence(&text[from..self.start]);
        let said = own.filter(|hit| is_beside(hit.end));
        said.or_else(|| above().and_then(|line| line.hits.last())).map_or(0, |hit| hit.concepts)
    }

    /// Whether what is said beside it calls it a secret, and whether what is said last before it calls it something else.
    fn named(&self) -> (bool, bool) {
        let numbering = numbering();
        let said = match self.before() {
            0 => self.behind(),
            before => before,
        };
        (self.beside() & numbering.names_of_secrets != 0, said & numbering.of_others != 0)
    }

    /// All that is said in its sentence, not far from it.
    fn beside(&self) -> Concepts {
        let Line { hits, text, .. } = &self.page.lines[self.line];
        let is_beside = |from: usize, until: usize| {
            from <= until && until - from <= FROM_ITS_NAME && !ends_a_sentence(&text[from..until])
        };
        hits.iter()
            .filter(|hit| is_beside(hit.end, self.start) || is_beside(self.end, hit.start))
            .fold(self.before(), |all, hit| all | hit.concepts)
    }

    fn behind(&self) -> Concepts {
        let Line { hits, text, .. } = &self.page.lines[self.line];
        let is_beside =
            |until: usize| until - self.end <= FROM_ITS_NAME && !ends_a_sentence(&text[self.end..until]);
        let first = hits.iter().find(|hit| hit.start >= self.end).filter(|hit| is_beside(hit.start));
        first.map_or(0, |hit| hit.concepts)
    }

    fn near(&self) -> Concepts {
        // The subject is far from all but the first lines.
        let first = self.line.saturating_sub(NEAR).max(usize::from(self.line > 0));
        let last = (self.line + NEAR + 1).min(self.page.lines.len());
        self.page.lines[first..last].iter().fold(0, |all, line| all | line.concepts)
    }

    /// Where it stands.
    fn place(&mut self) {
        let text = self.page.lines[self.line].text;
        let (before, after) = (&text[..self.start], &text[self.end..]);
        let is_empty = |part: &str| !part.contains(char::is_alphanumeric);
        let alone = is_empty(before) && is_empty(after);
        self.mark_if(Mark::Alone, alone);
        self.mark_if(Mark::First, !alone && is_empty(before));
        self.mark_if(Mark::Last, !alone && is_empty(after));
        self.mark_if(Mark::InSubject, self.line == 0);
        let bold = before.ends_with("**") || before.ends_with('`') || text.starts_with('#');
        self.mark_if(Mark::Heading, bold);
        let bare = before.trim_end_matches(|c: char| c.is_whitespace() || "*`\"“「【[(".contains(c));
        self.mark_if(Mark::Colon, bare.ends_with([':', '：', '=']) || (alone && self.follows_a_colon()));
        let words = text.split_whitespace().count();
        self.mark_if(Mark::ShortLine, words <= 5);
        self.mark_if(Mark::LongLine, words > 18);
    }

    fn follows_a_colon(&self) -> bool {
        let above = self.line.checked_sub(1).filter(|above| *above > 0);
        above.is_some_and(|above| self.page.lines[above].text.trim_end().ends_with([':', '：', '。', '↓']))
    }

    fn token(&mut self, token: &Token) {
        let shape = Shape::ALL.iter().position(|shape| *shape == token.shape).unwrap_or(0);
        self.push(numbering().concepts * PLACES.len() + 2 * PAIRS.len() + shape);
        let Called { sign_in, check, other, .. } = self.called;
        let is_a_secret = self.called.is_a_secret();
        self.mark_if(Mark::SignInCode, is_a_secret);
        self.mark_if(Mark::SignInOther, sign_in && !is_a_secret);
        self.mark_if(Mark::CheckCode, check && !sign_in);
        self.mark_if(Mark::OtherCode, other && !sign_in);
        let (is_named, is_other) = self.named();
        let is_other = is_other && !is_a_secret;
        self.mark_if(Mark::NamedSecret, is_named && !is_other);
        self.mark_if(Mark::NamedOther, is_other);
        self.mark_if(Mark::Unnamed, !is_named && !is_other);
        self.mark_if(Mark::Named4, token.length == 4 && is_named && !is_other);
        self.mark_if(Mark::Length4, token.length == 4 && (!is_named || is_other));
        self.mark_if(Mark::Length6, token.length == 6);
        self.mark_if(Mark::Longer, token.length > 8);
        let text = self.page.lines[self.line].text;
        let before = text[..self.start].trim_end().chars().next_back();
        let after = text[self.end..].trim_start().chars().next();
        self.mark_if(
            Mark::Hash,
            before.is_some_and(|c| matches!(c, '#' | '№' | '°')) && !text.starts_with('#'),
        );
        let money =
            |c: char| matches!(c, '$' | '€' | '£' | '¥' | '₹' | '₽' | '₺' | '%' | '￥' | '元' | '円' | '원');
        self.mark_if(Mark::Money, before.is_some_and(money) || after.is_some_and(money));
        let behind = text[self.end..].strip_prefix(' ').unwrap_or_default();
        let is_counted = behind.chars().take_while(|c| c.is_lowercase()).count() > 3;
        let word = text[..self.start].trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
        let is_used = is_one_of(word, WITH) || self.before() & numbering().used != 0;
        self.mark_if(Mark::Counts, is_counted && !is_used);
        self.mark_if(Mark::MoneyLine, text.contains(money));
        self.mark_if(Mark::Brackets, before.is_some_and(|c| matches!(c, '(' | '[' | '<')));
        self.mark_if(
            Mark::Quoted,
            before.is_some_and(|c| matches!(c, '"' | '“' | '「' | '【' | '\'' | '`' | '«')),
        );
        self.mark_if(Mark::TimeLine, has_time_of_day(text));
        self.mark_if(Mark::With, is_one_of(word, WITH));
        self.mark_if(Mark::AsExample, is_one_of(word, LIKE) || self.follows_an_example());
        self.alike(token);
    }

    /// `such as 482913`.
    fn follows_an_example(&self) -> bool {
        let last = self.page.lines[self.line].hits.iter().rev().find(|hit| hit.end <= self.start);
        last.is_some_and(|hit| {
            hit.concepts & numbering().example != 0 && self.start - hit.end <= FROM_AN_EXAMPLE
        })
    }

    /// Others like it: a code stands once, or a second time in the subject; backup codes are many.
    fn alike(&mut self, token: &Token) {
        let own = &self.page.lines[self.line].text[self.start..self.end];
        let same =
            |(line, other): &&(usize, Token)| &self.page.lines[*line].text[other.start..other.end] == own;
        let is_like =
            |(_, other): &&(usize, Token)| other.shape == token.shape && other.length == token.length;
        let copies: Vec<usize> = self.page.tokens.iter().filter(same).map(|(line, _)| *line).collect();
        let alike = self.page.tokens.iter().filter(is_like).count().saturating_sub(copies.len()) + 1;
        let beside = |(line, other): &(usize, Token)| *line == self.line && other.shape == token.shape;
        let beside = self.page.tokens.iter().filter(|found| beside(found) && !same(found)).count();
        self.mark_if(Mark::OthersInLine, beside > 0);
        self.mark_if(Mark::AlsoInSubject, self.line > 0 && copies.contains(&0));
        self.mark_if(Mark::Repeated, copies.len() > 1);
        self.mark(match alike {
            0 | 1 => Mark::OneAlike,
            2 => Mark::TwoAlike,
            3..=5 => Mark::SomeAlike,
            _ => Mark::ManyAlike,
        });
    }

    fn link(&mut self, link: &Link) {
        self.mark_if(Mark::Labelled, link.label.is_some());
        let address = &self.page.lines[self.line].text[link.start..link.end];
        address::marks(address).into_iter().for_each(|mark| self.mark(mark));
    }
}

/// Whether what stands between two words parts them.
fn ends_a_sentence(between: &str) -> bool {
    [". ", "! ", "? ", "。", "！", "？", "।"].iter().any(|end| between.contains(end))
}

/// Whether a word is in a list, in any case.
fn is_one_of(word: &str, list: &str) -> bool {
    let word = word.to_lowercase();
    !word.is_empty() && list.split('|').any(|known| known == word)
}

/// `19:30`.
fn has_time_of_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_time =
        |at: usize| at > 0 && is_digit(at - 1) && is_digit(at + 1) && is_digit(at + 2) && !is_digit(at + 3);
    (0..bytes.len()).any(|at| bytes[at] == b':' && is_time(at))
}
