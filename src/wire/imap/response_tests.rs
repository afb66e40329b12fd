use proptest::prelude::{any, prop, proptest};

use super::{Response, Status, When, parse};
use crate::model::UidSet;

fn plain(line: &str) -> Response {
    parse(line.as_bytes(), Vec::new())
}

#[test]
fn a_message_is_read_with_its_literals_in_their_places() {
    let line = b"* 12 FETCH (FLAGS (\\Seen $Junk) UID 7 INTERNALDATE \"17-Jul-1996 02:44:25 -0700\" \
        X-GM-LABELS (\"\\\\Inbox\" Entw&APw-rfe) BODY[HEADER] {3} RFC822.SIZE 44827 BODY[]<0> {2})";
    let literals = vec![b"abc".to_vec(), b"xy".to_vec()];

    let Response::Fetch(message) = parse(line, literals) else { panic!("no message") };

    assert_eq!(message.uid, Some(7));
    assert_eq!(message.flags, Some(vec!["\\Seen".to_owned(), "$Junk".to_owned()]));
    assert_eq!(message.internal_epoch, Some(837_596_665));
    assert_eq!(message.header.as_deref(), Some(&b"abc"[..]));
    assert_eq!(message.body.as_deref(), Some(&b"xy"[..]));
    assert_eq!(message.size, Some(44827));
    assert_eq!(message.gmail_labels, Some(vec!["\\Inbox".to_owned(), "Entwürfe".to_owned()]));
}

#[test]
fn codes_stand_apart_from_what_is_said() {
    let Response::Done(4, Status::No, code, text) = plain("k4 NO [AUTHENTICATIONFAILED] Go away.") else {
        panic!("no end of a command")
    };
    assert_eq!((code.name.as_str(), text.as_str()), ("AUTHENTICATIONFAILED", "Go away."));

    let Response::Status(Status::Ok, code, _) = plain("* OK [UIDVALIDITY 3857529045] UIDs valid") else {
        panic!("no status")
    };
    assert_eq!((code.name.as_str(), code.argument.as_str()), ("UIDVALIDITY", "3857529045"));
}

#[test]
fn lists_states_and_losses_are_read() {
    let Response::List(listed) = plain("* LIST (\\HasNoChildren \\Sent) \".\" \"Gesendet.M&APw-ll\"") else {
        panic!("no mailbox")
    };
    assert_eq!((listed.separator, listed.name.as_str()), (Some('.'), "Gesendet.Müll"));
    let Response::MailboxStatus(status) = plain("* STATUS INBOX (MESSAGES 3 UIDNEXT 4 HIGHESTMODSEQ 0)")
    else {
        panic!("no state")
    };
    assert_eq!((status.messages, status.next_uid, status.modseq), (Some(3), Some(4), None));
    assert_eq!(
        plain("* VANISHED (EARLIER) 1:3,9"),
        Response::Vanished(When::Earlier, UidSet::of_sorted([1, 2, 3, 9]))
    );
    assert_eq!(plain("* 23 EXISTS"), Response::Exists(23));
}

#[test]
fn nonsense_is_nothing_worse_than_nonsense() {
    for line in [
        "",
        "*",
        "* ",
        "* 1 FETCH",
        "* 1 FETCH (",
        "* 1 FETCH (BODY[",
        "* 1 FETCH (UID",
        "k",
        "kx OK",
        "* LIST",
        "* LIST () \"",
        "* STATUS x",
        "* VANISHED",
        "* 99999999999 EXISTS",
        "* 1 FETCH (BODY[] {5})",
        "* 1 FETCH ((((",
    ] {
        assert!(matches!(plain(line), Response::Other | Response::Garbled | Response::Fetch(_)), "{line}");
    }
}

proptest! {
    #[test]
    fn no_line_makes_the_reader_panic(tail in prop::collection::vec(any::<u8>(), 0..80), start in 0..5_usize) {
        let starts: [&[u8]; 5] = [b"* 1 FETCH (", b"* LIST (", b"* STATUS ", b"k1 ", b"* VANISHED "];
        let line = [starts[start], &tail].concat();
        parse(&line, vec![vec![1]]);
    }
}
