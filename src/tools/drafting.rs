//! What the draft and label tools of all profiles share.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};

use crate::drafts::{NewAttachment, NewDraft, ReplyTo};
use crate::labels::{LabelChange, LabelsChanged, ServerState, change_labels, server_state};
use crate::model::{AccountKey, Address, MessageKey};
use crate::query::{AccountInfo, Browse, DraftItem, Listing, Page, Summary};
use crate::text_safety::one_line;
use crate::tools::core::find_message;
use crate::tools::letter::Letter;
use crate::tools::text::{few_people, files, name, people, sender as shown_sender, server_words, shortened};
use crate::tools::{Pushed, ToolContext, ToolError};

/// What a text about a draft ends with in the words of the `assistant` profile's document.
const NOTE: &str = "Note: The user must manually review and send this draft from the mailkeep app or Gmail.";

/// A draft as a call asks for it.
#[derive(Default)]
pub(super) struct Writing<'a> {
    /// The account it leaves from; left out, the one of the message it answers, or the only one.
    pub(super) account: Option<&'a str>,
    /// An alias to write from.
    pub(super) from: Option<&'a str>,
    pub(super) to: Vec<String>,
    pub(super) cc: Vec<String>,
    pub(super) bcc: Vec<String>,
    pub(super) subject: &'a str,
    pub(super) body: &'a str,
    pub(super) html: Option<&'a str>,
    pub(super) attachments: Vec<NewAttachment>,
    pub(super) reply: Option<Answering<'a>>,
}

/// The message a draft answers.
#[derive(Clone, Copy)]
pub(super) struct Answering<'a> {
    /// Any id of it.
    pub(super) id: &'a str,
    /// Whether everybody who got it gets the answer.
    pub(super) all: bool,
}

/// Files a draft.
pub(super) fn create(context: &mut ToolContext, writing: Writing<'_>) -> Result<DraftItem, ToolError> {
    let new = new_draft(context, writing)?;
    let draft = context.drafts().create(&new)?;
    pushed_item(context, &draft.id.to_string())
}

/// What is to be written, with the account it leaves from.
pub(super) fn new_draft(context: &mut ToolContext, writing: Writing<'_>) -> Result<NewDraft, ToolError> {
    let (account, reply) = sender(context, writing.account, writing.reply)?;
    Ok(NewDraft {
        account: account.address,
        from: writing.from.map(str::to_owned),
        to: writing.to,
        cc: writing.cc,
        bcc: writing.bcc,
        subject: writing.subject.to_owned(),
        body: writing.body.to_owned(),
        html: writing.html.map(str::to_owned),
        attachments: writing.attachments,
        reply,
        ..NewDraft::default()
    })
}

/// The draft with this id, which was just written, after a moment in which its server may have got it.
pub(super) fn pushed_item(context: &mut ToolContext, id: &str) -> Result<DraftItem, ToolError> {
    let draft = item(context, id)?;
    if draft.server.is_none() {
        return Ok(draft);
    }
    let pushed = context.push(&draft.account);
    Ok(DraftItem { arrives: Some(pushed.when()), ..item(context, id)? })
}

/// The account a draft leaves from, and the message it answers.
fn sender(
    context: &mut ToolContext,
    account: Option<&str>,
    reply: Option<Answering<'_>>,
) -> Result<(AccountInfo, Option<ReplyTo>), ToolError> {
    let Some(Answering { id, all }) = reply else {
        let usual = context.sender().map(str::to_owned);
        return Ok((context.account(account.or(usual.as_deref()))?, None));
    };
    let scope = context.account_scope(account)?;
    let key = find_message(context, id, scope.named.as_ref())?;
    let account = context.account_of(key, scope.named.as_ref())?;
    let message = context.archive()?.read(key)?.id;
    Ok((account, Some(ReplyTo { message, all })))
}

/// The draft with this id.
pub(super) fn item(context: &mut ToolContext, id: &str) -> Result<DraftItem, ToolError> {
    find(context, id, None)?.ok_or_else(|| {
        ToolError::not_found(format!("Draft not found: {}", one_line(id)))
            .with_hint("list_drafts shows the drafts there are")
    })
}

/// The draft with this id, in the account where one is named; `None` when it is no draft's id.
pub(super) fn find(
    context: &mut ToolContext,
    id: &str,
    account: Option<&AccountInfo>,
) -> Result<Option<DraftItem>, ToolError> {
    let draft = context.archive()?.draft(id)?;
    Ok(draft.filter(|draft| account.is_none_or(|account| account.address == draft.account)))
}

