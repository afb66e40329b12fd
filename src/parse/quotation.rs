//! The marks by which mail tells what is new from what was said before: quoted lines, what introduces them, headers above
//! what is passed on, signatures. Pure; who reads decides what to leave out.

use std::ops::Range;

/// With fewer words of its own above, a message lives from what it carries below.
const STANDS_ALONE: usize = 6;
/// What is longer, below a line of two dashes, is no signature.
const LONGEST_SIGNATURE: usize = 12;

/// Where in a text stands what its author wrote or passes on: no quoted lines, no history below, no signature. All of
/// it, when nothing else is there.
#[must_use]
pub fn carried(text: &str) -> Vec<Range<usize>> {
    let lines: Vec<&str> = text.lines().collect();
    let end = history_start(&lines).unwrap_or(lines.len());
    let forwarded = lines.iter().position(|line| is_forward_mark(line)).unwrap_or(end);
    let signatures = signatures(&lines);
    let is_signed = |at: usize| signatures.iter().any(|lines| lines.contains(&at));
    let is_own = |at: usize| at >= forwarded || !is_quoted(lines[at]) && !introduces(&lines, at);
    let keeps = |at: usize| is_own(at) && !is_signed(at);
    let (mut kept, mut offset) = (Vec::new(), 0);
    for (at, line) in text.split_inclusive('\n').take(end).enumerate() {
        let place = offset..offset + line.len();
        offset = place.end;
        match kept.last_mut() {
            _ if !keeps(at) || line.trim().is_empty() => {}
            Some(Range { end, .. }) if *end == place.start => *end = place.end,
            _ => kept.push(place),
        }
    }
    if kept.is_empty() { std::iter::once(0..text.len()).collect() } else { kept }
}

/// Where the history without quotation marks begins, below words that stand on their own. What is passed on is no history.
#[must_use]
pub fn history_start(lines: &[&str]) -> Option<usize> {
    let start = lines.iter().position(|line| is_divider(line)).or_else(|| header_block(lines))?;
    let above = &lines[..start];
    let own = &above[..signature_start(above).unwrap_or(start)];
    let words: usize = own.iter().map(|line| line.split_whitespace().count()).sum();
    (words >= STANDS_ALONE && !above.iter().any(|line| is_forward_mark(line))).then_some(start)
}

/// Whether a line introduces the quoted line below it, or is the first half of one that does.
#[must_use]
pub fn introduces(lines: &[&str], at: usize) -> bool {
    let below = |count: usize| lines.get(at + count);
    is_introduction(lines[at]) && below(1).is_some_and(|next| is_quoted(next))
        || begins_introduction(lines[at])
            && below(1).is_some_and(|next| is_introduction(next))
            && below(2).is_some_and(|next| is_quoted(next))
}

/// Whether what follows is passed on by the author: content, not history.
#[must_use]
pub fn is_forward_mark(line: &str) -> bool {
    const WORDS: [&str; 6] = [
        "forwarded message",
        "begin forwarded message",
        "weitergeleitete nachricht",
        "message transféré",
        "mensaje reenviado",
        "messaggio inoltrato",
    ];
    let bare = line.trim().trim_matches(['-', '_', ' ', ':', '>']).to_lowercase();
    bare.len() < 120 && WORDS.iter().any(|words| bare == *words || bare.starts_with(&format!("{words} ")))
}

