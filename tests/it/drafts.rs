//! What is written here leaves as it was written: frozen, threaded, and for nobody's eyes but those it is for.

mod attachments;
mod bytes;
mod finds;
mod forms;
mod forwards;
mod judges;
mod mail_programs;
mod person;
mod processes;
mod replies;
mod revisions;
mod senders;
pub(crate) mod smuggling;

use mailkeep::clock::Clock;
use mailkeep::drafts::{DraftChange, Drafts, NewDraft};
use mailkeep::home::Home;
use mailkeep::index::attachment_text::Extractor;
use mailkeep::model::{DateHints, Draft, ParsedMessage, dated};
use mailkeep::parse;
use mailkeep::query::Archive;

use crate::world::mail::mboxrd;
use crate::world::{ACCOUNT, Mail, NOW, World};

pub(crate) fn home(world: &World) -> Home {
    Home::at(world.home())
}

pub(crate) fn clock() -> Clock {
    Clock::frozen(NOW.parse().unwrap())
}

pub(crate) fn drafts(world: &World) -> Drafts {
    Drafts::new(&home(world), clock())
}

pub(crate) fn archive(world: &World) -> Archive {
    let home = home(world);
    let extractor = Extractor::new(env!("CARGO_BIN_EXE_mailkeep").into());
    Archive::open(&home, mailkeep::model::Audience::Person, clock(), extractor).unwrap()
}

/// A draft to Bob that was just written.
pub(crate) fn written(world: &World, subject: &str) -> Draft {
    let new = NewDraft {
        account: ACCOUNT.to_owned(),
        to: vec!["bob@stone.example".to_owned()],
        subject: subject.to_owned(),
        body: format!("The text of {subject}."),
        ..NewDraft::default()
    };
    drafts(world).create(&new).unwrap()
}

/// The draft with another text.
pub(crate) fn edited(world: &World, draft: &Draft, body: &str) -> Draft {
    let change = DraftChange { body: Some(body.to_owned()), ..DraftChange::default() };
    drafts(world).update(&draft.id.to_string(), &change).unwrap()
}

/// A home with one message from Bob to Ada.
fn world() -> World {
    World::holding(&mboxrd([&Mail::new("Kitchen").bytes()]))
}

/// A draft of Ada's to Bob.
fn letter() -> NewDraft {
    NewDraft {
        account: ACCOUNT.to_owned(),
        to: vec!["Bob Stone <bob@stone.example>".to_owned()],
        subject: "Lunch".to_owned(),
        body: "Shall we?\n".to_owned(),
        ..NewDraft::default()
    }
}

/// The frozen bytes, and our own reading of them, which must find nothing wrong.
fn frozen(world: &World, draft: &Draft) -> (Vec<u8>, ParsedMessage) {
    let raw = drafts(world).bytes(draft).unwrap();
    let parsed = parse::message(&dated(&raw, draft.updated), &DateHints::default());
    assert_eq!(parsed.defects, [], "{}", String::from_utf8_lossy(&raw));
    (raw, parsed)
}

fn strings(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}
