//! What in a line looks like a code, a password or a key: by its characters, in any script that has digits.

/// What a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    /// `482913`.
    Digits,
    /// `2026`.
    Year,
    /// `482 913`, `48-29-13`.
    Grouped,
    /// `8841-20`, `290 4417`.
    Uneven,
    /// `4 8 2 9 1 3`, `K 7 P 2`.
    Spaced,
    /// `G-482913`.
    Prefixed,
    /// `K7P2QX`, `AB12-CD34`.
    Capitals,
    /// `x7k2q9`.
    Small,
    /// `WDJB-MJHT`.
    Letters,
    /// `sable-trick-muffin`.
    Words,
    /// `Tr4vel!92x`.
    Password,
    /// `JBSWY3DPEHPK3PXP`.
    Seed,
}

impl Shape {
    pub(super) const ALL: [Self; 12] = [
        Self::Digits,
        Self::Year,
        Self::Grouped,
        Self::Uneven,
        Self::Spaced,
        Self::Prefixed,
        Self::Capitals,
        Self::Small,
        Self::Letters,
        Self::Words,
        Self::Password,
        Self::Seed,
    ];
    pub(super) const NAMES: [&'static str; 12] = [
        "digits", "year", "grouped", "uneven", "spaced", "prefixed", "capitals", "small", "letters", "words",
        "password", "seed",
    ];

    /// Whether it is a key to be kept and not a code to be typed.
    pub(super) const fn is_key(self) -> bool {
        matches!(self, Self::Words | Self::Password | Self::Seed)
    }
}

/// Something in a line that may be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) shape: Shape,
    /// Characters without what stands between groups.
    pub(super) length: usize,
}

/// A stretch of a line without blanks and marks around it.
#[derive(Clone, Copy)]
struct Word<'t> {
    start: usize,
    text: &'t str,
}

impl Word<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The tokens of a line, which stretches (links) are left out of. Where the line speaks of passwords, words that are
/// joined may be one.
pub(super) fn tokens(line: &str, left_out: &[(usize, usize)], of_passwords: bool) -> Vec<Token> {
    let is_free =
        |word: &Word<'_>| !left_out.iter().any(|(start, end)| word.start < *end && word.end() > *start);
    let words: Vec<Word<'_>> = words(line).into_iter().filter(is_free).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let run = run_length(line, &words[at..]);
        match run {
            2.. => found.extend(of_run(line, &words[at..at + run], of_passwords)),
            _ => found.extend(of_word(line, words[at], of_passwords)),
        }
        at += run.max(1);
    }
    found
}

fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in line.char_indices() {
        let ends = start.is_some_and(|from| ends_a_number(&line[from..at], &line[at..]));
        match (is_of_a_token(c) && !ends, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.extend(trimmed(line, from, at));
                start = None;
            }
            _ => {}
        }
    }
    words.extend(start.and_then(|from| trimmed(line, from, line.len())));
    words
}

/// Whether what follows digits is no part of them: no thousands or decimals, as in `482913,5 minutes` (those come in
/// threes), and no file or version, as in `482913.It expires`.
fn ends_a_number(number: &str, behind: &str) -> bool {
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let mut behind = behind.chars();
    match behind.next() {
        Some(',') => is_number && number.len() >= 4,
        Some('.') => is_number && number.len() >= 3 && behind.next().is_some_and(char::is_uppercase),
        _ => false,
    }
}

/// Letters with case, digits, and marks that passwords and groups have.
fn is_of_a_token(c: char) -> bool {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => true,
        '-' | '–' | '‑' | '_' | '!' | '#' | '$' | '%' | '&' | '+' | '?' | '@' | '^' | '~' | '.' | '/'
        | ',' => true,
        _ if c.is_ascii() => false,
        _ => c.is_lowercase() || c.is_uppercase() || digit(c).is_some(),
    }
}

fn trimmed(line: &str, from: usize, until: usize) -> Option<Word<'_>> {
    let text = line[from..until].trim_end_matches(|c: char| !c.is_alphanumeric());
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    (!bare.is_empty()).then(|| Word { start: from + text.len() - bare.len(), text: bare })
}

