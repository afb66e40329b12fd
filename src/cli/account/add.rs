//! `mailkeep account add`: where an account's servers are. Needs no network.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::account::Provider;
use crate::cli::account::{Wait, hold, password, secrets};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::import::check_address;
use crate::model::{AccountSettings, Endpoint, SignIn, Tls, Via};
use crate::secret::Secret;
use crate::store::{Reader, Store, StoreError};
use crate::sync::AccountLock;
use crate::wire::is_loopback;

/// Add an account, or change where its servers are
///
/// Well-known providers need only the address. The password is asked for on the terminal, or read from standard
/// input with --password-stdin; it is kept encrypted, never in a configuration file. Accounts of Google and Microsoft
/// can be signed in to on the provider's own page instead: `account login` opens it. Nothing is connected to yet.
#[derive(Args)]
#[command(after_help = "Examples:\n  mailkeep account add ada@example.org --imap imap.example.org:993\n  \
                        mailkeep account add ada@gmail.com --gmail\n  \
                        mailkeep account add ada@outlook.com")]
pub(super) struct Arguments {
    /// The account's address
    address: String,

    /// Where mail is read
    #[arg(long, value_name = "HOST:PORT")]
    imap: Option<String>,

    /// Where mail is handed in
    #[arg(long, value_name = "HOST:PORT")]
    smtp: Option<String>,

    /// How connections are protected [default: by the port]
    #[arg(long, value_name = "implicit|starttls|none", value_parser = ["implicit", "starttls", "none"])]
    tls: Option<String>,

    /// Name to sign in with [default: the address]
    #[arg(long)]
    user: Option<String>,

    /// Use the Gmail API, for addresses of Google with any domain
    #[arg(long, conflicts_with_all = ["password_stdin", "sign_in"])]
    gmail: bool,

    /// How to sign in [default: what the provider wants, else a password]
    #[arg(long, value_name = "password|google|microsoft", value_parser = ["password", "google", "microsoft"])]
    sign_in: Option<String>,

    /// Read the password from standard input
    #[arg(long)]
    password_stdin: bool,

    #[command(flatten)]
    wait: Wait,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    check_address(&arguments.address)?;
    let settings = settings(arguments)?;
    let password = password(arguments, &settings)?;
    let held = hold_moving(arguments, &settings, context)?;
    let mut store = Store::open(&context.home.store())?;
    let batch = store.begin()?;
    batch.set_account(&arguments.address, &settings, context.clock.now().as_second())?;
    batch.commit()?;
    if let Some(password) = &password {
        secrets(context).set(&arguments.address, password)?;
    }
    drop(held);
    print(arguments, &settings, password.is_some(), context)
}

/// Keeps syncs away where the account is there already, and would have another server.
fn hold_moving(
    arguments: &Arguments,
    settings: &AccountSettings,
    context: &Context,
) -> Result<Option<AccountLock>, Failure> {
    let reader = match Reader::open(&context.home.store()) {
        Err(StoreError::Missing { .. } | StoreError::OlderSchema { .. }) => return Ok(None),
        other => other?,
    };
    let Some(key) = reader.account(&arguments.address)? else { return Ok(None) };
    if reader.account_settings(key)?.as_ref() == Some(settings) {
        return Ok(None);
    }
    hold(context, key, &arguments.address, &arguments.wait).map(Some)
}

/// The password, where one is wanted and somebody can be asked.
fn password(arguments: &Arguments, settings: &AccountSettings) -> Result<Option<Secret<String>>, Failure> {
    if settings.sign_in == SignIn::Password {
        return password::read(&arguments.address, arguments.password_stdin);
    }
    if arguments.password_stdin {
        let message = format!("`{}` signs in on its provider's page, not with a password", arguments.address);
        let hint = "leave out `--password-stdin`, or add `--sign-in password`";
        return Err(Failure::new("no_password_wanted", message, hint));
    }
    Ok(None)
}

