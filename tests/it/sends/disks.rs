//! What cannot be written down is not done: a disk that is full or cannot be written sends nothing, and loses nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use mailkeep::model::ItemState;
use mailkeep::store::Item;

use crate::keeps::disks::{NEEDS_MOUNT, SmallDisk};
use crate::sends::Outgoing;
use crate::world::flaky_smtp::FlakySmtp;
use crate::world::{World, skipped};

/// Leaves no room.
fn fill(disk: &SmallDisk) -> std::path::PathBuf {
    let path = disk.path().join("filler");
    let mut file = fs::File::create(&path).unwrap();
    for size in [1 << 16, 1 << 10, 1] {
        while file.write_all(&vec![b'x'; size]).is_ok() {}
    }
    path
}

#[test]
fn a_full_disk_before_an_attempt_sends_nothing() {
    let Some(disk) = SmallDisk::mount(8) else {
        return skipped("a_full_disk_before_an_attempt", NEEDS_MOUNT);
    };
    let server = FlakySmtp::good();
    let outgoing = Outgoing::on(World::with_home(&disk.path().join("home")), server.port);
    let item = outgoing.approved("Full");
    let filler = fill(&disk);

    assert!(outgoing.worker().run_once().is_err());
    fs::remove_file(filler).unwrap();
    assert_eq!((server.sessions(), outgoing.state(&item)), (0, ItemState::Approved));
    outgoing.send();

    assert_eq!((server.taken().len(), outgoing.state(&item)), (1, ItemState::Sent));
}

#[test]
fn a_disk_that_fills_up_in_the_middle_of_an_attempt_sends_once_when_there_is_room() {
    let Some(disk) = SmallDisk::mount(8) else { return skipped("a_disk_that_fills_up", NEEDS_MOUNT) };
    for fault in ["slow_reply", "dot_hang"] {
        let server = FlakySmtp::with(fault);
        let outgoing = Outgoing::on(World::with_home(&disk.path().join(fault)), server.port);
        let item = outgoing.approved("Filling");

        thread::scope(|scope| {
            scope.spawn(|| outgoing.send());
            while outgoing.attempts(&item).is_empty() {
                thread::sleep(Duration::from_millis(1));
            }
            let filler = fill(&disk);
            thread::sleep(Duration::from_millis(1_500));
            // What the journal could not take was not done.
            let dots = outgoing.attempts(&item).iter().filter(|attempt| attempt.dot_ms.is_some()).count();
            assert!(server.taken().len() <= dots, "{fault}");
            fs::remove_file(filler).unwrap();
        });
        outgoing.send();

        assert_eq!((server.taken().len(), outgoing.state(&item)), (1, ItemState::Sent), "{fault}");
    }
}

#[test]
fn a_disk_that_cannot_be_written_sends_nothing() {
    let Some(disk) = SmallDisk::mount(8) else {
        return skipped("a_disk_that_cannot_be_written", NEEDS_MOUNT);
    };
    let server = FlakySmtp::good();
    let outgoing = Outgoing::on(World::with_home(&disk.path().join("home")), server.port);
    let item = outgoing.approved("Read only");
    disk.remount("ro");

    assert!(outgoing.worker().run_once().is_err());
    disk.remount("rw");

    assert_eq!((server.sessions(), outgoing.state(&item)), (0, ItemState::Approved));
}

/// The program in a process whose files cannot grow beyond so many bytes: a write beyond that fails, as on a broken disk.
fn limited(outgoing: &Outgoing, kib: usize) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f $0; exec \"$@\"", &(kib * 2).to_string()]);
    sending_within(command, outgoing)
}

