//! Selectors: reading them, how specific they are, and whether an element is meant.
//! A part that we do not know may match: such a rule leaves doubt about what it could mean.

use super::pseudo::{function, is_known, named};
use super::tokens::{Tok, between_commas, trimmed};

/// A whole selector, from the element it is about outwards.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Selector {
    pub(crate) parts: Vec<Part>,
    /// How specific it is: ids, classes, names, packed so that larger wins.
    pub(crate) weight: u32,
    pub(crate) target: Target,
    /// Whether it names something that we do not know.
    pub(super) unknown: bool,
    /// Whether it names a namespace by a prefix.
    pub(super) prefixed: bool,
    /// Whether it is of a form that every reader takes in the same way.
    pub(crate) plain: bool,
    /// Whether it holds lists of other selectors, of which readers know different ones.
    pub(crate) fuzzy: bool,
}

/// What of an element a selector is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Target {
    #[default]
    Element,
    /// Its first line.
    Line,
    /// Its first letter, which is little but may be made large.
    Letter,
    /// All of its text.
    Text,
    /// What the sheet adds before its text.
    Before,
    /// What the sheet adds behind its text.
    After,
    /// The sign of a list item.
    Marker,
    /// Something that holds no text of the message, and may lie anywhere.
    Placed,
    /// Only how marked text looks.
    Nothing,
}

/// The tests on one element, and how the element before it is found.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Part {
    pub(crate) tag: Option<String>,
    pub(crate) ids: Vec<String>,
    pub(crate) classes: Vec<String>,
    pub(crate) attributes: Vec<AttributeTest>,
    pub(crate) pseudos: Vec<Pseudo>,
    /// How this part is bound to the next one in the list, which stands left of it.
    pub(crate) bond: Option<Bond>,
}

/// How two elements stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bond {
    Inside,
    Child,
    Next,
    After,
}

/// A test of an attribute; the operator is that of `[name^=value]`, `=` for equal, blank for being there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AttributeTest {
    pub(crate) name: String,
    pub(crate) operator: char,
    pub(crate) value: String,
    pub(crate) any_case: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pseudo {
    Nth {
        step: i32,
        offset: i32,
        from_end: bool,
        of_type: bool,
    },
    Only {
        of_type: bool,
    },
    Empty,
    Defined,
    ReadOnly,
    /// A state that only controls and the like have.
    Control,
    Root,
    Link,
    Visited,
    Checked,
    Not(Vec<Selector>),
    Is(Vec<Selector>),
    Has(Vec<Selector>),
    /// One of those that are meant by a list.
    NthOf(Vec<Selector>),
    /// True for no element of a message that lies on a desk unread: `:hover`.
    Never,
    /// Not known to us.
    Maybe,
}

/// Selectors of more tokens are weighed in different ways.
const MOST_TOKENS: usize = 300;

const ID: u32 = 1 << 20;
const CLASS: u32 = 1 << 10;
const TAG: u32 = 1;

/// Reads a list of selectors; `None` when it is not one, which voids the whole rule. A form that is not known here may
/// mean anything, and browsers that do not know it either drop the whole list.
pub(crate) fn list(tokens: &[Tok]) -> Option<Vec<Selector>> {
    let read = |part: &[Tok]| one(part).or_else(|| may_be_selector(part).then(anything));
    let mut selectors = between_commas(tokens).map(read).collect::<Option<Vec<_>>>()?;
    if selectors.iter().any(|selector| selector.unknown) {
        selectors.iter_mut().for_each(|selector| selector.parts[0].pseudos.push(Pseudo::Maybe));
    }
    // One that a reader does not know takes the others along.
    let is_plain = selectors.iter().all(|selector| selector.plain && selector.parts.iter().all(is_short));
    selectors.iter_mut().for_each(|selector| selector.plain = is_plain);
    Some(selectors)
}

/// Whether a part is no more specific than people write them.
fn is_short(part: &Part) -> bool {
    part.ids.len() + part.classes.len() + part.attributes.len() + part.pseudos.len() <= 8
}

