//! An item as commands print it.

use serde::Serialize;
use serde_json::{Value, json};

use crate::drafts::Contents;
use crate::model::Address;
use crate::outbox::propose::Status;
use crate::query::iso_date;
use crate::store::{Attempt, ChangedCopy, Delivery, Item};

/// An item of a list.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ItemView {
    pub(super) id: String,
    pub(super) code: String,
    pub(super) channel: &'static str,
    pub(super) state: &'static str,
    pub(super) account: String,
    pub(super) to: Vec<String>,
    pub(super) cc: Vec<String>,
    pub(super) bcc: Vec<String>,
    pub(super) subject: String,
    /// When it was proposed, in UTC, as the other times.
    pub(super) created: String,
    pub(super) changed: String,
    pub(super) sent: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) error_code: Option<String>,
    pub(super) next_attempt: Option<String>,
    pub(super) revision: i64,
    pub(super) sha256: String,
    pub(super) message_id: String,
    pub(super) route: String,
    pub(super) client: Option<String>,
    pub(super) profile: Option<String>,
    pub(super) tool: Option<String>,
}

impl ItemView {
    pub(super) fn of(item: &Item) -> Self {
        let shown = |list: &[Address]| list.iter().map(Address::to_string).collect();
        let (draft, origin) = (&item.draft, &item.origin);
        Self {
            id: draft.id.to_string(),
            code: item.code.to_string(),
            channel: item.channel.name(),
            state: draft.state.name(),
            account: draft.account.clone(),
            to: shown(&draft.recipients.to),
            cc: shown(&draft.recipients.cc),
            bcc: shown(&draft.recipients.bcc),
            subject: draft.subject.clone(),
            created: iso_date(item.proposed),
            changed: iso_date(item.changed),
            sent: item.sent.map(iso_date),
            reason: item.reason.clone(),
            error_code: item.error_code.clone(),
            next_attempt: Some(item.not_before).filter(|at| *at > 0).map(iso_date),
            revision: draft.revision,
            sha256: item.hash().0.to_hex(),
            message_id: draft.message_id.clone(),
            route: item.route.to_string(),
            client: origin.client.clone(),
            profile: origin.profile.clone(),
            tool: origin.tool.clone(),
        }
    }
}

/// Everything about an item, for scripts.
pub(super) fn whole(status: &Status, contents: &Contents) -> Value {
    let mut value = json!(ItemView::of(&status.item));
    value["body"] = json!(contents.text);
    value["html"] = json!(contents.html);
    value["attachments"] = json!(contents.files);
    value["reply_to"] = json!(status.item.draft.answers.map(|answered| answered.message.to_string()));
    value["idempotency_key"] = json!(status.item.idempotency_key);
    value["deliveries"] = status.deliveries.iter().map(delivery).collect();
    value["attempts"] = status.attempts.iter().map(attempt).collect();
    value["provider_changed"] = status.changed_copies.iter().map(changed_copy).collect();
    value
}

fn delivery(delivery: &Delivery) -> Value {
    json!({
        "recipient": delivery.recipient,
        "status": delivery.status.name(),
        "at": iso_date(delivery.epoch),
        "detail": delivery.detail,
        "probably": delivery.is_probable,
    })
}

fn changed_copy(copy: &ChangedCopy) -> Value {
    json!({ "copy": copy.message.to_string(), "changes": copy.changes })
}

fn attempt(attempt: &Attempt) -> Value {
    let second = |ms: i64| iso_date(ms.div_euclid(1_000));
    json!({
        "revision": attempt.revision,
        "host": attempt.host,
        "begun": second(attempt.begun_ms),
        "all_but_the_end": attempt.dot_ms.map(second),
        "ended": attempt.ended_ms.map(second),
        "outcome": attempt.outcome.map(crate::store::AttemptOutcome::name),
        "reply": attempt.reply,
        "refused": attempt.refused,
    })
}
