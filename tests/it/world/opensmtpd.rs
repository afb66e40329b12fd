//! OpenSMTPD, which has fixed places for its spool and its socket: in a view of the file system of its own nobody else sees
//! them, several can run at once, and nothing on the machine is touched.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::world::skipped;

/// Whether it can run here; else a word about it.
pub(crate) fn is_here(test: &str) -> bool {
    let is_root = rustix::process::getuid().is_root();
    let is_there = Path::new("/usr/sbin/smtpd").exists() && Path::new("/usr/bin/unshare").exists();
    if !(is_root && is_there) {
        skipped(test, "needs root and the Debian packages opensmtpd and util-linux");
    }
    is_root && is_there
}

/// What runs it with these rules in this directory. `<users>` is everybody.
pub(crate) fn command(place: &Path, rules: &str) -> Command {
    fs::write(place.join("users"), "@ nobody\n").unwrap();
    let config = place.join("smtpd.conf");
    fs::write(&config, format!("table users file:{}\n{rules}", place.join("users").display())).unwrap();
    let script = format!(
        "mount -t tmpfs -o mode=755 tmpfs /var/spool && mkdir -m 711 /var/spool/smtpd && \
         mount -t tmpfs -o mode=755 tmpfs /run && \
         exec /usr/sbin/smtpd -d -f {}",
        config.display()
    );
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script]);
    command
}
