//! JSON-RPC 2.0: what came in, and errors. Whatever is wrong with a message, its id is found if it has one.

use serde_json::{Map, Value, json};

use crate::text_safety::{brief, one_line};

/// The longest id, and the longest name of a method.
const LONGEST_NAME: usize = 1024;
/// The most values in one message, names of members not counted.
const MOST_VALUES: usize = 50_000;
/// What a value takes in memory beside its text.
const VALUE: usize = 100;
/// What the least message takes until it is answered.
const LEAST: usize = 1 << 10;

/// How much a message will take in memory once it is read; refused when it has too many values. Looks at the bytes only:
/// a message of commas takes forty times its length when it is read.
pub(super) fn weigh(bytes: &[u8]) -> Result<usize, RpcError> {
    let values = count_values(bytes);
    if values > MOST_VALUES {
        let message = format!("Parse error: a message may have {MOST_VALUES} values, this one has {values}");
        return Err(RpcError::new(RpcError::PARSE, message));
    }
    Ok(LEAST + bytes.len() + values * VALUE)
}

/// Every value but the first follows a comma, a colon or a bracket that is not inside a text.
fn count_values(bytes: &[u8]) -> usize {
    let mut values = 1;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => at += text_length(&bytes[at..]),
            b',' | b'[' | b'{' => values += 1,
            _ => {}
        }
    }
    values
}

/// The length of a text up to behind its closing quote.
fn text_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at = (at + 2).min(bytes.len());
    }
    bytes.len()
}

/// An error as JSON-RPC tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    /// Its code.
    pub code: i64,
    /// What went wrong.
    pub message: String,
    /// More, for programs.
    pub data: Option<Value>,
}

impl RpcError {
    /// The bytes are no JSON.
    pub const PARSE: i64 = -32700;
    /// The JSON is no request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// There is no such method.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The method cannot work with these parameters.
    pub const INVALID_PARAMS: i64 = -32602;
    /// Something that should not happen.
    pub const INTERNAL: i64 = -32603;
    /// The server cannot take it now.
    pub const UNAVAILABLE: i64 = -32000;

    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// There is no such method.
    #[must_use]
    pub fn method_not_found(method: &str) -> Self {
        Self::new(Self::METHOD_NOT_FOUND, format!("Method not found: {}", one_line(&brief(method, 80))))
    }

    /// The parameters are wrong.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_PARAMS, message)
    }

    /// Adds data.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// The response that carries it.
    #[must_use]
    pub fn response(&self, id: &Value) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }
}

/// The response that carries a result.
#[must_use]
pub(super) fn result(id: &Value, result: Value) -> Value {
    let members = [("jsonrpc", json!("2.0")), ("id", id.clone()), ("result", result)];
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A notification.
#[must_use]
pub(super) fn notification(method: &str, params: Value) -> Value {
    let members = [("jsonrpc", json!("2.0")), ("method", json!(method)), ("params", params)];
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A request: it gets exactly one answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its id: a string, a number or null.
    pub id: Value,
    /// What is asked for.
    pub method: String,
    /// With what.
    pub params: Map<String, Value>,
}

/// A message that came in.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// Something to answer.
    Request(Request),
    /// Something to know.
    Notification {
        /// What happened.
        method: String,
        /// More.
        params: Map<String, Value>,
    },
    /// The answer to something we asked.
    Response {
        /// The id we asked with.
        id: Value,
        /// What the client answered.
        result: Result<Value, RpcError>,
    },
}

impl Incoming {
    /// Reads a JSON value as a message; the error comes with the id it has to be answered with.
    pub fn read(value: Value) -> Result<Self, (Value, RpcError)> {
        let Value::Object(mut members) = value else {
            return Err((Value::Null, invalid("a message must be an object")));
        };
        let id = members.remove("id");
        let answer_id = id.as_ref().filter(|id| is_id(id)).cloned().unwrap_or(Value::Null);
        let refuse = |reason: &str| Err((answer_id.clone(), invalid(reason)));
        if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return refuse("`jsonrpc` must be \"2.0\"");
        }
        if id.as_ref().is_some_and(|id| !is_id(id)) {
            return refuse("`id` must be a string of at most 1024 bytes, a number or null");
        }
        match members.remove("method") {
            Some(Value::String(method)) if method.len() > LONGEST_NAME => {
                refuse("`method` is longer than 1024 bytes")
            }
            Some(Value::String(method)) => {
                let params = match members.remove("params") {
                    None | Some(Value::Null) => Map::new(),
                    Some(Value::Object(params)) => params,
                    Some(_) => {
                        return Err((
                            answer_id,
                            RpcError::invalid_params("Invalid params: `params` must be an object"),
                        ));
                    }
                };
                Ok(match id {
                    Some(id) => Self::Request(Request { id, method, params }),
                    None => Self::Notification { method, params },
                })
            }
            Some(_) => refuse("`method` must be a string"),
            None => response(id, members).ok_or_else(|| (answer_id, invalid("`method` is missing"))),
        }
    }
}

