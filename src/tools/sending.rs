//! What the tools that ask to send share: they write a draft, propose it, and tell what became of it. None of them
//! decides, and none of them sends.

use serde_json::{Map, Value, json};

use crate::drafts::{DraftError, NewAttachment, NewDraft, read_address};
use crate::model::{Channel, ItemState};
use crate::outbox::propose::{OutboxError, Proposals, Proposed as NewlyProposed, Request, Status};
use crate::query::iso_date;
use crate::text_safety::one_line;
use crate::tools::text::{server_words, shortened};
use crate::tools::{Argument, Arguments, ErrorKind, Proposed, Reply, ToolContext, ToolError};

/// What is said of an item that waits for the owner.
const WAITS: &str = "Not sent yet: waits for the owner's approval. Do not send it again.";

/// So many characters of a text are shown beside a call.
const LONGEST_SHOWN: usize = 4_000;

/// So many characters of a text that is no mail stand in its status.
const LONGEST_PREVIEW: usize = 200;

/// Files to attach, as `core` takes them.
pub(super) const ATTACHMENTS: Argument = Argument::objects(
    "attachments",
    &["name", "content_base64", "path", "email_id", "part"],
    0,
    "Each {name, content_base64}, {path} or {email_id, part}.",
);

/// The same where a tool stands beside `send_email`.
pub(super) const FILES: Argument = ATTACHMENTS.described("As in send_email.");

/// How something is asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Asking<'a> {
    /// The caller's own name for the request.
    pub(super) key: Option<&'a str>,
    /// Whether it may go to some recipients when others are refused.
    pub(super) may_be_partial: bool,
}

/// An item that was asked for.
pub(super) struct Asked {
    /// What is known about it.
    pub(super) status: Status,
    /// Whether it was there before.
    pub(super) is_duplicate: bool,
}

/// Writes a draft and asks to send it. What cannot be proposed leaves no draft behind.
pub(super) fn write_and_propose(
    context: &ToolContext,
    new: &NewDraft,
    asking: &Asking<'_>,
) -> Result<Asked, ToolError> {
    let draft = context.drafts().create(new)?;
    let id = draft.id.to_string();
    let asked = propose(context, &id, asking, true);
    if asked.is_err() {
        let _ = context.drafts().delete(&id);
    }
    asked
}

/// Asks to send a draft that is there.
pub(super) fn propose_draft(
    context: &ToolContext,
    id: &str,
    asking: &Asking<'_>,
) -> Result<Asked, ToolError> {
    let known = context.drafts().get(id);
    known.map_err(|error| unknown_draft(error, id))?;
    propose(context, id, asking, false)
}

fn propose(context: &ToolContext, id: &str, asking: &Asking<'_>, is_new: bool) -> Result<Asked, ToolError> {
    let request = Request { may_be_partial: asking.may_be_partial, is_new, ..request(context, asking.key) };
    asked(context, |outbox| outbox.propose(id, &request))
}

/// Asks for something that is no draft.
pub(super) fn propose_with(
    context: &ToolContext,
    key: Option<&str>,
    ask: impl FnOnce(&Proposals, &Request) -> Result<NewlyProposed, OutboxError>,
) -> Result<Asked, ToolError> {
    let request = request(context, key);
    asked(context, |outbox| ask(outbox, &request))
}

/// Who asks, and under which name.
fn request(context: &ToolContext, key: Option<&str>) -> Request {
    let caller = context.caller();
    Request {
        client: Some(caller.client.clone().unwrap_or_else(|| "an unnamed client".to_owned())),
        profile: Some(caller.profile.clone()),
        tool: Some(caller.tool.to_owned()),
        idempotency_key: key.map(str::to_owned),
        records: context.records().clone(),
        ..Request::default()
    }
}

fn asked(
    context: &ToolContext,
    ask: impl FnOnce(&Proposals) -> Result<NewlyProposed, OutboxError>,
) -> Result<Asked, ToolError> {
    let proposals = context.proposals()?;
    let proposed = ask(&proposals)?;
    let id = proposed.item.draft.id.to_string();
    if proposed.item.draft.state == ItemState::Approved && !proposed.is_duplicate {
        context.send_now(&id);
    }
    Ok(Asked { status: proposals.status(&id)?, is_duplicate: proposed.is_duplicate })
}

