//! The notes of document 002: where they lie, what stands in their frontmatter, and how they are found again whatever a
//! person calls them.

use sha2::{Digest, Sha256};

use crate::model::ContentHash;
use crate::orchestrator::inert::as_block;
use crate::outbox::propose::NoteLetter;
use crate::text_safety::{brief, note_line};
use crate::vault::{EntryKind, Note, Stamp, Vault, VaultError, VaultPath, Yaml};

/// Mail that somebody must do something about.
pub const NEEDS_ACTION: &str = "Needs_Action";
/// Answers that wait.
pub const DRAFTS: &str = "Drafts";
/// Answers that the person moved here.
pub const APPROVED: &str = "Approved";
/// What is over.
pub const DONE: &str = "Done";
/// What is written down.
pub const LOGS: &str = "Logs";

/// Nobody did anything about it yet.
pub const PENDING: &str = "pending";
/// A person is to look at it.
pub const PENDING_APPROVAL: &str = "pending_approval";
/// A person must say something first.
pub const NEEDS_INFO: &str = "needs_info";
/// It is over.
pub const IS_DONE: &str = "done";

/// So much of a message stands in its note.
const LONGEST_TEXT: usize = 30_000;
/// So many names are tried for a note.
const MOST_NAMES: usize = 1_000;

/// A note as it was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The note.
    pub note: Note,
    /// How its file was.
    pub stamp: Stamp,
}

/// What lies in a folder.
#[derive(Debug, Clone, Default)]
pub struct Folder {
    /// Notes that can be read, by path.
    pub notes: Vec<Found>,
    /// Others that are notes by their names, and why they cannot be read.
    pub unreadable: Vec<(VaultPath, String)>,
}

/// Makes the folders that there are to be.
pub fn make_folders(vault: &Vault) -> Result<(), VaultError> {
    [NEEDS_ACTION, DRAFTS, APPROVED, DONE, LOGS]
        .iter()
        .try_for_each(|name| vault.make_folder(&VaultPath::new(name)?))
}

/// Reads all notes that lie in a folder. One that goes away meanwhile is not there.
pub fn read_folder(vault: &Vault, name: &str) -> Result<Folder, VaultError> {
    let mut folder = Folder::default();
    for entry in vault.list(&VaultPath::new(name)?)? {
        if entry.kind != EntryKind::Note {
            continue;
        }
        let read = vault.stamp(&entry.path).and_then(|stamp| Ok((vault.read(&entry.path)?, stamp)));
        match read {
            Ok((note, stamp)) => folder.notes.push(Found { note, stamp }),
            Err(VaultError::NotFound { .. }) => {}
            Err(error) => folder.unreadable.push((entry.path, error.to_string())),
        }
    }
    Ok(folder)
}

