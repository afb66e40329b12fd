//! A real IMAP server on a free port of this machine, and a client of its own to look behind mailkeep's back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::world::{identity, skipped};

/// Every user's password. It must be found nowhere.
pub(crate) const PASSWORD: &str = "canary-5e3r7t";

/// A running dovecot.
pub(crate) struct Dovecot {
    place: TempDir,
    pub(crate) port: u16,
    /// The port that speaks TLS from the first byte, when certificates were given.
    pub(crate) tls_port: u16,
}

/// One message as the server has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ServerMessage {
    pub(crate) flags: BTreeSet<String>,
    pub(crate) hash: String,
}

/// All that a server has, or that should be here: mailbox -> uid -> message.
pub(crate) type Mailboxes = BTreeMap<String, BTreeMap<u32, ServerMessage>>;

/// Ports below those that the system gives to outgoing connections.
const PORTS: std::ops::Range<u16> = 12_000..32_000;

/// A port for a server that this process starts. Nobody else gets it: asking the system for a free one and letting go of
/// it would leave it to any connection that is made before the server listens. Other test processes are kept away by a
/// lock that ends with this one.
pub(crate) fn free_port() -> u16 {
    static TAKEN: Mutex<Vec<fs::File>> = Mutex::new(Vec::new());
    let directory = std::env::temp_dir().join("mailkeep-test-ports");
    fs::create_dir_all(&directory).unwrap();
    let span = usize::from(PORTS.end - PORTS.start);
    let start = std::process::id() as usize * 97 + TAKEN.lock().unwrap().len();
    let mut ports = (start..start + span).map(|place| PORTS.start + u16::try_from(place % span).unwrap());
    let found = ports.find_map(|port| {
        let lock = fs::File::create(directory.join(port.to_string())).ok()?;
        lock.try_lock().ok()?;
        TcpListener::bind(("127.0.0.1", port)).ok()?;
        Some((port, lock))
    });
    let (port, lock) = found.expect("some port is free");
    TAKEN.lock().unwrap().push(lock);
    port
}

impl Dovecot {
    /// Starts a server; `None`, and a word about it, where there is none.
    pub(crate) fn start(test: &str) -> Option<Self> {
        Self::with(test, "")
    }

