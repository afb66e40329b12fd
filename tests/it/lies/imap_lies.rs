//! The lies of an IMAP server: which answer, and what is wrong with it.

use std::sync::Arc;

use crate::world::lying_imap::answers::{fetched, honest};
use crate::world::lying_imap::{Answer, Command, Folder, Kind, Lie, Scene};

/// What a client can know about a lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It contradicts something else that the server says, or hides nothing.
    Through,
    /// A server in another state would say exactly this.
    AsTruth,
    /// The bytes of a message are not its own, and nothing else tells.
    AsTheMessage,
    /// The bytes are not its own, and the server contradicts itself about them; they are kept all the same.
    ThroughTooLate,
}

/// A lie with its name.
#[derive(Clone)]
pub(crate) struct Told {
    pub(crate) name: String,
    pub(crate) seen: Seen,
    pub(crate) lie: Lie,
}

impl Told {
    /// Whether it must be told when it hides something.
    pub(crate) fn is_seen_through(&self) -> bool {
        matches!(self.seen, Seen::Through | Seen::ThroughTooLate)
    }

    /// Whether the truth that is told afterwards is learned.
    pub(crate) fn heals(&self) -> bool {
        matches!(self.seen, Seen::Through | Seen::AsTruth)
    }
}

type Twist = fn(&Scene<'_>, &mut Answer);

/// The mailbox that is lied about.
const TARGET: &str = "INBOX";

fn told(name: &str, kind: Kind, twist: Twist) -> Told {
    told_as(Seen::Through, name, kind, twist)
}

fn told_as(seen: Seen, name: &str, kind: Kind, twist: Twist) -> Told {
    let lie: Lie = Arc::new(move |scene, truth| {
        let is_target = kind == Kind::List
            || kind == Kind::Enable
            || scene.command.mailbox.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(TARGET));
        if scene.command.kind != kind || !is_target {
            return None;
        }
        let mut answer = truth.clone();
        twist(scene, &mut answer);
        Some(answer)
    });
    Told { name: format!("{kind:?}: {name}"), seen, lie }
}

/// What can be wrong with any answer.
const GENERIC: [(&str, Twist); 18] = [
    ("nothing", |_, answer| answer.lines.clear()),
    ("first half", |_, answer| answer.lines.truncate(answer.lines.len() / 2)),
    ("last half", |_, answer| drop(answer.lines.drain(..answer.lines.len().div_ceil(2)))),
    ("without the last", |_, answer| drop(answer.lines.pop())),
    ("without the first", |_, answer| drop(answer.lines.drain(..answer.lines.len().min(1)))),
    ("one line cut", |_, answer| cut_line(answer)),
    ("one line garbled", |_, answer| garble(answer, 1)),
    ("all garbled", |_, answer| garble(answer, usize::MAX)),
    ("everything twice", |_, answer| {
        answer.lines = answer.lines.iter().flat_map(|line| [line.clone(), line.clone()]).collect();
    }),
    ("backwards", |_, answer| answer.lines.reverse()),
    ("of another mailbox", |scene, answer| answer.lines = elsewhere(scene).lines),
    ("of another command", |scene, answer| answer.lines = another(scene).lines),
    ("NO instead", |scene, answer| refuse(scene, answer, "NO")),
    ("BAD instead", |scene, answer| refuse(scene, answer, "BAD")),
    ("BYE instead", |_, answer| {
        answer.lines = vec![b"* BYE closing for the night\r\n".to_vec()];
        answer.cut = Some(answer.lines[0].len());
    }),
    ("half and hang up", |_, answer| answer.cut = Some(answer.bytes().len() / 2)),
    ("the end before the rest", |_, answer| answer.late = std::mem::take(&mut answer.lines)),
    ("half and NO", |scene, answer| {
        let half = answer.lines.len() / 2;
        let lines: Vec<_> = answer.lines.drain(..half).collect();
        refuse(scene, answer, "NO");
        answer.lines = lines;
    }),
];

