//! A person at a real terminal: sees what a command shows there and types answers. The command's controlling terminal is
//! a pseudo-terminal of the test's.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::world::skipped;

/// How long anything may take on a machine that has much to do.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Person {
    terminal: File,
    process: Child,
    shown: Receiver<Vec<u8>>,
    seen: String,
    /// What was seen up to here has been answered.
    answered: usize,
}

/// What a command showed, and how it ended.
pub(crate) struct Ended {
    pub(crate) seen: String,
    pub(crate) code: Option<i32>,
    pub(crate) printed: String,
}

impl Person {
    /// Runs a command on a terminal; `None`, with a word about it, where there is none. What the command prints to its
    /// standard output is kept apart.
    pub(crate) fn runs(test: &str, command: &Command) -> Option<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize { ws_row: 50, ws_col: 160, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let slave = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let mut wrapped = Command::new("setsid");
        wrapped.args(["--ctty", "--wait"]).arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => wrapped.env(name, value),
                None => wrapped.env_remove(name),
            };
        }
        wrapped.stdin(slave.try_clone().unwrap()).stdout(Stdio::piped()).stderr(slave).env("NO_COLOR", "1");
        let Ok(process) = wrapped.spawn() else {
            skipped(test, "no `setsid` here");
            return None;
        };
        drop(wrapped);
        let terminal = File::from(master);
        let shown = watch(terminal.try_clone().unwrap());
        Some(Self { terminal, process, shown, seen: String::new(), answered: 0 })
    }

    /// Waits until this is shown behind what was answered last.
    pub(crate) fn sees(&mut self, text: &str) -> &mut Self {
        let until = Instant::now() + PATIENCE;
        while !self.seen[self.answered..].contains(text) {
            match self.shown.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("`{text}` was not shown: {}", self.seen)
                }
            }
        }
        self
    }

    /// The whole word that begins so, once the line with it has ended.
    pub(crate) fn line_behind(&mut self, beginning: &str) -> String {
        loop {
            let seen = self.seen.rsplit_once(beginning).map(|(_, rest)| rest);
            if let Some((word, _)) = seen.and_then(|rest| rest.split_once(['\r', '\n'])) {
                return format!("{beginning}{}", word.trim());
            }
            let bytes = self.shown.recv_timeout(PATIENCE).unwrap();
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    /// Types a line.
    pub(crate) fn types(&mut self, line: &str) -> &mut Self {
        self.presses(format!("{line}\n").as_bytes())
    }

    /// Presses keys.
    pub(crate) fn presses(&mut self, keys: &[u8]) -> &mut Self {
        self.answered = self.seen.len();
        self.terminal.write_all(keys).unwrap();
        self
    }

    /// Whether the command asks this and waits, rather than ends.
    pub(crate) fn ends_with_question(&mut self, question: &str) -> bool {
        let until = Instant::now() + PATIENCE;
        loop {
            if self.seen[self.answered..].ends_with(question) {
                return true;
            }
            match self.shown.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => panic!("it neither ends nor asks: {}", self.seen),
            }
        }
    }

    /// Waits for the end.
    pub(crate) fn ends(mut self) -> Ended {
        let mut printed = String::new();
        self.process.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        let code = self.process.wait().unwrap().code();
        while let Ok(bytes) = self.shown.recv_timeout(Duration::from_millis(200)) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        Ended { seen: self.seen.replace("\r\n", "\n"), code, printed }
    }
}

/// Reads what is shown until nobody has the terminal any more.
fn watch(mut terminal: File) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(length @ 1..) = terminal.read(&mut bytes) {
            if sender.send(bytes[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}
