//! What there is and what has happened: messages, labels, history.

use std::collections::HashSet;

use crate::source::SourceError;
use crate::source::gmail::GmailSource;
use crate::source::gmail::labels::LabelNames;
use crate::source::gmail::session::Ask;
use crate::wire::gmail::{
    GmailLabel, GmailMethod, HistoryPage, HistoryRecord, LabelList, MessageId, MessagePage, Problem,
    ProblemKind, parse_id, written_id,
};
use crate::wire::http::HttpRequest;

/// The most that a page may hold.
const PAGE: usize = 500;

/// What has happened since a point.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// Where to go on: everything up to here is told, and perhaps more.
    pub newest: u64,
    /// What has happened, in order; perhaps more than once.
    pub events: Vec<Event>,
}

/// Something that happened to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The message.
    pub message: u64,
    /// What.
    pub what: What,
}

/// What happened to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// It came.
    Added,
    /// It was deleted for good.
    Deleted,
    /// Labels were put on.
    Labelled(Vec<String>),
    /// Labels were taken off.
    Unlabelled(Vec<String>),
}

impl GmailSource<'_> {
    /// The names of all labels. Gmail's own are called as their ids.
    pub fn labels(&mut self) -> Result<LabelNames, SourceError> {
        let list: Result<LabelList, Problem> = self.get(GmailMethod::ListLabels, "labels")?;
        let list = list.map_err(|problem| self.refused(GmailMethod::ListLabels, &problem))?;
        let name = |label: &GmailLabel| match label.kind == "system" || label.name.is_empty() {
            true => label.id.clone(),
            false => label.name.clone(),
        };
        let names: LabelNames = list.labels.iter().map(|label| (label.id.clone(), name(label))).collect();
        match names.contains_key("INBOX") {
            true => Ok(names),
            false => Err(self.protocol_error("its list of labels has no INBOX")),
        }
    }

    /// Makes a label; gives its id. `None` when Gmail does not want it, and why.
    pub fn create_label(&mut self, name: &str) -> Result<Result<String, String>, SourceError> {
        let body = serde_json::json!({ "name": name }).to_string();
        let url = self.url("labels");
        let request = Box::new(move || HttpRequest::post(url.clone(), "application/json", body.clone()));
        let ask = Ask { method: GmailMethod::CreateLabel, count: 1, request };
        let made: Result<GmailLabel, Problem> = self.read(&ask)?;
        Ok(made.map(|label| label.id).map_err(|problem| problem.message))
    }

    /// All messages, newest first, or those with a label; none when the label is gone.
    pub fn messages(&mut self, label: Option<&str>) -> Result<Vec<u64>, SourceError> {
        let label = label.map_or_else(String::new, |label| format!("&labelIds={}", in_query(label)));
        self.whole(|source| source.list_messages(&label))
    }

    fn list_messages(&mut self, label: &str) -> Result<Option<Vec<u64>>, SourceError> {
        let mut all = Vec::new();
        let mut met = HashSet::new();
        let mut pages = Pages::default();
        loop {
            let path =
                format!("messages?maxResults={PAGE}&includeSpamTrash=true{label}{}", pages.parameter());
            let page: Result<MessagePage, Problem> = self.get(GmailMethod::ListMessages, &path)?;
            let page = match page {
                Ok(page) => page,
                // There is no such label any more.
                Err(problem) if problem.status == 400 && !label.is_empty() => return Ok(Some(all)),
                Err(problem) => return Err(self.refused(GmailMethod::ListMessages, &problem)),
            };
            let ids: Option<Vec<u64>> = page.messages.iter().map(|message| parse_id(&message.id)).collect();
            let ids = ids.ok_or_else(|| self.protocol_error("a list of messages names something else"))?;
            all.extend(ids.into_iter().filter(|id| met.insert(*id)));
            match pages.turn(page.next_page_token) {
                Turn::Next => {}
                Turn::End => return Ok(Some(all)),
                Turn::Circle => return Ok(None),
            }
        }
    }

    /// Whether a message is there.
    pub fn has(&mut self, id: u64) -> Result<bool, SourceError> {
        let path = format!("messages/{}?format=minimal", written_id(id));
        let message: Result<MessageId, Problem> = self.get(GmailMethod::GetMessage, &path)?;
        match message {
            Ok(_) => Ok(true),
            Err(problem) if problem.kind == ProblemKind::NotFound => Ok(false),
            Err(problem) => Err(self.refused(GmailMethod::GetMessage, &problem)),
        }
    }

    /// What has happened since a point; `None` when Google no longer knows.
    pub fn history(&mut self, since: u64) -> Result<Option<History>, SourceError> {
        self.whole(|source| source.list_history(since))
    }

    fn list_history(&mut self, since: u64) -> Result<Option<Option<History>>, SourceError> {
        let mut records = Vec::new();
        let mut newest = u64::MAX;
        let mut pages = Pages::default();
        loop {
            let path = format!("history?maxResults={PAGE}&startHistoryId={since}{}", pages.parameter());
            let page: Result<HistoryPage, Problem> = self.get(GmailMethod::ListHistory, &path)?;
            let page = match page {
                Ok(page) => page,
                Err(problem) if problem.kind == ProblemKind::NotFound => return Ok(Some(None)),
                Err(problem) => return Err(self.refused(GmailMethod::ListHistory, &problem)),
            };
            // Things go on while pages are turned: only what the first page knew of is sure to be told.
            newest = newest.min(page.history_id);
            records.extend(page.history);
            match pages.turn(page.next_page_token) {
                Turn::Next => {}
                Turn::End => return Ok(Some(Some(History { newest, events: in_order(records) }))),
                Turn::Circle => return Ok(None),
            }
        }
    }

    /// Reads a list until it is whole: pages that go round in circles hide a part of it.
    fn whole<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<Option<T>, SourceError>,
    ) -> Result<T, SourceError> {
        for failures in 1..=self.access.tries + 1 {
            if let Some(list) = read(self)? {
                return Ok(list);
            }
            self.pause(self.backoff(failures))?;
        }
        Err(self.protocol_error("the pages of a list go round in circles"))
    }
}

