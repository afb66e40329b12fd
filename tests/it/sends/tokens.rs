//! A token that has ended is replaced once; one that is fresh and refused is told.

use std::time::Duration;

use mailkeep::model::{ItemState, OauthClient, OauthClients, SignIn, Tls};
use mailkeep::secret::Secret;

use crate::sends::Outgoing;
use crate::world::ACCOUNT;
use crate::world::flaky_smtp::FlakySmtp;
use crate::world::gmail::GmailDouble;

/// An account that signs in with tokens which the double gives.
fn outgoing(server: &FlakySmtp, google: &GmailDouble) -> Outgoing {
    let mut outgoing = Outgoing::to(server.port);
    outgoing.set_server(server.port, Tls::None, SignIn::Google);
    let kept = r#"{"refresh":"1//refresh","access":"ya29.old","expires":4000000000}"#;
    outgoing.secrets().set(&format!("oauth:{ACCOUNT}"), &Secret::new(kept.to_owned())).unwrap();
    let google = OauthClient {
        client_id: Some("double".to_owned()),
        token_url: Some(format!("http://127.0.0.1:{}/token", google.port)),
        ..OauthClient::default()
    };
    outgoing.clients = OauthClients { google, ..OauthClients::default() };
    outgoing
}

#[test]
fn a_token_that_is_refused_is_replaced_once_and_the_message_leaves() {
    let google = GmailDouble::start(ACCOUNT, Duration::from_millis(50));
    let server = FlakySmtp::by_session(|number| if number == 0 { "auth_535" } else { "none" });
    let outgoing = outgoing(&server, &google);
    let item = outgoing.approved("Token");

    outgoing.send();

    assert_eq!(outgoing.state(&item), ItemState::Sent, "{:?}", outgoing.again(&item).reason);
    assert_eq!((server.sessions(), server.taken().len(), outgoing.attempts(&item).len()), (2, 1, 1));
    assert!(server.sign_ins()[0].starts_with("AUTH XOAUTH2 "));
}

#[test]
fn a_fresh_token_that_is_refused_too_fails_and_is_not_tried_a_third_time() {
    let google = GmailDouble::start(ACCOUNT, Duration::from_millis(50));
    let server = FlakySmtp::with("auth_535");
    let outgoing = outgoing(&server, &google);
    let item = outgoing.approved("Token");

    outgoing.send();
    outgoing.send();

    assert_eq!(outgoing.state(&item), ItemState::Failed);
    assert_eq!(outgoing.again(&item).error_code.as_deref(), Some("AUTH_FAILED"));
    assert_eq!(server.sessions(), 2);
}
