//! Finds words in one long text: the stretches around them, and the sections it has. Pure.

use std::collections::BTreeSet;

use crate::index::{Words, stem};

/// A stretch of a text around what was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// Where it begins, in characters.
    pub offset: usize,
    /// What stands there.
    pub text: String,
}

/// A part of a long text that has a heading.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Section {
    /// Where it begins, in characters.
    pub offset: usize,
    /// Its heading.
    pub title: String,
}

/// How many bytes before a hit, and from it on, are shown.
const BEFORE: usize = 250;
const AFTER: usize = 550;
/// Words that are closer belong together.
const TOGETHER: usize = 300;
/// A heading is no longer.
const LONGEST_TITLE: usize = 90;
/// More headings than this are thinned out.
const MOST_SECTIONS: usize = 40;

/// The stretches of a text that hold these words, at most `most` characters together, in the order they stand: where they
/// stand next to each other, else where most of them are close together.
#[must_use]
pub fn stretches(text: &str, wanted: &str, most: usize) -> Vec<Stretch> {
    let hits = hits(text, wanted);
    let mut clusters: Vec<(usize, usize, usize)> = Vec::new();
    for (number, (at, _, _)) in hits.iter().enumerate() {
        let near = hits[number..].iter().take_while(|(next, _, _)| *next < at + TOGETHER);
        let different = near.map(|(_, word, _)| word).collect::<BTreeSet<_>>().len();
        clusters.push((phrase_length(&hits[number..]), different, *at));
    }
    clusters.sort_by_key(|(phrase, different, at)| (std::cmp::Reverse((*phrase, *different)), *at));
    let best = clusters.first().map_or((0, 0), |(phrase, different, _)| (*phrase, *different));
    let mut chosen: Vec<(usize, usize)> = Vec::new();
    for (phrase, different, at) in clusters {
        let is_good = if best.0 > 1 { phrase == best.0 } else { different * 2 > best.1 };
        let is_shown = chosen.iter().any(|(start, end)| (*start..*end).contains(&at));
        let used: usize = chosen.iter().map(|(start, end)| end - start).sum();
        if is_good && !is_shown && (chosen.is_empty() || used + BEFORE + AFTER <= most) {
            chosen.push((line_start(text, at.saturating_sub(BEFORE)), floor(text, at + AFTER)));
        }
    }
    joined(text, chosen, most)
}

/// Where words stand that were looked for: the byte, which word, and its position.
fn hits(text: &str, wanted: &str) -> Vec<(usize, usize, usize)> {
    let mut asked = Words::new(wanted);
    let mut stems = Vec::new();
    while asked.advance().is_some() {
        stems.push(stem(asked.text()));
    }
    let mut words = Words::new(text);
    let mut hits = Vec::new();
    while let Some(word) = words.advance() {
        let this = stem(words.text());
        let which = stems.iter().position(|wanted| *wanted == this);
        hits.extend(which.map(|which| (word.start, which, word.position)));
    }
    hits
}

/// How many of the words stand here next to each other and in order.
fn phrase_length(hits: &[(usize, usize, usize)]) -> usize {
    let follows = |pair: &[(usize, usize, usize)]| pair[1].1 == pair[0].1 + 1 && pair[1].2 == pair[0].2 + 1;
    1 + hits.windows(2).take_while(|pair| follows(pair)).count()
}

/// Stretches in order, those that touch as one.
fn joined(text: &str, mut chosen: Vec<(usize, usize)>, most: usize) -> Vec<Stretch> {
    chosen.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (start, end) in chosen {
        match joined.last_mut() {
            Some((_, last)) if start <= *last => *last = end.max(*last),
            _ => joined.push((start, end)),
        }
    }
    let stretch = |(start, end): (usize, usize)| Stretch {
        offset: text[..start].chars().count(),
        text: text[start..end].chars().take(most).collect::<String>().trim_end().to_owned(),
    };
    joined.into_iter().map(stretch).collect()
}

/// The parts of a text that have headings, thinned out where they are many.
#[must_use]
pub fn sections(text: &str) -> Vec<Section> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut found, mut offset) = (Vec::new(), 0);
    for (number, line) in lines.iter().enumerate() {
        let before = number.checked_sub(1).map(|before| lines[before].trim());
        let after = lines.get(number + 1).map(|after| after.trim());
        if let Some(title) = title(line.trim(), before, after) {
            found.push(Section { offset, title });
        }
        offset += line.chars().count();
    }
    let step = found.len().div_ceil(MOST_SECTIONS).max(1);
    found.into_iter().step_by(step).collect()
}

/// The heading that a line is: marked as one, or in capitals or underlined on its own, or the subject of a mail in a digest.
fn title(line: &str, before: Option<&str>, after: Option<&str>) -> Option<String> {
    let marked = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
    let bare =
        line.trim_start_matches(['#', '*', '-', '=', '_', ' ']).trim_end_matches(['#', '*', '=', '_', ' ']);
    let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 4 || line.chars().count() > LONGEST_TITLE || line.starts_with('>') {
        return None;
    }
    let alone = before.is_none_or(|before| before.is_empty() || is_rule(before));
    let underlined = after.is_some_and(is_rule);
    let capitals = !bare.chars().any(char::is_lowercase) && bare.split_whitespace().count() > 1;
    let is_subject = bare.starts_with("Subject: ");
    (marked || is_subject || alone && (underlined || capitals)).then(|| bare.to_owned())
}

fn is_rule(line: &str) -> bool {
    line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | '~' | '#'))
}

fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

/// The beginning of a line near `at`, or of a word.
fn line_start(text: &str, at: usize) -> usize {
    let at = floor(text, at);
    let near = &text[at..floor(text, at + BEFORE / 2)];
    near.find('\n').or_else(|| near.find(' ')).map_or(at, |found| if at == 0 { 0 } else { at + found + 1 })
}

#[cfg(test)]
mod tests {
    use super::{sections, stretches};

    #[test]
    fn stretches_show_where_the_words_stand_and_where_that_is() {
        let far = "padding words here\n".repeat(200);
        let text = format!("{far}The economic advisors met in May.\n{far}An advisor left.\n{far}");

        let found = stretches(&text, "economic advisor", 4_000);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].text.contains("The economic advisors met in May."));
        let from: String = text.chars().skip(found[0].offset).collect();
        assert!(from.starts_with(&found[0].text));

        assert_eq!(stretches(&text, "advisor", 4_000).len(), 2);
        assert_eq!(stretches(&text, "advisor", 500).len(), 1);
        assert!(stretches(&text, "plumber", 4_000).is_empty());
        assert!(stretches("", "x", 100).is_empty());
    }

    #[test]
    fn headings_tell_the_sections_of_a_digest() {
        let text = "Hello\n\n# First part\ntext\n\nEUROPE AND RUSSIA\nmore text\n\nThird\n-----\nend\nSubject: Re: lens\n> QUOTED TEXT\n";
        let titles: Vec<_> = sections(text).into_iter().map(|section| section.title).collect();

        assert_eq!(titles, ["First part", "EUROPE AND RUSSIA", "Third", "Subject: Re: lens"]);
        assert_eq!(sections(text)[0].offset, 7);
        assert!(sections(&"# many\n".repeat(500)).len() <= 40);
    }
}
