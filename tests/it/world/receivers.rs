//! Servers of others that take mail and keep it in files: opensmtpd, postfix and aiosmtpd, each with its own idea of where
//! a message ends.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::world::dovecot::free_port;
use crate::world::{opensmtpd, skipped};

/// A running server.
pub(crate) struct Receiver {
    place: TempDir,
    process: Child,
    pub(crate) port: u16,
}

/// What has arrived for one recipient, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arrived {
    pub(crate) recipient: String,
    pub(crate) bytes: Vec<u8>,
}

fn tool(name: &str) -> Option<PathBuf> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-tools").join(name);
    place.join("pinned.txt").exists().then_some(place)
}

fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

fn place() -> TempDir {
    let place = tempfile::Builder::new().prefix("mk").tempdir().unwrap();
    for (path, mode) in
        [("", "755"), ("mail", "777"), ("mail/new", "777"), ("mail/cur", "777"), ("mail/tmp", "777")]
    {
        let path = place.path().join(path);
        fs::create_dir_all(&path).unwrap();
        assert!(Command::new("chmod").arg(mode).arg(&path).status().unwrap().success());
    }
    place
}

impl Receiver {
    /// All that can run here.
    pub(crate) fn all(test: &str) -> Vec<(&'static str, Self)> {
        let opensmtpd = Self::opensmtpd(test).map(|server| ("opensmtpd", server));
        let postfix = Self::postfix(test).map(|server| ("postfix", server));
        let aiosmtpd = Self::aiosmtpd(test).map(|server| ("aiosmtpd", server));
        [opensmtpd, postfix, aiosmtpd].into_iter().flatten().collect()
    }

    pub(crate) fn opensmtpd(test: &str) -> Option<Self> {
        Self::opensmtpd_with(test, |place, port| {
            format!(
                "listen on 127.0.0.1 port {port} hostname test.example\n\
                 action \"keep\" maildir \"{}/mail\" virtual <users>\nmatch from local for any action \"keep\"\n",
                place.display()
            )
        })
    }

    /// One that keeps mail to `ada.example` in `maildir`, and has all else refused by the next server.
    pub(crate) fn opensmtpd_bouncing(test: &str, maildir: &Path) -> Option<Self> {
        let next = free_port();
        Self::opensmtpd_with(test, |_, port| {
            format!(
                "listen on 127.0.0.1 port {port} hostname mx.ada.example\n\
                 listen on 127.0.0.1 port {next} hostname mx.there.example tag refuse\n\
                 action \"keep\" maildir \"{}\" virtual <users>\n\
                 action \"out\" relay host \"smtp://127.0.0.1:{next}\"\n\
                 match tag refuse from any for any reject\n\
                 match from local for domain \"ada.example\" action \"keep\"\n\
                 match from local for any action \"out\"\n",
                maildir.display()
            )
        })
    }

    fn opensmtpd_with(test: &str, rules: impl FnOnce(&Path, u16) -> String) -> Option<Self> {
        if !opensmtpd::is_here(test) {
            return None;
        }
        let (place, port) = (place(), free_port());
        let command = opensmtpd::command(place.path(), &rules(place.path(), port));
        Some(Self::start(command, place, port))
    }

    pub(crate) fn postfix(test: &str) -> Option<Self> {
        let Some(root) = tool("postfix").filter(|_| is_root()) else {
            skipped(test, "needs root and postfix; run tests/servers/install");
            return None;
        };
        let (place, port) = (place(), free_port());
        for name in ["etc", "queue", "data"] {
            fs::create_dir(place.path().join(name)).unwrap();
        }
        assert!(
            Command::new("chown").arg("daemon").arg(place.path().join("data")).status().unwrap().success()
        );
        let fill = |text: &str| {
            text.replace("@ROOT@", crate::world::text(&root))
                .replace("@DIR@", crate::world::text(place.path()))
                .replace("@PORT@", &port.to_string())
        };
        fs::write(place.path().join("etc/main.cf"), fill(include_str!("postfix_main.cf"))).unwrap();
        fs::write(place.path().join("etc/master.cf"), fill(include_str!("postfix_master.cf"))).unwrap();
        let mut command = Command::new(root.join("usr/sbin/postfix"));
        command.arg("-c").arg(place.path().join("etc")).arg("start-fg");
        command.env("LD_LIBRARY_PATH", root.join("usr/lib/postfix"));
        Some(Self::start(command, place, port))
    }