fn settings(arguments: &Arguments) -> Result<AccountSettings, Failure> {
    let address = &arguments.address;
    let provider = if arguments.gmail { Some(Provider::gmail()) } else { Provider::of(address) };
    let known = provider.map(|provider| provider.settings(address));
    let tls = arguments.tls.as_deref().and_then(Tls::parse);
    let endpoint =
        |text: &Option<String>, implicit| text.as_deref().map(|text| parse(text, tls, implicit)).transpose();
    let (imap, smtp) = (endpoint(&arguments.imap, 993)?, endpoint(&arguments.smtp, 465)?);
    let (known_imap, known_smtp) = known.as_ref().map_or((None, None), |k| (k.imap.clone(), k.smtp.clone()));
    let has_own_server = imap.is_some();
    let known_way = known.map_or(SignIn::Password, |known| known.sign_in);
    let sign_in = match arguments.sign_in.as_deref().and_then(SignIn::parse) {
        _ if arguments.gmail => SignIn::Google,
        Some(way) => way,
        None if has_own_server => SignIn::Password,
        None => known_way,
    };
    let user = arguments.user.clone().unwrap_or_else(|| address.clone());
    let via = if arguments.gmail { Via::Gmail } else { Via::Imap };
    Ok(AccountSettings { via, user, sign_in, imap: imap.or(known_imap), smtp: smtp.or(known_smtp) })
}

/// Reads `HOST[:PORT]`. Without a protected connection only this machine is spoken to, unless the owner says so.
pub(super) fn parse(text: &str, tls: Option<Tls>, implicit: u16) -> Result<Endpoint, Failure> {
    let wrong = || {
        let message = format!("`{text}` is not a server");
        Failure::new("bad_server", message, format!("write it as `mail.example.org:{implicit}`"))
    };
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !host.ends_with(':') => (host, port.parse().map_err(|_| wrong())?),
        _ => (text, implicit),
    };
    if host.is_empty() || host.contains(|c: char| c.is_whitespace() || c == '/' || c == '@') {
        return Err(wrong());
    }
    let tls = tls.unwrap_or(match port {
        993 | 465 => Tls::Implicit,
        143 | 587 if !is_loopback(host) => Tls::StartTls,
        _ if is_loopback(host) => Tls::None,
        _ => Tls::Implicit,
    });
    Ok(Endpoint { host: host.to_owned(), port, tls })
}

fn print(
    arguments: &Arguments,
    settings: &AccountSettings,
    signed_in: bool,
    context: &mut Context,
) -> Result<ExitCode, Failure> {
    let address = &arguments.address;
    let shown = |endpoint: &Option<Endpoint>| endpoint.as_ref().map(Endpoint::to_string);
    let out = &mut context.output;
    if out.is_json() {
        out.json(&json!({
            "address": address, "kind": settings.via.name(), "imap": shown(&settings.imap), "smtp": shown(&settings.smtp),
            "user": settings.user, "sign_in": settings.sign_in.name(), "signed_in": signed_in,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    out.line(format!("added {address}"))?;
    out.line(format!(
        "imap  {}",
        shown(&settings.imap).as_deref().unwrap_or("unknown: `account check` guesses")
    ))?;
    out.line(format!("smtp  {}", shown(&settings.smtp).as_deref().unwrap_or("unknown")))?;
    if !signed_in {
        let place = Provider::of(address).and_then(|provider| provider.app_password);
        match (settings.sign_in.provider(), place) {
            (Some(provider), _) => out.line(format!("you sign in on {provider}'s own page"))?,
            (None, Some(place)) => out.line(format!("a password for programs is made at {place}"))?,
            (None, None) => {}
        }
        let then = if settings.imap.is_none() {
            format!(", then `mailkeep account check {address}`")
        } else {
            String::new()
        };
        out.line(format!("next: mailkeep account login {address}{then}"))?;
    } else {
        out.line(format!("next: mailkeep account check {address}, then `mailkeep sync`"))?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::model::Tls;

    #[test]
    fn a_server_is_protected_unless_it_is_this_machine() {
        let tls = |text: &str| parse(text, None, 993).unwrap().tls;

        assert_eq!(tls("mail.example.org"), Tls::Implicit);
        assert_eq!(tls("mail.example.org:143"), Tls::StartTls);
        assert_eq!(tls("mail.example.org:10143"), Tls::Implicit);
        assert_eq!(tls("127.0.0.1:10143"), Tls::None);
        assert_eq!(parse("mail.example.org:143", Some(Tls::None), 993).unwrap().tls, Tls::None);
        for odd in ["", ":993", "a b:1", "host:port", "http://x:1", "x@y:1"] {
            assert!(parse(odd, None, 993).is_err(), "{odd}");
        }
    }
}
