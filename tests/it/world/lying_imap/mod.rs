//! An IMAP server over mailboxes in memory that tells the truth, unless a lie is plugged in: a function over the answer
//! to a command. Each of its users has mailboxes and a lie of their own, so that one server can lie in hundreds of
//! ways at the same time.

pub(crate) mod answers;
pub(crate) mod truth;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

pub(crate) use answers::{Answer, Command, Kind};
pub(crate) use truth::{Folder, Folders};

/// How the server tells what has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    Plain,
    CondStore,
    QResync,
}

impl Mode {
    pub(crate) const ALL: [Self; 3] = [Self::Plain, Self::CondStore, Self::QResync];

    fn capabilities(self) -> &'static str {
        match self {
            Self::Plain => "IMAP4rev1 SASL-IR AUTH=PLAIN",
            Self::CondStore => "IMAP4rev1 SASL-IR AUTH=PLAIN SPECIAL-USE LIST-EXTENDED CONDSTORE",
            Self::QResync => {
                "IMAP4rev1 SASL-IR AUTH=PLAIN SPECIAL-USE LIST-EXTENDED LIST-STATUS ESEARCH ENABLE CONDSTORE QRESYNC"
            }
        }
    }
}

/// What a lie knows.
pub(crate) struct Scene<'a> {
    pub(crate) command: &'a Command,
    pub(crate) folders: &'a Folders,
    pub(crate) mode: Mode,
    /// How many answers were lies before.
    pub(crate) told: u32,
}

impl Scene<'_> {
    /// The mailbox that the command is about.
    pub(crate) fn folder(&self) -> &Folder {
        &self.folders[self.command.mailbox.as_deref().unwrap_or("INBOX")]
    }
}

/// Makes a lie of an honest answer; `None` leaves it as it is.
pub(crate) type Lie = Arc<dyn Fn(&Scene<'_>, &Answer) -> Option<Answer> + Send + Sync>;

/// One user's mail, and what is told of it.
pub(crate) struct User {
    pub(crate) folders: Folders,
    pub(crate) mode: Mode,
    pub(crate) lie: Option<Lie>,
    /// How many answers were lies.
    pub(crate) told: u32,
}

type Users = Arc<Mutex<BTreeMap<String, User>>>;

/// The server, on a free port, as long as the test program runs.
pub(crate) struct LyingImap {
    pub(crate) port: u16,
    users: Users,
}

impl LyingImap {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let users = Users::default();
        let shared = Arc::clone(&users);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let users = Arc::clone(&shared);
                thread::spawn(move || converse(stream, &users));
            }
        });
        Self { port, users }
    }

    /// All users; nothing is answered while they are held.
    pub(crate) fn users(&self) -> MutexGuard<'_, BTreeMap<String, User>> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, name: &str, mode: Mode, folders: Folders) {
        self.users().insert(name.to_owned(), User { folders, mode, lie: None, told: 0 });
    }
}

fn converse(mut stream: TcpStream, users: &Users) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut lines = BufReader::new(stream.try_clone().ok()?);
    stream.write_all(b"* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready\r\n").ok()?;
    let mut user: Option<String> = None;
    let mut open: Option<String> = None;
    let mut line = String::new();
    while lines.read_line(&mut line).is_ok_and(|count| count > 0) {
        let command = Command::new(line.trim_end(), open.as_deref());
        line.clear();
        let Some(name) = &user else {
            user = signed_in(&command.text);
            let capabilities = users.lock().ok()?.get(user.as_ref()?)?.mode.capabilities();
            let end = format!("{} OK [CAPABILITY {capabilities}] welcome\r\n", command.tag);
            stream.write_all(end.as_bytes()).ok()?;
            continue;
        };
        if command.kind == Kind::Open {
            open.clone_from(&command.mailbox);
        }
        let answer = answer(users.lock().ok()?.get_mut(name)?, &command);
        let bytes = answer.bytes();
        stream.write_all(&bytes[..answer.cut.unwrap_or(bytes.len()).min(bytes.len())]).ok()?;
        if answer.cut.is_some() || command.kind == Kind::Logout {
            return None;
        }
    }
    None
}

/// Who signs in, in `AUTHENTICATE PLAIN` with its first answer.
fn signed_in(text: &str) -> Option<String> {
    let reply = STANDARD.decode(text.strip_prefix("AUTHENTICATE PLAIN ")?).ok()?;
    let reply = String::from_utf8(reply).ok()?;
    reply.split('\0').nth(1).map(str::to_owned)
}

fn answer(user: &mut User, command: &Command) -> Answer {
    let truth = answers::honest(&user.folders, user.mode, command);
    let Some(lie) = user.lie.clone() else { return truth };
    let scene = Scene { command, folders: &user.folders, mode: user.mode, told: user.told };
    match lie(&scene, &truth) {
        Some(told) => {
            user.told += 1;
            told
        }
        None => truth,
    }
}
