//! Asks the chat model what a message needs, and does it: an answer becomes a note in `Drafts`, everything else changes the
//! note of the message. What the person did meanwhile counts more than what the model says.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::crash_point::crash_point;
use crate::model::behind_reply_prefix;
use crate::orchestrator::decision::Decision;
use crate::orchestrator::mcp_client::McpError;
use crate::orchestrator::notes::{
    self, APPROVED, DRAFTS, IS_DONE, NEEDS_ACTION, NEEDS_INFO, NewReply, PENDING, PENDING_APPROVAL,
};
use crate::orchestrator::prompt::{self, Shown};
use crate::orchestrator::{Orchestrator, OrchestratorError};
use crate::query::{Archive, QueryError};
use crate::text_safety::{Nonce, note_line};
use crate::vault::{Note, VaultError, VaultPath};
use crate::wire::chat_model::{AnswerFormat, ChatError, ChatModel, ChatQuestion};

/// A model is asked so often about a message.
const TRIES: u32 = 3;
/// A server that has trouble is left alone for so many seconds, and twice as long each time.
const REST: i64 = 15;
/// And for no longer than this.
const LONGEST_REST: i64 = 900;
/// What a refused key is called.
const MODEL: &str = "chat model";

/// What came of asking.
enum Asked {
    Decided(Decision),
    /// No answer can be used; why.
    GaveUp(String),
    /// The server has trouble; when to ask again.
    Later,
}

/// A message that a model is asked about.
struct Subject {
    id: String,
    account: String,
    question: ChatQuestion,
    to: String,
    subject: String,
}

impl Orchestrator {
    /// Asks about the next message that nobody decided about; whether there was one.
    pub(super) fn decide_next(&self, stop: &AtomicBool) -> Result<bool, OrchestratorError> {
        let Some(model) = &self.parts.model else { return Ok(false) };
        if self.look(|state| state.model_not_before) > self.now() || stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let Some(note) = self.undecided()? else { return Ok(false) };
        let archive = (self.parts.open)()?;
        let Some(subject) = self.subject(&archive, &note)? else {
            self.give_up(&note, "the message is not in the archive, or is kept from assistants")?;
            return Ok(true);
        };
        match self.ask(model, &subject)? {
            Asked::Decided(decision) => self.carry_out_or_tell(&note, &subject, &decision)?,
            Asked::GaveUp(why) => self.give_up(&note, &why)?,
            Asked::Later => return Ok(false),
        }
        Ok(true)
    }

    /// The first note of a message that waits, and has no answer among the drafts.
    fn undecided(&self) -> Result<Option<Note>, OrchestratorError> {
        let answered = self.answered()?;
        let now = self.now();
        let emails = notes::read_folder(&self.parts.vault, NEEDS_ACTION)?.notes;
        let is_open = |note: &Note| {
            let text = |key| notes::text(note, key);
            let Some(id) = text("message_id") else { return false };
            text("type").as_deref() == Some("email")
                && text("status").as_deref() == Some(PENDING)
                && text("model_error").is_none()
                && !answered.contains(&id)
                && self.look(|state| state.model.get(&id).is_none_or(|it| it.not_before <= now))
        };
        Ok(emails.into_iter().map(|found| found.note).find(is_open))
    }

    fn answered(&self) -> Result<Vec<String>, OrchestratorError> {
        let mut answered = Vec::new();
        for folder in [DRAFTS, APPROVED] {
            let notes = notes::read_folder(&self.parts.vault, folder)?.notes;
            answered.extend(notes.iter().filter_map(|it| notes::text(&it.note, "reply_to_message_id")));
        }
        Ok(answered)
    }

