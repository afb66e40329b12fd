//! Tools and a prompt of the modern era that cannot finish before the client has told them something. What they know so
//! far travels to the client and back, under a seal, so that nobody can change it on the way.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mailkeep::server::{RequestContext, RpcError};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::prompts::messages;
use crate::samples::text;

/// Marks what we give away, so that we know it again.
pub(crate) struct Seal {
    secret: Uuid,
}

impl Seal {
    pub(crate) fn new() -> Self {
        Self { secret: Uuid::new_v4() }
    }

    fn put(&self, state: &str) -> String {
        let mut hash = Sha256::new();
        for part in [self.secret.as_bytes(), state.as_bytes(), self.secret.as_bytes()] {
            hash.update(part);
        }
        format!("{state}.{}", URL_SAFE_NO_PAD.encode(hash.finalize()))
    }

    /// The state under the seal, if the request has one; a broken seal is an error.
    fn open<'a>(&self, params: &'a Map<String, Value>) -> Result<Option<&'a str>, RpcError> {
        let Some(given) = params.get("requestState") else { return Ok(None) };
        let sealed = given.as_str().unwrap_or_default();
        let state = sealed.split_once('.').map_or("", |(state, _)| state);
        if self.put(state) != sealed {
            return Err(RpcError::invalid_params("Invalid params: `requestState` is not what was given"));
        }
        Ok(Some(state))
    }
}

/// Calls one of the tools that ask.
pub(crate) fn tool(
    name: &str,
    params: &Map<String, Value>,
    call: &RequestContext,
    seal: &Seal,
) -> Result<Value, RpcError> {
    let asked = Asked { params, call, seal };
    match name {
        "test_input_required_result_elicitation" => {
            asked.once(&[("user_name", question("What is your name?", "name"))])
        }
        "test_input_required_result_sampling" => {
            asked.once(&[("capital_question", sampling("What is the capital of France?"))])
        }
        "test_input_required_result_list_roots" => asked.once(&[("client_roots", roots())]),
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            asked.with_state(&[("confirm", confirmation())])
        }
        "test_input_required_result_multiple_inputs" => asked.with_state(&[
            ("user_name", question("What is your name?", "name")),
            ("greeting", sampling("Generate a greeting")),
            ("client_roots", roots()),
        ]),
        "test_input_required_result_multi_round" => asked.in_two_rounds(),
        "test_input_required_result_capabilities" => asked.what_the_client_can(),
        "test_streaming_elicitation" => {
            call.progress(0.0, Some(1.0), None);
            asked.once(&[("confirm", confirmation())])
        }
        _ => Err(RpcError::invalid_params("Unknown tool")),
    }
}

/// The prompt that asks.
pub(crate) fn prompt(
    params: &Map<String, Value>,
    call: &RequestContext,
    seal: &Seal,
) -> Result<Value, RpcError> {
    let asked = Asked { params, call, seal };
    let requests = [("user_context", question("What context should the prompt use?", "context"))];
    match asked.missing(&requests)? {
        Some(requests) => Ok(required(&requests, None)),
        None => Ok(messages(vec![text(&format!("Context: {}", asked.told()))])),
    }
}

struct Asked<'a> {
    params: &'a Map<String, Value>,
    call: &'a RequestContext,
    seal: &'a Seal,
}

type Question<'a> = (&'a str, Value);

impl Asked<'_> {
    fn once(&self, requests: &[Question<'_>]) -> Result<Value, RpcError> {
        match self.missing(requests)? {
            Some(requests) => Ok(required(&requests, None)),
            None => Ok(finished(&format!("Hello! {}", self.told()))),
        }
    }

    fn with_state(&self, requests: &[Question<'_>]) -> Result<Value, RpcError> {
        let state = self.seal.open(self.params)?;
        match (self.missing(requests)?, state) {
            (None, Some("asked")) => Ok(finished(&format!("state-ok {}", self.told()))),
            (requests, _) => Ok(required(&requests.unwrap_or_default(), Some(self.seal.put("asked")))),
        }
    }

    fn in_two_rounds(&self) -> Result<Value, RpcError> {
        let first = [("step1", question("Step 1: What is your name?", "name"))];
        let second = [("step2", question("Step 2: What is your favorite color?", "color"))];
        let (requests, state) = match self.seal.open(self.params)? {
            Some("round-2") if self.missing(&second)?.is_none() => {
                return Ok(finished("Both rounds are done."));
            }
            Some("round-2") => (self.missing(&second)?, "round-2"),
            Some("round-1") if self.missing(&first)?.is_none() => (self.missing(&second)?, "round-2"),
            _ => (self.missing(&first)?, "round-1"),
        };
        Ok(required(&requests.unwrap_or_default(), Some(self.seal.put(state))))
    }

    /// Asks only for what the client said it can do.
    fn what_the_client_can(&self) -> Result<Value, RpcError> {
        let all = [
            ("elicitation", question("What is your name?", "name")),
            ("sampling", sampling("Generate a greeting")),
            ("roots", roots()),
        ];
        let can = |capability: &str| self.call.client_capabilities.get(capability).is_some();
        let possible: Vec<_> = all.into_iter().filter(|(capability, _)| can(capability)).collect();
        self.once(&possible)
    }

    /// The requests without a usable answer; `None` when nothing is missing.
    fn missing<'b>(&self, requests: &[Question<'b>]) -> Result<Option<Vec<Question<'b>>>, RpcError> {
        let answers = match self.params.get("inputResponses") {
            None => &Map::new(),
            Some(Value::Object(answers)) => answers,
            Some(_) => {
                return Err(RpcError::invalid_params("Invalid params: `inputResponses` must be an object"));
            }
        };
        let open: Vec<_> = requests
            .iter()
            .filter(|(key, _)| !answers.get(*key).is_some_and(Value::is_object))
            .cloned()
            .collect();
        for (_, request) in &open {
            self.call.require(capability_for(request))?;
        }
        Ok((!open.is_empty()).then_some(open))
    }

    fn told(&self) -> String {
        self.params.get("inputResponses").map(Value::to_string).unwrap_or_default()
    }
}

fn capability_for(request: &Value) -> &'static str {
    match request.get("method").and_then(Value::as_str) {
        Some("elicitation/create") => "elicitation",
        Some("sampling/createMessage") => "sampling",
        _ => "roots",
    }
}

fn required(requests: &[Question<'_>], state: Option<String>) -> Value {
    let requests: Map<_, _> =
        requests.iter().map(|(key, request)| ((*key).to_owned(), request.clone())).collect();
    let mut result = json!({ "resultType": "input_required", "inputRequests": requests });
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    result
}

fn finished(told: &str) -> Value {
    json!({ "content": [text(told)] })
}

fn question(message: &str, field: &str) -> Value {
    elicitation(message, field, "string")
}

fn confirmation() -> Value {
    elicitation("Please confirm", "ok", "boolean")
}

fn elicitation(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { field: { "type": kind } }, "required": [field] });
    json!({ "method": "elicitation/create", "params": { "message": message, "requestedSchema": schema } })
}

fn sampling(question: &str) -> Value {
    json!({ "method": "sampling/createMessage", "params": {
        "messages": [{ "role": "user", "content": text(question) }], "maxTokens": 100,
    } })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}
