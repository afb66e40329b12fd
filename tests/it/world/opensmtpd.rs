//! OpenSMTPD as a real mail system that cannot deliver: what it sends back goes to a Maildir. It runs with a spool and a
//! control socket of its own, so that several can run at once, and nothing on the machine is touched.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::world::dovecot::free_port;
use crate::world::skipped;

/// A running server; it ends with the test.
pub(crate) struct OpenSmtpd {
    place: TempDir,
    server: Child,
    port: u16,
}

impl OpenSmtpd {
    /// Starts one that keeps mail to `ada.example` in `maildir`, and has all else refused by the next server. `None`, and
    /// a word about it, where that is impossible.
    pub(crate) fn start(test: &str, maildir: &Path) -> Option<Self> {
        let is_root = rustix::process::getuid().is_root();
        let works = |program: &str, argument: &str| {
            let mut command = Command::new(program);
            command.arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
        };
        if !(is_root && works("smtpd", "-h") && works("unshare", "--version")) {
            skipped(test, "needs root and the Debian packages opensmtpd and util-linux");
            return None;
        }
        let place = tempfile::Builder::new().prefix("mk").tempdir().unwrap();
        let port = free_port();
        configure(place.path(), maildir, port);
        let server = launch(place.path());
        let smtpd = Self { place, server, port };
        smtpd.wait();
        Some(smtpd)
    }

    fn wait(&self) {
        let until = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(Instant::now() < until, "smtpd does not listen: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
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
}

impl Drop for OpenSmtpd {
    fn drop(&mut self) {
        // The parent ends its children when it is told to; killing it would leave them.
        let _ = Command::new("kill").arg(self.server.id().to_string()).status();
        let _ = self.server.wait();
    }
}

fn configure(place: &Path, maildir: &Path, port: u16) {
    let directory = place.display();
    let next = free_port();
    let text = format!(
        "table users file:{directory}/users\n\
         listen on 127.0.0.1 port {port} hostname mx.ada.example\n\
         listen on 127.0.0.1 port {next} hostname mx.there.example tag refuse\n\
         action \"keep\" maildir \"{}\" virtual <users>\n\
         action \"out\" relay host \"smtp://127.0.0.1:{next}\"\n\
         match tag refuse from any for any reject\n\
         match from local for domain \"ada.example\" action \"keep\"\n\
         match from local for any action \"out\"\n",
        maildir.display()
    );
    fs::write(place.join("smtpd.conf"), text).unwrap();
    fs::write(place.join("users"), "@ nobody\n").unwrap();
    make_spool(&place.join("spool"));
    assert!(Command::new("chmod").arg("711").arg(place).status().unwrap().success());
}

fn make_spool(spool: &Path) {
    let run = |program: &str, arguments: &[&str], path: PathBuf| {
        assert!(Command::new(program).args(arguments).arg(path).status().unwrap().success());
    };
    for name in ["incoming", "offline", "purge", "queue", "temporary"] {
        fs::create_dir_all(spool.join(name)).unwrap();
        let (owner, mode) =
            if name == "offline" { ("root:opensmtpq", "770") } else { ("opensmtpq:root", "700") };
        run("chown", &[owner], spool.join(name));
        run("chmod", &[mode], spool.join(name));
    }
    run("chmod", &["711"], spool.to_owned());
}

/// Spool and control socket have fixed places; a name space for mounts gives this server its own.
fn launch(place: &Path) -> Child {
    let directory = place.display();
    let script = format!(
        "mount --bind {directory}/spool /var/spool/smtpd && mount -t tmpfs tmpfs /run && \
         exec smtpd -d -f {directory}/smtpd.conf"
    );
    let log = fs::File::create(place.join("log")).unwrap();
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &script]).stdin(Stdio::null());
    command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
}
