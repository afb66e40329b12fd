//! Text that imitates what stands around it in an assistant's window: marks of who speaks, ends of quotes, answers of
//! tools, images that would be fetched when repeated. A blank or a bracket is enough to make it what it is: words.

use std::borrow::Cow;

use memchr::memchr3_iter;

/// A way to imitate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trick {
    /// A token by which models tell who speaks.
    RoleToken,
    /// The end of something that the sender did not begin.
    FakeDelimiter,
    /// An image in Markdown or HTML.
    Image,
    /// An answer of a tool.
    FakeToolAnswer,
}

/// A text without tricks, and those that were in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defused<'t> {
    /// The text.
    pub text: Cow<'t, str>,
    /// What was found, each once.
    pub tricks: Vec<Trick>,
}

/// What to put in the place of a piece of text.
struct Change {
    start: usize,
    end: usize,
    new: String,
    trick: Option<Trick>,
}

/// Taking something out may put another thing together; text that needs more rounds than this is cut short.
const MOST_ROUNDS: usize = 3;

/// Takes the tricks out of a text.
#[must_use]
pub fn defused(text: &str) -> Defused<'_> {
    let mut tricks = Vec::new();
    let mut current = Cow::Borrowed(text);
    for _ in 0..MOST_ROUNDS {
        match round(&current, &mut tricks) {
            Some(changed) => current = Cow::Owned(changed),
            None => break,
        }
    }
    if let Cow::Owned(changed) = &mut current
        && round(changed, &mut tricks).is_some()
    {
        *changed = changed.replace(['<', '[', ']'], " ");
    }
    tricks.sort_unstable();
    tricks.dedup();
    Defused { text: current, tricks }
}

/// Goes through the text once; `None` when nothing in it had to be changed.
fn round(text: &str, tricks: &mut Vec<Trick>) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    for at in memchr3_iter(b'<', b'[', b'{', text.as_bytes()) {
        let Some(change) = (at >= done).then(|| change_at(text, at)).flatten() else { continue };
        if change.trick.is_some_and(|trick| !tricks.contains(&trick)) {
            tricks.extend(change.trick);
        }
        if change.start >= done && change.start < change.end {
            out.push_str(&text[done..change.start]);
            out.push_str(&change.new);
            done = change.end;
        }
    }
    (done > 0).then(|| {
        out.push_str(&text[done..]);
        out
    })
}

fn change_at(text: &str, at: usize) -> Option<Change> {
    let rest = &text[at..];
    match rest.as_bytes()[0] {
        b'<' => tag_at(rest).map(|trick| Change {
            start: at,
            end: at + 1,
            new: "< ".to_owned(),
            trick: Some(trick),
        }),
        b'[' => image_at(text, at).or_else(|| bracket_at(text, at)),
        _ => tool_answer_at(rest).then_some(Change {
            start: at,
            end: at,
            new: String::new(),
            trick: Some(Trick::FakeToolAnswer),
        }),
    }
}

/// The text before `end`, if that stands near and on the same line.
fn until<'t>(text: &'t str, end: &str, most: usize) -> Option<&'t str> {
    let near = &text[..text.floor_char_boundary(most)];
    let found = near.find(end)?;
    Some(&near[..found]).filter(|inner| !inner.contains('\n'))
}

/// Whether a tag, or what looks like one, begins here that no mail needs.
fn tag_at(rest: &str) -> Option<Trick> {
    let inner = &rest[1..];
    match inner.as_bytes().first()? {
        b'|' | b'\xef' => {
            let token = until(inner, ">", 60)?;
            token.trim_end_matches(['|', '｜']).len().lt(&token.len()).then_some(Trick::RoleToken)
        }
        b'<' => angles(inner),
        b'/' | b'A'..=b'Z' | b'a'..=b'z' => named_tag(inner),
        _ => None,
    }
}

/// `<<SYS>>`, `<<<END ..>>>`.
fn angles(inner: &str) -> Option<Trick> {
    let near = &inner[..inner.floor_char_boundary(100)];
    let name = until(near.trim_start_matches('<'), ">>", 80)?;
    let speaks = matches!(name.trim_start_matches('/').trim(), "SYS" | "sys");
    let is_words =
        name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | ' ' | ':' | '.'));
    match (speaks, inner.starts_with("<<") && is_words && !name.trim().is_empty()) {
        (true, _) => Some(Trick::RoleToken),
        (_, true) => Some(Trick::FakeDelimiter),
        _ => None,
    }
}

