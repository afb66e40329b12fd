//! What only the person can mend becomes a note in `Needs_Action` (document 001): a sign-in that was refused is not tried
//! again. One note for each trouble, until it is over; what the person does with the note is theirs.

use crate::crash_point::crash_point;
use crate::orchestrator::notes::{NEEDS_ACTION, PENDING};
use crate::orchestrator::{Orchestrator, OrchestratorError};
use crate::text_safety::{brief, note_line};
use crate::vault::{Note, VaultError, VaultPath};

/// The longest words of a server in a note.
const LONGEST: usize = 300;

impl Orchestrator {
    /// Tells of accounts whose server refuses the sign-in.
    pub(super) fn look_at_accounts(&self) -> Result<(), OrchestratorError> {
        let archive = (self.parts.open)()?;
        for account in archive.accounts()? {
            let about = format!("account {}", account.address);
            match account.problem.filter(|_| account.wants_sign_in) {
                Some(problem) => {
                    let hint = format!("mailkeep account login {}", account.address);
                    self.escalate(&about, &problem, &hint)?;
                }
                None => self.is_mended(&about)?,
            }
        }
        Ok(())
    }

    /// Writes a note about a trouble, unless there was one since it began.
    pub(super) fn escalate(
        &self,
        about: &str,
        problem: &str,
        command: &str,
    ) -> Result<(), OrchestratorError> {
        if self.look(|state| state.escalated.contains_key(about)) {
            return Ok(());
        }
        let now = self.parts.clock.now();
        let slug: String = about.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let name = format!("escalation-{slug}-{}.md", now.strftime("%Y%m%d-%H%M%S"));
        let mut note = Note::new(VaultPath::new(&format!("{NEEDS_ACTION}/{name}"))?);
        let created = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        for (key, value) in [
            ("type", "escalation"),
            ("reason", "auth_required"),
            ("about", about),
            ("created", &created),
            ("status", PENDING),
        ] {
            note.set(key, value)?;
        }
        let problem = brief(&note_line(problem), LONGEST).into_owned();
        note.set_body(&format!(
            "\n{problem}\n\nIt is not tried again before you have seen to it:\n\n    {command}\n"
        ));
        match self.parts.vault.save(&mut note) {
            Err(VaultError::AlreadyExists { .. }) => {}
            saved => saved?,
        }
        crash_point("after the note of a trouble");
        self.change(|state| state.escalated.insert(about.to_owned(), created))?;
        self.tell("problem", note.path().as_str(), &problem);
        Ok(())
    }

    /// A trouble is over: the next one is told of again.
    pub(super) fn is_mended(&self, about: &str) -> Result<(), OrchestratorError> {
        self.change(|state| state.escalated.remove(about)).map(drop).map_err(Into::into)
    }
}
