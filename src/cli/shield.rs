//! `mailkeep shield`: what is kept from assistants, and why; and what the person releases to them.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::model::{MessageKey, Released, ReleasedThread, ThreadKey};
use crate::parse::shield::{self, Explanation};
use crate::query::{Archive, FullMessage};
use crate::store::Reader;
use crate::sync;

/// How many facts are shown; what weighs less decides nothing.
const SHOWN: usize = 12;

/// Explain and apply what is kept from assistants
///
/// Mail that carries a one-time code, a password, backup codes, an authenticator key, a password-reset or a sign-in link
/// is withheld from tools, and so is what `[shield]` in the configuration lists. You still see it with `search` and
/// `show`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mailkeep shield test m4k0c9w2vt1rh\n  mailkeep shield allow club.example\n  \
                  mailkeep shield allow thread:t42\n  mailkeep shield apply"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Say whether a message is withheld, why, and what weighed how much
    Test {
        /// Id as `search` prints it, or a Message-ID
        id: String,
    },
    /// Let assistants read what a sender or a thread says, although it carries secrets
    Allow(Allow),
    /// Judge all mail by the rules of the configuration now
    Apply,
}

#[derive(Args)]
struct Allow {
    /// Address or domain of a sender, or `thread:ID` as `show` prints it
    #[arg(required_unless_present = "list")]
    what: Option<String>,

    /// Show what is released
    #[arg(long, conflicts_with_all = ["what", "remove"])]
    list: bool,

