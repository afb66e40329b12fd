//! A server that is a program: started when it is first needed, spoken to line by line, ended with everything it started
//! when it does not answer. It gets the variables that are named for it and few others: no other server's credentials.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::orchestrator::mcp_client::{ServerFailure, ToolServer, answer_to, greeting};

/// Variables of ours that a program may need to run at all.
const PASSED_ON: [&str; 8] = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "APPDATA"];
/// The longest line of an answer.
const LONGEST_LINE: u64 = 8 << 20;

/// A server that is started by a command.
pub struct StdioServer {
    command: Vec<String>,
    environment: BTreeMap<String, String>,
    running: Option<Running>,
    last_id: u64,
}

struct Running {
    process: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl StdioServer {
    /// The server that this command starts, with these variables.
    #[must_use]
    pub const fn new(command: Vec<String>, environment: BTreeMap<String, String>) -> Self {
        Self { command, environment, running: None, last_id: 0 }
    }

    /// The number of the process, while there is one.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.running.as_ref().map(|running| running.process.id())
    }

    fn start(&mut self, until: Instant) -> Result<(), ServerFailure> {
        if let Some(running) = &mut self.running
            && running.process.try_wait().is_ok_and(|ended| ended.is_none())
        {
            return Ok(());
        }
        self.end();
        self.running = Some(self.spawn()?);
        self.exchange("initialize", &greeting(), until)?;
        self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
    }

    fn spawn(&self) -> Result<Running, ServerFailure> {
        let unavailable = |error: std::io::Error| {
            ServerFailure::Unavailable(format!("`{}` cannot be started: {error}", self.command.join(" ")))
        };
        let [program, arguments @ ..] = self.command.as_slice() else {
            return Err(ServerFailure::Unavailable("no command starts it".to_owned()));
        };
        let mut command = Command::new(program);
        command.args(arguments).env_clear();
        command.envs(PASSED_ON.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))));
        command.envs(&self.environment);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // What it starts is ended with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = command.spawn().map_err(unavailable)?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(ServerFailure::Unavailable("it has no input and output".to_owned()));
        };
        Ok(Running { process, input, lines: read_lines(output) })
    }

    fn say(&mut self, message: &Value) -> Result<(), ServerFailure> {
        let Some(running) = &mut self.running else {
            return Err(ServerFailure::Unavailable("it does not run".to_owned()));
        };
        let line = format!("{message}\n");
        let said = running.input.write_all(line.as_bytes()).and_then(|()| running.input.flush());
        said.map_err(|error| ServerFailure::Unavailable(format!("it does not listen: {error}")))
    }

    /// Says something and waits for its answer. Requests of the server's own are answered with an error, since we offer
    /// it nothing.
    fn exchange(&mut self, method: &str, params: &Value, until: Instant) -> Result<Value, ServerFailure> {
        self.last_id += 1;
        let id = self.last_id;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let message = self.next(until)?;
            if let Some(answer) = answer_to(id, &message) {
                return answer;
            }
            if message.get("method").is_some() && message.get("id").is_some() {
                self.say(&json!({ "jsonrpc": "2.0", "id": message["id"],
                                  "error": { "code": -32601, "message": "Method not found" } }))?;
            }
        }
    }

    fn next(&mut self, until: Instant) -> Result<Value, ServerFailure> {
        let Some(running) = &self.running else {
            return Err(ServerFailure::Unavailable("it does not run".to_owned()));
        };
        let line = running.lines.recv_timeout(until.saturating_duration_since(Instant::now()));
        let line = line.map_err(|error| match error {
            RecvTimeoutError::Timeout => ServerFailure::Unavailable("it did not answer in time".to_owned()),
            RecvTimeoutError::Disconnected => ServerFailure::Unavailable("it has ended".to_owned()),
        })?;
        serde_json::from_str(&line)
            .map_err(|_| ServerFailure::Unavailable("it does not speak JSON".to_owned()))
    }

    fn end(&mut self) {
        let Some(mut running) = self.running.take() else { return };
        drop(running.input);
        #[cfg(unix)]
        if let Some(group) = i32::try_from(running.process.id()).ok().and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = running.process.kill();
        let _ = running.process.wait();
    }
}

impl ToolServer for StdioServer {
    fn request(&mut self, method: &str, params: Value, within: Duration) -> Result<Value, ServerFailure> {
        let until = Instant::now() + within;
        let answer = self.start(until).and_then(|()| self.exchange(method, &params, until));
        if matches!(answer, Err(ServerFailure::Unavailable(_))) {
            self.end();
        }
        answer
    }
}

