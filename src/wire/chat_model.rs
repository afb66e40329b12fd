//! A chat model behind the interface that most of them share: `POST .../v1/chat/completions` with JSON, as OpenAI
//! published it and local servers (Ollama, llama.cpp, LM Studio, vLLM) speak it. One question, one answer: no stream, no
//! tools, no memory. What the answer means is not judged here.

use std::time::Duration;

use serde_json::{Value, json};

use crate::model::IoLimits;
use crate::secret::Secret;
use crate::text_safety::{brief, one_line};
use crate::wire::http::{HttpClient, HttpRequest, HttpResponse};
use crate::wire::{Redactor, WireError};

/// The longest answer.
const LONGEST_ANSWER: u64 = 1 << 20;
/// So many characters of a server's words are kept.
const LONGEST_WORDS: usize = 300;
/// Where a server does not say how long to wait.
const USUAL_WAIT: Duration = Duration::from_secs(20);

/// What is asked.
#[derive(Debug, Clone)]
pub struct ChatQuestion {
    /// What the model is told by us.
    pub system: String,
    /// What it is asked.
    pub user: String,
    /// The JSON schema that its answer must fit.
    pub schema: Value,
}

/// How the server is told what the answer must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerFormat {
    /// By a schema that it enforces.
    Schema,
    /// As JSON, for servers that know no schemas.
    Json,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// The server could not be reached, or did not answer in time.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// It wants us to come back later.
    #[error("the model's server asks us to wait {} s", .retry_after.as_secs())]
    RateLimited {
        /// How long.
        retry_after: Duration,
    },
    /// It refused: the key, the model's name, or what was asked.
    #[error("the model's server answered {status}: {detail}")]
    Refused {
        /// The status.
        status: u16,
        /// Its words.
        detail: String,
    },
    /// The model declined to answer.
    #[error("the model declined: {0}")]
    Declined(String),
    /// What came is no answer of such a server.
    #[error("the model's server gave an answer that makes no sense: {0}")]
    BadAnswer(String),
}

impl ChatError {
    /// Whether trying again soon can help.
    #[must_use]
    pub const fn can_retry(&self) -> bool {
        match self {
            Self::Wire(error) => error.can_retry(),
            Self::RateLimited { .. } | Self::BadAnswer(_) | Self::Declined(_) => true,
            Self::Refused { status, .. } => *status >= 500,
        }
    }

    /// Whether the key was refused: repeating that helps nobody.
    #[must_use]
    pub const fn is_sign_in(&self) -> bool {
        matches!(self, Self::Refused { status: 401 | 403, .. })
    }
}

/// A model on a server.
pub struct ChatModel {
    http: HttpClient,
    url: String,
    model: String,
    key: Option<Secret<String>>,
    redactor: Redactor,
}

impl ChatModel {
    /// The model with this name. `base_url` may end with `/v1` or not.
    #[must_use]
    pub fn new(base_url: &str, model: &str, key: Option<Secret<String>>, limits: IoLimits) -> Self {
        let base = base_url.trim_end_matches('/');
        let base = if base.ends_with("/v1") { base.to_owned() } else { format!("{base}/v1") };
        let redactor = key.as_ref().map_or_else(Redactor::default, |key| Redactor::new(&[key.reveal()]));
        let (http, url) = (HttpClient::new(limits), format!("{base}/chat/completions"));
        Self { http, url, model: model.to_owned(), key, redactor }
    }

    /// Asks, and gives the text of the answer.
    pub fn ask(&self, question: &ChatQuestion, format: AnswerFormat) -> Result<String, ChatError> {
        let body = json!({
            "model": self.model,
            "temperature": 0,
            "stream": false,
            "messages": [
                { "role": "system", "content": question.system },
                { "role": "user", "content": question.user },
            ],
            "response_format": response_format(question, format),
        });
        let request = HttpRequest::post(self.url.as_str(), "application/json", body.to_string());
        let request = request.at_most(LONGEST_ANSWER);
        let request = match &self.key {
            Some(key) => request.with_token(key),
            None => request,
        };
        self.read(&self.http.send(&request)?)
    }

