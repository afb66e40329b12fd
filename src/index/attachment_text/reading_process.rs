//! A child process that reads one document after the other, while there are many: starting a process costs more than
//! reading most documents. It is ended with the first document that it cannot read, so that none suffers for another.

use std::io::{self, Read};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::wire;
use crate::parse::document::DocumentKind;

/// A process reads so many documents, and works so long, before a fresh one takes over: its limit of processor time
/// counts from its start.
const MOST_DOCUMENTS: usize = 100;
const MOST_WORK: Duration = Duration::from_secs(2);

/// A child that waits for documents.
#[derive(Debug)]
pub(super) struct ReadingProcess {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<Vec<u8>>,
    documents: usize,
    work: Duration,
}

impl ReadingProcess {
    /// Starts one. It gets no environment and its complaints are dropped.
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        let command = command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || listen(stdout, &sender));
        Ok(Self { child, stdin, answers, documents: 0, work: Duration::ZERO })
    }

    /// Whether it has read anything yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.documents == 0
    }

    /// Whether it may read another document.
    pub(super) fn may_go_on(&self) -> bool {
        self.documents < MOST_DOCUMENTS && self.work < MOST_WORK
    }

    /// The text of a document; `None` when it gave none in time, and then the process is not to be used again.
    pub(super) fn read(&mut self, kind: DocumentKind, bytes: &[u8], limit: Duration) -> Option<Vec<u8>> {
        let begun = Instant::now();
        let (stdin, answers, child) = (&mut self.stdin, &self.answers, &mut self.child);
        let answer = thread::scope(|scope| {
            // A child that reads nothing must not keep us waiting: it is killed below, and the write fails.
            scope.spawn(move || wire::ask(stdin, kind, bytes));
            let answer = answers.recv_timeout(limit).ok();
            if answer.is_none() {
                let _ = child.kill();
            }
            answer
        });
        self.documents += 1;
        self.work += begun.elapsed();
        answer
    }
}

impl Drop for ReadingProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Takes answers until the child ends or says something else.
fn listen(mut stdout: impl Read, answers: &Sender<Vec<u8>>) {
    while let Ok(Some(answer)) = wire::answer(&mut stdout) {
        if answers.send(answer).is_err() {
            return;
        }
    }
}
