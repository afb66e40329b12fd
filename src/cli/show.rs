//! `mailkeep show`: one message, or its whole thread.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::drafts;
use crate::cli::failure::Failure;
use crate::cli::figures::{counted, size};
use crate::cli::local_time::local_time;
use crate::model::DraftId;
use crate::parse;
use crate::query::{Archive, FullMessage, Reading};
use crate::text_safety::{many_lines, one_line};

/// Show a message
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mailkeep show m4k0c9w2vt1rh --thread\n  mailkeep show m4k0c9w2vt1rh --part 2 > invoice.pdf"
)]
pub(super) struct Arguments {
    /// Id as `search` or `drafts list` prints it, or a Message-ID
    id: String,

    /// The raw bytes, as received
    #[arg(long, conflicts_with_all = ["thread", "json"])]
    raw: bool,

    /// The content of one attachment, decoded
    #[arg(long, value_name = "PART", conflicts_with_all = ["raw", "thread", "json"])]
    part: Option<String>,

    /// The whole thread, oldest first
    #[arg(long)]
    thread: bool,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    if DraftId::parse(arguments.id.trim()).is_some() && arguments.part.is_none() {
        return drafts::show::draft(&arguments.id, arguments.raw, context);
    }
    let archive = context.archive()?;
    let key = archive.resolve(&arguments.id)?;
    if arguments.raw {
        context.output.bytes(&archive.raw(key)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(part) = &arguments.part {
        let bytes = parse::part_bytes(&archive.raw(key)?, part).ok_or_else(|| {
            let message = format!("the message has no part `{part}`");
            Failure::new("unknown_part", message, "`mailkeep show ID` lists the attachments by their part")
        })?;
        context.output.bytes(&bytes)?;
        return Ok(ExitCode::SUCCESS);
    }
    let keys = match arguments.thread {
        true => archive.thread_of(key)?.into_iter().map(|message| message.key).collect(),
        false => vec![key],
    };
    let messages = keys.into_iter().map(|key| archive.read(key)).collect::<Result<Vec<_>, _>>()?;
    if context.output.is_json() {
        let all =
            messages.iter().map(|message| described(message, &archive)).collect::<Result<Vec<_>, _>>()?;
        match all.as_slice() {
            [message] if !arguments.thread => context.output.json(message)?,
            all => context.output.json(&json!({ "messages": all }))?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    context.output.page();
    for (place, message) in messages.iter().enumerate() {
        if place > 0 {
            let columns = context.output.columns().unwrap_or(RULE_COLUMNS).min(RULE_COLUMNS);
            context.output.line(format!("\n{}\n", "─".repeat(columns)))?;
        }
        print(message, context)?;
        let reading = archive.reading(archive.resolve(&message.id)?)?;
        print_doubtful(&reading, context)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A message with what was noticed in it and what was left out of it. The owner gets the text that may be hidden too.
fn described(message: &FullMessage, archive: &Archive) -> Result<Value, Failure> {
    let Reading { flags, dropped, doubtful, doubtful_text, .. } =
        archive.reading(archive.resolve(&message.id)?)?;
    let mut described = json!(message);
    described["findings"] = json!({ "flags": flags, "dropped": dropped, "doubtful": doubtful });
    described["doubtful_text"] = json!(doubtful_text);
    Ok(described)
}

/// How wide the line between two messages is.
const RULE_COLUMNS: usize = 72;

/// Text that may be hidden, which assistants do not get.
fn print_doubtful(reading: &Reading, context: &mut Context) -> Result<(), Failure> {
    let out = &mut context.output;
    for (reason, count) in &reading.doubtful {
        let what = counted(*count, "character");
        out.line(format!("\n[{what} that may be hidden ({reason}); no assistant gets this]"))?;
    }
    if !reading.doubtful_text.is_empty() {
        out.line(many_lines(reading.doubtful_text.trim_end()))?;
    }
    Ok(())
}

fn print(message: &FullMessage, context: &mut Context) -> Result<(), Failure> {
    print_head(message, context)?;
    let out = &mut context.output;
    out.line("")?;
    out.line(many_lines(message.text.trim_end()))?;
    if !message.attachments.is_empty() {
        out.line("")?;
    }
    for attachment in &message.attachments {
        let name = attachment.name.as_deref().unwrap_or("(no name)");
        let kind = &attachment.content_type;
        out.line(one_line(&format!("[{}] {name} ({kind}, {})", attachment.part, size(attachment.size))))?;
    }
    Ok(())
}

fn print_head(message: &FullMessage, context: &mut Context) -> Result<(), Failure> {
    let Context { output: out, clock, .. } = context;
    let bold = anstyle::Style::new().bold();
    let mut field = |name: &str, value: &str| -> Result<(), Failure> {
        if !value.is_empty() {
            out.hanging(&format!("{bold}{name}:{bold:#} {}", one_line(value)), 2)?;
        }
        Ok(())
    };
    field("From", &message.from.join(", "))?;
    field("To", &message.to.join(", "))?;
    field("Cc", &message.cc.join(", "))?;
    field("Bcc", &message.bcc.join(", "))?;
    field("Subject", &message.subject)?;
    let guessed = match message.date_source {
        "date" => String::new(),
        other => format!(" (from {other}: the message has no readable date)"),
    };
    field("Date", &format!("{}{guessed}", local_time(&message.date, clock)))?;
    field("List", message.list_id.as_deref().unwrap_or_default())?;
    for place in &message.placements {
        let marks = place.flags.iter().map(ToString::to_string).chain(place.labels.iter().cloned());
        let marks = marks.collect::<Vec<_>>().join(", ");
        let marks = if marks.is_empty() { marks } else { format!(" [{marks}]") };
        let since = place.gone.as_ref().map(|since| local_time(since, clock));
        let gone = since.map(|since| format!(" (gone from the server since {since})"));
        field("In", &format!("{} {}{marks}{}", place.account, place.mailbox, gone.unwrap_or_default()))?;
    }
    field("Id", &format!("{}  thread:{}", message.id, message.thread))?;
    field("Defects", &message.defects.join(", "))
}
