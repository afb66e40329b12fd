//! Ten errands as people give them to an assistant, on a home with two accounts: each takes at most three calls of the
//! `core` profile, and what comes back holds the answer. Nobody says which account is meant.
//!
//! `cargo test --test it transcript -- --nocapture` prints the table that stands in BENCHMARKS.md.

use std::io::Write;

use serde_json::{Value, json};

use crate::world::assistant::{Assistant, text_of};
use crate::world::documents::pdf;
use crate::world::mail::{base64, mboxrd};
use crate::world::{Mail, World, list, text};

const HOME: &str = "ada@example.org";
const WORK: &str = "a.berg@optics.example";
/// No errand may take more calls.
const MOST_CALLS: usize = 3;

/// How an errand is run.
type Run = fn(&mut Errand);

/// One errand while it is run: the assistant and what it has cost so far.
struct Errand<'a> {
    assistant: &'a mut Assistant,
    calls: usize,
    asked: usize,
    text: usize,
    whole: usize,
}

impl Errand<'_> {
    /// Calls a tool; what it gives back, which must be no error.
    #[expect(clippy::needless_pass_by_value, reason = "the calls read better")]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.assistant.call(tool, arguments.clone())["result"].clone();
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        self.calls += 1;
        self.asked += arguments.to_string().chars().count();
        self.text += text_of(&result).chars().count();
        self.whole += result.to_string().chars().count();
        result
    }
}

/// A word in a header field that is not ASCII, as mail programs write it.
fn encoded(text: &str) -> String {
    format!("=?UTF-8?B?{}?=", base64(text.as_bytes()).replace('\n', ""))
}

fn read(mail: Mail) -> Mail {
    mail.with("Status", "RO")
}

fn at(day: &str) -> String {
    format!("{day} 2026 09:30:00 +0000")
}

fn answer(subject: &str, to: &str) -> Mail {
    Mail::new(subject).with("In-Reply-To", &format!("<{to}>")).with("References", &format!("<{to}>")).with(
        "Subject",
        &format!("Re: {}", subject.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end()),
    )
}

fn private_letters() -> Vec<Mail> {
    vec![
        read(Mail::new("Garden fence"))
            .date(&at("8 Jun"))
            .body("Hi Ada,\n\nthe fence between our gardens fell over last night. We should build a new one.\n\nBob"),
        read(answer("Garden fence 3", "Garden.fence@test.example"))
            .date(&at("10 Jun"))
            .body(
                "Hi Ada,\n\nI asked the carpenter. Could you tell me by Friday whether you prefer larch or oak, and \
                 can we split the costs in half?\n\nBob\n\nOn 9 June Ada Berg wrote:\n> Hi Bob,\n>\n> I saw it this morning.\n> What would it cost?\n>\n> Ada",
            ),
        Mail::new("Sunday lunch")
            .from("Mia Berg <mia@family.example>")
            .date(&at("11 Jun"))
            .body("Dear Ada,\n\nwill you come for lunch on Sunday at one?\n\nMia"),
        read(Mail::new("Invoice 2026-118"))
            .from("Petra Lund <petra@lund-bikes.example>")
            .date(&at("20 May"))
            .body("Dear Ms Berg,\n\nplease find the invoice for the repair attached.\n\nPetra Lund")
            .attach("invoice-2026-118.pdf", "application/pdf", &pdf("Invoice 2026-118, total EUR 184.50, due 19 June 2026")),
        read(Mail::new("Schluesseluebergabe"))
            .with("Subject", &encoded("Kündigung der Wohnung Schützenstraße 7"))
            .from("Frederike Holm <holm@hausverwaltung.example>")
            .date(&at("1 Jun"))
            .body(
                "Sehr geehrte Frau Berg,\n\nwir bestätigen Ihre Kündigung zum 31. August. Die Schlüsselübergabe \
                 findet um 10 Uhr in der Schützenstraße statt.\n\nMit freundlichen Grüßen\nFrederike Holm",
            ),
    ]
}

