//! Requests to a list to be left off it: one request to where it takes them (RFC 8058), or the mail that it asks for. Which
//! of them a stranger's fields may cause is decided by `parse::unsubscribe`; the mail is a mail like any other.

mod carrier;
mod public;

use serde::{Deserialize, Serialize};

use crate::drafts::NewDraft;
use crate::model::{Address, Channel, MessageKey, Recipients, Route};
use crate::outbox::OutboxError;
use crate::outbox::channels::{Composed, Reading};
use crate::parse::unsubscribe::Mailto;
use crate::text_safety::{brief, one_line};

pub(in crate::outbox) use carrier::OneClickCarrier;

/// The body of the request (RFC 8058, 3.2).
const BODY: &str = "List-Unsubscribe=One-Click";
/// So much of a list's name is kept.
const LONGEST_NAME: usize = 200;

/// What is frozen of a request; its body goes out.
#[derive(Debug, Serialize, Deserialize)]
struct Frozen {
    list: String,
    account: String,
    url: String,
    body: String,
}

/// One request to where a list takes them, about a message of this account.
pub(in crate::outbox) fn one_click(account: &str, list: &str, url: &str, about: MessageKey) -> Composed {
    let list = brief(&one_line(list), LONGEST_NAME).into_owned();
    let route = Route::OneClick(url.to_owned());
    let to = Address::new("", format!("one-click@{}", route.place()));
    let frozen = Frozen {
        list: list.clone(),
        account: account.to_owned(),
        url: url.to_owned(),
        body: BODY.to_owned(),
    };
    Composed {
        channel: Channel::Unsubscribe,
        account: account.to_owned(),
        recipients: Recipients { to: vec![to], ..Recipients::default() },
        title: title(&list),
        text: text(&frozen),
        payload: serde_json::to_vec(&frozen).expect("texts are JSON"),
        route,
        about: Some(about),
    }
}

/// The mail that a list asks for.
pub(in crate::outbox) fn mail(account: &str, mailto: &Mailto) -> NewDraft {
    NewDraft {
        account: account.to_owned(),
        to: vec![mailto.to.clone()],
        subject: mailto.subject.clone(),
        body: mailto.body.clone(),
        ..NewDraft::default()
    }
}

fn title(list: &str) -> String {
    format!("Unsubscribe from {list}")
}

fn text(frozen: &Frozen) -> String {
    let Frozen { list, account, url, body } = frozen;
    format!("Asks `{list}` to leave `{account}` off its list:\n\nPOST {url}\n\n{body}\n")
}

/// What leaves, as a person reads it. A payload for another place than the route's is shown as it is, and never sent.
pub(super) fn read(route: &Route, bytes: &[u8]) -> Reading {
    match frozen(route, bytes) {
        Ok(frozen) => Reading::of_text(&frozen.account, &title(&frozen.list), text(&frozen)),
        Err(_) => Reading::of_text("", "Unsubscribe", String::from_utf8_lossy(bytes).into_owned()),
    }
}

/// The body that goes out.
fn body(route: &Route, bytes: &[u8]) -> Result<String, OutboxError> {
    frozen(route, bytes).map(|frozen| frozen.body)
}

fn frozen(route: &Route, bytes: &[u8]) -> Result<Frozen, OutboxError> {
    let unfit = || OutboxError::Unfit { field: "payload", problem: "this is no such request".to_owned() };
    let frozen: Frozen = serde_json::from_slice(bytes).map_err(|_| unfit())?;
    if *route == Route::OneClick(frozen.url.clone()) { Ok(frozen) } else { Err(unfit()) }
}
