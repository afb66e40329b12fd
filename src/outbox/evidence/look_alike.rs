//! Addresses that could be taken for somebody the owner knows: nearly the same letters, letters that look the same, the
//! same name elsewhere. Only whom the owner wrote to can be imitated; who writes to the owner makes nothing suspicious.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use crate::outbox::OutboxError;
use crate::outbox::evidence::Recipient;
use crate::parse;
use crate::store::Reader;

/// So many people are compared with.
const MOST_PEOPLE: usize = 20_000;
/// In shorter names one letter makes another name, not the same one misspelt.
const SHORTEST: usize = 4;

/// Where everybody has an address: that two people are there says nothing.
const PROVIDERS: [&str; 16] = [
    "aol",
    "fastmail",
    "gmail",
    "gmx",
    "googlemail",
    "hotmail",
    "icloud",
    "live",
    "mail",
    "outlook",
    "proton",
    "protonmail",
    "web",
    "yahoo",
    "yandex",
    "zoho",
];

/// What makes an address look like another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Likeness {
    /// Its letters are others that look the same.
    SameLook,
    /// One letter is other, missing, or one too many, or two are swapped.
    OneLetter,
    /// The same name under another ending: `example.com` for `example.org`.
    OtherEnding,
    /// Only the domain is so; the known address is one at the domain it looks like.
    Domain,
    /// The name shown is somebody's who has another address.
    SameName,
}

/// Somebody the owner knows, for whom an address could be taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LookAlike {
    /// What makes it look so.
    pub likeness: Likeness,
    /// The address that is known.
    pub address: String,
    /// The name that is known.
    pub name: String,
}

/// An address in the forms that are compared.
struct Familiar {
    address: String,
    name: String,
    local: String,
    /// How the part before the `@` looks.
    local_look: String,
    domain: String,
}

/// A domain where the owner knows somebody.
struct Place {
    domain: String,
    look: String,
    /// Who is known there.
    people: Vec<usize>,
}

/// Those whom the owner wrote to, and the owner.
pub(super) struct Known {
    people: Vec<Familiar>,
    places: Vec<Place>,
    by_domain: HashMap<String, usize>,
    /// Places by the word that their domain is called by.
    by_word: HashMap<String, Vec<usize>>,
    by_look: HashMap<String, Vec<usize>>,
    /// Places by the length of their look: one letter off is as long, or one longer or shorter.
    by_length: HashMap<usize, Vec<usize>>,
    by_name: HashMap<u64, usize>,
}

impl Known {
    pub(super) fn read(reader: &Reader, own: &[String]) -> Result<Self, OutboxError> {
        let own = own.iter().map(|address| (address.to_lowercase(), String::new()));
        let people = reader.people(MOST_PEOPLE)?.into_iter().map(|it| (it.address, it.name));
        Ok(Self::of(people.chain(own)))
    }

    fn of(people: impl Iterator<Item = (String, String)>) -> Self {
        let people: Vec<_> = people.filter_map(|(address, name)| Familiar::of(address, name)).collect();
        let mut known = Self {
            places: Vec::new(),
            by_domain: HashMap::new(),
            by_word: HashMap::new(),
            by_look: HashMap::new(),
            by_length: HashMap::new(),
            by_name: HashMap::new(),
            people: Vec::new(),
        };
        for (person, familiar) in people.iter().enumerate() {
            let place = known.place(&familiar.domain);
            known.places[place].people.push(person);
            if let Some(key) = name_key(&familiar.name) {
                known.by_name.entry(key).or_insert(person);
            }
        }
        Self { people, ..known }
    }

    /// The place of a domain, made when it is new.
    fn place(&mut self, domain: &str) -> usize {
        if let Some(place) = self.by_domain.get(domain) {
            return *place;
        }
        let (place, look) = (self.places.len(), look(&spelt(domain)));
        self.by_domain.insert(domain.to_owned(), place);
        self.by_word.entry(word_of(domain).to_owned()).or_default().push(place);
        self.by_length.entry(look.chars().count()).or_default().push(place);
        self.by_look.entry(look.clone()).or_default().push(place);
        self.places.push(Place { domain: domain.to_owned(), look, people: Vec::new() });
        place
    }

    /// Somebody for whom this address could be taken; the strongest reason.
    pub(super) fn look_alike(&self, it: &Recipient) -> Option<LookAlike> {
        let wanted = Familiar::of(it.address.to_lowercase(), it.name.clone())?;
        let near = match self.by_domain.get(&wanted.domain) {
            Some(place) => self.beside(&wanted, &self.places[*place]),
            None => self.elsewhere(&wanted),
        };
        near.or_else(|| self.namesake(&wanted))
    }

    /// At the same domain, nearly the same.
    fn beside(&self, wanted: &Familiar, place: &Place) -> Option<LookAlike> {
        let mut there = place.people.iter().map(|person| &self.people[*person]);
        there.find_map(|known| Some(known.told(local_likeness(wanted, known)?)))
    }

