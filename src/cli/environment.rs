//! Settings from the environment, by their own names and by those that programs before this one gave them.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use crate::cli::failure::Failure;
use crate::model::Lane;

/// A setting's name, and the one it had elsewhere.
const SECOND_NAMES: [(&str, &str); 5] = [
    ("MAILKEEP_SQLITE_DB", "NITTYMAIL_SQLITE_DB"),
    ("MAILKEEP_IMAP_ADDRESS", "NITTYMAIL_IMAP_ADDRESS"),
    ("MAILKEEP_MCP_MAX_LIMIT", "NITTYMAIL_MCP_MAX_LIMIT"),
    ("MAILKEEP_QUIET", "NITTYMAIL_QUIET"),
    ("MAILKEEP_MCP_DEBUG", "CLUADEMAIL_MCP_DEBUG"),
];

/// A setting; an empty one counts as not set, and its own name wins over the second.
pub(super) fn set(name: &str) -> Option<String> {
    let second = SECOND_NAMES.iter().find(|(own, _)| *own == name).map(|(_, second)| *second);
    variable(name).or_else(|| second.and_then(variable))
}

/// Whether a switch is on.
pub(super) fn is_on(name: &str) -> bool {
    set(name).is_some_and(|value| !matches!(value.to_lowercase().as_str(), "0" | "false" | "no" | "off"))
}

/// Says once, on standard error, which settings were found under their second names.
pub(super) fn warn_of_second_names() {
    let used =
        SECOND_NAMES.iter().filter(|(own, second)| variable(own).is_none() && variable(second).is_some());
    let told: Vec<_> = used.map(|(own, second)| format!("`{second}` is read as `{own}`")).collect();
    if !told.is_empty() {
        let _ = writeln!(std::io::stderr(), "warning: {}", told.join(", "));
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// What each lane signs in with. A process reads what is of its own lane and nothing of the others.
const CREDENTIALS: [(Lane, &[&str]); 3] = [
    (Lane::Mail, &["SMTP_HOST", "SMTP_PORT", "SMTP_SECURE", "SMTP_USER", "SMTP_PASS", "SMTP_PASSWORD"]),
    (Lane::WhatsApp, &["WHATSAPP_ACCESS_TOKEN", "WHATSAPP_PHONE_NUMBER_ID", "WHATSAPP_SESSION_PATH"]),
    (Lane::LinkedIn, &["LINKEDIN_ACCESS_TOKEN", "LINKEDIN_AUTHOR_URN"]),
];

/// Whether a variable is what another lane signs in with.
fn is_foreign(lane: Lane, name: &str) -> bool {
    CREDENTIALS.iter().any(|(other, names)| *other != lane && names.contains(&name))
}

/// Starts this program anew without the credentials of other lanes, where its environment holds any: what nobody was given
/// nobody can tell, and the system shows everybody's environment to their other programs.
#[cfg(unix)]
pub(super) fn leave_foreign_credentials(lane: Lane) -> Result<(), Failure> {
    use std::os::unix::process::CommandExt;

    let all = CREDENTIALS.iter().flat_map(|(_, names)| names.iter());
    let foreign: Vec<_> =
        all.filter(|name| is_foreign(lane, name) && std::env::var_os(name).is_some()).collect();
    if foreign.is_empty() {
        return Ok(());
    }
    let failed = |error: std::io::Error| {
        let message = format!("cannot start without the credentials of other channels: {error}");
        Failure::new("bad_environment", message, "give each channel's process only its own variables")
    };
    let mut command = std::process::Command::new(std::env::current_exe().map_err(failed)?);
    command.args(std::env::args_os().skip(1));
    for name in foreign {
        command.env_remove(name);
    }
    Err(failed(command.exec()))
}

/// Names that may stand in a file of variables beside credentials; what else stands there is none of our business.
const IN_FILES: [&str; 8] = [
    "RATE_LIMIT_PER_HOUR",
    "RATE_LIMIT_PER_DAY",
    "MAX_RETRIES",
    "RETRY_DELAY_MS",
    "RETRY_BACKOFF_MULTIPLIER",
    "LOG_LEVEL",
    "LOG_FILE",
    "VAULT_PATH",
];

/// Variables of the process, and those of one file beside them. The process's own win. The file is one that the owner
/// named or keeps beside the configuration, never one that lies where a program happens to be started.
#[derive(Default)]
pub(super) struct Variables {
    file: BTreeMap<String, String>,
    lane: Lane,
}

impl Variables {
    /// What stands in the file of this lane beside the configuration, if there is one: `.env`, `whatsapp.env`,
    /// `linkedin.env`. The others are not opened.
    pub(super) fn beside(config: Option<&Path>, lane: Lane) -> Result<Self, Failure> {
        let name = match lane {
            Lane::Mail => ".env".to_owned(),
            other => format!("{}.env", other.name()),
        };
        match config.and_then(Path::parent).map(|directory| directory.join(name)) {
            Some(path) if path.is_file() => Self::read(&path, lane),
            _ => Ok(Self { file: BTreeMap::new(), lane }),
        }
    }

    /// What stands in this file.
    pub(super) fn read(path: &Path, lane: Lane) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            let message = format!("cannot read `{}`: {error}", path.display());
            Failure::new("env_file", message, "name a file of lines such as `SMTP_HOST=smtp.example.org`")
        })?;
        let lines = text.lines().filter_map(assignment);
        let own = CREDENTIALS.iter().find(|(known, _)| *known == lane).map_or(&[][..], |(_, names)| *names);
        let is_read = |name: &str| IN_FILES.contains(&name) || own.contains(&name);
        Ok(Self { file: lines.filter(|(name, _)| is_read(name)).collect(), lane })
    }

    /// A variable; an empty one counts as not set.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        if is_foreign(self.lane, name) {
            return None;
        }
        let in_file = || self.file.get(name).cloned().filter(|value| !value.is_empty());
        variable(name).or_else(in_file)
    }
}

