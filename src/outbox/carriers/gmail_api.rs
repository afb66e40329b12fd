//! The few calls of Gmail's API that sending needs. Each is made once; only a token that has ended is replaced, once.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::account::{AccountError, Credentials};
use crate::secret::Secret;
use crate::wire::gmail::{
    DraftPage, GmailDraft, GmailMessage, MessagePage, Problem, ProblemKind, written_id,
};
use crate::wire::http::{HttpClient, HttpRequest, HttpResponse, Method};
use crate::wire::{Redactor, WireError};

/// Why a call gave nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum ApiError {
    /// No answer.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// No token.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// Gmail said no.
    #[error("Gmail refused: {}", .0.message)]
    Refused(Problem),
    /// An answer that cannot be read.
    #[error("Gmail gave an answer that makes no sense")]
    Unreadable,
}

impl ApiError {
    pub(super) fn is(&self, kind: ProblemKind) -> bool {
        matches!(self, Self::Refused(problem) if problem.kind == kind)
    }
}

/// Speaks for one account.
pub(super) struct GmailApi {
    pub(super) base_url: String,
    pub(super) credentials: Credentials,
    pub(super) redactor: Redactor,
}

/// Only what names it.
#[derive(Deserialize)]
struct Named {
    id: String,
}

impl GmailApi {
    pub(super) fn new(base_url: &str, credentials: Credentials) -> Self {
        let base_url = base_url.trim_end_matches('/').to_owned();
        Self { base_url, credentials, redactor: Redactor::default() }
    }

    /// Makes a draft, or gives one that is there another message; says what it is called.
    pub(super) fn put_draft(
        &mut self,
        http: &HttpClient,
        draft: Option<&str>,
        message: &[u8],
        thread: Option<u64>,
    ) -> Result<String, ApiError> {
        let mut inner = serde_json::json!({ "raw": URL_SAFE.encode(message) });
        if let Some(thread) = thread {
            inner["threadId"] = written_id(thread).into();
        }
        let body = serde_json::json!({ "message": inner }).to_string();
        let (method, path) = match draft {
            None => (Method::POST, "drafts".to_owned()),
            Some(draft) => (Method::PUT, format!("drafts/{}", in_path(draft))),
        };
        let made: Named = self.json(http, &method, &path, Some(&body))?;
        Ok(made.id)
    }

    /// Sends a draft; says what the message is called.
    pub(super) fn send_draft(&mut self, http: &HttpClient, draft: &str) -> Result<String, ApiError> {
        let body = serde_json::json!({ "id": draft }).to_string();
        let sent: Named = self.json(http, &Method::POST, "drafts/send", Some(&body))?;
        Ok(sent.id)
    }

    /// Whether a draft is there.
    pub(super) fn has_draft(&mut self, http: &HttpClient, draft: &str) -> Result<bool, ApiError> {
        let path = format!("drafts/{}?format=minimal", in_path(draft));
        match self.json::<GmailDraft>(http, &Method::GET, &path, None) {
            Ok(_) => Ok(true),
            Err(error) if error.is(ProblemKind::NotFound) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What drafts with this Message-ID are called.
    pub(super) fn drafts_with(
        &mut self,
        http: &HttpClient,
        message_id: &str,
    ) -> Result<Vec<String>, ApiError> {
        let path = format!("drafts?maxResults=20&q={}", in_path(&format!("rfc822msgid:{message_id}")));
        let page: DraftPage = self.json(http, &Method::GET, &path, None)?;
        Ok(page.drafts.into_iter().map(|draft| draft.id).collect())
    }

    /// Deletes a draft; it may be gone already.
    pub(super) fn delete_draft(&mut self, http: &HttpClient, draft: &str) -> Result<(), ApiError> {
        let path = format!("drafts/{}", in_path(draft));
        match self.call(http, &Method::DELETE, &path, None) {
            Err(error) if !error.is(ProblemKind::NotFound) => Err(error),
            _ => Ok(()),
        }
    }

    /// What a message with this Message-ID is called that was sent.
    pub(super) fn sent_with(
        &mut self,
        http: &HttpClient,
        message_id: &str,
    ) -> Result<Option<String>, ApiError> {
        let path = format!("messages?maxResults=20&q={}", in_path(&format!("rfc822msgid:{message_id}")));
        let page: MessagePage = self.json(http, &Method::GET, &path, None)?;
        for found in page.messages {
            let path = format!("messages/{}?format=minimal", in_path(&found.id));
            let message: GmailMessage = self.json(http, &Method::GET, &path, None)?;
            if message.label_ids.iter().any(|label| label == "SENT") {
                return Ok(Some(found.id));
            }
        }
        Ok(None)
    }

    fn json<T: DeserializeOwned>(
        &mut self,
        http: &HttpClient,
        method: &Method,
        path: &str,
        body: Option<&str>,
    ) -> Result<T, ApiError> {
        let response = self.call(http, method, path, body)?;
        serde_json::from_slice(&response.body).map_err(|_| ApiError::Unreadable)
    }

    fn call(
        &mut self,
        http: &HttpClient,
        method: &Method,
        path: &str,
        body: Option<&str>,
    ) -> Result<HttpResponse, ApiError> {
        let url = format!("{}/gmail/v1/users/me/{path}", self.base_url);
        let mut token: Option<Secret<String>> = None;
        loop {
            let is_second = token.is_some();
            let fresh = self.credentials.token(token.as_ref())?;
            self.redactor.learn(fresh.reveal());
            let request = HttpRequest::new(method.clone(), url.clone());
            let request = match body {
                Some(body) => request.with_body("application/json", body.to_owned()),
                None => request,
            };
            let response = http.send(&request.with_token(&fresh))?;
            if response.is_success() {
                return Ok(response);
            }
            let problem = Problem::of(&response);
            let problem = Problem { message: self.redactor.text(&problem.message), ..problem };
            // Who is not let in has done nothing.
            if problem.kind != ProblemKind::Token || is_second {
                return Err(ApiError::Refused(problem));
            }
            token = Some(fresh);
        }
    }
}

/// Text in a path or behind `?`.
fn in_path(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    let one = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(one).collect()
}
