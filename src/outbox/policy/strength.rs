//! Which of two policies is stricter, and in what. Pure. What is said here of a weaker policy is what the person confirms.
//! How long a yes can be taken back and how long a proposal waits are tastes: neither lets anything leave.

use std::collections::BTreeSet;

use crate::model::{PolicySettings, SendRule};
use crate::outbox::policy::matches;

/// The policy that allows only what both allow, with the tastes of the second.
#[must_use]
pub fn stricter_of(one: &PolicySettings, other: &PolicySettings) -> PolicySettings {
    let names: BTreeSet<_> = one.only.keys().chain(other.only.keys()).collect();
    let rule = |name: &String| rule_of(one, name).min(rule_of(other, name));
    let deny: BTreeSet<_> = one.deny.iter().chain(&other.deny).cloned().collect();
    let servers: BTreeSet<_> = one.per_server.keys().chain(other.per_server.keys()).collect();
    let most = |host: &String| {
        [one, other].into_iter().filter_map(|it| it.per_server.get(host)).min().copied().unwrap_or(u32::MAX)
    };
    let mut both = PolicySettings {
        send: one.send.min(other.send),
        only: names.into_iter().map(|name| (name.clone(), rule(name))).collect(),
        allow: common(one, other),
        deny: deny.into_iter().collect(),
        per_hour: one.per_hour.min(other.per_hour),
        per_day: one.per_day.min(other.per_day),
        per_server: servers.into_iter().map(|host| (host.clone(), most(host))).collect(),
        undo: other.undo,
        expire: other.expire,
        vault_approval: one.vault_approval.min(other.vault_approval),
    };
    if !has_list(&both) {
        both.allow.clear();
    }
    both
}

/// In what `new` allows more than `old`, in words; nothing when it does not.
#[must_use]
pub fn weaknesses(old: &PolicySettings, new: &PolicySettings) -> Vec<String> {
    let mut all = Vec::new();
    if new.send > old.send {
        all.push(format!("`send` from `{}` to `{}`", old.send.name(), new.send.name()));
    }
    if new.vault_approval > old.vault_approval {
        let (before, after) = (old.vault_approval.name(), new.vault_approval.name());
        all.push(format!("`vault_approval` from `{before}` to `{after}`"));
    }
    all.extend(weaker_rules(old, new));
    // Where the old one looks at no list, its rule is what got weaker, or nothing did.
    if has_list(new) && has_list(old) {
        let is_known = |entry: &&String| old.allow.iter().any(|known| covers(known, entry));
        let added = new.allow.iter().filter(|entry| !is_known(entry));
        all.extend(added.map(|entry| format!("`allow` has `{entry}` more")));
    }
    let is_denied = |entry: &&String| new.deny.iter().any(|rule| covers(rule, entry));
    all.extend(old.deny.iter().filter(|e| !is_denied(e)).map(|entry| format!("`deny` lacks `{entry}`")));
    for (host, most) in &old.per_server {
        if new.per_server.get(host).is_none_or(|now| now > most) {
            all.push(format!("`per_server` allows more than {most} for `{host}`"));
        }
    }
    let numbers = [
        ("per_hour", old.per_hour, new.per_hour, new.per_hour > old.per_hour),
        ("per_day", old.per_day, new.per_day, new.per_day > old.per_day),
    ];
    let weaker = numbers.into_iter().filter(|(.., is_weaker)| *is_weaker);
    all.extend(weaker.map(|(name, before, after, _)| format!("`{name}` from {before} to {after}")));
    all
}

/// Rules by name that are weaker. An old rule that is gone counts too: where two names fit, the strictest counted.
fn weaker_rules(old: &PolicySettings, new: &PolicySettings) -> Vec<String> {
    let weakest = new.only.values().copied().chain([new.send]).max().unwrap_or_default();
    let names: BTreeSet<_> = old.only.keys().chain(new.only.keys()).collect();
    let worded = |name: &String, before: SendRule, after: SendRule| {
        (after > before).then(|| format!("`{name}` from `{}` to `{}`", before.name(), after.name()))
    };
    let of = |name: &String| match (old.only.get(name), new.only.get(name)) {
        (Some(before), None) => worded(name, *before, weakest),
        (before, Some(after)) => worded(name, before.copied().unwrap_or(old.send), *after),
        (None, None) => None,
    };
    names.into_iter().filter_map(of).collect()
}

fn rule_of(policy: &PolicySettings, name: &str) -> SendRule {
    policy.only.get(name).copied().unwrap_or(policy.send)
}

