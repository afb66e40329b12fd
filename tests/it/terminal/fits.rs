//! Lists fit terminals from 60 to 200 columns, whatever script they are in; programs get all of it.

use serde_json::json;

use super::{on_terminal_or_skip, printed, too_wide};
use crate::world::assistant::Assistant;
use crate::world::mail::mboxrd;
use crate::world::{Mail, World, text};

const WIDTHS: [usize; 4] = [60, 80, 120, 200];

/// Subjects and senders that are wide in every way: long words, scripts of wide characters, pictures, marks that take
/// no place.
const AWKWARD: [(&str, &str); 6] = [
    (
        "Ordinary and rather long so that it cannot possibly fit beside a sender on any terminal that people use to read",
        "Bob Stone <bob@stone.example>",
    ),
    (
        "反射防止膜の測定結果についてのお知らせと来週の打ち合わせの日程に関するご相談",
        "佐藤花子 <hana.sato@aozora-keiki.example>",
    ),
    (
        "Party 🎉🎉🎉 with 👩‍👩‍👧 and ❤️❤️❤️❤️❤️❤️❤️❤️❤️❤️❤️❤️❤️❤️❤️❤️❤️❤️❤️❤️",
        "\"🎈🎈🎈🎈🎈🎈🎈🎈🎈🎈🎈🎈🎈\" <party@example.org>",
    ),
    (
        "Ve\u{301}lo\u{302}s et cafe\u{301}s, de\u{301}cision et re\u{301}ponse attendues avant la fin de l\u{2019}e\u{301}te\u{301}",
        "Zoe\u{308} <zoe@example.org>",
    ),
    (
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftsversammlungsprotokoll",
        "x@very-long-name-of-a-host-in-a-subdomain.of-some-organisation.example",
    ),
    ("", ""),
];

fn world() -> World {
    let message = |(subject, from): (&str, &str)| {
        Mail::new(&format!("{subject} kettle"))
            .from(from)
            .body(&format!("The kettle. {subject} {subject} {subject}"))
    };
    World::holding(&mboxrd(&AWKWARD.map(|pair| message(pair).bytes())))
}

#[test]
fn lists_are_no_wider_than_the_terminal() {
    let world = world();
    let home_at_user = world.path("nobody");
    let lists: [&[&str]; 13] = [
        &["search", "kettle"],
        &["search", "in:inbox"],
        &["search", "zzz"],
        &["stats"],
        &["status"],
        &["doctor"],
        &["account", "list"],
        &["connect", "--list"],
        &["sql", "SELECT * FROM emails"],
        &["forget", "--log"],
        &["shield", "apply"],
        &["search", "--help"],
        &["mcp", "--help"],
    ];

    for columns in WIDTHS {
        for list in lists {
            let mut command = world.command(list);
            command.env("COLUMNS", columns.to_string()).env("HOME", &home_at_user);
            let shown = String::from_utf8(command.output().unwrap().stdout).unwrap();

            assert!(!shown.is_empty(), "{list:?}");
            assert_eq!(too_wide(&shown, columns), [""; 0], "{list:?} at {columns}");
        }
    }
}

#[test]
fn a_message_fits_but_for_words_that_are_longer_than_a_line() {
    let world = world();
    let link = "https://example.org/".to_owned() + &"a-long-way/".repeat(30);
    let body = format!("{} {link} {}", "words and words ".repeat(30), "反射防止膜".repeat(40));
    let file = world.write("long.eml", Mail::new("Long").body(&body).bytes());
    world.import(&file);
    let id = world.json(&["search", "subject:long"])["results"][0]["id"].as_str().unwrap().to_owned();

    for columns in WIDTHS {
        let shown = printed(&world, columns, &["show", &id]);

        assert_eq!(too_wide(&shown, columns), std::slice::from_ref(&link), "at {columns}");
    }
}

#[test]
fn a_real_terminal_is_asked_how_wide_it_is() {
    let world = world();
    let command = world.command(&["search", "kettle"]);

    for columns in [60, 100] {
        let Some(shown) = on_terminal_or_skip("a_real_terminal", &command, (columns, 100)) else { return };

        assert!(shown.contains("kettle") && shown.contains('…'), "{shown}");
        assert_eq!(too_wide(&shown, columns), [""; 0], "at {columns}");
    }
}