fn unknown_draft(error: DraftError, id: &str) -> ToolError {
    match error {
        DraftError::UnknownDraft { .. } => ToolError::not_found(format!("Draft not found: {}", one_line(id)))
            .with_hint("list_drafts shows the drafts there are"),
        other => other.into(),
    }
}

/// What is known about an item, by its id, its code or its Message-ID.
pub(super) fn status(context: &ToolContext, id: &str) -> Result<Status, ToolError> {
    let unknown = || {
        ToolError::not_found(format!("Nothing was proposed as {}", one_line(&shortened(id, 200))))
            .with_hint("take the id that the send answered; list_drafts shows drafts that were not proposed")
    };
    match context.proposals()?.status(id) {
        Err(OutboxError::UnknownItem { .. }) => Err(unknown()),
        other => Ok(other?),
    }
}

/// What is said of it to the model.
pub(super) fn message(context: &ToolContext, status: &Status) -> String {
    let changed =
        if status.owners_changes().is_some() { " The owner changed it: see changes_by_owner." } else { "" };
    format!("{}{changed}", state_message(context, status))
}

fn state_message(context: &ToolContext, status: &Status) -> String {
    let reason = status.item.reason.as_deref().map(server_words);
    let because = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    match status.item.draft.state {
        ItemState::Draft => "A draft. Nobody was asked to send it.".to_owned(),
        ItemState::PendingApproval if context.page().is_some() => WAITS.to_owned(),
        ItemState::PendingApproval => {
            format!("{WAITS} The owner decides with `mailkeep open` or `mailkeep outbox review`.")
        }
        ItemState::Approved => format!("Approved, not sent yet{because}. Do not send it again."),
        ItemState::Sending => "It is being sent. Do not send it again.".to_owned(),
        ItemState::Sent => sent_message(status),
        ItemState::Failed => format!("Not sent{because}."),
        ItemState::Unknown => {
            format!("It may have left, and nobody can say{because}. Do not send it again: the owner decides.")
        }
        ItemState::Rejected => format!("Not sent: the owner said no{because}."),
        ItemState::Withdrawn => "Taken back; it was not sent.".to_owned(),
        ItemState::Cancelled => format!("Not sent: the owner took it back{because}."),
        ItemState::Expired => "Not sent: nobody decided in time.".to_owned(),
    }
}

fn sent_message(status: &Status) -> String {
    let told: Vec<_> = status
        .deliveries
        .iter()
        .filter(|delivery| delivery.status.name() != "sent")
        .map(|delivery| {
            let detail = delivery.detail.as_deref().map(server_words);
            let detail = detail.map(|detail| format!(" ({detail})")).unwrap_or_default();
            format!("{} {}{detail}", one_line(&delivery.recipient), delivery.status.name())
        })
        .collect();
    if told.is_empty() { "Sent.".to_owned() } else { format!("Sent; {}.", told.join("; ")) }
}

/// What is added to a document's own fields: where the item is, and what compares it.
pub(super) fn additions(context: &ToolContext, asked: &Asked) -> Map<String, Value> {
    let status = &asked.status;
    let mut added = Map::new();
    let mut put = |name: &str, value: Value| added.insert(name.to_owned(), value);
    put("status", json!(status.answer()));
    put("code", json!(status.item.code.to_string()));
    put("message", json!(message(context, status)));
    if let Some(page) = page(context, status) {
        put("approvalUrl", json!(page));
    }
    if let Some(changes) = status.owners_changes() {
        put("changes_by_owner", json!(changes));
    }
    if asked.is_duplicate {
        put("duplicate_of", json!(status.item.draft.id.to_string()));
    }
    added
}

