//! The questions that are asked often follow an index, as SQLite itself plans them for an assistant's connection: a plan
//! that reads whole tables would take seconds on a large archive.

use rusqlite::Connection;

use crate::model::Audience;
use crate::query::analytics::{counts, duplicates, frequency, full, lists, selection, series, walk};
use crate::query::audience;
use crate::store::Store;

/// A statement, and what must stand in its plan.
const HOT: &[(&str, &[&str])] = &[
    (walk::ARRIVED_UP, &["placements_by_arrival (mailbox=? AND internal_epoch>? AND internal_epoch<?)"]),
    (walk::ARRIVED_DOWN, &["placements_by_arrival (mailbox=? AND internal_epoch>? AND internal_epoch<?)"]),
    (walk::WRITTEN_UP, &["placements_by_epoch (mailbox=? AND epoch>? AND epoch<?)"]),
    (walk::WRITTEN_DOWN, &["placements_by_epoch (mailbox=? AND epoch>? AND epoch<?)"]),
    (selection::OF_MESSAGE, &["INTEGER PRIMARY KEY (rowid=?)", "placements_by_message (message=?)"]),
    (selection::OF_SENDER, &["messages_by_sender (sender=?)", "placements_by_message (message=?)"]),
    (selection::WITH_ATTACHMENTS, &["messages_with_attachments"]),
    (counts::OF_SENDER, &["messages_by_sender (sender=?)"]),
    (counts::ARRIVALS_OF, &["placements_by_message (message=?)"]),
    (counts::FIRST_IN, &["placements_by_arrival (mailbox=?)"]),
    (counts::LAST_IN, &["placements_by_arrival (mailbox=?)"]),
    (lists::UNDATED, &["messages_undated"]),
    (lists::OF_THREAD, &["messages_by_thread (thread=?)"]),
    (lists::OF_GMAIL_THREAD, &["messages_by_gmail_thread (x_gm_thrid=?)"]),
    (lists::BY_SIZE, &["messages_by_size (size>? AND size<?)"]),
    (lists::SIZES_OF_SENDER, &["messages_by_sender (sender=?)"]),
    (lists::SIZES_IN_MAILBOX, &["(mailbox=?)"]),
    (series::WRITTEN_BY_DAY, &["PRIMARY KEY (mailbox=? AND day>? AND day<?)"]),
    (series::WRITTEN_BY_HOUR, &["PRIMARY KEY (mailbox=? AND hour>? AND hour<?)"]),
    (series::ARRIVED_BY_HOUR, &["PRIMARY KEY (mailbox=? AND hour>? AND hour<?)"]),
    (series::ARRIVED_BY_DAY, &["PRIMARY KEY (mailbox=? AND day>? AND day<?)"]),
    (series::WRITTEN_WITHIN, &["placements_by_epoch (mailbox=? AND epoch>? AND epoch<?)"]),
    (
        series::ARRIVED_WITHIN,
        &["placements_by_arrival (mailbox=? AND internal_epoch>? AND internal_epoch<?)"],
    ),
    (frequency::TOTALS, &["PRIMARY KEY (mailbox=?)"]),
    (frequency::DAYS_OF_SENDER, &["PRIMARY KEY (mailbox=? AND sender=?"]),
    (full::OF_PLACEMENT, &["INTEGER PRIMARY KEY (rowid=?)"]),
    (full::OF_GMAIL_ID, &["messages_by_gmail_id (x_gm_msgid=?)"]),
    (full::AT_UID, &["(mailbox=? AND uid=?)"]),
    (full::OF_MESSAGE_ID, &["messages_by_message_id (message_id=?)", "placements_by_message (message=?)"]),
    (duplicates::OF_SUBJECT, &["messages_by_subject (subject_hash=?)"]),
    (duplicates::OF_ID, &["messages_by_message_id (message_id=?)"]),
];

fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect(sql);
    let unbound = std::iter::repeat_n(None::<i64>, statement.parameter_count());
    let rows = statement.query_map(rusqlite::params_from_iter(unbound), |row| row.get(3)).expect(sql);
    rows.collect::<Result<_, _>>().expect(sql)
}

#[test]
fn hot_questions_follow_an_index_and_sort_nothing_that_is_long() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mail.db");
    Store::open(&file).unwrap();
    for who in [Audience::Assistant, Audience::Person] {
        let reader = audience::open(&file, who).unwrap();
        for (sql, wanted) in HOT {
            let plan = plan(reader.connection(), sql);
            for part in *wanted {
                assert!(plan.iter().any(|step| step.contains(part)), "{part}\n{sql}\n{plan:#?}");
            }
            let scans = |step: &&String| {
                step.starts_with("SCAN") && !step.contains("USING") && !step.contains("SCAN b")
            };
            assert_eq!(plan.iter().find(scans), None, "{sql}\n{plan:#?}");
        }
    }
}

#[test]
fn lists_in_the_order_of_time_need_no_sorting() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mail.db");
    Store::open(&file).unwrap();
    let reader = audience::open(&file, Audience::Assistant).unwrap();

    for sql in [
        walk::ARRIVED_UP,
        walk::ARRIVED_DOWN,
        walk::WRITTEN_UP,
        walk::WRITTEN_DOWN,
        counts::FIRST_IN,
        counts::LAST_IN,
    ] {
        let plan = plan(reader.connection(), sql);
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{sql}\n{plan:#?}");
    }
}
