//! Mail arrives from every kind of file, whole, and once.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::world::mail::{FROM_LINE, mboxrd, with_crlf};
use crate::world::{ACCOUNT, Mail, World, answer, hashes_of, list, read_json, text, told};

fn three() -> Vec<Vec<u8>> {
    ["One", "Two", "Three"]
        .map(|subject| Mail::new(subject).body(&format!("Text of {subject}")).bytes())
        .to_vec()
}

fn counts(report: &Value) -> (u64, u64) {
    (report["stored"].as_u64().unwrap(), report["known"].as_u64().unwrap())
}

fn placements(world: &World, id: &str) -> Value {
    world.json(&["show", id])["placements"].clone()
}

#[test]
fn an_mboxrd_gives_its_messages_back_without_the_quoting() {
    let world = World::new();
    let mail = Mail::new("Quotes").body("From here\n>From there\n>>From afar\nFromage\n").bytes();
    let file = world.write("quotes.mbox", mboxrd([&mail, &mail]));

    let report = world.import(&file);

    assert_eq!(counts(&report), (1, 1));
    assert_eq!(world.raw("Quotes@test.example"), mail);
}

#[test]
fn an_mboxo_loses_one_quote_and_is_cut_at_its_separators_only() {
    let world = World::new();
    let first =
        Mail::new("Old").body("On the way.\n\n>From the harbour we went on.\nFrom here on uphill\n").bytes();
    let mbox = [FROM_LINE.as_bytes(), &first, b"\n", FROM_LINE.as_bytes(), &three()[0]].concat();
    let file = world.write("old.mbox", mbox);

    let report = world.import(&file);

    let unquoted = String::from_utf8(first).unwrap().replace(">From", "From");
    assert_eq!(counts(&report), (2, 0));
    assert_eq!(world.raw("Old@test.example"), unquoted.into_bytes());
}

#[test]
fn an_mbox_with_crlf_keeps_its_line_ends() {
    let world = World::new();
    let file = world.write("crlf.mbox", with_crlf(&mboxrd(&three())));

    let report = world.import(&file);

    let expected: Vec<_> = three().iter().map(|message| with_crlf(message)).collect();
    assert_eq!(counts(&report), (3, 0));
    assert_eq!(world.hashes(), hashes_of(&expected));
}

#[test]
fn an_mbox_that_breaks_off_gives_all_there_is() {
    let world = World::new();
    let whole = mboxrd(&three());
    let cut = &whole[..whole.len() - 9];
    let file = world.write("cut.mbox", cut);

    let report = world.import(&file);

    let last = world.raw("Three@test.example");
    assert_eq!(counts(&report), (3, 0));
    assert!(cut.ends_with(&last), "the last message is what was there: {}", last.escape_ascii());
}

#[test]
fn an_empty_mbox_holds_no_messages_and_is_no_failure() {
    let world = World::new();
    let file = world.write("empty.mbox", "");

    assert_eq!(counts(&world.import(&file)), (0, 0));
}

#[test]
fn a_maildir_keeps_its_flags_and_folders() {
    let world = World::new();
    let names = ["box/cur/1.h:2,FRS", "box/new/2.h", "box/.Work.Caf&AOk-/cur/3.h:2,D"];
    for (name, message) in names.iter().zip(three()) {
        world.write(name, message);
    }
    world.write("box/tmp/unfinished", "half a mess");
    world.write("box/.Work.Caf&AOk-/new/.keep", "");

    let report = world.import(&world.path("box"));

    let place = |mailbox: &str, flags: Value| (json!(mailbox), flags);
    let shown = |id: &str| {
        let places = placements(&world, id);
        (places[0]["mailbox"].clone(), places[0]["flags"].clone())
    };
    assert_eq!(counts(&report), (3, 0));
    assert_eq!(shown("One@test.example"), place("INBOX", json!(["seen", "answered", "flagged"])));
    assert_eq!(shown("Two@test.example"), place("INBOX", json!([])));
    assert_eq!(shown("Three@test.example"), place("Work/Café", json!(["draft"])));
}

