//! What the environment gives a process that carries another channel than mail: `WHATSAPP_ACCESS_TOKEN` and its like. Read in
//! the process of that channel alone.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::model::Lane;
use crate::outbox::channels::linkedin::LinkedInAccess;
use crate::outbox::channels::whatsapp::WhatsAppAccess;
use crate::outbox::{Missing, Routes};
use crate::secret::Secret;
use crate::store::Store;

const WHATSAPP_HINT: &str = "set WHATSAPP_ACCESS_TOKEN and WHATSAPP_PHONE_NUMBER_ID, from `API setup` of your app in Meta's \
    developer console, in the server's environment or in `whatsapp.env` beside the configuration";
const LINKEDIN_HINT: &str = "set LINKEDIN_ACCESS_TOKEN, with the scope `w_member_social`, and LINKEDIN_AUTHOR_URN, such as \
    `urn:li:person:abc`, in the server's environment or in `linkedin.env` beside the configuration";

/// Adds what this process may send with on its channel, or why it may not.
pub(super) fn add_to(routes: &mut Routes, context: &Context) {
    let missing = match context.lane {
        Lane::Mail => return,
        Lane::WhatsApp => whatsapp(context).map(|access| routes.whatsapp = Some(access)),
        Lane::LinkedIn => linkedin(context).map(|access| routes.linkedin = Some(access)),
    };
    routes.missing = missing.err();
}

/// Sees to it that there is a store, where something can be sent.
pub(super) fn ensure_account(context: &Context) -> Result<(), Failure> {
    let mut routes = Routes::default();
    add_to(&mut routes, context);
    let whatsapp = routes.whatsapp.as_ref().map(WhatsAppAccess::account);
    let Some(account) = whatsapp.or_else(|| routes.linkedin.as_ref().map(LinkedInAccess::account)) else {
        return Ok(());
    };
    let mut store = Store::open(&context.home.store())?;
    let tx = store.begin()?;
    tx.channel_account(context.lane, &account, context.clock.now().as_second())?;
    tx.commit()?;
    Ok(())
}

fn whatsapp(context: &Context) -> Result<WhatsAppAccess, Missing> {
    let get = |name| context.variables.get(name);
    let missing = |problem: &str| Missing { problem: problem.to_owned(), hint: WHATSAPP_HINT };
    let token = get("WHATSAPP_ACCESS_TOKEN");
    if token.is_none() && get("WHATSAPP_SESSION_PATH").is_some() {
        return Err(missing(
            "WHATSAPP_SESSION_PATH names a session of WhatsApp Web, which no program may use by WhatsApp's terms, so that \
             mailkeep does not open it; messages leave by WhatsApp's Cloud API",
        ));
    }
    let token = token.ok_or_else(|| missing("`WHATSAPP_ACCESS_TOKEN` is missing"))?;
    let number =
        get("WHATSAPP_PHONE_NUMBER_ID").ok_or_else(|| missing("`WHATSAPP_PHONE_NUMBER_ID` is missing"))?;
    if !(1..=32).contains(&number.len()) || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(missing(
            "`WHATSAPP_PHONE_NUMBER_ID` must be the id of a number: digits, and no phone number with `+`",
        ));
    }
    let base_url = context.config.whatsapp.base_url.clone();
    Ok(WhatsAppAccess { base_url, number, token: usable(token, &missing)? })
}

fn linkedin(context: &Context) -> Result<LinkedInAccess, Missing> {
    let get = |name| context.variables.get(name);
    let missing = |problem: &str| Missing { problem: problem.to_owned(), hint: LINKEDIN_HINT };
    let token = get("LINKEDIN_ACCESS_TOKEN").ok_or_else(|| missing("`LINKEDIN_ACCESS_TOKEN` is missing"))?;
    let author = get("LINKEDIN_AUTHOR_URN").ok_or_else(|| missing("`LINKEDIN_AUTHOR_URN` is missing"))?;
    let id = author.strip_prefix("urn:li:person:").or_else(|| author.strip_prefix("urn:li:organization:"));
    let is_id = |id: &str| {
        (1..=64).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    if !id.is_some_and(is_id) {
        return Err(missing("`LINKEDIN_AUTHOR_URN` must be `urn:li:person:ID` or `urn:li:organization:ID`"));
    }
    let settings = &context.config.linkedin;
    if settings.version.len() != 6 || !settings.version.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(missing("`[linkedin] version` must be a month such as `202510`"));
    }
    let (base_url, version) = (settings.base_url.clone(), settings.version.clone());
    Ok(LinkedInAccess { base_url, version, author, token: usable(token, &missing)? })
}

/// A token that can stand in a header. What it is, nobody is told.
fn usable(token: String, missing: &dyn Fn(&str) -> Missing) -> Result<Secret<String>, Missing> {
    let is_usable = token.bytes().all(|byte| byte.is_ascii_graphic());
    if is_usable { Ok(Secret::new(token)) } else { Err(missing("the token has signs that no token has")) }
}