    /// What the archive says about the message, as assistants see it. The note is not believed: who can write notes could
    /// put words into it.
    fn subject(&self, archive: &Archive, note: &Note) -> Result<Option<Subject>, OrchestratorError> {
        let Some(id) = notes::text(note, "message_id") else { return Ok(None) };
        let key = match archive.resolve(&id) {
            Err(QueryError::NotFound(_)) => return Ok(None),
            key => key?,
        };
        let Some(summary) = archive.summary(key, None)? else { return Ok(None) };
        let (message, reading) = (archive.read(key)?, archive.reading(key)?);
        let from = message.from.join(", ");
        let shown =
            Shown { from: &from, subject: &message.subject, date: &message.date, text: &reading.text };
        let question = prompt::question(&shown, &summary.account, &Nonce::random());
        let to = if message.reply_to.is_empty() { from } else { message.reply_to.join(", ") };
        let subject = note_line(&message.subject);
        let is_reply = behind_reply_prefix(&subject).is_some();
        let subject = if is_reply { subject } else { format!("Re: {subject}") };
        Ok(Some(Subject { id, account: summary.account, question, to: note_line(&to), subject }))
    }

    /// Asks until there is an answer that fits, so often at most.
    fn ask(&self, model: &ChatModel, subject: &Subject) -> Result<Asked, OrchestratorError> {
        let mut format = AnswerFormat::Schema;
        loop {
            let tries = self.change(|state| {
                let tries = &mut state.model.entry(subject.id.clone()).or_default().tries;
                *tries = tries.saturating_add(1);
                *tries
            })?;
            // Whoever asked before may have died over it each time.
            if tries > TRIES {
                return Ok(Asked::GaveUp(format!("nothing came of asking the model {TRIES} times")));
            }
            let answer = model.ask(&subject.question, format);
            let problem = match answer.map(|text| Decision::parse(&text)) {
                Ok(Ok(decision)) => {
                    self.is_mended(MODEL)?;
                    return Ok(Asked::Decided(decision));
                }
                Ok(Err(problem)) => format!("the model's answer does not fit: {problem}"),
                Err(ChatError::Refused { status: 400 | 422, .. }) if format == AnswerFormat::Schema => {
                    format = AnswerFormat::Json;
                    "the model's server knows no schemas".to_owned()
                }
                Err(error) if !is_about_the_message(&error) => return self.rest(subject, &error),
                Err(error) => error.to_string(),
            };
            if tries >= TRIES {
                return Ok(Asked::GaveUp(problem));
            }
        }
    }

    /// Leaves a server alone that has trouble: that is no fault of the message.
    fn rest(&self, subject: &Subject, error: &ChatError) -> Result<Asked, OrchestratorError> {
        let now = self.now();
        if error.is_sign_in() {
            self.escalate(MODEL, &error.to_string(), "mailkeep config path   # `key` under `[chat_model]`")?;
        }
        self.tell("problem", "", &error.to_string());
        let gave_up = self.change(|state| {
            let tries = state.model.entry(subject.id.clone()).or_default();
            let asked_to = match error {
                ChatError::RateLimited { retry_after } => {
                    i64::try_from(retry_after.as_secs()).unwrap_or(REST)
                }
                _ => REST << tries.tries.min(6),
            };
            state.model_not_before = now + asked_to.clamp(1, LONGEST_REST);
            // Who cannot be reached, or has no time, has not seen the message.
            let has_seen =
                !matches!(error, ChatError::RateLimited { .. }) && !error.is_sign_in() && !is_away(error);
            if !has_seen {
                tries.tries = tries.tries.saturating_sub(1);
            }
            tries.tries >= TRIES
        })?;
        Ok(if gave_up { Asked::GaveUp(error.to_string()) } else { Asked::Later })
    }

    /// Says in a note that the model is of no help with it. Who takes that out of the note has it asked anew; until it
    /// can be written, others do not wait behind it.
    fn give_up(&self, note: &Note, why: &str) -> Result<(), OrchestratorError> {
        let id = notes::text(note, "message_id").unwrap_or_default();
        self.set_aside(&id)?;
        let Some(mut note) = self.still_pending(note.path())? else { return Ok(()) };
        self.tell("problem", note.path().as_str(), why);
        self.write(&mut note, &[("model_error", note_line(why).into())])?;
        self.change(|state| state.model.remove(&id))?;
        Ok(())
    }

    /// Leaves a message alone for a while.
    fn set_aside(&self, id: &str) -> Result<(), OrchestratorError> {
        let until = self.now() + LONGEST_REST;
        self.change(|state| state.model.entry(id.to_owned()).or_default().not_before = until)?;
        Ok(())
    }