/// Mail that nobody waits for: lists, machines, invitations.
fn machines() -> Vec<Mail> {
    let news = |number: usize, day: &str, list: &str| {
        read(Mail::new(&format!("{list} {number}")))
            .from(&format!("News <hello@{list}.example>"))
            .with("List-Id", &format!("News <news.{list}.example>"))
            .date(&at(day))
            .body("This month's news for our readers.")
    };
    let days = [
        ("2 Apr", "beans"),
        ("16 Apr", "beans"),
        ("1 May", "beans"),
        ("4 May", "rail"),
        ("8 May", "beans"),
        ("22 May", "beans"),
        ("2 Jun", "rail"),
        ("5 Jun", "beans"),
        ("9 Jun", "rail"),
    ];
    let mut mails: Vec<Mail> =
        days.into_iter().enumerate().map(|(number, (day, list))| news(number, day, list)).collect();
    mails.push(
        Mail::new("Your parcel is on its way")
            .from("Parcel <no-reply@parcel.example>")
            .date(&at("9 Jun"))
            .body("It arrives on Thursday."),
    );
    mails.push(
        read(Mail::new("Ticket 4711 was received"))
            .from("Help desk <help@desk.example>")
            .with("Auto-Submitted", "auto-replied")
            .date(&at("8 Jun"))
            .body("We have received your question."),
    );
    mails.push(
        read(Mail::new("Invitation to the street festival"))
            .from("Carla Roth <carla@street.example>")
            .date(&at("7 Jun"))
            .body("You are invited.")
            .part(
                "Content-Type: text/calendar; method=REQUEST; charset=utf-8\n",
                b"BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nSUMMARY:Festival\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
            ),
    );
    mails
}

fn work_letters() -> Vec<Mail> {
    let to_ada = |mail: Mail| mail.with("To", "Ada Berg <a.berg@optics.example>");
    let mut mails = vec![
        read(to_ada(Mail::new("Lens coating")))
            .from("Viktor Hahn <viktor@optics.example>")
            .date(&at("25 May"))
            .body("The old coating flakes off at minus ten degrees. We need another one before the fair in July."),
        read(to_ada(answer("Lens coating 3", "Lens.coating@test.example")))
            .from("Carla Voss <carla@optics.example>")
            .date(&at("27 May"))
            .body(
                "The supplier in Jena offers magnesium fluoride for EUR 3,200, six weeks of delivery.\n\n\
                 On 26 May Ada Berg wrote:\n> Thank you, Viktor.\n> Who could deliver before July?\n>\n> Ada",
            ),
        read(to_ada(answer("Lens coating 4", "Lens.coating@test.example")))
            .from("Viktor Hahn <viktor@optics.example>")
            .date(&at("28 May"))
            .body("Then we order in Jena today. I pay the deposit, Carla writes the order.\n\nOn 27 May Carla Voss wrote:\n> The supplier in Jena offers magnesium fluoride for EUR 3,200, six weeks of delivery.\n>\n> Carla\n> Optics lab"),
        to_ada(Mail::new("Budget review"))
            .from("Viktor Hahn <viktor@optics.example>")
            .date(&at("12 Jun"))
            .body("The budget for the second half is attached to the calendar. Nothing to do before August."),
        read(to_ada(Mail::new("Mitsumori")))
            .with("Subject", &encoded("お見積書の送付"))
            .from(&format!("{} <sato@kogaku.example>", encoded("佐藤花子")))
            .date(&at("5 Jun"))
            .body("ベルグ様\n\nお見積書をお送りします。納期は七月十日です。ご確認ください。\n\n佐藤花子"),
    ];
    mails.extend((1..=5).map(|number| {
        read(to_ada(Mail::new(&format!("Receipt for trip {number}"))))
            .from("Travel desk <travel@agency.example>")
            .date(&at(&format!("{} May", number + 10)))
            .body("Here is the receipt for your trip to the fair.")
    }));
    mails
}

fn sent_letters() -> (Vec<Mail>, Vec<Mail>) {
    let own = |mail: Mail, from: &str, to: &str| read(mail).from(from).with("To", to);
    let home = own(
        answer("Garden fence 2", "Garden.fence@test.example").date(&at("9 Jun")).body("What would it cost?"),
        "Ada Berg <ada@example.org>",
        "Bob Stone <bob@stone.example>",
    );
    let work = own(
        answer("Lens coating 2", "Lens.coating@test.example")
            .date(&at("26 May"))
            .body("Who could deliver before July?"),
        "Ada Berg <a.berg@optics.example>",
        "Viktor Hahn <viktor@optics.example>, Carla Voss <carla@optics.example>",
    );
    (vec![home], vec![work])
}

