//! What cannot be written down is not done: a disk that is full or cannot be written sends nothing, and loses nothing.

use std::fs;
use std::io::Write;
use std::thread;
use std::time::Duration;

use mailkeep::model::ItemState;

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
