//! Shells complete our commands, and manual pages tell of them: from the definitions that they are read by.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::world::{World, skipped, told};

/// The commands that the help lists.
fn commands(world: &World) -> BTreeSet<String> {
    let help = String::from_utf8(world.run(&["--help"]).stdout).unwrap();
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .filter(|name| name != "help")
        .collect()
}

fn script(world: &World, shell: &str) -> String {
    let output = world.run(&["completions", shell]);
    assert!(output.status.success(), "{}", told(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
fn every_shell_can_read_its_completions_and_they_name_every_command() {
    let world = World::new();
    let commands = commands(&world);
    assert!(commands.contains("search") && commands.contains("completions"), "{commands:?}");

    for shell in ["bash", "zsh", "fish"] {
        let script = script(&world, shell);
        let file = world.write(shell, &script);

        assert!(commands.iter().all(|command| script.contains(command.as_str())), "{shell}");
        assert!(!script.contains("extract-text") && !script.contains("guarded"), "{shell}");
        if !has(shell) {
            skipped("every_shell_can_read_its_completions", &format!("no {shell} here"));
            continue;
        }
        let read = Command::new(shell).arg("-n").arg(&file).output().unwrap();
        assert!(read.status.success() && read.stderr.is_empty(), "{shell}: {}", told(&read));
    }
}

#[test]
fn bash_completes_commands_options_and_values() {
    let world = World::new();
    let file = world.write("mailkeep.bash", script(&world, "bash"));
    let complete = |words: &[&str]| {
        let list = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let line = format!(
            "source '{}'; COMP_WORDS=({list}); COMP_CWORD={}; _mailkeep mailkeep '{last}' '{before}'; echo \"${{COMPREPLY[*]}}\"",
            file.display(),
            words.len() - 1
        );
        let output = Command::new("bash").args(["--norc", "-c", &line]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };

    assert_eq!(complete(&["mailkeep", "acc"]), "account");
    assert_eq!(complete(&["mailkeep", "search", "--lim"]), "--limit");
    assert_eq!(complete(&["mailkeep", "account", "l"]), "list login");
    assert_eq!(complete(&["mailkeep", "completions", "z"]), "zsh");
    assert_eq!(complete(&["mailkeep", "connect", "claude-d"]), "claude-desktop");
}

/// Installs a small program that runs the real one: a debug build would take long to copy.
fn installed(world: &World, more: &[&str]) -> PathBuf {
    let program =
        world.write("program", format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_mailkeep")));
    let prefix = world.path("prefix");
    let install = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/install");
    let made = Command::new("chmod").arg("+x").arg(&program).status().unwrap();
    let output =
        Command::new(install).arg("--prefix").arg(&prefix).arg("--binary").arg(&program).args(more).output();
    let output = output.unwrap();
    assert!(made.success() && output.status.success(), "{}", told(&output));
    prefix
}

#[test]
fn an_installation_has_the_program_its_manual_and_its_completions() {
    let world = World::new();

    let prefix = installed(&world, &[]);

    let version = Command::new(prefix.join("bin/mailkeep")).arg("--version").output().unwrap();
    assert_eq!(version.stdout, format!("mailkeep {}\n", env!("CARGO_PKG_VERSION")).into_bytes());
    let man = prefix.join("share/man/man1");
    for command in commands(&world) {
        let page = fs::read_to_string(man.join(format!("mailkeep-{command}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{command}");
    }
    let main = fs::read_to_string(man.join("mailkeep.1")).unwrap();
    assert!(!main.contains("extract"), "{main}");
    for (shell, place) in [
        ("bash", "bash-completion/completions/mailkeep"),
        ("zsh", "zsh/site-functions/_mailkeep"),
        ("fish", "fish/vendor_completions.d/mailkeep.fish"),
    ] {
        assert_eq!(fs::read_to_string(prefix.join("share").join(place)).unwrap(), script(&world, shell));
    }
}

#[test]
fn what_was_installed_goes_again() {
    let world = World::new();
    let prefix = installed(&world, &[]);

    installed(&world, &["--uninstall"]);

    let left = Command::new("find").arg(&prefix).args(["-type", "f"]).output().unwrap();
    assert_eq!(String::from_utf8(left.stdout).unwrap(), "");
}

#[test]
fn the_manual_is_sound() {
    let world = World::new();
    let pages = world.path("man");
    assert_eq!(world.json(&["man", "--to", pages.to_str().unwrap()])["to"], pages.to_str().unwrap());
    if Command::new("mandoc").arg("-?").output().is_err() {
        return skipped("the_manual_is_sound", "no mandoc here");
    }

    for page in fs::read_dir(&pages).unwrap() {
        let page = page.unwrap().path();
        let judged = Command::new("mandoc").args(["-T", "lint", "-W", "error"]).arg(&page).output().unwrap();

        assert!(judged.status.success(), "{}: {}", page.display(), told(&judged));
    }
}
