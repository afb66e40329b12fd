//! Tells what the author wrote from what was already said: folds quoted history and signatures, keeps answers that
//! stand between quoted lines. Pure.

use crate::parse::quotation::{
    self, begins_introduction, is_introduction, is_quoted, signature_start, signatures,
};

/// A text without its quoted history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    /// What is left.
    pub text: String,
    /// How many lines of history were left out.
    pub hidden_lines: usize,
}

/// Quotes shorter than this are not worth a fold.
const WORTH_FOLDING: usize = 3;
/// In a digest, this many quoted lines before an answer are enough to see what is answered.
const CONTEXT: usize = 3;

/// Leaves out the history at the end: quoted lines after which the author wrote nothing more, with the line that
/// introduces them, or everything below the header of what is answered. What is passed on is content, and so is what stands
/// below a few words that say nothing by themselves.
#[must_use]
pub fn fold_history(text: &str) -> Folded {
    let lines: Vec<&str> = text.lines().collect();
    let end = history_start(&lines).unwrap_or(lines.len());
    let hidden_lines = lines[end..].iter().filter(|line| !line.trim().is_empty()).count();
    if hidden_lines < WORTH_FOLDING {
        return Folded { text: text.to_owned(), hidden_lines: 0 };
    }
    Folded { text: lines[..end].join("\n").trim_end().to_owned(), hidden_lines }
}

/// What is new in a message of a thread: no history, no signature, and of the quotes between answers only the last
/// lines.
#[must_use]
pub fn new_text(text: &str) -> String {
    let folded = fold_history(text).text;
    let lines: Vec<&str> = folded.lines().collect();
    let signatures = signatures(&lines);
    let is_signed = |at: usize| signatures.iter().any(|lines| lines.contains(&at));
    let kept: Vec<&str> = (0..lines.len()).filter(|at| !is_signed(*at)).map(|at| lines[at]).collect();
    shorten_quotes(&kept)
}

/// What comes before the history and the signature at the end; all of it when that is nothing.
pub(super) fn without_end(text: &str) -> &str {
    let lines: Vec<&str> = text.lines().collect();
    let ends = [history_start(&lines), signature_start(&lines)];
    let end = ends.into_iter().flatten().min().unwrap_or(lines.len());
    let before: usize = text.split_inclusive('\n').take(end).map(str::len).sum();
    if text[..before].trim().is_empty() { text } else { &text[..before] }
}

/// The author's own lines, without quotes and the lines that introduce them.
pub(super) fn own_lines(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let introduces = |at: usize| {
        is_introduction(lines[at]) && lines.get(at + 1).is_some_and(|next| is_quoted(next))
            || begins_introduction(lines[at]) && at + 1 < lines.len() && is_introduction(lines[at + 1])
    };
    (0..lines.len()).filter(|at| !is_quoted(lines[*at]) && !introduces(*at)).map(|at| lines[at]).collect()
}

fn history_start(lines: &[&str]) -> Option<usize> {
    let below = quotation::history_start(lines);
    let quoted = trailing_quote(lines);
    match (below, quoted) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
    .filter(|start| lines[..*start].iter().any(|line| !line.trim().is_empty()))
}

/// Where the quoted lines begin after which nothing but a signature follows.
fn trailing_quote(lines: &[&str]) -> Option<usize> {
    let body_end = signature_start(lines).unwrap_or(lines.len());
    let last_own = lines[..body_end].iter().rposition(|line| !is_quoted(line) && !line.trim().is_empty());
    let after = last_own.map_or(0, |own| own + 1);
    if !lines[after..body_end].iter().any(|line| is_quoted(line)) {
        return None;
    }
    let introduced = last_own.filter(|own| is_introduction(lines[*own]));
    let Some(own) = introduced else { return Some(after) };
    // "On Monday Ada wrote:" may be wrapped: its first line then begins with what such lines begin with.
    let wrapped = own > 0 && begins_introduction(lines[own - 1]) && !begins_introduction(lines[own]);
    Some(if wrapped { own - 1 } else { own })
}

