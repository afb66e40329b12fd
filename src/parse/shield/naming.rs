//! The facts that the model weighs, by name and by number.

use std::sync::OnceLock;

use super::lexicon::{self, Concepts, concept};
use super::tokens::Shape;

/// Candidates of one family are weighed alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Code,
    Key,
    Link,
}

const FAMILIES: [&str; 3] = ["code", "key", "link"];

/// Where something is said, seen from the candidate; each holds the ones before it, but for the last six.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Touching,
    Line,
    Near,
    Page,
    Subject,
    Label,
    /// What is said last before it, in its line or the one above.
    Before,
    /// What is said first behind it.
    Behind,
    /// In its sentence, or in the line above where it stands alone.
    Sentence,
}

pub(super) const PLACES: [&str; 9] =
    ["touching", "line", "near", "page", "subject", "label", "before", "behind", "sentence"];

/// Pairs that mean more together than each alone, near and in the same sentence.
pub(super) const PAIRS: [(&str, &str); 98] = [
    ("code", "verify"),
    ("code", "login"),
    ("code", "one_time"),
    ("code", "security"),
    ("code", "expires"),
    ("code", "minutes"),
    ("code", "not_share"),
    ("code", "enter"),
    ("code", "account"),
    ("code", "is_your"),
    ("code", "request"),
    ("code", "two_step"),
    ("code", "ignore"),
    ("pin", "one_time"),
    ("pin", "login"),
    ("pin", "verify"),
    ("password", "temporary"),
    ("password", "one_time"),
    ("password", "reset"),
    ("password", "login"),
    ("password", "user_name"),
    ("password", "is_your"),
    ("password", "account"),
    ("login", "link"),
    ("login", "expires"),
    ("login", "request"),
    ("reset", "expires"),
    ("reset", "request"),
    ("activate", "link"),
    ("seed", "two_step"),
    ("code", "discount"),
    ("code", "parcel"),
    ("code", "booking"),
    ("code", "meeting"),
    ("code", "door"),
    ("code", "order"),
    ("code", "invoice"),
    ("code", "example"),
    ("code", "number"),
    ("pin", "parcel"),
    ("pin", "door"),
    ("pin", "discount"),
    ("password", "wifi"),
    ("password", "meeting"),
    ("password", "example"),
    ("one_time", "example"),
    ("figure", "enter"),
    ("figure", "use"),
    ("figure", "login"),
    ("figure", "verify"),
    ("figure", "not_share"),
    ("figure", "order"),
    ("code", "screen"),
    ("code", "approve"),
    ("code", "use"),
    ("code", "someone"),
    ("code", "device"),
    ("code", "sign_up"),
    ("enter", "screen"),
    ("enter", "login"),
    ("enter", "approve"),
    ("enter", "device"),
    ("enter", "expires"),
    ("enter", "not_share"),
    ("enter", "discount"),
    ("enter", "booking"),
    ("password", "change_it"),
    ("password", "changed"),
    ("password", "phone"),
    ("login", "press"),
    ("new_password", "press"),
    ("sign_up", "press"),
    ("magic_link", "press"),
    ("by_hand", "seed"),
    ("changed", "login"),
    ("changed", "device"),
    ("changed", "ignore"),
    ("changed", "press"),
    ("one_time", "invoice"),
    ("one_time", "approve"),
    ("verify", "invoice"),
    ("verify", "not_share"),
    ("verify", "news"),
    ("approve", "invoice"),
    ("pin", "not_share"),
    ("use", "discount"),
    ("use", "login"),
    ("use", "screen"),
    ("use", "not_share"),
    ("verify", "account"),
    ("verify", "device"),
    ("password", "not_share"),
    ("verify", "number"),
    ("press", "account"),
    ("code", "advice"),
    ("password", "advice"),
    ("someone", "login"),
    ("someone", "device"),
];

