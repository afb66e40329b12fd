//! Real servers get exactly one message with exactly the approved recipients, whatever somebody tried to write into it.

use mailkeep::drafts::Drafts;
use mailkeep::model::{ItemState, dated};
use mailkeep::outbox::approval::{Door, Proof};
use mailkeep::outbox::propose::{Proposals, Request};
use mailkeep::store::Item;

use crate::drafts::smuggling::{TRIES, letters};
use crate::sends::Outgoing;
use crate::world::receivers::{Arrived, Receiver};

fn outgoing(port: u16) -> Outgoing {
    let mut outgoing = Outgoing::to(port);
    outgoing.policy.per_hour = 10_000;
    outgoing.policy.per_day = 10_000;
    outgoing.approvals().confirm(&Proof::click()).unwrap();
    outgoing
}

/// What must be there: each message once for each recipient.
fn expected(outgoing: &Outgoing, items: &[Item]) -> Vec<Arrived> {
    let for_all = |item: &Item| {
        let bytes = outgoing.message(item);
        let to = item.draft.recipients.all();
        to.map(|to| Arrived { recipient: to.address.clone(), bytes: bytes.clone() }).collect::<Vec<_>>()
    };
    let mut all: Vec<_> = items.iter().flat_map(for_all).collect();
    all.sort();
    all
}

#[test]
fn what_arrives_at_real_servers_is_what_was_frozen_and_a_date() {
    for (name, server) in Receiver::all("what_arrives_at_real_servers") {
        let outgoing = outgoing(server.port);
        let mut long = Outgoing::letter("Dots and a long text, Grüße");
        long.body =
            format!(".\n..\n.a\nend.\n\n{}\n.\n", "Ein sehr langer Satz mit Umläuten äöü. ".repeat(2_000));
        let items = [outgoing.approved("Short"), outgoing.approved_letter(&long, &Request::default())];

        outgoing.send();

        let expected = expected(&outgoing, &items);
        assert_eq!(server.arrived(expected.len()), expected, "{name}");
    }
}

#[test]
fn nothing_can_be_smuggled_past_real_servers() {
    for (name, server) in Receiver::all("nothing_can_be_smuggled_past_real_servers") {
        let outgoing = outgoing(server.port);
        let drafts = Drafts::new(&outgoing.home(), outgoing.clock());
        let approvals = outgoing.approvals();
        let proposals = Proposals::new(&outgoing.home(), outgoing.routes.clone(), approvals.clone());
        let tries: Vec<_> = TRIES.iter().flat_map(|attempt| letters(attempt)).collect();
        let mut items = Vec::new();
        for new in &tries {
            let Ok(draft) = drafts.create(new) else { continue };
            let proposed = proposals.propose(&draft.id.to_string(), &Request::default()).unwrap();
            if !proposed.is_duplicate {
                let id = draft.id.to_string();
                items.push(
                    approvals.approve(&id, &proposed.item.hash(), Door::Terminal, &Proof::click()).unwrap(),
                );
            }
        }

        outgoing.send();

        assert!(tries.len() >= 500 && items.len() > 50, "{name}: {} of {}", items.len(), tries.len());
        assert!(items.iter().all(|item| outgoing.state(item) == ItemState::Sent), "{name}");
        let expected = expected(&outgoing, &items);
        let arrived = server.arrived(expected.len());
        assert_eq!(arrived.len(), expected.len(), "{name}");
        assert!(arrived == expected, "{name}: something else arrived");
        assert!(
            !arrived.iter().any(|one| one.recipient.contains("eve") && !was_named(&items, one)),
            "{name}"
        );
    }
}

/// Whether a recipient is one that somebody said yes to in full view.
fn was_named(items: &[Item], arrived: &Arrived) -> bool {
    items.iter().any(|item| item.draft.recipients.all().any(|to| to.address == arrived.recipient))
}

#[test]
fn a_date_is_the_only_line_that_is_added() {
    let frozen = b"From: a\r\nSubject: b\r\n\r\nc\r\n";

    let sent = String::from_utf8(dated(frozen, 0)).unwrap();

    assert_eq!(sent.replace("Date: Thu, 1 Jan 1970 00:00:00 +0000\r\n", "").as_bytes(), frozen);
}
