//! A bounce that a server delivers turns the item, as any sync brings it in.

use super::{answer, sample, sent, statuses};
use crate::world::World;
use crate::world::dovecot::Dovecot;

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