    /// At a domain that looks like one where somebody is known. Where the domain itself is known it is no disguise.
    fn elsewhere(&self, wanted: &Familiar) -> Option<LookAlike> {
        let mut weaker = None;
        for (place, likeness) in self.places_like(&wanted.domain) {
            let mut there = place.people.iter().map(|person| &self.people[*person]);
            if let Some(same) = there.find(|known| known.local == wanted.local) {
                return Some(same.told(likeness));
            }
            let is_everybodys =
                likeness == Likeness::OtherEnding && PROVIDERS.contains(&word_of(&place.domain));
            if let Some(first) = place.people.first().filter(|_| !is_everybodys && weaker.is_none()) {
                weaker = Some(self.people[*first].told(Likeness::Domain));
            }
        }
        weaker
    }

    /// Places whose domain looks like this one, those that look most like it first.
    fn places_like(&self, domain: &str) -> Vec<(&Place, Likeness)> {
        let (seen, word) = (look(&spelt(domain)), word_of(domain));
        let found =
            |places: Option<&Vec<usize>>| places.into_iter().flatten().map(|at| &self.places[*at]).collect();
        let same: Vec<&Place> = found(self.by_look.get(&seen));
        let other: Vec<&Place> = found(self.by_word.get(word));
        let other = other.into_iter().filter(|place| parse::site(domain) != parse::site(&place.domain));
        let length = seen.chars().count();
        let lengths = length.saturating_sub(1)..=length + 1;
        let near = lengths.flat_map(|length| -> Vec<&Place> { found(self.by_length.get(&length)) });
        let near = near.filter(|place| is_near(domain, &seen, place));
        let same = same.into_iter().map(|place| (place, Likeness::SameLook));
        let other = other.map(|place| (place, Likeness::OtherEnding));
        same.chain(other).chain(near.map(|place| (place, Likeness::OneLetter))).collect()
    }

    /// Somebody of the same name who has another address.
    fn namesake(&self, wanted: &Familiar) -> Option<LookAlike> {
        let known = &self.people[*self.by_name.get(&name_key(&wanted.name)?)?];
        (known.address != wanted.address).then(|| known.told(Likeness::SameName))
    }
}

impl Familiar {
    fn of(address: String, name: String) -> Option<Self> {
        let (local, domain) = address.rsplit_once('@')?;
        let (local, domain) = (local.to_owned(), domain.to_owned());
        Some(Self { local_look: look(&local), local, domain, address, name })
    }

    fn told(&self, likeness: Likeness) -> LookAlike {
        LookAlike { likeness, address: self.address.clone(), name: self.name.clone() }
    }
}

fn local_likeness(wanted: &Familiar, known: &Familiar) -> Option<Likeness> {
    if wanted.local == known.local {
        return None;
    }
    if wanted.local_look == known.local_look {
        return Some(Likeness::SameLook);
    }
    let long = wanted.local.chars().count().min(known.local.chars().count()) >= SHORTEST;
    // Numbers behind a name are how providers keep people apart.
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let numbered = digits(&wanted.local) != digits(&known.local);
    (long && !numbered && parse::is_one_letter_off(&wanted.local, &known.local))
        .then_some(Likeness::OneLetter)
}

fn is_near(domain: &str, seen: &str, place: &Place) -> bool {
    parse::is_one_letter_off(seen, &place.look)
        && word_of(domain).len().min(word_of(&place.domain).len()) >= SHORTEST
        && parse::site(domain) != parse::site(&place.domain)
}

/// The word that a domain is called by: `example` of `mail.example.co.uk`.
fn word_of(domain: &str) -> &str {
    parse::site(domain).split('.').next().unwrap_or(domain)
}

fn spelt(domain: &str) -> Cow<'_, str> {
    match domain.is_ascii() && !domain.contains("xn--") {
        true => Cow::Borrowed(domain),
        false => parse::spelt_out(domain).map_or(Cow::Borrowed(domain), Cow::Owned),
    }
}

fn look(text: &str) -> String {
    parse::look_of(&folded(text))
}

/// In lower case, and in the usual form of each letter.
fn folded(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.nfkc().collect::<String>().to_lowercase() }
}

/// Stands for a name as it is compared: its words as they look, in any order. `None` for names of one word, which many
/// share, and for addresses in the place of a name, which are told elsewhere.
fn name_key(name: &str) -> Option<u64> {
    if name.contains('@') {
        return None;
    }
    let (mut key, mut words) = (0_u64, 0);
    for word in folded(name).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut hash = DefaultHasher::new();
        parse::look_of(word).hash(&mut hash);
        key = key.wrapping_add(hash.finish());
        words += 1;
    }
    (words > 1).then_some(key)
}
