//! Answers that come later: which tools have one, and what they say of an item once it has come to rest.

use crate::model::ItemState;
use crate::outbox::propose::Status;
use crate::tools::sending::{self, Asked};
use crate::tools::{Reply, ToolContext, ToolError, email, gmail, linkedin, smtp, whatsapp};

/// The tools that ask to send and say what becomes of it, by profile. `update_draft` asks anew about an item that
/// somebody waits for already.
const TOOLS: [(&str, &str); 8] = [
    ("core", "send_email"),
    ("core", "forward"),
    ("core", "unsubscribe"),
    ("gmail", "send_email"),
    ("email", "send_email"),
    ("whatsapp", "send_message"),
    ("linkedin", "create_post"),
    ("smtp", "send-email"),
];

/// Whether the answer of a tool of this profile may come later.
#[must_use]
pub fn may_come_later(profile: &str, tool: &str) -> bool {
    TOOLS.contains(&(profile, tool))
}

/// Whether an answer about an item in this state is an error: it should have left, and did not, or nobody knows.
#[must_use]
pub const fn is_error(state: ItemState) -> bool {
    matches!(state, ItemState::Failed | ItemState::Unknown)
}

/// What a tool of this profile says of an item now, in its own words and shape.
pub fn told(profile: &str, context: &mut ToolContext, status: Status) -> Result<Reply, ToolError> {
    let asked = Asked { status, is_duplicate: false };
    match profile {
        "gmail" => gmail::told(context, &asked),
        "email" => email::told(context, &asked),
        "whatsapp" => whatsapp::told(context, &asked),
        "linkedin" => linkedin::told(context, &asked),
        "smtp" => smtp::told(context, &asked),
        _ => {
            let proposed = sending::proposed(context, &asked.status);
            Ok(Reply::object(sending::status_json(context, asked.status)).with_proposed(proposed))
        }
    }
}

/// What is said of an item in one sentence, with its code and where the person decides.
#[must_use]
pub fn sentence(context: &ToolContext, status: &Status) -> String {
    let place = sending::proposed(context, status).page.map(|page| format!(" {page}")).unwrap_or_default();
    format!("{} Code {}.{place}", sending::message(context, status), status.item.code)
}
