//! Searching finds what the language says, in an order that stays the same.

mod attachments;
mod forgiving;
mod language;
mod meaning;
mod nasty;
mod paging;
mod reading;
mod tail;
mod typed;

use crate::world::mail::mboxrd;
use crate::world::{Mail, World, hashes_of};

fn dated(subject: &str, date: &str) -> Mail {
    Mail::new(subject).date(date)
}

/// Letters between people, each there for one rule of the language.
fn letters() -> Vec<Mail> {
    vec![
        dated("Budget meeting", "Mon, 5 Jan 2026 09:00:00 +0000")
            .from("Ada Lovelace <ada.lovelace@analytical.example>")
            .with("To", "Charles Babbage <charles@works.example>")
            .with("Cc", "Mary Somerville <mary@sphere.example>")
            .with("Bcc", "archive-robot@vault.example")
            .labelled("Inbox,Travel,Starred")
            .body("We are meeting on Tuesday to talk about the engine."),
        dated("Re: Budget meeting", "Mon, 5 Jan 2026 10:00:00 +0000")
            .from("Charles Babbage <charles@works.example>")
            .with("To", "ada.lovelace@analytical.example")
            .with("In-Reply-To", "<Budget.meeting@test.example>")
            .body("I will meet you there. Bring the punched cards."),
        dated("Cards punched", "Tue, 6 Jan 2026 10:00:00 +0000")
            .body("The cards were punched twice, then cards again."),
        dated("Café résumé", "Wed, 7 Jan 2026 10:00:00 +0000")
            .body("Ein Straßencafé in Zürich, naïve façade."),
        dated("Identifiers", "Thu, 8 Jan 2026 10:00:00 +0000")
            .body("Set max_open_files to 12 and foo.bar to e-mail."),
        dated("Tokyo", "Fri, 9 Jan 2026 10:00:00 +0000").body("東京都の会議は明日です。"),
        dated("Thai", "Sat, 10 Jan 2026 10:00:00 +0000").body("สวัสดีครับ ยินดีต้อนรับ"),
        dated("Announcement", "Sun, 11 Jan 2026 10:00:00 +0000")
            .with("List-Id", "The announcements <announce.lists.example.org>")
            .body("A new release."),
        dated("Late evening", "Sun, 1 Feb 2026 03:30:00 +0000")
            .body("Half past three in the morning, in UTC."),
        dated("Yesterday", "Sun, 14 Jun 2026 18:00:00 +0000").body("One day before today."),
        dated("Long ago", "Fri, 3 Mar 2000 12:00:00 +0000").body("From another century, nearly."),
        dated("Large", "Mon, 12 Jan 2026 10:00:00 +0000").body(&"filler ".repeat(30_000)),
        dated("Hidden", "Tue, 13 Jan 2026 10:00:00 +0000")
            .body("Plain words.")
            .html("<p>Shown words</p><p style='display:none'>concealed instruction</p>"),
    ]
}

/// A home with the letters, one of them also in a Maildir folder with flags, and one for a second account.
fn letterbox() -> World {
    let letters: Vec<_> = letters().iter().map(Mail::bytes).collect();
    let world = World::holding(&mboxrd(&letters));
    world.write("box/cur/1.h:2,RS", Mail::new("Replied").bytes());
    world.write("box/.Drafts/cur/2.h:2,DS", Mail::new("Unfinished").bytes());
    world.write("box/.Work.Plans/new/3.h", Mail::new("Planned").bytes());
    world.import(&world.path("box"));
    let other = world.write("other.eml", Mail::new("Elsewhere").bytes());
    world.import_as(&other, "second@example.org");
    world
}

#[test]
fn the_letterbox_holds_what_it_was_given() {
    let world = letterbox();

    assert_eq!(world.count(""), letters().len() as u64 + 4);
    assert!(hashes_of(&letters().iter().map(Mail::bytes).collect::<Vec<_>>()).is_subset(&world.hashes()));
}
