//! What of an HTML text is markup and no text: tags, comments, sheets. In two readings of the same bytes it must be the same
//! before anything can be said of what a person sees. Where in doubt, text counts as markup.

/// Elements whose content is no text, or is read in a way of its own.
const RAW: [&str; 10] =
    ["style", "script", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext"];

/// All markup of a text, as it stands, in its order.
pub(super) fn of(html: &str) -> String {
    let mut markup = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let length = if rest.starts_with("<!--") { comment_length(rest) } else { element_length(rest) };
        markup.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    markup
}

fn comment_length(comment: &str) -> usize {
    comment[4..].find("-->").map_or(comment.len(), |end| 4 + end + 3)
}

/// The length of the tag at the start, and of what is inside an element that is read in a way of its own.
fn element_length(rest: &str) -> usize {
    let length = tag_length(rest);
    let name = rest[1..length].split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    match RAW.iter().find(|raw| raw.eq_ignore_ascii_case(name)) {
        Some(raw) => length + raw_length(&rest[length..], raw),
        None => length,
    }
}

/// How far it is to the tag that closes an element; the end where it is never closed.
fn raw_length(content: &str, name: &str) -> usize {
    let closes = |at: &usize| {
        let tag = &content.as_bytes()[*at..];
        let is_name =
            tag.get(2..2 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
        let ends = tag.get(2 + name.len()).is_some_and(|byte| b" \t\n\r\x0c/>".contains(byte));
        is_name && ends
    };
    content.match_indices("</").map(|(at, _)| at).find(closes).unwrap_or(content.len())
}

/// The length of the tag at the start. A `>` in quotes does not end it, but quotes are none in a name.
fn tag_length(tag: &str) -> usize {
    let bytes = tag.as_bytes();
    let is_blank = |byte: u8| b" \t\n\r\x0c".contains(&byte);
    let mut at = 1;
    let mut in_tag_name = true;
    let mut has_name = false;
    while at < bytes.len() {
        match bytes[at] {
            b'>' => return at + 1,
            b'/' => (in_tag_name, has_name) = (at == 1, false),
            byte if is_blank(byte) => in_tag_name = false,
            b'=' if has_name && !in_tag_name => {
                has_name = false;
                let value = bytes[at + 1..].iter().position(|byte| !is_blank(*byte));
                let Some(start) = value.map(|value| at + 1 + value) else { return bytes.len() };
                at = match bytes[start] {
                    quote @ (b'"' | b'\'') => match memchr::memchr(quote, &bytes[start + 1..]) {
                        Some(end) => start + 1 + end,
                        None => return bytes.len(),
                    },
                    _ => {
                        let ends = |byte: &u8| is_blank(*byte) || *byte == b'>';
                        let length = bytes[start..].iter().position(ends).unwrap_or(bytes.len() - start);
                        start + length - 1
                    }
                };
            }
            _ => has_name |= !in_tag_name,
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn tags_comments_and_sheets_are_markup_and_the_rest_is_text() {
        for (html, expected) in [
            ("a<p class=x>b</p>c", "<p class=x></p>"),
            ("<p title=\"a>b<c\" class='é'>d", "<p title=\"a>b<c\" class='é'>"),
            ("<p =\"x>text<b a = '>'>", "<p =\"x><b a = '>'>"),
            ("<p=\"x>text", "<p=\"x>"),
            ("<p a/=\"x>text", "<p a/=\"x>"),
            ("<p a=b=\">text", "<p a=b=\">"),
            ("a<!-- <p> -->b", "<!-- <p> -->"),
            ("a<style>.é{}</stylex>.b{}</style>c", "<style>.é{}</stylex>.b{}</style>"),
            ("a<TITLE>b</title >c", "<TITLE>b</title >"),
            ("a<p class=\"never closed>b", "<p class=\"never closed>b"),
            ("a < b", "< b"),
        ] {
            assert_eq!(of(html), expected, "{html}");
        }
    }
}