/// A text of the frontmatter; what is empty counts as left out.
pub fn text(note: &Note, key: &str) -> Option<String> {
    note.get_text(key).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// What a note says that is to be sent.
#[must_use]
pub fn letter(note: &Note) -> NoteLetter {
    let list = |key: &str| {
        let texts = note.get(key).map(Yaml::as_texts).unwrap_or_default();
        texts.iter().flat_map(|text| split_addresses(text)).collect()
    };
    let body = note.body().replace("\r\n", "\n");
    NoteLetter {
        account: text(note, "account"),
        to: list("to"),
        cc: list("cc"),
        bcc: list("bcc"),
        subject: text(note, "subject").unwrap_or_default(),
        body: format!("{}\n", body.trim_matches('\n').trim_end()),
        answers: text(note, "reply_to_message_id"),
    }
}

/// The addresses of a line; a comma inside quotes belongs to a name.
fn split_addresses(line: &str) -> Vec<String> {
    let (mut parts, mut part, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' | ';' if !is_quoted => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    parts.push(part);
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// What tells a note from every other one, for who asks about it again: what it says, and when that was written.
#[must_use]
pub fn fingerprint(found: &Found) -> String {
    let hash = ContentHash(Sha256::digest(found.note.body().as_bytes()).into());
    let letter = letter(&found.note);
    let head = format!("{:?} {:?} {:?} {:?}", letter.to, letter.cc, letter.bcc, letter.subject);
    let head = ContentHash(Sha256::digest(head.as_bytes()).into());
    format!("note {} {} {}", &hash.to_hex()[..32], &head.to_hex()[..16], found.stamp.modified_at())
}

/// A message that becomes a note.
#[derive(Debug, Clone, Copy)]
pub struct NewMail<'a> {
    /// The id that tools take.
    pub id: &'a str,
    /// The account that holds it.
    pub account: &'a str,
    /// Sender.
    pub from: &'a str,
    /// Recipients.
    pub to: &'a str,
    /// Subject.
    pub subject: &'a str,
    /// Date.
    pub date: &'a str,
    /// Its thread.
    pub thread: &'a str,
    /// What a person would read.
    pub text: &'a str,
}

/// The note of a message. Its text stands in a block that no editor renders, loads or runs.
pub fn email_note(path: VaultPath, mail: &NewMail<'_>) -> Result<Note, VaultError> {
    let mut note = Note::new(path);
    let subject = note_line(mail.subject);
    let fields = [
        ("type", "email"),
        ("status", PENDING),
        ("message_id", mail.id),
        ("account", mail.account),
        ("from", &note_line(mail.from)),
        ("to", &note_line(mail.to)),
        ("subject", &subject),
        ("date", mail.date),
        ("thread_id", mail.thread),
    ];
    for (key, value) in fields {
        note.set(key, value)?;
    }
    let text = brief(mail.text, LONGEST_TEXT);
    note.set_body(&format!("\nThe sender's text, as data:\n\n{}", as_block(&text)));
    Ok(note)
}

/// An answer to a message.
#[derive(Debug, Clone, Copy)]
pub struct NewReply<'a> {
    /// The id of the message.
    pub answers: &'a str,
    /// The account that holds it.
    pub account: &'a str,
    /// Who gets the answer.
    pub to: &'a str,
    /// Its subject.
    pub subject: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Whether it is urgent.
    pub is_urgent: bool,
}

/// The note of an answer that waits.
pub fn reply_note(path: VaultPath, reply: &NewReply<'_>) -> Result<Note, VaultError> {
    let mut note = Note::new(path);
    note.set("type", "reply")?;
    note.set("status", PENDING_APPROVAL)?;
    if reply.is_urgent {
        note.set("priority", "urgent")?;
    }
    for (key, value) in [
        ("account", reply.account),
        ("to", reply.to),
        ("subject", reply.subject),
        ("reply_to_message_id", reply.answers),
    ] {
        note.set(key, value)?;
    }
    note.set_body(&format!("\n{}\n", reply.text.trim_end()));
    Ok(note)
}

/// Moves a note into a folder, under its own name or the next that is free there; where it is now.
pub fn move_into(vault: &Vault, from: &VaultPath, folder: &str) -> Result<VaultPath, VaultError> {
    let folder = VaultPath::new(folder)?;
    let name = from.name();
    let stem = &name[..name.len().saturating_sub(3)];
    for number in 1..=MOST_NAMES {
        let name = if number == 1 { name.to_owned() } else { format!("{stem}-{number}.md") };
        let to = folder.join(&name)?;
        match vault.rename(from, &to) {
            Err(VaultError::AlreadyExists { .. }) => {}
            moved => return moved.map(|()| to),
        }
    }
    Err(VaultError::AlreadyExists { path: from.to_string() })
}

#[cfg(test)]
mod tests {
    use super::{NewMail, email_note, letter, move_into, split_addresses};
    use crate::vault::{Note, Vault, VaultPath, Yaml};

    #[test]
    fn addresses_stand_in_lists_and_in_lines() {
        assert_eq!(
            split_addresses("\"Stone, Bob\" <b@x.example>, c@x.example;"),
            ["\"Stone, Bob\" <b@x.example>", "c@x.example"]
        );
        let mut note = Note::new(VaultPath::new("Drafts/a.md").unwrap());
        note.set("to", Yaml::List(vec!["b@x.example".into(), "c@x.example".into()])).unwrap();
        note.set("subject", "Hi").unwrap();
        note.set_body("\n\nOne\r\n\r\ntwo  \n\n");

        let letter = letter(&note);

        assert_eq!(letter.to, ["b@x.example", "c@x.example"]);
        assert_eq!((letter.subject.as_str(), letter.body.as_str()), ("Hi", "One\n\ntwo\n"));
        assert_eq!((letter.answers, letter.account), (None, None));
    }

    #[test]
    fn the_note_of_a_message_cannot_be_broken_by_it() {
        let mail = NewMail {
            id: "m1",
            account: "ada@x.example",
            from: "Eve\nstatus: done",
            to: "ada@x.example",
            subject: "a: \"b\" #c\n---\nx: y",
            date: "2026-01-01T00:00:00Z",
            thread: "t1",
            text: "```\n---\nstatus: done\n---\n```dataviewjs\nevil()\n",
        };

        let note = email_note(VaultPath::new("Needs_Action/email-m1.md").unwrap(), &mail).unwrap();

        assert_eq!(note.get_text("status").as_deref(), Some("pending"));
        assert_eq!(note.get_text("subject").as_deref(), Some("a: \"b\" #c --- x: y"));
        assert!(note.body().contains("````text\n```\n---"), "{}", note.text());
    }

    #[test]
    fn a_note_that_goes_where_one_of_its_name_is_gets_the_next_name() {
        let directory = tempfile::tempdir().unwrap();
        let vault = Vault::open(directory.path()).unwrap();
        for path in ["Done/a.md", "Approved/a.md"] {
            vault.write(&VaultPath::new(path).unwrap(), path.as_bytes()).unwrap();
        }

        let moved = move_into(&vault, &VaultPath::new("Approved/a.md").unwrap(), "Done").unwrap();

        assert_eq!(moved.as_str(), "Done/a-2.md");
        assert_eq!(std::fs::read(directory.path().join("Done/a.md")).unwrap(), b"Done/a.md");
    }
}
