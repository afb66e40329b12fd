//! Changes of labels on the server. Each can be made again without harm.

use crate::source::SourceError;
use crate::source::gmail::GmailSource;
use crate::source::gmail::labels::LabelEdit;
use crate::source::gmail::session::Ask;
use crate::source::imap::Changed;
use crate::wire::gmail::{GmailMethod, ProblemKind, written_id};
use crate::wire::http::HttpRequest;

/// The most messages that one call can change.
pub const MOST_MODIFIED: usize = 1000;

impl GmailSource<'_> {
    /// Changes the labels of one message.
    pub fn modify(&mut self, id: u64, edit: &LabelEdit) -> Result<Changed, SourceError> {
        let path = format!("messages/{}/modify", written_id(id));
        let body = serde_json::json!({ "addLabelIds": edit.add, "removeLabelIds": edit.remove });
        self.change(GmailMethod::Modify, &path, &body)
    }

    /// Changes the labels of many messages alike. Gmail does not tell which of them are gone.
    pub fn modify_all(&mut self, ids: &[u64], edit: &LabelEdit) -> Result<Changed, SourceError> {
        let ids: Vec<String> = ids.iter().map(|id| written_id(*id)).collect();
        let body = serde_json::json!({ "ids": ids, "addLabelIds": edit.add, "removeLabelIds": edit.remove });
        self.change(GmailMethod::BatchModify, "messages/batchModify", &body)
    }

    fn change(
        &mut self,
        method: GmailMethod,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<Changed, SourceError> {
        let (url, body) = (self.url(path), body.to_string());
        let request = Box::new(move || HttpRequest::post(url.clone(), "application/json", body.clone()));
        Ok(match self.call(&Ask { method, count: 1, request })? {
            Ok(_) => Changed::Made,
            Err(problem) if problem.kind == ProblemKind::NotFound => Changed::Gone,
            Err(problem) => Changed::Refused(problem.message),
        })
    }
}
