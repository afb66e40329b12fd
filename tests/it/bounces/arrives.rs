//! A bounce that a server delivers turns the item, as any sync brings it in.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::{answer, deliveries, draft, item, leave, reader, sample, sent, statuses};
use crate::drafts::clock;
use crate::world::dovecot::Dovecot;
use crate::world::receivers::Receiver;
use crate::world::{ACCOUNT, World};

use mailkeep::model::ItemState;

#[test]
fn a_bounce_in_the_inbox_is_noted_by_the_next_sync() {
    let Some(server) = Dovecot::start("a_bounce_in_the_inbox_is_noted_by_the_next_sync") else { return };
    let world = World::with_account(server.port, "ada");
    world.sync();
    let draft = sent(&world, &["bob@there.example"]);

    server.client("ada").append("INBOX", "", &sample("status_failed", &draft));
    world.sync();

    assert_eq!(statuses(&world, &draft), ["bob@there.example bounced"]);
    assert_eq!(answer(&world, &draft), "bounced");
}

#[test]
fn what_a_real_mail_system_sends_back_is_noted_by_a_sync() {
    const TEST: &str = "what_a_real_mail_system_sends_back_is_noted_by_a_sync";
    let Some(server) = Dovecot::start(TEST) else { return };
    let world = World::with_account(server.port, "ada");
    world.sync();
    let maildir = server.path("mail/ada/Maildir");
    assert!(Command::new("chown").args(["-R", "nobody"]).arg(&maildir).status().unwrap().success());
    let Some(system) = Receiver::opensmtpd_bouncing(TEST, &maildir) else { return };
    let draft = draft(&world, &["bob@there.example"]);
    leave(&world, &draft, ItemState::Sent, clock().now().as_second());

    let frozen = reader(&world).draft_bytes(draft.key, draft.revision).unwrap().unwrap();
    system.submit("ada@ada.example", "bob@there.example", &frozen);
    // The mail system shares the machine with all other tests: one sync after the other would take from it what it needs.
    let until = Instant::now() + Duration::from_secs(180);
    while statuses(&world, &draft).is_empty() {
        assert!(Instant::now() < until, "nothing came back: {}", system.log());
        thread::sleep(Duration::from_millis(250));
        world.sync();
    }

    assert_eq!(statuses(&world, &draft), ["bob@there.example bounced"]);
    assert_eq!(answer(&world, &draft), "bounced");
    assert_eq!(
        (item(&world, &draft).draft.account.as_str(), item(&world, &draft).draft.state),
        (ACCOUNT, ItemState::Sent)
    );
    assert!(deliveries(&world, &draft)[0].detail.is_some());
}
