//! The methods of the API, as its discovery document describes them, on one mailbox.

use base64::Engine;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::mailbox::{Mailbox, SYSTEM_LABELS, from_hex, hex};
use super::pages;

/// A call, taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) verb: String,
    /// The segments behind `users/me`.
    pub(crate) path: Vec<String>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Value,
    /// The method's name; empty when there is none.
    pub(crate) method: &'static str,
}

/// An answer; `Null` is an empty one.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Value,
    /// Seconds for a `Retry-After` field.
    pub(crate) retry_after: Option<u64>,
}

impl Reply {
    pub(crate) const fn ok(body: Value) -> Self {
        Self { status: 200, body, retry_after: None }
    }

    /// An error in Google's own shape.
    pub(crate) fn error(status: u16, domain: &str, reason: &str, message: &str) -> Self {
        let name = match status {
            400 => "INVALID_ARGUMENT",
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            409 => "ABORTED",
            429 => "RESOURCE_EXHAUSTED",
            503 => "UNAVAILABLE",
            _ => "INTERNAL",
        };
        let errors = json!([{"message": message, "domain": domain, "reason": reason}]);
        let body = json!({"error": {"code": status, "message": message, "errors": errors, "status": name}});
        Self { status, body, retry_after: None }
    }

    pub(crate) fn not_found() -> Self {
        Self::error(404, "global", "notFound", "Requested entity was not found.")
    }

    fn invalid(message: &str) -> Self {
        Self::error(400, "global", "invalidArgument", message)
    }
}

impl Call {
    pub(crate) fn new(verb: &str, target: &str, body: &[u8]) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let inner = path.trim_start_matches("/upload").strip_prefix("/gmail/v1/users/").unwrap_or_default();
        let path: Vec<String> = inner.split('/').skip(1).map(decoded).collect();
        let method = method(verb, &path.iter().map(String::as_str).collect::<Vec<_>>());
        let body = serde_json::from_slice(body).unwrap_or(Value::Null);
        Self { verb: verb.to_owned(), path, query: form(query), body, method }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.query.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
    }

    pub(crate) fn has_pages(&self) -> bool {
        self.verb == "GET"
            && self.path.len() == 1
            && self.method.ends_with(".list")
            && self.method != "labels.list"
    }

    fn id(&self) -> Option<u64> {
        self.path.get(1).and_then(|text| from_hex(text))
    }

    fn names(&self, field: &str) -> Vec<String> {
        let all = self.body[field].as_array();
        all.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// The bytes of a message that came with the call.
    fn raw(&self, message: &Value) -> Option<Vec<u8>> {
        let text = message["raw"].as_str()?;
        URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
    }
}

fn method(verb: &str, path: &[&str]) -> &'static str {
    match (verb, path) {
        ("GET", ["profile"]) => "getProfile",
        ("GET", ["messages"]) => "messages.list",
        ("POST", ["messages"]) => "messages.insert",
        ("POST", ["messages", "import"]) => "messages.import",
        ("POST", ["messages", "batchModify"]) => "messages.batchModify",
        ("GET", ["messages", _]) => "messages.get",
        ("DELETE", ["messages", _]) => "messages.delete",
        ("POST", ["messages", _, "modify"]) => "messages.modify",
        ("POST", ["messages", _, "trash"]) => "messages.trash",
        ("POST", ["messages", _, "untrash"]) => "messages.untrash",
        ("GET", ["labels"]) => "labels.list",
        ("POST", ["labels"]) => "labels.create",
        ("GET", ["labels", _]) => "labels.get",
        ("PUT", ["labels", _]) => "labels.update",
        ("PATCH", ["labels", _]) => "labels.patch",
        ("DELETE", ["labels", _]) => "labels.delete",
        ("GET", ["history"]) => "history.list",
        ("GET", ["drafts"]) => "drafts.list",
        ("POST", ["drafts"]) => "drafts.create",
        ("POST", ["drafts", "send"]) => "drafts.send",
        ("GET", ["drafts", _]) => "drafts.get",
        ("PUT", ["drafts", _]) => "drafts.update",
        ("DELETE", ["drafts", _]) => "drafts.delete",
        ("GET", ["threads", _]) => "threads.get",
        _ => "",
    }
}

