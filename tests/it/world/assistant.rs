//! An assistant that calls tools over standard input and output, and keeps a transcript of it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::world::World;

/// The text of a result.
pub(crate) fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

/// An assistant that talks to the real program.
pub(crate) struct Assistant {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    transcript: String,
    /// Ids of the drafts that were made.
    pub(crate) drafts: Vec<String>,
}

impl Assistant {
    pub(crate) fn new(world: &World, arguments: &[&str]) -> Self {
        let mut command = world.command(&["mcp"]);
        Self::of(command.args(arguments).env("LOG_FILE", world.path("mcp.log")))
    }

    /// The same with a command of the test's own.
    pub(crate) fn of(command: &mut Command) -> Self {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Self { process, input, output: BufReader::new(output), transcript: String::new(), drafts: Vec::new() }
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(self.input, "{request}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Calls a tool and writes down what it answered.
    #[expect(clippy::needless_pass_by_value, reason = "the calls read better")]
    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": name, "arguments": arguments }));
        let heading = format!("\n======== {name} {arguments}\n");
        let told = match answer.get("error") {
            Some(error) => format!("JSON-RPC error {error}"),
            None => {
                let result = &answer["result"];
                let text = result["content"][0]["text"].as_str().unwrap();
                let data =
                    result.get("structuredContent").map(|data| serde_json::to_string_pretty(data).unwrap());
                format!("{text}\n-------- {}", data.unwrap_or_else(|| result["_meta"].to_string()))
            }
        };
        if name == "create_draft" {
            self.drafts.extend(answer["result"]["structuredContent"]["id"].as_str().map(str::to_owned));
        }
        self.transcript.push_str(&heading);
        self.transcript.push_str(&told);
        answer
    }

    /// The transcript, with what chance decides left out.
    pub(crate) fn finish(mut self) -> String {
        drop(self.input);
        assert!(self.process.wait().unwrap().success());
        let words = self.transcript.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
        words.map(|word| without_chance(word, &self.drafts)).collect()
    }
}

/// A word of the transcript; ids of drafts and the random words of fences become what they are.
fn without_chance(word: &str, drafts: &[String]) -> String {
    let bare = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    let stand_in = match bare.len() {
        _ if drafts.iter().any(|id| id == bare) => "DRAFT",
        16 if bare.bytes().all(|byte| byte.is_ascii_hexdigit()) => "NONCE",
        _ => return word.to_owned(),
    };
    word.replace(bare, stand_in)
}
