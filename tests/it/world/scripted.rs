//! A server that says what a test wants, and counts who comes.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A server with a mind of its own.
pub(crate) struct Scripted {
    pub(crate) port: u16,
    connections: Arc<AtomicUsize>,
}

/// Answers one command; `false` hangs up. The tag of the command and the command itself are given.
pub(crate) trait Script: Fn(&mut TcpStream, &str, &str) -> bool + Send + Sync + 'static {}

impl<F: Fn(&mut TcpStream, &str, &str) -> bool + Send + Sync + 'static> Script for F {}

impl Scripted {
    /// Greets with these words and leaves the rest to the script. It ends with the test program.
    pub(crate) fn start(greeting: &'static str, script: impl Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let (count, script) = (Arc::clone(&connections), Arc::new(script));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::Relaxed);
                let script = Arc::clone(&script);
                thread::spawn(move || converse(stream, greeting, &*script));
            }
        });
        Self { port, connections }
    }

    /// How many have come.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

fn converse(mut stream: TcpStream, greeting: &str, script: &dyn Script) {
    if stream.write_all(greeting.as_bytes()).is_err() {
        return;
    }
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    while lines.read_line(&mut line).is_ok_and(|count| count > 0) {
        let (tag, command) = line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""));
        if !script(&mut stream, tag, command) {
            return;
        }
        line.clear();
    }
}