/// Concepts that secrets are spoken of with; how many of them there are counts.
const OF_SECRETS: [&str; 24] = [
    "code",
    "pin",
    "one_time",
    "verify",
    "two_step",
    "login",
    "security",
    "account",
    "password",
    "reset",
    "forgot",
    "new_password",
    "temporary",
    "user_name",
    "backup",
    "seed",
    "magic_link",
    "enter",
    "expires",
    "minutes",
    "not_share",
    "request",
    "ignore",
    "is_your",
];
/// Concepts of other numbers and links.
const OF_OTHERS: [&str; 11] = [
    "order", "parcel", "invoice", "discount", "booking", "meeting", "ticket", "wifi", "door", "api_key",
    "patch",
];
/// Concepts that stand right beside a secret: what it is called, or what to do with it.
const NAMES_OF_SECRETS: [&str; 8] =
    ["code", "pin", "one_time", "password", "enter", "figure", "use", "temporary"];
/// Concepts that hardly anything but a secret is spoken of with.
const STRONG: [&str; 7] = ["one_time", "two_step", "backup", "seed", "magic_link", "new_password", "forgot"];

macro_rules! marks {
    ($($variant:ident $name:literal),* $(,)?) => {
        /// Facts that are no words.
        #[derive(Debug, Clone, Copy)]
        pub(super) enum Mark { $($variant),* }
        const MARKS: &[&str] = &[$($name),*];
    };
}

marks! {
    Any "any",
    Alone "alone on its line",
    First "begins its line",
    Last "ends its line",
    InSubject "in the subject",
    AlsoInSubject "also in the subject",
    Repeated "repeated",
    Heading "in a heading or bold",
    Colon "behind a colon",
    Hash "behind a number sign",
    Money "beside a currency or percent",
    Counts "a word right behind it",
    MoneyLine "a currency or percent in the line",
    Brackets "in brackets",
    Quoted "in quotation marks",
    ShortLine "short line",
    LongLine "long line",
    OneAlike "only one of its shape",
    TwoAlike "two of its shape",
    SomeAlike "three to five of its shape",
    ManyAlike "six or more of its shape",
    SignInCode "called a sign-in or one-time code",
    SignInOther "called a sign-in code of something else",
    CheckCode "called a verification or security code",
    OtherCode "called a code or number of something else",
    OthersInLine "others of its shape in the line",
    TimeLine "a time of day in the line",
    With "right behind `with`",
    AsExample "given as an example",
    Length4 "4 long",
    Named4 "4 long and named as a secret",
    NamedSecret "named as a secret",
    NamedOther "named as something else",
    Unnamed "without a name",
    Length6 "6 long",
    Longer "longer than 8",
    Words30 "up to 30 words",
    Words80 "up to 80 words",
    Words200 "up to 200 words",
    WordsMore "more than 200 words",
    NoLinks "no links",
    OneLink "one link",
    FewLinks "two to four links",
    SomeLinks "five to twelve links",
    ManyLinks "more than twelve links",
    FewTokens "few numbers",
    SomeTokens "some numbers",
    ManyTokens "many numbers",
    Answer "an answer or forwarded",
    Quotes "quotes another message",
    Technical "program text",
    Labelled "a button or link text",
    Cut "address too long to show",
    RandomPath "random characters in the address",
    HostOnly "only a host",
    UrlReset "address says reset",
    UrlLogin "address says sign in",
    UrlVerify "address says verify",
    UrlToken "address says token",
    UrlNews "address says unsubscribe or track",
    UrlRead "address says article or help",
    UrlHash "a hash in the address",
    UrlValue "random characters behind an equals sign",
    UrlLast "random characters at the end of the address",
    UrlMeets "address speaks of a meeting, file or order",
    Strong "strong words near",
    StrongPage "strong words",
    StrongSubject "strong words in the subject",
    OtherTouching "another purpose touching",
    OtherSentence "another purpose in the sentence",
    OtherLine "another purpose in the line",
    OtherNear "another purpose near",
    OtherSubject "another purpose in the subject",
    OtherPage "another purpose",
    SecretNear1 "one word of secrets near",
    SecretNear2 "two words of secrets near",
    SecretNear3 "three words of secrets near",
    SecretNear5 "five words of secrets near",
    SecretPage2 "two words of secrets",
    SecretPage4 "four words of secrets",
    SecretPage6 "six words of secrets",
    SecretPage8 "eight words of secrets",
    Otpauth "otpauth address",
}

