//! Processes that write drafts and labels beside an import, and processes that die while they do.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mailkeep::clock::Clock;
use mailkeep::drafts::{Drafts, NewDraft};
use mailkeep::home::Home;
use mailkeep::labels::{LabelChange, change_labels};
use mailkeep::query::Page;

use super::{archive, letter};
use crate::world::mail::{many, mboxrd};
use crate::world::{ACCOUNT, Mail, World, text};

const HOME: &str = "MAILKEEP_IT_HOME";
const NOTES: &str = "MAILKEEP_IT_NOTES";
const COUNT: &str = "MAILKEEP_IT_COUNT";

/// Starts this test program again, as a process that only writes.
fn writer(world: &World, notes: &Path, count: usize) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["drafts::processes::writes_drafts_and_labels", "--exact", "--ignored"])
        .env(HOME, world.home())
        .env(NOTES, notes)
        .env(COUNT, count.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// What such a process does: writes a draft, notes its id when it is told that it is stored, changes a label.
#[test]
#[ignore = "other tests run it as a process of its own"]
fn writes_drafts_and_labels() {
    let home = Home::at(PathBuf::from(std::env::var_os(HOME).unwrap()));
    let notes = std::env::var_os(NOTES).unwrap();
    let mut notes = OpenOptions::new().create(true).append(true).open(notes).unwrap();
    let count: usize = std::env::var(COUNT).unwrap().parse().unwrap();
    let drafts = Drafts::new(&home, Clock::system());
    for number in 0..count {
        let draft = drafts.create(&NewDraft { subject: format!("number {number}"), ..letter() }).unwrap();
        writeln!(notes, "{}", draft.id).unwrap();
        let unread = vec!["UNREAD".to_owned()];
        let (add, remove) = if number % 2 == 0 { (Vec::new(), unread) } else { (unread, Vec::new()) };
        let message = "Kitchen@test.example".to_owned();
        let change = LabelChange { account: ACCOUNT.to_owned(), message, add, remove };
        change_labels(&home, &Clock::system(), &change).unwrap();
    }
}

fn world() -> World {
    World::holding(&mboxrd([&Mail::new("Kitchen").bytes()]))
}

/// The ids of all drafts there are.
fn stored(world: &World) -> BTreeSet<String> {
    let page = Page { limit: 10_000, offset: 0 };
    archive(world).drafts(None, page).unwrap().items.into_iter().map(|item| item.id).collect()
}

/// The ids of the drafts that processes were told are stored.
fn noted(notes: &[PathBuf]) -> BTreeSet<String> {
    let read = |path: &PathBuf| fs::read_to_string(path).unwrap_or_default();
    notes.iter().flat_map(|path| read(path).lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

fn wait_for_notes(notes: &Path, count: usize, process: &mut Child) {
    let until = Instant::now() + Duration::from_secs(60);
    while fs::read_to_string(notes).unwrap_or_default().lines().count() < count {
        assert!(
            Instant::now() < until && process.try_wait().unwrap().is_none(),
            "the process wrote too little"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn two_processes_write_while_an_import_runs_and_one_is_killed() {
    let world = world();
    let mail = world.write("many.mbox", mboxrd(&many(1500)));
    let notes = [world.path("one"), world.path("two"), world.path("killed")];

    let mut import = world.command(&["--json", "import", text(&mail), "--account", ACCOUNT]);
    let mut import = import.stdout(Stdio::null()).spawn().unwrap();
    let mut finish =
        [writer(&world, &notes[0], 40).spawn().unwrap(), writer(&world, &notes[1], 40).spawn().unwrap()];
    let mut killed = writer(&world, &notes[2], 100_000).spawn().unwrap();
    wait_for_notes(&notes[2], 5, &mut killed);
    killed.kill().unwrap();
    killed.wait().unwrap();

    assert!(import.wait().unwrap().success());
    assert!(finish.iter_mut().all(|process| process.wait().unwrap().success()));
    let (stored, noted) = (stored(&world), noted(&notes));
    assert!(noted.is_subset(&stored), "a draft that was reported stored is lost");
    assert!(stored.len() <= noted.len() + 1, "more drafts than were written");
    assert!(noted.len() >= 85, "{}", noted.len());
    assert_eq!(world.count("report"), 1500);
    world.assert_sound();
}

#[test]
fn a_process_that_dies_around_a_commit_leaves_all_of_a_write_or_nothing() {
    // Points come in pairs: before and after the commit of the draft, then of the label.
    for (point, drafts, unread) in [(1, 0, 1), (2, 1, 1), (3, 1, 1), (4, 1, 0)] {
        let world = world();

        let died =
            writer(&world, &world.path("notes"), 1).env("MAILKEEP_TEST_CRASH_AT", point.to_string()).status();

        assert!(!died.unwrap().success(), "there is no point {point}");
        assert_eq!(stored(&world).len(), drafts, "drafts after point {point}");
        assert_eq!(world.count("is:unread"), unread, "unread after point {point}");
        world.assert_sound();
    }
}
