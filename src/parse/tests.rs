//! The promises of the whole parser.

use super::{message, part_bytes};
use crate::model::DateHints;

#[test]
fn smoke() {
    let parsed = message(b"From: a@b.c\nSubject: x\n\nhello\n", &DateHints::default());
    assert_eq!(parsed.text, "hello\n");
    assert_eq!(
        part_bytes(b"From: a@b.c\nSubject: x\n\nhello\n", "1"),
        Some(b"hello\n".to_vec())
    );
}
