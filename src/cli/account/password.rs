//! A password from standard input or from the terminal, where it is not shown.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, IsTerminal, Write};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::cli::failure::Failure;
use crate::secret::Secret;

/// The password; `None` when nobody can be asked.
pub(super) fn read(address: &str, from_stdin: bool) -> Result<Option<Secret<String>>, Failure> {
    if from_stdin {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map_err(|error| unreadable(&error))?;
        return Ok(Some(cleaned(&line)?));
    }
    if !std::io::stdin().is_terminal() {
        return Ok(None);
    }
    ask(address).map(Some)
}

fn ask(address: &str) -> Result<Secret<String>, Failure> {
    let mut terminal =
        OpenOptions::new().read(true).write(true).open("/dev/tty").map_err(|error| unreadable(&error))?;
    write!(terminal, "password for {address}: ").map_err(|error| unreadable(&error))?;
    let line = read_hidden(&terminal);
    let _ = writeln!(terminal);
    cleaned(&line.map_err(|error| unreadable(&error))?)
}

fn read_hidden(terminal: &File) -> std::io::Result<String> {
    let shown = tcgetattr(terminal)?;
    let mut hidden = shown.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(terminal, OptionalActions::Flush, &hidden)?;
    let mut line = String::new();
    let read = BufReader::new(terminal).read_line(&mut line);
    tcsetattr(terminal, OptionalActions::Flush, &shown)?;
    read.map(|_| line)
}

fn cleaned(line: &str) -> Result<Secret<String>, Failure> {
    match line.trim_end_matches(['\r', '\n']) {
        "" => Err(Failure::new("no_password", "the password is empty", "type it, or pipe it in")),
        password => Ok(Secret::new(password.to_owned())),
    }
}

fn unreadable(error: &std::io::Error) -> Failure {
    Failure::new(
        "no_password",
        format!("cannot read the password: {error}"),
        "pipe it in with `--password-stdin`",
    )
}
