//! A client that writes raw bytes and reads what comes back.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::World;

/// How long an answer may take before a test gives up; long, because the machine may be busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A server process and the two ends of the conversation.
pub(crate) struct Client {
    pub(super) process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Client {
    /// Starts `mailkeep mcp` with these arguments.
    pub(super) fn start(world: &World, arguments: &[&str]) -> Self {
        Self::run(&mut server(world, arguments))
    }

    /// Starts a command.
    pub(crate) fn run(command: &mut Command) -> Self {
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(process.stdout.take().unwrap());
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { input: process.stdin.take(), process, lines }
    }

    /// A client after the handshake.
    pub(super) fn connected(world: &World, arguments: &[&str]) -> Self {
        let mut client = Self::start(world, arguments);
        let answer = client.initialize("2025-11-25");
        assert!(answer["result"].is_object(), "{answer}");
        client
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// The end of the input, for writing from another thread.
    pub(super) fn take_input(&mut self) -> ChildStdin {
        self.input.take().unwrap()
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// The next line.
    pub(super) fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("the server says something")
    }

    /// The next message.
    pub(crate) fn next(&self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The next line, if one comes in this time.
    pub(crate) fn line_within(&self, time: Duration) -> Option<String> {
        self.lines.recv_timeout(time).ok()
    }

    /// Asks and waits for the answer.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.send(&request(7, method, params));
        self.next()
    }

    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        let answer = self.ask("initialize", &params);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Ends the input and waits for the process.
    pub(crate) fn finish(mut self) -> ExitStatus {
        self.close_input();
        self.wait()
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.process.try_wait().unwrap() {
                Some(status) => return status,
                None if Instant::now() > end => panic!("the server does not end"),
                None => thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let number = self.process.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &number]).status().unwrap().success());
    }

    /// The process's private memory in bytes.
    pub(super) fn private_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
        let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kilobytes << 10
    }
}

/// `mailkeep mcp` with these arguments, logging beside the home.
pub(super) fn server(world: &World, arguments: &[&str]) -> Command {
    let mut command = world.command(&["mcp"]);
    command.args(arguments).env("LOG_FILE", world.path("server.log"));
    command
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// What a modern request says about itself.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// The code of an error answer.
pub(crate) fn code(answer: &Value) -> Option<i64> {
    answer["error"]["code"].as_i64()
}