/// A draft as `read_email` shows messages.
pub(super) fn letter(draft: &DraftItem) -> Letter {
    let copied = [("Cc", &draft.cc), ("Bcc", &draft.bcc)].into_iter().filter(|(_, list)| !list.is_empty());
    let copied: String = copied.map(|(name, list)| format!("{name}: {}\n", people(list))).collect();
    let thread = draft.thread.as_deref().unwrap_or_default();
    let subject = shortened(&one_line(&draft.subject), 1_000);
    let head = format!(
        "ID: {}\nThread ID: {thread}\nFrom: {}\nTo: {}\n{copied}Subject: {subject}\nDate: {}\nLabels: DRAFT\n",
        draft.id,
        sender_of(draft),
        people(&draft.to),
        draft.updated
    );
    let names = draft.attachments.iter().map(|file| name(&file.name)).collect::<Vec<_>>();
    let mut data = json!({
        "id": draft.id, "thread_id": thread, "account": draft.account, "subject": subject,
        "sender": sender_of(draft), "to": people(&draft.to), "cc": people(&draft.cc),
        "date": draft.updated, "has_attachments": !names.is_empty(), "attachment_names": names,
        "labels": ["DRAFT"],
    });
    if !draft.bcc.is_empty() {
        data["bcc"] = json!(people(&draft.bcc));
    }
    let attached = draft.attachments.iter();
    let files = files(
        attached.map(|file| (file.name.as_str(), (file.size.cast_signed(), file.content_type.as_str()))),
    );
    Letter { head, text: draft.body.clone(), files, data }
}

/// Who a draft is from, as senders of messages are shown.
fn sender_of(draft: &DraftItem) -> String {
    let Address { name, address } = Address::from_shown(&draft.from);
    shown_sender(&name, &address)
}

/// What is said about a draft that was just written: what it is, where it really is, and that it is not sent.
pub(super) fn confirmation(first_line: &str, draft: &DraftItem) -> String {
    let place = server_words(&draft.whereabouts());
    let note = format!(
        "It is {place}. The user sees it with `mailkeep drafts show {}` and decides about it; nothing was sent.",
        draft.id
    );
    described(first_line, draft, &note)
}

/// The same in the words of the `assistant` profile's document.
pub(super) fn documented_confirmation(first_line: &str, draft: &DraftItem) -> String {
    described(first_line, draft, NOTE)
}

fn described(first_line: &str, draft: &DraftItem, note: &str) -> String {
    let (to, subject) = (people(&draft.to), shortened(&one_line(&draft.subject), 300));
    format!("{first_line}\n\nDraft ID: {}\nTo: {to}\nSubject: {subject}\n\n{note}", draft.id)
}

/// A draft as data; its text is cut where it is long.
pub(super) fn draft_json(draft: &DraftItem, longest_body: usize) -> Value {
    let mut value = json!({
        "id": draft.id, "account": draft.account, "state": draft.state, "revision": draft.revision,
        "to": few_people(&draft.to).shown, "subject": shortened(&one_line(&draft.subject), 1_000),
        "updated": draft.updated, "body": shortened(&draft.body, longest_body),
    });
    for (name, list) in [("cc", &draft.cc), ("bcc", &draft.bcc)] {
        if !list.is_empty() {
            value[name] = json!(few_people(list).shown);
        }
    }
    let problem = draft.problem.as_deref().map(server_words);
    for (name, text) in [("reply_to_id", &draft.reply_to), ("server", &draft.server), ("problem", &problem)] {
        if let Some(text) = text {
            value[name] = json!(text);
        }
    }
    value
}

/// The schema of a draft.
pub(super) fn draft_schema() -> Value {
    let (text, texts) =
        (json!({ "type": "string" }), json!({ "type": "array", "items": { "type": "string" } }));
    json!({ "type": "object", "properties": {
        "id": text, "account": text, "state": text, "revision": { "type": "integer" }, "to": texts, "cc": texts,
        "bcc": texts, "subject": text, "body": text, "updated": text, "reply_to_id": text,
        "server": text, "problem": text,
    } })
}

/// Local drafts as a list of emails shows them, for the folder of drafts.
fn as_emails(
    context: &mut ToolContext,
    account: Option<&str>,
    page: Page,
) -> Result<Vec<Summary>, ToolError> {
    let drafts = context.archive()?.drafts(account, page)?;
    let summary = |draft: DraftItem| Summary {
        gone: None,
        id: draft.id,
        thread: draft.thread.unwrap_or_default(),
        account: draft.account.clone(),
        name: String::new(),
        address: draft.account,
        subject: one_line(&draft.subject),
        date: draft.updated,
        unread: false,
        starred: false,
        has_attachments: !draft.attachments.is_empty(),
        mailbox: "drafts".to_owned(),
        labels: Vec::new(),
        snippet: shortened(&one_line(&draft.body), 160),
        ..Summary::default()
    };
    Ok(drafts.items.into_iter().map(summary).collect())
}

