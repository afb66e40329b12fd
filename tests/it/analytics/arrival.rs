//! Which date counts: when mail came in, not what its sender claims. The right answers are counted here, from the dates
//! that the test itself has given.

use std::collections::BTreeMap;

use mailkeep::model::MessageKey;
use mailkeep::store::{Store, VerifyReport};
use serde_json::{Value, json};

use super::fixture::{BOB, answer, column, ids, world};
use crate::world::mail::{many, mboxrd};
use crate::world::random::Random;
use crate::world::{Mail, World};

const DAY: i64 = 86_400;
/// 2026-06-01 06:00 UTC, a Monday.
const JUNE: i64 = 1_780_293_600;

/// Lets a row have come in at another time, as a server would have said.
fn arrived(world: &World, id: i64, epoch: i64) {
    world
        .database()
        .execute("UPDATE placements SET internal_epoch = ?2 WHERE id = ?1", (id, epoch))
        .expect("the row is there");
    count_afresh(world);
}

/// Lets what is kept follow what was changed past the store.
fn count_afresh(world: &World) {
    let mut store = Store::open(&world.home().join("mail.db")).unwrap();
    store.repair_counts(&mut VerifyReport::default()).unwrap();
}

/// The year and month of a day, counted on from 1970.
fn month_of(day: i64) -> String {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let (mut year, mut left) = (1970, day);
    while left >= if is_leap(year) { 366 } else { 365 } {
        left -= if is_leap(year) { 366 } else { 365 };
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}")
}

#[test]
fn a_message_belongs_to_the_day_it_came_in_whatever_its_date_field_says() {
    let world = world();
    arrived(&world, 8, JUNE);

    assert_eq!(ids(&world, "filter_emails", &json!({ "date_from": "2026-06-01" })), [8]);
    assert_eq!(ids(&world, "filter_emails", &json!({ "date_to": "2023-12-31" })), [0; 0]);
    assert_eq!(ids(&world, "filter_emails", &json!({ "limit": 1 })), [8], "the newest came in last");
    assert_eq!(answer(&world, "count_emails", &json!({ "date_from": "2026-06" })), json!({ "count": 1 }));
    assert_eq!(
        answer(
            &world,
            "count_emails",
            &json!({ "from_domain": "stone.example", "date_from": "2026-06-01T06:00:00Z" })
        ),
        json!({ "count": 1 })
    );
    assert_eq!(
        answer(&world, "get_emails_by_date_range", &json!({ "limit": 1 })),
        json!([{ "period": "2026-06", "count": 1 }])
    );
    assert_eq!(
        answer(&world, "get_email_activity_heatmap", &json!({ "date_from": "2026-06-01" })),
        json!([{ "hour": 6, "day_of_week": "Mon", "day_number": 1, "count": 1 }])
    );
    let seasons = answer(&world, "get_seasonal_trends", &json!({ "years_back": 0 }));
    assert_eq!(seasons.as_array().unwrap().last().unwrap()["month_name"], "June");
    let frequency = answer(&world, "get_email_frequency_by_sender", &json!({ "sender": "dora" }));
    assert_eq!(column(&frequency, "period"), ["2026-06"]);
    let range = &answer(&world, "get_email_stats", &json!({}))["date_range"];
    assert_eq!(*range, json!({ "earliest": "2025-07-04T08:00:00Z", "latest": "2026-06-01T06:00:00Z" }));
    world.assert_sound();
}

#[test]
fn the_earliest_messages_and_the_date_of_one_go_by_the_date_field() {
    let world = world();
    arrived(&world, 8, JUNE);

    assert_eq!(ids(&world, "list_earliest_emails", &json!({ "limit": 2 })), [8, 6]);
    assert_eq!(answer(&world, "get_email_full", &json!({ "date": "2023" }))["id"], 8);
}

