//! Each fact from a store made for it, and the lie that tries to make it.

use std::sync::Arc;

use jiff::Timestamp;
use tempfile::TempDir;

use crate::account::Secrets;
use crate::audit::{CallLog, CallNote};
use crate::clock::Clock;
use crate::drafts::{Contents, DraftChange, Drafts, NewDraft, ReplyTo};
use crate::home::Home;
use crate::model::{
    AccountSettings, Address, ContentHash, DateHints, DraftKey, Endpoint, Flags, ItemState, Mentions,
    SecretStore, SignIn, Tls, Via,
};
use crate::outbox::approval::{Approvals, Door, Edit, Proof};
use crate::outbox::evidence::{EXAMINED, Evidence, Likeness, Recipient, Sources};
use crate::outbox::policy::Wanted;
use crate::outbox::propose::{Proposals, Request, Status};
use crate::outbox::{OutboxError, Routes, revisions, trail};
use crate::parse;
use crate::store::{
    DecidedCursor, Delivery, DeliveryStatus, Envelope, Item, NewMessage, NewPlacement, Reader, ServerUid,
    Store,
};

const NOW: i64 = 1_800_000_000;
const DAY: i64 = 24 * 3_600;
const ADA: &str = "ada@example.org";

/// A home with an account on a server, and the mail that a test puts there.
struct Desk {
    _directory: TempDir,
    home: Home,
}

impl Desk {
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let home = Home::at(directory.path());
        let mut store = Store::open(&home.store()).unwrap();
        let tx = store.begin().unwrap();
        let smtp = Endpoint { host: "mx.example.org".to_owned(), port: 465, tls: Tls::Implicit };
        let (via, sign_in, user) = (Via::Imap, SignIn::Password, "ada".to_owned());
        tx.set_account(ADA, &AccountSettings { via, user, sign_in, imap: None, smtp: Some(smtp) }, NOW)
            .unwrap();
        tx.commit().unwrap();
        let desk = Self { _directory: directory, home };
        desk.approvals(0).confirm(&Proof::click()).unwrap();
        desk
    }

    /// Brings a message in, as a server would; its short id.
    fn bring(&self, mailbox: &str, raw: &str) -> String {
        let raw = raw.replace('\n', "\r\n");
        let mut store = Store::open(&self.home.store()).unwrap();
        let parsed = parse::message(raw.as_bytes(), &DateHints::default());
        let envelope = Envelope::of(&parsed).to_json();
        let frame =
            store.codec().clone().encoder().unwrap().pack(&envelope, &parsed.text, raw.as_bytes()).unwrap();
        let mut tx = store.begin().unwrap();
        let account = tx.account(ADA, NOW).unwrap();
        let mailbox = tx.mailbox(account, mailbox).unwrap();
        let hash = ContentHash::of_message(raw.as_bytes());
        let message = NewMessage { hash, size: raw.len(), parsed: &parsed, frame: &frame, gmail_id: None };
        let uid = 1 + u32::try_from(tx.newest_change().unwrap()).unwrap();
        let on_server = Some(ServerUid { uid, internal_epoch: NOW });
        tx.store(&message, &NewPlacement { mailbox, flags: Flags::default(), labels: &[], on_server })
            .unwrap();
        tx.commit().unwrap();
        crate::model::ShortId::of(&hash).to_string()
    }

    /// The owner wrote to somebody, so long ago.
    fn wrote(&self, to: &str, days_ago: i64) -> String {
        self.bring("Sent", &letter(ADA, to, days_ago, "Hello"))
    }

    fn clock(seconds: i64) -> Clock {
        Clock::frozen(Timestamp::from_second(NOW + seconds).unwrap())
    }

    fn approvals(&self, seconds: i64) -> Arc<Approvals> {
        let secrets = Secrets::at(self.home.secrets(), SecretStore::File);
        Arc::new(Approvals::new(&self.home, Self::clock(seconds), secrets, Wanted::default()))
    }

    fn proposals(&self) -> Proposals {
        Proposals::new(&self.home, Routes::default(), self.approvals(0))
    }

    fn drafts(&self) -> Drafts {
        Drafts::new(&self.home, Self::clock(0))
    }

    fn proposed(&self, new: NewDraft) -> Item {
        let new = NewDraft { account: ADA.to_owned(), subject: "Lunch".to_owned(), ..new };
        let draft = self.drafts().create(&new).unwrap();
        let request = Request { client: Some("claude".to_owned()), ..Request::default() };
        self.proposals().propose(&draft.id.to_string(), &request).unwrap().item
    }

    fn proposed_to(&self, to: &[&str]) -> Item {
        let to = to.iter().map(|&to| to.to_owned()).collect();
        self.proposed(NewDraft { to, body: "At noon?".to_owned(), ..NewDraft::default() })
    }

    fn reader(&self) -> Reader {
        Reader::open(&self.home.store()).unwrap()
    }

    fn evidence(&self, item: &Item) -> Evidence {
        self.evidence_with(item, &mut |_| None)
    }

    fn evidence_with(&self, item: &Item, mentions: &mut dyn FnMut(&str) -> Option<Mentions>) -> Evidence {
        let (reader, calls) = (self.reader(), CallLog::at(self.home.calls()));
        Evidence::of(&mut Sources { reader: &reader, calls: &calls, mentions, now: NOW }, item).unwrap()
    }

    /// What is known about the one recipient of a proposal.
    fn about(&self, to: &str) -> Recipient {
        self.evidence(&self.proposed_to(&[to])).recipients.to.remove(0)
    }

    fn look_alike(&self, to: &str) -> Option<(Likeness, String)> {
        self.about(to).look_alike.map(|it| (it.likeness, it.address))
    }

    fn status(&self, item: &Item) -> Status {
        self.proposals().status(&item.draft.id.to_string()).unwrap()
    }

    fn sql(&self, statement: &str) {
        rusqlite::Connection::open(self.home.store()).unwrap().execute(statement, []).unwrap();
    }
}