/// The name and value of a line `NAME=value`, `export NAME="value"`; `None` for comments and what is neither.
fn assignment(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    Some((name.trim().to_owned(), unquoted(value.trim())))
}

/// A value without its quotation marks; without any, it ends before a comment.
fn unquoted(value: &str) -> String {
    for mark in ['"', '\''] {
        if let Some((inner, _)) = value.strip_prefix(mark).and_then(|rest| rest.rsplit_once(mark)) {
            return inner.to_owned();
        }
    }
    value.split(" #").next().unwrap_or_default().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::Variables;
    use crate::model::Lane;

    #[test]
    fn a_file_of_variables_is_read_as_people_write_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(".env");
        let text = "# server\n\nSMTP_HOST=smtp.example.org # ours\nexport SMTP_USER=\"ada@example.org\"\r\n\
                    SMTP_PASS='p#ss = \"word\" #1'\nSMTP_PORT = 587\nLINKEDIN_ACCESS_TOKEN=secret\nnonsense\n";
        std::fs::write(&path, text).unwrap();

        let variables = Variables::read(&path, Lane::Mail).unwrap();

        let get = |name: &str| variables.file.get(name).map(String::as_str);
        assert_eq!(get("SMTP_HOST"), Some("smtp.example.org"));
        assert_eq!(get("SMTP_USER"), Some("ada@example.org"));
        assert_eq!(get("SMTP_PASS"), Some("p#ss = \"word\" #1"));
        assert_eq!(get("SMTP_PORT"), Some("587"));
        assert_eq!(get("LINKEDIN_ACCESS_TOKEN"), None);
        let other = Variables::read(&path, Lane::LinkedIn).unwrap();
        assert_eq!(other.get("LINKEDIN_ACCESS_TOKEN").as_deref(), Some("secret"));
        assert_eq!((other.get("SMTP_HOST"), other.file.get("SMTP_PASS")), (None, None));
    }
}
