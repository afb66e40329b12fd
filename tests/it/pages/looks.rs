//! Nobody says yes to what no page showed them: what was changed while they looked, wrote or were away is shown first.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{Browser, Form, Site, command, value};
use crate::speaks_mcp::over_http::Response;
use crate::world::assistant::Assistant;
use crate::world::person::Person;

/// What an assistant slips in beside a text that stays.
fn slipped_in() -> Value {
    json!({
        "body": "At noon?", "html": "<p>Pay 10000 EUR to DE99.</p>",
        "attachments": [{ "name": "invoice.txt", "content_base64": "cGF5IERFOTk=" }],
    })
}

impl Site {
    /// Has an assistant change an item.
    fn changed(&self, id: &str, mut change: Value) {
        change["draft_id"] = json!(id);
        let answer = self.call("update_draft", change);
        assert_eq!(answer["isError"], false, "{answer}");
    }

    /// Sends the form for changing an item.
    fn edited(&self, browser: &Browser, id: &str, form: &Form, body: &str) -> Response {
        let fields = format!("to=bob%40stone.example&cc=&bcc=&subject=Lunch&armed=1&body={body}");
        self.post(browser, &format!("/outbox/{id}/edit"), &form.with(&fields))
    }

    fn edit_page(&self, browser: &Browser, id: &str, hash: &str) -> Response {
        self.get(browser, &format!("/outbox/{id}/edit?hash={hash}"))
    }

    /// The revisions that the audit chain knows the person to have looked at.
    fn looks(&self, id: &str) -> Vec<i64> {
        let rows = self.json(&["audit", "show", "--item", id])["entries"].clone();
        let looks = rows.as_array().unwrap().iter().filter(|row| row["kind"] == "looked");
        looks.map(|row| row["body"]["revision"].as_i64().unwrap()).collect()
    }

    /// The hash that a yes would be to now, without a look.
    fn hash(&self, browser: &Browser, id: &str) -> String {
        Form::of(&self.get(browser, &format!("/outbox/{id}?again=1")).body).hash
    }
}

/// Hash and token of the form for changing an item.
fn edit_form(page: &str) -> Form {
    let about = page.split("/edit\" class").nth(1).unwrap_or_else(|| panic!("no form in {page}"));
    Form { hash: value(about, "hash"), token: value(about, "token") }
}

fn offers_to_send(page: &str) -> bool {
    page.contains("value=\"send\"")
}

#[test]
fn words_written_over_what_is_something_else_by_now_are_shown_with_the_difference_and_not_sent() {
    let site = Site::new();
    let id = site.proposed("At noon?");
    let browser = site.browser();
    let form = site.form(&browser, &id);
    let page = site.edit_page(&browser, &id, &form.hash).body;
    assert!(offers_to_send(&page), "{page}");
    site.changed(&id, slipped_in());

    let first = site.edited(&browser, &id, &edit_form(&page), "At+one%3F&then=send");

    assert_eq!((first.status, site.state(&id).as_str()), (409, "pending_approval"));
    for shown in ["Changed since you saw revision 1", "DE99", "invoice.txt", ">\nAt one?</textarea>"] {
        assert!(first.body.contains(shown), "{shown} in {}", first.body);
    }
    assert!(!offers_to_send(&first.body), "{}", first.body);
    assert_eq!(site.looks(&id), [1]);

    let second = site.edited(&browser, &id, &edit_form(&first.body), "At+noon%3F&then=send");

    assert_eq!((second.status, site.state(&id).as_str()), (303, "pending_approval"), "{}", second.body);
    assert!(second.headers["location"].ends_with("?done=saved"));
}

#[test]
fn the_form_for_changes_leads_nowhere_past_the_page_of_the_item() {
    let site = Site::new();
    let id = site.proposed("At noon?");
    let browser = site.browser();
    let old = site.form(&browser, &id);
    site.changed(&id, json!({ "body": "At midnight!" }));

    let bare = site.get(&browser, &format!("/outbox/{id}/edit"));
    assert_eq!(bare.status, 303);
    assert!(bare.headers["location"].ends_with(&format!("/outbox/{id}")), "{:?}", bare.headers);

    let unseen = site.edit_page(&browser, &id, &site.hash(&browser, &id));
    assert!(unseen.status == 200 && !offers_to_send(&unseen.body), "{}", unseen.body);
    let said = site.edited(&browser, &id, &edit_form(&unseen.body), "At+midnight%21&then=send");
    assert_eq!((said.status, site.state(&id).as_str()), (303, "pending_approval"));
    assert_eq!(site.looks(&id), [1]);

    let stale = site.edit_page(&browser, &id, &old.hash);
    assert_eq!(stale.status, 409);
    assert!(stale.body.contains("<ins><bdi>At midnight!") && !offers_to_send(&stale.body), "{}", stale.body);

    let seen = site.edit_page(&browser, &id, &site.hash(&browser, &id)).body;
    let said = site.edited(&browser, &id, &edit_form(&seen), "At+one%21&then=send");
    assert_eq!((said.status, site.state(&id).as_str()), (303, "approved"));
}

