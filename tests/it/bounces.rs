//! What comes back is noted where it belongs: for the item whose id it knows and the recipient it names, and nowhere else.

mod arrives;
mod corpus;
mod forged;
mod forms;
mod looks;

use std::fs;
use std::path::Path;

use mailkeep::drafts::NewDraft;
use mailkeep::model::{ContentHash, Draft, ItemCode, ItemState, Route};
use mailkeep::outbox::delivery::{self, Looked};
use mailkeep::store::{Delivery, Item, Move, NewProposal, Origin, Reader, Store};

use crate::drafts::{clock, drafts, home};
use crate::world::mail::mboxrd;
use crate::world::{ACCOUNT, Mail, World};

/// When the samples in `tests/bounces` say that they were written.
const SAMPLES_DATE: i64 = 1_793_700_007;

/// A home with one message.
fn world() -> World {
    World::holding(&mboxrd([&Mail::new("Kitchen").bytes()]))
}

/// A draft of Ada's to these people.
fn draft(world: &World, to: &[&str]) -> Draft {
    let new = NewDraft {
        account: ACCOUNT.to_owned(),
        to: to.iter().map(ToString::to_string).collect(),
        subject: "The lamp for the hall".to_owned(),
        body: "It is green.\n".to_owned(),
        ..NewDraft::default()
    };
    drafts(world).create(&new).unwrap()
}

/// Takes a draft through the states up to this one, as if a server had taken it at that time.
fn leave(world: &World, draft: &Draft, last: ItemState, epoch: i64) {
    use ItemState::{Approved, Draft as Written, PendingApproval, Sending};
    let mut store = Store::open_existing(&home(world).store()).unwrap();
    let tx = store.begin().unwrap();
    tx.put_proposal(&NewProposal {
        draft: draft.key,
        revision: draft.revision,
        code: ItemCode::from_number(7),
        route: &Route::Folder("out".into()),
        origin: &Origin::default(),
        content: ContentHash::of(draft.message_id.as_bytes()),
        idempotency_key: None,
        may_be_partial: false,
        records: &mailkeep::model::SendRecords::default(),
        epoch,
    })
    .unwrap();
    let path = [Written, PendingApproval, Approved, Sending, last];
    for step in path.windows(2).take_while(|step| step[0] != last) {
        let (from, to) = (step[0], step[1]);
        let step = Move {
            draft: draft.key,
            revision: draft.revision,
            from,
            to,
            reason: None,
            error_code: None,
            epoch,
        };
        assert!(tx.move_item(&step).unwrap(), "{from} to {to}");
    }
    if last == ItemState::Sent {
        tx.note_sent(draft.key, epoch).unwrap();
    }
    tx.commit().unwrap();
}

/// Something that was sent to these people a minute before the samples were written.
fn sent(world: &World, to: &[&str]) -> Draft {
    let draft = draft(world, to);
    leave(world, &draft, ItemState::Sent, SAMPLES_DATE - 60);
    draft
}

/// A sample of `tests/bounces` that is about this item.
fn sample(name: &str, about: &Draft) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bounces").join(name).with_extension("eml");
    replaced(&fs::read(path).unwrap(), "item-1@ada.example", &about.message_id)
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let mut output = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(from.len()).position(|window| window == from.as_bytes()) {
        output.extend_from_slice(&rest[..at]);
        output.extend_from_slice(to.as_bytes());
        rest = &rest[at + from.len()..];
    }
    output.extend_from_slice(rest);
    output
}

/// Brings these messages in.
fn bring_in(world: &World, messages: &[Vec<u8>]) {
    let directory = format!("incoming-{}", world.hashes().len());
    for (number, message) in messages.iter().enumerate() {
        world.write(&format!("{directory}/{number:04}.eml"), message);
    }
    world.import(&world.path(&directory));
}

fn reader(world: &World) -> Reader {
    Reader::open(&home(world).store()).unwrap()
}

fn item(world: &World, draft: &Draft) -> Item {
    reader(world).item(draft.id).unwrap().unwrap()
}

fn deliveries(world: &World, draft: &Draft) -> Vec<Delivery> {
    reader(world).deliveries_of(draft.key).unwrap()
}

/// Each recipient with its status, `?` behind what is only probable.
fn statuses(world: &World, draft: &Draft) -> Vec<String> {
    let line = |delivery: &Delivery| {
        let doubt = if delivery.is_probable { "?" } else { "" };
        format!("{} {}{doubt}", delivery.recipient, delivery.status.name())
    };
    deliveries(world, draft).iter().map(line).collect()
}

fn answer(world: &World, draft: &Draft) -> &'static str {
    delivery::answer(item(world, draft).draft.state, &deliveries(world, draft))
}

fn look(world: &World) -> Looked {
    delivery::look(&home(world), &clock()).unwrap()
}