/// All lies about answers of this kind.
pub(crate) fn about(kind: Kind) -> Vec<Told> {
    let seen = |name: &str| match (kind, name) {
        (Kind::Bodies, "of another mailbox") => Seen::AsTheMessage,
        _ => Seen::Through,
    };
    let generic = GENERIC.iter().map(|(name, twist)| told_as(seen(name), name, kind, *twist));
    let own = match kind {
        Kind::List => lists(),
        Kind::Status => states(),
        Kind::Open => [openings(), validities(), losses()].concat(),
        Kind::Listing | Kind::Changes => listings(kind),
        Kind::Bodies => [numbers(), bodies()].concat(),
        Kind::Search => searches(),
        _ => Vec::new(),
    };
    generic.chain(own).collect()
}

fn cut_line(answer: &mut Answer) {
    let at = answer.lines.len() / 2;
    // Bytes that are announced are not cut here: what follows would be taken for them.
    if let Some(line) = answer.lines.get_mut(at) {
        let end = line.iter().position(|byte| *byte == b'\r').unwrap_or(line.len());
        line.truncate(end * 2 / 3);
        line.extend_from_slice(b"\r\n");
    }
}

fn garble(answer: &mut Answer, most: usize) {
    let from = if most == 1 { answer.lines.len() / 2 } else { 0 };
    for line in answer.lines.iter_mut().skip(from).take(most) {
        *line = b"* \x01\x02 ((( FETCH {x} \"\r\n".to_vec();
    }
}

fn elsewhere(scene: &Scene<'_>) -> Answer {
    let command = Command { mailbox: Some("Work".to_owned()), ..scene.command.clone() };
    honest(scene.folders, scene.mode, &command)
}

fn another(scene: &Scene<'_>) -> Answer {
    let kind = if scene.command.kind == Kind::List { Kind::Open } else { Kind::List };
    let command = Command { kind, mailbox: Some(TARGET.to_owned()), ..scene.command.clone() };
    honest(scene.folders, scene.mode, &command)
}

fn refuse(scene: &Scene<'_>, answer: &mut Answer, word: &str) {
    answer.lines.clear();
    answer.end = format!("{} {word} not today\r\n", scene.command.tag).into_bytes();
}

fn says(line: &[u8], words: &str) -> bool {
    String::from_utf8_lossy(line).contains(words)
}

/// Puts other lines in the place of those that hold these words; puts them at the end when there is none.
fn swap(answer: &mut Answer, words: &str, others: &[String]) {
    let place = answer.lines.iter().position(|line| says(line, words)).unwrap_or(answer.lines.len());
    answer.lines.retain(|line| !says(line, words));
    let others = others.iter().map(|other| format!("{other}\r\n").into_bytes());
    let place = place.min(answer.lines.len());
    answer.lines.splice(place..place, others);
}

fn exists(answer: &mut Answer, counts: &[i64]) {
    swap(answer, " EXISTS", &counts.iter().map(|count| format!("* {count} EXISTS")).collect::<Vec<_>>());
}

fn code(answer: &mut Answer, name: &str, value: Option<&str>) {
    let line = value.map(|value| format!("* OK [{name} {value}] so"));
    swap(answer, &format!("[{name} "), line.as_slice());
}

fn count(scene: &Scene<'_>) -> i64 {
    i64::try_from(scene.folder().letters.len()).unwrap()
}

