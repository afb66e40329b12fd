//! Looking through new mail: once, cheaply, and without losing anything to a kill or to another process.

use std::thread;

use mailkeep::model::ItemState;
use mailkeep::outbox::delivery::Looked;
use mailkeep::store::Store;

use super::{SAMPLES_DATE, bring_in, draft, leave, look, reader, replaced, sample, sent, statuses, world};
use crate::drafts::home;
use crate::world::mail::many;
use crate::world::{ACCOUNT, World, text};

const BOB: &str = "bob@there.example";

/// How often the audit chain tells of a report.
fn told(world: &World) -> i64 {
    let database = world.database();
    database.query_row("SELECT count(*) FROM audit WHERE kind = 'reported'", [], |row| row.get(0)).unwrap()
}

#[test]
fn what_was_looked_at_is_not_looked_at_again() {
    let world = world();
    let draft = sent(&world, &[BOB]);

    bring_in(&world, &[sample("status_failed", &draft)]);

    assert_eq!(look(&world), Looked::default());
    assert_eq!(told(&world), 1);
}

#[test]
fn ordinary_mail_is_not_read() {
    let world = world();
    sent(&world, &[BOB]);
    bring_in(&world, &many(50));
    rewind(&world);

    let looked = look(&world);

    assert!(looked.messages > 50 && looked.reports == 0, "{looked:?}");
}

/// Has everything looked at again.
fn rewind(world: &World) {
    let mut store = Store::open_existing(&home(world).store()).unwrap();
    let seen = reader(world).report_cursor().unwrap().seen;
    let tx = store.begin().unwrap();
    assert!(tx.note_reports_seen(seen, 0).unwrap());
    tx.commit().unwrap();
}

/// Dies at the n-th point of an import that brings a bounce in, and imports again. Whether there was such a point.
fn recovers_from(point: u32) -> bool {
    let world = world();
    let draft = sent(&world, &[BOB]);
    let path = world.write("incoming/1.eml", sample("status_failed", &draft));

    let mut command = world.command(&["import", "--account", ACCOUNT, text(&path)]);
    let first = command.env("MAILKEEP_TEST_CRASH_AT", point.to_string()).output().unwrap();
    world.import(&path);

    assert_eq!(statuses(&world, &draft), ["bob@there.example bounced"], "point {point}");
    assert_eq!(told(&world), 1, "point {point}");
    !first.status.success()
}

#[test]
fn a_process_that_dies_anywhere_loses_no_report_and_repeats_none() {
    let points = (1..100).take_while(|point| recovers_from(*point)).count();

    assert!((4..99).contains(&points), "only {points} points were found to die at");
}

#[test]
fn of_several_that_look_at_once_one_notes_it() {
    let world = world();
    let draft = draft(&world, &[BOB]);
    bring_in(&world, &[sample("status_failed", &draft)]);
    leave(&world, &draft, ItemState::Sent, SAMPLES_DATE - 60);
    rewind(&world);

    let looked: Vec<Looked> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| look(&world))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });

    assert_eq!(looked.iter().map(|looked| looked.changes).sum::<usize>(), 1, "{looked:?}");
    assert_eq!(told(&world), 1);
    assert_eq!(statuses(&world, &draft), ["bob@there.example bounced"]);
}

#[test]
fn a_report_that_comes_before_the_providers_id_is_known_is_not_lost() {
    let world = world();
    let draft = sent(&world, &[BOB]);
    let alias = "rewritten-by-provider@provider.example";

    bring_in(&world, &[replaced(&sample("status_failed", &draft), &draft.message_id, alias)]);
    assert_eq!(statuses(&world, &draft), [""; 0]);
    let mut store = Store::open_existing(&home(&world).store()).unwrap();
    let tx = store.begin().unwrap();
    tx.add_alias(draft.key, alias).unwrap();
    tx.commit().unwrap();
    let looked = look(&world);

    assert_eq!(looked.changes, 1);
    assert_eq!(statuses(&world, &draft), ["bob@there.example bounced"]);
    assert_eq!(look(&world), Looked::default());
}
