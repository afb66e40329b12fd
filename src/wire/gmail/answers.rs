//! What the methods answer: the few fields we use. Numbers of 64 bits come as text.

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::{Deserialize, Deserializer};

/// With padding or without: Google has sent both.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// About the mailbox as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// The user's address.
    #[serde(default)]
    pub email_address: String,
    /// The newest entry of the history.
    #[serde(deserialize_with = "number")]
    pub history_id: u64,
    /// How many messages it has.
    #[serde(default)]
    pub messages_total: Option<u64>,
}

/// A message in a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageId {
    /// Its id, as Gmail writes it.
    pub id: String,
}

/// One page of a list of messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MessagePage {
    /// The messages.
    pub messages: Vec<MessageId>,
    /// Where the next page is.
    pub next_page_token: Option<String>,
}

/// A message, with its bytes when they were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GmailMessage {
    /// Its id, as Gmail writes it.
    pub id: String,
    /// The id of its thread.
    #[serde(default)]
    pub thread_id: String,
    /// The ids of its labels.
    #[serde(default)]
    pub label_ids: Vec<String>,
    /// When Gmail received it, in milliseconds since 1970.
    #[serde(default, deserialize_with = "optional_number")]
    pub internal_date: Option<i64>,
    /// About how many bytes it has.
    #[serde(default)]
    pub size_estimate: Option<u64>,
    /// Its bytes, in base64.
    #[serde(default)]
    pub raw: Option<String>,
}

/// A draft.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GmailDraft {
    /// Its id, which stays when it is edited.
    pub id: String,
    /// The message it is at the moment.
    pub message: GmailMessage,
}

/// One page of a list of drafts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DraftPage {
    /// The drafts.
    pub drafts: Vec<GmailDraft>,
}

/// A label.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GmailLabel {
    /// Its id.
    pub id: String,
    /// What a person calls it.
    #[serde(default)]
    pub name: String,
    /// `system` or `user`.
    #[serde(default, rename = "type")]
    pub kind: String,
}

/// All labels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LabelList {
    /// The labels.
    pub labels: Vec<GmailLabel>,
}

/// One page of what has happened.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryPage {
    /// What has happened, oldest first.
    #[serde(default)]
    pub history: Vec<HistoryRecord>,
    /// Where the next page is.
    #[serde(default)]
    pub next_page_token: Option<String>,
    /// The newest entry when the page was made.
    #[serde(deserialize_with = "number")]
    pub history_id: u64,
}

/// An entry of the history.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryRecord {
    /// Its place in the order.
    #[serde(deserialize_with = "number")]
    pub id: u64,
    /// Messages that came.
    #[serde(default)]
    pub messages_added: Vec<Changes>,
    /// Messages that were deleted for good.
    #[serde(default)]
    pub messages_deleted: Vec<Changes>,
    /// Labels that were put on.
    #[serde(default)]
    pub labels_added: Vec<LabelChange>,
    /// Labels that were taken off.
    #[serde(default)]
    pub labels_removed: Vec<LabelChange>,
}

/// A message that came or went.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Changes {
    /// The message.
    pub message: MessageId,
}

/// A message whose labels changed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelChange {
    /// The message.
    pub message: MessageId,
    /// The labels that were put on or taken off.
    #[serde(default)]
    pub label_ids: Vec<String>,
}

/// The number behind an id: the same that IMAP calls X-GM-MSGID or X-GM-THRID.
#[must_use]
pub fn parse_id(id: &str) -> Option<u64> {
    u64::from_str_radix(id, 16).ok()
}

/// A number as Gmail writes it.
#[must_use]
pub fn written_id(number: u64) -> String {
    format!("{number:x}")
}

/// The bytes of a message.
#[must_use]
pub fn raw_bytes(raw: &str) -> Option<Vec<u8>> {
    BASE64.decode(raw).ok()
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written<'a> {
    Number(i64),
    Text(&'a str),
}

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    match Written::deserialize(deserializer)? {
        Written::Number(number) => u64::try_from(number).map_err(serde::de::Error::custom),
        Written::Text(text) => text.parse().map_err(serde::de::Error::custom),
    }
}

fn optional_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    match Written::deserialize(deserializer)? {
        Written::Number(number) => Ok(Some(number)),
        Written::Text(text) => Ok(text.parse().ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::{GmailMessage, HistoryPage, parse_id, raw_bytes, written_id};

    #[test]
    fn numbers_come_as_text_and_bytes_with_padding_or_without() {
        let message: GmailMessage = serde_json::from_str(
            r#"{"id":"18c0ff","threadId":"18c0fe","labelIds":["INBOX"],"internalDate":"1780000000123","raw":"_-8="}"#,
        )
        .unwrap();
        let page: HistoryPage = serde_json::from_str(r#"{"historyId":"18446744073709551615"}"#).unwrap();

        assert_eq!(message.internal_date, Some(1_780_000_000_123));
        assert_eq!(raw_bytes(&message.raw.unwrap()), raw_bytes("_-8"));
        assert_eq!(raw_bytes("_-8"), Some(vec![0xff, 0xef]));
        assert_eq!(page.history_id, u64::MAX);
        assert_eq!(parse_id("18c0ff").map(written_id).as_deref(), Some("18c0ff"));
    }
}