    /// No longer release it
    #[arg(long)]
    remove: bool,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let changed = context.apply_shield()?;
    match &arguments.action {
        Action::Test { id } => test(id, context),
        Action::Allow(Allow { list: true, .. }) => list(context),
        Action::Allow(allow) => release(allow, context),
        Action::Apply => {
            if context.output.is_json() {
                context.output.json(&json!({ "changed": changed }))?;
            } else {
                context.output.line(format!("{} judged differently than before", messages(changed)))?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn messages(count: usize) -> String {
    counted(count, "message")
}

/// What is said of a message.
struct Verdict {
    /// Everything that speaks for withholding it.
    reasons: Vec<String>,
    /// What releases it, when it carries a secret.
    released: Option<String>,
    explanation: Option<Explanation>,
}

fn test(id: &str, context: &mut Context) -> Result<ExitCode, Failure> {
    let archive = context.archive()?;
    let key = archive.resolve(id)?;
    let verdict = verdict(&archive, key, context)?;
    let withheld = context.config.shield.on && !verdict.reasons.is_empty();
    if context.output.is_json() {
        context.output.json(&json!({
            "withheld": withheld,
            "reasons": verdict.reasons,
            "released": verdict.released,
            "judged": verdict.explanation.as_ref().map(judged),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let said = if withheld { "withheld from assistants" } else { "assistants can read it" };
    context.output.line(said)?;
    for reason in verdict.reasons.iter().chain(&verdict.released) {
        context.output.line(format!("  {reason}"))?;
    }
    if let Some(explanation) = &verdict.explanation {
        print(explanation, context)?;
    }
    if !context.config.shield.on {
        context.output.note("the shield is off: `on = false` in `[shield]`");
    }
    Ok(ExitCode::SUCCESS)
}

fn judged(explanation: &Explanation) -> Value {
    let weights = explanation.weights.iter().take(SHOWN);
    let weights: Vec<Value> =
        weights.map(|(fact, weight)| json!({ "fact": fact, "weight": rounded(*weight) })).collect();
    json!({ "score": rounded(explanation.score), "place": explanation.place(), "weights": weights })
}

fn rounded(weight: f32) -> f64 {
    (f64::from(weight) * 100.0).round() / 100.0
}

fn print(explanation: &Explanation, context: &mut Context) -> Result<(), Failure> {
    let verdict = if explanation.score > 0.0 { "a secret, above 0" } else { "no secret, not above 0" };
    let most = format!(
        "what looks most like a secret, {}: {:+.2} ({verdict})",
        explanation.place(),
        explanation.score
    );
    context.output.line(most)?;
    for (fact, weight) in explanation.weights.iter().take(SHOWN) {
        context.output.line(format!("  {weight:+6.2}  {fact}"))?;
    }
    let rest: f32 = explanation.weights.iter().skip(SHOWN).map(|(_, weight)| weight).sum();
    if explanation.weights.len() > SHOWN {
        context.output.line(format!("  {rest:+6.2}  {} more", explanation.weights.len() - SHOWN))?;
    }
    Ok(())
}

fn verdict(archive: &Archive, key: MessageKey, context: &Context) -> Result<Verdict, Failure> {
    let message = archive.read(key)?;
    let explanation = shield::explain(&message.subject, &message.text);
    let secret = explanation.as_ref().and_then(|explanation| explanation.secret);
    let released = match secret {
        Some(_) => released(&context.reader()?, key)?,
        None => None,
    };
    let mut reasons = Vec::new();
    if let Some(secret) = secret.filter(|_| released.is_none()) {
        reasons.push(format!("it carries {}", secret.with_article()));
    }
    reasons.extend(listed(archive, key, &message, context)?);
    reasons.dedup();
    Ok(Verdict { reasons, released, explanation })
}

/// The owner's lists that a message is on.
fn listed(
    archive: &Archive,
    key: MessageKey,
    message: &FullMessage,
    context: &Context,
) -> Result<Vec<String>, Failure> {
    let rules = &context.config.shield;
    let stored = archive.message(key)?;
    let sender = stored.map(|message| message.from_address).unwrap_or_default();
    let mut reasons = Vec::new();
    reasons.extend(rules.for_sender(&sender).map(|rule| format!("`{rule}` is listed in `senders`")));
    for place in &message.placements {
        let account = rules.for_account(&place.account);
        reasons.extend(account.map(|rule| format!("`{rule}` is listed in `accounts`")));
        let labels = place.labels.iter().filter_map(|label| rules.for_label(label));
        reasons.extend(labels.map(|rule| format!("`{rule}` is listed in `labels`")));
    }
    Ok(reasons)
}

/// Why assistants may read a message that carries a secret.
fn released(reader: &Reader, key: MessageKey) -> Result<Option<String>, Failure> {
    let Some(message) = reader.message(key)? else { return Ok(None) };
    let released = reader.shield()?.released;
    if let Some(rule) = released.for_sender(&message.from_address) {
        return Ok(Some(format!("you released `{rule}`")));
    }
    for thread in released.threads.iter().filter(|thread| thread.is_by(&message.from_address)) {
        if reader.current_thread(ThreadKey(thread.thread))? == Some(message.thread) {
            return Ok(Some(format!("you released `thread:t{}`", thread.thread)));
        }
    }
    Ok(None)
}

fn list(context: &mut Context) -> Result<ExitCode, Failure> {
    let released = context.reader()?.shield()?.released;
    if context.output.is_json() {
        let threads: Vec<Value> = released
            .threads
            .iter()
            .map(|thread| json!({ "thread": format!("t{}", thread.thread), "senders": thread.senders }))
            .collect();
        context.output.json(&json!({ "senders": released.senders, "threads": threads }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for sender in &released.senders {
        context.output.line(sender)?;
    }
    for thread in &released.threads {
        context.output.line(format!("thread:t{}  from {}", thread.thread, thread.senders.join(", ")))?;
    }
    if released == Released::default() {
        context.output.note("nothing is released; `mailkeep shield allow SENDER` does that");
    }
    Ok(ExitCode::SUCCESS)
}

fn release(allow: &Allow, context: &mut Context) -> Result<ExitCode, Failure> {
    let what = allow.what.as_deref().unwrap_or_default().trim();
    let changed = match what.strip_prefix("thread:") {
        Some(id) => release_thread(id, allow.remove, context)?,
        None => release_sender(what, allow.remove, context)?,
    };
    if context.output.is_json() {
        context.output.json(&json!({ "changed": changed }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let now =
        if allow.remove { "withheld from assistants again" } else { "no longer withheld from assistants" };
    context.output.line(format!("{} {now}", messages(changed)))?;
    if let Some(rule) = context.config.shield.for_sender(what).filter(|_| !allow.remove) {
        context
            .output
            .note(&format!("`{rule}` is listed in `senders` of `[shield]`, which still withholds it"));
    }
    Ok(ExitCode::SUCCESS)
}

fn release_sender(sender: &str, remove: bool, context: &Context) -> Result<usize, Failure> {
    let sender = sender.trim_start_matches('@').to_lowercase();
    if !sender.contains(['@', '.']) || sender.contains(char::is_whitespace) {
        let message = format!("`{sender}` is no address, no domain and no `thread:ID`");
        return Err(Failure::new(
            "bad_sender",
            message,
            "name a sender such as `ada@example.org` or `example.org`",
        ));
    }
    let known = context.reader()?.shield()?.released.senders.contains(&sender);
    if remove && !known {
        return Err(not_released(&sender));
    }
    Ok(sync::release(&context.home, |released| {
        released.senders.retain(|listed| *listed != sender);
        released.senders.extend((!remove).then_some(sender));
    })?)
}

fn release_thread(id: &str, remove: bool, context: &Context) -> Result<usize, Failure> {
    let archive = context.archive()?;
    let thread = thread_named(&archive, id)?;
    let reader = context.reader()?;
    let mut others = Vec::new();
    let before = reader.shield()?.released.threads;
    for released in &before {
        if reader.current_thread(ThreadKey(released.thread))? != Some(thread) {
            others.push(released.clone());
        }
    }
    if remove && others.len() == before.len() {
        return Err(not_released(&format!("thread:{id}")));
    }
    let mut senders: Vec<String> =
        reader.thread(thread)?.into_iter().map(|message| message.from_address.to_lowercase()).collect();
    senders.retain(|sender| !sender.is_empty());
    senders.sort_unstable();
    senders.dedup();
    drop(archive);
    Ok(sync::release(&context.home, |released| {
        released.threads = others;
        released.threads.extend((!remove).then_some(ReleasedThread { thread: thread.0, senders }));
    })?)
}

/// A thread by its number, or by any message in it.
fn thread_named(archive: &Archive, id: &str) -> Result<ThreadKey, Failure> {
    let key = match archive.thread_keys(id)? {
        Some(keys) => keys.first().copied(),
        None => archive.resolve(id).ok(),
    };
    let message = key.map(|key| archive.message(key)).transpose()?.flatten();
    message.map(|message| message.thread).ok_or_else(|| {
        let hint = "`mailkeep show ID` prints the thread of a message";
        Failure::new("not_found", format!("there is no thread `{id}`"), hint)
    })
}

fn not_released(what: &str) -> Failure {
    let hint = "`mailkeep shield allow --list` shows what is released";
    Failure::new("not_found", format!("`{what}` is not released"), hint)
}