/// Whether any rule looks at the list of allowed addresses.
fn has_list(policy: &PolicySettings) -> bool {
    policy.only.values().chain([&policy.send]).any(|rule| *rule == SendRule::Allowlist)
}

/// What both lists allow; a policy that never looks at its list does not narrow the other's.
fn common(one: &PolicySettings, other: &PolicySettings) -> Vec<String> {
    match (has_list(one), has_list(other)) {
        (false, _) => other.allow.clone(),
        (true, false) => one.allow.clone(),
        (true, true) => {
            let within = |list: &[String], entry: &&String| list.iter().any(|rule| covers(rule, entry));
            let first = one.allow.iter().filter(|entry| within(&other.allow, entry));
            let second = other.allow.iter().filter(|entry| within(&one.allow, entry));
            first.chain(second).cloned().collect::<BTreeSet<_>>().into_iter().collect()
        }
    }
}

/// Whether a rule names everything that an entry names: a domain covers itself and its addresses.
fn covers(rule: &str, entry: &str) -> bool {
    matches(rule, entry)
}

#[cfg(test)]
mod tests {
    use super::{stricter_of, weaknesses};
    use crate::model::{PolicySettings, SendRule};

    fn policy(toml: &str) -> PolicySettings {
        toml::from_str(toml).unwrap()
    }

    const SAMPLES: [&str; 15] = [
        "",
        "send = 'direct'",
        "send = 'allowlist'\nallow = ['bob@x.example']",
        "send = 'allowlist'\nallow = ['@x.example', 'eve@y.example']",
        "only = { smtp = 'direct' }",
        "only = { smtp = 'direct', mail = 'approve' }",
        "send = 'direct'\nonly = { smtp = 'approve' }",
        "send = 'direct'\nonly = { mail = 'allowlist' }\nallow = ['bob@x.example']",
        "deny = ['@rival.example']",
        "deny = ['eve@rival.example']\nper_hour = 5",
        "per_hour = 1000\nper_day = 9000",
        "per_server = { 'mx.example' = 3 }",
        "undo = 0",
        "expire = 1000\nundo = 60",
        "vault_approval = 'trust-folder'",
    ];

    #[test]
    fn trust_in_the_vaults_folder_is_weaker_than_none() {
        let (usual, trusting) = (policy(""), policy("vault_approval = 'trust-folder'"));

        assert_eq!(weaknesses(&usual, &trusting), ["`vault_approval` from `page` to `trust-folder`"]);
        assert_eq!(weaknesses(&trusting, &usual), [""; 0]);
        assert_eq!(stricter_of(&trusting, &usual), usual);
    }

    #[test]
    fn a_policy_is_no_weaker_than_itself() {
        for sample in SAMPLES {
            assert_eq!(weaknesses(&policy(sample), &policy(sample)), [""; 0], "{sample}");
        }
    }

    #[test]
    fn what_both_allow_is_no_weaker_than_either_and_stays_what_it_is() {
        for one in SAMPLES {
            for other in SAMPLES {
                let both = stricter_of(&policy(one), &policy(other));

                assert_eq!(weaknesses(&policy(one), &both), [""; 0], "{one} / {other}");
                assert_eq!(weaknesses(&policy(other), &both), [""; 0], "{one} / {other}");
                assert_eq!(stricter_of(&both, &policy(other)), both, "{one} / {other}");
            }
        }
    }

    #[test]
    fn every_way_to_allow_more_is_named() {
        let told = |old: &str, new: &str| weaknesses(&policy(old), &policy(new)).join("; ");

        assert_eq!(told("", "send = 'direct'"), "`send` from `approve` to `direct`");
        assert_eq!(told("", "only = { smtp = 'direct' }"), "`smtp` from `approve` to `direct`");
        assert_eq!(told(SAMPLES[5], SAMPLES[4]), "`mail` from `approve` to `direct`");
        assert_eq!(
            told(SAMPLES[2], SAMPLES[3]),
            "`allow` has `@x.example` more; `allow` has `eve@y.example` more"
        );
        assert_eq!(told("deny = ['@rival.example']", ""), "`deny` lacks `@rival.example`");
        assert_eq!(told(SAMPLES[11], ""), "`per_server` allows more than 3 for `mx.example`");
        assert_eq!(told("", SAMPLES[10]), "`per_hour` from 100 to 1000; `per_day` from 500 to 9000");
        assert_eq!(told("", "undo = 0\nexpire = 1000"), "");
        assert_eq!(told(SAMPLES[1], ""), "");
        assert_eq!(policy(SAMPLES[1]).send, SendRule::Direct);
    }
}