fn openings() -> Vec<Told> {
    let told = |name, twist| told(name, Kind::Open, twist);
    vec![
        told("EXISTS one too low", |scene, answer| exists(answer, &[count(scene) - 1])),
        told("EXISTS one too high", |scene, answer| exists(answer, &[count(scene) + 1])),
        told("EXISTS zero", |_, answer| exists(answer, &[0])),
        told("EXISTS missing", |_, answer| exists(answer, &[])),
        told("EXISTS negative", |_, answer| exists(answer, &[-1])),
        told("EXISTS four billion", |_, answer| exists(answer, &[4_294_967_295])),
        told("EXISTS more than fits", |_, answer| exists(answer, &[99_999_999_999])),
        told("EXISTS right, then zero", |scene, answer| exists(answer, &[count(scene), 0])),
        told("EXISTS zero, then right", |scene, answer| exists(answer, &[0, count(scene)])),
        told("UIDNEXT 1", |_, answer| code(answer, "UIDNEXT", Some("1"))),
        told("UIDNEXT 0", |_, answer| code(answer, "UIDNEXT", Some("0"))),
        told("UIDNEXT in the middle", |_, answer| code(answer, "UIDNEXT", Some("3"))),
        told("UIDNEXT missing", |_, answer| code(answer, "UIDNEXT", None)),
        told("UIDNEXT four billion", |_, answer| code(answer, "UIDNEXT", Some("4294967295"))),
        told("HIGHESTMODSEQ 1", |_, answer| code(answer, "HIGHESTMODSEQ", Some("1"))),
        told("HIGHESTMODSEQ 0", |_, answer| code(answer, "HIGHESTMODSEQ", Some("0"))),
        told("HIGHESTMODSEQ missing", |_, answer| code(answer, "HIGHESTMODSEQ", None)),
        told("HIGHESTMODSEQ without end", |_, answer| {
            code(answer, "HIGHESTMODSEQ", Some("18446744073709551615"));
        }),
        told("NOMODSEQ", |_, answer| {
            code(answer, "HIGHESTMODSEQ", None);
            answer.lines.push(b"* OK [NOMODSEQ] none\r\n".to_vec());
        }),
        told("only UIDVALIDITY", |_, answer| answer.lines.retain(|line| says(line, "UIDVALIDITY"))),
    ]
}

fn validities() -> Vec<Told> {
    let told = |name, twist| told(name, Kind::Open, twist);
    vec![
        told("UIDVALIDITY another", |_, answer| code(answer, "UIDVALIDITY", Some("1800000000"))),
        told("UIDVALIDITY 0", |_, answer| code(answer, "UIDVALIDITY", Some("0"))),
        told("UIDVALIDITY missing", |_, answer| code(answer, "UIDVALIDITY", None)),
        told("UIDVALIDITY no number", |_, answer| code(answer, "UIDVALIDITY", Some("next"))),
        told("UIDVALIDITY four billion", |_, answer| code(answer, "UIDVALIDITY", Some("4294967295"))),
        told("UIDVALIDITY flapping", |scene, answer| {
            let values = [scene.folder().uidvalidity + 1, scene.folder().uidvalidity];
            code(answer, "UIDVALIDITY", Some(&values[scene.told as usize % 2].to_string()));
        }),
        told("UIDVALIDITY another each time", |scene, answer| {
            code(answer, "UIDVALIDITY", Some(&(1_800_000_000 + scene.told).to_string()));
        }),
        told("UIDVALIDITY twice", |_, answer| {
            answer.lines.push(b"* OK [UIDVALIDITY 77] or so\r\n".to_vec());
        }),
        told("UIDVALIDITY another and nothing there", |_, answer| {
            code(answer, "UIDVALIDITY", Some("1800000000"));
            exists(answer, &[0]);
        }),
    ]
}

fn losses() -> Vec<Told> {
    let told = |name, twist| told(name, Kind::Open, twist);
    fn say(answer: &mut Answer, line: &str) {
        answer.lines.push(format!("{line}\r\n").into_bytes());
    }
    vec![
        told("VANISHED everything", |scene, answer| {
            say(answer, &format!("* VANISHED (EARLIER) 1:{}", scene.folder().next_uid));
        }),
        told("VANISHED four billion", |_, answer| say(answer, "* VANISHED (EARLIER) 1:4294967295")),
        told("VANISHED from zero on", |_, answer| say(answer, "* VANISHED (EARLIER) 0:4294967295")),
        told("VANISHED without end", |_, answer| say(answer, "* VANISHED (EARLIER) 1:*")),
        told("VANISHED what never was", |_, answer| say(answer, "* VANISHED (EARLIER) 5000:6000")),
        told("VANISHED now", |_, answer| say(answer, "* VANISHED 1:3")),
        told("VANISHED one, EXISTS one less", |scene, answer| {
            say(answer, "* VANISHED (EARLIER) 2");
            exists(answer, &[count(scene) - 1]);
        }),
        told("VANISHED everything, EXISTS zero", |_, answer| {
            say(answer, "* VANISHED (EARLIER) 1:4294967295");
            exists(answer, &[0]);
        }),
        told("EXPUNGE everything", |scene, answer| {
            for _ in 0..count(scene) {
                say(answer, "* 1 EXPUNGE");
            }
        }),
    ]
}

