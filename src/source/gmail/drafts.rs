//! Drafts on the server. A draft keeps its id; every edit, whoever makes it, gives it a new message.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;

use crate::source::SourceError;
use crate::source::gmail::GmailSource;
use crate::source::gmail::lists::in_query;
use crate::source::gmail::session::Ask;
use crate::wire::gmail::{
    DraftPage, GmailDraft, GmailMethod, Problem, ProblemKind, parse_id, raw_bytes, written_id,
};
use crate::wire::http::{HttpRequest, Method};

/// A draft, and the message it is at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftIds {
    /// The draft.
    pub draft: String,
    /// Gmail's number of its message.
    pub message: u64,
}

impl GmailSource<'_> {
    /// The message that a draft is at the moment; `None` when it is gone.
    pub fn draft(&mut self, draft: &str) -> Result<Option<DraftIds>, SourceError> {
        Ok(self.read_draft(draft, "minimal")?.as_ref().and_then(ids))
    }

    /// The bytes of a draft; `None` when it is gone.
    pub fn draft_bytes(&mut self, draft: &str) -> Result<Option<Vec<u8>>, SourceError> {
        let read = self.read_draft(draft, "raw")?;
        Ok(read.and_then(|read| raw_bytes(&read.message.raw?)))
    }

    fn read_draft(&mut self, draft: &str, format: &str) -> Result<Option<GmailDraft>, SourceError> {
        let path = format!("drafts/{}?format={format}", in_query(draft));
        match self.get(GmailMethod::GetDraft, &path)? {
            Ok(read) => Ok(Some(read)),
            Err(problem) if problem.kind == ProblemKind::NotFound => Ok(None),
            Err(problem) => Err(self.refused(GmailMethod::GetDraft, &problem)),
        }
    }

    /// The drafts with a Message-ID, given without angle brackets.
    pub fn drafts_with(&mut self, message_id: &str) -> Result<Vec<DraftIds>, SourceError> {
        let path = format!("drafts?maxResults=100&q={}", in_query(&format!("rfc822msgid:{message_id}")));
        let page: Result<DraftPage, Problem> = self.get(GmailMethod::ListDrafts, &path)?;
        let page = page.map_err(|problem| self.refused(GmailMethod::ListDrafts, &problem))?;
        Ok(page.drafts.iter().filter_map(ids).collect())
    }

    /// Makes a draft, or gives one that is there another message.
    pub fn put_draft(
        &mut self,
        draft: Option<&str>,
        raw: &[u8],
        thread: Option<u64>,
    ) -> Result<DraftIds, SourceError> {
        let mut message = serde_json::json!({ "raw": URL_SAFE.encode(raw) });
        if let Some(thread) = thread {
            message["threadId"] = written_id(thread).into();
        }
        let body = serde_json::json!({ "message": message }).to_string();
        let (method, verb, path) = match draft {
            None => (GmailMethod::CreateDraft, Method::POST, "drafts".to_owned()),
            Some(draft) => (GmailMethod::UpdateDraft, Method::PUT, format!("drafts/{}", in_query(draft))),
        };
        let url = self.url(&path);
        let request =
            move || HttpRequest::new(verb.clone(), url.clone()).with_body("application/json", body.clone());
        let made: Result<GmailDraft, Problem> =
            self.read(&Ask { method, count: 1, request: Box::new(request) })?;
        let made = made.map_err(|problem| self.refused(method, &problem))?;
        ids(&made).ok_or_else(|| self.protocol_error("a draft without a message"))
    }

    /// Deletes a draft; it may be gone already.
    pub fn delete_draft(&mut self, draft: &str) -> Result<(), SourceError> {
        let url = self.url(&format!("drafts/{}", in_query(draft)));
        let request = Box::new(move || HttpRequest::new(Method::DELETE, url.clone()));
        match self.call(&Ask { method: GmailMethod::DeleteDraft, count: 1, request })? {
            Err(problem) if problem.kind != ProblemKind::NotFound => {
                Err(self.refused(GmailMethod::DeleteDraft, &problem))
            }
            _ => Ok(()),
        }
    }
}

fn ids(draft: &GmailDraft) -> Option<DraftIds> {
    Some(DraftIds { draft: draft.id.clone(), message: parse_id(&draft.message.id)? })
}
