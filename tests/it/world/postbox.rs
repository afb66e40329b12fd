//! A server that takes mail on this machine and keeps it: just enough of SMTP for a message to arrive.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What it has been told to do.
#[derive(Default)]
struct Kept {
    mails: Vec<(Vec<String>, String)>,
    /// Connections that were greeted.
    greeted: usize,
    /// So many messages are put off with 451 before one is taken.
    put_off: usize,
    /// What it says to a sign-in.
    refuses_sign_in: bool,
}

/// A server that takes mail.
pub(crate) struct Postbox {
    pub(crate) port: u16,
    kept: Arc<Mutex<Kept>>,
}

impl Postbox {
    pub(crate) fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let kept: Arc<Mutex<Kept>> = Arc::default();
        let shared = Arc::clone(&kept);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let _ = talk(stream, &shared);
                });
            }
        });
        Self { port, kept }
    }

    /// The next so many messages are put off.
    pub(crate) fn put_off(&self, messages: usize) {
        self.kept.lock().unwrap().put_off = messages;
    }

    /// Nobody is let in from now on.
    pub(crate) fn refuse_sign_in(&self) {
        self.kept.lock().unwrap().refuses_sign_in = true;
    }

    /// What arrived: recipients and text.
    pub(crate) fn mails(&self) -> Vec<(Vec<String>, String)> {
        self.kept.lock().unwrap().mails.clone()
    }

    /// How many connections there were.
    pub(crate) fn greeted(&self) -> usize {
        self.kept.lock().unwrap().greeted
    }
}

fn talk(stream: TcpStream, kept: &Mutex<Kept>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let mut out = stream;
    out.write_all(b"220 postbox.example ready\r\n")?;
    kept.lock().unwrap().greeted += 1;
    let mut recipients = Vec::new();
    while let Some(line) = lines.next() {
        let line = line?;
        let upper = line.to_uppercase();
        let reply = match upper.split([' ', ':']).next().unwrap_or_default() {
            "EHLO" => "250-postbox.example\r\n250-AUTH PLAIN\r\n250 8BITMIME",
            "AUTH" if kept.lock().unwrap().refuses_sign_in => "535 5.7.8 not you",
            "AUTH" => "235 2.7.0 welcome",
            "RCPT" => {
                recipients.push(
                    line["RCPT TO:".len()..].split('>').next().unwrap().trim_start_matches('<').to_owned(),
                );
                "250 ok"
            }
            "DATA" => {
                out.write_all(b"354 go on\r\n")?;
                let mail = lines.by_ref().map_while(Result::ok).take_while(|line| line != ".");
                let mail: Vec<_> = mail.collect();
                let mut kept = kept.lock().unwrap();
                let taken = std::mem::take(&mut recipients);
                if kept.put_off > 0 {
                    kept.put_off -= 1;
                    "451 4.3.0 come back later"
                } else {
                    kept.mails.push((taken, mail.join("\n")));
                    "250 2.0.0 taken as 4711"
                }
            }
            "QUIT" => {
                out.write_all(b"221 bye\r\n")?;
                return Ok(());
            }
            _ => "250 ok",
        };
        out.write_all(format!("{reply}\r\n").as_bytes())?;
    }
    Ok(())
}