#[test]
fn programs_get_all_of_it() {
    let world = world();

    let shown = String::from_utf8(world.run(&["search", "kettle"]).stdout).unwrap();
    let table = String::from_utf8(world.run(&["sql", "SELECT subject FROM emails"]).stdout).unwrap();

    for (subject, from) in AWKWARD.iter().filter(|(subject, _)| subject.is_ascii()) {
        assert!(shown.contains(subject) && shown.contains(from), "{subject}: {shown}");
        assert!(table.contains(subject), "{table}");
    }
    assert!(!shown.contains('\u{1b}'));
}

#[test]
fn the_words_that_were_asked_for_are_in_colour_for_who_wants_colours() {
    let world = World::holding(&mboxrd(&[Mail::new("Two kettles").body("A kettle and a pot.").bytes()]));
    let mut command = world.command(&["search", "kettle"]);
    let Some(shown) = on_terminal_or_skip("the_words_in_colour", &command, (80, 50)) else { return };
    let marked = |word: &str| format!("\u{1b}[1m\u{1b}[31m{word}\u{1b}[0m");

    assert!(shown.contains(&marked("kettles")) && shown.contains(&marked("kettle")), "{shown:?}");
    assert!(!shown.contains(&marked("pot")), "{shown:?}");

    command.env("NO_COLOR", "1");
    let plain = on_terminal_or_skip("the_words_in_colour", &command, (80, 50)).unwrap();
    assert!(plain.contains("Two kettles") && !plain.contains('\u{1b}'), "{plain:?}");
}

#[test]
fn the_line_with_a_word_that_was_asked_for_is_shown_however_narrow() {
    let body = format!("{} kettle {}", "unremarkable words ".repeat(20), "and more words ".repeat(20));
    let world = World::holding(&mboxrd(&[Mail::new("Deep").body(&body).bytes()]));

    for columns in WIDTHS {
        let shown = printed(&world, columns, &["search", "kettle"]);

        assert!(shown.contains("kettle"), "at {columns}: {shown}");
    }
}

#[test]
fn a_moment_is_the_same_in_every_command_and_in_the_time_of_the_person() {
    let world = World::new();
    let file = world.write("a.eml", Mail::new("Late").date("Tue, 3 Mar 2026 02:30:00 +0000").bytes());
    world.import(&file);
    let shown = |arguments: &[&str]| {
        let output = world.command(arguments).env("TZ", "America/New_York").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let id = world.json(&["search", "late"])["results"][0]["id"].as_str().unwrap().to_owned();

    assert!(shown(&["search", "late"]).starts_with("2026-03-02 21:30  "));
    assert!(shown(&["show", &id]).contains("\nDate: 2026-03-02 21:30\n"));
    assert!(shown(&["stats"]).contains("from 2026-03-02 to 2026-03-02"));
    for arguments in [&["status"][..], &["account", "list"]] {
        assert!(shown(arguments).contains("mail last came in 2026-06-15 08:00"), "{arguments:?}");
    }
    let written = json!({ "reply_to_id": id, "body": "Soon." });
    let draft = Assistant::new(&world, &[]).call("create_draft", written);
    let draft = draft["result"]["structuredContent"]["id"].as_str().unwrap();
    assert!(shown(&["drafts", "list"]).contains("2026-06-15 08:00"));
    assert!(shown(&["drafts", "show", draft]).contains("\nWritten: 2026-06-15 08:00\n"));
}

#[test]
fn one_is_one_and_many_are_many() {
    let world = World::new();
    let one = world.write("one.eml", Mail::new("One").bytes());
    let said = |arguments: &[&str]| String::from_utf8(world.run(arguments).stdout).unwrap();

    let imported = said(&["import", text(&one), "--account", "ada@example.org"]);
    assert!(imported.starts_with("1 message stored"), "{imported}");
    assert_eq!(said(&["count", "one"]), "1 message\n");
    assert_eq!(said(&["count", "two"]), "0 messages\n");
    assert!(said(&["doctor"]).contains("1 message"), "{}", said(&["doctor"]));
    assert!(!said(&["doctor"]).contains("1 messages"));
    assert!(said(&["status"]).contains("mail      1 message\n"));
    assert!(said(&["verify"]).starts_with("1 message checked"));
}
