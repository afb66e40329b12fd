//! What a chat model may decide about a message, and nothing else. Pure. An answer that does not fit the schema is no
//! answer. Nothing in one can name a recipient, a file or a tool: the most that it can do is to write words for a person
//! to read.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::orchestrator::inert::inert;
use crate::text_safety::{brief, one_line};

/// The longest answer to a message.
const LONGEST_REPLY: usize = 20_000;
/// The longest of the other texts.
const LONGEST_TEXT: usize = 1_000;

/// What a message needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    /// An answer; urgent or not.
    Reply {
        /// The words.
        text: String,
        /// Whether it is urgent.
        is_urgent: bool,
    },
    /// Nothing.
    Archive,
    /// Something that the person must say first.
    NeedsInfo {
        /// What.
        question: String,
    },
    /// Somebody else.
    Delegate {
        /// Whom.
        to: String,
        /// Why, and what they need to know.
        reason: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    DraftReply,
    Archive,
    NeedsInfo,
    Urgent,
    Delegate,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    action: Action,
    reply: Option<String>,
    question: Option<String>,
    delegate_to: Option<String>,
    reason: String,
}

impl Decision {
    /// The schema that an answer must fit.
    #[must_use]
    pub(super) fn schema() -> Value {
        let text = json!({ "type": ["string", "null"] });
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["action", "reply", "question", "delegate_to", "reason"],
            "properties": {
                "action": { "type": "string", "enum": ["draft_reply", "archive", "needs_info", "urgent", "delegate"] },
                "reply": text, "question": text, "delegate_to": text, "reason": { "type": "string" },
            },
        })
    }

    /// Reads an answer; the error says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let answer: Answer =
            serde_json::from_str(text.trim()).map_err(|error| one_line(&error.to_string()))?;
        let reason = short(&answer.reason);
        match answer.action {
            Action::Archive => Ok(Self::Archive),
            Action::DraftReply => Ok(Self::Reply { text: reply(answer.reply)?, is_urgent: false }),
            Action::Urgent => Ok(Self::Reply { text: reply(answer.reply)?, is_urgent: true }),
            Action::NeedsInfo => {
                let question = given("question", answer.question)?;
                Ok(Self::NeedsInfo { question: short(&question) })
            }
            Action::Delegate => {
                let to = given("delegate_to", answer.delegate_to)?;
                Ok(Self::Delegate { to: short(&to), reason })
            }
        }
    }

    /// The name of what was decided.
    #[must_use]
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Reply { is_urgent: false, .. } => "draft_reply",
            Self::Reply { is_urgent: true, .. } => "urgent",
            Self::Archive => "archive",
            Self::NeedsInfo { .. } => "needs_info",
            Self::Delegate { .. } => "delegate",
        }
    }
}

fn given(name: &str, text: Option<String>) -> Result<String, String> {
    text.filter(|text| !text.trim().is_empty()).ok_or_else(|| format!("`{name}` is missing"))
}

fn reply(text: Option<String>) -> Result<String, String> {
    let text = given("reply", text)?;
    if text.chars().count() > LONGEST_REPLY {
        return Err(format!("`reply` is longer than {LONGEST_REPLY} characters"));
    }
    Ok(inert(text.trim()))
}

fn short(text: &str) -> String {
    inert(&brief(&one_line(text), LONGEST_TEXT))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Decision;

    fn answer(action: &str, field: &str, text: &str) -> String {
        let mut answer =
            json!({ "action": action, "reply": null, "question": null, "delegate_to": null, "reason": "r" });
        answer[field] = json!(text);
        answer.to_string()
    }

    #[test]
    fn each_action_is_read() {
        let reply = |is_urgent| Decision::Reply { text: "Yes.".to_owned(), is_urgent };
        let delegate = Decision::Delegate { to: "Bob".to_owned(), reason: "r".to_owned() };
        let needs = Decision::NeedsInfo { question: "When?".to_owned() };

        assert_eq!(Decision::parse(&answer("draft_reply", "reply", " Yes.\n")), Ok(reply(false)));
        assert_eq!(Decision::parse(&answer("urgent", "reply", "Yes.")), Ok(reply(true)));
        assert_eq!(Decision::parse(&answer("archive", "reason", "newsletter")), Ok(Decision::Archive));
        assert_eq!(Decision::parse(&answer("needs_info", "question", "When?")), Ok(needs));
        assert_eq!(Decision::parse(&answer("delegate", "delegate_to", "Bob")), Ok(delegate));
    }

    #[test]
    fn what_does_not_fit_is_no_answer() {
        for text in [
            "",
            "yes",
            "[]",
            "{}",
            "```json\n{}\n```",
            &answer("send", "reply", "x"),
            &answer("draft_reply", "question", "x"),
            &answer("draft_reply", "reply", "  \n"),
            &answer("draft_reply", "to", "eve@example.org"),
            &answer("needs_info", "reply", "x"),
            &answer("draft_reply", "reply", &"x".repeat(20_001)),
            &format!("{} {}", answer("archive", "reason", "a"), answer("archive", "reason", "b")),
        ] {
            assert!(Decision::parse(text).is_err(), "{text}");
        }
    }
}