/// Whether something unreadable has a form that a browser may know. Numbers never stand in a selector, and names, classes
/// and ids with what joins them are all read.
fn may_be_selector(tokens: &[Tok]) -> bool {
    let is_number = |token: &Tok| matches!(token, Tok::Number(_) | Tok::Dimension(..) | Tok::Percent(_));
    let is_sound = |token: &Tok| match token {
        Tok::Square(test) => !test.iter().any(is_number),
        token => !is_number(token) && !matches!(token, Tok::Bad | Tok::Semicolon | Tok::Curly(_)),
    };
    let is_open = |token: &Tok| matches!(token, Tok::Square(_) | Tok::Function(..) | Tok::Delim('|' | '/'));
    tokens.iter().all(is_sound) && tokens.iter().any(is_open)
}

/// What may mean any element.
fn anything() -> Selector {
    Selector {
        parts: vec![Part::default()],
        weight: u32::MAX,
        target: Target::Element,
        unknown: true,
        prefixed: false,
        plain: false,
        fuzzy: false,
    }
}

/// Whether a text is one selector of which we know every part, as all browsers do.
pub(super) fn is_understood(tokens: &[Tok]) -> bool {
    one(tokens).is_some_and(|selector| !selector.unknown && !selector.prefixed)
}

pub(super) fn one(tokens: &[Tok]) -> Option<Selector> {
    let mut reader = Reader {
        tokens: trimmed(tokens),
        weight: 0,
        target: Target::Element,
        unknown: false,
        prefixed: false,
        plain: true,
        fuzzy: false,
    };
    let mut parts: Vec<Part> = Vec::new();
    let mut bond = reader.bond();
    if bond.is_some() {
        reader.plain = false;
        // `> p` inside `:has()` or a nested rule: from the element itself on.
        parts.push(Part { pseudos: vec![Pseudo::Maybe], ..Part::default() });
    }
    while !reader.tokens.is_empty() {
        let part = reader.part()?;
        parts.push(Part { bond: bond.take().or((!parts.is_empty()).then_some(Bond::Inside)), ..part });
        bond = reader.bond();
    }
    // Readers count names, classes and ids up to different numbers.
    reader.unknown |= tokens.len() > MOST_TOKENS;
    if parts.is_empty() || bond.is_some_and(|bond| bond != Bond::Inside) {
        return None;
    }
    parts.reverse();
    Some(Selector {
        parts,
        weight: reader.weight,
        target: reader.target,
        unknown: reader.unknown,
        prefixed: reader.prefixed,
        plain: reader.plain && !reader.unknown && !reader.prefixed,
        fuzzy: reader.fuzzy,
    })
}

struct Reader<'t> {
    tokens: &'t [Tok],
    weight: u32,
    target: Target,
    unknown: bool,
    prefixed: bool,
    plain: bool,
    fuzzy: bool,
}

