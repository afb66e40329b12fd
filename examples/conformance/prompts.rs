//! The prompts of the suite.

use mailkeep::server::{RequestContext, RpcError};
use serde_json::{Map, Value, json};

use crate::input::{self, Seal};
use crate::samples::{image, resource, text};

pub(crate) fn list() -> Value {
    let argument = |name: &str| json!({ "name": name, "description": "For the test", "required": true });
    json!({ "prompts": [
        { "name": "test_simple_prompt", "description": "A prompt without arguments" },
        { "name": "test_prompt_with_arguments", "description": "A prompt with arguments",
          "arguments": [argument("arg1"), argument("arg2")] },
        { "name": "test_prompt_with_embedded_resource", "description": "A prompt that holds a resource",
          "arguments": [argument("resourceUri")] },
        { "name": "test_prompt_with_image", "description": "A prompt that holds an image" },
        { "name": "test_input_required_result_prompt", "description": "A prompt that asks for something first" },
    ] })
}

pub(crate) fn get(
    params: &Map<String, Value>,
    call: &RequestContext,
    seal: &Seal,
) -> Result<Value, RpcError> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let given = |name: &str| {
        let value = params.get("arguments").and_then(|arguments| arguments.get(name)).and_then(Value::as_str);
        value.ok_or_else(|| RpcError::invalid_params(format!("`{name}` is missing")))
    };
    let contents = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (given("arg1")?, given("arg2")?);
            vec![text(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => vec![
            resource(given("resourceUri")?, "text/plain", "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![image(), text("Please analyze the image above.")],
        "test_input_required_result_prompt" => return input::prompt(params, call, seal),
        _ => return Err(RpcError::invalid_params("Unknown prompt")),
    };
    Ok(messages(contents))
}

/// Each content as a message of the user's.
pub(crate) fn messages(contents: Vec<Value>) -> Value {
    let messages: Vec<_> =
        contents.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
    json!({ "messages": messages })
}
