//! Whether an account is signed in, for servers that read its mail and sign in nowhere themselves.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::account::{Credentials, Tokens};
use crate::cli::account;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::home::Home;
use crate::store::Reader;
use crate::tools::IsSignedIn;

/// What a sync says of an account whose sign-in does not hold.
const REFUSED: [&str; 3] = ["sign_in", "sign_in_again", "not_signed_in"];

/// Asks the store and the secrets of this home, and nobody else. What cannot be found out keeps nobody away.
pub(super) fn asker(context: &Context) -> IsSignedIn {
    let stop = Arc::new(AtomicBool::new(false));
    let tokens = Arc::new(account::tokens(context, Duration::from_secs(1), &stop));
    let home = context.home.clone();
    Box::new(move |address| is_signed_in(&home, &tokens, address).unwrap_or(true))
}

fn is_signed_in(home: &Home, tokens: &Arc<Tokens>, address: &str) -> Result<bool, Failure> {
    let reader = Reader::open(&home.store())?;
    let Some(key) = reader.account(address)? else { return Ok(true) };
    let Some(settings) = reader.account_settings(key)? else { return Ok(true) };
    if reader.sync_problem(key)?.is_some_and(|problem| REFUSED.contains(&problem.code.as_str())) {
        return Ok(false);
    }
    Ok(Credentials::new(Arc::clone(tokens), address, settings.sign_in).are_there()?)
}
