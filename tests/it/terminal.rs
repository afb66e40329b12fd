//! What a person sees fits their terminal, reads well, and can be typed again.

mod completes;
mod fits;
mod pages;

use std::process::Command;

use unicode_width::UnicodeWidthStr;

use crate::world::{World, skipped};

/// Runs a command on a terminal of this size; what it shows, with its colours. `None` where no terminal can be made.
fn on_terminal(command: &Command, (columns, rows): (usize, usize)) -> Option<String> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> =
        words.map(|word| format!("'{}'", word.to_str().unwrap().replace('\'', r"'\''"))).collect();
    let line = format!("stty cols {columns} rows {rows}; {}", words.join(" "));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").env_remove("NO_COLOR");
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let output = script.stdin(std::process::Stdio::null()).output().ok()?;
    Some(String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n"))
}

/// The same, or a word that the test did not run.
fn on_terminal_or_skip(test: &str, command: &Command, size: (usize, usize)) -> Option<String> {
    let shown = on_terminal(command, size);
    if shown.is_none() {
        skipped(test, "no `script` here");
    }
    shown
}

/// What a command prints for so many columns.
fn printed(world: &World, columns: usize, arguments: &[&str]) -> String {
    let output = world.command(arguments).env("COLUMNS", columns.to_string()).output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

/// The lines that a terminal of so many columns would have to break, as it measures them.
fn too_wide(text: &str, columns: usize) -> Vec<String> {
    let plain = anstream::adapter::strip_str(text).to_string();
    plain.lines().filter(|line| line.width() > columns).map(ToOwned::to_owned).collect()
}