/// A fact about a candidate: a number that has a name and a weight.
pub(super) type Feature = u16;

/// How features are numbered.
pub(super) struct Numbering {
    pub(super) concepts: usize,
    pub(super) family: usize,
    pub(super) pairs: Vec<(Concepts, Concepts)>,
    pub(super) of_secrets: Concepts,
    /// Without any of these nothing is handed over, only a number.
    pub(super) speaks_of_secrets: Concepts,
    pub(super) named_by: Concepts,
    pub(super) of_others: Concepts,
    pub(super) names_of_secrets: Concepts,
    pub(super) strong: Concepts,
    pub(super) codes: Concepts,
    pub(super) other_names: Concepts,
    pub(super) of_sign_in: Concepts,
    pub(super) of_checks: Concepts,
    pub(super) one_time: Concepts,
    pub(super) example: Concepts,
    pub(super) account: Concepts,
    pub(super) used: Concepts,
    /// What does not matter where something is called a secret.
    pub(super) beside_codes: Concepts,
    pub(super) names: Vec<String>,
}

pub(super) fn numbering() -> &'static Numbering {
    static NUMBERING: OnceLock<Numbering> = OnceLock::new();
    NUMBERING.get_or_init(|| {
        let all = |list: &[&str]| list.iter().fold(0, |all, name| all | concept(name));
        let names = feature_names();
        Numbering {
            concepts: lexicon::names().len(),
            family: names.len() / FAMILIES.len(),
            pairs: PAIRS.iter().map(|(first, second)| (concept(first), concept(second))).collect(),
            of_secrets: all(&OF_SECRETS),
            speaks_of_secrets: all(&OF_SECRETS) | all(&lexicon::NAMED_BY) | concept("use"),
            named_by: all(&lexicon::NAMED_BY),
            of_others: all(&OF_OTHERS),
            names_of_secrets: all(&NAMES_OF_SECRETS),
            strong: all(&STRONG),
            codes: all(&["code", "pin", "figure"]),
            other_names: all(&["number", "password"]),
            of_sign_in: all(&["login", "one_time", "two_step"]),
            of_checks: all(&["verify", "security", "activate", "approve", "temporary", "reset", "sign_up"]),
            one_time: concept("one_time"),
            example: concept("example"),
            account: concept("account"),
            beside_codes: all(&OF_OTHERS) | concept("number"),
            used: all(&["enter", "use"]),
            names,
        }
    })
}

/// So few words need not speak of a secret in several ways.
pub(super) const FEW_WORDS: usize = 80;

/// Whether enough is said that something may be a secret: a short text speaks of it at all, a long one in several ways.
pub(super) fn may_carry(concepts: Concepts, words: usize) -> bool {
    let Numbering { of_secrets, speaks_of_secrets, .. } = numbering();
    let is_spoken_of = concepts & speaks_of_secrets != 0;
    is_spoken_of && (words <= FEW_WORDS || (concepts & of_secrets).count_ones() >= 4)
}

/// The same for a text that was only glanced at: more may seem to be said there, never less.
pub(super) fn is_enough(concepts: Concepts) -> bool {
    let Numbering { of_secrets, named_by, .. } = numbering();
    concepts & named_by != 0 && (concepts & of_secrets).count_ones() >= 4
}

/// The names of all features, in the order of their numbers.
pub(super) fn names() -> &'static [String] {
    &numbering().names
}

fn feature_names() -> Vec<String> {
    let mut names = Vec::new();
    for family in FAMILIES {
        for concept in lexicon::names() {
            names.extend(PLACES.iter().map(|place| format!("{family}: {place}: {concept}")));
        }
        for place in ["near", "sentence"] {
            names.extend(
                PAIRS.iter().map(|(first, second)| format!("{family}: {place}: {first} and {second}")),
            );
        }
        names.extend(Shape::NAMES.iter().map(|shape| format!("{family}: shape: {shape}")));
        names.extend(MARKS.iter().map(|mark| format!("{family}: {mark}")));
    }
    names
}
