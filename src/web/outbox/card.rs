//! An item whole, in the words and pieces that a page shows. Whatever a stranger or an assistant wrote passes through
//! `text_safety` here and is escaped by the template; nothing of it is markup.

use crate::drafts::{FileContents, Link};
use crate::figures::{counted, grouped, size};
use crate::model::{Channel, ItemState};
use crate::outbox::evidence::{Recipient, Thread};
use crate::outbox::overview::Sight;
use crate::query::{Archive, Reading};
use crate::text_safety::{brief, many_lines, plain_line};
use crate::web::outbox::list::{state_words, subject, whole_subject};
use crate::web::outbox::person::Person;
use crate::web::visit::Visit;

/// So many characters of a text are shown at once; the rest is behind its count.
const SHOWN: usize = 6_000;
/// The same of the message that is answered.
const SHOWN_OF_ANSWERED: usize = 1_200;
/// The same of a subject.
const SHOWN_OF_SUBJECT: usize = 400;
/// So many recipients are shown at once.
const SHOWN_PEOPLE: usize = 30;
/// The longest line of a name, a link or a reason.
const LONGEST: usize = 2_000;

/// A text, of which the end may be folded away.
pub(super) struct Folded {
    pub(super) shown: String,
    pub(super) rest: String,
    /// `1,240 more characters`; empty when all is shown.
    pub(super) more: String,
}

impl Folded {
    pub(super) fn new(text: &str, most: usize) -> Self {
        let text = many_lines(text.trim_end());
        let count = text.chars().count();
        // A few characters more are not worth a fold.
        let end = text.char_indices().nth(most).map(|(end, _)| end).filter(|_| count > most + most / 10);
        match end {
            None => Self { shown: text, rest: String::new(), more: String::new() },
            Some(end) => {
                let more = format!("{} more characters", grouped(count - most));
                Self { shown: text[..end].to_owned(), rest: text[end..].to_owned(), more }
            }
        }
    }
}

/// Recipients of a kind.
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) people: Vec<Person>,
    pub(super) folded: Vec<Person>,
    pub(super) more: String,
}

/// A file that goes along.
pub(super) struct FileRow {
    pub(super) part: String,
    pub(super) name: String,
    pub(super) about: String,
    pub(super) is_disguised: bool,
}

/// A message of the archive that is named.
pub(super) struct MessageRow {
    pub(super) from: String,
    pub(super) subject: String,
    pub(super) time: String,
    pub(super) is_stranger: bool,
}

/// What the item answers.
pub(super) struct Answered {
    pub(super) message: MessageRow,
    pub(super) text: Folded,
    pub(super) doubtful: Option<Doubtful>,
}

/// Text of a message that may be hidden, which no assistant gets.
pub(super) struct Doubtful {
    /// `212 characters may be hidden (clip-path)`
    pub(super) words: String,
    pub(super) text: Folded,
}

impl Doubtful {
    fn of(reading: &Reading) -> Option<Self> {
        let count: usize = reading.doubtful.values().sum();
        let reasons: Vec<&str> = reading.doubtful.keys().copied().collect();
        let words = format!("{} may be hidden ({})", counted(count, "character"), reasons.join(", "));
        let text = Folded::new(&reading.doubtful_text, SHOWN_OF_ANSWERED);
        (count > 0).then_some(Self { words, text })
    }
}

/// An item whole.
pub(super) struct Card {
    pub(super) id: String,
    pub(super) code: String,
    pub(super) hash: String,
    pub(super) revision: i64,
    pub(super) state: &'static str,
    pub(super) tone: &'static str,
    pub(super) reason: Option<String>,
    pub(super) is_waiting: bool,
    /// Whether it is a mail that the person can change here.
    pub(super) may_be_changed: bool,
    /// What it is, if it is no mail.
    pub(super) channel: Option<&'static str>,
    pub(super) may_be_undone: bool,
    pub(super) is_unknown: bool,
    pub(super) effect: String,
    /// What it is called in headings and titles.
    pub(super) title: String,
    pub(super) subject: Folded,
    pub(super) from: String,
    pub(super) account: Option<String>,
    pub(super) reply_to: Option<String>,
    pub(super) groups: Vec<Group>,
    pub(super) warnings: Vec<String>,
    pub(super) text: Folded,
    pub(super) has_html: bool,
    pub(super) html_says: Option<Folded>,
    pub(super) links: Vec<Link>,
    pub(super) more_links: usize,
    pub(super) files: Vec<FileRow>,
    pub(super) answered: Option<Answered>,
    pub(super) read_before: Vec<MessageRow>,
    pub(super) read_words: String,
    pub(super) asked_by: String,
    pub(super) asked_at: String,
    pub(super) expires: Option<String>,
    pub(super) route: String,
    pub(super) size: String,
    /// For the forms about it.
    pub(super) token: String,
}

