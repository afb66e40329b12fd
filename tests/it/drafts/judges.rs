//! Two programs that others wrote, and our own parser, read the same message.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mailkeep::model::{ContentHash, DateHints, Draft, dated};
use mailkeep::parse;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::world::{list, skipped};

/// Reads the files whose paths come one a line, each as one line of JSON.
const PYTHON: &str = r#"
import email, email.policy, hashlib, json, sys
policy = email.policy.default
def people(message, name):
    return [a.addr_spec for field in message.get_all(name, []) for a in field.addresses]
def content(part):
    if part.get_content_type() == "message/rfc822":
        return part.get_payload(0).as_bytes(policy=policy.clone(linesep="\r\n"))
    return part.get_payload(decode=True)
def attachment(part):
    return [part.get_filename(), part.get_content_type(), hashlib.sha256(content(part)).hexdigest()]
def defects(message):
    return [str(d) for part in message.walk() for d in part.defects]
def reading(path):
    message = email.message_from_binary_file(open(path, "rb"), policy=policy)
    body = lambda kind: message.get_body(preferencelist=(kind,))
    text = lambda part: part.get_content() if part else None
    return {
        "subject": str(message["subject"]), "from": people(message, "from"), "to": people(message, "to"),
        "cc": people(message, "cc"), "text": text(body("plain")), "html": text(body("html")),
        "attachments": [attachment(part) for part in message.iter_attachments()], "defects": defects(message),
        "fields": [[name.lower() for name in part.keys()] for part in message.walk()],
        "reply_to": people(message, "reply-to"), "dates": message.get_all("date", []),
    }
for line in sys.stdin:
    print(json.dumps(reading(line.rstrip("\n"))))
"#;

/// What Python's `email` makes of these files; `None` where there is no Python.
pub(super) fn python(files: &[PathBuf]) -> Option<Vec<Value>> {
    match asked(Command::new("python3").args(["-c", PYTHON]), files) {
        None => {
            skipped("messages read by Python", "python3 is not installed");
            None
        }
        readings => readings,
    }
}

/// What npm's postal-mime makes of them; `None` where it is not installed.
pub(super) fn postal_mime(files: &[PathBuf]) -> Option<Vec<Value>> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packages = project.join("target/test-tools/postal-mime/node_modules");
    if !packages.join("postal-mime").exists() {
        skipped("messages read by postal-mime", "run tests/servers/install first");
        return None;
    }
    let readings =
        asked(Command::new("node").arg(project.join("benches/postal_mime.mjs")).arg(packages), files)?;
    let as_list = |one: &Value| json!([one["name"], one["type"], one["sha256"]]);
    let with_lists = |mut reading: Value| {
        reading["attachments"] = list(&reading["attachments"]).iter().map(as_list).collect();
        reading
    };
    Some(readings.into_iter().map(with_lists).collect())
}

fn asked(command: &mut Command, files: &[PathBuf]) -> Option<Vec<Value>> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut input = child.stdin.take().unwrap();
    let paths: String = files.iter().map(|file| format!("{}\n", file.display())).collect();
    let writer = std::thread::spawn(move || input.write_all(paths.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    Some(
        String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

/// What a draft is meant to say.
fn meant(draft: &Draft) -> Value {
    let people = |list: &[mailkeep::model::Address]| -> Vec<String> {
        list.iter().map(|one| one.address.clone()).collect()
    };
    let files = draft.attachments.iter().map(|file| json!([file.name, file.content_type, file.sha256]));
    json!({
        "subject": draft.subject, "from": [draft.from.address], "to": people(&draft.recipients.to),
        "cc": people(&draft.recipients.cc), "text": same_lines(&draft.body),
        "html": draft.html.as_deref().map(same_lines), "attachments": files.collect::<Vec<_>>(),
    })
}

fn same_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").trim_end_matches('\n').to_owned()
}

/// The same fields of a reading.
fn read(reading: &Value, meant: &Value) -> Value {
    let names = meant.as_object().unwrap().keys();
    let value = |name: &String| match &reading[name] {
        Value::String(text) if name != "subject" => json!(same_lines(text)),
        other => other.clone(),
    };
    names.map(|name| (name.clone(), value(name))).collect::<serde_json::Map<_, _>>().into()
}

/// postal-mime gives messages inside with LF at the end of lines, and one more: the same message has the same hash then.
fn with_crlf(mut reading: Value, draft: &Draft, raw: &[u8]) -> Value {
    for (number, file) in
        draft.attachments.iter().enumerate().filter(|(_, file)| file.content_type == "message/rfc822")
    {
        let inner = String::from_utf8(parse::part_bytes(raw, &file.part).unwrap()).unwrap();
        let with_lf = ContentHash(Sha256::digest(inner.replace("\r\n", "\n") + "\n").into()).to_hex();
        if reading["attachments"][number][2] == with_lf {
            reading["attachments"][number][2] = json!(file.sha256);
        }
    }
    reading
}

/// All readers must read in each message what it is meant to say.
pub(super) fn assert_all_agree(directory: &Path, drafts: &[(Draft, Vec<u8>)]) {
    fs::create_dir_all(directory).unwrap();
    let written = |(number, (draft, raw)): (usize, &(Draft, Vec<u8>))| {
        let file = directory.join(format!("{number}.eml"));
        fs::write(&file, dated(raw, draft.updated)).unwrap();
        file
    };
    let files: Vec<PathBuf> = drafts.iter().enumerate().map(written).collect();
    for readings in [python(&files), postal_mime(&files)].into_iter().flatten() {
        for ((draft, raw), reading) in drafts.iter().zip(&readings) {
            let meant = meant(draft);
            assert_eq!(with_crlf(read(reading, &meant), draft, raw), meant, "{reading:#}");
            assert!(reading["defects"].is_null() || reading["defects"] == json!([]), "{reading:#}");
        }
    }
    drafts.iter().for_each(|(draft, raw)| assert_reads_back(draft, raw));
}

fn assert_reads_back(draft: &Draft, raw: &[u8]) {
    let parsed = parse::message(&dated(raw, draft.updated), &DateHints::default());
    assert_eq!(parsed.defects, []);
    assert_eq!((parsed.subject.as_str(), &parsed.from), (draft.subject.as_str(), &vec![draft.from.clone()]));
    assert_eq!((&parsed.to, &parsed.cc), (&draft.recipients.to, &draft.recipients.cc));
    // Those of a message inside are listed too.
    let own = |part: &str| !part.contains('.');
    let files: Vec<_> = parsed.attachments.iter().filter(|file| file.counts && own(&file.part)).collect();
    assert_eq!(files.len(), draft.attachments.len());
    for (read, meant) in files.iter().zip(&draft.attachments) {
        assert_eq!(read.name.as_deref(), Some(meant.name.as_str()));
        assert_eq!(
            (&read.content_type, read.size, &read.part),
            (&meant.content_type, meant.size, &meant.part)
        );
        assert_eq!(read.hash.to_hex(), meant.sha256);
    }
}