    /// The note as it is now, if the person did nothing with it meanwhile.
    fn still_pending(&self, path: &VaultPath) -> Result<Option<Note>, OrchestratorError> {
        match self.parts.vault.read(path) {
            Ok(note) if notes::text(&note, "status").as_deref() == Some(PENDING) => Ok(Some(note)),
            Ok(_) | Err(VaultError::NotFound { .. } | VaultError::Unreadable { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Does what was decided. Where that cannot be done, the note says so: asking again would not help.
    fn carry_out_or_tell(
        &self,
        note: &Note,
        subject: &Subject,
        decision: &Decision,
    ) -> Result<(), OrchestratorError> {
        match self.carry_out(note.path(), subject, decision) {
            // Somebody is at the note: it is decided about what they leave.
            Err(OrchestratorError::Vault(VaultError::Changed { .. } | VaultError::NotFound { .. })) => {
                self.set_aside(&subject.id)
            }
            Err(error) => {
                self.give_up(note, &format!("`{}` could not be carried out: {error}", decision.name()))
            }
            done => done,
        }
    }

    fn carry_out(
        &self,
        path: &VaultPath,
        subject: &Subject,
        decision: &Decision,
    ) -> Result<(), OrchestratorError> {
        let Some(mut note) = self.still_pending(path)? else { return Ok(()) };
        let name = decision.name();
        self.tell("decided", path.as_str(), name);
        match decision {
            Decision::Reply { text, is_urgent } => {
                let reply = self.write_reply(subject, text, *is_urgent)?;
                let fields = [
                    ("status", PENDING_APPROVAL.into()),
                    ("decision", name.into()),
                    ("reply", reply.as_str().into()),
                ];
                self.write(&mut note, &fields)?;
            }
            // The next look at the notes moves it.
            Decision::Archive => {
                self.write(&mut note, &[("status", IS_DONE.into()), ("decision", name.into())])?;
            }
            Decision::NeedsInfo { question } => {
                append(&mut note, "Needs info", question);
                self.write(&mut note, &[("status", NEEDS_INFO.into()), ("decision", name.into())])?;
            }
            Decision::Delegate { to, reason } => {
                append(&mut note, "Delegation", &format!("Delegate to: {to}\n\nReason: {reason}"));
                self.write(&mut note, &[("status", PENDING_APPROVAL.into()), ("decision", name.into())])?;
            }
        }
        self.put_label(&subject.id);
        Ok(())
    }

    /// Writes an answer among the drafts; one that is there already stays as it is.
    fn write_reply(
        &self,
        subject: &Subject,
        text: &str,
        is_urgent: bool,
    ) -> Result<VaultPath, OrchestratorError> {
        let path = VaultPath::new(&format!("{DRAFTS}/reply-{}.md", subject.id))?;
        let reply = NewReply {
            answers: &subject.id,
            account: &subject.account,
            to: &subject.to,
            subject: &subject.subject,
            text,
            is_urgent,
        };
        crash_point("before an answer is written");
        match self.parts.vault.save(&mut notes::reply_note(path.clone(), &reply)?) {
            Err(VaultError::AlreadyExists { .. }) => {}
            saved => saved?,
        }
        crash_point("after an answer was written");
        Ok(path)
    }

    /// Puts the owner's label on the message, if they want one. That it cannot be put there is written down in the vault,
    /// and keeps nothing from going on.
    fn put_label(&self, message: &str) {
        let label = &self.parts.settings.label;
        let Some(client) = self.parts.labels.as_ref().filter(|_| !label.is_empty()) else { return };
        let arguments = json!({ "message_id": message, "label_name": label });
        let instead = |error: &McpError| json!({ "error": error.code() });
        let _ = client.call_tool("add_label", &arguments, Some(&instead));
    }
}

/// Whether another answer may come if the same is asked again.
const fn is_about_the_message(error: &ChatError) -> bool {
    matches!(error, ChatError::BadAnswer(_) | ChatError::Declined(_))
}

/// Whether nobody was there to be asked.
fn is_away(error: &ChatError) -> bool {
    matches!(error, ChatError::Wire(error) if !error.is_timeout())
}

fn append(note: &mut Note, title: &str, text: &str) {
    let body = format!("{}\n\n## {title}\n\n{text}\n", note.body().trim_end());
    note.set_body(&body);
}