/// Where the person decides about an item, while they are asked and there is such a place.
fn page(context: &ToolContext, status: &Status) -> Option<String> {
    let is_asked = status.item.draft.state == ItemState::PendingApproval;
    context.page().filter(|_| is_asked).map(|page| format!("{page}/{}", status.item.draft.id))
}

/// What an answer is about.
pub(super) fn proposed(context: &ToolContext, status: &Status) -> Proposed {
    let (id, state) = (status.item.draft.id.to_string(), status.item.draft.state);
    Proposed { id, state, page: page(context, status) }
}

/// What `core` says of an item.
pub(super) fn item_json(context: &ToolContext, asked: &Asked) -> Value {
    let item = &asked.status.item;
    let shown = |list: &[crate::model::Address]| list.iter().map(|to| to.shown()).collect::<Vec<_>>();
    let recipients = &item.draft.recipients;
    let mut value = json!({
        "id": item.draft.id.to_string(), "account": item.draft.account, "message_id": item.draft.message_id,
        "to": shown(&recipients.to), "subject": item.draft.subject, "revision": item.draft.revision,
    });
    for (name, list) in [("cc", &recipients.cc), ("bcc", &recipients.bcc)] {
        if !list.is_empty() {
            value[name] = json!(shown(list));
        }
    }
    if item.channel != Channel::Mail {
        value["channel"] = json!(item.channel.name());
        value["text"] = json!(shortened(&item.draft.body, LONGEST_PREVIEW));
        if let Some(id) = asked.status.remote_ids.first() {
            value["message_id"] = json!(id);
        }
    }
    if !item.draft.attachments.is_empty() {
        let names: Vec<_> = item.draft.attachments.iter().map(|file| &file.name).collect();
        value["attachments"] = json!(names);
    }
    for (name, word) in additions(context, asked) {
        value[name] = word;
    }
    value
}

/// The same with everything that happened to it.
pub(super) fn status_json(context: &ToolContext, status: Status) -> Value {
    let asked = Asked { status, is_duplicate: false };
    let mut value = item_json(context, &asked);
    let status = &asked.status;
    if let Some(reason) = &status.item.reason {
        value["reason"] = json!(server_words(reason));
    }
    if let Some(code) = &status.item.error_code {
        value["error_code"] = json!(code);
    }
    if let Some(sent) = status.item.sent {
        value["sent_at"] = json!(iso_date(sent));
    }
    if !status.attempts.is_empty() {
        value["attempts"] = json!(status.attempts.len());
    }
    let recipients = status.deliveries.iter().map(|delivery| {
        let detail = delivery.detail.as_deref().map(server_words);
        json!({ "address": delivery.recipient, "status": delivery.status.name(), "detail": detail })
    });
    value["recipients"] = json!(recipients.collect::<Vec<_>>());
    value
}

/// The schema of what `core` says of an item.
pub(super) fn item_schema() -> Value {
    let (text, texts) =
        (json!({ "type": "string" }), json!({ "type": "array", "items": { "type": "string" } }));
    let number = json!({ "type": "integer" });
    json!({ "type": "object", "properties": {
        "id": text, "code": text, "status": text, "message": text, "account": text, "message_id": text,
        "approvalUrl": text, "duplicate_of": text, "to": texts, "cc": texts, "bcc": texts, "subject": text,
        "channel": text, "text": text, "attachments": texts, "revision": number, "reason": text, "changes_by_owner": text, "error_code": text, "sent_at": text,
        "attempts": number, "recipients": { "type": "array", "items": { "type": "object" } },
    }, "required": ["id", "status", "message"] })
}

/// What the tool of another channel says of an item: its id there under this name, and the usual additions.
pub(super) fn told_on_channel(
    context: &ToolContext,
    asked: &Asked,
    id_name: &str,
) -> Result<Reply, ToolError> {
    if let Some(error) = failure(context, asked) {
        return Err(error);
    }
    let item = &asked.status.item;
    let mut answer = json!({
        "id": item.draft.id.to_string(), "sent_at": item.sent.map(iso_date).unwrap_or_default(),
    });
    answer[id_name] = json!(asked.status.remote_ids.first().map(String::as_str).unwrap_or_default());
    for (name, value) in additions(context, asked) {
        answer[name] = value;
    }
    Ok(Reply::object(answer).with_proposed(proposed(context, &asked.status)))
}

