//! Says whether a text is a mail address, by its letters alone: no server is asked, and no name is looked up.

use email_address::{EmailAddress, Error, Options};
use serde_json::{Value, json};

use crate::text_safety::{is_invisible, one_line};
use crate::tools::smtp::typo;
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const EMAIL: Argument = Argument::text("email", "Address to look at").required().like("bob@example.org");

pub(super) const VALIDATE_EMAIL: Tool = Tool {
    name: "validate-email",
    title: "Validate email",
    description: "Whether an address is well-formed (RFC 5322) and no common typo. Nothing is looked up.",
    effect: Effect::Reads,
    arguments: &[EMAIL],
    output,
    run,
};

fn output() -> Value {
    json!({
        "type": "object",
        "properties": { "valid": { "type": "boolean" }, "reason": { "type": "string" } },
        "required": ["valid"],
    })
}

fn run(_: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    Ok(Reply::object(match check(arguments.verbatim(&EMAIL)) {
        Ok(()) => json!({ "valid": true }),
        Err(reason) => json!({ "valid": false, "reason": reason }),
    }))
}

/// Why an address is none, or is hardly the one that was meant.
fn check(email: &str) -> Result<(), String> {
    if email.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    if email.chars().any(|c| c.is_control() || is_invisible(c)) {
        return Err("it has characters that cannot be seen".to_owned());
    }
    if email.trim() != email {
        return Err("it begins or ends with a space".to_owned());
    }
    if !email.is_ascii() {
        return Err("it has characters outside ASCII (RFC 5322 knows none)".to_owned());
    }
    let (local, domain) = email.rsplit_once('@').ok_or("there is no @ in it")?;
    if local.contains('@') && !(local.starts_with('"') && local.ends_with('"')) {
        return Err("there is more than one @ in it".to_owned());
    }
    let options = Options::default().with_no_minimum_sub_domains().without_display_text();
    EmailAddress::parse_with_options(email, options).map_err(|error| problem(&error).to_owned())?;
    match typo::meant(domain) {
        None => Ok(()),
        Some(meant) => {
            let domain = one_line(domain);
            Err(format!("`{domain}` looks like a typo of `{meant}`: did you mean {local}@{meant}?"))
        }
    }
}

fn problem(error: &Error) -> &'static str {
    match error {
        Error::MissingSeparator => "there is no @ in it",
        Error::LocalPartEmpty => "nothing stands before the @",
        Error::LocalPartTooLong => "more than 64 characters stand before the @",
        Error::DomainEmpty => "nothing stands behind the @",
        Error::DomainTooLong | Error::SubDomainTooLong => "the domain is too long",
        Error::SubDomainEmpty => "the domain has an empty part",
        Error::MissingEndBracket | Error::UnsupportedDisplayName | Error::MissingDisplayName => {
            "only the address is wanted, without a name and brackets"
        }
        _ => "a character in it is not allowed there",
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn addresses_are_judged_by_their_letters() {
        for good in [
            "bob@example.org",
            "b.o.b+tag@mail.example.co.uk",
            "x@localhost",
            "o'neil/dept=x@example.org",
            "\"bob stone\"@example.org",
            "bob@[192.0.2.1]",
            "bob@xn--bcher-kva.example",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let long = format!("{}@example.org", "a".repeat(65));
        for bad in [
            "",
            " ",
            "invalid-email",
            "@example.org",
            "bob@",
            "bob@@example.org",
            "bob@a@example.org",
            "bob@example..org",
            "bob@-example.org",
            ".bob@example.org",
            "bob.@example.org",
            "b..b@example.org",
            "bob stone@example.org",
            "Bob <bob@example.org>",
            "bob@example.org\r\nBcc: eve@example.org",
            "bob@exam\u{0}ple.org",
            "bob\u{200b}@example.org",
            "bób@example.org",
            "bob@example.org, eve@example.org",
            "bob@example.org ",
            &long,
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_typo_is_not_valid_and_the_reason_says_what_was_meant() {
        let reason = check("bob@gmial.com").unwrap_err();

        assert_eq!(reason, "`gmial.com` looks like a typo of `gmail.com`: did you mean bob@gmail.com?");
    }
}