#[test]
fn a_forged_date_does_not_come_first() {
    let forged = Mail::new("From the future").date("Fri, 1 Jan 2044 00:00:00 +0000").bytes();
    let world = World::holding(&mboxrd(&[Mail::new("Today").bytes(), forged]));
    arrived(&world, 2, 1_772_000_000);

    let subjects = column(&answer(&world, "filter_emails", &json!({})), "subject");

    assert_eq!(subjects, ["Today", "From the future"]);
    assert_eq!(
        answer(&world, "get_emails_by_date_range", &json!({ "period": "yearly" })),
        json!([{ "period": "2026", "count": 2 }])
    );
}

/// Messages in two mailboxes whose arrivals are scattered over ten years; the moments by row.
fn scattered() -> (World, BTreeMap<i64, i64>) {
    let mails = many(240);
    let world = World::holding(&mboxrd(&mails));
    let copies = world.write("copies.mbox", mboxrd(&mails[..60]));
    world.json(&[
        "import",
        copies.to_str().unwrap(),
        "--account",
        crate::world::ACCOUNT,
        "--mailbox",
        "Copies",
    ]);
    let mut random = Random::new(11);
    let mut moments = BTreeMap::new();
    let mut database = world.database();
    let transaction = database.transaction().unwrap();
    for id in 1..=300_i64 {
        let moment = 1_420_000_000 + i64::try_from(random.below(320_000_000)).unwrap();
        transaction.execute("UPDATE placements SET internal_epoch = ?2 WHERE id = ?1", (id, moment)).unwrap();
        moments.insert(id, moment);
    }
    transaction.commit().unwrap();
    count_afresh(&world);
    (world, moments)
}

/// Messages a sender and period, the most first, counted from the rows that an assistant may see.
fn frequencies(world: &World, period: &str) -> Vec<Value> {
    const ROWS: &str = "
        SELECT s.display, strftime(?1, p.internal_epoch, 'unixepoch') FROM placements p
        JOIN messages m ON m.id = p.message JOIN senders s ON s.id = m.sender WHERE m.withheld = 0";
    let database = world.database();
    let mut statement = database.prepare(ROWS).unwrap();
    let rows = statement.query_map([period], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let mut counts: BTreeMap<(String, String), i64> = BTreeMap::new();
    rows.for_each(|row| *counts.entry(row.unwrap()).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(key, count)| (-count, key.clone()));
    let told = |((sender, period), count)| json!({ "sender": sender, "period": period, "count": count });
    counts.into_iter().map(told).collect()
}

fn assert_frequencies(world: &World) {
    for (period, format) in [("daily", "%Y-%m-%d"), ("monthly", "%Y-%m"), ("yearly", "%Y")] {
        let expected = frequencies(world, format);
        for limit in [1, 7, 1000] {
            let asked = json!({ "period": period, "limit": limit });
            let told = answer(world, "get_email_frequency_by_sender", &asked);
            assert_eq!(told, json!(expected[..limit.min(expected.len())]), "{period} {limit}");
        }
    }
}

#[test]
fn periods_counts_and_heat_are_those_that_are_counted_by_hand() {
    let (world, moments) = scattered();
    let (from, until) = (17_000 * DAY + 12_345, 19_000 * DAY + 54_321);
    let within: Vec<i64> = moments.values().copied().filter(|at| (from..=until).contains(at)).collect();
    let mut months: BTreeMap<String, i64> = BTreeMap::new();
    let mut week: BTreeMap<(i64, i64), i64> = BTreeMap::new();
    for at in &within {
        *months.entry(month_of(at / DAY)).or_default() += 1;
        *week.entry(((at / DAY + 4) % 7, at % DAY / 3600)).or_default() += 1;
    }
    let span =
        json!({ "date_from": "2016-07-18T03:25:45Z", "date_to": "2022-01-08T15:05:21Z", "limit": 1000 });

    let told = answer(&world, "get_emails_by_date_range", &span);
    let heat = answer(
        &world,
        "get_email_activity_heatmap",
        &json!({ "date_from": span["date_from"], "date_to": span["date_to"] }),
    );

    let expected: Vec<Value> =
        months.iter().map(|(period, count)| json!({ "period": period, "count": count })).collect();
    assert_eq!(told, Value::Array(expected));
    let heat: BTreeMap<(i64, i64), i64> = heat
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| {
            let number = |name: &str| cell[name].as_i64().unwrap();
            ((number("day_number"), number("hour")), number("count"))
        })
        .collect();
    assert_eq!(heat, week);
    assert_eq!(answer(&world, "count_emails", &span), json!({ "count": within.len() }));
    let mut newest: Vec<(i64, i64)> =
        moments.iter().map(|(id, at)| (*at, *id)).filter(|(at, _)| (from..=until).contains(at)).collect();
    newest.sort_unstable();
    let expected: Vec<Value> = newest.iter().rev().map(|(_, id)| json!(id)).collect();
    assert_eq!(column(&answer(&world, "filter_emails", &span), "id"), expected);
}

