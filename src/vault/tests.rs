//! The vault on a real directory, with everything in the way that can be.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use super::{EntryKind, Filter, Note, Piece, ToolVault, Vault, VaultError, VaultPath};
use crate::clock::Clock;

struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("vault")).unwrap();
        fs::write(directory.path().join("outside.md"), "secret").unwrap();
        Self { directory }
    }

    fn root(&self) -> std::path::PathBuf {
        self.directory.path().join("vault")
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    fn vault(&self) -> Vault {
        Vault::open(&self.root()).unwrap()
    }

    fn tools(&self) -> ToolVault {
        ToolVault::at(self.root(), Clock::system())
    }
}

fn at(path: &str) -> VaultPath {
    VaultPath::new(path).unwrap()
}

fn code<T: std::fmt::Debug>(result: Result<T, VaultError>) -> &'static str {
    result.unwrap_err().code()
}

fn save(vault: &ToolVault, path: &str) -> Result<(), VaultError> {
    let mut note = vault.read_or_new(&at(path))?;
    note.set_body("written by a tool");
    vault.save(&mut note)
}

#[test]
fn a_note_is_read_changed_and_saved_whole() {
    let place = Place::new();
    place.put("Drafts/a.md", "---\nstatus: pending # x\n---\nHello\n");
    fs::set_permissions(place.root().join("Drafts/a.md"), fs::Permissions::from_mode(0o640)).unwrap();
    let vault = place.vault();

    let mut note = vault.read(&at("Drafts/a.md")).unwrap();
    note.set("status", "done").unwrap();
    vault.save(&mut note).unwrap();
    note.set("more", true).unwrap();
    vault.save(&mut note).unwrap();

    assert_eq!(place.text("Drafts/a.md"), "---\nstatus: done # x\nmore: true\n---\nHello\n");
    let kept = fs::metadata(place.root().join("Drafts/a.md")).unwrap();
    assert_eq!((kept.mode() & 0o777, kept.nlink()), (0o640, 1));
    assert_eq!(fs::read_dir(place.root().join("Drafts")).unwrap().count(), 1);
}

#[test]
fn who_was_faster_is_not_overwritten() {
    let place = Place::new();
    place.put("a.md", "old");
    let vault = place.vault();
    let mut note = vault.read(&at("a.md")).unwrap();
    let mut fresh = Note::new(at("new/b.md"));
    note.set_body("ours");
    fresh.set_body("ours");

    place.put("a.md", "theirs");
    place.put("new/b.md", "theirs");

    assert_eq!(code(vault.save(&mut note)), "note_changed");
    assert_eq!(code(vault.save(&mut fresh)), "already_exists");
    assert_eq!((place.text("a.md"), place.text("new/b.md")), ("theirs".to_owned(), "theirs".to_owned()));
    fs::remove_file(place.root().join("a.md")).unwrap();
    assert_eq!(code(vault.save(&mut note)), "note_changed");
}

#[test]
fn the_owners_programs_write_move_and_append_everywhere() {
    let place = Place::new();
    place.put("Approved/a.md", "x");
    let vault = place.vault();

    vault.rename(&at("Approved/a.md"), &at("Done/2026/a.md")).unwrap();
    vault.append(&at("Logs/day.jsonl"), "{}").unwrap();
    vault.append(&at("Logs/day.jsonl"), "{}").unwrap();
    vault.write(&at("Logs/state.json"), b"[]").unwrap();
    vault.make_folder(&at("Needs_Action")).unwrap();
    vault.make_folder(&at("Needs_Action")).unwrap();

    assert_eq!(
        (place.text("Done/2026/a.md"), place.text("Logs/day.jsonl")),
        ("x".to_owned(), "{}\n{}\n".to_owned())
    );
    assert_eq!(vault.read_bytes(&at("Logs/state.json")).unwrap(), b"[]");
    let kinds: Vec<_> = vault.list(&at("Logs")).unwrap().into_iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [EntryKind::File, EntryKind::File]);
    assert!(vault.list(&at("Needs_Action")).unwrap().is_empty());
    assert_eq!(vault.notes().unwrap(), [at("Done/2026/a.md")]);
}

#[test]
fn a_move_overwrites_nothing_and_makes_folders() {
    let place = Place::new();
    place.put("a.md", "a");
    place.put("b.md", "b");
    let vault = place.tools();

    assert_eq!(code(vault.rename(&at("a.md"), &at("b.md"))), "already_exists");
    assert_eq!(code(vault.rename(&at("a.md"), &at("a.md"))), "already_exists");
    assert_eq!(code(vault.rename(&at("none.md"), &at("c.md"))), "not_found");
    vault.rename(&at("a.md"), &at("x/y/c.md")).unwrap();

    assert_eq!((place.text("b.md"), place.text("x/y/c.md")), ("b".to_owned(), "a".to_owned()));
    assert!(!place.root().join("a.md").exists());
}

