//! Commands for a person to type: by the name this program was called by, quoted for a shell, in lines that fit.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::layout::{filled, width};
use crate::cli::output::Output;

/// How far the lines of one command go in.
const INDENT: &str = "  ";

/// How this program is to be called so that it does what is shown.
pub(super) struct Typed {
    words: Vec<String>,
}

impl Typed {
    /// The program by itself.
    pub(super) fn program() -> Self {
        Self { words: vec![quoted(&program())] }
    }

    /// The program on this home.
    pub(super) fn on_home(home: &Path) -> Self {
        let mut typed = Self::program();
        typed.words.extend(["--home".to_owned(), home_word(home)]);
        typed
    }

    /// A command line.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let arguments = arguments.iter().map(|argument| quoted(argument));
        Command { words: self.words.iter().cloned().chain(arguments).collect() }
    }
}

/// A command line, in words that are quoted already.
pub(super) struct Command {
    words: Vec<String>,
}

impl Command {
    /// The command, and another one if it went well.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.words.push("&&".to_owned());
        self.words.extend(other.words);
        self
    }

    /// In lines that a shell reads as one.
    pub(super) fn lines(&self, columns: Option<usize>) -> Vec<String> {
        let columns = columns.unwrap_or(usize::MAX);
        let mut lines: Vec<String> = Vec::new();
        for word in &self.words {
            match lines.last_mut() {
                Some(line) if width(line) + width(word) + 3 <= columns => line.extend([" ", word]),
                Some(line) => {
                    line.push_str(" \\");
                    lines.push(format!("{INDENT}{word}"));
                }
                None => lines.push(word.clone()),
            }
        }
        lines
    }
}

/// Prints commands and what each is for: beside each other, or below where that does not fit.
pub(super) fn print_commands(commands: &[(Command, &str)], out: &mut Output) -> io::Result<()> {
    let room = out.columns().map(|columns| columns - INDENT.len());
    let laid_out: Vec<_> = commands.iter().map(|(command, what)| (command.lines(room), *what)).collect();
    let longest =
        laid_out.iter().flat_map(|(lines, _)| lines.iter().map(|line| width(line))).max().unwrap_or(0);
    let explained = laid_out.iter().map(|(_, what)| width(what)).max().unwrap_or(0);
    let fits = room.is_none_or(|room| longest + 2 + explained <= room);
    for (lines, what) in &laid_out {
        match lines.as_slice() {
            [line] if fits => out.put(&format!("{INDENT}{}  {what}", filled(line, longest)))?,
            lines => {
                lines.iter().try_for_each(|line| out.put(&format!("{INDENT}{line}")))?;
                let dim = anstyle::Style::new().dimmed();
                out.put(&format!("{INDENT}{INDENT}{INDENT}{dim}{what}{dim:#}"))?;
            }
        }
    }
    Ok(())
}

/// The name this program was called by, if that leads here from where the person is; else where it is.
fn program() -> String {
    let here = env::current_exe().unwrap_or_else(|_| PathBuf::from("mailkeep"));
    let called = env::args_os().next().unwrap_or_default();
    let path = env::var_os("PATH").unwrap_or_default();
    let found = if Path::new(&called).components().count() > 1 {
        Some(PathBuf::from(&called))
    } else {
        env::split_paths(&path).map(|directory| directory.join(&called)).find(|file| file.is_file())
    };
    let leads_here = found.is_some_and(|found| is_same(&found, &here));
    let name: &OsStr = if leads_here { &called } else { here.as_os_str() };
    name.to_string_lossy().into_owned()
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// A directory, with `~` for the person's own where a shell reads it.
fn home_word(directory: &Path) -> String {
    let own = env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let below = own.and_then(|own| directory.strip_prefix(own).ok().map(Path::to_owned));
    match below.and_then(|below| below.to_str().map(ToOwned::to_owned)) {
        Some(below) if !below.is_empty() && is_plain(&below) => format!("~/{below}"),
        _ => quoted(&directory.to_string_lossy()),
    }
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    if is_plain(word) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn is_plain(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c);
    !word.is_empty() && word.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::{Command, quoted};

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        assert_eq!(quoted("in:inbox"), "in:inbox");
        assert_eq!(quoted("has space"), "'has space'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("~/x"), "'~/x'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_long_command_goes_on_in_lines_that_a_shell_joins() {
        let words = ["mailkeep", "--home", "/somewhere/else", "search", "'halcyon has:attachment'"];
        let command = Command { words: words.map(str::to_owned).into() };

        assert_eq!(command.lines(None), [words.join(" ")]);
        assert_eq!(
            command.lines(Some(39)),
            ["mailkeep --home /somewhere/else \\", "  search 'halcyon has:attachment'"]
        );
    }
}