/// A home with two accounts, each with an inbox and what was sent.
fn home() -> World {
    let world = World::new();
    let bring = |name: &str, mails: Vec<Mail>, account: &str, mailbox: &str| {
        let bytes: Vec<_> = mails.iter().map(Mail::bytes).collect();
        let file = world.write(name, mboxrd(&bytes));
        world.json(&["import", text(&file), "--account", account, "--mailbox", mailbox]);
    };
    let (sent_home, sent_work) = sent_letters();
    bring("home.mbox", private_letters().into_iter().chain(machines()).collect(), HOME, "INBOX");
    bring("home-sent.mbox", sent_home, HOME, "Sent");
    bring("work.mbox", work_letters(), WORK, "INBOX");
    bring("work-sent.mbox", sent_work, WORK, "Sent");
    world
}

fn items(result: &Value) -> Vec<Value> {
    list(&result["structuredContent"]["items"]).to_vec()
}

fn subjects(result: &Value) -> Vec<String> {
    items(result).iter().map(|item| item["subject"].as_str().unwrap().to_owned()).collect()
}

fn what_did_bob_ask(errand: &mut Errand) {
    let found = errand.call("search_emails", json!({ "query": "from:bob", "sort": "newest", "limit": 3 }));
    let newest = &items(&found)[0];

    let letter = errand.call("read_email", json!({ "email_id": newest["id"] }));

    assert_eq!(newest["account"], HOME);
    assert!(text_of(&letter).contains("whether you prefer larch or oak"), "{letter}");
    assert!(!text_of(&letter).contains("> What would it cost?"), "the quoted history is folded");
}

fn unread_everywhere(errand: &mut Errand) {
    let unread = errand.call("list_emails", json!({ "unread_only": true }));

    assert_eq!(subjects(&unread), ["Budget review", "Sunday lunch", "Your parcel is on its way"]);
    let accounts: Vec<_> = items(&unread).iter().map(|item| item["account"].clone()).collect();
    assert_eq!(accounts, [WORK, HOME, HOME]);
    assert!(text_of(&unread).contains(WORK) && text_of(&unread).contains(HOME));
}

fn the_invoice_and_its_pdf(errand: &mut Errand) {
    let found = errand.call("search_emails", json!({ "query": "invoice type:pdf" }));
    let id = items(&found)[0]["id"].clone();

    let document = errand.call("get_attachment", json!({ "email_id": id, "attachment_id": "1" }));

    assert!(text_of(&document).contains("total EUR 184.50, due 19 June 2026"), "{document}");
}

fn a_reply(errand: &mut Errand) {
    let found = errand.call("search_emails", json!({ "query": "from:mia lunch" }));
    let id = items(&found)[0]["id"].clone();

    let draft =
        errand.call("create_draft", json!({ "reply_to_id": id, "body": "I will bring the cake. Ada" }));

    let filed = &draft["structuredContent"];
    assert_eq!((&filed["account"], &filed["reply_to_id"]), (&json!(HOME), &id));
    assert_eq!(filed["to"], json!(["Mia Berg <mia@family.example>"]));
    assert_eq!(filed["subject"], "Re: Sunday lunch");
    let listed = errand.call("list_emails", json!({ "limit": 5 }));
    assert!(!text_of(&listed).contains("I will bring the cake"), "a draft is no mail");
}

fn who_waits_for_me(errand: &mut Errand) {
    let waiting = errand.call("awaiting_reply", json!({ "waiting_for": "me" }));

    let mut from: Vec<_> =
        items(&waiting).iter().map(|item| item["from"].as_str().unwrap().to_owned()).collect();
    from.sort();
    assert!(
        from.iter().any(|name| name.contains("Bob Stone")) && from.iter().any(|name| name.contains("Mia")),
        "{from:?}"
    );
    for machine in ["News", "Parcel", "Help desk", "Carla Roth"] {
        assert!(from.iter().all(|name| !name.contains(machine)), "{machine} waits for nobody: {from:?}");
    }
}

