//! Holds a copy of a message against what was sent. What servers may do to every message counts for nothing: fields of the
//! way it took, its date, folding, transfer encodings and charsets, and the people in Bcc whom only the sender sees. Pure.

use std::collections::BTreeSet;

use crate::model::{Address, DateHints, ParsedMessage, Recipients};
use crate::parse;
use crate::store::ProviderChange;

/// So many characters of a text are shown.
const SHOWN: usize = 100;

/// What differs in a copy of `sent` that went to these people.
pub(super) fn changes(sent: &[u8], recipients: &Recipients, copy: &[u8]) -> Vec<ProviderChange> {
    let read = |bytes| parse::message(bytes, &DateHints::default());
    let (ours, theirs) = (read(sent), read(copy));
    let found = [
        ("from", people(&ours.from, &theirs.from)),
        ("reply_to", people(&ours.reply_to, &theirs.reply_to)),
        ("recipients", whom(&ours, recipients, &theirs)),
        ("subject", became(&ours.subject, &theirs.subject)),
        ("text", texts(&parse::texts(sent), &parse::texts(copy))),
        ("attachments", files(&ours, &theirs)),
    ];
    let change = |(what, detail): (&str, Option<String>)| {
        Some(ProviderChange { what: what.to_owned(), detail: detail? })
    };
    found.into_iter().filter_map(change).collect()
}

fn shown(text: &str) -> String {
    let cut = text.chars().take(SHOWN).collect::<String>();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("`{cut}{more}`")
}

/// What a line was and became. Blanks are a matter of folding.
fn became(ours: &str, theirs: &str) -> Option<String> {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (ours, theirs) = (words(ours), words(theirs));
    (ours != theirs).then(|| format!("{} became {}", shown(&ours), shown(&theirs)))
}

/// Names count too: they are who a message seems to be from.
fn people(ours: &[Address], theirs: &[Address]) -> Option<String> {
    let line = |people: &[Address]| {
        let one = |one: &Address| Address::new(one.name.as_str(), one.address.to_lowercase()).shown();
        people.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    became(&line(ours), &line(theirs))
}

fn whom(ours: &ParsedMessage, recipients: &Recipients, theirs: &ParsedMessage) -> Option<String> {
    let set =
        |people: &[Address]| people.iter().map(|one| one.address.to_lowercase()).collect::<BTreeSet<_>>();
    let mut told = Vec::new();
    for (name, sent, copy) in [("To", &ours.to, &theirs.to), ("Cc", &ours.cc, &theirs.cc)] {
        told.extend(differences(name, &set(sent), &set(copy)));
    }
    // Whoever got it unseen may be named in a copy, or not.
    let unseen: BTreeSet<_> = set(&theirs.bcc).difference(&set(&recipients.bcc)).cloned().collect();
    told.extend(differences("Bcc", &BTreeSet::new(), &unseen));
    (!told.is_empty()).then(|| told.join("; "))
}

fn differences(name: &str, ours: &BTreeSet<String>, theirs: &BTreeSet<String>) -> Vec<String> {
    let list = |some: Vec<&String>, what: &str| {
        let all = some.into_iter().map(|one| shown(one)).collect::<Vec<_>>().join(", ");
        (!all.is_empty()).then(|| format!("{name} {what} {all}"))
    };
    let more = list(theirs.difference(ours).collect(), "also has");
    let less = list(ours.difference(theirs).collect(), "lacks");
    more.into_iter().chain(less).collect()
}

/// Where the texts begin to differ.
fn texts(ours: &[String], theirs: &[String]) -> Option<String> {
    let number = ours.len().max(theirs.len());
    let part = |texts: &[String], at: usize| texts.get(at).cloned().unwrap_or_default();
    let at = (0..number).find(|at| ours.get(*at) != theirs.get(*at))?;
    let (ours, theirs) = (part(ours, at), part(theirs, at));
    let same = ours.chars().zip(theirs.chars()).take_while(|(ours, theirs)| ours == theirs).count();
    let rest = |text: &str| shown(text.chars().skip(same).collect::<String>().trim());
    Some(format!("after {same} characters {} became {}", rest(&ours), rest(&theirs)))
}

fn files(ours: &ParsedMessage, theirs: &ParsedMessage) -> Option<String> {
    let set = |message: &ParsedMessage| {
        let one = |file: &crate::model::Attachment| {
            let hash = file.hash.to_hex();
            format!(
                "{} ({} bytes, SHA-256 {}…)",
                file.name.as_deref().unwrap_or("unnamed"),
                file.size,
                &hash[..12]
            )
        };
        message.attachments.iter().map(one).collect::<BTreeSet<_>>()
    };
    let mut told = differences("it", &set(ours), &set(theirs));
    let (sent, kept) = (ours.attachments.len(), theirs.attachments.len());
    if told.is_empty() && sent != kept {
        told.push(format!("{sent} became {kept}"));
    }
    (!told.is_empty()).then(|| told.join("; "))
}
