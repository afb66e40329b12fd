//! No input panics, hangs or is lost, however strange or large.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};

use mailkeep::model::ContentHash;

use crate::world::corpus::odd_messages;
use crate::world::mail::{FROM_LINE, mboxrd};
use crate::world::memory::private_memory;
use crate::world::random::Random;
use crate::world::{ACCOUNT, Mail, World, hashes_of, list, read_json, requires_all, skipped, text, told};

const MEGABYTE: usize = 1 << 20;

/// A message as it is, cut at three places, and with a few bits flipped.
fn variations(message: &[u8], random: &mut Random) -> Vec<Vec<u8>> {
    let mut all: Vec<_> = [1, 2, 3].map(|quarter| message[..message.len() * quarter / 4].to_vec()).to_vec();
    let mut flipped = message.to_vec();
    for _ in 0..3 {
        let place = random.below(flipped.len());
        flipped.iter_mut().skip(place).take(1).for_each(|byte| *byte ^= 1 << (random.next() % 8));
    }
    all.extend([message.to_vec(), flipped]);
    all
}

/// Messages that differ in their line ends only are one, as it came first.
fn first_of_each(messages: &[Vec<u8>]) -> Vec<&Vec<u8>> {
    let mut known = HashSet::new();
    messages.iter().filter(|message| known.insert(ContentHash::of_message(message))).collect()
}

/// Puts messages into one Maildir, imports it, and asserts that every byte is there.
fn assert_kept(messages: &[Vec<u8>]) -> World {
    let world = World::new();
    for (number, message) in messages.iter().enumerate() {
        world.write(&format!("box/cur/{number:05}.h:2,S"), message);
    }

    let output = world.run(&["--json", "import", "--account", ACCOUNT, text(&world.path("box"))]);

    let report = read_json(&output);
    let expected = hashes_of(first_of_each(messages));
    assert!(output.status.success(), "{}", told(&output));
    assert_eq!(output.stderr.escape_ascii().to_string(), "", "a decoder complained");
    assert_eq!(report["stored"], expected.len(), "{report}");
    assert_eq!(world.hashes(), expected);
    world.assert_sound();
    world
}

#[test]
fn odd_messages_whole_cut_and_garbled_are_all_kept() {
    let corpus = odd_messages();
    if corpus.is_empty() {
        return skipped("odd_messages_whole_cut_and_garbled", "there is no ../shared/corpus/mime");
    }
    let mut random = Random::new(42);
    let messages: Vec<_> = corpus.iter().flat_map(|message| variations(message, &mut random)).collect();

    let world = assert_kept(&messages);

    let rebuilt = world.json(&["reindex"]);
    assert_eq!(rebuilt["indexed"], world.count(""));
    world.assert_sound();
}

#[test]
fn a_header_of_50_megabytes_is_kept() {
    let one_field = [b"Subject: ".to_vec(), vec![b'x'; 50 * MEGABYTE], b"\n\nbody\n".to_vec()].concat();
    let many_fields = [b"X-Filler: y\n".repeat(50 * MEGABYTE / 12), b"\nbody\n".to_vec()].concat();

    assert_kept(&[one_field, many_fields]);
}