#[test]
fn a_mailbox_that_is_named_takes_everything() {
    let world = World::new();
    world.write("box/cur/1.h:2,S", &three()[0]);
    world.write("box/.Sent/cur/2.h:2,S", &three()[1]);

    world.json(&["import", "--account", ACCOUNT, "--mailbox", "Old/2019", text(&world.path("box"))]);

    assert_eq!(world.count("in:Old/2019"), 2);
    assert_eq!(world.count("in:inbox"), 0);
}

#[test]
fn an_eml_file_is_one_message_whatever_its_bytes() {
    let world = World::new();
    let odd = [
        ("plain.eml", three()[0].clone()),
        ("mbox.eml", mboxrd(&three())),
        ("binary.EML", vec![0, 255, 10, 7]),
        ("empty.eml", Vec::new()),
    ];
    for (name, bytes) in &odd {
        world.write(&format!("letters/{name}"), bytes);
    }

    let report = world.import(&world.path("letters"));

    assert_eq!(counts(&report), (4, 0));
    assert_eq!(world.hashes(), hashes_of(odd.iter().map(|(_, bytes)| bytes)));
}

#[test]
fn a_directory_gives_the_mail_in_it_and_counts_what_is_not() {
    let world = World::new();
    world.write("tree/a/one.eml", &three()[0]);
    world.write("tree/b/box.mbox", mboxrd([&three()[1]]));
    world.write("tree/b/c/three", &three()[2]);
    world.write("tree/picture.png", b"\x89PNG\r\n");

    let report = world.import(&world.path("tree"));

    assert_eq!(counts(&report), (3, 0));
    assert_eq!(report["skipped"], 1);
    assert_eq!(world.hashes(), hashes_of(&three()));
}

#[test]
fn compressed_files_are_read_as_what_they_hold() {
    let world = World::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&mboxrd(&three()[..2])).unwrap();
    world.write("packed/two.mbox.gz", gzip.finish().unwrap());
    world.write("packed/one.eml.zst", zstd::encode_all(&three()[2][..], 3).unwrap());

    let report = world.import(&world.path("packed"));

    assert_eq!(counts(&report), (3, 0));
    assert_eq!(world.hashes(), hashes_of(&three()));
}