fn facts(folder: &Folder, uid: u32) -> Vec<u8> {
    fetched(folder, (uid, &folder.letters[&uid]), "FLAGS")
}

/// Writes another uid into a response.
fn with_uid(line: &[u8], uid: &str) -> Vec<u8> {
    let at = line.windows(4).position(|four| four == b"UID ").unwrap() + 4;
    let end = at + line[at..].iter().position(|byte| !byte.is_ascii_digit()).unwrap();
    [&line[..at], uid.as_bytes(), &line[end..]].concat()
}

fn without_uid(line: &[u8]) -> Vec<u8> {
    let line = with_uid(line, "");
    let at = line.windows(4).position(|four| four == b"UID ").unwrap();
    [&line[..at], &line[at + 4..]].concat()
}

/// Changes the line in the middle.
fn change_one(answer: &mut Answer, change: impl Fn(&[u8]) -> Vec<u8>) {
    let at = answer.lines.len() / 2;
    if let Some(line) = answer.lines.get_mut(at) {
        *line = change(line);
    }
}

fn change_all(answer: &mut Answer, change: impl Fn(&[u8]) -> Vec<u8>) {
    answer.lines.iter_mut().for_each(|line| *line = change(line));
}

fn without_flags(line: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(line).replace("FLAGS", "FLAGGED").into_bytes()
}

fn listings(kind: Kind) -> Vec<Told> {
    let told = |name, twist| told(name, kind, twist);
    vec![
        told("uid 0 besides", |_, answer| answer.lines.push(b"* 1 FETCH (UID 0 FLAGS ())\r\n".to_vec())),
        told("uid four billion besides", |_, answer| {
            answer.lines.push(b"* 1 FETCH (UID 4294967295 FLAGS ())\r\n".to_vec());
        }),
        told("uid beyond UIDNEXT besides", |_, answer| {
            answer.lines.push(b"* 1 FETCH (UID 5000 FLAGS ())\r\n".to_vec());
        }),
        told("uid too large besides", |_, answer| {
            answer.lines.push(b"* 1 FETCH (UID 18446744073709551616 FLAGS ())\r\n".to_vec());
        }),
        told("one with uid 0", |_, answer| change_one(answer, |line| with_uid(line, "0"))),
        told("one with uid four billion", |_, answer| {
            change_one(answer, |line| with_uid(line, "4294967295"))
        }),
        told("one without uid", |_, answer| change_one(answer, without_uid)),
        told("none with uid", |_, answer| change_all(answer, without_uid)),
        told("one without flags", |_, answer| change_one(answer, without_flags)),
        told("none with flags", |_, answer| change_all(answer, without_flags)),
        told("one twice in the place of another", |scene, answer| {
            let first = scene.folder().letters.keys().next().copied().unwrap_or(0);
            change_one(answer, |line| with_uid(line, &first.to_string()));
        }),
        told("all with other uids", |_, answer| {
            let lines = std::mem::take(&mut answer.lines);
            let moved = lines.iter().enumerate().map(|(n, line)| with_uid(line, &(7000 + n).to_string()));
            answer.lines = moved.collect();
        }),
        told("all the same uid", |_, answer| change_all(answer, |line| with_uid(line, "2"))),
        told("nothing there in between", |_, answer| {
            let at = answer.lines.len() / 2;
            answer.lines.insert(at, b"* 0 EXISTS\r\n".to_vec());
        }),
        told("VANISHED in between", |_, answer| {
            let at = answer.lines.len() / 2;
            answer.lines.insert(at, b"* VANISHED 1:4294967295\r\n".to_vec());
        }),
        told("EXPUNGE in between", |_, answer| {
            let at = answer.lines.len() / 2;
            answer.lines.insert(at, b"* 1 EXPUNGE\r\n".to_vec());
        }),
        told("without one, EXISTS one less at the end", |scene, answer| {
            answer.lines.pop();
            answer.lines.push(format!("* {} EXISTS\r\n", count(scene) - 1).into_bytes());
        }),
        told("what was not asked for besides", |scene, answer| {
            let folder = &scene.folders["Work"];
            let uid = *folder.letters.keys().next_back().unwrap();
            answer.lines.push(facts(folder, uid));
        }),
    ]
}

