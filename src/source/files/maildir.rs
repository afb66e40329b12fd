//! What names mean in a Maildir: flags in file names, folders in directory names.

use std::ffi::OsStr;
use std::path::Path;

use crate::model::Flags;
use crate::wire::imap::mailbox_name::decode_shifted;

/// The directories every Maildir is made of.
pub(super) const PARTS: [&str; 3] = ["cur", "new", "tmp"];

/// Whether a directory below a Maildir is one of its folders: it has a place for messages.
pub(super) fn is_folder(directory: &Path) -> bool {
    directory.join("cur").is_dir() || directory.join("new").is_dir()
}

/// Whether the directory is a Maildir: it has a place for messages, and more than one of the usual names, which
/// alone are too common. A `cur` alone will do where the names in it are those of a Maildir.
pub(super) fn is_maildir(directory: &Path) -> bool {
    let there: Vec<&str> = PARTS.into_iter().filter(|part| directory.join(part).is_dir()).collect();
    match there[..] {
        ["cur"] => holds_flagged_names(&directory.join("cur")),
        [] | [_] => false,
        _ => true,
    }
}

fn holds_flagged_names(directory: &Path) -> bool {
    let first = directory.read_dir().ok().and_then(|mut entries| entries.next()?.ok());
    first.is_some_and(|entry| entry.file_name().to_string_lossy().contains(":2,"))
}

/// Whether the directory is the `cur` or `new` of a Maildir. The name alone is too common to be taken for it.
pub(super) fn holds_messages(directory: &Path) -> bool {
    let is_named_so = directory.file_name().is_some_and(|name| name == "cur" || name == "new");
    is_named_so && PARTS.iter().filter(|part| directory.with_file_name(part).is_dir()).count() >= 2
}

/// The flags a file of `cur` or `new` carries in its name. What is in `new` has not been looked at by anybody.
pub(super) fn flags(file: &Path) -> Flags {
    let directory = file.parent().and_then(Path::file_name);
    if directory == Some(OsStr::new("new")) {
        return Flags::NONE;
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    [":2,", ";2,", "!2,"]
        .iter()
        .find_map(|mark| name.rsplit_once(mark))
        .map(|(_, letters)| Flags::from_maildir(letters.split('.').next().unwrap_or_default()))
        .unwrap_or_default()
}

/// Whether a file beside `cur` and `new` is bookkeeping of a mail program.
pub(super) fn is_bookkeeping(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    ["dovecot", "courier", "maildir", "subscriptions", "."].iter().any(|start| name.starts_with(start))
}

/// The mailbox for a directory `name` below the mailbox `parent`: `.Work.Projects` is `Work/Projects`.
pub(super) fn mailbox(parent: Option<&str>, name: &OsStr) -> String {
    let name = name.to_string_lossy();
    let parts: Vec<String> = match name.strip_prefix('.') {
        Some(parts) => parts.split('.').map(decode).collect(),
        None => vec![decode(&name)],
    };
    let name = parts.join("/");
    parent.map_or_else(|| name.clone(), |parent| format!("{parent}/{name}"))
}

/// Decodes modified UTF-7 (RFC 3501, 5.1.3). A name that is not valid in it is meant as it stands.
fn decode(name: &str) -> String {
    try_decode(name).unwrap_or_else(|| name.to_owned())
}

fn try_decode(name: &str) -> Option<String> {
    let mut parts = name.split('&');
    let mut text = parts.next()?.to_owned();
    for part in parts {
        let (encoded, plain) = part.split_once('-')?;
        text.push_str(&decode_shifted(encoded)?);
        text.push_str(plain);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::{Flags, flags, mailbox};

    #[test]
    fn flags_stand_behind_the_mark_in_cur_only() {
        assert_eq!(flags(Path::new("m/cur/1.host:2,FS")), Flags::FLAGGED | Flags::SEEN);
        assert_eq!(flags(Path::new("m/cur/1.host;2,RT")), Flags::ANSWERED | Flags::DELETED);
        assert_eq!(flags(Path::new("m/cur/1.host!2,D")), Flags::DRAFT);
        assert_eq!(flags(Path::new("m/cur/1.host,S=7:2,S.gz")), Flags::SEEN);
        assert_eq!(flags(Path::new("m/cur/1.FS")), Flags::NONE);
        assert_eq!(flags(Path::new("m/new/1.host:2,S")), Flags::NONE);
    }

    #[test]
    fn folder_names_become_paths_in_plain_unicode() {
        for (parent, name, expected) in [
            (None, ".Work.Projects", "Work/Projects"),
            (None, ".Entw&APw-rfe", "Entwürfe"),
            (None, ".R&-D.&ZeVnLIqe-", "R&D/日本語"),
            (None, ".R&D", "R&D"),
            (None, ".&2D3eAA-", "😀"),
            (Some("Work"), "Old", "Work/Old"),
        ] {
            assert_eq!(mailbox(parent, OsStr::new(name)), expected);
        }
    }
}