#[test]
fn links_pipes_and_second_names_are_refused() {
    let place = Place::new();
    let root = place.root();
    place.put("real/a.md", "a");
    symlink(place.directory.path(), root.join("out")).unwrap();
    symlink("../outside.md", root.join("link.md")).unwrap();
    symlink("real", root.join("inner")).unwrap();
    symlink("nowhere.md", root.join("dangling.md")).unwrap();
    symlink("/proc/self/root", root.join("magic")).unwrap();
    fs::hard_link(place.directory.path().join("outside.md"), root.join("hard.md")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe.md"), rustix::fs::Mode::RUSR).unwrap();
    std::os::unix::net::UnixListener::bind(root.join("socket.md")).unwrap();
    fs::create_dir(root.join("folder.md")).unwrap();
    let vault = place.tools();

    for path in
        ["out/outside.md", "link.md", "inner/a.md", "dangling.md", "magic/etc/x.md", "pipe.md", "socket.md"]
    {
        assert_eq!(code(vault.read(&at(path))), "permission_denied", "{path}");
        assert_eq!(code(save(&vault, path)), "permission_denied", "{path}");
        assert_eq!(code(vault.rename(&at(path), &at("real/moved.md"))), "permission_denied", "{path}");
    }
    assert_eq!(code(save(&vault, "hard.md")), "permission_denied");
    assert_eq!(code(vault.rename(&at("hard.md"), &at("moved.md"))), "permission_denied");
    assert_eq!(code(vault.rename(&at("real/a.md"), &at("out/b.md"))), "permission_denied");
    assert_eq!(code(vault.read(&at("folder.md"))), "bad_path");
    assert_eq!(code(vault.entries(&at("out"))), "permission_denied");
    assert_eq!(fs::read_to_string(place.directory.path().join("outside.md")).unwrap(), "secret");
    let found = vault.search("secret", Piece { after: None, limit: 9 }).unwrap();
    assert_eq!(found.notes.len(), 1, "{found:?}");
    assert_eq!(place.text("real/a.md"), "a");
}

#[test]
fn tools_cannot_touch_what_only_the_owner_decides() {
    let place = Place::new();
    for folder in ["Approved", "Done", "Logs"] {
        place.put(&format!("{folder}/a.md"), "decided");
    }
    place.put("Drafts/a.md", "draft");
    let vault = place.tools();

    for folder in ["Approved", "Done", "Logs", "approved", "LOGS", "Ｄone", "Аpproved", "Approved/sub"] {
        for name in ["a.md", "new.md"] {
            let path = format!("{folder}/{name}");
            assert_eq!(code(save(&vault, &path)), "permission_denied", "{path}");
            assert_eq!(code(vault.rename(&at("Drafts/a.md"), &at(&path))), "permission_denied", "{path}");
            assert_eq!(code(vault.rename(&at(&path), &at("Drafts/b.md"))), "permission_denied", "{path}");
        }
    }

    assert_eq!(vault.read(&at("Approved/a.md")).unwrap().body(), "decided");
    assert_eq!(fs::read_dir(place.root()).unwrap().count(), 4);
    assert_eq!(code(save(&vault, "Mail/Approved/a.md")), "permission_denied");
    let other = save(&vault, "Projects/Abandoned/a.md");
    assert!(other.is_ok(), "{other:?}");
}

/// Whoever swaps folders while a tool works cannot lead it outside or into a protected folder.
#[test]
fn a_folder_that_becomes_a_link_meanwhile_leads_nowhere() {
    let place = Place::new();
    place.put("Approved/kept.md", "kept");
    fs::create_dir(place.root().join("Drafts")).unwrap();
    let (drafts, aside) = (place.root().join("Drafts"), place.root().join("aside"));
    let outside = place.directory.path().join("elsewhere");
    fs::create_dir(&outside).unwrap();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let vault = place.tools();

    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0_usize.. {
                if is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    return;
                }
                // The tool may make the folder anew in between.
                let _ = fs::rename(&drafts, &aside);
                let target: &Path = if number % 2 == 0 { &outside } else { Path::new("Approved") };
                let _ = symlink(target, &drafts);
                let _ = fs::remove_file(&drafts);
                let _ = fs::remove_dir_all(&drafts);
                let _ = fs::rename(&aside, &drafts);
            }
        });
        for number in 0..300 {
            let _ = save(&vault, &format!("Drafts/{number}.md"));
            let _ =
                vault.rename(&at(&format!("Drafts/{number}.md")), &at(&format!("Drafts/moved-{number}.md")));
        }
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    });

    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    let approved: Vec<_> = fs::read_dir(place.root().join("Approved")).unwrap().collect();
    assert_eq!(approved.len(), 1);
}

