//! A process that dies at any point around a commit loses nothing: importing again gives the state
//! that an import without interruption gives.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::{Connection, types::Value as Column};
use serde_json::Value;

use crate::world::mail::{many, mboxrd};
use crate::world::{ACCOUNT, Mail, World, text};

const SEARCHES: [&str; 10] = [
    "",
    "numbers",
    "report week",
    "\"week 7\"",
    "from:p3",
    "is:unread",
    "word3 OR word5",
    "subject:report -word2",
    "after:2022 before:2024",
    "in:Lists",
];

/// Everything a person could notice about a home.
#[derive(Debug, PartialEq)]
struct State {
    hashes: BTreeSet<String>,
    placements: Vec<Vec<Column>>,
    threads: BTreeSet<Vec<String>>,
    counts: Vec<Vec<Vec<Column>>>,
    searches: Vec<Value>,
}

const PLACEMENTS: &str = "
    SELECT hex(m.hash), a.address, b.name, p.flags, (SELECT group_concat(l.name) FROM placement_labels pl
        JOIN label_names l ON l.id = pl.label WHERE pl.placement = p.id)
    FROM placements p JOIN messages m ON m.id = p.message JOIN mailboxes b ON b.id = p.mailbox
    JOIN accounts a ON a.id = b.account ORDER BY 1, 2, 3";
const THREADS: &str =
    "SELECT group_concat(hash, ' ') FROM (SELECT hex(hash) AS hash, thread FROM messages ORDER BY hash)
    GROUP BY thread";
const COUNTS: [&str; 4] = [
    "SELECT b.name, d.day, d.withheld, d.count FROM day_counts d JOIN mailboxes b ON b.id = d.mailbox ORDER BY 1, 2, 3",
    "SELECT b.name, s.display, c.withheld, c.count FROM sender_counts c JOIN mailboxes b ON b.id = c.mailbox
     JOIN senders s ON s.id = c.sender ORDER BY 1, 2, 3",
    "SELECT b.name, c.withheld, c.count, c.unread, c.bytes FROM mailbox_counts c JOIN mailboxes b ON b.id = c.mailbox
     ORDER BY 1, 2",
    "SELECT withheld, count, bytes, with_attachments FROM message_counts ORDER BY 1",
];

fn rows(database: &Connection, sql: &str) -> Vec<Vec<Column>> {
    let mut statement = database.prepare(sql).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| (0..columns).map(|column| row.get(column)).collect());
    rows.unwrap().map(Result::unwrap).collect()
}

fn state(world: &World) -> State {
    let database = world.database();
    let threads = rows(&database, THREADS).into_iter().map(|row| match &row[0] {
        Column::Text(hashes) => hashes.split(' ').map(str::to_owned).collect(),
        other => panic!("a thread without messages: {other:?}"),
    });
    State {
        hashes: world.hashes(),
        placements: rows(&database, PLACEMENTS),
        threads: threads.collect(),
        counts: COUNTS.map(|sql| rows(&database, sql)).to_vec(),
        searches: SEARCHES.map(|query| world.results(query)).to_vec(),
    }
}

/// A Maildir of two folders with flags, and an mbox that holds some of the same messages.
fn write_mail(world: &World) {
    for (number, message) in many(150).iter().enumerate() {
        let folder = ["box", "box/.Lists"][number % 2];
        let flags = ["S", "", "FS", "RS"][number % 4];
        world.write(&format!("mail/{folder}/cur/{number:03}.h:2,{flags}"), message);
    }
    let labelled = Mail::new("Labelled").labelled("Inbox,Travel").bytes();
    world.write("mail/some.mbox", mboxrd(many(20).iter().chain([&labelled])));
}

/// Imports everything; dies at the n-th point when one is given. Whether it survived.
fn import(world: &World, mail: &Path, crash_at: Option<u32>) -> bool {
    let mut command = world.command(&["import", "--account", ACCOUNT, text(mail)]);
    if let Some(point) = crash_at {
        command.env("MAILKEEP_TEST_CRASH_AT", point.to_string());
    }
    command.output().unwrap().status.success()
}

/// Dies at the n-th point of an import, imports again, and compares. Whether there was such a point.
fn recovers_from(point: u32, mail: &Path, golden: &State) -> bool {
    let world = World::new();
    let survived = import(&world, mail, Some(point));

    assert!(import(&world, mail, None), "the import after point {point} failed");

    assert_eq!(&state(&world), golden, "after a crash at point {point}");
    world.assert_sound();
    !survived
}

#[test]
fn an_import_that_dies_at_any_point_is_completed_by_the_next_one() {
    let whole = World::new();
    write_mail(&whole);
    let mail = whole.path("mail");
    assert!(import(&whole, &mail, None));
    let golden = state(&whole);

    let points = (1..).take_while(|point| recovers_from(*point, &mail, &golden)).count();

    assert!(points >= 6, "only {points} points were found to die at");
}

#[test]
fn what_was_stored_before_a_crash_is_found_before_anybody_imports_again() {
    let world = World::new();
    write_mail(&world);
    let mail = world.path("mail");

    let points = (1..20).filter(|point| {
        let crashed = World::new();
        let survived = import(&crashed, &mail, Some(*point));
        let stored = crashed.count("");
        assert_eq!(crashed.count("report"), stored - crashed.count("labelled"), "after point {point}");
        !survived && stored > 0
    });

    assert!(points.count() >= 2, "no crash left something behind");
}
