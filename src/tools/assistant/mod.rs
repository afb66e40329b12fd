//! Six tools with plain texts, for assistants that were written against them: their names, schemas, texts and limits
//! do not change. Every one of them but the sender's words is fixed.

mod create_draft;
mod get_attachment;
mod list_emails;
mod manage_labels;
mod read_email;
mod search_emails;

use crate::tools::{Argument, Tool};

/// The tools, in the order they are listed.
pub(super) const TOOLS: &[&Tool] = &[
    &list_emails::LIST_EMAILS,
    &read_email::READ_EMAIL,
    &search_emails::SEARCH_EMAILS,
    &create_draft::CREATE_DRAFT,
    &manage_labels::MANAGE_LABELS,
    &get_attachment::GET_ATTACHMENT,
];

const ACCOUNT: Argument =
    Argument::text("account", "Email address of account").required().like("ada@example.org");
const EMAIL_ID: Argument = Argument::text("email_id", "ID of the email").required().like("m0123456789ab");