/// Whether a line repeats what somebody else wrote.
#[must_use]
pub fn is_quoted(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

/// Whether a line may introduce what is quoted below it.
#[must_use]
pub fn is_introduction(line: &str) -> bool {
    let line = line.trim_end();
    line.ends_with(':') && line.len() < 200
}

/// Whether a line begins as such lines begin.
#[must_use]
pub fn begins_introduction(line: &str) -> bool {
    let line = line.trim_start();
    ["On ", "Am ", "Le ", "El ", "Il ", "Op ", "Em ", "Den ", "W dniu "]
        .iter()
        .any(|word| line.starts_with(word))
}

/// Whether a line divides an answer from the message that is answered.
#[must_use]
pub fn is_divider(line: &str) -> bool {
    let line = line.trim();
    let inner = line.trim_matches(['-', '_', ' ']);
    let words = ["Original Message", "Original-Nachricht", "Ursprüngliche Nachricht", "Message d'origine"];
    line.starts_with("--") && words.iter().any(|word| inner.eq_ignore_ascii_case(word))
}

fn header_block(lines: &[&str]) -> Option<usize> {
    (0..lines.len()).find(|start| is_header_block(&lines[*start..]))
}

/// Whether it begins with the header that some programs put above what they quote without marks.
fn is_header_block(lines: &[&str]) -> bool {
    let named = |line: &str, names: &[&str]| {
        let bare = line.trim_start().trim_start_matches('*');
        names.iter().any(|name| bare.starts_with(name))
    };
    let block = &lines[..lines.len().min(6)];
    let has = |names: &[&str]| block.iter().any(|line| named(line, names));
    named(block[0], &["From:", "Von:", "De :", "De:"])
        && has(&["Sent:", "Date:", "Gesendet:", "Datum:", "Envoyé", "Enviado"])
        && has(&["To:", "An:", "À :", "Para:"])
        && has(&["Subject:", "Betreff:", "Objet", "Asunto:"])
}

/// The lines of signatures. Each ends with the text, or where another message begins: what is passed on or answered
/// stands below the signature of who does it.
#[must_use]
pub fn signatures(lines: &[&str]) -> Vec<Range<usize>> {
    let begins =
        |at: &usize| is_forward_mark(lines[*at]) || is_divider(lines[*at]) || is_header_block(&lines[*at..]);
    let ends = (1..lines.len()).filter(begins).chain([lines.len()]);
    let mut start = 0;
    let signature = |end: usize| {
        let part = std::mem::replace(&mut start, end)..end;
        let found = part.start + lines[part].iter().rposition(|line| matches!(*line, "-- " | "--"))?;
        (end - found <= LONGEST_SIGNATURE).then_some(found..end)
    };
    ends.filter_map(signature).collect()
}

/// Where the signature begins after which nothing follows.
#[must_use]
pub fn signature_start(lines: &[&str]) -> Option<usize> {
    signatures(lines).last().filter(|last| last.end == lines.len()).map(|last| last.start)
}

#[cfg(test)]
mod tests {
    use super::carried;

    fn kept(text: &str) -> String {
        carried(text).into_iter().map(|range| &text[range]).collect::<Vec<_>>().concat()
    }

    #[test]
    fn an_answer_carries_what_is_new() {
        let text = "On Mon, Ada Berg\n<ada@example.org> wrote:\n> Tea?\n\nYes.\n> Cake?\nNo.\n-- \nBob\n";

        assert_eq!(kept(text), "Yes.\nNo.\n");
    }

    #[test]
    fn history_without_marks_counts_only_when_nothing_stands_above_it() {
        let history = "-----Original Message-----\nFrom: a\nSent: b\nTo: c\nSubject: d\nold words";

        assert_eq!(
            kept(&format!("We meet on Friday at nine sharp.\n\n{history}")),
            "We meet on Friday at nine sharp.\n"
        );
        assert!(kept(&format!("FYI\n\n{history}")).ends_with("old words"));
    }

    #[test]
    fn what_is_passed_on_is_content() {
        for mark in ["---------- Forwarded message ---------", "Begin forwarded message:"] {
            let text = format!(
                "Please read what the plumber says below.\n\n{mark}\nFrom: a\nDate: b\nSubject: c\nTo: d\n\n> the pipe leaks\n"
            );

            assert!(kept(&text).ends_with("> the pipe leaks\n"), "{mark}");
        }
    }

    #[test]
    fn what_is_passed_on_below_a_signature_is_content() {
        for mark in [
            "---------- Forwarded message ---------",
            "-----Original Message-----",
            "From: a\nSent: b\nTo: c\nSubject: d",
        ] {
            let text = format!("FYI\n-- \nBob\nStone & Sons\n\n{mark}\nThe pipe leaks.\n-- \nAda\n");

            assert_eq!(kept(&text), format!("FYI\n{mark}\nThe pipe leaks.\n"));
        }
    }

    #[test]
    fn a_message_of_quotes_alone_is_kept_whole() {
        for text in ["> one\n> two", "-- \nBob", ""] {
            assert_eq!(kept(text), text);
        }
    }
}