/// What happened, oldest first, whatever order it was told in.
fn in_order(mut records: Vec<HistoryRecord>) -> Vec<Event> {
    records.sort_by_key(|record| record.id);
    let mut events = Vec::new();
    let mut add = |id: &str, what: What| events.extend(parse_id(id).map(|message| Event { message, what }));
    for record in records {
        for added in &record.messages_added {
            add(&added.message.id, What::Added);
        }
        for change in record.labels_added {
            add(&change.message.id, What::Labelled(change.label_ids));
        }
        for change in record.labels_removed {
            add(&change.message.id, What::Unlabelled(change.label_ids));
        }
        for deleted in &record.messages_deleted {
            add(&deleted.message.id, What::Deleted);
        }
    }
    events
}

/// Turns pages and notices when they repeat.
#[derive(Default)]
struct Pages {
    token: Option<String>,
    met: HashSet<String>,
}

enum Turn {
    Next,
    End,
    Circle,
}

impl Pages {
    fn parameter(&self) -> String {
        self.token.as_ref().map_or_else(String::new, |token| format!("&pageToken={}", in_query(token)))
    }

    fn turn(&mut self, next: Option<String>) -> Turn {
        let Some(next) = next.filter(|token| !token.is_empty()) else { return Turn::End };
        if !self.met.insert(next.clone()) {
            return Turn::Circle;
        }
        self.token = Some(next);
        Turn::Next
    }
}

/// Text inside a query.
pub(super) fn in_query(text: &str) -> String {
    let mut written = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                written.push(char::from(byte))
            }
            other => written.push_str(&format!("%{other:02X}")),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::{Event, What, in_order, in_query};
    use crate::wire::gmail::HistoryPage;

    #[test]
    fn what_is_told_twice_and_out_of_order_is_put_in_order() {
        let text = r#"{"historyId":"9","history":[
            {"id":"5","labelsAdded":[{"message":{"id":"a"},"labelIds":["X"]}]},
            {"id":"7","labelsRemoved":[{"message":{"id":"a"},"labelIds":["X"]}]},
            {"id":"5","labelsAdded":[{"message":{"id":"a"},"labelIds":["X"]}]}]}"#;
        let page: HistoryPage = serde_json::from_str(text).unwrap();

        let events = in_order(page.history);

        let on = Event { message: 10, what: What::Labelled(vec!["X".to_owned()]) };
        let off = Event { message: 10, what: What::Unlabelled(vec!["X".to_owned()]) };
        assert_eq!(events, [on.clone(), on, off]);
        assert_eq!(in_query("a b&ä"), "a%20b%26%C3%A4");
    }
}
