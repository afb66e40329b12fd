//! Long text is shown a screen at a time, on a terminal, by the program that the person reads with.

use super::on_terminal_or_skip;
use crate::world::mail::mboxrd;
use crate::world::{Mail, World, text};

const SCREEN: (usize, usize) = (80, 24);

/// A message that is longer than a screen, one that is not, and a pager that notes what it was given.
struct Desk {
    world: World,
    long: String,
    short: String,
}

impl Desk {
    fn new() -> Self {
        let long = Mail::new("Long").body(&"one more line\n".repeat(100));
        let short = Mail::new("Short").body("one line");
        let world = World::holding(&mboxrd(&[long.bytes(), short.bytes()]));
        let id = |subject: &str| {
            let found = world.json(&["search", &format!("subject:{subject}")]);
            found["results"][0]["id"].as_str().unwrap().to_owned()
        };
        Self { long: id("long"), short: id("short"), world }
    }

    /// What the terminal shows, and what the pager was given.
    fn show(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Option<(String, String)> {
        let noted = self.world.path("noted");
        let _ = std::fs::remove_file(&noted);
        let mut command = self.world.command(arguments);
        command.env_remove("MAILKEEP_PAGER").env("PAGER", format!("tee '{}' | wc -l", text(&noted)));
        for (name, value) in variables {
            command.env(name, value.replace("NOTED", text(&noted)));
        }
        let shown = on_terminal_or_skip("long text", &command, SCREEN)?;
        Some((shown, std::fs::read_to_string(noted).unwrap_or_default()))
    }
}

#[test]
fn what_is_longer_than_the_screen_goes_to_the_pager_with_its_colours() {
    let desk = Desk::new();

    let Some((shown, noted)) = desk.show(&["show", &desk.long], &[]) else { return };

    assert_eq!(noted.matches("one more line").count(), 100, "{noted}");
    assert!(noted.contains("\u{1b}[1mFrom:"), "{noted}");
    assert!(!shown.contains("one more line"), "{shown}");
}

#[test]
fn what_fits_the_screen_is_printed() {
    let desk = Desk::new();

    let Some((shown, noted)) = desk.show(&["show", &desk.short], &[]) else { return };

    assert!(shown.contains("one line") && noted.is_empty(), "{shown}");
}

#[test]
fn our_own_variable_comes_first_and_who_wants_no_pager_gets_none() {
    let desk = Desk::new();
    let long = ["show", desk.long.as_str()];

    let own = [("MAILKEEP_PAGER", "cat > 'NOTED'"), ("PAGER", "false")];
    let Some((_, noted)) = desk.show(&long, &own) else { return };
    assert_eq!(noted.matches("one more line").count(), 100);
    for (arguments, variables) in [
        (vec!["--no-pager", "show", &desk.long], vec![]),
        (long.to_vec(), vec![("PAGER", "cat")]),
        (long.to_vec(), vec![("MAILKEEP_PAGER", "")]),
        (vec!["show", "--raw", &desk.long], vec![]),
        (vec!["--json", "show", &desk.long], vec![]),
    ] {
        let (shown, noted) = desk.show(&arguments, &variables).unwrap();

        assert!(noted.is_empty() && shown.contains("one more line"), "{arguments:?} {variables:?}");
    }
}

#[test]
fn a_pager_that_is_not_there_or_ends_early_costs_nothing() {
    let desk = Desk::new();
    let long = ["show", desk.long.as_str()];

    let Some((shown, _)) = desk.show(&long, &[("PAGER", "there-is-no-such-pager 2>&-")]) else { return };
    assert_eq!(shown.matches("one more line").count(), 100, "{shown}");

    let (shown, _) = desk.show(&long, &[("PAGER", "head -n 1")]).unwrap();
    assert!(shown.contains("From:") && !shown.contains("error"), "{shown}");
}

#[test]
fn a_program_that_reads_along_gets_everything_at_once() {
    let desk = Desk::new();

    let output = desk.world.command(&["show", &desk.long]).env("PAGER", "false").output().unwrap();

    assert_eq!(String::from_utf8(output.stdout).unwrap().matches("one more line").count(), 100);
}
