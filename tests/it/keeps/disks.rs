//! Disks that are full or cannot be written, and two processes on one home.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::filled;
use crate::world::mail::{many, mboxrd};
use crate::world::random::Random;
use crate::world::{ACCOUNT, Mail, World, hashes_of, skipped, text, told};

/// A file system in memory of its own, unmounted when the test ends.
pub(crate) struct SmallDisk {
    place: TempDir,
}

impl SmallDisk {
    /// Mounts one of so many megabytes; `None` where that is not allowed.
    pub(crate) fn mount(megabytes: u32) -> Option<Self> {
        let disk = Self { place: tempfile::tempdir().unwrap() };
        let options = format!("size={megabytes}m");
        run("mount", &["-t", "tmpfs", "-o", &options, "tmpfs", text(disk.path())]).then_some(disk)
    }

    pub(crate) fn path(&self) -> &Path {
        self.place.path()
    }

    pub(crate) fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        assert!(run("mount", &["-o", &options, text(self.path())]));
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        run("umount", &[text(self.path())]);
    }
}

fn run(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Messages of 20 KB each that do not get smaller.
fn bulky(count: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(7);
    (0..count)
        .map(|number| {
            Mail::new(&format!("Bulky {number}"))
                .attach("noise.bin", "application/octet-stream", &random.bytes(15_000))
                .bytes()
        })
        .collect()
}

pub(crate) const NEEDS_MOUNT: &str =
    "mounting a small file system is not allowed here; run the tests as root";

#[test]
fn a_full_disk_is_named_and_with_more_space_the_import_is_completed() {
    let Some(disk) = SmallDisk::mount(3) else {
        return skipped("a_full_disk_is_named", NEEDS_MOUNT);
    };
    let world = World::with_home(&disk.path().join("home"));
    let file = world.write("bulky.mbox", mboxrd(&bulky(300)));

    let failure = world.failure(&["import", text(&file), "--account", ACCOUNT]);
    disk.remount("size=100m");
    let report = world.import(&file);

    assert_eq!(failure["code"], "disk_full", "{failure}");
    assert!(failure["hint"].as_str().unwrap().contains("free some space"), "{failure}");
    assert_eq!(report["stored"].as_u64().unwrap() + report["known"].as_u64().unwrap(), 300);
    assert_eq!(world.hashes(), hashes_of(&bulky(300)));
    assert_eq!(world.count("bulky"), 300);
    world.assert_sound();
}

#[test]
fn a_disk_without_any_space_is_named_from_the_start() {
    let Some(disk) = SmallDisk::mount(1) else {
        return skipped("a_disk_without_any_space_is_named", NEEDS_MOUNT);
    };
    let _ = std::fs::write(disk.path().join("ballast"), vec![1; 2 << 20]);
    let world = World::with_home(&disk.path().join("home"));
    let file = world.write("some.mbox", mboxrd(&many(3)));

    let failure = world.failure(&["import", text(&file), "--account", ACCOUNT]);

    assert_eq!(failure["code"], "disk_full", "{failure}");
}

/// A home that can be read but not written, with forty messages in it.
struct ReadOnlyHome {
    world: World,
    file: PathBuf,
    disk: Option<SmallDisk>,
}

impl ReadOnlyHome {
    /// On a disk mounted so where that is allowed, which is where root is stopped too; else by permissions.
    fn new() -> Self {
        let disk = SmallDisk::mount(50);
        let world = disk.as_ref().map_or_else(World::new, |disk| World::with_home(&disk.path().join("home")));
        let file = world.write("held.mbox", mboxrd(&many(40)));
        world.import(&file);
        match &disk {
            Some(disk) => disk.remount("ro"),
            None => assert!(run("chmod", &["-R", "a-w", text(world.home())])),
        }
        Self { world, file, disk }
    }
}

impl Drop for ReadOnlyHome {
    fn drop(&mut self) {
        if self.disk.is_none() {
            run("chmod", &["-R", "u+w", text(self.world.home())]);
        }
    }
}

#[test]
fn mail_that_cannot_be_written_is_read_and_searched() {
    let ReadOnlyHome { world, .. } = &ReadOnlyHome::new();

    assert_eq!(world.count("numbers"), 40);
    assert_eq!(world.raw("Report.3@test.example"), many(4)[3]);
    assert_eq!(world.json(&["stats"])["messages"], 40);
}

#[test]
fn an_import_into_a_home_that_cannot_be_written_says_so() {
    let ReadOnlyHome { world, file, .. } = &ReadOnlyHome::new();

    let failure = world.failure(&["import", text(file), "--account", ACCOUNT]);

    assert_eq!(failure["code"], "store_read_only", "{failure}");
    assert!(failure["hint"].as_str().unwrap().contains("permissions"), "{failure}");
}

#[test]
fn two_imports_at_once_both_succeed_and_everything_is_found() {
    let world = filled();
    let files = ["first", "second"].map(|name| {
        let messages: Vec<_> =
            (0..400).map(|number| Mail::new(&format!("{name} {number}")).body("crossing").bytes()).collect();
        world.write(&format!("{name}.mbox"), mboxrd(&messages))
    });

    let imports = files.map(|file| {
        let mut command = world.command(&["--json", "import", "--account", ACCOUNT, text(&file)]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    });
    let outputs = imports.map(|import| import.wait_with_output().unwrap());

    for output in &outputs {
        assert!(output.status.success(), "{}", told(output));
    }
    assert_eq!(world.count("crossing"), 800);
    world.json(&["reindex", "--only-new"]);
    assert_eq!(world.json(&["status"])["not_indexed"], 0);
    assert_eq!(world.count("crossing"), 800);
    world.assert_sound();
}

#[test]
fn many_imports_into_a_home_that_is_not_there_yet_make_it_once() {
    let world = World::new();
    let files = ["a", "b", "c", "d"].map(|name| {
        let messages = many(12).split_off(9);
        let own = Mail::new(name).bytes();
        world.write(&format!("{name}.mbox"), mboxrd(messages.iter().chain([&own])))
    });

    let imports = files.map(|file| {
        let mut command = world.command(&["import", "--account", ACCOUNT, text(&file)]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    });
    let outputs = imports.map(|import| import.wait_with_output().unwrap());

    for output in &outputs {
        assert!(output.status.success(), "{}", told(output));
    }
    assert_eq!(world.count(""), 7);
    assert_eq!(world.count("numbers"), 3);
    world.assert_sound();
}

#[test]
fn a_full_disk_under_the_index_is_named_and_costs_no_mail() {
    let world = World::holding(&mboxrd(&many(40)));
    let Some(disk) = SmallDisk::mount(1) else {
        return skipped("a_full_disk_under_the_index", NEEDS_MOUNT);
    };
    let index = world.home().join("text");
    std::fs::remove_dir_all(&index).unwrap();
    std::os::unix::fs::symlink(disk.path(), &index).unwrap();
    let words = |number: usize| -> String {
        let mut random = Random::new(number as u64);
        (0..4_000).map(|_| format!("w{}x ", random.below(1 << 30))).collect()
    };
    let wordy: Vec<_> =
        (0..150).map(|number| Mail::new(&format!("Wordy {number}")).body(&words(number)).bytes()).collect();
    let file = world.write("wordy.mbox", mboxrd(&wordy));

    let failure = world.failure(&["import", text(&file), "--account", ACCOUNT]);
    let rebuilt = world.failure(&["reindex"]);
    let searched = world.run(&["--json", "count", "subject:wordy"]);
    disk.remount("size=200m");
    world.json(&["reindex"]);

    for failure in [failure, rebuilt] {
        assert_eq!(failure["code"], "disk_full", "{failure}");
        assert!(failure["message"].as_str().unwrap().contains("text index"), "{failure}");
        assert!(!failure.to_string().contains("damaged"), "{failure}");
    }
    assert!(searched.status.success(), "what is there is searched: {}", told(&searched));
    assert_eq!((world.count("subject:wordy"), world.count("numbers")), (150, 40));
    assert_eq!(world.json(&["verify"])["sound"], true);
}