fn newsletters_per_month(errand: &mut Errand) {
    let counted = errand.call("email_stats", json!({ "group_by": "list", "per": "month" }));

    let rows: Vec<_> = items(&counted)
        .iter()
        .map(|row| (row["period"].clone(), row["key"].clone(), row["count"].clone()))
        .collect();
    let row = |period: &str, list: &str, count: i64| (json!(period), json!(list), json!(count));
    assert_eq!(
        rows,
        [
            row("2026-04", "news.beans.example", 2),
            row("2026-05", "news.beans.example", 3),
            row("2026-05", "news.rail.example", 1),
            row("2026-06", "news.rail.example", 2),
            row("2026-06", "news.beans.example", 1),
        ]
    );
}

fn label_five(errand: &mut Errand) {
    let found = errand.call("search_emails", json!({ "query": "subject:receipt from:travel" }));
    let ids: Vec<_> = items(&found).iter().map(|item| item["id"].clone()).collect();
    assert_eq!(ids.len(), 5);

    errand.call("manage_labels", json!({ "email_ids": ids, "add_labels": ["expenses"] }));

    let labelled = errand.call("search_emails", json!({ "query": "label:expenses" }));
    assert_eq!(labelled["structuredContent"]["total"], 5);
}

fn summarise_a_thread(errand: &mut Errand) {
    let found = errand.call("search_emails", json!({ "query": "coating", "limit": 1 }));
    let thread = items(&found)[0]["thread_id"].clone();

    let digest = errand.call("get_thread", json!({ "thread_id": thread }));

    let told = text_of(&digest);
    for part in ["flakes off", "Who could deliver", "EUR 3,200", "we order in Jena today"] {
        assert_eq!(told.matches(part).count(), 1, "{part} is said once: {told}");
    }
}

fn in_german(errand: &mut Errand) {
    let found = errand.call("search_emails", json!({ "query": "Kuendigung Schützenstrasse" }));
    let id = items(&found)[0]["id"].clone();

    let letter = errand.call("read_email", json!({ "email_id": id }));

    assert!(text_of(&letter).contains("findet um 10 Uhr in der Schützenstraße statt"), "{letter}");
}

fn in_japanese(errand: &mut Errand) {
    let found = errand.call("search_emails", json!({ "query": "見積書" }));
    let id = items(&found)[0]["id"].clone();

    let letter = errand.call("read_email", json!({ "email_id": id }));

    assert!(text_of(&letter).contains("納期は七月十日です"), "{letter}");
    assert_eq!(items(&found)[0]["account"], WORK);
}

#[test]
fn ten_errands_take_at_most_three_calls_each() {
    let world = home();
    let mut assistant = Assistant::new(&world, &[]);
    let errands: [(&str, Run); 10] = [
        ("What did Bob ask?", what_did_bob_ask),
        ("What is unread, everywhere?", unread_everywhere),
        ("The invoice, and what its PDF says", the_invoice_and_its_pdf),
        ("Draft a reply to Mia", a_reply),
        ("Who waits for an answer of mine?", who_waits_for_me),
        ("Newsletters per month", newsletters_per_month),
        ("Label the five receipts", label_five),
        ("Summarise the thread about the coating", summarise_a_thread),
        ("A German letter", in_german),
        ("A Japanese letter", in_japanese),
    ];

    let mut table =
        "| errand | calls | characters asked | text back | with data |\n|---|---:|---:|---:|---:|\n"
            .to_owned();
    for (name, run) in errands {
        let mut errand = Errand { assistant: &mut assistant, calls: 0, asked: 0, text: 0, whole: 0 };
        run(&mut errand);
        assert!(errand.calls <= MOST_CALLS, "{name} took {} calls", errand.calls);
        let Errand { calls, asked, text, whole, .. } = errand;
        table.push_str(&format!(
            "| {name} | {calls} | {asked} | {text} | {whole} |
"
        ));
    }
    // Past the test runner's lint against printing: this is what the test is run by hand for.
    std::io::stdout().write_all(table.as_bytes()).unwrap();
}