impl Reader<'_> {
    fn bond(&mut self) -> Option<Bond> {
        let before = self.tokens.len();
        self.tokens = trimmed_start(self.tokens);
        let blank = self.tokens.len() < before;
        let bond = match self.tokens.first() {
            Some(Tok::Delim('>')) => Bond::Child,
            Some(Tok::Delim('+')) => Bond::Next,
            Some(Tok::Delim('~')) => Bond::After,
            _ => return blank.then_some(Bond::Inside),
        };
        self.tokens = trimmed_start(&self.tokens[1..]);
        Some(bond)
    }

    fn part(&mut self) -> Option<Part> {
        let mut part = Part::default();
        let before = self.tokens.len();
        // Behind a namespace, and nowhere else, a name may follow.
        let mut names_space = false;
        loop {
            match self.tokens {
                [Tok::Delim('*'), Tok::Delim('|'), rest @ ..]
                    if before == self.tokens.len()
                        && matches!(rest.first(), Some(Tok::Ident(_) | Tok::Delim('*'))) =>
                {
                    self.plain = false;
                    names_space = rest.first() != Some(&Tok::Delim('*'));
                    self.tokens = rest.strip_prefix(&[Tok::Delim('*')]).unwrap_or(rest);
                }
                // What a namespace means is not known here.
                [Tok::Ident(_), Tok::Delim('|'), rest @ ..] => {
                    part.pseudos.push(Pseudo::Maybe);
                    self.prefixed = true;
                    self.tokens = rest;
                }
                [Tok::Ident(name), rest @ ..]
                    if before == self.tokens.len() || (names_space && part == Part::default()) =>
                {
                    part.tag = Some(name.to_ascii_lowercase());
                    self.weigh(TAG);
                    self.tokens = rest;
                }
                [Tok::Delim('*'), rest @ ..] if before == self.tokens.len() => self.tokens = rest,
                [Tok::Delim('&'), rest @ ..] => {
                    (self.plain, self.fuzzy) = (false, true);
                    part.pseudos.push(Pseudo::Maybe);
                    self.tokens = rest;
                }
                [Tok::Hash(id), rest @ ..] => {
                    // Names do not begin with digits, unless those are escaped.
                    self.unknown |= id.starts_with(|c: char| c.is_ascii_digit() || c == '-');
                    part.ids.push(id.clone());
                    self.weigh(ID);
                    self.tokens = rest;
                }
                [Tok::Delim('.'), Tok::Ident(class), rest @ ..] => {
                    part.classes.push(class.clone());
                    self.weigh(CLASS);
                    self.tokens = rest;
                }
                [Tok::Square(test), rest @ ..] => {
                    self.plain &= is_plain_test(test);
                    part.attributes.push(attribute(test)?);
                    self.weigh(CLASS);
                    self.tokens = rest;
                }
                [Tok::Colon, Tok::Colon, rest @ ..] => self.tokens = self.element(rest)?,
                [Tok::Colon, rest @ ..] => self.tokens = self.class(&mut part, rest)?,
                [Tok::Delim('>' | '+' | '~') | Tok::Space, ..] | [] => break,
                _ => return None,
            }
        }
        (self.tokens.len() < before).then_some(part)
    }

    fn weigh(&mut self, weight: u32) {
        self.weight = self.weight.saturating_add(weight);
    }

    fn element<'t>(&mut self, rest: &'t [Tok]) -> Option<&'t [Tok]> {
        let (name, rest) = rest.split_first()?;
        let name = match name {
            Tok::Ident(name) => name.to_ascii_lowercase(),
            Tok::Function(name, _) => {
                self.plain = false;
                name.clone()
            }
            _ => return None,
        };
        let is_usual = ["first-line", "first-letter", "before", "after", "marker", "selection"];
        self.plain &= is_usual.contains(&name.as_str()) && rest.is_empty();
        // What a part of a part is depends on both.
        self.unknown |= self.target != Target::Element;
        self.target = match name.as_str() {
            "first-line" => Target::Line,
            "first-letter" => Target::Letter,
            "details-content" => Target::Text,
            "before" => Target::Before,
            "after" => Target::After,
            "marker" => Target::Marker,
            "placeholder" | "backdrop" | "file-selector-button" | "part" | "slotted" => Target::Placed,
            "selection" | "highlight" | "target-text" | "spelling-error" | "grammar-error" | "cue" => {
                Target::Nothing
            }
            name if name.starts_with("-webkit-") || name.contains("scroll-") || name.starts_with("view-") => {
                Target::Placed
            }
            _ => {
                self.unknown = true;
                Target::Placed
            }
        };
        self.weigh(TAG);
        Some(rest)
    }

    fn class<'t>(&mut self, part: &mut Part, rest: &'t [Tok]) -> Option<&'t [Tok]> {
        let (token, rest) = rest.split_first()?;
        let pseudo = match token {
            Tok::Ident(name) if is_old_element(name) => {
                return self.element(std::slice::from_ref(token)).map(|_| rest);
            }
            Tok::Ident(name) => {
                self.plain &= is_usual_state(name);
                named(&name.to_ascii_lowercase())
            }
            Tok::Function(name, arguments) => {
                self.plain = false;
                // Lists that forgive drop what nobody knows.
                let forgives = matches!(name.as_str(), "is" | "where");
                let is_simple = |token: &Tok| is_plain_piece(token) || (forgives && *token == Tok::Colon);
                self.fuzzy |= !name.starts_with("nth") && !arguments.iter().all(is_simple);
                function(name, arguments)?
            }
            _ => return None,
        };
        // Browsers drop what they do not know, and all that stands in a list with it; newer ones may know it.
        if let (Tok::Ident(name) | Tok::Function(name, _), Pseudo::Maybe) = (token, &pseudo) {
            self.unknown |= !is_known(name);
        }
        let heaviest = |inner: &[Selector]| inner.iter().map(|selector| selector.weight).max().unwrap_or(0);
        self.weigh(match (token, &pseudo) {
            (Tok::Function(name, _), _) if name == "where" => 0,
            (_, Pseudo::Not(inner) | Pseudo::Is(inner) | Pseudo::Has(inner)) => heaviest(inner),
            (_, Pseudo::NthOf(inner)) => CLASS + heaviest(inner),
            _ => CLASS,
        });
        part.pseudos.push(pseudo);
        Some(rest)
    }
}

