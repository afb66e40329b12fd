//! Every form of report says what became of the item, recipient by recipient.

use mailkeep::model::ItemState;

use super::{answer, bring_in, deliveries, draft, item, leave, sample, sent, statuses, world};
use crate::bounces::SAMPLES_DATE;

const BOB: &str = "bob@there.example";

#[test]
fn each_form_tells_what_became_of_it() {
    let world = world();
    let forms = [
        ("status_failed", BOB, "bounced", "bounced"),
        ("status_original_recipient", BOB, "bounced", "bounced"),
        ("status_delayed", BOB, "delayed", "sent"),
        ("status_delivered", BOB, "delivered", "delivered"),
        ("global_domain", "bob@xn--mller-kva.example", "bounced", "bounced"),
        ("text_copy_below", BOB, "bounced", "bounced"),
        ("text_failed_recipients", BOB, "bounced", "bounced"),
        ("text_transcript", BOB, "bounced", "bounced"),
        ("text_warning", BOB, "delayed", "sent"),
        ("text_not_reached", BOB, "bounced", "bounced"),
        ("text_html_only", BOB, "bounced", "bounced"),
        ("text_german", BOB, "bounced", "bounced"),
        ("text_japanese", BOB, "bounced", "bounced"),
        ("boundary_lost", BOB, "bounced", "bounced"),
    ];
    let items = forms.map(|(_, to, ..)| sent(&world, &[to]));
    let reports: Vec<_> = forms.iter().zip(&items).map(|((name, ..), item)| sample(name, item)).collect();

    bring_in(&world, &reports);

    for ((name, to, status, expected), draft) in forms.iter().zip(&items) {
        assert_eq!(statuses(&world, draft), [format!("{to} {status}")], "{name}");
        assert_eq!(answer(&world, draft), *expected, "{name}");
        // Nothing is sent again, whatever came back.
        assert_eq!(item(&world, draft).draft.state, ItemState::Sent, "{name}");
    }
}

#[test]
fn each_recipient_has_a_fate_of_its_own() {
    let world = world();
    let people =
        [BOB, "cleo@there.example", "dora@there.example", "list@there.example", "emil@there.example"];
    let draft = sent(&world, &people);

    bring_in(&world, &[sample("status_mixed", &draft)]);

    let expected = [
        "bob@there.example bounced",
        "cleo@there.example delayed",
        "dora@there.example delivered",
        "list@there.example delivered",
    ];
    assert_eq!(statuses(&world, &draft), expected);
    assert_eq!(answer(&world, &draft), "bounced");
}

#[test]
fn the_reason_and_the_report_are_kept() {
    let world = world();
    let draft = sent(&world, &[BOB]);

    bring_in(&world, &[sample("status_failed", &draft)]);

    let known = deliveries(&world, &draft);
    assert_eq!(known[0].detail.as_deref(), Some("550 5.1.1 nobody of that name here"));
    assert_eq!(known[0].epoch, SAMPLES_DATE);
    let report = super::reader(&world).message(known[0].message.unwrap()).unwrap().unwrap();
    assert_eq!(report.subject, "Undelivered Mail Returned to Sender");
}

#[test]
fn complaints_receipts_and_auto_replies_change_nothing() {
    let world = world();
    let draft = sent(&world, &[BOB]);

    let names = [
        "complaint",
        "read_receipt",
        "auto_reply",
        "forwarded_by_a_person",
        "told_by_a_person",
        "newsletter",
    ];
    bring_in(&world, &names.map(|name| sample(name, &draft)));

    assert_eq!(statuses(&world, &draft), [""; 0]);
    assert_eq!(answer(&world, &draft), "sent");
}

#[test]
fn the_worst_that_is_certain_stays_in_whatever_order_it_comes() {
    for order in [["status_delayed", "status_failed"], ["status_failed", "status_delayed"]] {
        let world = world();
        let draft = sent(&world, &[BOB]);

        order.iter().for_each(|name| bring_in(&world, &[sample(name, &draft)]));

        assert_eq!(statuses(&world, &draft), ["bob@there.example bounced"], "{order:?}");
    }
}

#[test]
fn a_bounce_of_something_that_may_have_left_says_that_it_did() {
    let world = world();
    let draft = draft(&world, &[BOB]);
    leave(&world, &draft, ItemState::Unknown, SAMPLES_DATE - 60);

    bring_in(&world, &[sample("status_failed", &draft)]);

    assert_eq!(statuses(&world, &draft), ["bob@there.example bounced"]);
    assert_eq!((item(&world, &draft).draft.state, answer(&world, &draft)), (ItemState::Unknown, "unknown"));
}

#[test]
fn without_any_id_one_item_that_fits_is_a_guess_and_said_to_be_one() {
    let world = world();
    let draft = sent(&world, &[BOB]);

    bring_in(&world, &[sample("no_id", &draft)]);

    assert_eq!(statuses(&world, &draft), ["bob@there.example bounced?"]);
    assert_eq!(answer(&world, &draft), "sent");
}

#[test]
fn without_any_id_two_items_that_fit_are_left_alone() {
    let world = world();
    let drafts = [sent(&world, &[BOB]), sent(&world, &[BOB])];

    bring_in(&world, &[sample("no_id", &drafts[0])]);

    assert!(drafts.iter().all(|draft| statuses(&world, draft).is_empty()));
}

#[test]
fn without_any_id_what_was_sent_long_before_or_later_does_not_fit() {
    for sent_at in [SAMPLES_DATE - 6 * 86_400, SAMPLES_DATE + 2 * 86_400] {
        let world = world();
        let draft = draft(&world, &[BOB]);
        leave(&world, &draft, ItemState::Sent, sent_at);

        bring_in(&world, &[sample("no_id", &draft)]);

        assert_eq!(statuses(&world, &draft), [""; 0], "{sent_at}");
    }
}
