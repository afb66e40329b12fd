//! A draft as a small text that a person edits: To, Cc, Bcc and Subject, an empty line, the body. Pure; whether the
//! addresses are any good is for the drafts to say.

use crate::drafts::DraftChange;
use crate::model::{Address, Draft};

/// What of a draft can be edited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Letter {
    to: Vec<String>,
    cc: Vec<String>,
    bcc: Vec<String>,
    subject: String,
    body: String,
}

/// Why a text is no letter: in which line, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub(super) struct Unreadable {
    line: usize,
    problem: String,
}

impl Letter {
    /// The newest revision of a draft.
    pub(super) fn of(draft: &Draft) -> Self {
        let shown = |list: &[Address]| list.iter().map(written).collect();
        Self {
            to: shown(&draft.recipients.to),
            cc: shown(&draft.recipients.cc),
            bcc: shown(&draft.recipients.bcc),
            subject: draft.subject.clone(),
            body: with_line_feeds(&draft.body),
        }
    }

    /// The text that is edited; it ends with the end of a line, as editors want it.
    pub(super) fn text(&self) -> String {
        let end = if self.body.ends_with('\n') { "" } else { "\n" };
        format!(
            "To: {}\nCc: {}\nBcc: {}\nSubject: {}\n\n{}{end}",
            self.to.join(", "),
            self.cc.join(", "),
            self.bcc.join(", "),
            self.subject,
            self.body
        )
    }

    /// Reads an edited text. A field that is not there is empty.
    pub(super) fn read(text: &str) -> Result<Self, Unreadable> {
        let text = with_line_feeds(text.trim_start_matches('\u{feff}'));
        let (head, body) = match text.strip_prefix('\n') {
            Some(body) => ("", body),
            None => text.split_once("\n\n").unwrap_or((text.as_str(), "")),
        };
        let mut letter = Self { body: body.to_owned(), ..Self::default() };
        let mut field = String::new();
        for (number, line) in head.lines().enumerate() {
            let wrong = |problem: String| Unreadable { line: number + 1, problem };
            let value = match line.split_once(':') {
                _ if line.starts_with([' ', '\t']) && number > 0 => line,
                Some((name, value)) => {
                    field = name.trim().to_lowercase();
                    value
                }
                None => {
                    return Err(wrong("an empty line must stand between the fields and the text".to_owned()));
                }
            };
            letter.add(&field, value.trim()).map_err(wrong)?;
        }
        Ok(letter)
    }

    fn add(&mut self, field: &str, value: &str) -> Result<(), String> {
        match field {
            "to" => self.to.extend(recipients(value)),
            "cc" => self.cc.extend(recipients(value)),
            "bcc" => self.bcc.extend(recipients(value)),
            "subject" if self.subject.is_empty() => value.clone_into(&mut self.subject),
            "subject" => self.subject = format!("{} {value}", self.subject),
            other => {
                return Err(format!(
                    "`{other}` is no field of a draft; the fields are To, Cc, Bcc and Subject"
                ));
            }
        }
        Ok(())
    }

    /// What makes this letter out of another; `None` when they say the same. Line ends behind the text say nothing.
    pub(super) fn change_from(&self, before: &Self) -> Option<DraftChange> {
        let list = |now: &Vec<String>, then: &Vec<String>| (now != then).then(|| now.clone());
        let change = DraftChange {
            to: list(&self.to, &before.to),
            cc: list(&self.cc, &before.cc),
            bcc: list(&self.bcc, &before.bcc),
            subject: (self.subject != before.subject.trim()).then(|| self.subject.clone()),
            body: (self.body.trim_end() != before.body.trim_end()).then(|| self.body.clone()),
            ..DraftChange::default()
        };
        (change != DraftChange::default()).then_some(change)
    }
}

/// An address as it stands in a list: a name that could be taken for several is quoted.
fn written(address: &Address) -> String {
    if !address.name.contains([',', ';', '"', '\\']) {
        return address.shown();
    }
    let name = address.name.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{name}\" <{}>", address.address)
}

/// The addresses of a list. What stands in quotes or angle brackets parts nothing.
fn recipients(list: &str) -> Vec<String> {
    let (mut all, mut one) = (Vec::new(), String::new());
    let (mut is_quoted, mut is_escaped, mut is_bracketed) = (false, false, false);
    for c in list.chars() {
        let parts = matches!(c, ',' | ';') && !is_quoted && !is_bracketed;
        match c {
            '"' if !is_escaped => is_quoted = !is_quoted,
            '<' if !is_quoted => is_bracketed = true,
            '>' if !is_quoted => is_bracketed = false,
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
        if parts { all.push(std::mem::take(&mut one)) } else { one.push(c) }
    }
    all.push(one);
    all.iter().map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
}

fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::Letter;

    fn letter() -> Letter {
        Letter {
            to: vec!["\"Berg, Ada\" <ada@x.example>".to_owned(), "bob@x.example".to_owned()],
            subject: "Lunch: today?".to_owned(),
            body: "Shall we?\n\nTo: nobody\n  indented\n".to_owned(),
            ..Letter::default()
        }
    }

    #[test]
    fn a_text_reads_back_as_the_letter_it_was() {
        for letter in [letter(), Letter { body: String::new(), ..letter() }, Letter::default()] {
            assert_eq!(Letter::read(&letter.text()).unwrap().change_from(&letter), None, "{letter:?}");
        }
        let other = letter().text().replace('\n', "\r\n") + "\r\n\r\n";
        assert_eq!(Letter::read(&other).unwrap().change_from(&letter()), None);
    }

    #[test]
    fn only_what_was_changed_is_a_change() {
        let edited = letter()
            .text()
            .replace("today", "tomorrow")
            .replace("Cc: ", "Cc: carl@x.example;dora@x.example,");

        let change = Letter::read(&edited).unwrap().change_from(&letter()).unwrap();

        assert_eq!(change.subject.as_deref(), Some("Lunch: tomorrow?"));
        assert_eq!(change.cc.unwrap(), ["carl@x.example", "dora@x.example"]);
        assert!(change.to.is_none() && change.bcc.is_none() && change.body.is_none());
    }

    #[test]
    fn fields_may_go_on_in_the_next_line_and_be_left_out() {
        let read = Letter::read("subject: a\n  b\nTo: x@y.example,\n\tz@y.example\n\nText").unwrap();

        assert_eq!((read.subject.as_str(), read.to.len(), read.cc.len()), ("a b", 2, 0));
        assert_eq!(Letter::read("\nonly text\n").unwrap().body, "only text\n");
    }

    #[test]
    fn what_is_no_field_is_told_with_its_line() {
        let told = |text: &str| Letter::read(text).unwrap_err().to_string();

        assert_eq!(
            told("To: a@b.example\nHello Bob\n\nx"),
            "line 2: an empty line must stand between the fields and the text"
        );
        assert!(told("To: a@b.example\nX-Evil: 1\n\nx").starts_with("line 2: `x-evil` is no field"));
    }
}
