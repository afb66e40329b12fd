//! File names of parts: decoded, without directories and control characters. Refuses names that could leave
//! a folder.

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

fn clean(name: &str) -> Option<String> {
    let last = name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    let kept = kept.trim();
    (!kept.is_empty() && kept != "." && kept != "..").then(|| kept.to_owned())
}

#[cfg(test)]
mod tests {
    use super::clean;

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
}