#[test]
fn what_is_kept_by_arrival_follows_moves_removals_and_judgements() {
    let (world, moments) = scattered();
    let mut store = Store::open(&world.home().join("mail.db")).unwrap();
    for key in [3, 70, 200] {
        let mut transaction = store.begin().unwrap();
        transaction.withhold(MessageKey(key), true).unwrap();
        transaction.commit().unwrap();
    }
    drop(store);
    assert_frequencies(&world);
    let hidden = [3, 70, 200, 243];
    let shown = moments.keys().filter(|id| !hidden.contains(*id)).count();

    assert_eq!(answer(&world, "count_emails", &json!({ "date_from": "2000" })), json!({ "count": shown }));
    world.assert_sound();
    world.json(&["forget", "subject:report from:p3", "--yes"]);
    world.json(&["forget", "after:2021-01-05 before:2021-01-20", "--yes"]);
    world.assert_sound();
    assert_frequencies(&world);
    let left = answer(&world, "count_emails", &json!({ "date_from": "2000" }))["count"].as_u64().unwrap();
    assert!(left < shown as u64, "{left}");
}

#[test]
fn of_many_periods_the_newest_come_and_oldest_first() {
    let months: Vec<_> = (0..60)
        .map(|month| {
            let date = format!("Mon, 5 {} {} 10:00:00 +0000", NAMES[month % 12], 2019 + month / 12);
            Mail::new(&format!("Month {month}")).date(&date).bytes()
        })
        .collect();
    let world = World::holding(&mboxrd(&months));

    let periods = column(&answer(&world, "get_emails_by_date_range", &json!({})), "period");

    assert_eq!(periods.len(), 50);
    assert_eq!((&periods[0], &periods[49]), (&json!("2019-11"), &json!("2023-12")));
    assert!(periods.is_sorted_by_key(|period| period.as_str().unwrap().to_owned()));
}

const NAMES: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

#[test]
fn the_busiest_come_first_and_a_shorter_list_is_the_beginning_of_a_longer_one() {
    let mut mails = Vec::new();
    for (sender, count) in [("a", 1), ("m", 7), ("n", 3), ("x", 3), ("z", 12)] {
        for number in 0..count {
            let mail = Mail::new(&format!("{sender} {number}")).from(&format!("{sender}@busy.example"));
            mails.push(mail.bytes());
        }
    }
    let world = World::holding(&mboxrd(&mails));

    let all = answer(&world, "get_email_frequency_by_sender", &json!({}));
    let first = answer(&world, "get_email_frequency_by_sender", &json!({ "limit": 3 }));

    let expected: Vec<Value> = [("z", 12), ("m", 7), ("n", 3), ("x", 3), ("a", 1)]
        .iter()
        .map(|(name, count)| json!({ "sender": format!("{name}@busy.example"), "period": "2026-03", "count": count }))
        .collect();
    assert_eq!(all, json!(expected));
    assert_eq!(first, json!(expected[..3]));
    assert!(!all.to_string().contains(BOB));
}