fn letter(from: &str, to: &str, days_ago: i64, subject: &str) -> String {
    let date = Timestamp::from_second(NOW - days_ago * DAY)
        .unwrap()
        .strftime("%a, %d %b %Y %H:%M:%S +0000")
        .to_string();
    let id = format!("{}.{days_ago}", ContentHash::of(format!("{from}{to}{subject}").as_bytes()).to_hex());
    format!(
        "From: {from}\nTo: {to}\nDate: {date}\nMessage-ID: <{id}@test.example>\nSubject: {subject}\n\nText of {subject}\n"
    )
}

#[test]
fn somebody_whom_the_owner_wrote_to_is_known_with_mails_each_way_and_the_last_date() {
    let desk = Desk::new();
    desk.wrote("Bob Stone <Bob@stone.example>", 9);
    desk.wrote("bob@stone.example, carol@stone.example", 5);
    desk.bring("INBOX", &letter("Bob <bob@stone.example>", ADA, 3, "Yes"));

    let bob = desk.about("BOB@stone.example");

    assert_eq!((bob.to_them, bob.from_them, bob.last), (2, 1, Some(NOW - 3 * DAY)));
    assert!(!bob.is_first_contact && bob.look_alike.is_none());
}

#[test]
fn mail_that_claims_to_be_from_somebody_makes_nobody_known() {
    let desk = Desk::new();
    for subject in ["One", "Two", "Three"] {
        desk.bring("INBOX", &letter("Bob <bob@stone.example>", ADA, 3, subject));
    }
    // In the owner's own name, to make the recipient known.
    desk.bring("INBOX", &letter(ADA, "bob@stone.example", 2, "Forged"));
    desk.bring("Spam", &letter(ADA, "bob@stone.example", 2, "Forged too"));

    let bob = desk.about("bob@stone.example");

    assert!(bob.is_first_contact);
    assert_eq!((bob.from_them, bob.to_them), (3, 0));
    assert_eq!(
        desk.evidence(&desk.proposed_to(&["bob@stone.example"])).effect,
        "Send to 1 person, who is new, from ada@example.org"
    );
}

#[test]
fn what_left_from_here_counts_once_with_and_without_its_copy() {
    let desk = Desk::new();
    let item = desk.proposed_to(&["bob@stone.example"]);
    put_delivery(&desk, item.draft.key, "bob@stone.example", DeliveryStatus::Sent);
    desk.sql("UPDATE drafts SET state = 'sent'");
    assert_eq!(desk.about("bob@stone.example").to_them, 1);

    let id = &item.draft.message_id;
    desk.bring(
        "Sent",
        &format!("From: {ADA}\nTo: bob@stone.example\nMessage-ID: <{id}>\nSubject: Lunch\n\nx\n"),
    );

    assert_eq!(desk.about("bob@stone.example").to_them, 1);
}

