//! What happened to one item, in words, from the audit chain: who asked, who looked, who said what, what was tried.

use serde::Serialize;
use serde_json::Value;

use crate::model::{DraftId, ItemState};
use crate::outbox::OutboxError;
use crate::store::{Approval, AuditRow, Item, Reader};

/// Something that happened to an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Event {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// What, as a word for programs.
    pub kind: String,
    /// What, for people.
    pub words: String,
    /// The revision it was about.
    pub revision: Option<i64>,
}

/// Everything that happened to an item, in order.
pub fn of(reader: &Reader, item: DraftId) -> Result<Vec<Event>, OutboxError> {
    Ok(reader.audit_of(item)?.iter().map(event).collect())
}

/// How many seconds are left to take an approved item back; `None` when it is not approved, 0 when it may be leaving.
pub fn undo_left(reader: &Reader, item: &Item, now: i64) -> Result<Option<i64>, OutboxError> {
    let approval = reader.approval(item.draft.key, item.draft.revision)?;
    let approval = approval.filter(|_| item.draft.state == ItemState::Approved);
    // A clock that was put back gives nobody more time than there was.
    let left = |it: Approval| (it.send_after - now).clamp(0, it.send_after - it.epoch);
    Ok(approval.map(left))
}

fn event(row: &AuditRow) -> Event {
    let body: Value = serde_json::from_str(&row.body).unwrap_or_default();
    Event {
        at_ms: row.time_ms,
        words: words(&row.kind, &body),
        revision: body["revision"].as_i64(),
        kind: row.kind.clone(),
    }
}

fn words(kind: &str, body: &Value) -> String {
    let text = |name: &str| body[name].as_str().unwrap_or_default();
    let revision = body["revision"].as_i64().map(|it| format!(" revision {it}")).unwrap_or_default();
    let reason = if text("reason").is_empty() { String::new() } else { format!(": {}", text("reason")) };
    match kind {
        "proposed" => {
            let who =
                [text("client"), text("tool")].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>();
            let who = if who.is_empty() { "you".to_owned() } else { who.join(", ") };
            format!("proposed by {who},{revision}")
        }
        "looked" => format!("you saw{revision} ({})", text("door")),
        "edited" => format!("you changed it:{revision} ({})", text("door")),
        "approved" if text("door") == "rule" => {
            format!("approved by your rule `{}`,{revision}", text("factor"))
        }
        "approved" => format!("approved by you,{revision} ({}, {})", text("door"), text("factor")),
        "moved" => format!("you moved its note to Approved,{revision}{reason}"),
        "moved_back" => format!("you moved its note out of Approved,{revision}"),
        "rejected" => format!("rejected{reason}"),
        "cancelled" => format!("taken back by you{reason}"),
        "withdrawn" => format!("withdrawn by the assistant{reason}"),
        "expired" => "expired: nobody decided in time".to_owned(),
        "void" => format!("the yes does not hold any more{reason}"),
        "attempt" => format!("attempt to send{revision} by {}", text("route")),
        "dot" => "handed over: from here on it may have left".to_owned(),
        "put_off" => format!("not sent yet{reason}"),
        other => format!("{}{reason}", other.replace('_', " ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::words;

    #[test]
    fn what_happened_is_told_in_words() {
        for (kind, body, told) in [
            (
                "proposed",
                json!({"revision": 1, "client": "claude", "tool": "send_email"}),
                "proposed by claude, send_email, revision 1",
            ),
            (
                "approved",
                json!({"revision": 2, "door": "page", "factor": "pin"}),
                "approved by you, revision 2 (page, pin)",
            ),
            (
                "approved",
                json!({"revision": 2, "door": "rule", "factor": "send = \"direct\""}),
                "approved by your rule `send = \"direct\"`, revision 2",
            ),
            ("rejected", json!({"revision": 2, "reason": "not now"}), "rejected: not now"),
            ("something_new", json!({}), "something new"),
        ] {
            assert_eq!(words(kind, &body), told);
        }
    }
}