#[test]
fn a_compressed_file_that_breaks_off_is_named_and_what_stood_before_is_stored() {
    let world = World::new();
    let packed = zstd::encode_all(&mboxrd(&crate::world::mail::many(3000))[..], 3).unwrap();
    let file = world.write("cut.mbox.zst", &packed[..packed.len() / 2]);

    let output = world.run(&["--json", "import", "--account", ACCOUNT, text(&file)]);

    let report = read_json(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(report["problems"][0]["message"].as_str().unwrap().contains("cut.mbox.zst"), "{report}");
    assert!(report["stored"].as_u64().unwrap() > 100, "{report}");
}

#[test]
fn importing_again_stores_nothing_again() {
    let world = World::holding(&mboxrd(&three()));

    let again = world.import(&world.path("held.mbox"));

    assert_eq!(counts(&again), (0, 3));
    assert_eq!(world.json(&["stats"])["messages"], 3);
    world.assert_sound();
}

#[test]
fn a_message_with_either_line_ends_is_stored_once_as_it_came_first() {
    let world = World::holding(&mboxrd(&three()));
    let id = world.json(&["show", "One@test.example"])["id"].clone();
    let file = world.write("crlf.mbox", with_crlf(&mboxrd(&three())));

    let again = world.import(&file);
    let elsewhere = world.import_as(&file, "second@example.org");

    let other = World::new();
    other.import(&other.write("crlf.mbox", with_crlf(&mboxrd(&three()))));
    assert_eq!((counts(&again), counts(&elsewhere)), ((0, 3), (3, 0)));
    assert_eq!(world.json(&["stats"])["messages"], 3);
    assert_eq!(world.raw("One@test.example"), three()[0]);
    assert_eq!(other.json(&["show", "One@test.example"])["id"], id);
    world.assert_sound();
}

/// The schema version before messages were known by their lines.
const BEFORE_KINSHIP: i64 = 9;

/// Makes the store one from before messages were known by their lines: hashes of the bytes as received.
fn as_of_before(world: &World) {
    let reader = mailkeep::store::Reader::open(&world.path("home/mail.db")).unwrap();
    let database = world.database();
    for row in reader.rows().unwrap() {
        let raw = reader.raw(mailkeep::model::MessageKey(row.cast_signed())).unwrap();
        let hash = mailkeep::model::ContentHash::of(&raw).0;
        database.execute("UPDATE messages SET hash = ?1 WHERE id = ?2", (hash, row.cast_signed())).unwrap();
    }
    database
        .execute_batch(
            "DROP TABLE received_identities; DROP TABLE unreferenced_answers; DROP INDEX messages_by_subject;
             CREATE INDEX messages_by_subject ON messages (subject_hash);
             DROP TABLE arrival_counts; DROP INDEX placements_by_arrival; DROP TABLE sender_days;
             DROP TABLE arrival_days;
             ALTER TABLE sender_counts DROP COLUMN peak;
             DROP TABLE aliases; DROP TABLE proposals; DROP TABLE approvals; DROP TABLE attempts;
             DROP TABLE message_id_aliases; DROP TABLE deliveries; DROP TABLE outbox; DROP TABLE audit;
             DROP TABLE audit_previews; DROP INDEX drafts_leaving; ALTER TABLE drafts DROP COLUMN channel;
             ALTER TABLE accounts DROP COLUMN display_name; ALTER TABLE accounts DROP COLUMN send_folder;
             ALTER TABLE draft_revisions DROP COLUMN sender; ALTER TABLE draft_revisions DROP COLUMN html;
             ALTER TABLE draft_revisions DROP COLUMN attachments;
             ALTER TABLE draft_revisions DROP COLUMN html_removed; DROP TABLE waiting_reports;
             DROP TABLE page_sessions; DROP TABLE page_links; DROP TABLE passkeys; DROP TABLE sent_copies;
             DROP TRIGGER person_forgotten; DROP TABLE written_to; DROP TABLE people;
             DROP INDEX senders_by_address; DROP TABLE tasks; DROP TABLE turns;",
        )
        .unwrap();
    database.pragma_update(None, "user_version", BEFORE_KINSHIP).unwrap();
}

#[test]
fn messages_of_an_older_store_are_known_with_either_line_ends_and_keep_their_ids() {
    let (crlf, plain) = (with_crlf(&mboxrd(&three())), mboxrd(&three()));
    for (held, other) in [(&crlf, &plain), (&plain, &crlf)] {
        let world = World::holding(held);
        as_of_before(&world);
        let other = world.write("other.mbox", [other, &mboxrd([&Mail::new("Four").bytes()])[..]].concat());

        let report = world.import(&other);
        let again = world.import(&world.path("held.mbox"));

        let before = mailkeep::model::ContentHash::of(&world.raw("One@test.example"));
        let id = mailkeep::model::ShortId::of(&before).to_string();
        assert_eq!((counts(&report), counts(&again)), ((1, 3), (0, 3)));
        assert_eq!(world.json(&["show", "One@test.example"])["id"], id);
        world.assert_sound();
    }
}

#[test]
fn a_message_of_two_accounts_is_stored_once_and_placed_twice() {
    let world = World::holding(&mboxrd(&three()));

    let report = world.import_as(&world.path("held.mbox"), "second@example.org");

    let accounts: Vec<_> =
        list(&placements(&world, "One@test.example")).iter().map(|place| place["account"].clone()).collect();
    assert_eq!(counts(&report), (3, 0));
    assert_eq!(accounts, [ACCOUNT, "second@example.org"]);
    assert_eq!(world.count(""), 3);
    assert_eq!(world.json(&["count", "--account", "second@example.org", ""])["count"], 3);
    assert_eq!(world.json(&["stats"])["mailboxes"][1]["count"], 3);
    world.assert_sound();
}

#[test]
fn what_is_not_mail_is_named_and_the_rest_goes_in() {
    let world = World::new();
    let note = world.write("note.txt", "Buy milk.\n");
    let missing = world.path("missing.mbox");
    let mbox = world.write("three.mbox", mboxrd(&three()));

    let output =
        world.run(&["--json", "import", "--account", ACCOUNT, text(&note), text(&missing), text(&mbox)]);

    let report = read_json(&output);
    let problems: Vec<_> = list(&report["problems"]).iter().map(|p| p["message"].as_str().unwrap()).collect();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(counts(&report), (3, 0));
    assert_eq!(problems.len(), 2);
    assert!(problems[0].contains(text(&note)), "{problems:?}");
    assert!(problems[1].contains(text(&missing)), "{problems:?}");
    assert!(list(&report["problems"]).iter().all(|p| p["hint"].is_string()));
}

#[test]
fn the_report_is_json_with_all_its_figures() {
    let world = World::new();
    let file =
        world.write("mixed.mbox", mboxrd([&three()[0], &Mail::new("No date").without("Date").bytes()]));

    let report = world.import(&file);

    let mut figures: Vec<_> = report
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| *name != "seconds")
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    figures.sort();
    assert_eq!(
        figures,
        ["defective=1", "interrupted=false", "known=0", "problems=[]", "skipped=0", "stored=2"]
    );
    assert!(report["seconds"].is_f64());
}

