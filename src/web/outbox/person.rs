//! A recipient as a page shows them: the address in full, the part that somebody registered apart from the rest, and who
//! they are to the owner.

use crate::outbox::evidence::{LookAlike, Recipient};
use crate::web::outbox::card::short;
use crate::web::visit::Visit;

/// A word beside an address.
pub(super) struct Tag {
    pub(super) words: String,
    pub(super) tone: &'static str,
}

/// Somebody who gets it.
pub(super) struct Person {
    pub(super) name: Option<String>,
    /// What stands before the registrable part.
    pub(super) before: String,
    pub(super) registrable: String,
    pub(super) spelt: Option<String>,
    pub(super) facts: String,
    pub(super) tags: Vec<Tag>,
}

impl Person {
    pub(super) fn of(visit: &Visit<'_>, it: &Recipient) -> Self {
        let address = short(&it.address);
        let registrable = short(&it.registrable);
        let (before, registrable) = match address.strip_suffix(&registrable) {
            Some(before) if !registrable.is_empty() => (before.to_owned(), registrable),
            _ => (address, String::new()),
        };
        Self {
            name: Some(short(&it.name)).filter(|name| !name.is_empty()),
            before,
            registrable,
            spelt: it.spelt.as_deref().map(short),
            facts: facts(visit, it),
            tags: tags(visit, it),
        }
    }
}

fn facts(visit: &Visit<'_>, it: &Recipient) -> String {
    if !it.is_examined && it.registrable.is_empty() {
        return String::new();
    }
    if !it.is_examined {
        return "not looked up".to_owned();
    }
    if it.is_own {
        return "your own address".to_owned();
    }
    let last = it.last.map(|last| format!(", last {}", visit.time(last))).unwrap_or_default();
    match (it.to_them, it.from_them) {
        (0, 0) => "no mail from or to this address".to_owned(),
        (to, from) => format!("{to} to them, {from} from them{last}"),
    }
}

fn tags(visit: &Visit<'_>, it: &Recipient) -> Vec<Tag> {
    let warn = |words: String| Tag { words, tone: "warn" };
    let mut tags = Vec::new();
    if it.is_first_contact && !it.is_own {
        tags.push(warn("first contact".to_owned()));
    }
    if let Some(LookAlike { address, .. }) = &it.look_alike {
        tags.push(Tag { words: format!("looks like {}", short(address)), tone: "bad" });
    }
    if let Some(seen) = &it.only_seen_in {
        tags.push(warn(format!("only seen inside message {}", short(&seen.message))));
    }
    if let Some(bounced) = &it.bounced {
        tags.push(Tag { words: format!("bounced on {}", visit.time(bounced.at)), tone: "bad" });
    }
    if let Some(reply) = &it.auto_reply {
        tags.push(warn(format!("automatic reply on {}", visit.time(reply.at))));
    }
    tags
}