/// Pairs of a query or a form.
pub(crate) fn form(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(key, value)| (decoded(key), decoded(value)))
        .collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits = [rest.next().unwrap_or(b'0'), rest.next().unwrap_or(b'0')];
                let digits = std::str::from_utf8(&digits).unwrap_or("3f");
                bytes.push(u8::from_str_radix(digits, 16).unwrap_or(b'?'));
            }
            b'+' => bytes.push(b' '),
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Mailbox {
    /// Does what a call asks for.
    pub(crate) fn call(&mut self, call: &Call) -> Reply {
        match call.method {
            "getProfile" => self.profile(),
            "messages.list" => pages::messages(self, call),
            "history.list" => pages::history(self, call),
            "drafts.list" => pages::drafts(self, call),
            "messages.insert" | "messages.import" => self.insert(call),
            "messages.batchModify" => self.batch_modify(call),
            "messages.get" => self.on_message(call, |mailbox, id| mailbox.shown(id, call)),
            "messages.modify" => self.modify_one(call),
            "messages.trash" => self.on_message(call, |mailbox, id| {
                mailbox.trash(id);
                mailbox.brief(id)
            }),
            "messages.untrash" => self.on_message(call, |mailbox, id| {
                mailbox.modify(id, &[], &["TRASH".to_owned()]);
                mailbox.brief(id)
            }),
            "messages.delete" => self.on_message(call, |mailbox, id| {
                mailbox.delete(id);
                Reply { status: 204, body: Value::Null, retry_after: None }
            }),
            name if name.starts_with("labels.") => self.labels_call(call),
            "drafts.send" => self.send_call(call),
            name if name.starts_with("drafts.") => self.drafts_call(call),
            "threads.get" => self.thread(call),
            _ => Reply::not_found(),
        }
    }

    fn profile(&self) -> Reply {
        let threads: std::collections::BTreeSet<_> = self.messages.values().map(|m| m.thread).collect();
        Reply::ok(json!({
            "emailAddress": self.address, "messagesTotal": self.messages.len(), "threadsTotal": threads.len(),
            "historyId": self.history_id.to_string(),
        }))
    }

    fn on_message(&mut self, call: &Call, act: impl FnOnce(&mut Self, u64) -> Reply) -> Reply {
        match call.id() {
            None => Reply::invalid("Invalid id value"),
            Some(id) if self.messages.contains_key(&id) => act(self, id),
            Some(_) => Reply::not_found(),
        }
    }

    /// A message with what the format asks for.
    fn shown(&self, id: u64, call: &Call) -> Reply {
        let message = &self.messages[&id];
        let mut body = self.brief(id).body;
        let padded = id.is_multiple_of(2);
        body["snippet"] = json!("");
        body["sizeEstimate"] = json!(message.raw.len());
        body["historyId"] = json!(message.history_id.to_string());
        body["internalDate"] = json!(message.internal_date.to_string());
        match call.get("format").unwrap_or("full") {
            // Google pads, and clients must not count on it.
            "raw" if padded => body["raw"] = json!(URL_SAFE.encode(&message.raw)),
            "raw" => body["raw"] = json!(URL_SAFE_NO_PAD.encode(&message.raw)),
            "minimal" => {}
            "metadata" | "full" => body["payload"] = json!({"headers": headers(&message.raw, call)}),
            _ => return Reply::invalid("Invalid format value"),
        }
        Reply::ok(body)
    }

    fn brief(&self, id: u64) -> Reply {
        let message = &self.messages[&id];
        Reply::ok(json!({"id": hex(id), "threadId": hex(message.thread), "labelIds": message.labels}))
    }

    fn insert(&mut self, call: &Call) -> Reply {
        let Some(raw) = call.raw(&call.body) else {
            return Reply::invalid("'raw' RFC822 payload message string required");
        };
        let labels = call.names("labelIds");
        if let Some(unknown) = labels.iter().find(|label| !self.knows_label(label)) {
            return Reply::invalid(&format!("Invalid label: {unknown}"));
        }
        let thread = call.body["threadId"].as_str().and_then(from_hex);
        let id = self.add(&raw, &labels.iter().map(String::as_str).collect::<Vec<_>>(), thread);
        self.brief(id)
    }

    /// Why these labels cannot be put on or taken off.
    fn refusal(&self, labels: &[String]) -> Option<Reply> {
        let fixed = |label: &String| SYSTEM_LABELS.iter().any(|(name, may)| name == label && !may);
        let wrong = labels.iter().find(|label| fixed(label) || !self.knows_label(label))?;
        Some(Reply::error(400, "global", "invalidArgument", &format!("Invalid label: {wrong}")))
    }

    fn modify_one(&mut self, call: &Call) -> Reply {
        let (add, remove) = (call.names("addLabelIds"), call.names("removeLabelIds"));
        self.on_message(call, |mailbox, id| {
            if let Some(refusal) = mailbox.refusal(&[add.clone(), remove.clone()].concat()) {
                return refusal;
            }
            mailbox.modify(id, &add, &remove);
            mailbox.brief(id)
        })
    }

    /// Says nothing of messages that are not there, as Google does.
    fn batch_modify(&mut self, call: &Call) -> Reply {
        let (add, remove) = (call.names("addLabelIds"), call.names("removeLabelIds"));
        let ids = call.names("ids");
        if ids.len() > 1000 {
            return Reply::invalid("Too many ids");
        }
        if let Some(refusal) = self.refusal(&[add.clone(), remove.clone()].concat()) {
            return refusal;
        }
        for id in ids.iter().filter_map(|id| from_hex(id)) {
            self.modify(id, &add, &remove);
        }
        Reply { status: 204, body: Value::Null, retry_after: None }
    }

    fn label_shown(&self, id: &str) -> Value {
        let system = SYSTEM_LABELS.iter().any(|(name, _)| *name == id);
        let kind = if system { "system" } else { "user" };
        let mut shown = self.labels.get(id).cloned().unwrap_or_default();
        shown.insert("id".to_owned(), json!(id));
        shown.insert("name".to_owned(), json!(self.label_name(id)));
        shown.insert("type".to_owned(), json!(kind));
        Value::Object(shown)
    }

    fn labels_call(&mut self, call: &Call) -> Reply {
        let id = call.path.get(1).cloned().unwrap_or_default();
        if !id.is_empty() && !self.knows_label(&id) {
            return Reply::not_found();
        }
        let name = call.body["name"].as_str();
        let taken = || Reply::error(409, "global", "aborted", "Label name exists or conflicts");
        match call.method {
            "labels.list" => {
                let system = SYSTEM_LABELS.iter().map(|(name, _)| self.label_shown(name));
                let all: Vec<_> = system.chain(self.labels.keys().map(|id| self.label_shown(id))).collect();
                Reply::ok(json!({ "labels": all }))
            }
            "labels.get" => Reply::ok(self.label_shown(&id)),
            "labels.create" => match name.map(|name| self.create_label(name)) {
                None => Reply::invalid("Invalid label name"),
                Some(None) => taken(),
                Some(Some(id)) => Reply::ok(self.label_shown(&id)),
            },
            _ if !self.labels.contains_key(&id) => Reply::invalid("Invalid delete request"),
            "labels.delete" => {
                self.delete_label(&id);
                Reply { status: 204, body: Value::Null, retry_after: None }
            }
            _ if name.is_some_and(|name| !self.rename_label(&id, name)) => taken(),
            _ => Reply::ok(self.label_shown(&id)),
        }
    }

    fn send_call(&mut self, call: &Call) -> Reply {
        let id = call.body["id"].as_str().unwrap_or_default();
        match self.send(id) {
            Some(message) => self.brief(message),
            None => Reply::not_found(),
        }
    }

    fn drafts_call(&mut self, call: &Call) -> Reply {
        let id = call.path.get(1).cloned().unwrap_or_default();
        if !id.is_empty() && !self.drafts.contains_key(&id) {
            return Reply::not_found();
        }
        match call.method {
            "drafts.create" | "drafts.update" => {
                let message = &call.body["message"];
                let Some(raw) = call.raw(message) else { return Reply::invalid("Message raw required") };
                let thread = message["threadId"].as_str().and_then(from_hex);
                let id = self.draft((!id.is_empty()).then_some(id.as_str()), &raw, thread);
                self.draft_shown(&id, None)
            }
            "drafts.delete" => {
                let message = self.drafts[&id];
                self.delete(message);
                Reply { status: 204, body: Value::Null, retry_after: None }
            }
            _ => self.draft_shown(&id, Some(call)),
        }
    }

    fn draft_shown(&self, id: &str, call: Option<&Call>) -> Reply {
        let message = self.drafts[id];
        let shown = call.map_or_else(|| self.brief(message), |call| self.shown(message, call));
        Reply { body: json!({"id": id, "message": shown.body}), ..shown }
    }

    fn thread(&self, call: &Call) -> Reply {
        let Some(id) = call.id() else { return Reply::invalid("Invalid id value") };
        let of_thread = self.messages.values().filter(|message| message.thread == id);
        let messages: Vec<_> = of_thread.map(|message| self.shown(message.id, call).body).collect();
        if messages.is_empty() {
            return Reply::not_found();
        }
        Reply::ok(json!({"id": hex(id), "historyId": self.history_id.to_string(), "messages": messages}))
    }
}

/// The fields that were asked for, or all.
fn headers(raw: &[u8], call: &Call) -> Vec<Value> {
    let wanted = call.all("metadataHeaders");
    let text = String::from_utf8_lossy(raw);
    let header =
        text.split("\r\n\r\n").next().unwrap_or_default().replace("\r\n ", " ").replace("\r\n\t", " ");
    header
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|w| w.eq_ignore_ascii_case(name)))
        .map(|(name, value)| json!({"name": name, "value": value.trim()}))
        .collect()
}
