//! Exactly what was approved arrives, for exactly those it was approved for.

use std::fs;

use mailkeep::model::ItemState;
use mailkeep::outbox::EnvironmentServer;
use mailkeep::secret::Secret;

use crate::sends::{Outgoing, PASSWORD};
use crate::world::ACCOUNT;
use crate::world::flaky_smtp::FlakySmtp;

#[test]
fn what_arrives_is_what_was_frozen_and_a_date_for_all_recipients_and_bcc_in_no_byte() {
    let server = FlakySmtp::good();
    let outgoing = Outgoing::to(server.port);
    let item = outgoing.approved("Lunch");

    outgoing.send();

    let taken = server.taken();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].sender, ACCOUNT);
    assert_eq!(taken[0].recipients, ["bob@stone.example", "cleo@river.example", "dora@hill.example"]);
    assert_eq!(taken[0].bytes, outgoing.message(&item));
    let text = String::from_utf8(taken[0].bytes.clone()).unwrap();
    assert!(text.contains("\r\nDate: Mon, 15 Jun 2026 12:00:00 +0000\r\n"), "{text}");
    assert!(!text.contains("dora"), "{text}");
    assert_eq!(outgoing.audited(&item), ["proposed", "approved", "attempt", "dot", "sent"]);
}

#[test]
fn what_the_server_calls_it_is_kept_and_a_copy_for_sent_mail_is_wanted() {
    let server = FlakySmtp::good();
    let outgoing = Outgoing::to(server.port);
    let item = outgoing.approved("Lunch");

    outgoing.send();

    let reader = outgoing.reader();
    let known = reader.item_by_message_id("Q17.given@flaky.example").unwrap().unwrap();
    assert_eq!(known.draft.id, item.draft.id);
    let key = reader.account(ACCOUNT).unwrap().unwrap();
    let wanted: Vec<_> = reader.copy_tasks(key).unwrap().into_iter().filter_map(|task| task.wanted).collect();
    assert_eq!(wanted, [(item.draft.key, item.draft.revision)]);
}

#[test]
fn several_items_in_a_row_go_over_one_connection() {
    let server = FlakySmtp::good();
    let outgoing = Outgoing::to(server.port);
    let items: Vec<_> = (0..7).map(|number| outgoing.approved(&format!("Letter {number}"))).collect();

    outgoing.send();

    assert_eq!((server.sessions(), server.sign_ins().len()), (1, 1));
    let arrived: Vec<_> = server.taken().into_iter().map(|taken| taken.bytes).collect();
    let expected: Vec<_> = items.iter().map(|item| outgoing.message(item)).collect();
    assert_eq!(arrived, expected);
}

#[test]
fn a_server_that_the_environment_names_gets_its_own_password_and_never_the_one_that_is_kept() {
    for own in [None, Some("canary-other-1")] {
        let server = FlakySmtp::good();
        let mut outgoing = Outgoing::to(9);
        let endpoint = mailkeep::model::Endpoint {
            host: "127.0.0.1".to_owned(),
            port: server.port,
            tls: mailkeep::model::Tls::None,
        };
        let password = own.map(|own| Secret::new(own.to_owned()));
        let named = EnvironmentServer { endpoint, user: ACCOUNT.to_owned(), password };
        outgoing.routes.environment = Some(named);
        let item = outgoing.approved("Lunch");

        outgoing.send();

        let expected = if own.is_some() { ItemState::Sent } else { ItemState::Failed };
        assert_eq!(outgoing.state(&item), expected);
        let heard = server.commands().join("\n");
        assert!(!heard.contains(&sasl(PASSWORD)), "{heard}");
        assert_eq!(server.sign_ins().len(), usize::from(own.is_some()));
        assert!(server.sign_ins().iter().all(|line| line.contains(&sasl("canary-other-1"))));
    }
}

/// What signing in with a password looks like.
fn sasl(password: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(format!("\0{ACCOUNT}\0{password}"))
}

#[test]
fn mail_becomes_a_file_once_and_who_gets_it_stands_beside_it() {
    let (outgoing, folder) = Outgoing::into_folder();
    let item = outgoing.approved("Lunch");

    outgoing.send();
    outgoing.send();

    let id = item.draft.id.to_string();
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, [format!("{id}.eml"), format!("{id}.envelope.json")]);
    assert_eq!(fs::read(folder.join(format!("{id}.eml"))).unwrap(), outgoing.message(&item));
    let envelope = fs::read_to_string(folder.join(format!("{id}.envelope.json"))).unwrap();
    assert!(envelope.contains("dora@hill.example"), "{envelope}");
    assert_eq!(outgoing.state(&item), ItemState::Sent);
}