#[test]
fn who_is_forgotten_is_known_no_more() {
    let desk = Desk::new();
    let id = desk.wrote("bob@stone.example", 9);
    let key = desk.reader().resolve(&id).unwrap();
    let mut store = Store::open(&desk.home.store()).unwrap();
    let mut tx = store.begin().unwrap();
    tx.forget(&key, crate::store::Again::Never).unwrap();
    tx.commit().unwrap();

    assert!(desk.about("bob@stone.example").is_first_contact);
    assert!(desk.reader().people(10).unwrap().is_empty());
}

#[test]
fn the_effect_is_told_as_a_button_would() {
    let desk = Desk::new();
    desk.wrote("bob@stone.example", 9);
    desk.wrote("carol@stone.example", 9);
    let told = |to: &[&str]| desk.evidence(&desk.proposed_to(to)).effect;

    assert_eq!(told(&["bob@stone.example"]), "Send to 1 person, from ada@example.org");
    assert_eq!(
        told(&["bob@stone.example", "carol@stone.example", "zoe@elsewhere.example"]),
        "Send to 3 people, 1 of them new, from ada@example.org"
    );
    assert_eq!(
        told(&["ivo@elsewhere.example", "zoe@elsewhere.example"]),
        "Send to 2 people, all of them new, from ada@example.org"
    );
}

#[test]
fn an_address_one_letter_or_one_look_away_from_a_known_one_is_told() {
    let desk = Desk::new();
    desk.wrote("Robert Miller <robert.miller@stone.example>", 9);
    let robert = "robert.miller@stone.example".to_owned();

    for (to, likeness) in [
        ("robert.mi1ler@stone.example", Likeness::SameLook),
        ("robert.rniller@stone.example", Likeness::SameLook),
        ("robert.millers@stone.example", Likeness::OneLetter),
        ("robret.miller@stone.example", Likeness::OneLetter),
        ("robert.miller@st0ne.example", Likeness::SameLook),
        ("robert.miller@stonne.example", Likeness::OneLetter),
        ("robert.miller@stone.test", Likeness::OtherEnding),
        ("accounts@stonee.example", Likeness::Domain),
        ("Miller, Robert <rm1970@elsewhere.example>", Likeness::SameName),
    ] {
        assert_eq!(desk.look_alike(to), Some((likeness, robert.clone())), "{to}");
    }
    for to in [
        "robert.miller@stone.example",
        "zoe@stone.example",
        "Robert <rm@elsewhere.example>",
        "x@mail.stone.example",
    ] {
        assert_eq!(desk.look_alike(to), None, "{to}");
    }
}

#[test]
fn letters_of_other_scripts_are_seen_through_and_spelt_out() {
    let desk = Desk::new();
    desk.wrote("bob@apple-pie.example", 9);
    // The first letter is Cyrillic.
    let ascii = idna::domain_to_ascii("аpple-pie.example").unwrap();

    let it = desk.about(&format!("bob@{ascii}"));

    assert_eq!(it.spelt.as_deref(), Some("аpple-pie.example"));
    let known = it.look_alike.unwrap();
    assert_eq!((known.likeness, known.address.as_str()), (Likeness::SameLook, "bob@apple-pie.example"));
}

#[test]
fn a_stranger_cannot_make_a_known_address_suspicious_nor_a_strange_one_known() {
    let desk = Desk::new();
    desk.wrote("bob.stone@stone.example", 9);
    desk.bring("INBOX", &letter("Bob <b0b.stone@stone.example>", ADA, 3, "It is me"));
    desk.bring("INBOX", &letter("Zoe Ray <zoe.ray@far.example>", ADA, 3, "Hello"));

    assert_eq!(desk.look_alike("bob.stone@stone.example"), None);
    assert_eq!(desk.look_alike("b0b.stone@stone.example").unwrap().0, Likeness::SameLook);
    assert_eq!(desk.look_alike("zoe.rey@far.example"), None);
}

