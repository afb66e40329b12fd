//! The piece of a message's text that shows why it was found.

use std::collections::HashSet;

use crate::index::Words;
use crate::parse::quotation::is_quoted;
use crate::query::quoted;
use crate::text_safety::one_line;

const LENGTH: usize = 160;
const BEFORE: usize = 50;
/// Beyond this, a hit is too deep to be worth looking for.
const FAR: usize = 32 << 10;
/// How far behind the first hit a better place is looked for.
const CLOSE: usize = 2 << 10;

/// About 160 characters around the place that shows most of `words`, each given in all its forms; rather in what the
/// author wrote than in what is quoted. The beginning of what the author wrote when none is there.
pub(in crate::query) fn around(text: &str, words: &[Vec<String>]) -> String {
    let near = &text[..floor(text, FAR)];
    match best_place(near, words) {
        Some(hit) if hit > BEFORE => {
            let start = word_start(near, hit - BEFORE);
            format!("… {}", shortened(&unquoted(&text[start..floor(text, start + 4 * LENGTH)])))
        }
        Some(_) => shortened(&unquoted(&text[..floor(text, 4 * LENGTH)])),
        None => shortened(&beginning(near)),
    }
}

/// What the author wrote; where that is nothing, what is there.
fn beginning(text: &str) -> String {
    let own = quoted::own_lines(quoted::without_end(text)).join("\n");
    if own.trim().is_empty() { unquoted(text) } else { own }
}

/// The lines without the marks of quoting.
fn unquoted(text: &str) -> String {
    let bare = |line: &str| match is_quoted(line) {
        true => line.trim_start_matches(['>', ' ']).to_owned(),
        false => line.to_owned(),
    };
    text.lines().map(bare).collect::<Vec<_>>().join("\n")
}

fn shortened(text: &str) -> String {
    let line = one_line(&text[..floor(text, 4 * LENGTH)]);
    let end = line.char_indices().nth(LENGTH).map_or(line.len(), |(at, _)| at);
    let after = if end < line.len() { " …" } else { "" };
    format!("{}{after}", line[..end].trim_end())
}

/// Where the window that holds the most different words begins: of equals one that is not quoted, then the first.
fn best_place(text: &str, words: &[Vec<String>]) -> Option<usize> {
    let wanted: Vec<(&str, usize)> = words
        .iter()
        .enumerate()
        .flat_map(|(word, forms)| forms.iter().map(move |form| (form.as_str(), word)))
        .collect();
    if wanted.is_empty() {
        return None;
    }
    let own = quoted::without_end(text).len();
    let mut hits: Vec<(usize, usize)> = Vec::new();
    let mut best: Option<((usize, bool), usize)> = None;
    let mut all = Words::new(text);
    let mut end = text.len();
    while let Some(word) = all.advance().filter(|word| word.start < end) {
        let Some((_, which)) = wanted.iter().find(|(form, _)| is_form(form, all.text())) else {
            continue;
        };
        hits.retain(|(start, _)| start + LENGTH > word.end);
        hits.push((word.start, *which));
        let different = hits.iter().map(|(_, which)| which).collect::<HashSet<_>>().len();
        let is_own = word.start < own && !is_quoted(line_of(text, word.start));
        if best.is_none() {
            end = word.start + CLOSE;
        }
        if best.is_none_or(|(most, _)| (different, is_own) > most) {
            best = Some(((different, is_own), hits[0].0));
        }
        if different == words.len() && is_own {
            break;
        }
    }
    best.map(|(_, start)| start)
}

/// Whether a word of the text is one that was looked for; a star stands for any end.
fn is_form(form: &str, word: &str) -> bool {
    form.strip_suffix('*').map_or(form == word, |begun| word.starts_with(begun))
}

/// The line that holds this place, as far as it.
fn line_of(text: &str, at: usize) -> &str {
    let begins = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    &text[begins..]
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
    fn without_a_hit_the_new_text_is_shown_and_not_what_is_quoted_or_signed() {
        let text =
            "On Mon, 3 Mar 2025, Ada Berg wrote:\n> Shall we?\n>\n> Ada\n\nYes, gladly.\n-- \nBob Stone\n";
        assert_eq!(around(text, &[]), "Yes, gladly.");
        assert_eq!(around(text, &words(&["invoice"])), "Yes, gladly.");
        assert_eq!(around("> only\n> quoted\n", &[]), "only quoted");
        assert_eq!(around("-- \nBob\n", &[]), "-- Bob");
    }

    #[test]
    fn a_hit_in_the_new_text_is_shown_before_one_in_a_quote() {
        let text = format!("> the quote of ada\n> {}\nnow my quote is here\n", "padding ".repeat(30));
        assert!(around(&text, &words(&["quote"])).contains("now my quote is here"));
        assert!(around(&text, &words(&["ada"])).starts_with("the quote of ada padding"));
    }

    #[test]
    fn the_beginning_of_a_word_is_shown_too() {
        let text = format!("{} invoices", "x ".repeat(200));
        assert!(around(&text, &words(&["invoi*"])).ends_with("invoices"));
    }

    #[test]
    fn the_place_with_more_words_wins() {
        let text = format!("alpha {} alpha beta", "x ".repeat(200));
        assert!(around(&text, &words(&["alpha", "beta"])).contains("alpha beta"));
    }
}