#[test]
fn what_the_form_does_not_hold_is_shown_below_it_and_leaves_as_it_was_seen() {
    for (body, has_html) in [("At+noon%3F&cc=eve%40stone.example", true), ("At+one%3F&cc=", false)] {
        let site = Site::new();
        let browser = site.browser();
        let id = site.proposed("At noon?");
        site.changed(&id, slipped_in());
        let form = site.form(&browser, &id);

        let page = site.edit_page(&browser, &id, &form.hash).body;
        let fields = format!("to=bob%40stone.example&bcc=&subject=Lunch&armed=1&then=send&body={body}");
        let said = site.post(&browser, &format!("/outbox/{id}/edit"), &form.with(&fields));

        assert!(
            page.contains("DE99") && page.contains("invoice.txt") && page.contains("<dt>From</dt>"),
            "{page}"
        );
        assert!(offers_to_send(&page), "{page}");
        assert_eq!((said.status, site.state(&id).as_str()), (303, "approved"), "{body}");
        let left = site.json(&["outbox", "show", &id]);
        assert_eq!(
            (left["attachments"][0]["name"].as_str(), left["html"].is_object()),
            (Some("invoice.txt"), has_html),
            "{left}"
        );
    }
}

#[test]
fn the_page_that_asks_once_more_asks_about_what_was_shown_and_nothing_else() {
    let site = Site::new();
    let id = site.proposed("version 0");
    let browser = site.browser();
    let is_over = AtomicBool::new(false);

    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut assistant = Assistant::of(&mut command(&site.world, &["mcp"]));
            for number in 1..=40 {
                assistant
                    .call("update_draft", json!({ "draft_id": id, "body": format!("version {number}") }));
            }
            assistant.finish();
            is_over.store(true, Ordering::SeqCst);
        });
        while !is_over.load(Ordering::SeqCst) {
            let page = site.get(&browser, &format!("/outbox/{id}")).body;
            // Between a change and its proposal there is nothing to decide about.
            if !page.contains("/approve\"") {
                continue;
            }
            let form = Form::of(&page);
            let asked = site.post(&browser, &format!("/outbox/{id}/approve"), &form.with("armed="));
            if asked.body.contains("Really?") {
                assert_eq!(Form::of(&asked.body).hash, form.hash);
            } else {
                assert_eq!(asked.status, 409, "{}", asked.body);
            }
        }
    });
    let form = site.form(&browser, &id);
    let asked = site.post(&browser, &format!("/outbox/{id}/approve"), &form.with("armed="));
    assert!(asked.body.contains("Really?") && asked.body.contains("version 40"), "{}", asked.body);
}

#[test]
fn what_the_script_loads_anew_is_no_look_and_hides_no_change() {
    let site = Site::new();
    let id = site.proposed("Dear Bob,\npay 10 EUR.\nAda");
    let browser = site.browser();
    site.form(&browser, &id);
    let mut page = String::new();

    for body in ["Dear Bob,\npay 10000 EUR.\nAda", "Dear Bob,\npay 10000 EUR.\nAda L."] {
        site.changed(&id, json!({ "body": body }));
        page = site.get(&browser, &format!("/outbox/{id}?again=1")).body;
        site.get(&browser, "/outbox/all?again=1");
    }

    assert!(page.contains("<del><bdi>pay 10 EUR.") && page.contains("<ins><bdi>pay 10000 EUR."), "{page}");
    assert_eq!(site.looks(&id), [1]);
    site.form(&browser, &id);
    assert_eq!(site.looks(&id), [1, 3]);
}

#[test]
fn who_changes_something_has_not_seen_all_of_it() {
    let site = Site::new();
    let id = site.proposed("At noon?");
    let browser = site.browser();
    let form = site.form(&browser, &id);
    let saved = site.edited(&browser, &id, &form, "At+one%3F&then=save");
    assert_eq!(saved.status, 303, "{}", saved.body);
    site.changed(&id, json!({ "subject": "Dinner" }));

    let page = site.get(&browser, &format!("/outbox/{id}")).body;

    assert!(page.contains("Changed since you saw revision 1"), "{page}");
    assert!(page.contains("<ins><bdi>At one?") && page.contains("<ins><bdi>Dinner"), "{page}");
}

#[test]
fn a_field_that_stands_in_a_form_twice_is_refused_and_changes_nothing() {
    let site = Site::new();
    let id = site.proposed("At noon?");
    let browser = site.browser();
    let form = site.form(&browser, &id);

    let twice = site.edited(&browser, &id, &form, "A&body=B&then=save");
    let again = site.edited(&browser, &id, &form, "A&subject=B&then=send");

    assert_eq!((twice.status, again.status), (400, 400));
    assert_eq!((site.hash(&browser, &id), site.state(&id).as_str()), (form.hash, "pending_approval"));
}

#[test]
fn no_pin_at_all_is_refused_and_is_no_try() {
    let site = Site::configured("[policy]\nundo = 60\n[approval]\nfactor = \"pin\"\n");
    let set = command(&site.world, &["approval", "set-pin"]);
    let Some(mut person) = Person::runs("a PIN", &set) else { return };
    person.sees("new PIN: ").types("271828").sees("the same again: ").types("271828");
    assert_eq!(person.ends().code, Some(0));
    let id = site.proposed("At noon?");
    let browser = site.browser();
    let form = site.form(&browser, &id);
    let yes = |pin: &str| site.post(&browser, &format!("/outbox/{id}/approve"), &form.with(pin));

    for _ in 0..7 {
        assert_eq!(yes("armed=1&pin=").status, 403);
        assert_eq!(site.post_to("/sign-in", "", "pin=").status, 403);
    }
    let wrong = yes("armed=1&pin=111111");

    assert!(wrong.body.contains("4 tries"), "{}", wrong.body);
    assert_eq!(yes("armed=1&pin=271828").status, 303);
}
