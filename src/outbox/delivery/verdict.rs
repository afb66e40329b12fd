//! What is known of a recipient after one more report. Pure. The worst that is certain stays; a guess never replaces what
//! is certain, and what our own server refused was never sent.

use crate::parse::bounce::Action;
use crate::store::{Delivery, DeliveryStatus};

use super::matching::Said;

/// What to write down; `None` when the report changes nothing.
pub(super) fn after(before: Option<&Delivery>, said: &Said, is_probable: bool) -> Option<Delivery> {
    let delivery = Delivery {
        recipient: before.map_or_else(|| said.recipient.clone(), |before| before.recipient.clone()),
        status: said.action.map_or(DeliveryStatus::Sent, status),
        epoch: 0,
        detail: Some(said.detail.clone()).filter(|detail| !detail.is_empty()),
        message: None,
        is_probable,
    };
    let counts = before.is_none_or(|before| replaces(&delivery, before));
    counts.then_some(delivery)
}

const fn status(action: Action) -> DeliveryStatus {
    match action {
        Action::Failed => DeliveryStatus::Bounced,
        Action::Delayed => DeliveryStatus::Delayed,
        Action::Delivered | Action::Relayed | Action::Expanded => DeliveryStatus::Delivered,
    }
}

fn replaces(new: &Delivery, old: &Delivery) -> bool {
    match (old.is_probable, new.is_probable) {
        _ if old.status == DeliveryStatus::Refused => false,
        _ if old.status == DeliveryStatus::Sent => true,
        (true, false) => true,
        (false, true) => false,
        _ => {
            gravity(new.status) > gravity(old.status)
                || new.status == DeliveryStatus::Delayed && old.status == new.status
        }
    }
}

/// A delay says less than an arrival, and that less than a failure: lists deliver and then send back.
const fn gravity(status: DeliveryStatus) -> u8 {
    match status {
        DeliveryStatus::Sent => 0,
        DeliveryStatus::Delayed => 1,
        DeliveryStatus::Delivered => 2,
        DeliveryStatus::Bounced => 3,
        DeliveryStatus::Refused => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::after;
    use crate::outbox::delivery::matching::Said;
    use crate::parse::bounce::Action;
    use crate::store::{Delivery, DeliveryStatus};

    fn said(action: Option<Action>) -> Said {
        Said { recipient: "bob@there.example".to_owned(), action, detail: "5.1.1 no".to_owned() }
    }

    fn known(status: DeliveryStatus, is_probable: bool) -> Delivery {
        let recipient = "Bob@there.example".to_owned();
        Delivery { recipient, status, epoch: 1, detail: None, message: None, is_probable }
    }

    fn becomes(
        before: Option<&Delivery>,
        action: Option<Action>,
        is_probable: bool,
    ) -> Option<DeliveryStatus> {
        after(before, &said(action), is_probable).map(|delivery| delivery.status)
    }

    #[test]
    fn each_action_has_its_status() {
        for (action, status) in [
            (Action::Failed, DeliveryStatus::Bounced),
            (Action::Delayed, DeliveryStatus::Delayed),
            (Action::Delivered, DeliveryStatus::Delivered),
            (Action::Relayed, DeliveryStatus::Delivered),
            (Action::Expanded, DeliveryStatus::Delivered),
        ] {
            assert_eq!(becomes(None, Some(action), false), Some(status));
            assert_eq!(becomes(Some(&known(DeliveryStatus::Sent, false)), Some(action), false), Some(status));
        }
    }

    #[test]
    fn a_bounce_after_a_delay_counts_and_a_delay_after_a_bounce_does_not() {
        use DeliveryStatus::{Bounced, Delayed, Delivered};
        assert_eq!(becomes(Some(&known(Delayed, false)), Some(Action::Failed), false), Some(Bounced));
        assert_eq!(becomes(Some(&known(Delivered, false)), Some(Action::Failed), false), Some(Bounced));
        assert_eq!(becomes(Some(&known(Delayed, false)), Some(Action::Delivered), false), Some(Delivered));
        assert_eq!(becomes(Some(&known(Bounced, false)), Some(Action::Delayed), false), None);
        assert_eq!(becomes(Some(&known(Bounced, false)), Some(Action::Delivered), false), None);
        assert_eq!(becomes(Some(&known(Delivered, false)), Some(Action::Delayed), false), None);
    }

    #[test]
    fn a_guess_replaces_nothing_that_is_certain_and_is_replaced_by_it() {
        use DeliveryStatus::{Bounced, Delayed, Sent};
        assert_eq!(becomes(Some(&known(Delayed, false)), Some(Action::Failed), true), None);
        assert_eq!(becomes(Some(&known(Bounced, true)), Some(Action::Delayed), false), Some(Delayed));
        assert_eq!(becomes(Some(&known(Sent, false)), Some(Action::Failed), true), Some(Bounced));
    }

    #[test]
    fn what_our_own_server_refused_stays_so() {
        assert_eq!(becomes(Some(&known(DeliveryStatus::Refused, false)), Some(Action::Failed), false), None);
    }

    #[test]
    fn a_note_about_one_of_the_recipients_changes_nobodys_status() {
        use DeliveryStatus::{Bounced, Sent};
        assert_eq!(becomes(Some(&known(Sent, false)), None, false), Some(Sent));
        assert_eq!(becomes(Some(&known(Bounced, false)), None, false), None);
    }
}
