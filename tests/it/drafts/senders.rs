//! A message is from whom the owner named, and from nobody else.

use mailkeep::drafts::{DraftChange, NewDraft, ReplyTo};

use super::{drafts, frozen, letter, world};
use crate::world::mail::mboxrd;
use crate::world::{ACCOUNT, Mail, World, list};

fn set(world: &World, arguments: &[&str]) -> serde_json::Value {
    world.json(&[&["account", "set", ACCOUNT], arguments].concat())
}

fn from(world: &World, wanted: Option<&str>) -> Result<String, mailkeep::drafts::DraftError> {
    let new = NewDraft { from: wanted.map(str::to_owned), ..letter() };
    drafts(world).create(&new).map(|draft| {
        let (_, parsed) = frozen(world, &draft);
        assert_eq!(parsed.from, std::slice::from_ref(&draft.from));
        draft.from.to_string()
    })
}

#[test]
fn a_message_has_the_owner_s_name() {
    let world = world();
    assert_eq!(from(&world, None).unwrap(), ACCOUNT);

    let told = set(&world, &["--name", "Ada Berg, Größe"]);

    assert_eq!((&told["name"], &told["aliases"]), (&"Ada Berg, Größe".into(), &serde_json::json!([])));
    assert_eq!(from(&world, None).unwrap(), "Ada Berg, Größe <ada@example.org>");
    assert_eq!(world.json(&["account", "list"])["accounts"][0]["name"], "Ada Berg, Größe");
    set(&world, &["--name", ""]);
    assert_eq!(from(&world, None).unwrap(), ACCOUNT);
}

#[test]
fn a_message_may_be_from_an_alias_and_from_nobody_else() {
    let world = world();
    set(&world, &["--name", "Ada", "--alias", "ada@work.example", "--alias", "Shop <shop@x.example>"]);

    assert_eq!(from(&world, Some("ADA@work.example")).unwrap(), "Ada <ada@work.example>");
    assert_eq!(from(&world, Some("Shop <shop@x.example>")).unwrap(), "Shop <shop@x.example>");
    for wanted in
        ["boss@x.example", "Boss <ada@example.org>", "Boss <shop@x.example>", "ada@example.org.evil.example"]
    {
        let error = from(&world, Some(wanted)).unwrap_err();
        assert_eq!(error.code(), "sender_not_allowed", "{wanted}");
        let allowed = "Ada <ada@example.org>, Ada <ada@work.example>, Shop <shop@x.example>";
        assert!(error.hint().contains(allowed), "{}", error.hint());
    }
    assert_eq!(from(&world, Some("x\r\nBcc: e@x.example")).unwrap_err().code(), "hidden_character");
}

#[test]
fn an_alias_that_was_taken_away_sends_nothing_more() {
    let world = world();
    set(&world, &["--alias", "ada@work.example"]);
    let new = NewDraft { from: Some("ada@work.example".to_owned()), ..letter() };
    let draft = drafts(&world).create(&new).unwrap();

    set(&world, &["--remove-alias", "Ada@Work.example"]);

    assert_eq!(from(&world, Some("ada@work.example")).unwrap_err().code(), "sender_not_allowed");
    let change = DraftChange { body: Some("x".to_owned()), ..DraftChange::default() };
    let error = drafts(&world).update(&draft.id.to_string(), &change).unwrap_err();
    assert_eq!(error.code(), "sender_not_allowed");
    let change = DraftChange { from: Some(ACCOUNT.to_owned()), ..change };
    assert_eq!(drafts(&world).update(&draft.id.to_string(), &change).unwrap().from.address, ACCOUNT);
    assert_eq!(
        world.failure(&["account", "set", ACCOUNT, "--remove-alias", "ada@work.example"])["code"],
        "unknown_alias"
    );
}

#[test]
fn an_answer_is_from_the_alias_that_was_written_to_and_goes_to_none_of_one_s_own() {
    let mail = Mail::new("Offer").with("To", "shop@x.example, Carl <carl@x.example>");
    let world = World::holding(&mboxrd([&mail.bytes()]));
    set(&world, &["--alias", "shop@x.example"]);
    let reply = Some(ReplyTo { message: "Offer@test.example".to_owned(), all: true });

    let draft = drafts(&world).create(&NewDraft { to: Vec::new(), reply, ..letter() }).unwrap();

    assert_eq!(draft.from.address, "shop@x.example");
    let all: Vec<_> = draft.recipients.all().map(|to| to.address.as_str()).collect();
    assert_eq!(all, ["bob@stone.example", "carl@x.example"]);
}

#[test]
fn what_cannot_be_a_name_or_an_alias_is_refused_and_changes_nothing() {
    let world = world();
    for arguments in [
        ["--name", "Ada <boss@x.example>"],
        ["--name", "Ada\r\nBcc: e@x.example"],
        ["--name", "=?utf-8?Q?Boss?="],
        ["--alias", "nobody"],
        ["--alias", "a@b.example\nBcc: e@x.example"],
    ] {
        world.failure(&[&["account", "set", ACCOUNT], arguments.as_slice()].concat());
    }
    let account = world.json(&["account", "list"])["accounts"][0].clone();
    assert!(account["name"].is_null() && list(&account["aliases"]).is_empty(), "{account}");
    assert_eq!(
        world.failure(&["account", "set", "carl@x.example", "--name", "x"])["code"],
        "account_unknown"
    );
}

#[test]
fn a_folder_that_mail_goes_to_is_set_and_taken_away_again() {
    let world = world();
    let folder = || -> Option<String> {
        world.database().query_row("SELECT send_folder FROM accounts", [], |row| row.get(0)).unwrap()
    };

    set(&world, &["--send-folder", "/somewhere/sent"]);
    let given = folder();
    set(&world, &["--send-folder", ""]);

    assert_eq!((given.as_deref(), folder()), (Some("/somewhere/sent"), None));
}
