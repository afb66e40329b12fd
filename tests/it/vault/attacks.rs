//! What a tool is told to do by who wants out of the vault, or into the folders that only the owner changes.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use mailkeep::vault::PROTECTED;
use serde_json::{Value, json};

use super::{Notes, everything, refused};
use crate::world::assistant::Assistant;

/// Ways to name something that is not below the vault; `X` is the rest of the path.
const TRICKS: [&str; 58] = [
    "../X",
    "../../X",
    "../../../../../../../../X",
    "/X",
    "//X",
    "///X",
    "./../X",
    "a/../../X",
    "Drafts/../../X",
    "Drafts/./../../X",
    "Drafts//..//..//X",
    "..",
    "../",
    "..\\X",
    "Drafts\\..\\..\\X",
    "\\X",
    "\\\\server\\share\\X",
    "C:\\X",
    "C:/X",
    "c:X",
    "~/X",
    "~",
    "file:///X\0",
    "..\0/X",
    "\0",
    "Drafts/\0../X",
    "..;/X\\",
    "%2e%2e/X",
    "%2e%2e%2fX",
    "..%2fX",
    "..%5cX",
    "%252e%252e%252fX",
    "..%c0%afX",
    "．．/X",
    "‥/X",
    "．．／X",
    "..／X",
    "..∕X",
    "..⁄X",
    "..＼X",
    ".\u{200b}./X",
    ".\u{200d}./X",
    "\u{202e}../X",
    "..\u{200e}/X",
    "\u{feff}../X",
    ".. /X",
    "../ X",
    " ../X",
    "..\t/X",
    "..\n/X",
    "..\r\n/X",
    "link/X",
    "inside/X",
    "link/../X",
    "dangling/X",
    ".hidden/X",
    ".obsidian/X",
    "Drafts/.trash/X",
];
const TARGETS: [&str; 2] = ["outside.md", "place/outside.md"];

fn vault_with_links() -> Notes {
    let notes = Notes::new();
    let outside = notes.root.parent().unwrap();
    fs::write(outside.join("outside.md"), "OUTSIDE").unwrap();
    notes.world.write("outside.md", "OUTSIDE");
    symlink(outside, notes.root.join("link")).unwrap();
    symlink("/", notes.root.join("inside")).unwrap();
    symlink("/nowhere/at/all", notes.root.join("dangling")).unwrap();
    symlink("../outside.md", notes.root.join("linked.md")).unwrap();
    fs::hard_link(outside.join("outside.md"), notes.root.join("second-name.md")).unwrap();
    notes.put("Drafts/a.md", "draft");
    notes
}

