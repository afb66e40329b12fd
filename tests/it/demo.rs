//! The demonstration works by itself, shows something, can be typed along, and can be repeated.

use std::path::Path;
use std::process::Command;

use crate::world::{NOW, World, list, read_json, text, told};

fn shown(world: &World) -> String {
    let output = world.run(&["demo", "--once"]);
    assert!(output.status.success(), "{}", told(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_demonstration_shows_hits_for_every_search_the_figures_and_an_assistant() {
    let shown = shown(&World::new());

    assert_eq!(shown.matches(" search --limit 3 ").count(), 3, "{shown}");
    assert!(!shown.contains("no messages match"), "{shown}");
    assert!(shown.contains("\nby hour of the week\n"), "{shown}");
    assert!(shown.contains("What to do next:"), "{shown}");
}

/// The commands that the demonstration shows, each with what it prints below.
fn commands(shown: &str) -> Vec<(String, String)> {
    let blocks = shown.split("\n# ").skip(1);
    let command = |block: &str| {
        let (_what, rest) = block.split_once('\n').unwrap();
        let end = rest.match_indices('\n').find(|(at, _)| !rest[..*at].ends_with('\\')).unwrap().0;
        let printed = rest[end + 1..].split("\n\nWhat an assistant").next().unwrap();
        (rest[..end].to_owned(), printed.trim_end().to_owned())
    };
    blocks.map(command).collect()
}

/// Without how long it took.
fn timeless(text: &str) -> String {
    let lines = text.trim_end().lines().map(|line| match line.ends_with(" ms") {
        true => line.rsplit_once(", ").unwrap().0,
        false => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What a shell makes of a command, where the demonstration was started.
fn typed(line: &str, directory: &Path) -> String {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(directory).env("TZ", "UTC").env("MAILKEEP_TEST_NOW", NOW);
    let output = shell.env_remove("COLUMNS").output().unwrap();
    assert!(output.status.success(), "{line}: {}", told(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_commands_it_shows_do_what_it_shows_when_they_are_typed() {
    let world = World::new();
    let program = Path::new(env!("CARGO_BIN_EXE_mailkeep"));
    let directory = program.parent().unwrap();
    let name = program.file_name().unwrap().to_str().unwrap();
    let relative = format!("../{}/{name}", directory.file_name().unwrap().to_str().unwrap());

    // As cargo calls it, as a person does in the directory, by its name, and for a narrow terminal.
    for (called, columns) in [(text(program), ""), (&relative, ""), (name, ""), (name, "60")] {
        let mut demo = Command::new("sh");
        let line =
            format!("PATH=\"{}:$PATH\"; {called} --home '{}' demo", directory.display(), text(world.home()));
        demo.args(["-c", &line]).current_dir(directory).env("TZ", "UTC").env("MAILKEEP_TEST_NOW", NOW);
        demo.env("COLUMNS", columns);
        let shown = String::from_utf8(demo.output().unwrap().stdout).unwrap();

        let commands = commands(&shown);

        assert_eq!(commands.len(), 4, "{shown}");
        for (line, printed) in commands {
            assert!(line.starts_with(&format!("{called} ")), "{line}");
            let line = format!("PATH=\"{}:$PATH\"; COLUMNS='{columns}' {line}", directory.display());
            assert_eq!(timeless(&typed(&line, directory)), timeless(&printed), "{line}");
        }
    }
}

#[test]
fn what_the_assistant_gets_is_what_the_tools_give() {
    let world = World::new();
    let shown = shown(&world);

    let exchange =
        shown.split("What an assistant asks").nth(1).unwrap().split("What to do next").next().unwrap();

    assert!(exchange.contains("assistant calls search_emails {"), "{exchange}");
    assert!(!exchange.contains("\"account\""), "{exchange}");
    assert!(exchange.contains("assistant calls read_email {"), "{exchange}");
    let ids = exchange.split_whitespace().filter(|word| word.len() == 13 && word.starts_with('m'));
    assert!(ids.clone().count() >= 3, "{exchange}");
    for id in ids {
        assert_eq!(world.json(&["show", id])["id"], id);
    }
}

#[test]
fn the_newest_message_is_less_than_a_day_old_and_none_is_of_the_future() {
    let world = World::new();
    shown(&world);

    assert!(world.count("newer_than:1d") > 0);
    assert_eq!(world.count("after:2026-06-16"), 0);
    let newest = &world.json(&["search", "--limit", "1", ""])["results"][0];
    let age = NOW.parse::<jiff::Timestamp>().unwrap().as_second()
        - newest["date"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_second();
    assert!((0..86_400).contains(&age), "{newest}");
}

#[test]
fn the_demonstration_can_be_repeated_on_any_later_day_and_stores_nothing_twice() {
    let world = World::new();
    shown(&world);
    let before = world.hashes();

    for day in [NOW, "2026-06-18T03:00:00Z", "2026-12-24T12:00:00Z"] {
        let again = world.command(&["demo", "--once"]).env("MAILKEEP_TEST_NOW", day).output().unwrap();

        assert!(again.status.success(), "{}", told(&again));
        assert!(String::from_utf8_lossy(&again.stdout).contains("already there"), "{}", told(&again));
        let is_old = day.starts_with("2026-12");
        assert_eq!(
            String::from_utf8_lossy(&again.stderr).contains("the sample was made 192 days ago"),
            is_old
        );
    }
    assert_eq!(world.hashes(), before);
    world.assert_sound();
}

#[test]
fn it_needs_nothing_but_the_program() {
    let place = tempfile::tempdir().unwrap();

    let mut demo = Command::new(env!("CARGO_BIN_EXE_mailkeep"));
    let output =
        demo.arg("demo").env_clear().env("HOME", place.path()).current_dir(place.path()).output().unwrap();

    assert!(output.status.success(), "{}", told(&output));
    let shown = String::from_utf8(output.stdout).unwrap();
    let (line, printed) = commands(&shown).remove(0);
    assert!(line.contains(" --home ~/"), "{line}");
    let line = format!("export HOME='{}'; {line}", text(place.path()));
    assert!(typed(&line, place.path()).contains(printed.lines().nth(1).unwrap()), "{shown}");
}

#[test]
fn scripts_get_the_demonstration_as_json() {
    let world = World::new();

    let shown = read_json(&world.run(&["--json", "demo", "--once"]));

    assert_eq!(shown["home"], world.home().to_str().unwrap());
    assert_eq!(shown["stats"]["messages"], world.count(""));
    assert!(list(&shown["searches"]).iter().all(|search| search["total"].as_u64() > Some(0)), "{shown}");
}
