//! Decides whether an item may leave, and whether somebody must be asked. Pure: no clock, no network, no database.
//! A refusal names the rule and the value that broke it, so that a person can change either.

mod in_force;
mod strength;

use crate::model::{Channel, Lane, PolicySettings, Recipients, SendRule};

pub(in crate::outbox) use in_force::Kept;
pub use in_force::{InForce, Known, Wanted};
pub use strength::{stricter_of, weaknesses};

/// What is known about an item when it is judged.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The account it leaves from.
    pub account: &'a str,
    /// The tools that proposed it; empty for the person.
    pub profile: &'a str,
    /// What kind of message it is.
    pub channel: &'a str,
    /// Who gets it.
    pub recipients: &'a Recipients,
}

/// What the rules say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// A person says yes or no.
    Ask,
    /// The owner's rule says yes; its words.
    Allow(String),
    /// Nobody can say yes: which rule, and what broke it.
    Refuse {
        /// The rule's words.
        rule: String,
        /// The value.
        detail: String,
    },
}

/// What the rules say about an item.
#[must_use]
pub fn judge(settings: &PolicySettings, subject: &Subject<'_>) -> Verdict {
    let addresses = || subject.recipients.all().map(|to| to.address.as_str());
    for rule in &settings.deny {
        if let Some(address) = addresses().find(|address| matches(rule, address)) {
            return Verdict::Refuse { rule: format!("deny {rule}"), detail: address.to_owned() };
        }
    }
    match rule_for(settings, subject) {
        SendRule::Approve => Verdict::Ask,
        SendRule::Direct => Verdict::Allow("send = \"direct\"".to_owned()),
        SendRule::Allowlist => {
            let is_allowed = |address: &str| settings.allow.iter().any(|rule| matches(rule, address));
            if addresses().next().is_some() && addresses().all(is_allowed) {
                Verdict::Allow("send = \"allowlist\"".to_owned())
            } else {
                Verdict::Ask
            }
        }
    }
}

/// Whether there is anything at all that may leave without anybody being asked.
#[must_use]
pub fn allows_anything(settings: &PolicySettings) -> bool {
    [&settings.send].into_iter().chain(settings.only.values()).any(|rule| match rule {
        SendRule::Approve => false,
        SendRule::Allowlist => !settings.allow.is_empty(),
        SendRule::Direct => true,
    })
}

/// Whether something that tools of this profile propose may leave without anybody being asked: by a rule for the profile,
/// for a channel of its tools, for any account, or by the general one.
#[must_use]
pub fn may_send_at_once(settings: &PolicySettings, profile: &str) -> bool {
    // Only tools of `core` ask lists to leave somebody off.
    let asks_lists = profile.split(',').any(|name| name == "core");
    let is_theirs = |channel: &&Channel| asks_lists || **channel != Channel::Unsubscribe;
    let mut channels = Lane::of_profile(profile).channels().iter().filter(is_theirs);
    channels.any(|channel| may_send_at_once_on(settings, profile, channel.name()))
}

fn may_send_at_once_on(settings: &PolicySettings, profile: &str, channel: &str) -> bool {
    let asks = |rule: &SendRule| *rule == SendRule::Approve;
    let of = |name: &str| settings.only.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    if [profile, channel].into_iter().filter_map(of).any(|(_, rule)| asks(rule)) {
        return false;
    }
    let others = settings.only.iter().filter(|(name, _)| {
        name.contains('@') || name.eq_ignore_ascii_case(profile) || name.eq_ignore_ascii_case(channel)
    });
    !asks(&settings.send) || others.into_iter().any(|(_, rule)| !asks(rule))
}

/// The strictest rule of those that name the account, the profile or the channel; else the general one.
fn rule_for(settings: &PolicySettings, subject: &Subject<'_>) -> SendRule {
    let names = [subject.account, subject.profile, subject.channel];
    let own = settings.only.iter().filter(|(name, _)| names.iter().any(|it| it.eq_ignore_ascii_case(name)));
    own.map(|(_, rule)| *rule).min().unwrap_or(settings.send)
}

/// Whether a rule (`bob@example.org`, `@example.org`) names an address.
fn matches(rule: &str, address: &str) -> bool {
    let (rule, address) = (comparable(rule), comparable(address));
    if rule.starts_with('@') { address.ends_with(&rule) } else { address == rule }
}

/// An address or a domain behind an `@`, in the one form that all its spellings have: small letters, the domain as
/// servers know it (RFC 5891), without the dot of the root.
fn comparable(address: &str) -> String {
    let address = address.trim();
    let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    let domain = domain.trim_end_matches('.');
    let ascii = idna::domain_to_ascii(domain).unwrap_or_else(|_| domain.to_lowercase());
    format!("{}@{ascii}", local.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_rule_names_every_spelling_of_a_domain() {
        let spellings =
            ["@bücher.example", "@xn--bcher-kva.example", "@BÜCHER.example.", "@XN--BCHER-KVA.EXAMPLE"];
        for rule in spellings {
            for address in spellings {
                assert!(matches(rule, &format!("ada{address}")), "{rule} {address}");
                assert!(matches(&format!("Ada{rule}"), &format!("ada{address}")), "{rule} {address}");
            }
            assert!(!matches(rule, "ada@bucher.example") && !matches(rule, "ada@x.bücher.example"), "{rule}");
        }
    }
}
