//! File names of parts: decoded, without directories and control characters. Refuses names that could leave
//! a folder.

use crate::text_safety;

use super::parameters::Parametered;

/// No file system takes more.
const LONGEST: usize = 255;

/// The file name a part declares in Content-Disposition or Content-Type.
pub(super) fn of(disposition: &Parametered, content_type: &Parametered) -> Option<String> {
    let declared = ["filename", "name"].iter().find_map(|key| disposition.decoded(key));
    let declared = declared.filter(|name| !name.is_empty());
    let name = declared.or_else(|| ["name", "filename"].iter().find_map(|key| content_type.decoded(key)))?;
    clean(&name)
}

/// A name for a message inside the message, which has a subject but seldom a file name. All of the subject stays
/// to be found by; what would lead into a directory does not.
pub(super) fn of_subject(subject: &str) -> Option<String> {
    clean(&subject.replace(['/', '\\'], "-"))
}

fn clean(name: &str) -> Option<String> {
    let last = name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
    let (seen, _) = text_safety::visible(last);
    let kept: String = seen.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    let kept = kept.trim();
    (!kept.is_empty() && kept != "." && kept != "..").then(|| kept.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{clean, of_subject};

    #[test]
    fn a_name_cannot_leave_its_folder() {
        for (name, expected) in [
            ("a.txt", Some("a.txt")),
            ("../../etc/passwd", Some("passwd")),
            ("C:\\temp\\a.doc", Some("a.doc")),
            ("a\u{0}b\n.txt", Some("ab.txt")),
            ("..", None),
            ("/", None),
            (" ", None),
        ] {
            assert_eq!(clean(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_subject_as_a_name_stays_whole_and_in_its_folder() {
        assert_eq!(of_subject("Offer 3/4").as_deref(), Some("Offer 3-4"));
        assert_eq!(of_subject("../../etc/passwd").as_deref(), Some("..-..-etc-passwd"));
        assert_eq!(of_subject(".."), None);
    }
}
