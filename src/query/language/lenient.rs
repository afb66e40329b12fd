//! Reads a question as people write it: a parenthesis or quote that has no other half, signs alone in parentheses and
//! `name:word` among plain words, with a name that is near no operator, are text. Each is said in a note. Everything else that the language
//! refuses stays refused: a slip in an operator would find something else than was meant.

use super::error::LanguageError;
use super::{Understood, read};
use crate::clock::Clock;
use crate::text_safety::one_line;

/// A text with more of them is no question.
const MOST_AMENDED: usize = 32;

/// Reads a search, passing over what was hardly meant as a sign of the language.
pub fn read_leniently(text: &str, clock: &Clock) -> Result<Understood, LanguageError> {
    let refused = match read(text, clock) {
        Err(refused) => refused,
        understood => return understood,
    };
    let mut amended: Vec<char> = text.chars().collect();
    let mut notes = Vec::new();
    let mut error = refused.clone();
    for _ in 0..MOST_AMENDED {
        let Some(note) = amend(&mut amended, &error) else { break };
        notes.push(note);
        match read(&amended.iter().collect::<String>(), clock) {
            Ok(Understood { query, .. }) if !query.positive_leaves().iter().any(|leaf| leaf.is_text()) => {
                break;
            }
            Ok(understood) => {
                return Ok(Understood { notes: [notes, understood.notes].concat(), ..understood });
            }
            Err(next) => error = next,
        }
    }
    Err(refused)
}

/// Makes spaces of what an error stumbled over, so that every other character stays where it is; `None` where the error
/// is worth more.
fn amend(text: &mut [char], error: &LanguageError) -> Option<String> {
    let at = error.position();
    let blanked = match error {
        LanguageError::UnopenedParenthesis { .. } => at..at + 1,
        // That of `from:(ada` is said to stand where the operator begins.
        LanguageError::UnclosedParenthesis { .. } if text[at] == '(' => at..at + 1,
        LanguageError::UnclosedQuote { .. } if at == 0 || text[at - 1] != ':' => at..at + 1,
        LanguageError::Empty { .. } => at..at + 2 + text[at + 1..].iter().position(|c| !c.is_whitespace())?,
        LanguageError::NothingToFind { value, .. } => {
            let end = at + value.chars().count();
            let is_alone = at > 0 && text[at - 1] == '(' && text.get(end) == Some(&')');
            is_alone.then(|| at - 1..end + 1)?
        }
        LanguageError::UnknownOperator { name, value, nearest: None, .. }
            if !value.starts_with(['"', '(', '{']) && stands_among_words(text, at) =>
        {
            text[at + name.len()] = ' ';
            return Some(format!("`{}:` is no operator, so it was looked for as a word", one_line(name)));
        }
        _ => return None,
    };
    text[blanked].fill(' ');
    Some(format!("{error}; it was passed over"))
}

/// Whether there is a plain word beside the one that begins here: alone, `name:word` was meant as an operator.
fn stands_among_words(text: &[char], at: usize) -> bool {
    let end = text[at..].iter().position(|c| c.is_whitespace()).map_or(text.len(), |length| at + length);
    let others = [&text[..at], &text[end..]].map(|part| part.iter().collect::<String>());
    let is_word = |word: &str| !word.contains(':') && word.chars().any(char::is_alphanumeric);
    others.iter().any(|other| other.split_whitespace().any(is_word))
}

#[cfg(test)]
mod tests {
    use super::read_leniently;
    use crate::clock::Clock;

    fn meaning(search: &str) -> Result<(String, usize), String> {
        let clock = Clock::frozen("2024-07-10T12:00:00Z".parse().unwrap());
        let read = read_leniently(search, &clock).map_err(|error| error.to_string())?;
        Ok((read.query.to_string(), read.notes.len()))
    }

    #[test]
    fn what_people_write_beside_words_is_passed_over_and_said() {
        for (search, query, notes) in [
            ("thanks :)", "thanks", 1),
            ("see point c) below", "see point c below", 1),
            ("really (!) late", "really late", 1),
            ("the (old kitchen", "the old kitchen", 1),
            ("5 (five) rooms", "5 five rooms", 0),
            ("he said \"come over", "he said come over", 1),
            ("architecture binary:all", "architecture binary all", 1),
            ("a () b", "a b", 1),
            ("tea - or coffee", "tea or coffee", 0),
            ("c) binary:all from:ada", "c binary all from:ada", 2),
        ] {
            assert_eq!(meaning(search), Ok((query.to_owned(), notes)), "{search}");
        }
    }

    #[test]
    fn a_slip_in_an_operator_and_signs_alone_stay_errors() {
        for search in [
            "form:ada",
            "since:2024",
            "from:(ada",
            "from:\"ada",
            "banana:(a b)",
            "banana:split",
            "banana:split from:ada",
            ":)",
            "in:inbox )",
            "a OR",
            "is:unred",
        ] {
            assert!(meaning(search).is_err(), "{search}: {:?}", meaning(search));
        }
    }
}
