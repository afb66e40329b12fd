//! The resources of the suite.

use mailkeep::server::{Era, RpcError};
use serde_json::{Map, Value, json};

use crate::samples;

pub(crate) fn list() -> Value {
    json!({ "resources": [
        { "uri": "test://static-text", "name": "static-text", "description": "A text", "mimeType": "text/plain" },
        { "uri": "test://static-binary", "name": "static-binary", "description": "An image", "mimeType": "image/png" },
        { "uri": "test://watched-resource", "name": "watched", "description": "Can be watched", "mimeType": "text/plain" },
    ] })
}

pub(crate) fn templates() -> Value {
    json!({ "resourceTemplates": [
        { "uriTemplate": "test://template/{id}/data", "name": "data", "description": "Data of an id",
          "mimeType": "application/json" },
    ] })
}

pub(crate) fn read(params: &Map<String, Value>, era: Era) -> Result<Value, RpcError> {
    let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
    let content = match uri {
        "test://static-text" => {
            json!({ "uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource." })
        }
        "test://static-binary" => json!({ "uri": uri, "mimeType": "image/png", "blob": samples::pixel() }),
        "test://watched-resource" => {
            json!({ "uri": uri, "mimeType": "text/plain", "text": "Nothing happened yet." })
        }
        _ => from_template(uri).ok_or_else(|| not_found(uri, era))?,
    };
    Ok(json!({ "contents": [content] }))
}

fn from_template(uri: &str) -> Option<Value> {
    let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
    let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
    Some(json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() }))
}

fn not_found(uri: &str, era: Era) -> RpcError {
    let code = if era == Era::Modern { RpcError::INVALID_PARAMS } else { -32002 };
    RpcError::new(code, "Resource not found").with_data(json!({ "uri": uri }))
}
