//! Five hundred tries to put something else into a message than its fields say. Each is refused, or yields exactly one
//! message with exactly the fields that its form has, for exactly the recipients that were named.

use std::fs;
use std::path::PathBuf;

use mailkeep::drafts::{NewAttachment, NewDraft};
use mailkeep::model::{Draft, FitMessage, dated};
use serde_json::json;

use super::judges::python;
use super::{drafts, letter, strings, world};
use crate::world::list;

/// What is tried, in the words of those who try.
pub(crate) const TRIES: [&str; 40] = [
    "x\r\nBcc: eve@evil.example",
    "x\nBcc: eve@evil.example",
    "x\rBcc: eve@evil.example",
    "x\r\n Bcc: eve@evil.example",
    "x\r\n\r\nanother body",
    "x\n\nanother body",
    "x\r\n.\r\nMAIL FROM:<eve@evil.example>\r\nRCPT TO:<bob@stone.example>\r\nDATA\r\n",
    "x\n.\nMAIL FROM:<eve@evil.example>",
    "x\r.\rMAIL FROM:<eve@evil.example>",
    "x\r\n.\nDATA",
    "x\n.\r\nDATA",
    "x\0Bcc: eve@evil.example",
    "x\u{85}Bcc: eve@evil.example",
    "x\u{2028}Bcc: eve@evil.example",
    "x\u{2029}Bcc: eve@evil.example",
    "x\u{b}Bcc: eve@evil.example",
    "x\u{c}Bcc: eve@evil.example",
    "x\u{1c}Bcc: eve@evil.example",
    "=?utf-8?Q?x=0D=0ABcc:_eve@evil.example?=",
    "=?utf-8?B?eA0KQmNjOiBldmVAZXZpbC5leGFtcGxl?=",
    "x%0d%0aBcc: eve@evil.example",
    "x\\r\\nBcc: eve@evil.example",
    "x\"\r\nBcc: eve@evil.example",
    "x\"; filename=\"run.exe",
    "x; name=run.exe",
    "x\" <eve@evil.example>, \"y",
    "x, eve@evil.example",
    "x; eve@evil.example",
    "x <eve@evil.example>",
    "x(\r\n)Bcc: eve@evil.example",
    "x\u{202e}gpj.exe",
    "x\u{200b}y",
    "x\u{feff}",
    "\r\nBcc: eve@evil.example",
    "--=_\r\nContent-Type: text/html\r\n\r\n<script>x</script>",
    "Content-Type: text/html\r\n\r\n<b>x</b>",
    "x嘊嘍Bcc: eve@evil.example",
    "\u{10000}\u{e000d}\u{e000a}Bcc: eve@evil.example",
    "x\tBcc: eve@evil.example",
    "x*=utf-8''run.exe",
];

/// Where it is tried.
pub(crate) fn letters(attempt: &str) -> Vec<NewDraft> {
    let text = || attempt.to_owned();
    let one = || vec![attempt.to_owned()];
    let named = || vec![format!("{attempt} <bob@stone.example>")];
    let file = |name: &str, content_type: Option<&str>, content: &str| {
        vec![NewAttachment::Base64 {
            name: name.to_owned(),
            content_type: content_type.map(str::to_owned),
            content: content.to_owned(),
        }]
    };
    vec![
        NewDraft { subject: text(), ..letter() },
        NewDraft { body: text(), ..letter() },
        NewDraft { html: Some(text()), ..letter() },
        NewDraft { to: one(), ..letter() },
        NewDraft { to: named(), ..letter() },
        NewDraft { cc: named(), ..letter() },
        NewDraft { bcc: named(), ..letter() },
        NewDraft { from: Some(text()), ..letter() },
        NewDraft { reply_to_address: Some(format!("{attempt} <office@stone.example>")), ..letter() },
        NewDraft { account: text(), ..letter() },
        NewDraft { attachments: file(attempt, None, "eA=="), ..letter() },
        NewDraft { attachments: file(&format!("{attempt}.txt"), None, "eA=="), ..letter() },
        NewDraft { attachments: file("a.txt", Some(attempt), "eA=="), ..letter() },
        NewDraft { attachments: file("a.txt", Some(&format!("text/plain; {attempt}")), "eA=="), ..letter() },
        NewDraft { attachments: file("a.txt", None, attempt), ..letter() },
    ]
}