    /// Starts a server with more lines in its configuration; `@DIR@` stands for its directory.
    pub(crate) fn with(test: &str, more: &str) -> Option<Self> {
        let is_root = rustix::process::getuid().is_root();
        let is_there = Command::new("dovecot").arg("--version").stdout(Stdio::null()).status().is_ok();
        if !(is_root && is_there) {
            skipped(test, "needs root and the Debian package dovecot-imapd");
            return None;
        }
        let place = tempfile::Builder::new().prefix("mk").tempdir().unwrap();
        let server = Self { place, port: free_port(), tls_port: free_port() };
        server.configure(more);
        let config = server.path("dovecot.conf");
        // Pipes would stay open as long as the server runs.
        let mut command = Command::new("dovecot");
        let started =
            command.arg("-c").arg(&config).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(started.success(), "dovecot does not start: {}", server.log());
        let until = Instant::now() + Duration::from_secs(10);
        let tls_port = more.contains("ssl = yes").then_some(server.tls_port);
        for port in [Some(server.port), tls_port].into_iter().flatten() {
            while TcpStream::connect(("127.0.0.1", port)).is_err() {
                assert!(Instant::now() < until, "dovecot does not listen");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        Some(server)
    }

    fn configure(&self, more: &str) {
        for name in ["run", "mail"] {
            fs::create_dir(self.path(name)).unwrap();
        }
        let give = Command::new("chown").arg("nobody:nogroup").arg(self.path("mail")).status().unwrap();
        assert!(give.success());
        let open = Command::new("chmod").arg("755").arg(self.place.path()).status().unwrap();
        assert!(open.success());
        let own = include_str!("dovecot.conf")
            .replace("@MORE@", more)
            .replace("@DIR@", self.place.path().to_str().unwrap())
            .replace("@PORT@", &self.port.to_string())
            .replace("@TLSPORT@", &if more.contains("ssl = yes") { self.tls_port } else { 0 }.to_string())
            .replace("@PASSWORD@", PASSWORD);
        fs::write(self.path("dovecot.conf"), own).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// A connection as this user.
    pub(crate) fn client(&self, user: &str) -> Imap {
        Imap::connect(self.port, user)
    }

    /// Waits until all sessions of a user are over.
    fn wait_for_silence(&self, user: &str) {
        let config = self.path("dovecot.conf");
        let is_there = || {
            let mut command = Command::new("doveadm");
            let output = command.arg("-c").arg(&config).args(["who", "-1", user]).output().unwrap();
            String::from_utf8_lossy(&output.stdout).lines().any(|line| line.starts_with(user))
        };
        let until = Instant::now() + Duration::from_secs(5);
        while is_there() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(30));
    }

    /// Makes the server forget the uids of a mailbox, so that it gets a new UIDVALIDITY. Nobody may have it open.
    pub(crate) fn renumber(&self, user: &str, mailbox: &str) {
        self.wait_for_silence(user);
        let folder =
            if mailbox == "INBOX" { String::new() } else { format!(".{}", mailbox.replace('/', ".")) };
        let directory = self.path("mail").join(user).join("Maildir").join(folder);
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if name.starts_with("dovecot.index") || name == "dovecot-uidlist" {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        for entry in fs::read_dir(self.path("mail").join(user).join("Maildir")).unwrap().flatten() {
            if entry.file_name().to_str().unwrap().starts_with("dovecot.list.index") {
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }

    /// Gives a mailbox another UIDVALIDITY, whoever has it open. Its uids stay, and mean nothing any more.
    pub(crate) fn revalidate(&self, user: &str, mailbox: &str, uidvalidity: u32) {
        let mut command = Command::new("doveadm");
        command.arg("-c").arg(self.path("dovecot.conf")).args(["mailbox", "update", "-u", user]);
        let name = mailkeep::wire::imap::mailbox_name::decode(mailbox.as_bytes());
        let output = command.args(["--uid-validity", &uidvalidity.to_string(), &name]).output().unwrap();
        assert!(output.status.success(), "{}", crate::world::told(&output));
    }

    /// All files of the server's log.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = self.log();
            let lines: Vec<_> =
                log.lines().filter(|line| line.contains("Error") || line.contains("Panic")).collect();
            let last = lines[lines.len().saturating_sub(5)..].join("\n");
            let _ = writeln!(std::io::stderr(), "the server's last errors:\n{last}");
        }
        let pid = fs::read_to_string(self.path("run/master.pid")).unwrap_or_default();
        let _ = Command::new("kill").arg(pid.trim()).status();
        let until = Instant::now() + Duration::from_secs(5);
        while Path::new("/proc").join(pid.trim()).exists() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A small client: enough to change and to look at everything.
pub(crate) struct Imap {
    stream: BufReader<TcpStream>,
    tag: u32,
}

impl Imap {
    pub(crate) fn connect(port: u16, user: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut client = Self { stream: BufReader::new(stream), tag: 0 };
        client.line();
        client.run(&format!("LOGIN {user} {PASSWORD}"));
        client
    }

    /// Runs a command; everything that was said until its end, which must be good.
    pub(crate) fn run(&mut self, command: &str) -> Vec<u8> {
        let (said, end) = self.try_run(command);
        assert!(end.contains(" OK"), "{command}: {end}");
        said
    }

    /// Runs a command; everything that was said, and how it ended.
    pub(crate) fn try_run(&mut self, command: &str) -> (Vec<u8>, String) {
        self.tag += 1;
        let tag = format!("t{} ", self.tag);
        self.stream.get_mut().write_all(format!("{tag}{command}\r\n").as_bytes()).unwrap();
        self.until(&tag)
    }

    fn until(&mut self, tag: &str) -> (Vec<u8>, String) {
        let mut said = Vec::new();
        loop {
            let line = self.line();
            if line.starts_with(tag.as_bytes()) {
                return (said, String::from_utf8_lossy(&line).into_owned());
            }
            said.extend_from_slice(&line);
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            if let Some(length) = text.strip_suffix('}').and_then(|t| t.rsplit_once('{')).map(|(_, n)| n) {
                let mut literal = vec![0; length.parse().unwrap()];
                self.stream.read_exact(&mut literal).unwrap();
                said.extend_from_slice(&literal);
            }
        }
    }

    fn line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line).unwrap();
        assert!(!line.is_empty(), "the server hung up");
        line
    }

    /// Puts a message into a mailbox.
    pub(crate) fn append(&mut self, mailbox: &str, flags: &str, message: &[u8]) {
        self.append_at(mailbox, flags, "", message);
    }

    /// The same, received at a given moment.
    pub(crate) fn append_at(&mut self, mailbox: &str, flags: &str, moment: &str, message: &[u8]) {
        self.tag += 1;
        let tag = format!("t{} ", self.tag);
        let moment = if moment.is_empty() { String::new() } else { format!(" \"{moment}\"") };
        let command = format!("{tag}APPEND \"{mailbox}\" ({flags}){moment} {{{}}}\r\n", message.len());
        self.stream.get_mut().write_all(command.as_bytes()).unwrap();
        assert!(self.line().starts_with(b"+"));
        self.stream.get_mut().write_all(message).unwrap();
        self.stream.get_mut().write_all(b"\r\n").unwrap();
        let (_, end) = self.until(&tag);
        assert!(end.contains(" OK"), "{end}");
    }

    /// The names of all mailboxes that can be opened.
    pub(crate) fn mailboxes(&mut self) -> Vec<String> {
        let said = String::from_utf8(self.run("LIST \"\" \"*\"")).unwrap();
        let names = said.lines().filter(|line| !line.to_lowercase().contains("\\noselect"));
        let names = names.filter_map(|line| line.rsplit_once(" \"/\" ").or_else(|| line.rsplit_once(" / ")));
        names.map(|(_, name)| name.trim().trim_matches('"').to_owned()).collect()
    }

    /// The uids of a mailbox.
    pub(crate) fn uids(&mut self, mailbox: &str) -> Vec<u32> {
        self.run(&format!("SELECT \"{mailbox}\""));
        let said = String::from_utf8(self.run("UID SEARCH ALL")).unwrap();
        let line = said.lines().find(|line| line.starts_with("* SEARCH")).unwrap_or("");
        line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
    }

    /// Everything the server has.
    pub(crate) fn everything(&mut self) -> Mailboxes {
        let names = self.mailboxes();
        names.into_iter().map(|name| (name.clone(), self.messages(&name))).collect()
    }

    fn messages(&mut self, mailbox: &str) -> BTreeMap<u32, ServerMessage> {
        let uids = self.uids(mailbox);
        uids.into_iter().map(|uid| (uid, self.message(uid))).collect()
    }

    fn message(&mut self, uid: u32) -> ServerMessage {
        let said = self.run(&format!("UID FETCH {uid} (FLAGS BODY.PEEK[])"));
        let end = said.iter().position(|byte| *byte == b'\n').unwrap();
        let head = String::from_utf8_lossy(&said[..end]).trim_end().to_owned();
        let flags = head.split_once("FLAGS (").unwrap().1.split_once(')').unwrap().0;
        let flags =
            flags.split_whitespace().filter(|flag| *flag != "\\Recent").map(str::to_lowercase).collect();
        let length: usize =
            head.rsplit_once('{').map_or(0, |(_, n)| n.trim_end_matches('}').parse().unwrap());
        let hash = identity(&said[end + 1..end + 1 + length]);
        ServerMessage { flags, hash }
    }
}