#[test]
fn an_address_that_nobody_exchanged_mail_with_tells_where_it_was_seen() {
    let desk = Desk::new();
    desk.wrote("bob@stone.example", 9);
    desk.bring("INBOX", &letter("eve@far.example", ADA, 3, "Hi"));
    let item = desk.proposed_to(&["bob@stone.example", "eve@far.example", "mallory@evil.example"]);
    let mut asked = Vec::new();

    let evidence = desk.evidence_with(&item, &mut |address| {
        asked.push(address.to_owned());
        Some(Mentions { messages: 1, message: "m123".to_owned() })
    });

    let seen: Vec<_> = evidence.recipients.all().map(|it| it.only_seen_in.is_some()).collect();
    assert_eq!(seen, [false, false, true]);
    assert_eq!(asked, ["mallory@evil.example"]);
}

fn put_delivery(desk: &Desk, draft: DraftKey, recipient: &str, status: DeliveryStatus) {
    let mut store = Store::open(&desk.home.store()).unwrap();
    let tx = store.begin().unwrap();
    let detail = Some("550 no such user".to_owned());
    let (recipient, epoch) = (recipient.to_owned(), NOW - DAY);
    tx.put_delivery(draft, &Delivery { recipient, status, epoch, detail, message: None, is_probable: false })
        .unwrap();
    tx.commit().unwrap();
}

#[test]
fn what_bounced_before_is_told_for_that_address_only() {
    let desk = Desk::new();
    let item = desk.proposed_to(&["Bob@stone.example"]);
    put_delivery(&desk, item.draft.key, "Bob@stone.example", DeliveryStatus::Bounced);

    let bounced = desk.about("bob@STONE.example").bounced.unwrap();

    assert_eq!((bounced.at, bounced.detail.as_deref()), (NOW - DAY, Some("550 no such user")));
    assert_eq!(desk.about("carol@stone.example").bounced, None);
}

fn away(days_ago: i64, answers: &str, field: &str) -> String {
    let fields = format!("{field}\nIn-Reply-To: <{answers}>\nSubject: Away {days_ago}");
    letter("bob@stone.example", ADA, days_ago, "x").replace("Subject: x", &fields)
}

#[test]
fn an_auto_reply_counts_if_it_answers_the_owner_and_is_new() {
    let sent = letter(ADA, "bob@stone.example", 20, "Hello");
    let id = sent.split_once("Message-ID: <").unwrap().1.split_once('>').unwrap().0.to_owned();
    let told = |mail: &str| {
        let desk = Desk::new();
        desk.bring("Sent", &sent);
        desk.bring("INBOX", mail);
        desk.about("bob@stone.example").auto_reply.map(|it| it.subject)
    };

    assert_eq!(told(&away(2, &id, "Auto-Submitted: auto-replied")).as_deref(), Some("Away 2"));
    assert_eq!(told(&away(2, "forged@test.example", "Auto-Submitted: auto-replied")), None);
    assert_eq!(told(&away(2, &id, "Auto-Submitted: no")), None);
    assert_eq!(told(&away(15, &id, "Auto-Submitted: auto-replied")), None);
}

fn reply(desk: &Desk, to: &str, body: &str) -> Item {
    let reply = Some(ReplyTo { message: to.to_owned(), all: false });
    desk.proposed(NewDraft { body: body.to_owned(), reply, ..NewDraft::default() })
}

fn answer(from: &str, parent: &str, days_ago: i64, subject: &str) -> String {
    let parent = parent.split_once("Message-ID: <").unwrap().1.split_once('>').unwrap().0.to_owned();
    let fields = format!("In-Reply-To: <{parent}>\nReferences: <{parent}>\nSubject: {subject}");
    letter(from, "bob@stone.example", days_ago, subject).replace(&format!("Subject: {subject}"), &fields)
}

