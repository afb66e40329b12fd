//! A bounce is a stranger's mail: what it does not know and name, it does not change.

use mailkeep::model::ItemState;

use super::{
    SAMPLES_DATE, answer, bring_in, deliveries, draft, leave, replaced, sample, sent, statuses, world,
};

const BOB: &str = "bob@there.example";
const CLEO: &str = "cleo@there.example";

#[test]
fn whoever_names_the_recipient_of_another_item_changes_neither() {
    let world = world();
    let (to_bob, to_cleo) = (sent(&world, &[BOB]), sent(&world, &[CLEO]));

    let everywhere =
        replaced(&sample("status_failed", &to_cleo), "older-of-bob@there.example", "x@there.example");
    let only_in_status = replaced(&sample("status_failed", &to_bob), "822; bob@", "822; cleo@");
    let only_in_status = replaced(&only_in_status, "822;bob@", "822;cleo@");
    bring_in(&world, &[everywhere, only_in_status]);

    assert_eq!(statuses(&world, &to_bob), [""; 0]);
    assert_eq!(statuses(&world, &to_cleo), [""; 0]);
}

#[test]
fn whoever_does_not_know_the_id_changes_nothing() {
    let world = world();
    let draft = sent(&world, &[BOB]);

    bring_in(&world, &[replaced(&sample("status_failed", &draft), &draft.message_id, "guessed@ada.example")]);

    assert_eq!(statuses(&world, &draft), [""; 0]);
}

#[test]
fn what_has_not_left_cannot_have_come_back() {
    let world = world();
    for last in [ItemState::PendingApproval, ItemState::Approved] {
        let draft = draft(&world, &[BOB]);
        leave(&world, &draft, last, SAMPLES_DATE - 60);

        bring_in(&world, &[sample("status_failed", &draft)]);

        assert_eq!(statuses(&world, &draft), [""; 0], "{last}");
        assert_eq!(answer(&world, &draft), last.name());
    }
}

#[test]
fn one_of_several_recipients_that_nobody_can_tell_is_only_noted() {
    let world = world();
    let draft = sent(&world, &["ida@there.example", CLEO]);

    bring_in(&world, &[sample("status_failed", &draft)]);

    assert_eq!(statuses(&world, &draft), ["cleo@there.example sent", "ida@there.example sent"]);
    let told = deliveries(&world, &draft)[0].detail.clone().unwrap();
    assert!(
        told.starts_with("a report names bob@there.example and may mean one of your recipients"),
        "{told}"
    );
    assert_eq!(answer(&world, &draft), "sent");
}

#[test]
fn a_forward_that_failed_counts_for_the_one_recipient_of_what_came_back() {
    let world = world();
    let draft = sent(&world, &[BOB]);

    let forwarded = replaced(&sample("status_failed", &draft), "822; bob@there", "822; bob@new");
    let forwarded = replaced(&forwarded, "Original-Recipient: rfc822;bob@there.example\n", "");
    bring_in(&world, &[forwarded]);

    assert_eq!(statuses(&world, &draft), ["bob@there.example bounced"]);
    let told = deliveries(&world, &draft)[0].detail.clone().unwrap();
    assert_eq!(told, "at bob@new.example: 550 5.1.1 nobody of that name here");
}

#[test]
fn a_reply_of_ours_is_not_blamed_for_what_it_answers() {
    let world = world();
    let (older, newer) = (sent(&world, &[BOB]), sent(&world, &[BOB]));

    let report = replaced(&sample("status_failed", &newer), "older-of-ada@ada.example", &older.message_id);
    bring_in(&world, &[report]);

    assert_eq!(statuses(&world, &older), [""; 0]);
    assert_eq!(statuses(&world, &newer), ["bob@there.example bounced"]);
}
