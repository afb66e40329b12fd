//! `mailkeep drafts discard`: deletes a draft, here and on the server.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::drafts::{drafts, drop_kept_texts, item};
use crate::cli::failure::Failure;
use crate::cli::forget::confirm;
use crate::cli::pusher::Pusher;
use crate::query::DraftItem;
use crate::text_safety::one_line;
use crate::tools::{ChangePusher, Pushed};

/// Delete a draft for good, here and in the server's mailbox for drafts
#[derive(Args)]
#[command(after_help = "Example: mailkeep drafts discard d4k0c9w2vt1rh")]
pub(super) struct Arguments {
    /// Id as `drafts list` prints it
    id: String,

    /// Do it without asking
    #[arg(long)]
    yes: bool,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let draft = item(context, &arguments.id)?;
    if !arguments.yes {
        confirm(&described(&draft), context)?;
    }
    drafts(context).delete(&draft.id)?;
    drop_kept_texts(context);
    let pushed = draft.server.as_ref().map(|_| Pusher::of(context).push(&draft.account));
    if context.output.is_json() {
        let server = pushed.as_ref().map(Pushed::name);
        context.output.json(&json!({ "id": draft.id, "discarded": true, "server": server }))?;
        return Ok(ExitCode::SUCCESS);
    }
    context.output.line(match pushed {
        None => format!("{} is discarded", draft.id),
        Some(Pushed::Done) => format!("{} is discarded, also on the server", draft.id),
        Some(later) => format!("{} is discarded; its copy on the server goes {}", draft.id, later.when()),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A draft in a question.
fn described(draft: &DraftItem) -> String {
    let (to, subject) = (one_line(&draft.to.join(", ")), one_line(&draft.subject));
    format!("the draft `{}` (`{subject}` to {to})", draft.id)
}