    fn read(&self, answer: &HttpResponse) -> Result<String, ChatError> {
        if answer.status == 429 {
            let told = answer.header("retry-after").and_then(|text| text.trim().parse().ok());
            return Err(ChatError::RateLimited { retry_after: told.map_or(USUAL_WAIT, Duration::from_secs) });
        }
        let value: Option<Value> = serde_json::from_slice(&answer.body).ok();
        if !answer.is_success() {
            let words = value.as_ref().and_then(|value| value["error"]["message"].as_str());
            let detail = self.words(words.unwrap_or("no reason was given"));
            return Err(ChatError::Refused { status: answer.status, detail });
        }
        let value = value.ok_or_else(|| ChatError::BadAnswer("no JSON".to_owned()))?;
        self.text(&value["choices"][0])
    }

    fn text(&self, choice: &Value) -> Result<String, ChatError> {
        if let Some(refusal) = choice["message"]["refusal"].as_str().filter(|text| !text.is_empty()) {
            return Err(ChatError::Declined(self.words(refusal)));
        }
        match choice["finish_reason"].as_str() {
            Some("length") => Err(ChatError::BadAnswer("it was cut off".to_owned())),
            Some("content_filter") => Err(ChatError::Declined("the server's filter stopped it".to_owned())),
            _ => {
                let text = choice["message"]["content"].as_str();
                text.map(str::to_owned).ok_or_else(|| ChatError::BadAnswer("no text".to_owned()))
            }
        }
    }

    fn words(&self, words: &str) -> String {
        brief(&one_line(&self.redactor.text(words)), LONGEST_WORDS).into_owned()
    }
}

fn response_format(question: &ChatQuestion, format: AnswerFormat) -> Value {
    match format {
        AnswerFormat::Json => json!({ "type": "json_object" }),
        AnswerFormat::Schema => json!({
            "type": "json_schema",
            "json_schema": { "name": "answer", "strict": true, "schema": question.schema },
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use serde_json::json;

    use super::{ChatError, ChatModel};
    use crate::model::IoLimits;
    use crate::secret::Secret;
    use crate::wire::http::HttpResponse;

    fn model(base_url: &str) -> ChatModel {
        let limits = IoLimits { silence: Duration::from_secs(1), stop: Arc::default() };
        ChatModel::new(base_url, "small", Some(Secret::new("canary-key-123".to_owned())), limits)
    }

    fn answer(status: u16, body: &str) -> HttpResponse {
        HttpResponse { status, headers: Vec::new(), body: body.as_bytes().to_vec() }
    }

    #[test]
    fn the_address_is_the_same_with_and_without_the_version() {
        for base in
            ["http://127.0.0.1:1", "http://127.0.0.1:1/", "http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1/"]
        {
            assert_eq!(model(base).url, "http://127.0.0.1:1/v1/chat/completions");
        }
    }

    #[test]
    fn what_is_no_answer_is_told_apart_and_shows_no_key() {
        let model = model("http://127.0.0.1:1");
        let choice = |choice| json!({ "choices": [choice] }).to_string();
        let refused = answer(401, r#"{"error":{"message":"bad key canary-key-123\u001b[31m"}}"#);
        let cut = answer(200, &choice(json!({ "finish_reason": "length", "message": { "content": "{" } })));
        let no = answer(200, &choice(json!({ "message": { "refusal": "I will not", "content": null } })));
        let filtered = answer(200, &choice(json!({ "finish_reason": "content_filter", "message": {} })));

        let told = model.read(&refused).unwrap_err();
        assert!(told.is_sign_in() && !told.can_retry(), "{told}");
        assert!(!told.to_string().contains("canary") && !told.to_string().contains('\u{1b}'), "{told}");
        assert!(matches!(model.read(&cut), Err(ChatError::BadAnswer(_))));
        assert!(matches!(model.read(&no), Err(ChatError::Declined(_))));
        assert!(matches!(model.read(&filtered), Err(ChatError::Declined(_))));
        assert!(matches!(model.read(&answer(200, "<html>")), Err(ChatError::BadAnswer(_))));
        assert!(matches!(model.read(&answer(200, "{}")), Err(ChatError::BadAnswer(_))));
        assert!(model.read(&answer(500, "oops")).unwrap_err().can_retry());
        assert!(matches!(model.read(&answer(429, "")), Err(ChatError::RateLimited { .. })));
    }
}
