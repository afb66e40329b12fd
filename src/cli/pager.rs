//! Long text, a screen at a time, in the program that the person reads with.

use std::env;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// What is there on almost every machine: leaves short text on the screen, and shows colours.
const USUAL: &str = "less -FRX";
/// What a shell says when it cannot find a program, or not run it.
const NOT_RUN: [i32; 2] = [126, 127];

/// Shows the text in the pager, and waits for the person to leave it. Says whether it was shown: without a pager it is
/// for the caller to print.
pub(super) fn show(text: &str) -> io::Result<bool> {
    let Some(command) = chosen(|name| env::var(name).ok(), has_less) else { return Ok(false) };
    // Ctrl-C is for the pager, as in `less`, where it ends a search and not the program.
    let _ = ctrlc::set_handler(|| {});
    let mut pager = Command::new("sh");
    pager.args(["-c", &command]).stdin(Stdio::piped());
    for (name, usual) in [("LESS", "FRX"), ("LESSCHARSET", "utf-8")] {
        if env::var_os(name).is_none() {
            pager.env(name, usual);
        }
    }
    let Ok(mut pager) = pager.spawn() else { return Ok(false) };
    if let Some(mut input) = pager.stdin.take() {
        left_early(input.write_all(text.as_bytes()))?;
    }
    let status = pager.wait()?;
    Ok(!status.code().is_some_and(|code| NOT_RUN.contains(&code)))
}

/// Whoever has seen enough does not read on.
fn left_early(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}

/// The command that the person set, ours before the one for all programs; nothing for who wants none.
fn chosen(set: impl Fn(&str) -> Option<String>, has_less: impl Fn() -> bool) -> Option<String> {
    let named = set("MAILKEEP_PAGER").or_else(|| set("PAGER"));
    let command = match named {
        Some(named) => named.trim().to_owned(),
        None if has_less() => USUAL.to_owned(),
        None => return None,
    };
    (!command.is_empty() && command != "cat").then_some(command)
}

fn has_less() -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|directory| Path::new(&directory).join("less").is_file())
}

#[cfg(test)]
mod tests {
    use super::chosen;

    fn chosen_of(set: &[(&str, &str)], has_less: bool) -> Option<String> {
        let value =
            |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        chosen(value, || has_less)
    }

    #[test]
    fn our_own_variable_comes_before_the_common_one() {
        let both = [("MAILKEEP_PAGER", "most"), ("PAGER", "more")];
        assert_eq!(chosen_of(&both, true).as_deref(), Some("most"));
        assert_eq!(chosen_of(&both[1..], true).as_deref(), Some("more"));
    }

    #[test]
    fn without_a_wish_it_is_less_where_that_is_there() {
        assert_eq!(chosen_of(&[], true).as_deref(), Some("less -FRX"));
        assert_eq!(chosen_of(&[], false), None);
    }

    #[test]
    fn who_wants_none_gets_none() {
        assert_eq!(chosen_of(&[("PAGER", "cat")], true), None);
        assert_eq!(chosen_of(&[("MAILKEEP_PAGER", ""), ("PAGER", "less")], true), None);
    }
}
