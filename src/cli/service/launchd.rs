//! An agent of launchd.

use std::fs;
use std::path::PathBuf;

use crate::cli::failure::Failure;
use crate::cli::service::{Done, ran, user_home, write};

const LABEL: &str = "org.mailkeep.serve";

fn file() -> Result<PathBuf, Failure> {
    Ok(user_home()?.join("Library/LaunchAgents").join(format!("{LABEL}.plist")))
}

pub(super) fn install(words: &[String]) -> Result<Done, Failure> {
    let file = file()?;
    let mut lines = vec![write(&file, &agent(words))?];
    let path = file.display().to_string();
    let loaded = ran("launchctl", &["load", "-w", &path]);
    let hint = "the agent is written; it starts when you sign in the next time";
    lines.push(loaded.map_err(|line| Failure::new("launchd", line, hint))?);
    Ok(Done { file, lines })
}

pub(super) fn uninstall() -> Result<Done, Failure> {
    let file = file()?;
    if !file.exists() {
        return Ok(Done { file, lines: vec!["nothing was installed".to_owned()] });
    }
    let path = file.display().to_string();
    let mut lines = vec![ran("launchctl", &["unload", "-w", &path]).unwrap_or_else(|line| line)];
    fs::remove_file(&file)?;
    lines.push(format!("removed  {path}"));
    Ok(Done { file, lines })
}

fn agent(words: &[String]) -> String {
    let words: String =
        words.iter().map(|word| format!("    <string>{}</string>\n", escaped(word))).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <!-- Written by `mailkeep serve`, with its option to install. -->\n\
         <plist version=\"1.0\">\n<dict>\n  <key>Label</key><string>{LABEL}</string>\n  \
         <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n  <key>RunAtLoad</key><true/>\n  \
         <key>KeepAlive</key><true/>\n  <key>ExitTimeOut</key><integer>35</integer>\n  \
         <key>Umask</key><integer>63</integer>\n</dict>\n</plist>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::agent;

    #[test]
    fn the_agent_is_the_one_that_is_shipped() {
        let shipped = include_str!("../../../packaging/org.mailkeep.serve.plist");
        let ours = agent(&["/usr/local/bin/mailkeep".to_owned(), "serve".to_owned()]);
        let body =
            |text: &str| text.lines().filter(|line| !line.starts_with("<!--")).collect::<Vec<_>>().join("\n");

        assert_eq!(body(&ours), body(shipped));
        assert!(agent(&["a&b<c".to_owned()]).contains("a&amp;b&lt;c"));
    }
}
