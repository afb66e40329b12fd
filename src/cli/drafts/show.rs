//! `mailkeep drafts show`: one draft, as it would leave.

use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::drafts::{drafts, item};
use crate::cli::failure::Failure;
use crate::cli::figures::size;
use crate::local_time::local_time;
use crate::model::DraftAttachment;
use crate::query::DraftItem;
use crate::text_safety::{many_lines, one_line};

/// Show a draft
#[derive(Args)]
#[command(after_help = "Example: mailkeep drafts show d4k0c9w2vt1rh")]
pub(super) struct Arguments {
    /// Id as `drafts list` prints it
    id: String,

    /// The bytes that would leave; their date is put in then
    #[arg(long, conflicts_with = "json")]
    raw: bool,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    draft(&arguments.id, arguments.raw, context)
}

/// Shows the draft with this id.
pub(in crate::cli) fn draft(id: &str, raw: bool, context: &mut Context) -> Result<ExitCode, Failure> {
    let item = item(context, id)?;
    if raw {
        let drafts = drafts(context);
        context.output.bytes(&drafts.bytes(&drafts.get(id)?)?)?;
    } else if context.output.is_json() {
        context.output.json(&item)?;
    } else {
        print(&item, context)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(draft: &DraftItem, context: &mut Context) -> Result<(), Failure> {
    let bold = anstyle::Style::new().bold();
    let written = local_time(&draft.updated, &context.clock);
    let out = &mut context.output;
    let answers = draft.reply_to.as_deref().unwrap_or_default();
    for (name, value) in [
        ("From", draft.from.as_str()),
        ("To", &draft.to.join(", ")),
        ("Cc", &draft.cc.join(", ")),
        ("Bcc", &draft.bcc.join(", ")),
        ("Subject", &draft.subject),
        ("Attached", &attached(draft)),
        ("HTML", &html(draft)),
        ("Answers", answers),
        ("Written", &written),
        ("State", &format!("{}, revision {}", draft.state, draft.revision)),
        ("Kept", &draft.whereabouts()),
        ("Id", &draft.id),
    ] {
        if !value.is_empty() {
            out.line(format!("{bold}{name}:{bold:#} {}", one_line(value)))?;
        }
    }
    out.line("")?;
    out.line(many_lines(draft.body.trim_end()))?;
    Ok(())
}

/// The files with their types and sizes.
pub(super) fn attached(draft: &DraftItem) -> String {
    let shown =
        |file: &DraftAttachment| format!("{} ({}, {})", file.name, file.content_type, size(file.size));
    draft.attachments.iter().map(shown).collect::<Vec<_>>().join(", ")
}

fn html(draft: &DraftItem) -> String {
    match (&draft.html, draft.html_removed) {
        (None, _) => String::new(),
        (Some(_), 0) => "yes, beside this text".to_owned(),
        (Some(_), 1) => "yes, beside this text; one unsafe thing was taken out".to_owned(),
        (Some(_), count) => format!("yes, beside this text; {count} unsafe things were taken out"),
    }
}