#[test]
fn a_defective_message_is_kept_byte_for_byte_and_says_what_is_wrong() {
    let world = World::new();
    let broken =
        b"Subject: \xff\xfe broken\nContent-Type: multipart/mixed; boundary=x\nMessage-ID: <broken@x>\n\n\
        --x\nContent-Transfer-Encoding: base64\n\n!!!!\n--y\n\0\r\r\n";
    let file = world.write("broken.eml", broken);

    let report = world.import(&file);

    let shown = world.json(&["show", "broken@x"]);
    assert_eq!(report["defective"], 1);
    assert_eq!(world.raw("broken@x"), broken);
    assert!(list(&shown["defects"]).contains(&json!("header-bytes")), "{shown}");
}

#[test]
fn an_account_that_is_no_address_is_refused_before_anything_is_made() {
    let world = World::new();
    let file = world.write("three.mbox", mboxrd(&three()));

    let failure = world.failure(&["import", text(&file), "--account", "ada"]);

    assert_eq!(failure["code"], "bad_address");
    assert!(!world.home().exists());
}

#[test]
fn a_file_that_takes_the_place_of_another_keeps_both_messages() {
    let world = World::new();
    let file = world.write("now.eml", &three()[0]);
    world.import(&file);
    world.write("now.eml", &three()[1]);

    world.import(&file);

    assert_eq!(world.count(""), 2);
}

#[test]
fn a_path_need_not_be_unicode_nor_free_of_dashes() {
    let world = World::new();
    let name = "-- odd \u{1b}[31m name.eml";
    world.write(name, &three()[0]);

    let mut command = world.command(&["--json", "import", "--account", ACCOUNT, "--"]);
    let report = answer(command.current_dir(world.path("")).arg(Path::new(name)));

    assert_eq!(counts(&report), (1, 0));
}

#[test]
fn people_are_told_what_happened_and_what_is_next() {
    let world = World::new();
    let file = world.write("three.mbox", mboxrd(&three()));

    let output = world.run(&["import", text(&file), "--account", ACCOUNT]);

    let out = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(out.starts_with("3 messages stored in "), "{}", told(&output));
    assert!(out.contains("next: mailkeep search"), "{}", told(&output));
}

#[test]
fn whom_the_owner_wrote_to_is_known_in_an_older_store_too() {
    let own = Mail::new("Own").from(ACCOUNT).with("To", "Bob <bob@stone.example>, carol@stone.example");
    let world = World::holding(&mboxrd(&[own.bytes(), Mail::new("Of Bob").bytes()]));
    let known = |world: &World| {
        let reader = mailkeep::store::Reader::open(&world.path("home/mail.db")).unwrap();
        let mut people: Vec<_> =
            reader.people(10).unwrap().into_iter().map(|it| (it.address, it.name)).collect();
        people.sort();
        people
    };
    let before = known(&world);
    as_of_before(&world);

    world.import(&world.path("held.mbox"));

    let bob = ("bob@stone.example".to_owned(), "Bob".to_owned());
    assert_eq!(before, [bob, ("carol@stone.example".to_owned(), String::new())]);
    assert_eq!(known(&world), before);
    world.assert_sound();
}
