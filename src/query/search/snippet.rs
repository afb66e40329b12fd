//! The piece of a message's text that shows why it was found.

use std::collections::HashSet;

use crate::index::Words;
use crate::text_safety::one_line;

const LENGTH: usize = 160;
const BEFORE: usize = 50;
/// Beyond this, a hit is too deep to be worth looking for.
const FAR: usize = 32 << 10;
/// How far behind the first hit a better place is looked for.
const CLOSE: usize = 2 << 10;

/// About 160 characters around the place that shows most of `words`, each given in all its forms;
/// the beginning when none is there.
pub(in crate::query) fn around(text: &str, words: &[Vec<String>]) -> String {
    let near = &text[..floor(text, FAR)];
    let (start, cut) = match best_place(near, words) {
        Some(hit) if hit > BEFORE => (word_start(near, hit - BEFORE), true),
        _ => (0, false),
    };
    let line = one_line(&text[start..floor(text, start + 4 * LENGTH)]);
    let end = line.char_indices().nth(LENGTH).map_or(line.len(), |(at, _)| at);
    let before = if cut { "… " } else { "" };
    let after = if end < line.len() { " …" } else { "" };
    format!("{before}{}{after}", line[..end].trim_end())
}

/// Where the window that holds the most different words begins; the first of equals.
fn best_place(text: &str, words: &[Vec<String>]) -> Option<usize> {
    let wanted: Vec<(&str, usize)> = words
        .iter()
        .enumerate()
        .flat_map(|(word, forms)| forms.iter().map(move |form| (form.as_str(), word)))
        .collect();
    let mut hits: Vec<(usize, usize)> = Vec::new();
    let mut best: Option<(usize, usize)> = None;
    let mut all = Words::new(text);
    let mut end = if wanted.is_empty() { 0 } else { text.len() };
    while let Some(word) = all.advance().filter(|word| word.start < end) {
        let Some((_, which)) = wanted.iter().find(|(form, _)| *form == all.text()) else {
            continue;
        };
        hits.retain(|(start, _)| start + LENGTH > word.end);
        hits.push((word.start, *which));
        let different = hits.iter().map(|(_, which)| which).collect::<HashSet<_>>().len();
        if best.is_none() {
            end = word.start + CLOSE;
        }
        if best.is_none_or(|(most, _)| different > most) {
            best = Some((different, hits[0].0));
        }
        if different == words.len() {
            break;
        }
    }
    best.map(|(_, start)| start)
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The beginning of the word at or behind `at`, so that a snippet does not start inside one.
fn word_start(text: &str, at: usize) -> usize {
    let at = floor(text, at);
    text[at..].find(char::is_whitespace).map_or(at, |space| at + space)
}

#[cfg(test)]
mod tests {
    use super::around;

    fn words(list: &[&str]) -> Vec<Vec<String>> {
        list.iter().map(|&word| vec![word.to_owned()]).collect()
    }

    #[test]
    fn a_snippet_shows_the_hit_on_one_line() {
        let text = format!("{}the lens\n  coating failed again{}", "padding ".repeat(40), " more".repeat(80));
        let snippet = around(&text, &words(&["coating", "fails"]));
        assert!(snippet.contains("the lens coating failed again"), "{snippet}");
        assert!(snippet.starts_with("… ") && snippet.ends_with(" …"), "{snippet}");
    }

    #[test]
    fn without_a_hit_the_beginning_is_shown() {
        assert_eq!(around("Hello\u{1b}[0m  there\n", &[]), "Hello [0m there");
        assert_eq!(around("", &words(&["x"])), "");
    }

    #[test]
    fn the_place_with_more_words_wins() {
        let text = format!("alpha {} alpha beta", "x ".repeat(200));
        assert!(around(&text, &words(&["alpha", "beta"])).contains("alpha beta"));
    }
}