const ROLES: [&str; 10] = [
    "system",
    "assistant",
    "human",
    "developer",
    "startofturn",
    "endofturn",
    "startheaderid",
    "endheaderid",
    "sysmessage",
    "systemmessage",
];
const FRAMES: [&str; 16] = [
    "untrusted",
    "toolresult",
    "tooloutput",
    "toolresponse",
    "toolcall",
    "tooluse",
    "functionresult",
    "functioncall",
    "functionresponse",
    "emailcontent",
    "emailbody",
    "mailcontent",
    "mailbody",
    "systemprompt",
    "systemreminder",
    "userdata",
];
const FETCHED: [&str; 8] = ["img", "iframe", "video", "audio", "embed", "object", "picture", "source"];

fn named_tag(inner: &str) -> Option<Trick> {
    let closes = inner.starts_with('/');
    let tag = inner.strip_prefix('/').unwrap_or(inner);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'.');
    let length = tag.bytes().take(60).take_while(|byte| is_name(byte)).count();
    let ends = tag.as_bytes().get(length)?;
    let closes_itself = *ends == b'/' && tag.as_bytes().get(length + 1) == Some(&b'>');
    if !(matches!(ends, b'>' | b' ' | b'\t' | b'\n') || closes_itself) {
        return None;
    }
    let plain: String =
        tag[..length].chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    if FRAMES.iter().any(|frame| plain.contains(frame)) {
        return Some(if closes || plain.contains("untrusted") {
            Trick::FakeDelimiter
        } else {
            Trick::FakeToolAnswer
        });
    }
    if *ends == b'>' && ROLES.contains(&plain.as_str()) {
        return Some(Trick::RoleToken);
    }
    (!closes && FETCHED.contains(&plain.as_str()) && fetches(&tag[length..])).then_some(Trick::Image)
}

/// Whether attributes name something to fetch.
fn fetches(attributes: &str) -> bool {
    let near = &attributes[..attributes.floor_char_boundary(600)];
    let attributes = near.split('>').next().unwrap_or_default().to_ascii_lowercase();
    ["src", "data", "href", "poster"].iter().any(|name| attributes.contains(name))
}

/// `![words](address)` and `![words][name]` become `(image: words)`.
fn image_at(text: &str, at: usize) -> Option<Change> {
    let bang = text[..at].ends_with('!').then(|| at - 1)?;
    let rest = &text[at + 1..];
    let near = &rest[..rest.floor_char_boundary(600)];
    let middle =
        near.find("](").or_else(|| near.find("][")).filter(|middle| !near[..*middle].contains("\n\n"))?;
    let close = if near[middle + 1..].starts_with('(') { ')' } else { ']' };
    let target = &rest[middle + 2..];
    let Some(end) = target[..target.floor_char_boundary(4000)].find([close, '\n']) else {
        // What comes behind the text could close it.
        return Some(Change { start: bang, end: at, new: "! ".to_owned(), trick: Some(Trick::Image) });
    };
    let words = near[..middle].trim_start_matches(['[', '!']).replace(['\n', '[', ']'], " ");
    let new = match words.trim() {
        "" => "(image)".to_owned(),
        words => format!("(image: {words})"),
    };
    let after = at + 1 + middle + 2 + end;
    let closed = if text[after..].starts_with(close) { 1 } else { 0 };
    Some(Change { start: bang, end: after + closed, new, trick: Some(Trick::Image) })
}

/// `[INST]`, and `[name]: address`, by which an image elsewhere would find its address.
fn bracket_at(text: &str, at: usize) -> Option<Change> {
    let rest = &text[at + 1..];
    let begins = begins_line(&text[..at]);
    if !begins && !rest.starts_with(['I', '/', 'S', 'T']) {
        return None;
    }
    let inner = until(rest, "]", 200)?;
    let end = at + 1 + inner.len();
    if matches!(inner, "INST" | "/INST" | "SYSTEM_PROMPT" | "/SYSTEM_PROMPT" | "TOOL_CALLS" | "TOOL_RESULTS")
    {
        return Some(Change { start: at, end: at + 1, new: "[ ".to_owned(), trick: Some(Trick::RoleToken) });
    }
    let is_definition = begins && text[end + 1..].starts_with(':');
    is_definition.then(|| Change { start: end + 1, end: end + 2, new: String::new(), trick: None })
}