impl Drop for StdioServer {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads lines on a thread of its own, so that who waits for one can stop waiting. A line that is too long ends it.
fn read_lines(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = sync_channel(16);
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let mut line = String::new();
            match output.by_ref().take(LONGEST_LINE).read_line(&mut line) {
                Ok(1..) if line.ends_with('\n') && line.trim().is_empty() => {}
                Ok(1..) if line.ends_with('\n') => {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
                _ => break,
            }
        }
    });
    lines
}

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeMap;
    use std::time::{Duration, Instant};

    use serde_json::json;

    use super::StdioServer;
    use crate::orchestrator::mcp_client::{ServerFailure, ToolServer};

    /// A server in a few lines of shell: greets, then does what the script says with each request.
    fn server(script: &str) -> StdioServer {
        let greet = r#"read l; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; read l;"#;
        let command = ["sh", "-c", &format!("{greet} {script}")].map(str::to_owned).to_vec();
        StdioServer::new(command, BTreeMap::from([("OWN_TOKEN".to_owned(), "own".to_owned())]))
    }

    #[test]
    fn a_call_is_answered_and_notes_and_questions_in_between_are_no_answer() {
        let mut server = server(
            r#"read l; echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}';
               echo '{"jsonrpc":"2.0","id":2,"method":"ping"}'; read answer;
               echo '{"jsonrpc":"2.0","id":2,"result":{"ok":true}}'; cat >/dev/null"#,
        );

        let answer = server.request("tools/call", json!({}), Duration::from_secs(60));

        assert_eq!(answer, Ok(json!({ "ok": true })));
    }

    #[test]
    fn one_that_hangs_is_killed_with_what_it_started_and_the_next_call_starts_another() {
        let directory = tempfile::tempdir().unwrap();
        let (mark, child) = (directory.path().join("second"), directory.path().join("child"));
        let script = format!(
            r#"read l; if [ -e {mark} ]; then echo '{{"id":4,"result":"back"}}'; cat >/dev/null; fi;
               touch {mark}; sleep 600 & echo $! > {child}; wait"#,
            mark = mark.display(),
            child = child.display()
        );
        // Ids go on counting: the greeting of the second process is the third request.
        let greet = r#"read l; id=$(echo "$l" | sed 's/.*"id":\([0-9]*\).*/\1/'); echo "{\"id\":$id,\"result\":{}}"; read l;"#;
        let command = ["sh", "-c", &format!("{greet} {script}")].map(str::to_owned).to_vec();
        let mut server = StdioServer::new(command, BTreeMap::new());
        let begun = Instant::now();

        let hung = server.request("tools/call", json!({}), Duration::from_secs(10));

        assert!(matches!(hung, Err(ServerFailure::Unavailable(_))), "{hung:?}");
        assert!(begun.elapsed() < Duration::from_secs(60) && server.process_id().is_none());
        let sleeper = std::fs::read_to_string(&child).unwrap();
        let until = Instant::now() + Duration::from_secs(30);
        let status = format!("/proc/{}/status", sleeper.trim());
        let is_alive = || std::fs::read_to_string(&status).is_ok_and(|text| !text.contains("State:\tZ"));
        while is_alive() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(!is_alive(), "what it started still runs");
        assert_eq!(server.request("tools/call", json!({}), Duration::from_secs(60)), Ok(json!("back")));
    }

    #[test]
    fn it_gets_its_own_variables_and_none_of_others() {
        let mut server = server(
            r#"read l; echo "{\"id\":2,\"result\":{\"own\":\"$OWN_TOKEN\",\"cargo\":\"${CARGO_MANIFEST_DIR:-none}\"}}"; cat >/dev/null"#,
        );

        let answer = server.request("tools/call", json!({}), Duration::from_secs(60)).unwrap();

        assert_eq!(answer, json!({ "own": "own", "cargo": "none" }));
    }

    #[test]
    fn what_does_not_start_or_speak_is_not_available() {
        let none = vec!["/nonexistent/program".to_owned()];
        let babble = ["sh", "-c", "echo hello; cat >/dev/null"].map(str::to_owned).to_vec();
        for command in [Vec::new(), none, babble, vec!["true".to_owned()]] {
            let mut server = StdioServer::new(command.clone(), BTreeMap::new());

            let answer = server.request("tools/call", json!({}), Duration::from_secs(60));

            assert!(matches!(answer, Err(ServerFailure::Unavailable(_))), "{command:?}: {answer:?}");
        }
    }
}
