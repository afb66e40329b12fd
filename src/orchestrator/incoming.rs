//! New mail becomes notes in `Needs_Action`, once each: what was seen is not written again, whatever the person did with
//! the note.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::crash_point::crash_point;
use crate::orchestrator::notes::{self, DONE, NEEDS_ACTION, NewMail};
use crate::orchestrator::{Orchestrator, OrchestratorError};
use crate::query::{Archive, Leniency, Mode, Page, Question, Sort, Summary};
use crate::vault::{VaultError, VaultPath};

/// So many become notes at once; the rest comes with the next look.
const MOST_AT_ONCE: usize = 200;
const DAY: i64 = 86_400;

impl Orchestrator {
    /// Writes a note for each message that is new.
    pub(super) fn bring_in(&self) -> Result<(), OrchestratorError> {
        let mut archive = (self.parts.open)()?;
        if archive.is_stand_in() {
            return Ok(());
        }
        let new = self.new_mail(&mut archive)?;
        if new.is_empty() {
            return Ok(());
        }
        let known = self.messages_with_notes()?;
        for mail in new {
            if !known.contains(&mail.id) {
                self.write_note(&archive, &mail)?;
            }
            let (id, now) = (mail.id, self.now());
            self.change(|state| state.seen.insert(id, now))?;
        }
        Ok(())
    }

    /// What the owner's search finds that was never seen, the oldest first.
    fn new_mail(&self, archive: &mut Archive) -> Result<Vec<Summary>, OrchestratorError> {
        let since = self.look(|state| state.since);
        let day = Timestamp::from_second(since - DAY).unwrap_or(Timestamp::UNIX_EPOCH);
        let query = format!("({}) after:{}", self.parts.settings.query, day.strftime("%Y-%m-%d"));
        let (mut new, mut offset) = (Vec::new(), 0);
        loop {
            let page = Page { limit: MOST_AT_ONCE, offset };
            let question = Question {
                mode: Some(Mode::Lexical),
                sort: Some(Sort::Newest),
                leniency: Leniency::Strict,
                ..Question::of(&query, page)
            };
            let listing = archive.search(&question)?;
            offset += listing.items.len();
            let is_new = |mail: &Summary| {
                let epoch = mail.date.parse::<Timestamp>().map_or(i64::MAX, Timestamp::as_second);
                epoch >= since && !self.look(|state| state.seen.contains_key(&mail.id))
            };
            let has_more = listing.more && !listing.items.is_empty();
            new.extend(listing.items.into_iter().filter(is_new));
            if !has_more {
                break;
            }
        }
        new.reverse();
        new.truncate(MOST_AT_ONCE);
        Ok(new)
    }

    /// Messages that have a note already, whatever it is called: what was seen may have been lost.
    fn messages_with_notes(&self) -> Result<BTreeSet<String>, OrchestratorError> {
        let folder = notes::read_folder(&self.parts.vault, NEEDS_ACTION)?;
        Ok(folder.notes.iter().filter_map(|found| notes::text(&found.note, "message_id")).collect())
    }

    fn write_note(&self, archive: &Archive, mail: &Summary) -> Result<(), OrchestratorError> {
        let name = format!("email-{}.md", mail.id);
        if self.parts.vault.exists(&VaultPath::new(&format!("{DONE}/{name}"))?)? {
            return Ok(());
        }
        let key = archive.resolve(&mail.id)?;
        let (message, reading) = (archive.read(key)?, archive.reading(key)?);
        let path = VaultPath::new(&format!("{NEEDS_ACTION}/{name}"))?;
        let new = NewMail {
            id: &mail.id,
            account: &mail.account,
            from: &message.from.join(", "),
            to: &message.to.join(", "),
            subject: &message.subject,
            date: &message.date,
            thread: &message.thread,
            text: &reading.text,
        };
        crash_point("before the note of a message");
        match self.parts.vault.save(&mut notes::email_note(path.clone(), &new)?) {
            Err(VaultError::AlreadyExists { .. }) => {}
            saved => saved?,
        }
        crash_point("after the note of a message");
        self.tell("new", path.as_str(), "");
        Ok(())
    }
}
