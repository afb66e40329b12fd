//! What is stored stays, comes out as it came in, and survives what happens to disks and files.

mod copies;
pub(crate) mod disks;
mod homes;
mod repairs;

use crate::world::mail::{many, mboxrd, with_crlf};
use crate::world::{Mail, World};

/// Messages that are easy to change by accident: quotes, CRLF, bare CR, NUL, blank lines at the end.
fn delicate() -> Vec<Vec<u8>> {
    let quotes = Mail::new("Quotes").body("From a\n>From b\n\nFrom bob Mon Mar  2 10:00:00 2026\n");
    let mut all = vec![
        quotes.bytes(),
        with_crlf(&Mail::new("Carriage returns").body("a\n\nFrom b\n").bytes()),
        Mail::new("Blank lines").body("end\n\n\n\n").bytes(),
        Mail::new("Odd bytes").body("a\rb\0c\u{7f}\u{fffd}").bytes(),
        Mail::new("Attached").attach("b.bin", "application/octet-stream", &[0, 255, 13, 10]).bytes(),
    ];
    all.extend(many(40));
    all
}

/// A home that holds the delicate messages.
fn filled() -> World {
    World::holding(&mboxrd(&delicate()))
}

/// The same with more messages than can do without an index.
fn well_filled() -> World {
    let more = (0..120).map(|n| format!("Subject: {n}\n\nnumbers {n}\n").into_bytes());
    World::holding(&mboxrd(&delicate().into_iter().chain(more).collect::<Vec<_>>()))
}
