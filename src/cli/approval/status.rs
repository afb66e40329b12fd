//! `mailkeep approval status`: what lets something leave, and what that can and cannot prove.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::factor;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::cli::local_time::local_time;
use crate::cli::{leaving, outbox};
use crate::model::{Factor, PolicySettings};
use crate::outbox::OutboxError;
use crate::outbox::policy::InForce;
use crate::query::iso_date;
use crate::store::PinPlace;
use crate::text_safety::plain_line;

/// Show how a yes is given, and what may leave without one
#[derive(Args)]
#[command(after_help = "Example: mailkeep approval status --json")]
pub(super) struct Arguments {}

/// Said wherever a yes is only somebody's doing.
const CLICK: &str = "a program that can run commands as you can fake all of it: open your page, click and type a yes; a \
                     PIN or a passkey keeps it from that: `mailkeep approval set-pin`, `mailkeep approval passkey add`";
/// Said under the PIN.
const PIN: &str = "a program that runs as you and reads the key of the seal in this home can write a yes without the PIN; \
                   a passkey keeps it from that: `mailkeep approval passkey add`";
/// Said whatever the factor is.
pub(in crate::cli) const SAME_USER: &str =
    "any program that runs as you can read what you can read here, mail and stored passwords included";

pub(super) fn run(context: &mut Context) -> Result<ExitCode, Failure> {
    let reader = outbox::reader(context)?;
    let approvals = leaving::approvals(context);
    if !reader.is_stand_in() {
        approvals.settle()?;
    }
    let in_force = factor::in_force(&approvals, &reader)?;
    let now = context.clock.now().as_second();
    let locked = |place| -> Result<Option<String>, Failure> {
        let until = reader.pin_failures(place)?.locked_until;
        Ok(until.filter(|until| *until > now).map(iso_date))
    };
    let (locked, door) = (locked(PinPlace::Inside)?, locked(PinPlace::Door)?);
    if context.output.is_json() {
        context.output.json(&json!({
            "factor": in_force.missing.unwrap_or(in_force.factor).name(),
            "missing": in_force.missing.map(Factor::name),
            "pin": in_force.has_pin,
            "pin_locked_until": locked,
            "door_locked_until": door,
            "passkeys": in_force.passkeys,
            "policy": in_force.policy,
            "to_confirm": in_force.waits,
            "broken": in_force.is_broken,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&in_force, context)?;
    print_locked(locked.as_deref(), door.as_deref(), context)?;
    print_rules(&in_force, context)?;
    Ok(ExitCode::SUCCESS)
}

const LABEL_COLUMNS: usize = 8;

fn print(in_force: &InForce, context: &mut Context) -> Result<(), Failure> {
    let wants_key = context.config.approval.factor == Factor::Passkey && in_force.factor == Factor::Pin;
    let out = &mut context.output;
    let mut line = |name: &str, text: &str| out.labelled(name, LABEL_COLUMNS, text);
    let factor = match in_force.factor {
        Factor::Click => {
            "click: you click on your page (`mailkeep open`), or type the code of the item on your terminal"
        }
        Factor::Pin => {
            "pin: you give your PIN on your page (`mailkeep open`), or with the code of the item on your terminal"
        }
        Factor::Passkey => "passkey: your key signs exactly what leaves, on your page (`mailkeep open`)",
    };
    if in_force.missing.is_none() {
        line("yes", factor)?;
        match in_force.factor {
            Factor::Click => line("limits", CLICK)?,
            Factor::Pin => line("limits", PIN)?,
            Factor::Passkey => {}
        }
    }
    line("limits", SAME_USER)?;
    if in_force.passkeys > 0 {
        let keys = counted(in_force.passkeys, "key");
        line("keys", &format!("{keys}; `mailkeep approval passkey list` names them"))?;
    }
    if in_force.passkeys == 1 && in_force.factor == Factor::Passkey {
        line("notice", "if this one key is lost, nobody can say yes here: add a second one")?;
    }
    if wants_key {
        line("keys", "`factor = \"passkey\"` counts once there is one: `mailkeep approval passkey add`")?;
    }
    Ok(())
}

fn print_locked(inside: Option<&str>, door: Option<&str>, context: &mut Context) -> Result<(), Failure> {
    for (until, what) in [(inside, "wrong too often"), (door, "wrong too often at the door of the page")] {
        let Some(until) = until else { continue };
        let text = format!("{what}; the next try counts at {}", local_time(until, &context.clock));
        context.output.labelled("PIN", LABEL_COLUMNS, &text)?;
    }
    Ok(())
}

fn print_rules(in_force: &InForce, context: &mut Context) -> Result<(), Failure> {
    let mut line = |name: &str, text: &str| context.output.labelled(name, LABEL_COLUMNS, text);
    for rule in rules(&in_force.policy) {
        line("policy", &plain_line(&rule))?;
    }
    for notice in notices(in_force) {
        line("notice", &plain_line(&notice))?;
    }
    Ok(())
}

fn rules(policy: &PolicySettings) -> Vec<String> {
    let list = |entries: &[String]| entries.join(", ");
    let mut rules = vec![format!("send = {}", policy.send.name())];
    rules.extend(policy.only.iter().map(|(name, rule)| format!("{name} = {}", rule.name())));
    if !policy.allow.is_empty() {
        rules.push(format!("allow {}", list(&policy.allow)));
    }
    if !policy.deny.is_empty() {
        rules.push(format!("deny {}", list(&policy.deny)));
    }
    rules.push(format!("at most {} in an hour and {} in a day", policy.per_hour, policy.per_day));
    rules.extend(policy.per_server.iter().map(|(host, most)| format!("at most {most} in an hour by {host}")));
    rules
}

/// What the person should know and do about it.
pub(in crate::cli) fn notices(in_force: &InForce) -> Vec<String> {
    let mut notices = Vec::new();
    if in_force.is_broken {
        notices.push(
            "what you confirmed about sending was changed by another program, or comes from another home: nobody can say \
             yes before `mailkeep approval renew`"
                .to_owned(),
        );
    }
    if let Some(factor) = in_force.missing.filter(|_| !in_force.is_broken) {
        let missing = OutboxError::NotSetUp { factor };
        notices.push(format!("{missing}: nobody can say yes before; {}", missing.hint()));
    }
    if !in_force.waits.is_empty() {
        notices.push(format!(
            "the configuration would make the rules weaker ({}); this does not count before `mailkeep approval confirm`",
            in_force.waits.join(", ")
        ));
    }
    notices
}

/// The same for scripts.
pub(in crate::cli) fn notices_json(in_force: &InForce) -> Value {
    json!({ "to_confirm": in_force.waits, "broken": in_force.is_broken })
}