fn searches() -> Vec<Told> {
    let told = |name, twist| told(name, Kind::Search, twist);
    fn say(answer: &mut Answer, line: &str) {
        answer.lines = vec![format!("{line}\r\n").into_bytes()];
    }
    vec![
        told("finds nothing", |_, answer| say(answer, "* SEARCH")),
        told("finds uid 0", |_, answer| say(answer, "* SEARCH 0")),
        told("finds everything", |scene, answer| {
            say(answer, &format!("* ESEARCH (TAG \"{}\") UID ALL 1:4294967295", scene.command.tag));
        }),
        told("finds others", |_, answer| say(answer, "* SEARCH 7001 7002 7003")),
        told("answers another search", |_, answer| say(answer, "* ESEARCH (TAG \"z9\") UID ALL 1:3")),
        told("finds words", |_, answer| say(answer, "* SEARCH one two three")),
    ]
}

/// A FETCH response with these bytes in the place of the message.
fn with_body(line: &[u8], name: &str, body: &[u8]) -> Vec<u8> {
    let at = line.windows(7).position(|seven| seven == b" BODY[]").unwrap();
    [&line[..at], format!(" {name} {{{}}}\r\n", body.len()).as_bytes(), body, b")\r\n"].concat()
}

const FORGED: &[u8] = b"Subject: letter that nobody wrote\r\n\r\nforged\r\n";

/// Messages with uids that are not theirs.
fn numbers() -> Vec<Told> {
    let told = |name, twist| told(name, Kind::Bodies, twist);
    vec![
        told("one with uid 0", |_, answer| change_one(answer, |line| with_uid(line, "0"))),
        told("one with a uid never asked for", |_, answer| change_one(answer, |line| with_uid(line, "5000"))),
        told("one with uid four billion", |_, answer| {
            change_one(answer, |line| with_uid(line, "4294967295"))
        }),
        told("one without uid", |_, answer| change_one(answer, without_uid)),
        told("none with uid", |_, answer| change_all(answer, without_uid)),
        told("a uid never asked for besides", |_, answer| {
            answer.lines.push(with_body(b"* 1 FETCH (UID 5000 FLAGS () BODY[]", "BODY[]<0>", FORGED));
        }),
        told("uid 0 besides", |_, answer| {
            answer.lines.push(with_body(b"* 1 FETCH (UID 0 FLAGS () BODY[]", "BODY[]<0>", FORGED));
        }),
    ]
}

