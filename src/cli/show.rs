//! `mailkeep show`: one message, or its whole thread.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::size;
use crate::cli::output::Output;
use crate::parse;
use crate::query::{FullMessage, Reading};
use crate::text_safety::{many_lines, one_line};

/// Show a message
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mailkeep show m4k0c9w2vt1rh --thread\n  mailkeep show m4k0c9w2vt1rh --part 2 > invoice.pdf"
)]
pub(super) struct Arguments {
    /// Id as `search` prints it, or a Message-ID
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
    let archive = context.archive()?;
    let key = archive.resolve(&arguments.id)?;
    if arguments.raw {
        context.output.bytes(&archive.reader().raw(key)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(part) = &arguments.part {
        let bytes = parse::part_bytes(&archive.reader().raw(key)?, part).ok_or_else(|| {
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
        match messages.as_slice() {
            [message] if !arguments.thread => context.output.json(message)?,
            all => context.output.json(&json!({ "messages": all }))?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    for (place, message) in messages.iter().enumerate() {
        if place > 0 {
            context.output.line(format!("\n{}\n", "─".repeat(72)))?;
        }
        print(message, &mut context.output)?;
        let reading = archive.reading(archive.resolve(&message.id)?)?;
        print_doubtful(&reading, &mut context.output)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Text that may be hidden, which assistants do not get.
fn print_doubtful(reading: &Reading, out: &mut Output) -> Result<(), Failure> {
    for (reason, count) in &reading.doubtful {
        out.line(format!("\n[{count} characters that may be hidden ({reason}); no assistant gets them]"))?;
    }
    if !reading.doubtful_text.is_empty() {
        out.line(many_lines(reading.doubtful_text.trim_end()))?;
    }
    Ok(())
}

fn print(message: &FullMessage, out: &mut Output) -> Result<(), Failure> {
    let bold = anstyle::Style::new().bold();
    let mut field = |name: &str, value: &str| -> Result<(), Failure> {
        if !value.is_empty() {
            out.line(format!("{bold}{name}:{bold:#} {}", one_line(value)))?;
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
    field("Date", &format!("{}{guessed}", message.date))?;
    field("List", message.list_id.as_deref().unwrap_or_default())?;
    for place in &message.placements {
        let marks = place.flags.iter().map(ToString::to_string).chain(place.labels.iter().cloned());
        let marks = marks.collect::<Vec<_>>().join(", ");
        let marks = if marks.is_empty() { marks } else { format!(" [{marks}]") };
        let gone = place.gone.as_ref().map(|since| format!(" (gone from the server since {since})"));
        field("In", &format!("{} {}{marks}{}", place.account, place.mailbox, gone.unwrap_or_default()))?;
    }
    field("Id", &format!("{}  thread:{}", message.id, message.thread))?;
    field("Defects", &message.defects.join(", "))?;
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