fn response(id: Option<Value>, mut members: Map<String, Value>) -> Option<Incoming> {
    let id = id?;
    if let Some(result) = members.remove("result") {
        return Some(Incoming::Response { id, result: Ok(result) });
    }
    let error = members.remove("error")?;
    let code = error.get("code").and_then(Value::as_i64).unwrap_or(RpcError::INTERNAL);
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    Some(Incoming::Response { id, result: Err(RpcError::new(code, message)) })
}

/// Whether this can be an id. It is repeated in what is kept, answered and logged, so it must be short.
pub(super) fn is_id(id: &Value) -> bool {
    match id {
        Value::String(text) => text.len() <= LONGEST_NAME,
        Value::Number(_) | Value::Null => true,
        _ => false,
    }
}

fn invalid(reason: &str) -> RpcError {
    RpcError::new(RpcError::INVALID_REQUEST, format!("Invalid Request: {reason}"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Incoming, MOST_VALUES, RpcError, count_values, weigh};

    #[test]
    fn values_are_counted_before_they_are_read() {
        for (text, values) in
            [(r#"{"a": 1, "b": [1, 2, {"c": "x,y[\"{,"}]}"#, 7), ("[]", 2), (r#""a,b\"#, 1), ("", 1)]
        {
            assert_eq!(count_values(text.as_bytes()), values, "{text}");
        }
    }

    #[test]
    fn a_message_of_very_many_values_is_refused_with_the_limit() {
        let many = format!("[{}0]", "0,".repeat(MOST_VALUES));
        let long = format!("\"{}\"", ",".repeat(MOST_VALUES));

        let error = weigh(many.as_bytes()).unwrap_err();

        assert!(error.message.contains("50000 values"), "{}", error.message);
        assert!(weigh(long.as_bytes()).is_ok());
    }

    #[test]
    fn ids_and_names_are_short() {
        let long = "x".repeat(1025);

        let (id, error) =
            Incoming::read(json!({"jsonrpc": "2.0", "id": long, "method": "ping"})).unwrap_err();
        let (own, other) = Incoming::read(json!({"jsonrpc": "2.0", "id": 1, "method": long})).unwrap_err();

        assert_eq!((id, own), (Value::Null, json!(1)));
        assert!(error.message.contains("1024 bytes") && other.message.contains("1024 bytes"));
    }

    #[test]
    fn requests_notifications_and_responses_are_told_apart() {
        let read = |value: Value| Incoming::read(value).unwrap();

        assert!(matches!(
            read(json!({"jsonrpc": "2.0", "id": null, "method": "ping"})),
            Incoming::Request(_)
        ));
        assert!(matches!(read(json!({"jsonrpc": "2.0", "method": "x"})), Incoming::Notification { .. }));
        assert!(matches!(read(json!({"jsonrpc": "2.0", "id": 1, "result": {}})), Incoming::Response { .. }));
    }

    #[test]
    fn what_is_wrong_is_answered_with_its_id() {
        let refused = |value: Value| Incoming::read(value).unwrap_err();

        for value in [
            json!({"jsonrpc": "1.0", "id": 7, "method": "ping"}),
            json!({"id": 7, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 7}),
            json!({"jsonrpc": "2.0", "id": 7, "method": 3}),
        ] {
            let (id, error) = refused(value.clone());
            assert_eq!((id, error.code), (json!(7), RpcError::INVALID_REQUEST), "{value}");
        }
        assert_eq!(refused(json!(3)).0, Value::Null);
        assert_eq!(refused(json!({"jsonrpc": "2.0", "id": [1], "method": "x"})).0, Value::Null);
        let (id, error) = refused(json!({"jsonrpc": "2.0", "id": "a", "method": "x", "params": [1]}));
        assert_eq!((id, error.code), (json!("a"), RpcError::INVALID_PARAMS));
    }
}