#[test]
fn a_thread_that_moved_on_or_was_answered_elsewhere_is_told() {
    let desk = Desk::new();
    let question = letter("bob@stone.example", ADA, 9, "Lunch?");
    let id = desk.bring("INBOX", &question);
    let item = reply(&desk, &id, "Yes.");
    let before = desk.evidence(&item).thread.unwrap();
    assert_eq!(
        (before.answers.message.as_str(), before.newer, before.answered_by_owner),
        (id.as_str(), 0, None)
    );

    desk.bring("INBOX", &answer("carol@stone.example", &question, 5, "Re: Lunch?"));
    // One in the owner's name that came in: somebody wants the owner to believe that it was answered.
    desk.bring("INBOX", &answer(ADA, &question, 4, "Re: Lunch? forged"));
    let thread = desk.evidence(&item).thread.unwrap();
    assert_eq!((thread.newer, thread.answered_by_owner), (2, None));

    desk.bring("Sent", &answer(ADA, &question, 3, "Re: Lunch? mine"));
    let other = reply(&desk, &id, "No.");
    let thread = desk.evidence(&item).thread.unwrap();

    assert_eq!(thread.newer, 2);
    assert_eq!(thread.answered_by_owner.unwrap().subject, "Re: Lunch? mine");
    assert_eq!(thread.other_answers[0].id, other.draft.id.to_string());
    assert_eq!(desk.evidence(&desk.proposed_to(&["bob@stone.example"])).thread, None);
}

#[test]
fn what_assistants_read_in_the_day_before_is_told_strangers_first() {
    let desk = Desk::new();
    desk.wrote("bob@stone.example", 9);
    let bob = desk.bring("INBOX", &letter("bob@stone.example", ADA, 3, "Hi"));
    let eve = desk.bring("INBOX", &letter("Eve <eve@far.example>", ADA, 4, "Please wire"));
    let old = desk.bring("INBOX", &letter("old@far.example", ADA, 4, "Old"));
    let calls = CallLog::at(desk.home.calls());
    let note = |at: i64, opened: &[String]| {
        calls
            .note(&CallNote { at_ms: at * 1_000, tool: "read_email", opened, ..CallNote::default() })
            .unwrap();
    };
    note(NOW - 2 * DAY, &[old]);
    note(NOW - 60, &[bob.clone(), eve.clone()]);
    note(NOW + 60, &["m2222222222".to_owned()]);

    let read = desk.evidence(&desk.proposed_to(&["bob@stone.example"])).read_before;

    let told: Vec<_> = read.messages.iter().map(|it| (it.message.clone(), it.is_stranger)).collect();
    assert_eq!(told, [(eve, true), (bob, false)]);
    assert_eq!((read.total, read.strangers, read.is_unknown), (2, 1, false));
}

#[test]
fn a_stranger_is_told_of_however_many_known_ones_were_opened_afterwards() {
    let desk = Desk::new();
    desk.wrote("bob@stone.example", 9);
    let eve = desk.bring("INBOX", &letter("Eve <eve@far.example>", ADA, 4, "Please wire"));
    let known = (0..120).map(|day| desk.bring("INBOX", &letter("bob@stone.example", ADA, 300 + day, "Hi")));
    let opened: Vec<_> = std::iter::once(eve.clone()).chain(known).collect();
    let note =
        CallNote { at_ms: (NOW - 60) * 1_000, tool: "read_email", opened: &opened, ..CallNote::default() };
    CallLog::at(desk.home.calls()).note(&note).unwrap();

    let read = desk.evidence(&desk.proposed_to(&["bob@stone.example"])).read_before;

    assert_eq!((read.total, read.strangers, read.messages.len()), (121, 1, 100));
    assert_eq!(read.messages[0].message, eve);
}

#[test]
fn a_log_of_calls_that_cannot_be_read_is_said_and_not_taken_for_an_empty_one() {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.home.calls().parent().unwrap()).unwrap();
    std::fs::write(desk.home.calls(), vec![7; 8_192]).unwrap();

    assert!(desk.evidence(&desk.proposed_to(&["bob@stone.example"])).read_before.is_unknown);
}

#[test]
fn a_promised_attachment_that_is_not_there_and_links_are_told() {
    let desk = Desk::new();
    let body =
        "The report is attached.\n> See https://quoted.example/x\nhttps://www.pay.example/now".to_owned();
    let item =
        desk.proposed(NewDraft { to: vec!["bob@stone.example".to_owned()], body, ..NewDraft::default() });

    let evidence = desk.evidence(&item);

    assert_eq!(evidence.says_attached.as_deref(), Some("The report is attached."));
    assert_eq!(
        evidence.links.iter().map(|it| it.site.as_str()).collect::<Vec<_>>(),
        ["quoted.example", "pay.example"]
    );
}

