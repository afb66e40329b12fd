//! The pieces of a message's text that show why it was found.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use crate::index::Words;
use crate::parse::quotation::{self, is_quoted};
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

/// The beginning of what the author wrote.
pub(in crate::query) fn beginning_of(text: &str) -> String {
    around(text, &[])
}

/// What is shown of a message: where its words stand, else the passages that are meant, else its beginning.
pub(super) fn shown(text: &str, words: &[Vec<String>], meant: &[Range<usize>], several: bool) -> String {
    // Where few of the words are, the passages that are meant tell more.
    let is_meant = !meant.is_empty() && distinct(text, words) * 2 < words.len().max(1);
    let told = match several {
        _ if !is_meant => None,
        true => meant_passages(text, &meant[..meant.len().min(PASSAGES)], TOGETHER),
        false => meant_passages(text, &meant[..1], LENGTH),
    };
    told.unwrap_or_else(|| if several { passages(text, words) } else { around(text, words) })
}

/// The passages that are meant, in the order they stand, so many characters together. Of each what its author wrote or
/// passes on, since nothing else was compared; what two of them share is shown once. `None` when nothing is left.
fn meant_passages(text: &str, meant: &[Range<usize>], together: usize) -> Option<String> {
    let kept = quotation::carried(text);
    let mut ranges: Vec<_> =
        meant.iter().map(|range| floor(text, range.start)..floor(text, range.end)).collect();
    ranges.sort_unstable_by_key(|range| range.start);
    let (mut shown, mut end) = (Vec::new(), 0);
    for range in ranges {
        let start = range.start.max(end);
        let own = kept.iter().map(|part| part.start.max(start)..part.end.min(range.end));
        let own: Vec<&str> = own.filter(|own| own.start < own.end).map(|own| &text[own]).collect();
        shown.push((start, one_line(&unquoted(&own.join("\n")))));
        end = end.max(range.end);
    }
    shown.retain(|(_, piece)| !piece.trim().is_empty());
    let each = together / shown.len().max(1);
    let piece = |(start, piece): &(usize, String)| {
        let before = if *start > 0 { "… " } else { "" };
        format!("{before}{}", cut(piece.trim_start(), each.saturating_sub(4)))
    };
    (!shown.is_empty()).then(|| shown.iter().map(piece).collect::<Vec<_>>().join(" "))
}

/// How many of the words a text has.
fn distinct(text: &str, words: &[Vec<String>]) -> usize {
    hits(&text[..floor(text, FAR)], words).into_iter().map(|(_, word)| word).collect::<BTreeSet<_>>().len()
}

/// How many passages are shown, and how many characters they have together.
const PASSAGES: usize = 3;
const TOGETHER: usize = 300;
/// Passages are looked for in so much of a text.
const WHOLE: usize = 256 << 10;

/// Up to three passages in the order they stand, 300 characters together, that show as many different words as possible.
/// The beginning of what the author wrote when none is there.
pub(in crate::query) fn passages(text: &str, words: &[Vec<String>]) -> String {
    let text = &text[..floor(text, WHOLE)];
    let hits = hits(text, words);
    let length = TOGETHER / PASSAGES;
    let mut chosen: Vec<(usize, BTreeSet<usize>)> = Vec::new();
    let mut shown: BTreeSet<usize> = BTreeSet::new();
    while chosen.len() < PASSAGES {
        let is_free = |at: usize| chosen.iter().all(|(other, _)| at.abs_diff(*other) > 2 * length);
        let candidates = hits.iter().enumerate().filter(|(_, (at, _))| is_free(*at));
        let within = |(first, (at, _)): (usize, &(usize, usize))| {
            let here = hits[first..].iter().take_while(|(next, _)| *next < at + length);
            (*at, here.map(|(_, word)| *word).collect::<BTreeSet<_>>())
        };
        let worth = |(at, here): &(usize, BTreeSet<usize>)| {
            (here.difference(&shown).count(), here.len(), std::cmp::Reverse(*at))
        };
        let Some(best) = candidates.map(within).max_by_key(worth) else { break };
        if shown.len() == words.len() && chosen.iter().any(|(_, here)| *here == best.1) {
            break;
        }
        shown.extend(&best.1);
        chosen.push(best);
    }
    if chosen.is_empty() {
        return cut(&one_line(&beginning(text)), TOGETHER);
    }
    chosen.sort_unstable();
    let each = TOGETHER / chosen.len() - 3;
    let shown: Vec<String> = chosen.iter().map(|(at, _)| passage(text, *at, each)).collect();
    shown.join(" ")
}

/// About so many characters around a hit.
fn passage(text: &str, hit: usize, most: usize) -> String {
    let start = if hit > most / 4 { word_start(text, hit - most / 4) } else { 0 };
    let piece = one_line(&unquoted(&text[start..floor(text, start + 4 * most)]));
    let before = if start > 0 { "… " } else { "" };
    format!("{before}{}", cut(piece.trim_start(), most.saturating_sub(2)))
}

/// At most so many characters, marked where it goes on.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text.trim_end().to_owned(),
    }
}

/// Where words stand that were looked for, and which.
fn hits(text: &str, words: &[Vec<String>]) -> Vec<(usize, usize)> {
    let mut all = Words::new(text);
    let mut hits = Vec::new();
    while let Some(word) = all.advance() {
        let which = words.iter().position(|forms| forms.iter().any(|form| is_form(form, all.text())));
        hits.extend(which.map(|which| (word.start, which)));
    }
    hits
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
    use super::{around, passages, shown};

    #[test]
    fn passages_show_each_word_where_it_stands_and_no_more_than_fits() {
        let far = "padding ".repeat(100);
        let text = format!("the alpha lens {far} a beta coat {far} gamma rays {far} alpha again");
        let shown = passages(&text, &words(&["alpha", "beta", "gamma"]));

        assert!(
            ["the alpha lens", "a beta coat", "gamma rays"].iter().all(|part| shown.contains(part)),
            "{shown}"
        );
        assert!(shown.chars().count() <= 310, "{shown}");
        assert!(passages(&text, &words(&["beta"])).chars().count() > 200);
        assert!(passages(&far, &words(&["beta"])).starts_with("padding padding"));
        assert_eq!(passages("", &[]), "");
    }

    #[test]
    fn what_is_meant_is_shown_passage_by_passage_and_never_what_is_quoted() {
        let text = "Plan.\nThe boiler is broken.\nNothing here.\nA plumber comes.\n> the old question\nThen we rest.\n";
        let at = |piece: &str| text.find(piece).unwrap()..text.find(piece).unwrap() + piece.len();
        let plumber = at("A plumber").start..at("Then we").end;
        let meant = [plumber, at("The boiler is broken."), 0..0];

        assert_eq!(
            shown(text, &words(&["heating"]), &meant, true),
            "… The boiler is broken. … A plumber comes. Then we"
        );
        assert_eq!(shown(text, &words(&["heating"]), &meant, false), "… A plumber comes. Then we");
        let there = words(&["nothing"]);
        assert_eq!(shown(text, &there, &meant, true), passages(text, &there));
        let long = "word ".repeat(200);
        let together = shown(&long, &words(&["x"]), &[0..400, 300..700, 800..1000], true);
        assert!(together.chars().count() <= 300 && together.matches('…').count() == 5, "{together}");
    }

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
