//! Lists, page by page. A page token is a place in the list as it is now, so that whoever lists while things are
//! taken away misses something: clients must not count on more.

use serde_json::{Value, json};

use super::api::{Call, Reply};
use super::mailbox::{Event, Mailbox, Record, hex};

/// One page of a list; `wrap` makes an item of it.
fn page<T>((mailbox, call): (&Mailbox, &Call), all: &[T], name: &str, wrap: impl Fn(&T) -> Value) -> Reply {
    let size = call.get("maxResults").map_or(Some(100), |text| text.parse::<usize>().ok());
    let start = match call.get("pageToken") {
        None => Some(0),
        Some(token) => token.strip_prefix("page").and_then(|text| text.parse::<usize>().ok()),
    };
    let (Some(size), Some(start)) = (size, start) else {
        return Reply::error(400, "global", "invalidArgument", "Invalid pageToken");
    };
    let end = (start + size.clamp(1, mailbox.most_on_a_page)).min(all.len());
    let items: Vec<_> = all.get(start..end).unwrap_or_default().iter().map(wrap).collect();
    let mut body = json!({"resultSizeEstimate": all.len()});
    if !items.is_empty() {
        body[name] = json!(items);
    }
    if end < all.len() {
        body["nextPageToken"] = json!(format!("page{end}"));
    }
    Reply::ok(body)
}

pub(crate) fn messages(mailbox: &mut Mailbox, call: &Call) -> Reply {
    let wanted = call.get("q").and_then(|query| query.strip_prefix("rfc822msgid:"));
    let lags = wanted.is_some() && mailbox.search_lags > 0;
    if lags {
        mailbox.search_lags -= 1;
    }
    let mailbox = &*mailbox;
    let labels = call.all("labelIds");
    if let Some(unknown) = labels.iter().find(|label| !mailbox.knows_label(label)) {
        return Reply::error(400, "global", "invalidArgument", &format!("Invalid label: {unknown}"));
    }
    let hidden = |name: &str| call.get("includeSpamTrash") != Some("true") && !labels.contains(&name);
    let (no_spam, no_trash) = (hidden("SPAM"), hidden("TRASH"));
    let shown: Vec<_> = mailbox
        .newest_first()
        .into_iter()
        .filter(|message| labels.iter().all(|label| message.labels.contains(*label)))
        .filter(|message| wanted.is_none_or(|id| !lags && has_id(&message.raw, id)))
        .filter(|message| !(no_spam && message.labels.contains("SPAM")))
        .filter(|message| !(no_trash && message.labels.contains("TRASH")))
        .collect();
    page(
        (mailbox, call),
        &shown,
        "messages",
        |message| json!({"id": hex(message.id), "threadId": hex(message.thread)}),
    )
}

fn has_id(raw: &[u8], id: &str) -> bool {
    String::from_utf8_lossy(raw).contains(&format!("Message-ID: <{id}>"))
}

pub(crate) fn drafts(mailbox: &Mailbox, call: &Call) -> Reply {
    let wanted = call.get("q").and_then(|query| query.strip_prefix("rfc822msgid:"));
    let fits = |id: &u64| {
        let raw = mailbox.messages.get(id).map(|message| &message.raw);
        wanted.is_none_or(|wanted| raw.is_some_and(|raw| has_id(raw, wanted)))
    };
    let all: Vec<_> = mailbox.drafts.iter().filter(|(_, message)| fits(message)).collect();
    page((mailbox, call), &all, "drafts", |(id, message)| {
        let thread = mailbox.messages.get(message).map_or(**message, |message| message.thread);
        json!({"id": id, "message": {"id": hex(**message), "threadId": hex(thread)}})
    })
}

pub(crate) fn history(mailbox: &Mailbox, call: &Call) -> Reply {
    let Some(start) = call.get("startHistoryId").and_then(|text| text.parse::<u64>().ok()) else {
        return Reply::error(400, "global", "invalidArgument", "Missing/invalid parameter: startHistoryId");
    };
    if start <= mailbox.forgotten {
        return Reply::not_found();
    }
    let kinds = call.all("historyTypes");
    let label = call.get("labelId");
    let since: Vec<&Record> = mailbox
        .history
        .iter()
        .filter(|record| record.id > start)
        .filter(|record| kinds.is_empty() || kinds.contains(&record.event.kind()))
        .filter(|record| label.is_none_or(|label| record.labels.contains(label)))
        .collect();
    let mut reply = page((mailbox, call), &since, "history", |record| shown(record));
    if reply.status == 200 {
        reply.body.as_object_mut().unwrap().remove("resultSizeEstimate");
        reply.body["historyId"] = json!(mailbox.history_id.to_string());
    }
    reply
}

fn shown(record: &Record) -> Value {
    let (id, thread) = (hex(record.message), hex(record.thread));
    let brief = json!({"id": id, "threadId": thread});
    let message = json!({"id": id, "threadId": thread, "labelIds": record.labels});
    let mut shown = json!({"id": record.id.to_string(), "messages": [brief]});
    match &record.event {
        Event::Added => shown["messagesAdded"] = json!([{ "message": message }]),
        Event::Deleted => shown["messagesDeleted"] = json!([{ "message": message }]),
        Event::LabelsAdded(labels) => {
            shown["labelsAdded"] = json!([{"message": message, "labelIds": labels}]);
        }
        Event::LabelsRemoved(labels) => {
            shown["labelsRemoved"] = json!([{"message": message, "labelIds": labels}]);
        }
    }
    shown
}
