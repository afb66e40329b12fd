//! A message that is passed on: below our own text with its header in short and its files, or attached as it is.

use jiff::Timestamp;

use crate::drafts::attachment::{Attached, Files, checked};
use crate::drafts::reply::{Parent, seen};
use crate::drafts::{DraftError, Forward};
use crate::model::Address;
use crate::text_safety::{many_lines, one_line};

/// What a draft takes from the message that it passes on.
#[derive(Default)]
pub(super) struct Passed {
    /// Its subject.
    pub(super) subject: String,
    /// The conversation up to and with it.
    pub(super) references: Vec<String>,
    /// What stands below our own text.
    pub(super) text: String,
    /// Its files, or itself as a file.
    pub(super) attachments: Vec<Attached>,
}

const RULER: &str = "---------- Forwarded message ---------";

impl Passed {
    /// The message that is to be passed on, if this audience may see it.
    pub(super) fn find(files: &Files<'_>, forward: &Forward) -> Result<Self, DraftError> {
        let key = seen(files.reader, &forward.message, files.audience)?;
        let parent = Parent::read(files.reader, key)?;
        let passed =
            Self { subject: parent.subject.clone(), references: parent.references(), ..Self::default() };
        if forward.as_attachment {
            let file = Attached::message(file_name(&parent.subject), &files.reader.raw(key)?);
            return Ok(Self { attachments: checked(vec![file])?, ..passed });
        }
        let date = files.reader.message(key)?.map(|message| message.date.epoch);
        let attachments = if forward.without_attachments { Vec::new() } else { files.of_message(key)? };
        let text = format!("{}\n\n{}", heading(&parent, date), files.reader.text(key)?.trim_end());
        Ok(Self { text: many_lines(&text), attachments, ..passed })
    }

    /// Our text with the message below it.
    pub(super) fn below(&self, body: &str) -> String {
        match (self.text.is_empty(), body.trim().is_empty()) {
            (true, _) => body.to_owned(),
            (false, true) => format!("{}\n", self.text),
            (false, false) => format!("{}\n\n{}\n", body.trim_end(), self.text),
        }
    }

    /// The same in HTML.
    pub(super) fn below_html(&self, html: &str) -> String {
        if self.text.is_empty() {
            return html.to_owned();
        }
        let lines: Vec<_> = self.text.lines().map(escaped).collect();
        format!("{html}<br><br><div>{}</div>", lines.join("<br>\n"))
    }
}

/// The header in short, as people know it from their mail programs.
fn heading(parent: &Parent, date: Option<i64>) -> String {
    let people = |list: &[Address]| list.iter().map(Address::to_string).collect::<Vec<_>>().join(", ");
    let time = date.and_then(|epoch| Timestamp::from_second(epoch).ok());
    let fields = [
        ("From", people(&parent.from)),
        ("Date", time.map(|time| time.strftime("%a, %-d %b %Y %H:%M UTC").to_string()).unwrap_or_default()),
        ("Subject", one_line(&parent.subject)),
        ("To", people(&parent.to)),
        ("Cc", people(&parent.cc)),
    ];
    let shown = fields
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("\n{name}: {value}"));
    format!("{RULER}{}", shown.collect::<String>())
}

/// A subject as the name of a file.
fn file_name(subject: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_ ".contains(c) { c } else { ' ' };
    let words: String = one_line(subject).chars().map(plain).take(60).collect();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{}.eml", if words.is_empty() { "message" } else { &words })
}

fn escaped(line: &str) -> String {
    line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