/// The program as what another one runs, in a group of processes of its own.
fn sending_within(mut command: Command, outgoing: &Outgoing) -> Command {
    let sending = outgoing.world.command(&["outbox", "send", "--once", "--json"]);
    command.arg(sending.get_program()).args(sending.get_args());
    for (name, value) in sending.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("RETRY_DELAY_MS", "1").process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs it until it ends; whether it ended well. One that cannot write down what it did goes on trying, and is ended.
fn ends_well(mut process: Child, outgoing: &Outgoing, item: &Item) -> bool {
    let mut until = Instant::now() + Duration::from_secs(30);
    let mut has_begun = false;
    while Instant::now() < until {
        if let Some(ended) = process.try_wait().unwrap() {
            return ended.success();
        }
        if !has_begun && !outgoing.attempts(item).is_empty() {
            (has_begun, until) = (true, Instant::now() + Duration::from_millis(700));
        }
        thread::sleep(Duration::from_millis(20));
    }
    // With all that it started: one who watches it would leave it behind.
    let group = format!("-{}", process.id());
    assert!(Command::new("kill").args(["-KILL", "--", &group]).status().unwrap().success());
    process.wait().unwrap();
    false
}

/// The program under `strace`, which lets every sync from this one on fail.
fn unsynced(outgoing: &Outgoing, from: usize) -> Command {
    let mut command = Command::new("strace");
    let inject = format!("inject=fdatasync,fsync:error=EIO:when={from}+");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync,fsync", "-e", &inject]);
    sending_within(command, outgoing)
}

#[test]
fn a_sync_that_fails_anywhere_sends_nothing_or_something_that_is_told_of() {
    if Command::new("strace").arg("-V").output().is_err() {
        return skipped("a_sync_that_fails", "no `strace` here");
    }
    let mut has_left = [0; 2];
    for from in 1..=12 {
        let server = FlakySmtp::good();
        let outgoing = Outgoing::to(server.port);
        let item = outgoing.approved("Unsynced");

        let process = unsynced(&outgoing, from).spawn().unwrap();
        ends_well(process, &outgoing, &item);
        let left = server.taken().len();
        has_left[left.min(1)] += 1;
        // The lock ends with the process, which may end a moment after the one that watched it.
        while outgoing.send().is_elsewhere {
            thread::sleep(Duration::from_millis(20));
        }

        let state = outgoing.state(&item);
        let taken = server.taken().len();
        assert!(taken == 1 || taken == 0 && state == ItemState::Unknown, "{from}: {left}, {taken} {state}");
        assert!(matches!(state, ItemState::Sent | ItemState::Unknown), "{from}: {state}");
    }
    assert!(has_left[0] > 0 && has_left[1] > 0, "{has_left:?}");
}

#[test]
fn a_write_that_fails_anywhere_lets_nothing_leave_that_the_journal_does_not_know() {
    let mut met = BTreeMap::new();
    for kib in (4..).step_by(16) {
        let server = FlakySmtp::good();
        let outgoing = Outgoing::to(server.port);
        let item = outgoing.approved("Limited");

        let process = limited(&outgoing, kib).spawn().unwrap();
        let is_well = ends_well(process, &outgoing, &item);
        let attempts = outgoing.attempts(&item);
        let has_dot = attempts.iter().any(|attempt| attempt.dot_ms.is_some());
        let left = server.taken().len();
        assert!(left <= usize::from(has_dot), "{kib} KiB: {left} left, {attempts:?}");
        outgoing.send();

        let (state, taken) = (outgoing.state(&item), server.taken().len());
        // It may have been ended between the dot's line and the dot.
        assert!(taken == 1 || taken == 0 && state == ItemState::Unknown, "{kib} KiB: {taken} {state}");
        let expected = if has_dot && !is_well { ItemState::Unknown } else { ItemState::Sent };
        assert_eq!(state, expected, "{kib} KiB: {attempts:?}");
        *met.entry((has_dot, attempts.is_empty(), state.name())).or_insert(0) += 1;
        if is_well && has_dot {
            break;
        }
        assert!(kib < 2_000, "{met:?}");
    }
    for phase in [(false, true, "sent"), (false, false, "sent"), (true, false, "unknown")] {
        assert!(met.contains_key(&phase), "{phase:?} was not met: {met:?}");
    }
}