#[test]
fn ten_thousand_recipients_are_all_listed_and_the_rest_said_plainly() {
    let desk = Desk::new();
    desk.wrote("bob@stone.example", 9);
    let bcc: Vec<_> = (0..10_000).map(|n| Address::new("", format!("someone{n}@far.example"))).collect();
    let mut item = desk.proposed_to(&["bob@stone.example"]);
    item.draft.recipients.bcc = bcc;
    let mut searches = 0;

    let evidence = desk.evidence_with(&item, &mut |_| {
        searches += 1;
        None
    });

    let recipients = &evidence.recipients;
    assert_eq!((recipients.bcc.len(), recipients.unexamined), (10_000, 10_001 - EXAMINED));
    assert_eq!(recipients.all().filter(|it| it.is_examined).count(), EXAMINED);
    assert_eq!(recipients.bcc[9_999].address, "someone9999@far.example");
    assert!(searches <= 20);
    assert_eq!(
        evidence.effect,
        "Send to 10,001 people, 199 of them new, 9,801 not looked up, from ada@example.org"
    );
}

#[test]
fn two_megabytes_of_text_and_links_stay_within_bounds() {
    let desk = Desk::new();
    let body: String = (0..40_000).map(|n| format!("https://x{n}.example/{} ", "y".repeat(30))).collect();
    let item =
        desk.proposed(NewDraft { to: vec!["bob@stone.example".to_owned()], body, ..NewDraft::default() });

    let evidence = desk.evidence(&item);

    assert_eq!((evidence.links.len(), evidence.more_links), (100, 39_900));
}

/// The item as it stands.
fn now(desk: &Desk, item: &Item) -> Item {
    desk.status(item).item
}

fn body(text: &str) -> DraftChange {
    DraftChange { body: Some(text.to_owned()), ..DraftChange::default() }
}

#[test]
fn a_person_who_saves_and_sends_says_yes_to_exactly_that() {
    let desk = Desk::new();
    let item = desk.proposed_to(&["bob@stone.example"]);
    let id = item.draft.id.to_string();
    let change = DraftChange { bcc: Some(vec!["carol@stone.example".to_owned()]), ..body("At one!") };
    let edit = Edit { id: &id, shown: &item.hash(), change: &change, door: Door::Page };

    let sent = desk.approvals(5).edit_and_approve(&edit, &Proof::click()).unwrap();

    assert_eq!((sent.draft.state, sent.draft.revision), (ItemState::Approved, 2));
    let approval = desk.reader().approval(sent.draft.key, 2).unwrap().unwrap();
    assert_eq!(approval.hash, sent.hash());
    assert_eq!(trail::undo_left(&desk.reader(), &sent, NOW + 5).unwrap(), Some(10));
    assert_eq!(trail::undo_left(&desk.reader(), &sent, NOW + 500).unwrap(), Some(0));
    assert_eq!(trail::undo_left(&desk.reader(), &sent, NOW - 500).unwrap(), Some(10));
    let changes = desk.status(&item).changes_by_owner.unwrap();
    assert_eq!((changes.from_revision, changes.to_revision), (1, 2));
    assert_eq!(
        (changes.lists[0].field, changes.lists[0].added.as_slice()),
        ("bcc", &["carol@stone.example".to_owned()][..])
    );
    assert_eq!(changes.body.len(), 2);
    let kinds: Vec<_> =
        trail::of(&desk.reader(), item.draft.id).unwrap().into_iter().map(|it| it.kind).collect();
    assert_eq!(kinds, ["proposed", "edited", "approved"]);
}

#[test]
fn an_edit_without_a_good_proof_or_on_old_ground_changes_nothing() {
    let desk = Desk::new();
    let item = desk.proposed_to(&["bob@stone.example"]);
    let id = item.draft.id.to_string();
    let change = body("At one!");
    let shown = item.hash();
    let edit = Edit { id: &id, shown: &shown, change: &change, door: Door::Page };
    let refused = DraftChange { subject: Some("a\u{202e}b".to_owned()), ..DraftChange::default() };

    assert!(desk.approvals(0).edit(&Edit { change: &refused, ..edit }).is_err());
    let edited = desk.approvals(0).edit(&edit).unwrap();
    let again = desk.approvals(0).edit_and_approve(&edit, &Proof::click());

    assert_eq!((edited.draft.state, edited.draft.revision), (ItemState::PendingApproval, 2));
    assert!(matches!(again, Err(OutboxError::Changed { .. })));
    assert_eq!(now(&desk, &item), edited);
}