/// A person edits, moves and deletes while a program saves: what they did is never undone.
#[test]
fn whoever_edits_or_moves_a_note_meanwhile_wins() {
    let place = Place::new();
    place.put("Drafts/a.md", "0");
    let vault = place.vault();
    let (from, to) = (place.root().join("Drafts/a.md"), place.root().join("Approved.md"));
    let is_over = std::sync::atomic::AtomicBool::new(false);

    let moved = std::thread::scope(|scope| {
        let person = scope.spawn(|| {
            let mut moved = 0;
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                if fs::rename(&from, &to).is_ok() {
                    moved += 1;
                    std::thread::yield_now();
                    assert!(!from.exists(), "what was moved away is there again");
                    fs::rename(&to, &from).unwrap();
                }
            }
            moved
        });
        for number in 0..400 {
            if let Ok(mut note) = vault.read(&at("Drafts/a.md")) {
                note.set_body(&number.to_string());
                let _ = vault.save(&mut note);
            }
        }
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        person.join().unwrap()
    });

    assert!(moved > 0);
    assert_eq!(fs::read_dir(place.root().join("Drafts")).unwrap().count(), 1);
}

#[test]
fn a_note_is_found_however_its_marks_are_written() {
    let place = Place::new();
    place.put("Cafe\u{301}/re\u{301}sume\u{301}.md", "composed");
    let vault = place.tools();

    let read = vault.read(&at("Café/résumé.md")).unwrap();
    save(&vault, "Café/résumé.md").unwrap();

    assert_eq!(read.path().as_str(), "Cafe\u{301}/re\u{301}sume\u{301}.md");
    assert_eq!(place.vault().notes().unwrap().len(), 1);
}

#[test]
fn what_is_too_long_no_text_or_gone_is_told() {
    let place = Place::new();
    fs::write(place.root().join("latin.md"), b"caf\xe9").unwrap();
    let large = fs::File::create(place.root().join("large.md")).unwrap();
    large.set_len(super::LARGEST_NOTE + 1).unwrap();
    let vault = place.tools();

    assert_eq!(code(vault.read(&at("latin.md"))), "parse_error");
    assert_eq!(code(save(&vault, "latin.md")), "parse_error");
    assert_eq!(code(vault.read(&at("large.md"))), "note_too_large");
    assert_eq!(code(vault.read(&at("none/x.md"))), "not_found");
    assert_eq!(code(vault.read(&at("latin.md/x.md"))), "not_found");
    assert_eq!(code(vault.read(&at("image.png"))), "bad_path");
    assert_eq!(fs::read(place.root().join("latin.md")).unwrap(), b"caf\xe9");
    assert_eq!(code(Vault::open(Path::new("/nowhere/at/all"))), "vault_missing");
}

#[test]
fn lists_go_on_where_they_stopped_and_see_every_change() {
    let place = Place::new();
    for number in 0..25 {
        let status = if number % 2 == 0 { "pending" } else { "done" };
        place.put(
            &format!("a/{number:02}.md"),
            &format!("---\nstatus: {status}\n---\nNote Ünïque {number}\n"),
        );
    }
    place.put("b.md", "ünïque too");
    place.put("a/sub/deep.md", "ÜNÏQUE deep");
    place.put("a/broken.md", "---\nstatus: [\n---\n");
    place.put(".obsidian/x.md", "ünïque");
    let vault = place.tools();
    let pages = |ask: &dyn Fn(Piece<'_>) -> super::Matches| {
        let mut paths: Vec<VaultPath> = Vec::new();
        loop {
            let last = paths.last().cloned();
            let page = ask(Piece { after: last.as_ref(), limit: 4 });
            assert!(page.notes.len() <= 4);
            paths.extend(page.notes.into_iter().map(|found| found.path));
            if !page.has_more {
                return paths;
            }
        }
    };
    let search = || pages(&|piece| vault.search("ünïQUE", piece).unwrap());
    let pending =
        || pages(&|piece| vault.filtered(&at("a"), &Filter::new("status:pending").unwrap(), piece).unwrap());

    assert_eq!((search().len(), pending().len()), (27, 13));
    let mut unique = search();
    unique.dedup();
    assert_eq!(unique.len(), 27);

    place.put("a/00.md", "---\nstatus: other\n---\nrewritten\n");
    fs::remove_file(place.root().join("a/02.md")).unwrap();
    place.put("a/99.md", "---\nstatus: pending\n---\nÜNÏQUE\n");

    assert_eq!((search().len(), pending().len()), (26, 12));
    let broken =
        vault.filtered(&at("a"), &Filter::new("x:y").unwrap(), Piece { after: None, limit: 9 }).unwrap();
    assert_eq!(broken.unreadable, [at("a/broken.md")]);
}
