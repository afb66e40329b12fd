//! A process that dies anywhere while it sends: nothing goes out twice, nothing is lost, and what nobody can know is said.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use mailkeep::model::ItemState;

use crate::sends::Outgoing;
use crate::world::flaky_smtp::FlakySmtp;
use crate::world::random::Random;
use crate::world::told;

fn sending(outgoing: &Outgoing) -> Command {
    let mut command = outgoing.world.command(&["outbox", "send", "--once", "--json"]);
    command.env("RETRY_DELAY_MS", "1").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_process_that_dies_between_any_two_lines_of_the_journal_sends_once_or_says_that_nobody_knows() {
    let mut states = BTreeMap::new();
    for point in 1.. {
        let server = FlakySmtp::good();
        let outgoing = Outgoing::to(server.port);
        let item = outgoing.approved("Killed");

        let output = sending(&outgoing).env("MAILKEEP_TEST_CRASH_AT", point.to_string()).output().unwrap();
        let had_dot = outgoing.attempts(&item).iter().any(|attempt| attempt.dot_ms.is_some());
        sending(&outgoing).output().unwrap();

        let (state, taken) = (outgoing.state(&item), server.taken().len());
        *states.entry(state.name()).or_insert(0) += 1;
        assert!(taken <= 1, "point {point}: {taken}");
        match state {
            ItemState::Sent => assert_eq!(taken, 1, "point {point}"),
            ItemState::Unknown => assert!(had_dot, "point {point}"),
            other => panic!("point {point}: {other}: {}", told(&output)),
        }
        if output.status.success() {
            assert!(point > 8, "only {point} points");
            break;
        }
    }
    assert!(states["sent"] > 5 && states["unknown"] > 0, "{states:?}");
}

/// Whatever another program makes of the rows after a crash: what may have left is not sent again by itself.
#[test]
fn an_attempt_whose_dot_somebody_takes_away_after_a_crash_is_not_made_again() {
    for edit in [
        "UPDATE attempts SET dot_ms = NULL",
        "UPDATE attempts SET dot_ms = NULL, outcome = 'later'; UPDATE drafts SET state = 'approved'",
        "DELETE FROM attempts; UPDATE drafts SET state = 'approved'; UPDATE approvals SET spent = 0",
    ] {
        let server = FlakySmtp::good();
        let outgoing = Outgoing::to(server.port);
        let item = outgoing.approved("Edited");
        let has_dot = || outgoing.attempts(&item).iter().any(|attempt| attempt.dot_ms.is_some());
        let crash = |point: usize| {
            sending(&outgoing).env("MAILKEEP_TEST_CRASH_AT", point.to_string()).output().unwrap();
            has_dot()
        };
        assert!((1..20).any(crash), "no crash after the dot");
        let left = server.taken().len();
        let verify = || outgoing.world.run(&["audit", "verify"]).status.code();
        assert_eq!(verify(), Some(0));

        rusqlite::Connection::open(outgoing.home().store()).unwrap().execute_batch(edit).unwrap();
        assert_eq!(verify(), Some(1), "{edit}");
        sending(&outgoing).output().unwrap();

        assert_eq!(server.taken().len(), left, "{edit}");
        let state = outgoing.state(&item);
        assert!(matches!(state, ItemState::Unknown | ItemState::PendingApproval), "{edit}: {state}");
    }
}

#[test]
fn a_process_that_dies_while_it_writes_a_file_leaves_one_file_and_knows_it() {
    for point in 1.. {
        let (outgoing, folder) = Outgoing::into_folder();
        let item = outgoing.approved("Killed");

        let output = sending(&outgoing).env("MAILKEEP_TEST_CRASH_AT", point.to_string()).output().unwrap();
        sending(&outgoing).output().unwrap();

        assert_eq!(outgoing.state(&item), ItemState::Sent, "point {point}");
        let written = std::fs::read(folder.join(format!("{}.eml", item.draft.id))).unwrap();
        assert_eq!(written, outgoing.message(&item), "point {point}");
        if output.status.success() {
            break;
        }
    }
}

#[test]
fn processes_that_are_killed_at_random_while_others_wait_send_each_item_once() {
    let server = FlakySmtp::good();
    let outgoing = Outgoing::to(server.port);
    let items: Vec<_> = (0..50).map(|number| outgoing.approved(&format!("Letter {number}"))).collect();
    let mut random = Random::new(5);

    for _ in 0..12 {
        let mut first = sending(&outgoing).spawn().unwrap();
        let mut second = sending(&outgoing).spawn().unwrap();
        thread::sleep(Duration::from_millis(50 + random.below(400) as u64));
        for process in [&mut first, &mut second] {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }
    let (first, second) = (sending(&outgoing).spawn().unwrap(), sending(&outgoing).spawn().unwrap());
    for process in [first, second] {
        process.wait_with_output().unwrap();
    }

    let mut subjects = BTreeMap::new();
    for taken in server.taken() {
        let text = String::from_utf8(taken.bytes).unwrap();
        let subject = text.lines().find(|line| line.starts_with("Subject:")).unwrap().to_owned();
        *subjects.entry(subject).or_insert(0) += 1;
    }
    assert!(subjects.values().all(|count| *count == 1), "{subjects:?}");
    let mut unknown = 0;
    for item in &items {
        match outgoing.state(item) {
            ItemState::Sent => {}
            ItemState::Unknown => unknown += 1,
            other => panic!("{}: {other}", item.draft.subject),
        }
    }
    assert!(subjects.len() + unknown >= items.len(), "{} arrived, {unknown} unknown", subjects.len());
}
