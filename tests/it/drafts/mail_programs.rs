//! Answers stand in the right thread in mail programs that others wrote: notmuch and mu, on real threads of a list.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::GzDecoder;
use mailkeep::drafts::{NewDraft, ReplyTo};
use mailkeep::model::dated;

use super::{archive, drafts};
use crate::world::{ACCOUNT, World, skipped};

const THREADS: usize = 50;
/// How much of the list is read: about a thousand messages.
const BEGINNING: u64 = 5 << 20;

/// The beginning of the list, up to its last whole message.
fn list_mail() -> Option<Vec<u8>> {
    let lists = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/lists");
    let mut files: Vec<_> = fs::read_dir(lists).ok()?.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(".mbox.gz"));
    files.sort();
    let mut mbox = Vec::new();
    GzDecoder::new(fs::File::open(files.first()?).unwrap()).take(BEGINNING).read_to_end(&mut mbox).unwrap();
    let end = memchr::memmem::rfind(&mbox, b"\n\nFrom ").unwrap();
    mbox.truncate(end + 1);
    Some(mbox)
}

/// An answer, and the message it answers, by their Message-IDs.
struct Answer {
    reply: String,
    parent: String,
}

/// A Maildir with the messages of threads and our answers to them, each from its newest message.
fn answered(world: &World, maildir: &Path) -> Vec<Answer> {
    for directory in ["cur", "new", "tmp"] {
        fs::create_dir_all(maildir.join(directory)).unwrap();
    }
    let put =
        |name: &str, raw: &[u8]| fs::write(maildir.join("cur").join(format!("{name}:2,S")), raw).unwrap();
    let mut archive = archive(world);
    let (mut answers, mut seen) = (Vec::new(), Vec::new());
    for key in archive.matching("", None).unwrap() {
        let thread = archive.thread_of(key).unwrap();
        let first = thread[0].thread;
        if answers.len() == THREADS || thread.len() < 3 || seen.contains(&first) {
            continue;
        }
        seen.push(first);
        let parent = thread.last().unwrap();
        let Some(parent_id) = parent.message_id.clone() else { continue };
        thread.iter().for_each(|one| put(&one.id.to_string(), &archive.raw(one.key).unwrap()));
        let reply = Some(ReplyTo { message: parent.id.to_string(), all: true });
        let new = NewDraft {
            account: ACCOUNT.to_owned(),
            body: "Thank you.\n".to_owned(),
            reply,
            ..NewDraft::default()
        };
        let draft = drafts(world).create(&new).unwrap();
        put(&draft.id.to_string(), &dated(&drafts(world).bytes(&draft).unwrap(), draft.updated));
        answers.push(Answer { reply: draft.message_id, parent: parent_id });
    }
    answers
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
fn answers_stand_in_the_right_thread_in_notmuch_and_mu() {
    let name = "answers_stand_in_the_right_thread";
    let Some(mbox) = list_mail() else { return skipped(name, "there is no ../shared/corpus/lists") };
    let world = World::holding(&mbox);
    let maildir = world.path("Maildir");
    let answers = answered(&world, &maildir);
    assert_eq!(answers.len(), THREADS);

    match is_installed("notmuch") {
        true => judged_by_notmuch(&world, &maildir, &answers),
        false => skipped(name, "notmuch is not installed"),
    }
    match is_installed("mu") {
        true => judged_by_mu(&world, &maildir, &answers),
        false => skipped(name, "mu is not installed"),
    }
}

fn judged_by_notmuch(world: &World, maildir: &Path, answers: &[Answer]) {
    let config: PathBuf = world.write(
        "notmuch-config",
        format!("[database]\npath={}\n[user]\nname=Ada\nprimary_email=ada@example.org\n", maildir.display()),
    );
    let notmuch =
        |arguments: &[&str]| output(Command::new("notmuch").env("NOTMUCH_CONFIG", &config).args(arguments));
    notmuch(&["new", "--quiet"]);
    let thread = |id: &str| notmuch(&["search", "--output=threads", &format!("id:\"{id}\"")]);
    for answer in answers {
        let found = thread(&answer.reply);
        assert!(found.starts_with("thread:"), "{}", answer.reply);
        assert_eq!(found, thread(&answer.parent));
    }
}

fn judged_by_mu(world: &World, maildir: &Path, answers: &[Answer]) {
    let home = world.path("mu");
    let mu = |arguments: &[&str]| {
        output(Command::new("mu").env("MUHOME", &home).env("NO_COLOR", "1").args(arguments))
    };
    mu(&["init", "--quiet", &format!("--maildir={}", maildir.display())]);
    mu(&["index", "--quiet"]);
    for answer in answers {
        let related = mu(&[
            "find",
            "--include-related",
            "--fields=i",
            "--skip-dups",
            &format!("msgid:{}", answer.reply),
        ]);
        assert!(related.lines().any(|id| id.trim() == answer.parent), "{}: {related}", answer.reply);
    }
}
