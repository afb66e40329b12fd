//! What a client of a server on standard input and output says and hears.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Sends requests, closes the input and returns the answers by the numbers of their requests.
pub(crate) fn ask(command: &mut Command, requests: &[Value]) -> BTreeMap<u64, Value> {
    let mut server =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = server.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let answers = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    answers.map(|answer| (answer["id"].as_u64().unwrap(), answer)).collect()
}

/// A call of a tool.
pub(crate) fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

/// The JSON in the only text of an answer.
pub(crate) fn told(answer: &Value) -> Value {
    let content = answer["result"]["content"].as_array().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(content.len(), 1, "{answer}");
    serde_json::from_str(content[0]["text"].as_str().unwrap())
        .unwrap_or_else(|error| panic!("{error}: {answer}"))
}