    pub(crate) fn aiosmtpd(test: &str) -> Option<Self> {
        let Some(tools) = tool("aiosmtpd") else {
            skipped(test, "needs aiosmtpd; run tests/servers/install");
            return None;
        };
        let (place, port) = (place(), free_port());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/aiosmtpd_sink.py");
        let mut command = Command::new(tools.join("bin/python"));
        command.arg(script).arg(port.to_string()).arg(place.path().join("mail/new"));
        Some(Self::start(command, place, port))
    }

    fn start(mut command: Command, place: TempDir, port: u16) -> Self {
        let log = fs::File::create(place.path().join("log")).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let process = command.process_group(0).spawn().unwrap();
        let server = Self { place, process, port };
        let until = Instant::now() + Duration::from_secs(30);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "the server does not listen: {}", server.log());
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.place.path().join("log")).unwrap_or_default()
    }

    /// Submits a message whose lines end in CRLF.
    pub(crate) fn submit(&self, from: &str, to: &str, message: &[u8]) {
        let mut wire = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let mut answers = BufReader::new(wire.try_clone().unwrap()).lines();
        let mut expect = |code: &str| {
            let mut last = answers.next().unwrap().unwrap();
            while last.as_bytes().get(3) == Some(&b'-') {
                last = answers.next().unwrap().unwrap();
            }
            assert!(last.starts_with(code), "{last}");
        };
        expect("220");
        for (command, code) in [
            ("HELO laptop.ada.example".to_owned(), "250"),
            (format!("MAIL FROM:<{from}>"), "250"),
            (format!("RCPT TO:<{to}>"), "250"),
            ("DATA".to_owned(), "354"),
        ] {
            write!(wire, "{command}\r\n").unwrap();
            expect(code);
        }
        wire.write_all(message).unwrap();
        wire.write_all(b".\r\n").unwrap();
        expect("250");
    }

    /// What has arrived when it is so many, and nothing follows.
    pub(crate) fn arrived(&self, expected: usize) -> Vec<Arrived> {
        let until = Instant::now() + Duration::from_secs(60);
        while self.files().len() < expected && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        std::thread::sleep(Duration::from_millis(500));
        let mut all: Vec<_> = self.files().iter().map(|file| read(&fs::read(file).unwrap())).collect();
        all.sort();
        all
    }

    fn files(&self) -> Vec<PathBuf> {
        let new = self.place.path().join("mail/new");
        let names = fs::read_dir(new).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| !path.file_name().unwrap().to_str().unwrap().starts_with('.')).collect()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        // The whole group, which is its own: servers leave children behind.
        let group = rustix::process::Pid::from_child(&self.process);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
        std::thread::sleep(Duration::from_millis(100));
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.process.wait();
    }
}

/// A file as a server keeps it, without what it put in front, and with the line ends of the wire.
fn read(file: &[u8]) -> Arrived {
    let kept = String::from_utf8(file.to_vec()).unwrap();
    let own = ["Return-Path:", "X-Original-To:", "Delivered-To:", "Received:"];
    let mut lines = kept.split_inclusive('\n').peekable();
    let mut recipient = String::new();
    while let Some(line) = lines.next_if(|line| own.iter().any(|name| line.starts_with(name))) {
        if let Some(address) = line.strip_prefix("Delivered-To: ") {
            recipient = address.trim().trim_matches(['<', '>']).to_owned();
        }
        while lines.next_if(|line| line.starts_with([' ', '\t'])).is_some() {}
    }
    let bytes = lines.collect::<String>().replace('\n', "\r\n").into_bytes();
    Arrived { recipient, bytes }
}
