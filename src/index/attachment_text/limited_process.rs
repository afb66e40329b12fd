//! Runs a command on some bytes and takes what it prints, within a time and a size. Nothing it does can keep
//! us waiting past the limit: input and output have a thread each, and a late child is killed.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How soon we look whether a child that closed its output has ended; the waits double up to the second one.
const GLANCES: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(1));

/// What the command printed for this input, when it ended well within the limits. Of our environment it gets the time
/// zone, and its complaints are dropped.
pub fn output(command: &mut Command, input: &[u8], max_output: usize, limit: Duration) -> Option<Vec<u8>> {
    let deadline = Instant::now() + limit;
    let mut child = command
        .env_clear()
        .envs(std::env::var_os("TZ").map(|zone| ("TZ", zone)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let (stdin, stdout) = (child.stdin.take()?, child.stdout.take()?);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        scope.spawn(move || feed(stdin, input));
        scope.spawn(move || sender.send(collect(stdout, max_output)));
        let output = receiver.recv_timeout(limit);
        let ended_well = ends_well(&mut child, deadline);
        output.ok()?.ok().filter(|output| ended_well && output.len() <= max_output)
    })
}

/// A child that has seen enough may close its input early, so a failed write means nothing.
fn feed(mut stdin: impl Write, input: &[u8]) {
    let _ = stdin.write_all(input);
}

/// One byte more than allowed tells output that was too long from output that just fits.
fn collect(stdout: impl Read, max_output: usize) -> io::Result<Vec<u8>> {
    let mut output = Vec::new();
    stdout.take(max_output as u64 + 1).read_to_end(&mut output)?;
    Ok(output)
}

/// Waits for the end of the child, and makes it come at the deadline.
fn ends_well(child: &mut Child, deadline: Instant) -> bool {
    let (mut glance, longest) = GLANCES;
    while Instant::now() < deadline {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => {
                thread::sleep(glance);
                glance = (glance * 2).min(longest);
            }
            Err(_) => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::output;

    const LIMIT: Duration = Duration::from_millis(300);

    fn run(script: &str, input: &[u8], limit: Duration) -> Option<Vec<u8>> {
        output(Command::new("/bin/sh").args(["-c", script]), input, 1 << 20, limit)
    }

    #[test]
    fn input_goes_in_and_output_comes_out() {
        let input = vec![b'x'; 1 << 20];

        assert_eq!(run("exec cat", &input, Duration::from_secs(10)), Some(input));
    }

    #[test]
    fn a_child_that_takes_too_long_is_ended() {
        let start = Instant::now();

        assert_eq!(run("exec sleep 60", &[0; 1 << 20], LIMIT), None);
        assert_eq!(run("exec >&-; exec sleep 60", b"", LIMIT), None);
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_child_that_never_stops_printing_is_ended() {
        assert_eq!(run("exec yes", b"", Duration::from_secs(2)), None);
    }

    #[test]
    fn a_child_that_fails_has_no_output() {
        assert_eq!(run("echo half; exit 1", b"", Duration::from_secs(10)), None);
        assert_eq!(run("echo half; kill -9 $$", b"", Duration::from_secs(10)), None);
    }

    #[test]
    fn a_child_that_ignores_its_input_still_answers() {
        assert_eq!(run("echo done", &[0; 4 << 20], Duration::from_secs(10)), Some(b"done\n".to_vec()));
    }

    #[test]
    fn a_child_sees_nothing_of_our_environment() {
        assert_eq!(
            run("echo \"$HOME$USER$CARGO_MANIFEST_DIR\"", b"", Duration::from_secs(10)),
            Some(b"\n".to_vec())
        );
    }
}
