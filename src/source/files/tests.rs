//! The promises of reading and writing files as a whole, on real files.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

use super::{FileError, FileMessage, FileSource, MAX_MESSAGE, MboxWriter};
use crate::model::Flags;

const TWO: &str =
    "From a@b Tue Jan  5 10:00:00 2016\nSubject: one\nStatus: RO\n\nx\n\nFrom - \nSubject: two\n\ny\n";

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn with(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    fn open(&self, name: &str) -> FileSource {
        FileSource::open(&self.path(name)).unwrap()
    }

    fn messages(&self, name: &str) -> Vec<FileMessage> {
        self.open(name).map(Result::unwrap).collect()
    }

    /// Each message as `file: bytes`, each error as its code, and what was skipped.
    fn outline(&self, name: &str) -> (Vec<String>, u64) {
        let mut source = self.open(name);
        let items = source.by_ref().map(|item| self.describe(item)).collect();
        (items, source.skipped())
    }

    fn describe(&self, item: Result<FileMessage, FileError>) -> String {
        match item {
            Err(error) => error.code().to_owned(),
            Ok(message) => {
                let path = message.origin.path.strip_prefix(self.0.path()).unwrap();
                format!("{}: {}", path.display(), message.bytes.escape_ascii())
            }
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

#[test]
fn an_mbox_gives_bytes_flags_origin_and_date_of_each_message() {
    let place = Folder::new().with("in", TWO);

    let messages = place.messages("in");

    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0].bytes, b"Subject: one\nStatus: RO\n\nx\n");
    assert_eq!(messages[0].flags, Flags::SEEN);
    assert_eq!(messages[0].hints.mbox_line, Some(1_451_988_000));
    assert!(messages[0].hints.file_time.is_some());
    assert_eq!(messages[1].hints.mbox_line, None);
    assert_eq!(messages[1].origin.to_string(), format!("{} at byte 62", place.path("in").display()));
}

#[test]
fn an_eml_file_is_one_message_whatever_its_bytes() {
    let place = Folder::new().with("a.eml", TWO).with("b.EML", "").with("c.eml", gzip(b"x"));

    let (items, skipped) = place.outline("");

    let compressed = gzip(b"x").escape_ascii().to_string();
    let expected =
        [format!("a.eml: {}", TWO.escape_default()), "b.EML: ".into(), format!("c.eml: {compressed}")];
    assert_eq!((items, skipped), (expected.to_vec(), 0));
}

#[test]
fn compressed_files_read_like_plain_ones() {
    let twice = [gzip(&TWO.as_bytes()[..50]), gzip(&TWO.as_bytes()[50..])].concat();
    let place = Folder::new()
        .with("plain", TWO)
        .with("a.mbox.gz", twice)
        .with("b.mbox.zst", zstd(TWO.as_bytes()))
        .with("no-suffix", gzip(TWO.as_bytes()))
        .with("plain.gz", TWO);
    let bytes = |name| place.messages(name).into_iter().map(|message| message.bytes).collect::<Vec<_>>();

    let expected = bytes("plain");

    for name in ["a.mbox.gz", "b.mbox.zst", "no-suffix", "plain.gz"] {
        assert_eq!(bytes(name), expected, "{name}");
    }
}

#[test]
fn compressed_eml_files_are_one_message() {
    let place = Folder::new()
        .with("a.eml.gz", gzip(b"From x"))
        .with("b.eml.zst", zstd(b""))
        .with("c.eml.gz", "not compressed");

    let (items, _) = place.outline("");

    assert_eq!(items, ["a.eml.gz: From x", "b.eml.zst: ", "c.eml.gz: not compressed"]);
}

#[test]
fn a_damaged_gzip_file_gives_what_stands_before_the_damage_and_one_error() {
    let long = format!("{TWO}\n{TWO}{}", "z".repeat(50_000));
    let whole = gzip(long.as_bytes());
    let place = Folder::new().with("cut.gz", &whole[..whole.len() - 20]).with("z.eml", "after");

    let (items, _) = place.outline("");

    assert_eq!(items.len(), 6);
    assert!(items[0].ends_with("x\\n") && items[2].ends_with("x\\n"), "{items:?}");
    assert_eq!(items[4..], ["file_damaged", "z.eml: after"]);
}

#[test]
fn damage_inside_a_gzip_file_costs_little_of_what_stands_before_it() {
    let many: String =
        (0..20_000).map(|n| format!("From a\nSubject: {n}\nX: {}\n\n", n * 7919 % 10_007)).collect();
    let mut bytes = gzip(many.as_bytes());
    let middle = bytes.len() / 2;
    bytes[middle..middle + 200].fill(0xff);
    let place = Folder::new().with("a.gz", bytes);

    let (items, _) = place.outline("a.gz");

    assert!(items.len() > 9_000, "{}", items.len());
    assert_eq!(items.iter().filter(|item| *item == "file_damaged").count(), 1);
}

#[test]
fn a_maildir_gives_flags_and_folders_and_leaves_bookkeeping_alone() {
    let place = Folder::new()
        .with("m/cur/1:2,FS", "a")
        .with("m/cur/.hidden", "a")
        .with("m/new/2:2,S", "From x\n")
        .with("m/tmp/3", "Subject: half\nTo: x\n")
        .with("m/dovecot-uidlist", "3 V1")
        .with("m/dovecot.index.log", "x")
        .with("m/.Work.Entw&APw-rfe/cur/4", "")
        .with("m/.Work.Entw&APw-rfe/maildirfolder", "")
        .with("m/Deep/Down/new/5", "b");

    let mut source = place.open("m");
    let messages: Vec<_> = source.by_ref().map(Result::unwrap).collect();

    let found: Vec<_> = messages.iter().map(|m| (&m.bytes[..], m.mailbox.as_deref(), m.flags)).collect();
    assert_eq!(
        found,
        [
            (&b"a"[..], None, Flags::FLAGGED | Flags::SEEN),
            (b"From x\n", None, Flags::NONE),
            (b"", Some("Work/Entwürfe"), Flags::NONE),
            (b"b", Some("Deep/Down"), Flags::NONE),
        ]
    );
    assert_eq!(source.skipped(), 1);
    assert!(messages[0].hints.file_time.is_some());
}

#[test]
fn a_path_into_a_maildir_is_still_part_of_it() {
    let place = Folder::new().with("m/cur/1:2,S", "a").with("m/new/2", "b").with("new/x.mbox", TWO);

    assert_eq!(place.messages("m/cur/1:2,S")[0].flags, Flags::SEEN);
    assert_eq!(place.outline("m/new").0, ["m/new/2: b"]);
    assert_eq!(place.messages("new/x.mbox").len(), 2);
}

#[test]
fn a_directory_is_walked_in_order_and_what_is_not_mail_is_counted() {
    let place = Folder::new()
        .with("b/z.eml", "z")
        .with("b/note.txt", "hello")
        .with("a/inbox", TWO)
        .with("c/mail/cur/1:2,S", "m")
        .with("c/empty.mbox", "")
        .with("d", "Received: by x\n\tfor y\n\nd")
        .with("e.png", [0x89, b'P', b'N', b'G']);

    let (items, skipped) = place.outline("");

    let files: Vec<&str> = items.iter().map(|item| item.split(':').next().unwrap()).collect();
    assert_eq!(files, ["a/inbox", "a/inbox", "b/z.eml", "c/mail/cur/1", "d"]);
    assert_eq!(skipped, 2);
}

#[cfg(unix)]
#[test]
fn links_in_circles_end_and_links_to_files_are_read() {
    let place = Folder::new().with("a/x.eml", "x");
    std::os::unix::fs::symlink("..", place.path("a/up")).unwrap();
    std::os::unix::fs::symlink("x.eml", place.path("a/y.eml")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.path("a/z.eml")).unwrap();

    let (items, skipped) = place.outline("");

    assert_eq!(items, ["a/x.eml: x", "a/y.eml: x"]);
    assert_eq!(skipped, 2);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_in_a_directory_does_not_hold_us() {
    let place = Folder::new().with("x.eml", "x");
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe.eml")).status();

    let (items, _) = place.outline("");

    assert!(made.unwrap().success());
    assert_eq!(items, ["x.eml: x"]);
}

#[test]
fn what_is_missing_or_not_mail_is_said_when_opening() {
    let place = Folder::new().with("note", "hello\n");
    let code = |name| FileSource::open(&place.path(name)).err().map(|error| error.code());

    assert_eq!(code("nothing"), Some("file_missing"));
    assert_eq!(code("note"), Some("not_mail"));
}

#[test]
fn an_empty_mbox_has_no_messages() {
    assert_eq!(Folder::new().with("a.mbox", "").outline("a.mbox"), (vec![], 0));
}

#[test]
fn a_file_over_the_limit_is_refused_by_its_size_alone() {
    let place = Folder::new().with("b.eml", "x");
    File::create(place.path("a.eml")).unwrap().set_len(MAX_MESSAGE + 1).unwrap();

    assert_eq!(place.outline("").0, ["message_too_large", "b.eml: x"]);
}

#[test]
fn progress_counts_bytes_on_disk() {
    let place =
        Folder::new().with("a.gz", gzip(TWO.as_bytes())).with("d/a.eml", "four").with("d/b.eml", "fives");
    let mut file = place.open("a.gz");
    let mut directory = place.open("d");

    file.by_ref().for_each(drop);
    directory.by_ref().for_each(drop);

    assert_eq!(Some(file.bytes_read()), file.total_bytes());
    assert_eq!((directory.bytes_read(), directory.total_bytes()), (9, None));
}

#[test]
fn a_written_mbox_reads_back_byte_for_byte() {
    let place = Folder::new();
    let originals =
        [&b"Subject: a\r\n\r\nFrom here\r\n>From there\r\n\r\n"[..], b"", b"Subject: b\n\nno end"];
    let mut writer = MboxWriter::new(File::create(place.path("a.mbox")).unwrap());
    for original in originals {
        writer.append(original, "ada@example.org", 1_451_988_000).unwrap();
    }
    writer.finish().unwrap();

    let messages = place.messages("a.mbox");

    assert_eq!(messages.iter().map(|message| &message.bytes[..]).collect::<Vec<_>>(), originals);
    assert!(messages.iter().all(|message| message.hints.mbox_line == Some(1_451_988_000)));
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_one_error_and_the_walk_goes_on() {
    use std::os::unix::fs::PermissionsExt;
    let place = Folder::new().with("a.eml", "a").with("b.eml", "b").with("c/d.eml", "d");
    for name in ["a.eml", "c"] {
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(0o0)).unwrap();
    }
    let may_read_all = File::open(place.path("a.eml")).is_ok();

    let (items, _) = place.outline("");

    fs::set_permissions(place.path("c"), fs::Permissions::from_mode(0o700)).unwrap();
    let expected = if may_read_all {
        ["a.eml: a", "b.eml: b", "c/d.eml: d"]
    } else {
        ["file_unreadable", "b.eml: b", "file_unreadable"]
    };
    assert_eq!(items, expected);
}

#[test]
fn an_old_file_time_is_a_hint_too() {
    let place = Folder::new().with("a.eml", "a");
    let old = UNIX_EPOCH + Duration::from_secs(86_400);
    File::options().append(true).open(place.path("a.eml")).unwrap().set_modified(old).unwrap();

    assert_eq!(place.messages("a.eml")[0].hints.file_time, Some(86_400));
}

#[test]
fn a_source_can_move_to_another_thread() {
    fn movable<T: Send>() {}
    movable::<FileSource>();
}

#[test]
fn maildirs_side_by_side_keep_their_names() {
    let place = Folder::new()
        .with("Mail/INBOX/cur/1:2,S", "Subject: a\n\n")
        .with("Mail/Work/2024/new/2", "Subject: b\n\n")
        .with("Mail/Work/2024/cur/.keep", "")
        .with("Mail/photos/new/cat.jpg", "not mail")
        .with("Mail/loose.eml", "Subject: c\n\n");

    let mailboxes: Vec<_> = place.messages("Mail").into_iter().map(|message| message.mailbox).collect();

    assert_eq!(mailboxes, [Some("INBOX".to_owned()), Some("Work/2024".to_owned()), None]);
}