/// Messages whose bytes are not theirs.
fn bodies() -> Vec<Told> {
    let told = |name, twist| told(name, Kind::Bodies, twist);
    let whole = |name, twist| told_as(Seen::AsTheMessage, name, Kind::Bodies, twist);
    vec![
        told("each twice, the second forged", |_, answer| {
            let lines = std::mem::take(&mut answer.lines);
            let both =
                lines.into_iter().flat_map(|line| [line.clone(), with_body(&line, "BODY[]<0>", FORGED)]);
            answer.lines = both.collect();
        }),
        told_as(Seen::ThroughTooLate, "each twice, the first forged", Kind::Bodies, |_, answer| {
            let lines = std::mem::take(&mut answer.lines);
            let both = lines.into_iter().flat_map(|line| [with_body(&line, "BODY[]<0>", FORGED), line]);
            answer.lines = both.collect();
        }),
        told("empty", |_, answer| change_all(answer, |line| with_body(line, "BODY[]<0>", b""))),
        told("NIL", |_, answer| {
            change_all(answer, |line| {
                let at = line.windows(7).position(|seven| seven == b" BODY[]").unwrap();
                [&line[..at], b" BODY[]<0> NIL)\r\n"].concat()
            });
        }),
        told("from another place on", |_, answer| {
            change_all(answer, |line| with_body(line, "BODY[]<7>", FORGED))
        }),
        told("only the header", |_, answer| {
            change_all(answer, |line| with_body(line, "BODY[HEADER]", b"Subject: letter\r\n\r\n"));
        }),
        told("without flags and date", |_, answer| {
            change_all(answer, |line| {
                let at = line.windows(7).position(|seven| seven == b" BODY[]").unwrap();
                let head = String::from_utf8_lossy(&line[..at]).into_owned();
                let uid = head.split("UID ").nth(1).unwrap().split(' ').next().unwrap();
                [format!("* 1 FETCH (UID {uid}").as_bytes(), &line[at..]].concat()
            });
        }),
        told("more announced than comes", |_, answer| {
            if let Some(line) = answer.lines.pop() {
                let at = line.iter().position(|byte| *byte == b'{').unwrap();
                answer.lines.push([&line[..at], &b"{99999}\r\nSubject: letter\r\n"[..]].concat());
                answer.cut = Some(answer.lines.concat().len());
            }
        }),
        told("only an end", |_, answer| {
            answer.lines = vec![b"* OK still here\r\n".to_vec()];
        }),
        whole("all forged", |_, answer| change_all(answer, |line| with_body(line, "BODY[]<0>", FORGED))),
        whole("cut short", |_, answer| {
            change_all(answer, |line| {
                let start = line.iter().position(|byte| *byte == b'\n').unwrap() + 1;
                with_body(line, "BODY[]<0>", &line[start..start + (line.len() - start) / 2])
            });
        }),
        whole("of another message", |scene, answer| {
            let other = scene.folders["Work"].letters.values().next().unwrap().bytes.clone();
            change_all(answer, |line| with_body(line, "BODY[]<0>", &other));
        }),
    ]
}

fn add(answer: &mut Answer, line: &[u8]) {
    answer.lines.push([line, b"\r\n"].concat());
}

fn lists() -> Vec<Told> {
    let told = |name, twist| told(name, Kind::List, twist);
    vec![
        told("only INBOX", |_, answer| answer.lines.retain(|line| says(line, "INBOX"))),
        told("without INBOX", |_, answer| answer.lines.retain(|line| !says(line, "INBOX"))),
        told("without Work", |_, answer| answer.lines.retain(|line| !says(line, "Work"))),
        told("Work without its state", |_, answer| {
            answer.lines.retain(|line| !says(line, "* STATUS \"Work"))
        }),
        told("state without Work", |_, answer| answer.lines.retain(|line| !says(line, "\"/\" \"Work"))),
        told("nothing can be opened", |_, answer| {
            change_all(answer, |line| {
                String::from_utf8_lossy(line).replace("\\HasNoChildren", "\\Noselect").into_bytes()
            });
        }),
        told("only INBOX can be opened", |_, answer| {
            change_all(answer, |line| match says(line, "INBOX") {
                true => line.to_vec(),
                false => {
                    String::from_utf8_lossy(line).replace("\\HasNoChildren", "\\NonExistent").into_bytes()
                }
            });
        }),
        told("inbox in small letters", |_, answer| {
            change_all(answer, |line| String::from_utf8_lossy(line).replace("INBOX", "inbox").into_bytes());
        }),
        told("everything in capitals besides", |_, answer| add(answer, b"* LIST () \"/\" \"WORK\"")),
        told("a mailbox that is not there", |_, answer| add(answer, b"* LIST () \"/\" \"Ghost\"")),
        told("controls in names", |_, answer| {
            add(answer, b"* LIST () \"/\" \"bell\x07 \x1b[31mred\x1b[0m\"");
            add(answer, b"* LIST () \"/\" {9}\r\ntwo\r\nline");
        }),
        told("names that are paths", |_, answer| add(answer, b"* LIST () \"/\" \"../../../../etc/passwd\"")),
        told("a name without end", |_, answer| add(answer, b"* LIST () \"/\" \"never ends")),
        told("a name that is no text", |_, answer| add(answer, b"* LIST () \"/\" \"\xff\xfe\xfd\"")),
        told("an empty name", |_, answer| add(answer, b"* LIST () \"/\" \"\"")),
        told("a long name", |_, answer| {
            let name = "n".repeat(20_000);
            add(answer, format!("* LIST () \"/\" \"{name}\"").as_bytes());
        }),
        told("another separator", |_, answer| {
            change_all(answer, |line| String::from_utf8_lossy(line).replace("\"/\"", "\".\"").into_bytes());
        }),
        told("no separator", |_, answer| {
            change_all(answer, |line| String::from_utf8_lossy(line).replace("\"/\"", "NIL").into_bytes());
        }),
        told("everything is trash", |_, answer| {
            change_all(answer, |line| {
                String::from_utf8_lossy(line).replace("\\HasNo", "\\Trash \\HasNo").into_bytes()
            });
        }),
    ]
}

