//! The tools of the suite: one for each kind of content, and those that talk to the client while they run.

use std::thread::sleep;
use std::time::Duration;

use mailkeep::server::{RequestContext, RpcError};
use serde_json::{Map, Value, json};

use crate::input::{self, Seal};
use crate::samples::{audio, image, resource, text};

/// Names and descriptions of the tools without arguments.
const TOOLS: [(&str, &str); 23] = [
    ("test_simple_text", "Returns a text"),
    ("test_image_content", "Returns an image"),
    ("test_audio_content", "Returns a sound"),
    ("test_embedded_resource", "Returns a resource"),
    ("test_multiple_content_types", "Returns a text, an image and a resource"),
    ("test_error_handling", "Always fails"),
    ("test_tool_with_logging", "Logs while it runs"),
    ("test_logging_tool", "Logs while it runs, if the client wants that"),
    ("test_tool_with_progress", "Tells how far it is"),
    ("test_elicitation_sep1034_defaults", "Asks the user, with defaults"),
    ("test_elicitation_sep1330_enums", "Asks the user to choose"),
    ("test_missing_capability", "Needs a client that can sample"),
    ("test_streaming_elicitation", "Asks for a confirmation"),
    ("test_input_required_result_elicitation", "Asks for a name"),
    ("test_input_required_result_sampling", "Asks the model"),
    ("test_input_required_result_list_roots", "Asks for the roots"),
    ("test_input_required_result_request_state", "Asks, and remembers that it did"),
    ("test_input_required_result_tampered_state", "Asks, and notices a forged memory"),
    ("test_input_required_result_multiple_inputs", "Asks three things at once"),
    ("test_input_required_result_multi_round", "Asks twice"),
    ("test_input_required_result_capabilities", "Asks what the client can answer"),
    ("test_sampling", "Asks the model"),
    ("test_elicitation", "Asks the user"),
];

pub(crate) fn list() -> Value {
    let mut tools: Vec<_> = TOOLS
        .iter()
        .map(|(name, description)| {
            let argument = match *name {
                "test_sampling" => Some("prompt"),
                "test_elicitation" => Some("message"),
                _ => None,
            };
            json!({ "name": name, "description": description, "inputSchema": schema(argument) })
        })
        .collect();
    tools.push(json!({
        "name": "json_schema_2020_12_tool", "description": "Has a schema with newer words",
        "inputSchema": schema_of_2020(),
    }));
    json!({ "tools": tools })
}

fn schema(argument: Option<&str>) -> Value {
    match argument {
        None => json!({ "type": "object", "properties": {} }),
        Some(name) => {
            json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] })
        }
    }
}

fn schema_of_2020() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef", "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
        } },
        "properties": {
            "name": { "type": "string" }, "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" }, "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

pub(crate) fn call(
    params: &Map<String, Value>,
    call: &RequestContext,
    seal: &Seal,
) -> Result<Value, RpcError> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let argument = |name: &str| params.get("arguments").and_then(|arguments| arguments.get(name)).cloned();
    let content = match name {
        "test_simple_text" => vec![text("This is a simple text response for testing.")],
        "test_image_content" => vec![image()],
        "test_audio_content" => vec![audio()],
        "test_embedded_resource" => {
            vec![resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
        }
        "test_multiple_content_types" => vec![
            text("Multiple content types test:"),
            image(),
            resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ],
        "test_error_handling" => return Ok(failure()),
        "test_tool_with_logging" | "test_logging_tool" => log(call),
        "test_tool_with_progress" => progress(call),
        "test_missing_capability" => {
            call.require("sampling").map(|()| vec![text("The client can sample.")])?
        }
        "test_sampling" => ask_the_model(call, &argument("prompt").unwrap_or_default())?,
        "test_elicitation" => ask_the_user(call, &argument("message").unwrap_or_default(), &who())?,
        "test_elicitation_sep1034_defaults" => ask_the_user(call, &json!("Who are you?"), &defaults())?,
        "test_elicitation_sep1330_enums" => ask_the_user(call, &json!("What do you choose?"), &choices())?,
        "json_schema_2020_12_tool" => {
            vec![text(&params.get("arguments").map(Value::to_string).unwrap_or_default())]
        }
        _ => return input::tool(name, params, call, seal),
    };
    Ok(json!({ "content": content }))
}

fn failure() -> Value {
    json!({ "isError": true, "content": [text("This tool intentionally returns an error for testing")] })
}

/// Between two things that are said.
const PAUSE: Duration = Duration::from_millis(50);

fn log(call: &RequestContext) -> Vec<Value> {
    for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        call.log("info", "conformance", &json!(message));
        sleep(PAUSE);
    }
    vec![text("Logged three times.")]
}

fn progress(call: &RequestContext) -> Vec<Value> {
    for done in [0.0, 50.0, 100.0] {
        call.progress(done, Some(100.0), None);
        sleep(PAUSE);
    }
    vec![text("Told three times how far it was.")]
}

fn ask_the_model(call: &RequestContext, prompt: &Value) -> Result<Vec<Value>, RpcError> {
    call.require("sampling")?;
    let message = json!({ "role": "user", "content": text(prompt.as_str().unwrap_or_default()) });
    let answer = call.ask("sampling/createMessage", &json!({ "messages": [message], "maxTokens": 100 }))?;
    let told = answer.pointer("/content/text").and_then(Value::as_str).unwrap_or_default();
    Ok(vec![text(&format!("LLM response: {told}"))])
}

fn ask_the_user(call: &RequestContext, message: &Value, properties: &Value) -> Result<Vec<Value>, RpcError> {
    call.require("elicitation")?;
    let required: Vec<_> = properties.as_object().into_iter().flat_map(Map::keys).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let answer = call.ask("elicitation/create", &json!({ "message": message, "requestedSchema": schema }))?;
    let action = answer.get("action").and_then(Value::as_str).unwrap_or_default();
    let content = answer.get("content").unwrap_or(&Value::Null);
    Ok(vec![text(&format!("Elicitation completed: action={action}, content={content}"))])
}

fn who() -> Value {
    json!({
        "username": { "type": "string", "description": "User's response" },
        "email": { "type": "string", "description": "User's email address" },
    })
}

fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

fn choices() -> Value {
    let titled = |noun: &str| {
        ["First", "Second", "Third"].iter().zip(1..).map(|(title, number)| {
            json!({ "const": format!("value{number}"), "title": format!("{title} {noun}") })
        }).collect::<Vec<_>>()
    };
    let options = ["option1", "option2", "option3"];
    json!({
        "untitledSingle": { "type": "string", "enum": options },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"],
                        "enumNames": ["Option One", "Option Two", "Option Three"] },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    })
}