/// The schema of that.
pub(super) fn channel_schema(id_name: &str) -> Value {
    let text = json!({ "type": "string" });
    let mut properties = json!({
        "status": text, "id": text, "sent_at": text, "code": text, "message": text, "approvalUrl": text,
        "duplicate_of": text,
    });
    properties[id_name] = text;
    json!({ "type": "object", "properties": properties, "required": ["status", id_name] })
}

/// The answer of `core` about an item: its text is the JSON.
pub(super) fn reply(context: &ToolContext, asked: &Asked) -> Reply {
    let reply = Reply::object(item_json(context, asked)).with_proposed(proposed(context, &asked.status));
    with_text(context, reply, &asked.status)
}

/// Everything that is known about an item, as an answer.
pub(super) fn status_reply(context: &ToolContext, status: Status) -> Reply {
    let (asked, shown) = (status.clone(), status_json(context, status));
    with_text(context, Reply::object(shown), &asked)
}

/// Adds the text as it would leave, for the page that a client shows beside the call; models read what they wrote
/// anyway, so it stands apart.
fn with_text(context: &ToolContext, reply: Reply, status: &Status) -> Reply {
    if !context.caller().shows_app {
        return reply;
    }
    let body = &status.item.draft.body;
    let text: String = body.chars().take(LONGEST_SHOWN).collect();
    let more = body.chars().count() - text.chars().count();
    reply.with_meta("mailkeep/proposal", json!({ "text": text, "more": more }))
}

/// The files that a call brings, as `core` names them.
pub(super) fn attachments(arguments: &Arguments) -> Result<Vec<NewAttachment>, ToolError> {
    arguments.objects(&ATTACHMENTS).map(attachment).collect()
}

fn attachment(given: &Map<String, Value>) -> Result<NewAttachment, ToolError> {
    let text = |name: &str| given.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    match (text("content_base64"), text("path"), text("email_id")) {
        (Some(content), None, None) => Ok(NewAttachment::Base64 {
            name: text("name").ok_or_else(|| incomplete("`content_base64` needs a `name`"))?.to_owned(),
            content_type: None,
            content: content.to_owned(),
        }),
        (None, Some(path), None) => Ok(NewAttachment::File { path: path.into() }),
        (None, None, Some(message)) => Ok(NewAttachment::Part {
            message: message.to_owned(),
            part: text("part").ok_or_else(|| incomplete("`email_id` needs a `part`"))?.to_owned(),
        }),
        _ => Err(incomplete("each needs one of `content_base64`, `path`, `email_id`")),
    }
}

fn incomplete(problem: &str) -> ToolError {
    ToolError::invalid("attachments", format!("`attachments`: {problem}"))
}

/// The error that a document's tool gives where sending at once did not succeed; `None` while it leaves, or did. What is
/// tried again in minutes or hours is an error of these too, and so is what nobody can say: they know nothing in between.
pub(super) fn failure(context: &ToolContext, asked: &Asked) -> Option<ToolError> {
    let status = &asked.status;
    if status.item.draft.state == ItemState::Unknown {
        let mut known = json!({ "id": status.item.draft.id.to_string(), "status": status.answer() });
        if asked.is_duplicate {
            known["duplicate_of"] = known["id"].clone();
        }
        return Some(ToolError::new(ErrorKind::OutcomeUnknown, message(context, status)).with_details(known));
    }
    let reason = status.item.reason.as_deref().map(server_words);
    let code = status.item.error_code.as_deref();
    let again = match status.item.draft.state {
        ItemState::Failed => "",
        ItemState::Approved if matches!(code, Some("NETWORK_ERROR" | "SMTP_ERROR" | "AUDIT_FAILED")) => {
            TRIED_AGAIN
        }
        _ => return None,
    };
    let (kind, usual) = match code {
        Some("AUTH_FAILED") => (ErrorKind::AuthRequired, "the server refused the sign-in"),
        Some("NETWORK_ERROR") => (ErrorKind::Unavailable, "the server could not be reached"),
        _ => (ErrorKind::SendFailed, "the server refused it"),
    };
    Some(ToolError::new(kind, format!("{}{again}", reason.unwrap_or_else(|| usual.to_owned()))))
}