impl Card {
    pub(super) fn of(visit: &Visit<'_>, sight: &Sight, archive: &Archive, expire_hours: u32) -> Self {
        let (letter, evidence) = (&sight.letter, &sight.evidence);
        let line = &letter.line;
        let (state, tone) = state_words(line.state);
        let hash = letter.hash.0.to_hex();
        let from = short(&letter.from.join(", "));
        let expires = line.proposed + i64::from(expire_hours) * 3_600;
        let is_waiting = line.state == ItemState::PendingApproval;
        let html_says = letter.html.as_ref().and_then(|html| html.other_text.as_deref());
        let reply_to = short(&letter.reply_to.join(", "));
        Self {
            id: line.id.clone(),
            code: line.code.clone(),
            token: visit.key.token(&line.id, &hash),
            hash,
            revision: line.revision,
            state,
            tone,
            reason: line.reason.as_deref().map(short),
            is_waiting,
            may_be_changed: letter.channel == Channel::Mail,
            channel: channel(letter.channel),
            may_be_undone: line.state == ItemState::Approved,
            is_unknown: line.state == ItemState::Unknown,
            effect: short(&evidence.effect),
            title: subject(&letter.subject),
            subject: Folded::new(&whole_subject(&letter.subject), SHOWN_OF_SUBJECT),
            account: (!from.contains(&letter.account)).then(|| short(&letter.account)),
            from,
            reply_to: (!reply_to.is_empty()).then_some(reply_to),
            groups: groups(visit, sight),
            warnings: warnings(visit, sight),
            text: Folded::new(&letter.text, SHOWN),
            has_html: letter.html.is_some(),
            html_says: html_says.map(|text| Folded::new(text, SHOWN)),
            links: evidence.links.iter().map(link).collect(),
            more_links: evidence.more_links,
            files: files(sight),
            answered: answered(visit, sight, archive),
            read_before: read_before(visit, sight),
            read_words: read_words(sight),
            asked_by: if letter.asked_by.is_empty() { "you".to_owned() } else { short(&letter.asked_by) },
            asked_at: visit.time(line.proposed),
            expires: is_waiting.then(|| visit.time(expires)),
            route: short(&letter.route),
            size: size(letter.bytes.len() as u64),
        }
    }
}

/// How a channel is called beside an item that is no mail.
pub(super) const fn channel(channel: Channel) -> Option<&'static str> {
    match channel {
        Channel::Mail => None,
        Channel::WhatsApp => Some("WhatsApp"),
        Channel::LinkedIn => Some("LinkedIn"),
        Channel::Unsubscribe => Some("unsubscribe"),
    }
}

/// One line that is not endless.
pub(super) fn short(text: &str) -> String {
    brief(&plain_line(text), LONGEST).into_owned()
}

fn groups(visit: &Visit<'_>, sight: &Sight) -> Vec<Group> {
    let recipients = &sight.evidence.recipients;
    let lists = [("To", &recipients.to), ("Cc", &recipients.cc), ("Bcc", &recipients.bcc)];
    let group = |(name, list): (&'static str, &Vec<Recipient>)| {
        let mut people: Vec<_> = list.iter().map(|it| Person::of(visit, it)).collect();
        let folded = people.split_off(people.len().min(SHOWN_PEOPLE));
        let more = counted(folded.len(), "more recipient");
        Group { name, people, folded, more }
    };
    lists.into_iter().filter(|(_, list)| !list.is_empty()).map(group).collect()
}

/// What should make the person look twice.
fn warnings(visit: &Visit<'_>, sight: &Sight) -> Vec<String> {
    let (letter, evidence) = (&sight.letter, &sight.evidence);
    let mut warnings = Vec::new();
    if let Some(words) = &evidence.says_attached {
        warnings.push(format!("It says \u{201c}{}\u{201d}, and nothing is attached.", short(words)));
    }
    if let Some(thread) = &evidence.thread {
        warnings.extend(overtaken(visit, thread));
    }
    let posing = evidence.links.iter().filter_map(|link| Some((link, link.poses_as.as_deref()?)));
    for (link, poses_as) in posing {
        warnings.push(format!("A link that reads {} leads to {}.", short(poses_as), short(&link.site)));
    }
    if letter.html.as_ref().is_some_and(|html| html.other_text.is_some()) {
        warnings.push("Its HTML says something else than its text; most people see the HTML.".to_owned());
    }
    let disguised = letter.files.iter().filter(|file| file.is_disguised);
    warnings.extend(disguised.map(|file| {
        let (name, kind) = (short(&file.name), file.kind);
        format!("{name} is not what its name says: by its content it is \u{201c}{kind}\u{201d}.")
    }));
    if evidence.unseen > 0 {
        let many = counted(evidence.unseen, "character");
        warnings.push(format!("It takes along {many} that nobody can see, and that this page leaves out."));
    }
    if letter.may_be_partial {
        warnings.push("If some recipients are refused, it goes to the others.".to_owned());
    }
    warnings
}

