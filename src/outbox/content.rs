//! Whether two requests are the same: what was asked for, as one hash. The same words to the same people are the same
//! request, whatever Message-ID and boundaries they were given.

use sha2::{Digest, Sha256};

use crate::model::{ContentHash, Draft};

/// Header fields that are new in every draft, or that stand in the hash by what they mean.
const LEFT_OUT: [&str; 6] = ["message-id", "content-type", "date", "to", "cc", "bcc"];

/// Stands for what was asked for: everything that leaves but what is made anew for every draft.
pub(super) fn of(draft: &Draft, frozen: &[u8]) -> ContentHash {
    let mut hash = Sha256::new();
    let mut add = |field: &[u8]| {
        hash.update((field.len() as u64).to_be_bytes());
        hash.update(field);
    };
    add(draft.account.as_bytes());
    add(draft.from.to_string().as_bytes());
    for list in [&draft.recipients.to, &draft.recipients.cc, &draft.recipients.bcc] {
        add(&(list.len() as u64).to_be_bytes());
        for to in list {
            add(to.name.as_bytes());
            add(to.address.to_lowercase().as_bytes());
        }
    }
    add(draft.subject.as_bytes());
    add(draft.body.as_bytes());
    add(draft.html.as_deref().unwrap_or_default().as_bytes());
    add(&(draft.attachments.len() as u64).to_be_bytes());
    for file in &draft.attachments {
        [&file.name, &file.content_type, &file.sha256].into_iter().for_each(|word| add(word.as_bytes()));
    }
    add(draft.answers.map(|answered| answered.message.to_string()).unwrap_or_default().as_bytes());
    header(frozen).iter().for_each(|field| add(field.as_bytes()));
    ContentHash(hash.finalize().into())
}

/// The fields of a header that are the same when the same is asked for again, each with the lines it goes on in.
fn header(frozen: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(frozen);
    let header = text.split("\r\n\r\n").next().unwrap_or_default();
    let mut fields: Vec<String> = Vec::new();
    for line in header.split("\r\n") {
        match fields.last_mut() {
            Some(field) if line.starts_with([' ', '\t']) => field.push_str(line),
            _ => fields.push(line.to_owned()),
        }
    }
    fields.retain(|field| {
        let name = field.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
        !LEFT_OUT.contains(&name.as_str())
    });
    fields
}

#[cfg(test)]
mod tests {
    use super::header;

    #[test]
    fn a_field_is_kept_with_all_its_lines_and_one_that_is_always_new_is_not() {
        let frozen = b"Message-ID: <a@x>\r\nReply-To: Ada\r\n <ada@x.example>\r\nContent-Type: multipart/mixed;\r\n boundary=1\r\n\r\nX: y\r\n";

        assert_eq!(header(frozen), ["Reply-To: Ada <ada@x.example>"]);
    }
}
