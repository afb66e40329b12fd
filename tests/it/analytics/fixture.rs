//! A small archive whose figures can be counted on fingers.

use serde_json::Value;

use crate::world::conversation::{ask, call, told};
use crate::world::mail::mboxrd;
use crate::world::{Mail, World};

pub(super) const ADA: &str = "Ada Berg <ada@example.org>";
pub(super) const BOB: &str = "Bob Stone <bob@stone.example>";

/// In `INBOX`, in this order, so that the numbers of the rows are 1 to 10; `Archive` holds the first once more as 11.
///
/// | id | subject | from | date, UTC | what else |
/// |---|---|---|---|---|
/// | 1 | Budget | Bob | 2026-03-02 10:00 | Monday |
/// | 2 | Re: Budget | Ada | 2026-03-02 12:30 | answers 1 |
/// | 3 | Re: Budget | Bob | 2026-03-05 12:30 | answers 2; 20,000 bytes attached |
/// | 4 | Grüße | Jürgen | 2026-01-01 04:30 | written on 2025-12-31 23:30 -0500; Thursday |
/// | 5 | Undated | Bob | none | the mbox line says 2026-03-02 10:00 |
/// | 6 | 100%_done | Carl | 2025-07-04 08:00 | |
/// | 7 | 100 is done | Carl | 2025-07-04 08:00 | the same second |
/// | 8 | (empty) | Dora | 2023-02-28 23:59:59 | no Message-ID |
/// | 9 | Copy | Bob | 2026-05-01 00:00 | Message-ID of 10 |
/// | 10 | Copy | Bob | 2026-05-01 00:00 | another body; a List-Id |
pub(super) fn mails() -> Vec<Vec<u8>> {
    let file = vec![b'x'; 20_000];
    vec![
        Mail::new("Budget").from(BOB).body("the budget of the budget").bytes(),
        Mail::new("Re: Budget")
            .from(ADA)
            .date("Mon, 2 Mar 2026 13:30:00 +0100")
            .with("Message-ID", "<two@x>")
            .with("In-Reply-To", "<Budget@test.example>")
            .with("To", BOB)
            .bytes(),
        Mail::new("Re: Budget")
            .from(BOB)
            .date("Thu, 5 Mar 2026 12:30:00 +0000")
            .with("Message-ID", "<three@x>")
            .with("In-Reply-To", "<two@x>")
            .attach("a.pdf", "application/pdf", &file)
            .bytes(),
        Mail::new("=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=")
            .from("=?UTF-8?Q?J=C3=BCrgen_M=C3=BCller?= <jm@koeln.example>")
            .date("Wed, 31 Dec 2025 23:30:00 -0500")
            .bytes(),
        Mail::new("Undated").from(BOB).without("Date").bytes(),
        Mail::new("100%_done").from("Carl <carl@x.example>").date("Fri, 4 Jul 2025 08:00:00 +0000").bytes(),
        Mail::new("100 is done").from("Carl <carl@x.example>").date("Fri, 4 Jul 2025 08:00:00 +0000").bytes(),
        Mail::new("x")
            .with("Subject", "")
            .from("dora@STONE.example")
            .date("Tue, 28 Feb 2023 23:59:59 +0000")
            .without("Message-ID")
            .bytes(),
        Mail::new("Copy").from(BOB).date("Fri, 1 May 2026 00:00:00 +0000").body("one").bytes(),
        Mail::new("Copy")
            .from(BOB)
            .date("Fri, 1 May 2026 00:00:00 +0000")
            .body("two")
            .with("List-Id", "<l.example>")
            .bytes(),
    ]
}

pub(super) fn world() -> World {
    let mails = mails();
    let world = World::holding(&mboxrd(&mails));
    let again = world.write("again.mbox", mboxrd(&mails[..1]));
    world.json(&[
        "import",
        again.to_str().unwrap(),
        "--account",
        crate::world::ACCOUNT,
        "--mailbox",
        "Archive",
    ]);
    world
}

/// The answer of one tool.
pub(super) fn answer(world: &World, tool: &str, arguments: &Value) -> Value {
    let name = format!("db.{tool}");
    let answers = ask(&mut world.command(&["db", "mcp", "--quiet"]), &[call(1, &name, arguments)]);
    told(&answers[&1])
}

/// One field of every row.
pub(super) fn column(rows: &Value, name: &str) -> Vec<Value> {
    rows.as_array().unwrap_or_else(|| panic!("{rows}")).iter().map(|row| row[name].clone()).collect()
}

/// The numbers of the rows.
pub(super) fn ids(world: &World, tool: &str, arguments: &Value) -> Vec<u64> {
    column(&answer(world, tool, arguments), "id").iter().map(|id| id.as_u64().unwrap()).collect()
}