fn calls(path: &str) -> [(&'static str, Value); 4] {
    [
        ("read_note", json!({ "path": path })),
        ("write_note", json!({ "path": path, "frontmatter": { "x": 1 }, "body": "x" })),
        ("move_note", json!({ "source": "Drafts/a.md", "destination": path })),
        ("move_note", json!({ "source": path, "destination": "Drafts/b.md" })),
    ]
}

#[test]
fn no_spelling_of_a_path_leads_out_of_the_vault() {
    let notes = vault_with_links();
    let mut assistant = notes.assistant("vault");
    let before = everything(notes.root.parent().unwrap());

    let mut tried = 0;
    for trick in TRICKS {
        for target in TARGETS {
            let path = trick.replace('X', target);
            for (tool, arguments) in calls(&path) {
                assert_eq!(refused(&assistant.call(tool, arguments)), "permission_denied", "{tool} {path:?}");
                tried += 1;
            }
        }
        let folder = trick.replace("/X", "").replace('X', "outside");
        if folder.contains(['.', '\0', '\\', '~', '%']) || folder.starts_with("link") {
            let answer = assistant.call("list_notes", json!({ "directory": folder }));
            assert_eq!(answer["result"]["isError"], true, "{folder:?}");
        }
    }
    for (tool, arguments) in calls("linked.md") {
        assert_eq!(refused(&assistant.call(tool, arguments)), "permission_denied", "{tool}");
    }
    for (tool, arguments) in calls("second-name.md").into_iter().skip(1) {
        assert_eq!(refused(&assistant.call(tool, arguments)), "permission_denied", "{tool}");
    }

    assert!(tried >= 300, "{tried}");
    assert_eq!(everything(notes.root.parent().unwrap()), before);
}

/// Spellings of the protected folders.
fn spellings() -> Vec<String> {
    let mut names = Vec::new();
    for name in PROTECTED {
        let wide = |c: char| char::from_u32(u32::from(c) + 0xfee0).unwrap();
        let bold = |c: char| char::from_u32(u32::from(c.to_ascii_lowercase()) - 0x61 + 0x1d41a).unwrap();
        names.extend([
            name.to_owned(),
            name.to_lowercase(),
            name.to_uppercase(),
            name.replace('o', "O"),
            name.chars().map(wide).collect(),
            name.chars().map(bold).collect(),
            name.replace('o', "о"),
            name.replace(['o', 'O'], "ο").replace('L', "ⅼ"),
            name.replace('o', "o\u{308}"),
            name.replace('o', "ö"),
            name.replacen('o', "0", 1),
            format!("{name}\u{200b}"),
            format!("\u{202e}{name}"),
            format!("{name} "),
            format!("{name}."),
            format!("{name}\u{fe0f}"),
            format!("{name}::$INDEX_ALLOCATION"),
            format!("{}~1", &name.to_uppercase()[..4.min(name.len())]),
            format!("./{name}"),
            format!("{name}/."),
            format!("{name}//deeper"),
            format!("Drafts/../{name}"),
            format!("to-{}", name.to_lowercase()),
        ]);
    }
    names
}

#[test]
fn no_tool_reaches_what_only_the_owner_decides() {
    let notes = Notes::new();
    // The owner may have set the orchestrator up in a folder of the vault.
    for (within, folder) in ["", "Mail/"].iter().flat_map(|it| PROTECTED.map(|folder| (it, folder))) {
        notes.put(&format!("{within}{folder}/a.md"), "decided");
        symlink(folder, notes.root.join(format!("{within}to-{}", folder.to_lowercase()))).unwrap();
    }
    fs::hard_link(notes.root.join("Approved/a.md"), notes.root.join("second.md")).unwrap();
    notes.put("Drafts/a.md", "draft");
    let mut assistant = notes.assistant("vault");
    let before = everything(&notes.root);

    let mut tried = 0;
    for folder in spellings().into_iter().flat_map(|folder| [folder.clone(), format!("Mail/{folder}")]) {
        for name in ["a.md", "new.md"] {
            for (tool, arguments) in calls(&format!("{folder}/{name}")).into_iter().skip(1) {
                assert_eq!(
                    refused(&assistant.call(tool, arguments)),
                    "permission_denied",
                    "{tool} {folder:?}"
                );
                tried += 1;
            }
        }
    }
    for (tool, arguments) in calls("second.md").into_iter().skip(1) {
        assert_eq!(refused(&assistant.call(tool, arguments)), "permission_denied", "{tool}");
    }

    assert!(tried >= 300, "{tried}");
    assert_eq!(everything(&notes.root), before);
}

/// Somebody swaps folders for links while tools write: whatever they answer, nothing appears where it must not.
#[test]
fn a_race_for_a_folder_is_not_won() {
    let notes = Notes::new();
    notes.put("Approved/kept.md", "kept");
    notes.put("Drafts/a.md", "draft");
    let (drafts, aside) = (notes.root.join("Drafts"), notes.root.join("aside"));
    let outside = notes.world.path("elsewhere");
    fs::create_dir(&outside).unwrap();
    let is_over = AtomicBool::new(false);
    let race = |assistant: &mut Assistant| {
        for number in 0..300 {
            let path = format!("Drafts/{number}.md");
            assistant
                .call("write_note", json!({ "path": path, "frontmatter": { "n": number }, "body": "x" }));
            assistant
                .call("move_note", json!({ "source": path, "destination": format!("Drafts/m-{number}.md") }));
        }
    };

    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for target in [outside.as_path(), std::path::Path::new("Approved")] {
                    let _ = fs::rename(&drafts, &aside);
                    let _ = symlink(target, &drafts);
                    let _ = fs::remove_file(&drafts);
                    let _ = fs::remove_dir_all(&drafts);
                    let _ = fs::rename(&aside, &drafts);
                }
            }
        });
        race(&mut notes.assistant("vault"));
        is_over.store(true, Ordering::Relaxed);
    });

    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    assert_eq!(everything(&notes.root.join("Approved")).len(), 1);
}