/// Pseudo-classes that all readers know.
fn is_usual_state(name: &str) -> bool {
    let usual = [
        "first-child",
        "last-child",
        "only-child",
        "link",
        "visited",
        "hover",
        "active",
        "focus",
        "root",
        "first-of-type",
        "last-of-type",
    ];
    usual.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// What lists of names, classes and ids are made of.
fn is_plain_piece(token: &Tok) -> bool {
    matches!(token, Tok::Ident(_) | Tok::Delim('.') | Tok::Comma | Tok::Space)
}

/// `[name]` and `[name=value]`.
fn is_plain_test(test: &[Tok]) -> bool {
    matches!(test, [Tok::Ident(_)] | [Tok::Ident(_), Tok::Delim('='), Tok::Ident(_) | Tok::Text(_)])
}

/// Those that may be written with one colon.
fn is_old_element(name: &str) -> bool {
    ["before", "after", "first-line", "first-letter"].iter().any(|old| name.eq_ignore_ascii_case(old))
}

fn trimmed_start(mut tokens: &[Tok]) -> &[Tok] {
    while let [Tok::Space, rest @ ..] = tokens {
        tokens = rest;
    }
    tokens
}

fn attribute(test: &[Tok]) -> Option<AttributeTest> {
    let test: Vec<&Tok> = super::tokens::solid(test).collect();
    // In any namespace or in none is where attributes of HTML are.
    let test = match test.as_slice() {
        [Tok::Delim('*'), Tok::Delim('|'), rest @ ..] | [Tok::Delim('|'), rest @ ..] => rest,
        test => test,
    };
    let value_of = |token: &Tok| match token {
        Tok::Ident(value) | Tok::Text(value) => Some(value.clone()),
        _ => None,
    };
    let (name, operator, rest) = match test {
        [Tok::Ident(name)] => (name, ' ', &[][..]),
        [Tok::Ident(name), Tok::Delim('='), rest @ ..] => (name, '=', rest),
        [Tok::Ident(name), Tok::Match(operator), rest @ ..] => (name, *operator, rest),
        _ => return None,
    };
    let value = match rest.first() {
        Some(token) => value_of(token)?,
        None if operator == ' ' => String::new(),
        None => return None,
    };
    let any_case = match rest.get(1) {
        None => false,
        Some(token) if token.is_ident("i") => true,
        Some(token) if token.is_ident("s") => false,
        Some(_) => return None,
    };
    Some(AttributeTest { name: name.to_ascii_lowercase(), operator, value, any_case })
}