/// The value of a decimal digit of any script.
pub(super) fn digit(c: char) -> Option<u32> {
    /// Where scripts have their ten digits.
    const ZEROS: [u32; 20] = [
        0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0,
        0xF20, 0x1040, 0x17E0, 0x1810, 0xFF10, 0x1D7CE,
    ];
    if c.is_ascii() {
        return c.to_digit(10);
    }
    let number = u32::from(c);
    ZEROS.iter().map(|zero| number.wrapping_sub(*zero)).find(|value| *value < 10)
}

/// How many words from the first on are groups of one token: single characters, or digits, or groups of a seed.
fn run_length(line: &str, words: &[Word<'_>]) -> usize {
    let Some(kind) = words.first().and_then(|word| group(word.text)) else { return 0 };
    let next = words.get(1).and_then(|word| group(word.text));
    let kind = match next {
        Some(Group::Four) if continues(Group::Four, words[0].text) => Group::Four,
        _ => kind,
    };
    let mut length = 1;
    for pair in words.windows(2) {
        let between = &line[pair[0].end()..pair[1].start];
        let blank =
            !between.is_empty() && between.chars().all(char::is_whitespace) && between.chars().count() <= 3;
        if !blank || !continues(kind, pair[1].text) {
            break;
        }
        length += 1;
    }
    length
}

/// A group of a seed may by chance be all digits.
fn continues(kind: Group, word: &str) -> bool {
    group(word) == Some(kind) || kind == Group::Four && word.len() == 4 && is_base32(word)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Single,
    Digits,
    Four,
}

fn group(word: &str) -> Option<Group> {
    let count = word.chars().count();
    let digits = word.chars().filter(|c| digit(*c).is_some()).count();
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    match (count, digits, capitals) {
        (1, 1, _) | (1, _, 1) => Some(Group::Single),
        _ if digits == count => Some(Group::Digits),
        (4, ..) if is_base32(word) => Some(Group::Four),
        _ => None,
    }
}

fn is_base32(word: &str) -> bool {
    let capitals = word.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7'));
    capitals || word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'))
}

fn of_run(line: &str, words: &[Word<'_>], of_passwords: bool) -> Vec<Token> {
    let counts: Vec<usize> = words.iter().map(|word| word.text.chars().count()).collect();
    let total: usize = counts.iter().sum();
    let same = counts.iter().all(|count| *count == counts[0]);
    let is_seed = words.iter().any(|word| group(word.text) == Some(Group::Four));
    let shape = match group(words[0].text) {
        _ if is_seed => (counts.len() >= 4).then_some(Shape::Seed),
        Some(Group::Single) if (4..=8).contains(&total) => Some(Shape::Spaced),
        Some(Group::Digits) if same && (4..=10).contains(&total) && counts[0] <= 4 => Some(Shape::Grouped),
        Some(Group::Digits) if is_uneven(&counts) && !is_before_a_unit(line, words) => Some(Shape::Uneven),
        _ => None,
    };
    if let Some(shape) = shape {
        let (start, end) = (words[0].start, words[words.len() - 1].end());
        return vec![Token { start, end, shape, length: total }];
    }
    // A telephone number has several groups; a code before a small number (`482913 10 minutes`) stays one.
    let before_a_number = counts.len() == 2 && counts[0] > 3 && counts[1] <= 3;
    // Three numbers of one length that no telephone has are a list.
    let is_a_list = counts.len() >= 3 && same && (5..=10).contains(&counts[0]);
    let one_by_one = before_a_number || is_a_list || is_seed;
    let words = words.iter().filter(|_| one_by_one);
    words.filter_map(|word| of_word(line, *word, of_passwords)).collect()
}

/// `4882 091`, `8841-20`: two groups that are no telephone number yet.
fn is_uneven(groups: &[usize]) -> bool {
    groups.len() == 2
        && groups.iter().all(|group| (2..=4).contains(group))
        && (5..=7).contains(&(groups[0] + groups[1]))
}

/// `4829 10 minutes`: a code and a small number.
fn is_before_a_unit(line: &str, words: &[Word<'_>]) -> bool {
    const UNITS: &str = "sec|sek|min|hour|stund|heur|hora|ore |ora |uur|godz|tim|saat|dak|сек|мин|час|day|tag|jour|día|giorn|dia|dag|dni|gün|дн";
    let last = words[words.len() - 1];
    let behind = line[last.end()..].trim_start().to_lowercase();
    last.text.chars().count() <= 2 && UNITS.split('|').any(|unit| behind.starts_with(unit))
}

fn of_word(line: &str, word: Word<'_>, of_passwords: bool) -> Option<Token> {
    let told = || of_passwords.then(|| as_told(line, word)).flatten();
    let (shape, length) = shape(word.text).or_else(told)?;
    let token = Token { start: word.start, end: word.end(), shape, length };
    let doubtful = match shape {
        Shape::Words => !of_passwords,
        Shape::Letters => !word.text.contains('-'),
        _ => false,
    };
    let stands_out = !doubtful || stands_out(line, &token);
    (stands_out && !is_part_of_a_number(line, &token)).then_some(token)
}

/// `Password: sunflower99`: what a line that speaks of passwords ends in behind a colon, with letters and digits.
fn as_told(line: &str, word: Word<'_>) -> Option<(Shape, usize)> {
    let made = Made::of(word.text);
    let token = Token { start: word.start, end: word.end(), shape: Shape::Password, length: made.bare() };
    let before = line[..word.start].trim_end();
    let is_told = made.digits > 0 && made.upper + made.lower > 0 && before.ends_with([':', '：', '=']);
    let address = word.text.contains(['@', '/']);
    (is_told && !address && (6..=32).contains(&word.text.len()) && stands_out(line, &token))
        .then_some((Shape::Password, made.bare()))
}

/// Plain letters are a code only where nothing else is: alone, or behind a colon.
fn stands_out(line: &str, token: &Token) -> bool {
    let before = line[..token.start].trim_end_matches(|c: char| c.is_whitespace() || "*`\"“#".contains(c));
    let after = line[token.end..].trim_matches(|c: char| !c.is_alphanumeric());
    after.is_empty()
        && (before.trim_matches(|c: char| !c.is_alphanumeric()).is_empty() || before.ends_with([':', '：']))
}

/// `12:4829`, `+49...`: a part of something longer.
fn is_part_of_a_number(line: &str, token: &Token) -> bool {
    let mut before = line[..token.start].chars().rev();
    let mut after = line[token.end..].chars();
    let joins = |c: Option<char>| c.is_some_and(|c| matches!(c, ':' | '/' | '.' | '\\' | '='));
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let (first, second) = (before.next(), before.next());
    let (next, next_but_one) = (after.next(), after.next());
    first == Some('+') || (joins(first) && is_digit(second)) || (joins(next) && is_digit(next_but_one))
}

/// Counts of the kinds of characters of a word.
#[derive(Default)]
struct Made {
    digits: usize,
    upper: usize,
    lower: usize,
    dashes: usize,
    marks: usize,
}

impl Made {
    fn of(word: &str) -> Self {
        let mut made = Self::default();
        for c in word.chars() {
            match c {
                _ if digit(c).is_some() => made.digits += 1,
                '-' | '–' | '‑' => made.dashes += 1,
                _ if c.is_uppercase() => made.upper += 1,
                _ if c.is_lowercase() => made.lower += 1,
                _ => made.marks += 1,
            }
        }
        made
    }

    fn bare(&self) -> usize {
        self.digits + self.upper + self.lower
    }
}

/// The longest word that is looked at.
const LONGEST: usize = 100;

fn shape(word: &str) -> Option<(Shape, usize)> {
    if word.len() > LONGEST || word.len() < 4 {
        return None;
    }
    let made = Made::of(word);
    let bare = made.bare();
    let shape = match &made {
        Made { upper: 0, lower: 0, marks: 0, dashes: 0, digits: 4..=10 } => Some(of_digits(word)),
        Made { upper: 0, lower: 0, marks: 0, dashes: 1.., .. } => of_digit_groups(word, bare),
        Made { upper: 0, lower: 0, marks: 1, dashes: 0, digits: 6 } => of_dotted(word),
        Made { upper: 0, digits: 0, marks: 0, dashes: 2..=5, .. } => of_words(word),
        Made { marks: 0, .. } if (16..=64).contains(&bare) && is_base32(&without_dashes(word)) => {
            of_base32(word, &made)
        }
        Made { lower: 0, marks: 0, digits: 0, .. } => of_letters(word, &made),
        Made { lower: 0, marks: 0, .. } if (4..=40).contains(&bare) => of_capitals(word, &made),
        Made { upper: 0, marks: 0, dashes: 0..=3, .. } if (5..=16).contains(&bare) => of_small(word),
        _ => of_password(word, &made),
    };
    shape.map(|shape| (shape, bare))
}

fn of_digits(word: &str) -> Shape {
    let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    if is_year { Shape::Year } else { Shape::Digits }
}

fn groups(word: &str) -> Vec<usize> {
    word.split(['-', '–', '‑']).map(|group| group.chars().count()).collect()
}

fn without_dashes(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '-' | '–' | '‑')).collect()
}

fn of_digit_groups(word: &str, bare: usize) -> Option<Shape> {
    let groups = groups(word);
    let same = groups.iter().all(|group| *group == groups[0]);
    match (same, groups[0]) {
        (true, 1) if (4..=8).contains(&bare) => Some(Shape::Spaced),
        (true, 2..=6) if (4..=12).contains(&bare) => Some(Shape::Grouped),
        _ => (is_uneven(&groups) && !is_month(word)).then_some(Shape::Uneven),
    }
}

/// `481.920`: two groups of three, which a sum has as well.
fn of_dotted(word: &str) -> Option<Shape> {
    let groups = word.split_once('.').map(|(first, second)| (first.chars().count(), second.chars().count()));
    (groups == Some((3, 3))).then_some(Shape::Grouped)
}

/// `2026-03`.
fn is_month(word: &str) -> bool {
    word.len() == 7 && (word.starts_with("19") || word.starts_with("20"))
}

fn of_base32(word: &str, made: &Made) -> Option<Shape> {
    let grouped = made.dashes > 0 && groups(word).iter().all(|group| *group == 4);
    let mixed = made.digits >= 2 && (made.upper == 0 || made.lower == 0);
    let is_no_word = made.lower == 0 && (made.digits >= 1 || has_few_vowels(word));
    (mixed && (made.lower == 0 || grouped) || made.lower == 0 && grouped || is_no_word).then_some(Shape::Seed)
}

/// Of capitals that were drawn a fifth are vowels; of those in words more than a third.
fn has_few_vowels(word: &str) -> bool {
    let vowels = word.bytes().filter(|byte| b"AEIOU".contains(byte)).count();
    vowels * 4 < word.len()
}

fn of_letters(word: &str, made: &Made) -> Option<Shape> {
    let groups = groups(word);
    let fits = match made.dashes {
        0 => (4..=8).contains(&made.upper),
        1..=3 => (2..=5).contains(&groups[0]) && groups.iter().all(|group| *group == groups[0]),
        _ => false,
    };
    fits.then_some(Shape::Letters)
}

/// Capitals and digits. `RFC6238` is a name, `AB12-CD34` and `K7P2QX` are not.
fn of_capitals(word: &str, made: &Made) -> Option<Shape> {
    let letters = word.chars().take_while(|c| c.is_uppercase()).count();
    let rest: Vec<char> = word.chars().skip(letters).collect();
    let ends_in_digits = rest.iter().skip(usize::from(made.dashes == 1)).all(|c| digit(*c).is_some());
    if letters > 0 && ends_in_digits {
        let is_prefix =
            made.dashes == 1 && rest.first() == Some(&'-') && letters <= 3 && (4..=8).contains(&made.digits);
        return if is_prefix {
            Some(Shape::Prefixed)
        } else {
            (letters == 1 && made.dashes == 0).then_some(Shape::Capitals)
        };
    }
    let fits = bare_fits(word, made);
    (fits && made.digits > 0 && made.upper > 0).then_some(Shape::Capitals)
}

/// Up to 16 characters, or groups of at most 8.
fn bare_fits(word: &str, made: &Made) -> bool {
    made.bare() <= 16 && made.dashes <= 4 || groups(word).iter().all(|group| *group <= 8)
}

/// Small letters and digits in turn. What could be a hash is one.
fn of_small(word: &str) -> Option<Shape> {
    let is_hash = word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let letters: Vec<bool> =
        word.chars().filter(|c| c.is_alphanumeric()).map(|c| digit(c).is_none()).collect();
    let turns = letters.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let starts_with_a_digit = letters.first() == Some(&false) && letters.len() >= 6;
    (!is_hash && (turns >= 2 || (turns == 1 && starts_with_a_digit))).then_some(Shape::Small)
}

fn of_words(word: &str) -> Option<Shape> {
    groups(word).iter().all(|group| (3..=9).contains(group)).then_some(Shape::Words)
}

fn of_password(word: &str, made: &Made) -> Option<Shape> {
    let inner = |c: char| {
        matches!(c, '/' | ',' | '\\') || (c == '.' && !word.contains(['!', '#', '$', '%', '&', '?', '^']))
    };
    let address = word.contains('@') && word.rsplit('@').next().is_some_and(|host| host.contains('.'));
    let kinds = [made.digits, made.upper, made.lower, made.marks].iter().filter(|count| **count > 0).count();
    let fits = (6..=32).contains(&word.len()) && kinds >= 3 && made.digits > 0 && made.lower > 0;
    (fits && !address && !word.contains(inner)).then_some(Shape::Password)
}

#[cfg(test)]
mod tests {
    use super::{Shape, tokens};

    fn found(line: &str) -> Vec<(&str, Shape)> {
        tokens(line, &[], false)
            .into_iter()
            .map(|token| (&line[token.start..token.end], token.shape))
            .collect()
    }

    #[test]
    fn codes_of_any_script_and_grouping_are_found() {
        for (line, token, shape) in [
            ("Your code is 482913.", "482913", Shape::Digits),
            ("您的验证码是482913，5分钟内有效", "482913", Shape::Digits),
            ("رمزك هو ٤٨٢٩١٣", "٤٨٢٩١٣", Shape::Digits),
            ("आपका कोड ४८२९१३ है", "४८२९१३", Shape::Digits),
            ("コード：４８２９１３", "４８２９１３", Shape::Digits),
            ("# 118 204", "118 204", Shape::Grouped),
            ("code: 48-29-13", "48-29-13", Shape::Grouped),
            ("code: 481.920.", "481.920", Shape::Grouped),
            ("passcode: 8841-20", "8841-20", Shape::Uneven),
            ("wpisz 290 4417.Kod jest ważny", "290 4417", Shape::Uneven),
            ("4829 10 minutes", "4829", Shape::Digits),
            ("K X P T R", "K X P T R", Shape::Spaced),
            ("4 8 2 9 1 3", "4 8 2 9 1 3", Shape::Spaced),
            ("G-482913 is your code", "G-482913", Shape::Prefixed),
            ("Enter **K7P2QX** now", "K7P2QX", Shape::Capitals),
            ("WDJB-MJHT", "WDJB-MJHT", Shape::Letters),
            ("Code: QXZTRM", "QXZTRM", Shape::Letters),
            ("Код: Ж7К2ПА", "Ж7К2ПА", Shape::Capitals),
            ("sable-trick-muffin", "sable-trick-muffin", Shape::Words),
            ("Code: sable-trick-muffin", "sable-trick-muffin", Shape::Words),
            ("Password: Tr4vel!92x", "Tr4vel!92x", Shape::Password),
            ("JBSW Y3DP EHPK 3PXP", "JBSW Y3DP EHPK 3PXP", Shape::Seed),
            ("2734 Y3DP 5522 3PXP", "2734 Y3DP 5522 3PXP", Shape::Seed),
            ("key JBSWY3DPEHPK3PXP", "JBSWY3DPEHPK3PXP", Shape::Seed),
        ] {
            assert_eq!(found(line), [(token, shape)], "{line}");
        }
    }

    #[test]
    fn dates_times_sums_names_and_telephone_numbers_are_no_codes() {
        for line in [
            "on 2026-03-12 at 12:30",
            "in 2026-03",
            "call +49 30 1234567 or 0800 123 4567",
            "RFC6238 and SHA256",
            "commit 4a5b6c7d8e",
            "ada@example7A.org",
            "well-known-words in a sentence",
            "URGENT news for ALL",
            "1,482.50 EUR",
        ] {
            assert_eq!(found(line), [], "{line}");
        }
    }
}
