//! Mail servers of others than dovecot, where `tests/servers/install` could install them.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::world::dovecot::{Imap, PASSWORD, free_port};
use crate::world::skipped;

/// The one user they know.
pub(crate) const USER: &str = "ada";

/// A running server, which keeps everything in memory.
pub(crate) struct OtherServer {
    process: Child,
    pub(crate) port: u16,
}

/// Starts hoodiecrow on loopback: port, password, plugins and mailboxes come as arguments. Its plugin for Gmail's
/// extensions does not say that it is there.
const HOODIECROW: &str = "
    const [port, password, plugins, storage] = process.argv.slice(1);
    const options = { users: { ada: { password } }, plugins: plugins.split(','), storage: JSON.parse(storage) };
    const hoodiecrow = require('hoodiecrow-imap')(options);
    if (plugins.includes('X-GM-EXT-1')) hoodiecrow.registerCapability('X-GM-EXT-1');
    hoodiecrow.server.listen(Number(port), '127.0.0.1');";

fn installed(name: &str) -> Option<PathBuf> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-tools").join(name);
    place.join("pinned.txt").exists().then_some(place)
}

impl OtherServer {
    /// pymap: UIDPLUS, MOVE and IDLE, without CONDSTORE, LIST-STATUS and SPECIAL-USE.
    pub(crate) fn pymap(test: &str) -> Option<Self> {
        let Some(place) = installed("pymap") else {
            skipped(test, "needs pymap; run tests/servers/install");
            return None;
        };
        let port = free_port();
        let mut command = Command::new(place.join("bin/pymap"));
        command.args(["--host", "127.0.0.1", "--port", &port.to_string(), "--no-tls"]);
        command.args(["dict", "--demo-data", "--demo-user", USER, "--demo-password", PASSWORD]);
        Some(Self::start(&mut command, port))
    }

    /// hoodiecrow with these plugins and mailboxes.
    pub(crate) fn hoodiecrow(test: &str, plugins: &str, mailboxes: &str) -> Option<Self> {
        let Some(place) = installed("hoodiecrow") else {
            skipped(test, "needs hoodiecrow; run tests/servers/install");
            return None;
        };
        let port = free_port();
        let mut command = Command::new("node");
        command.current_dir(place).args([
            "-e",
            HOODIECROW,
            "--",
            &port.to_string(),
            PASSWORD,
            plugins,
            mailboxes,
        ]);
        Some(Self::start(&mut command, port))
    }

    fn start(command: &mut Command, port: u16) -> Self {
        let process =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut server = Self { process, port };
        let until = Instant::now() + Duration::from_secs(30);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = server.process.try_wait().unwrap();
            assert!(Instant::now() < until && ended.is_none(), "{command:?} does not listen: {ended:?}");
            std::thread::sleep(Duration::from_millis(30));
        }
        server
    }

    /// A connection of its user.
    pub(crate) fn client(&self) -> Imap {
        Imap::connect(self.port, USER)
    }
}

impl Drop for OtherServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