/// Said behind the reason why something has not left yet.
const TRIED_AGAIN: &str =
    ". Not sent yet: mailkeep tries it again by itself for a day. The same again is the same item.";

/// Writes from the account or alias that is named, or from the usual one, and asks to send it.
pub(super) fn write_from(
    context: &mut ToolContext,
    from: Option<&str>,
    new: NewDraft,
    asking: &Asking<'_>,
) -> Result<Asked, ToolError> {
    let named = from.map(|from| read_address("from", from)).transpose()?;
    let accounts = context.archive()?.accounts()?;
    let of = |address: &str| accounts.iter().find(|it| it.address.eq_ignore_ascii_case(address)).cloned();
    let usual = context.sender().map(str::to_owned);
    let own = named.as_ref().and_then(|named| of(&named.address));
    let account = match (own, &named) {
        (Some(account), _) => account.address,
        // An alias: of the usual account, or else of the one that allows it.
        (None, Some(named)) => {
            let holder = |address: &str| context.drafts().may_be_from(address, &named.address);
            let first = usual.iter().cloned().chain(accounts.iter().map(|it| it.address.clone()));
            let holds = first.into_iter().find(|address| holder(address));
            holds.map_or_else(|| usual_account(context, usual.as_deref()), Ok)?
        }
        (None, None) => usual_account(context, usual.as_deref())?,
    };
    let from = from.map(str::to_owned);
    write_and_propose(context, &NewDraft { account, from, ..new }, asking)
}

/// The account that mail leaves from. These tools name none, so only the owner can say which of several it is.
fn usual_account(context: &mut ToolContext, usual: Option<&str>) -> Result<String, ToolError> {
    context.account(usual).map(|account| account.address).map_err(|error| match error.kind {
        ErrorKind::AccountRequired => {
            let message = "There are several accounts, and nobody said which one mail leaves from.";
            ToolError::new(ErrorKind::AccountRequired, message)
                .with_hint("the user starts mailkeep with `--account ADDRESS`, or sets SMTP_USER")
        }
        _ => error,
    })
}

/// Whether a body is HTML and not a text that speaks of it: it has an element that is opened and closed.
pub(super) fn looks_like_html(body: &str) -> bool {
    const ELEMENTS: [&str; 22] = [
        "html",
        "body",
        "div",
        "p",
        "span",
        "table",
        "ul",
        "ol",
        "li",
        "a",
        "b",
        "i",
        "u",
        "strong",
        "em",
        "blockquote",
        "h1",
        "h2",
        "h3",
        "h4",
        "pre",
        "center",
    ];
    let text = body.to_ascii_lowercase();
    let opens = |element: &str| {
        text.match_indices(&format!("<{element}")).any(|(at, tag)| {
            text[at + tag.len()..].starts_with(|c: char| c == '>' || c == '/' || c.is_whitespace())
        })
    };
    text.trim_start().starts_with("<!doctype html")
        || ELEMENTS.iter().any(|element| text.contains(&format!("</{element}>")) && opens(element))
        || opens("br")
}

#[cfg(test)]
mod tests {
    use super::looks_like_html;

    #[test]
    fn html_is_told_from_text_that_has_brackets() {
        for html in
            ["<p>Hi</p>", "Hello <b>Bob</b>", "<!DOCTYPE html>\n<html>", "one<br>two", "<A HREF='x'>y</A>"]
        {
            assert!(looks_like_html(html), "{html}");
        }
        for text in ["", "a < b and b > c", "Bob <bob@example.org>", "use the <pre tag", "if x <p then", "<3"]
        {
            assert!(!looks_like_html(text), "{text}");
        }
    }
}