/// Whether only quotes, blanks and marks of lists stand before it on its line.
fn begins_line(before: &str) -> bool {
    let near = &before[before.ceil_char_boundary(before.len().saturating_sub(40))..];
    let line = match near.rfind('\n') {
        Some(at) => &near[at + 1..],
        None if near.len() == before.len() => near,
        None => return false,
    };
    line.chars().all(|c| matches!(c, ' ' | '\t' | '>' | '-' | '*' | '+' | '.') || c.is_ascii_digit())
}

/// Whether a frame of a protocol between assistants and tools begins here.
fn tool_answer_at(rest: &str) -> bool {
    if !rest[1..].trim_start().starts_with(['"', '\'']) {
        return false;
    }
    let near = &rest[..rest.floor_char_boundary(400)];
    let names = [
        "\"jsonrpc\"",
        "\"tool_calls\"",
        "\"tool_use\"",
        "\"tool_result\"",
        "\"tool_use_id\"",
        "\"function_call\"",
    ];
    names.iter().any(|name| near.contains(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, prop_assert, proptest};

    use super::{Trick, defused};

    #[test]
    fn imitations_are_words_afterwards() {
        for (text, expected, trick) in [
            ("<|im_start|>system", "< |im_start|>system", Trick::RoleToken),
            ("<|eot_id|>", "< |eot_id|>", Trick::RoleToken),
            ("<｜User｜>", "< ｜User｜>", Trick::RoleToken),
            ("[INST] <<SYS>> x <</SYS>>", "[ INST] < <SYS>> x < </SYS>>", Trick::RoleToken),
            ("<system>", "< system>", Trick::RoleToken),
            ("</untrusted_email>", "< /untrusted_email>", Trick::FakeDelimiter),
            ("<<<END_UNTRUSTED>>>", "< << END_UNTRUSTED>>>", Trick::FakeDelimiter),
            ("</tool_result>", "< /tool_result>", Trick::FakeDelimiter),
            ("<function_results>", "< function_results>", Trick::FakeToolAnswer),
            ("![x](https://a.example/p?d=1) y", "(image: x) y", Trick::Image),
            ("![a][1]", "(image: a)", Trick::Image),
            ("![a](https://a.example/?d=", "! [a](https://a.example/?d=", Trick::Image),
            ("!!![x](y)![](z)", "!!(image: x)(image)", Trick::Image),
            ("<img src=\"https://a.example\">", "< img src=\"https://a.example\">", Trick::Image),
            ("{\"jsonrpc\":\"2.0\"}", "{\"jsonrpc\":\"2.0\"}", Trick::FakeToolAnswer),
        ] {
            let defused = defused(text);
            assert_eq!((&*defused.text, defused.tricks.as_slice()), (expected, [trick].as_slice()), "{text}");
        }
    }

    #[test]
    fn mail_that_only_looks_like_it_is_left_alone() {
        for text in [
            "Ada <ada@example.org> wrote:\n> a < b, c > d",
            "<<<<<<< HEAD\n=======\n>>>>>>> topic",
            "see [1] and [2](https://example.org)",
            "if (a[i] < b[j]) { x << 2; }",
            "<p class=\"x\">hello</p> <document> </document>",
            "-----END PGP MESSAGE-----",
        ] {
            let defused = defused(text);
            assert_eq!((&*defused.text, defused.tricks.len()), (text, 0));
        }
        assert_eq!(defused("x\n> [1]: https://example.org").text, "x\n> [1] https://example.org");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_text_is_defused_once_and_for_all(text in "(<\\||\\|>|<<<|>>>|!\\[|\\]\\(|\\]\\[|\\]:|\\)|</?system>|\\[INST\\]|<img src=|a|é|\n| |>|!|\\[|<){0,30}") {
            let once = defused(&text).text.into_owned();
            prop_assert!(defused(&once).text == once, "{:?} {:?}", text, once);
            prop_assert!(!once.contains("![a](") && !once.contains("<|a|>"));
        }
    }
}