/// Whether the thread has moved on.
fn overtaken(visit: &Visit<'_>, thread: &Thread) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(own) = &thread.answered_by_owner {
        warnings.push(format!("You have answered in this thread since, on {}.", visit.time(own.at)));
    }
    if thread.newer > 0 {
        let more = if thread.is_more { " at least" } else { "" };
        let newest = thread
            .newest
            .first()
            .map(|newest| format!(", the newest from {} on {}", short(&newest.from), visit.time(newest.at)));
        let came = counted(thread.newer, "newer message");
        warnings.push(format!("The thread has moved on:{more} {came}{}.", newest.unwrap_or_default()));
    }
    if !thread.other_answers.is_empty() {
        let others = match thread.other_answers.len() {
            1 => "Another item answers".to_owned(),
            count => format!("{} answer", counted(count, "other item")),
        };
        warnings.push(format!("{others} the same message: see the outbox and its history."));
    }
    warnings
}

fn link(link: &Link) -> Link {
    Link {
        words: short(&link.words),
        target: short(&link.target),
        site: short(&link.site),
        spelt: link.spelt.as_deref().map(short),
        poses_as: link.poses_as.as_deref().map(short),
    }
}

fn files(sight: &Sight) -> Vec<FileRow> {
    let row = |file: &FileContents| FileRow {
        part: file.part.clone(),
        name: short(if file.name.is_empty() { "(no name)" } else { &file.name }),
        about: format!("{}, sent as {}, {}", file.kind, short(&file.content_type), size(file.size)),
        is_disguised: file.is_disguised,
    };
    sight.letter.files.iter().map(row).collect()
}

fn answered(visit: &Visit<'_>, sight: &Sight, archive: &Archive) -> Option<Answered> {
    let answers = &sight.evidence.thread.as_ref()?.answers;
    let key = archive.resolve(&answers.message);
    let text = key.as_ref().ok().and_then(|key| archive.read(*key).ok()).map(|it| it.text);
    let reading = key.and_then(|key| archive.reading(key)).ok();
    let message = MessageRow {
        from: who(&answers.from_name, &answers.from),
        subject: subject(&answers.subject),
        time: visit.time(answers.at),
        is_stranger: false,
    };
    let text = Folded::new(&text.unwrap_or_default(), SHOWN_OF_ANSWERED);
    Some(Answered { message, text, doubtful: reading.as_ref().and_then(Doubtful::of) })
}

fn who(name: &str, address: &str) -> String {
    if name.is_empty() { short(address) } else { short(&format!("{name} <{address}>")) }
}

fn read_before(visit: &Visit<'_>, sight: &Sight) -> Vec<MessageRow> {
    let row = |it: &crate::outbox::evidence::ReadMessage| MessageRow {
        from: who(&it.from_name, &it.from),
        subject: subject(&it.subject),
        time: visit.time(it.at),
        is_stranger: it.is_stranger,
    };
    sight.evidence.read_before.messages.iter().map(row).collect()
}

/// What assistants read, in a sentence.
fn read_words(sight: &Sight) -> String {
    let read = &sight.evidence.read_before;
    if read.is_unknown {
        return "What assistants read before is not known: the log of their calls cannot be read.".to_owned();
    }
    match (read.total, read.strangers) {
        (0, _) => "Assistants opened no message in the 24 hours before; lists and searches show them lines of others.".to_owned(),
        (total, 0) => {
            format!("{} opened in the 24 hours before, none from a stranger.", counted(total, "message"))
        }
        (total, 1) => format!(
            "{} opened in the 24 hours before, 1 from a stranger: it may have asked for this.",
            counted(total, "message")
        ),
        (total, strangers) => format!(
            "{} opened in the 24 hours before, {} from strangers: one of those may have asked for this.",
            counted(total, "message"),
            grouped(strangers)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::Folded;

    #[test]
    fn a_long_text_is_folded_with_a_count_and_nothing_is_lost() {
        let text = "ä".repeat(1_240 + 6_000);

        let folded = Folded::new(&text, 6_000);

        assert_eq!(folded.more, "1,240 more characters");
        assert_eq!(format!("{}{}", folded.shown, folded.rest), text);
        assert_eq!(Folded::new(&"x".repeat(6_500), 6_000).more, "", "a few more are shown");
    }
}
