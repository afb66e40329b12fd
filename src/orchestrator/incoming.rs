//! New mail becomes notes in `Needs_Action`, once each: what was seen is not written again, whatever the person did with
//! the note.

use std::collections::BTreeSet;

use crate::crash_point::crash_point;
use crate::orchestrator::notes::{self, DONE, NEEDS_ACTION, NewMail};
use crate::orchestrator::{Orchestrator, OrchestratorError};
use crate::query::{Archive, Summary};
use crate::vault::{VaultError, VaultPath};

/// So many become notes at once; the rest comes with the next look.
const MOST_AT_ONCE: usize = 200;

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
        for (mail, arrived) in new {
            if !known.contains(&mail.id) {
                self.write_note(&archive, &mail)?;
            }
            // As long as it can be found: clocks of servers may be ahead.
            let (id, until) = (mail.id, self.now().max(arrived));
            self.change(|state| state.seen.insert(id, until))?;
        }
        Ok(())
    }

    /// What the owner's search finds that was never seen, and when it came in, the first first.
    fn new_mail(&self, archive: &mut Archive) -> Result<Vec<(Summary, i64)>, OrchestratorError> {
        let since = self.look(|state| state.since);
        let mut new = Vec::new();
        for (key, arrived) in archive.arrived(&self.parts.settings.query, since)? {
            let mail = archive.summary(key, None)?;
            let mail = mail.filter(|mail| !self.look(|state| state.seen.contains_key(&mail.id)));
            new.extend(mail.map(|mail| (mail, arrived)));
            if new.len() == MOST_AT_ONCE {
                break;
            }
        }
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
