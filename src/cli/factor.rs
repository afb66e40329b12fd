//! Asks for the factor that is in force, on the controlling terminal.

use crate::cli::controlling_terminal::ControllingTerminal;
use crate::cli::failure::Failure;
use crate::cli::passkey_page;
use crate::model::Factor;
use crate::outbox::OutboxError;
use crate::outbox::approval::passkey::Purpose;
use crate::outbox::approval::{Approvals, Proof};
use crate::outbox::policy::InForce;
use crate::store::Reader;

/// The proof that is asked for. What the person does on this terminal is the proof under `click`.
pub(super) fn ask(
    terminal: &mut ControllingTerminal,
    approvals: &Approvals,
    in_force: &InForce,
) -> Result<Proof, Failure> {
    match in_force.factor {
        Factor::Click => Ok(Proof::click()),
        Factor::Pin => ask_pin(terminal, approvals, "PIN: "),
        Factor::Passkey => Err(on_the_page()),
    }
}

/// What a command is about to do, for who is asked for a passkey: they may see nothing but the page that asks.
pub(super) struct Deed<'a> {
    /// What the key signs.
    pub(super) purpose: &'a Purpose,
    /// The same in words, for the button.
    pub(super) words: &'a str,
    /// What exactly, a line each.
    pub(super) details: &'a [String],
}

/// The same for something that a passkey can be asked about from here, on a page of its own.
pub(super) fn ask_for(
    terminal: &mut ControllingTerminal,
    approvals: &Approvals,
    in_force: &InForce,
    deed: &Deed<'_>,
) -> Result<Proof, Failure> {
    match in_force.factor {
        Factor::Passkey => passkey_page::ask(terminal, approvals, deed),
        _ => ask(terminal, approvals, in_force),
    }
}

/// A passkey signs in a browser; nothing that is typed here can stand for it.
fn on_the_page() -> Failure {
    Failure::new(
        "passkey_needed",
        "this needs your passkey, and a terminal cannot ask for it",
        "do it on your page: `mailkeep open`",
    )
}

/// Asks for the PIN until it is right, broken off or locked.
pub(super) fn ask_pin(
    terminal: &mut ControllingTerminal,
    approvals: &Approvals,
    question: &str,
) -> Result<Proof, Failure> {
    loop {
        let Some(given) = terminal.ask_hidden(question)? else {
            return Err(OutboxError::Factor("the PIN was not given".to_owned()).into());
        };
        match approvals.prove_pin(&given) {
            Err(error @ OutboxError::WrongPin { .. }) => terminal.say(&error.to_string())?,
            other => return Ok(other?),
        }
    }
}

/// What is in force, for who shows it.
pub(super) fn in_force(approvals: &Approvals, reader: &Reader) -> Result<InForce, Failure> {
    Ok(approvals.now_in_force(reader)?)
}