#[test]
fn ten_thousand_nested_multiparts_are_kept() {
    let open: String = (0..10_000)
        .map(|level| format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"))
        .collect();
    let same = "Content-Type: multipart/mixed; boundary=b\n\n--b\n".repeat(10_000);
    let inner = "Content-Type: message/rfc822\n\n".repeat(10_000);
    let messages =
        [open, same, inner].map(|text| format!("Subject: deep\nMIME-Version: 1.0\n{text}").into_bytes());

    let world = assert_kept(&messages);

    assert_eq!(world.count("subject:deep"), 3);
}

#[test]
fn twenty_thousand_parts_are_kept() {
    let part = "--b\nContent-Disposition: attachment; filename=f.txt\n\nx\n".repeat(20_000);
    let message = format!("Subject: wide\nContent-Type: multipart/mixed; boundary=b\n\n{part}--b--\n");

    let world = assert_kept(&[message.into_bytes()]);

    assert_eq!(world.count("has:attachment"), 1);
}

#[test]
fn nul_bytes_and_controls_in_names_are_kept_and_not_obeyed() {
    let message = b"Subject: a\0b\x1b[31mred\x07\nFrom: \"N\0ul\" <n\0@x.example>\nMessage-ID: <nul@x>\n\
        Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/pdf; name=\"../..\0/e\x1bvil.pdf\"\n\n\
        %PDF\n--b--\n";

    let world = assert_kept(&[message.to_vec()]);

    for arguments in [vec!["show", "nul@x"], vec!["search", "red"], vec!["stats"]] {
        let output = world.run(&arguments);
        assert!(output.status.success(), "{}", told(&output));
        assert!(!output.stdout.contains(&0x1b) && !output.stdout.contains(&0), "{}", told(&output));
    }
    let name = world.json(&["show", "nul@x"])["attachments"][0]["name"].clone();
    assert!(!name.as_str().unwrap().contains('/'), "{name}");
}

/// Writes an mbox with one sound message, one of so many megabytes, and another sound one.
fn write_giant(world: &World, megabytes: usize) -> std::path::PathBuf {
    let path = world.path("giant.mbox");
    let mut file = BufWriter::with_capacity(MEGABYTE, File::create(&path).unwrap());
    file.write_all(&mboxrd([&Mail::new("Before").bytes()])).unwrap();
    file.write_all(format!("{FROM_LINE}Subject: giant\n\n").as_bytes()).unwrap();
    let line = [vec![b'x'; 1023], b"\n".to_vec()].concat();
    for _ in 0..megabytes * 1024 {
        file.write_all(&line).unwrap();
    }
    file.write_all(b"\n").unwrap();
    file.write_all(&mboxrd([&Mail::new("After").bytes()])).unwrap();
    file.flush().unwrap();
    path
}

#[test]
fn a_message_that_is_too_large_is_named_with_its_place_and_the_rest_goes_in() {
    let world = World::new();
    let file = write_giant(&world, 257);
    let offset = mboxrd([&Mail::new("Before").bytes()]).len();

    let output = world.run(&["--json", "import", "--account", ACCOUNT, text(&file)]);

    let report = read_json(&output);
    let problem = report["problems"][0]["message"].as_str().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(report["stored"], 2, "{report}");
    assert_eq!(list(&report["problems"]).len(), 1, "{report}");
    assert!(problem.contains(&format!("giant.mbox at byte {offset}")), "{problem}");
    assert!(problem.contains("256 MB"), "{problem}");
    assert_eq!(world.count("subject:before OR subject:after"), 2);
    world.assert_sound();
}

#[test]
fn a_gigabyte_without_a_separator_is_refused_and_the_rest_goes_in() {
    if std::env::var_os("MAILKEEP_LONG").is_none() && !requires_all() {
        return skipped("a_gigabyte_without_a_separator", "it takes long; set MAILKEEP_LONG=1 to run it");
    }
    let world = World::new();
    let file = write_giant(&world, 1024);

    let output = world.run(&["--json", "import", "--account", ACCOUNT, text(&file)]);

    let report = read_json(&output);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(report["stored"], 2, "{report}");
    world.assert_sound();
}

/// How many bytes of header the messages below have.
const LONG_HEADER: usize = 56 * MEGABYTE;

/// Messages with a header of many megabytes, each in a way of its own.
fn monstrous() -> Vec<(&'static str, Vec<u8>)> {
    let filled = |name: &'static str, field: &str, piece: &[u8]| {
        let mut bytes =
            format!("From: ada@example.org\nContent-Type: text/plain; charset=iso-8859-1\n{field}")
                .into_bytes();
        while bytes.len() < LONG_HEADER {
            bytes.extend_from_slice(piece);
        }
        bytes.extend_from_slice(b"\nSubject: After\n\nthe body\n");
        (name, bytes)
    };
    vec![
        filled("one line", "Subject: ", b"many words "),
        filled("one word", "X-Long: ", b"x"),
        filled("bytes of a charset", "Subject: ", b"caf\xe9 "),
        filled("many fields", "", b"X: y\n"),
        filled("addresses", "To: ", b"Bob <bob@example.org>, "),
        filled("folded", "References: ", b"\n <a@example.org>"),
        filled("old line ends", "Subject: ", b"words\rX: "),
    ]
}

#[test]
fn a_message_with_a_monstrous_header_is_kept_whole_in_little_more_than_its_own_memory() {
    let world = World::new();
    for (name, message) in monstrous() {
        let file = world.write("monster.eml", &message);
        let mut import = world.command(&["--json", "import", "--account", ACCOUNT, text(&file)]);
        let mut child = import.stdout(std::process::Stdio::null()).spawn().unwrap();
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            peak = peak.max(private_memory(child.id()));
            std::thread::sleep(std::time::Duration::from_millis(2));
        }

        assert!(child.wait().unwrap().success(), "{name}");
        let most = (LONG_HEADER + 50 * MEGABYTE) as u64;
        assert!(peak < most, "{name}: {} MB", peak >> 20);
        let shown = world.json(&["show", &newest(&world)]);
        assert!(shown["defects"].to_string().contains("header-too-long"), "{name}: {}", shown["defects"]);
        assert_eq!(world.raw(&newest(&world)).len(), message.len(), "{name}");
    }
    assert_eq!(world.count("from:ada"), monstrous().len() as u64);
    world.assert_sound();
}

/// The id of the message that came last.
fn newest(world: &World) -> String {
    let row = "SELECT message FROM emails ORDER BY id DESC LIMIT 1";
    world.json(&["sql", row])["rows"][0]["message"].as_str().unwrap().to_owned()
}