fn shorten_quotes(lines: &[&str]) -> String {
    let mut kept: Vec<String> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let run = lines[at..].iter().take_while(|line| is_quoted(line)).count();
        if run > CONTEXT + 1 {
            kept.push(format!("> [{} quoted lines]", run - CONTEXT));
            kept.extend(lines[at + run - CONTEXT..at + run].iter().map(|line| (*line).to_owned()));
        } else {
            kept.extend(lines[at..at + run.max(1)].iter().map(|line| (*line).to_owned()));
        }
        at += run.max(1);
    }
    kept.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{fold_history, new_text, own_lines, without_end};

    #[test]
    fn history_below_the_answer_is_folded_with_its_introduction() {
        let text = "Fine by me.\n\nOn Mon, Ada wrote:\n> one\n> two\n> three\n";

        let folded = fold_history(text);

        assert_eq!(folded.text, "Fine by me.");
        assert_eq!(folded.hidden_lines, 4);
    }

    #[test]
    fn a_wrapped_introduction_goes_too() {
        let text = "Yes.\n\nOn Mon, 3 Mar 2025, Ada Berg\n<ada@example.org> wrote:\n> one\n> two\n> three";

        assert_eq!(fold_history(text).text, "Yes.");
    }

    #[test]
    fn answers_between_quotes_are_kept() {
        let text = "On Mon, Ada wrote:\n> Tea?\nYes.\n> Cake?\nNo.\n";

        assert_eq!(fold_history(text).hidden_lines, 0);
        assert_eq!(new_text(text), text.trim());
    }

    #[test]
    fn a_digest_shortens_long_quotes_before_an_answer_and_drops_the_signature() {
        let text = "> 1\n> 2\n> 3\n> 4\n> 5\n> 6\nAgreed.\n-- \nBob\n";

        assert_eq!(new_text(text), "> [3 quoted lines]\n> 4\n> 5\n> 6\nAgreed.");
    }

    #[test]
    fn a_forwarded_header_begins_history_only_below_own_words() {
        let quoted = "-----Original Message-----\nFrom: a\nSent: b\nTo: c\nSubject: d\nold";

        let answer = "Yes, we can deliver both of them on Friday.";
        assert_eq!(fold_history(&format!("{answer}\n\n{quoted}")).text, answer);
        assert_eq!(
            fold_history(&format!("See below.\n\n{quoted}")).hidden_lines,
            0,
            "too little to stand alone"
        );
        assert_eq!(fold_history(quoted).hidden_lines, 0, "a forward without words is all there is");
    }

    #[test]
    fn what_is_passed_on_is_content() {
        let mark = "---------- Forwarded message ---------\nFrom: a\nDate: b\nSubject: c\nTo: d\n";
        let text =
            format!("Please read what the plumber says below, it matters.\n\n{mark}\nthe pipe\nleaks\nbadly");

        assert_eq!(fold_history(&text).hidden_lines, 0);
    }

    #[test]
    fn what_is_passed_on_below_a_signature_is_new() {
        let mark = "---------- Forwarded message ---------\nFrom: a\nDate: b\nSubject: c\nTo: d\n";
        let text = format!("See what the plumber says below.\n-- \nBob\n\n{mark}\nthe pipe leaks");

        assert_eq!(new_text(&text), format!("See what the plumber says below.\n{mark}\nthe pipe leaks"));
    }

    #[test]
    fn own_lines_are_neither_quotes_nor_what_introduces_them() {
        let text = "On Mon, 3 Mar 2025, Ada Berg\n<ada@example.org> wrote:\n> Tea?\n\nYes.\n> Cake?\nNo.\n-- \nBob\n";

        assert_eq!(own_lines(without_end(text)), ["Yes.", "No."]);
        assert_eq!(own_lines("Prices:\ntea\n"), ["Prices:", "tea"]);
        assert_eq!(without_end("Fine.\n\nOn Mon, Ada wrote:\n> one\n"), "Fine.\n\n");
        assert_eq!(without_end("-- \nBob\n"), "-- \nBob\n");
    }

    #[test]
    fn short_quotes_and_plain_texts_stay() {
        for text in ["", "hello", "a\n> b", "> only\n> quoted\n> lines\n> here", "-- \nsig"] {
            assert_eq!(fold_history(text).text, text);
        }
    }
}