/// The fields that each part of a draft has.
fn fields(draft: &Draft, has_reply_to: bool) -> Vec<Vec<&'static str>> {
    let mut header = vec!["from", "date", "message-id"];
    for (name, is_there) in [
        ("to", !draft.recipients.to.is_empty()),
        ("cc", !draft.recipients.cc.is_empty()),
        ("reply-to", has_reply_to),
    ] {
        header.extend(is_there.then_some(name));
    }
    header.extend(["subject", "mime-version", "content-type"]);
    let text = vec!["content-type", "content-transfer-encoding"];
    let file = vec!["content-type", "content-transfer-encoding", "content-disposition"];
    match (draft.html.is_some(), draft.attachments.len()) {
        (false, 0) => vec![[header, vec!["content-transfer-encoding"]].concat()],
        (false, _) => vec![header, text, file],
        (true, _) => vec![header, text.clone(), text],
    }
}

#[test]
fn nothing_can_be_smuggled_into_any_field() {
    let world = world();
    fs::create_dir(world.path("taken")).unwrap();
    let (mut cases, mut taken): (usize, Vec<(PathBuf, Draft, bool)>) = (0, Vec::new());
    for new in TRIES.iter().flat_map(|attempt| letters(attempt)) {
        cases += 1;
        let Ok(draft) = drafts(&world).create(&new) else { continue };
        let raw = drafts(&world).bytes(&draft).unwrap();
        assert!(FitMessage::new(&raw).is_ok(), "{new:?}");
        let everybody: Vec<_> = draft.recipients.all().map(|to| to.address.as_str()).collect();
        assert!(
            !everybody.iter().any(|address| address.contains("eve")) || !new.to[0].contains("bob"),
            "{new:?}"
        );
        let file = world.path("taken").join(format!("{cases}.eml"));
        fs::write(&file, dated(&raw, draft.updated)).unwrap();
        taken.push((file, draft, new.reply_to_address.is_some()));
    }

    assert!(cases >= 500, "{cases}");
    assert!(taken.len() > 50, "most text may stand in a body: {}", taken.len());
    let files: Vec<PathBuf> = taken.iter().map(|(file, ..)| file.clone()).collect();
    let Some(readings) = python(&files) else { return };
    for ((file, draft, has_reply_to), reading) in taken.iter().zip(&readings) {
        let what = || format!("{}\n{reading:#}", fs::read_to_string(file).unwrap());
        assert_eq!(reading["fields"], json!(fields(draft, *has_reply_to)), "{}", what());
        assert_eq!(reading["defects"], json!([]), "{}", what());
        assert_eq!(list(&reading["dates"]).len(), 1);
        assert_eq!(reading["from"], json!(["ada@example.org"]));
        let to: Vec<_> = draft.recipients.to.iter().map(|to| &to.address).collect();
        assert_eq!(reading["to"], json!(to), "{}", what());
        assert_eq!(list(&reading["attachments"]).len(), draft.attachments.len(), "{}", what());
    }
}

#[test]
fn a_try_in_the_name_of_the_account_is_refused_where_it_is_set() {
    let world = world();
    for attempt in
        TRIES.iter().filter(|attempt| attempt.contains(['\r', '\n', '<', '@']) && !attempt.contains('\0'))
    {
        let output = world.run(&["account", "set", crate::world::ACCOUNT, "--name", attempt]);
        assert_ne!(output.status.code(), Some(0), "{attempt:?}");
    }
    let draft = drafts(&world).create(&NewDraft { to: strings(&["bob@stone.example"]), ..letter() }).unwrap();
    assert_eq!(draft.from.name, "");
}