/// The newest emails that fit; the folder of drafts begins with the drafts that were written here.
pub(super) fn browse(
    context: &mut ToolContext,
    account: Option<&str>,
    browse: &Browse,
    page: Page,
) -> Result<Listing, ToolError> {
    let drafts = browse.folder.as_deref().is_some_and(|folder| folder.eq_ignore_ascii_case("drafts"));
    if !drafts || browse.unread || browse.sender.is_some() {
        return Ok(context.archive()?.browse(browse, page)?);
    }
    let everything = Page { limit: page.offset + page.limit, offset: 0 };
    let mut items = as_emails(context, account, everything)?;
    // A draft is listed once, as the draft it is here, and not again as its copy on the server.
    let copies = copies(context, browse.account)?;
    let more_of_them = Page { limit: everything.limit + copies.len(), offset: 0 };
    let kept = context.archive()?.browse(browse, more_of_them)?;
    items.extend(kept.items.into_iter().filter(|item| !copies.contains(&item.id)));
    items.drain(..page.offset.min(items.len()));
    let more = kept.more || items.len() > page.limit;
    items.truncate(page.limit);
    Ok(Listing { items, more, withheld: kept.withheld })
}

/// The ids of messages that are copies of drafts, in one account or all.
fn copies(context: &mut ToolContext, account: Option<AccountKey>) -> Result<HashSet<String>, ToolError> {
    let archive = context.archive()?;
    let asked = archive.accounts()?.into_iter().filter(|one| account.is_none_or(|key| key == one.key));
    let mut copies = HashSet::new();
    for one in asked {
        copies.extend(archive.copies_of_drafts(one.key)?);
    }
    Ok(copies)
}

/// The rows of messages that are copies of drafts, in one account or all: they are no mail.
pub(super) fn copy_keys(
    context: &mut ToolContext,
    account: Option<AccountKey>,
) -> Result<HashSet<MessageKey>, ToolError> {
    let copies = copies(context, account)?;
    let archive = context.archive()?;
    Ok(copies.iter().filter_map(|id| archive.resolve(id).ok()).collect())
}

/// A change of labels as a call asks for it.
pub(super) struct LabelWish {
    pub(super) message: MessageKey,
    pub(super) account: AccountInfo,
    pub(super) add: Vec<String>,
    pub(super) remove: Vec<String>,
}

/// Changes labels.
pub(super) fn relabel(context: &mut ToolContext, wish: &LabelWish) -> Result<LabelsChanged, ToolError> {
    if wish.add.is_empty() && wish.remove.is_empty() {
        return Err(ToolError::invalid(
            "add_labels",
            "give at least one of `add_labels` and `remove_labels`",
        ));
    }
    let change = LabelChange {
        account: wish.account.address.clone(),
        message: context.archive()?.read(wish.message)?.id,
        add: wish.add.clone(),
        remove: wish.remove.clone(),
    };
    Ok(change_labels(context.home(), context.clock(), &change)?)
}

/// Has servers follow changed labels, each with the address of its account; what has become of each, as a sentence and as
/// a word, where there is a server.
pub(super) fn follow_labels(
    context: &ToolContext,
    changed: &[(&str, &LabelsChanged)],
) -> Result<Vec<Option<(String, &'static str)>>, ToolError> {
    let mut pushed = BTreeMap::new();
    for (account, _) in changed.iter().filter(|(_, changed)| changed.noted.is_some()) {
        pushed.entry(*account).or_insert_with(|| context.push(account));
    }
    let one = |(account, changed): &(&str, &LabelsChanged)| {
        let when = pushed.get(account).map(Pushed::when).unwrap_or_default();
        Ok(match server_state(context.home(), account, changed)? {
            ServerState::Nothing => None,
            ServerState::Made => Some(("Done on the server too.".to_owned(), "on_server")),
            ServerState::Waiting => {
                Some((format!("Not on the server yet: it gets there {when}."), "waiting"))
            }
            ServerState::Refused(reason) => {
                let reason = server_words(&reason);
                let text =
                    format!("The server did not make the change: {reason}. The next sync undoes it here.");
                Some((text, "refused"))
            }
        })
    };
    changed.iter().map(one).collect()
}

/// What is said about changed labels.
pub(super) fn labels_text(changed: &LabelsChanged) -> String {
    let mut text = format!("Labels updated for email {}:", changed.message);
    for (word, labels) in [("Added", &changed.added), ("Removed", &changed.removed)] {
        if !labels.is_empty() {
            text.push_str(&format!("\n{word}: {}", labels.join(", ")));
        }
    }
    text
}

/// The same as data.
pub(super) fn labels_json(changed: &LabelsChanged) -> Value {
    json!({ "id": changed.message, "added": changed.added, "removed": changed.removed, "created": changed.created,
        "waiting_for_sync": changed.waiting })
}

/// The schema of that data.
pub(super) fn labels_schema() -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    json!({ "type": "object", "properties": {
        "id": { "type": "string" }, "added": texts, "removed": texts, "created": texts, "waiting_for_sync": texts,
        "server": { "type": "string" },
    } })
}
