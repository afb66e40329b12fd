//! A unit of systemd's user manager. Lingering has it run before the user has signed in.

use std::fs;
use std::path::PathBuf;

use crate::cli::failure::Failure;
use crate::cli::service::{Done, is_there, ran, user_home, write};

const UNIT: &str = "mailkeep.service";

fn file() -> Result<PathBuf, Failure> {
    let own = std::env::var_os("XDG_CONFIG_HOME").filter(|name| !name.is_empty()).map(PathBuf::from);
    let config = own.map_or_else(|| user_home().map(|home| home.join(".config")), Ok)?;
    Ok(config.join("systemd/user").join(UNIT))
}

pub(super) fn install(words: &[String]) -> Result<Done, Failure> {
    let file = file()?;
    if !is_there("systemctl") {
        let command = words.join(" ");
        let message = "there is no systemd here, so nothing was installed".to_owned();
        let hint = format!("have your machine run this as you, and again when it ends: `{command}`");
        return Err(Failure::new("no_systemd", message, hint));
    }
    let mut lines = vec![write(&file, &unit(words))?];
    lines.push(ran("systemctl", &["--user", "daemon-reload"]).map_err(failed)?);
    lines.push(ran("systemctl", &["--user", "enable", "--now", UNIT]).map_err(failed)?);
    // Not every machine lets users do this; it then starts with the user's first sign-in.
    let user = std::env::var("USER").unwrap_or_default();
    let arguments: &[&str] = if user.is_empty() { &["enable-linger"] } else { &["enable-linger", &user] };
    match is_there("loginctl").then(|| ran("loginctl", arguments)) {
        Some(Ok(line)) => lines.push(line),
        Some(Err(line)) => {
            lines.push(line);
            lines.push(
                "It starts when you sign in; `sudo loginctl enable-linger` has it start earlier.".to_owned(),
            );
        }
        None => lines.push("There is no loginctl here: it starts when you sign in.".to_owned()),
    }
    lines.push("see      systemctl --user status mailkeep; journalctl --user -u mailkeep".to_owned());
    Ok(Done { file, lines })
}

pub(super) fn uninstall() -> Result<Done, Failure> {
    let file = file()?;
    let mut lines = Vec::new();
    if !file.exists() {
        lines.push("nothing was installed".to_owned());
        return Ok(Done { file, lines });
    }
    if is_there("systemctl") {
        lines.push(ran("systemctl", &["--user", "disable", "--now", UNIT]).unwrap_or_else(|line| line));
    }
    fs::remove_file(&file)?;
    lines.push(format!("removed  {}", file.display()));
    if is_there("systemctl") {
        lines.push(ran("systemctl", &["--user", "daemon-reload"]).unwrap_or_else(|line| line));
    }
    Ok(Done { file, lines })
}

fn failed(line: String) -> Failure {
    Failure::new("systemd", line, "the unit is written; `systemctl --user status mailkeep` tells more")
}

fn unit(words: &[String]) -> String {
    let command: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    format!(
        "# Written by `mailkeep serve --install`; `mailkeep serve --uninstall` takes it away.\n\
         [Unit]\nDescription=mailkeep: keeps your mail here and sends what you approved\n\
         After=network-online.target\n\n\
         [Service]\nType=simple\nExecStart={}\nRestart=always\nRestartSec=10\nTimeoutStopSec=35\n\
         NoNewPrivileges=true\nUMask=0077\n\n\
         [Install]\nWantedBy=default.target\n",
        command.join(" ")
    )
}

/// A word as systemd reads it back: `%` and `$` mean nothing, blanks do not split it.
fn quoted(word: &str) -> String {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | ':' | '@' | ',' | '=');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    let inner = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    format!("\"{inner}\"")
}

#[cfg(test)]
mod tests {
    use super::{quoted, unit};

    #[test]
    fn words_reach_the_program_as_they_are() {
        assert_eq!(quoted("/usr/bin/mailkeep"), "/usr/bin/mailkeep");
        assert_eq!(quoted("/home/a da/50% \"x\" $HOME\\"), "\"/home/a da/50%% \\\"x\\\" $$HOME\\\\\"");
        assert_eq!(quoted(""), "\"\"");
    }

    #[test]
    fn the_unit_is_the_one_that_is_shipped() {
        let shipped = include_str!("../../../packaging/mailkeep.service");
        let ours = unit(&["%h/.local/bin/mailkeep".to_owned(), "serve".to_owned()])
            .replace("\"%%h/.local/bin/mailkeep\"", "%h/.local/bin/mailkeep");
        let body =
            |text: &str| text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");

        assert_eq!(body(&ours), body(shipped));
    }
}
