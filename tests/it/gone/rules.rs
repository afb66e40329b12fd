//! How long what is gone stays is the owner's to say; rubbish goes by itself, and never too much at once.

use super::{expunge, gone, sync_at, synced};
use crate::world::NOW;

const DAY_4: &str = "2026-06-19T12:00:00Z";
const DAY_6: &str = "2026-06-21T12:00:00Z";
const DAY_29: &str = "2026-07-14T12:00:00Z";
const DAY_31: &str = "2026-07-16T12:00:00Z";
const YEARS_LATER: &str = "2031-01-01T12:00:00Z";

#[test]
fn rubbish_goes_after_thirty_days_and_everything_else_stays_for_ever() {
    let spam = "namespace inbox {\n  mailbox Junk {\n    auto = create\n    special_use = \\Junk\n  }\n}\n";
    let Some(server) = crate::world::dovecot::Dovecot::with("rubbish_goes", spam) else { return };
    let mut client = server.client("ada");
    for (mailbox, count) in [("INBOX", 3), ("Trash", 2), ("Junk", 2)] {
        for number in 1..=count {
            client.append(mailbox, "", &super::letter(&format!("{mailbox}-{number}")));
        }
    }
    let world = crate::world::World::with_account(server.port, "ada");
    world.sync();
    expunge(&mut client, "INBOX", "1");
    expunge(&mut client, "Trash", "1:2");
    expunge(&mut client, "Junk", "1");

    let (first, _) = sync_at(&world, NOW, "");
    let (early, _) = sync_at(&world, DAY_29, "");
    assert_eq!((first["gone"].as_u64(), first["removed"].as_u64()), (Some(4), Some(0)), "{first}");
    assert_eq!((early["removed"].as_u64(), gone(&world).len()), (Some(0), 4), "{early}");

    let (late, code) = sync_at(&world, DAY_31, "");
    assert_eq!((late["removed"].as_u64(), code), (Some(3), Some(0)), "{late}");
    let left: Vec<String> = gone(&world).into_iter().map(|(subject, _)| subject).collect();
    assert_eq!(left, ["Letter INBOX-1"]);

    let (much_later, _) = sync_at(&world, YEARS_LATER, "");
    assert_eq!((much_later["removed"].as_u64(), gone(&world).len()), (Some(0), 1), "{much_later}");
    assert_eq!(world.count("letter"), 4);
    world.assert_sound();
}

#[test]
fn the_owner_says_how_many_days() {
    let Some((server, world)) = synced("the_owner_says", &[("INBOX", 4)]) else { return };
    expunge(&mut server.client("ada"), "INBOX", "1:2");
    let rule = "[sync]\ngone = \"5d\"\n";

    let (first, _) = sync_at(&world, NOW, rule);
    let (early, _) = sync_at(&world, DAY_4, rule);
    assert_eq!((first["gone"].as_u64(), early["removed"].as_u64()), (Some(2), Some(0)), "{first} {early}");
    assert_eq!(world.count("letter"), 4);

    let (late, _) = sync_at(&world, DAY_6, rule);
    assert_eq!(late["removed"], 2, "{late}");
    assert_eq!((world.count("letter"), gone(&world).len()), (2, 0));
    world.assert_sound();
}

#[test]
fn a_mirror_lets_go_at_once() {
    let Some((server, world)) = synced("a_mirror_lets_go", &[("INBOX", 60), ("Work", 3)]) else { return };
    let mut client = server.client("ada");
    expunge(&mut client, "INBOX", "1:20");
    client.run("DELETE Work");

    let (report, code) = sync_at(&world, NOW, "[sync]\ngone = \"mirror\"\n");

    assert_eq!((report["removed"].as_u64(), code), (Some(23), Some(0)), "{report}");
    assert_eq!((world.count("letter"), gone(&world).len()), (40, 0));
    world.assert_sound();
}

#[test]
fn a_mirror_does_not_let_go_of_too_much_at_once() {
    let Some((server, world)) = synced("a_mirror_does_not_let_go", &[("INBOX", 120), ("Work", 60)]) else {
        return;
    };
    let mirror = "[sync]\ngone = \"mirror\"\n";
    let mut client = server.client("ada");
    expunge(&mut client, "INBOX", "1:60");

    let (report, _) = sync_at(&world, NOW, mirror);

    assert_eq!((report["gone"].as_u64(), report["removed"].as_u64()), (Some(60), Some(0)), "{report}");
    assert_eq!(report["held"], 60, "{report}");
    assert_eq!((world.count("letter"), gone(&world).len()), (180, 60));
    // What is only marked stays so, however often it is looked at and however much later.
    for moment in [NOW, DAY_31, YEARS_LATER] {
        let (again, _) = sync_at(&world, moment, mirror);
        assert_eq!((again["removed"].as_u64(), world.count("letter")), (Some(0), 180), "{again}");
    }
    // A few more may go.
    expunge(&mut client, "Work", "1:5");
    let (few, _) = sync_at(&world, YEARS_LATER, mirror);
    assert_eq!((few["removed"].as_u64(), world.count("letter")), (Some(5), 175), "{few}");
    world.assert_sound();
}

#[test]
fn the_brake_also_holds_when_the_days_are_over() {
    let Some((server, world)) = synced("the_brake_also_holds", &[("INBOX", 100)]) else { return };
    expunge(&mut server.client("ada"), "INBOX", "1:80");

    sync_at(&world, NOW, "");
    let (late, _) = sync_at(&world, YEARS_LATER, "[sync]\ngone = \"mirror\"\n");

    assert_eq!((late["removed"].as_u64(), world.count("letter")), (Some(0), 100), "{late}");
}

#[test]
fn a_rule_that_is_none_stops_the_start() {
    let world = crate::world::World::new();
    for wrong in ["\"sometimes\"", "\"-3d\"", "\"d\"", "30", "\"\"", "\"99999999999999999999d\""] {
        let path = world.write("config.toml", format!("[sync]\ngone = {wrong}\n"));
        let output = world.command(&["--json", "status"]).env("MAILKEEP_CONFIG", path).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{wrong}: {}", crate::world::told(&output));
    }
}