#[test]
fn an_edit_takes_a_yes_back_and_the_old_yes_lets_nothing_leave() {
    let desk = Desk::new();
    let item = desk.proposed_to(&["bob@stone.example"]);
    let id = item.draft.id.to_string();
    desk.approvals(0).approve(&id, &item.hash(), Door::Page, &Proof::click()).unwrap();
    let change = body("At one!");

    let edited = desk
        .approvals(1)
        .edit(&Edit { id: &id, shown: &item.hash(), change: &change, door: Door::Page })
        .unwrap();

    assert_eq!(edited.draft.state, ItemState::PendingApproval);
    assert_eq!(desk.reader().approval(item.draft.key, 2).unwrap(), None);
    assert_eq!(desk.reader().approval(item.draft.key, 1).unwrap(), None);
    let mut store = Store::open(&desk.home.store()).unwrap();
    assert_eq!(store.begin().unwrap().last_word(item.draft.id).unwrap().unwrap().kind, "edited");
}

#[test]
fn the_difference_is_to_the_revision_that_the_person_saw() {
    let desk = Desk::new();
    let item = desk.proposed_to(&["bob@stone.example"]);
    let id = item.draft.id.to_string();
    assert_eq!(revisions::since_last_seen(&desk.reader(), &item).unwrap(), None);
    desk.approvals(0).note_look(&item, Door::Terminal).unwrap();
    desk.approvals(0).note_look(&item, Door::Terminal).unwrap();
    let to = Some(vec!["mallory@evil.example".to_owned()]);
    desk.drafts().update(&id, &DraftChange { to, ..body("At noon? Bring cash.") }).unwrap();
    desk.proposals().propose(&id, &Request::default()).unwrap();

    let diff = revisions::since_last_seen(&desk.reader(), &now(&desk, &item)).unwrap().unwrap();

    assert_eq!((diff.from_revision, diff.to_revision), (1, 2));
    let lists: Vec<_> =
        diff.lists.iter().map(|it| (it.field, it.added.concat(), it.removed.concat())).collect();
    assert_eq!(lists, [("to", "mallory@evil.example".to_owned(), "bob@stone.example".to_owned())]);
    assert!(
        diff.body.iter().flat_map(|line| &line.pieces).any(|it| it.changed && it.text.contains("Bring cash"))
    );
    let looks =
        trail::of(&desk.reader(), item.draft.id).unwrap().into_iter().filter(|it| it.kind == "looked");
    assert_eq!(looks.count(), 1);
    assert_eq!(desk.status(&item).changes_by_owner, None);
}

#[test]
fn decided_items_are_turned_page_by_page_without_gaps() {
    let desk = Desk::new();
    let items: Vec<_> = (0..5).map(|n| desk.proposed_to(&[&format!("bob{n}@stone.example")])).collect();
    for item in &items[1..] {
        desk.approvals(0).reject(&item.draft.id.to_string(), Some("not now")).unwrap();
    }
    let reader = desk.reader();

    let first = reader.decided_items(None, 3).unwrap();
    let rest = reader.decided_items(Some(&DecidedCursor::behind(&first[2])), 3).unwrap();

    let met: Vec<_> = first.iter().chain(&rest).map(|it| it.draft.key).collect();
    assert_eq!(met, items[1..].iter().rev().map(|it| it.draft.key).collect::<Vec<_>>());
    assert_eq!(rest.len(), 1);
}

#[test]
fn characters_that_nobody_sees_are_counted_wherever_they_leave() {
    let desk = Desk::new();
    let hidden = "\u{e0101}\u{e0102}\u{202e}";
    let mut draft = desk.proposed_to(&["bob@stone.example"]).draft;
    let said = |text: &str| Contents { text: text.to_owned(), ..Contents::default() };
    assert_eq!(super::unseen(&draft, &said("At noon \u{2764}\u{fe0f}")), 0);

    draft.subject.push_str(hidden);
    draft.from.name.push_str(hidden);
    draft.recipients.to[0].name.push_str(hidden);

    assert_eq!(super::unseen(&draft, &said(&format!("At noon{hidden}"))), 4 * 3);
}