/// Changes what is said about the state of the mailbox, wherever it is said.
fn about_state(name: &str, seen: Seen, change: fn(&str, &Folder) -> String) -> Told {
    let lie: Lie = Arc::new(move |scene, truth| {
        if !matches!(scene.command.kind, Kind::Status | Kind::List) {
            return None;
        }
        let is_it = |line: &Vec<u8>| line.starts_with(b"* STATUS \"INBOX\"");
        truth.lines.iter().any(is_it).then(|| {
            let mut answer = truth.clone();
            for line in answer.lines.iter_mut().filter(|line| is_it(line)) {
                *line = change(&String::from_utf8_lossy(line), &scene.folders[TARGET]).into_bytes();
            }
            answer
        })
    });
    Told { name: format!("Status: {name}"), seen, lie }
}

/// Writes another number behind a name.
fn item(line: &str, name: &str, value: &str) -> String {
    let Some((before, after)) = line.split_once(&format!("{name} ")) else { return line.to_owned() };
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{before}{name} {value}{rest}")
}

fn states() -> Vec<Told> {
    let told = |name, change| about_state(name, Seen::Through, change);
    vec![
        told("MESSAGES 0", |line, _| item(line, "MESSAGES", "0")),
        told("MESSAGES one more", |line, folder| {
            item(line, "MESSAGES", &(folder.letters.len() + 1).to_string())
        }),
        told("MESSAGES four billion", |line, _| item(line, "MESSAGES", "4294967295")),
        told("UIDNEXT 1", |line, _| item(line, "UIDNEXT", "1")),
        told("UIDVALIDITY another", |line, _| item(line, "UIDVALIDITY", "1800000000")),
        told("UIDVALIDITY 0", |line, _| item(line, "UIDVALIDITY", "0")),
        told("HIGHESTMODSEQ 1", |line, _| item(line, "HIGHESTMODSEQ", "1")),
        told("HIGHESTMODSEQ huge", |line, _| item(line, "HIGHESTMODSEQ", "18446744073709551615")),
        told("all of it empty", |_, _| "* STATUS \"INBOX\" ()\r\n".to_owned()),
        told("names without numbers", |_, _| {
            "* STATUS \"INBOX\" (MESSAGES UIDNEXT UIDVALIDITY)\r\n".to_owned()
        }),
        told("MESSAGES alone", |line, _| {
            let (before, _) = line.split_once(" UIDNEXT").unwrap_or((line, ""));
            format!("{before})\r\n")
        }),
        told("of another mailbox by name", |line, _| line.replace("INBOX", "Work")),
    ]
}
