//! Names of files that a computer runs, mounts or follows when they are opened.

use unicode_normalization::UnicodeNormalization;

use crate::text_safety::one_line;

/// Endings of programs and of scripts.
const PROGRAMS: [&str; 94] = [
    "ade",
    "adp",
    "apk",
    "app",
    "appimage",
    "application",
    "appref-ms",
    "appx",
    "appxbundle",
    "bash",
    "bat",
    "cab",
    "chm",
    "class",
    "cmd",
    "com",
    "command",
    "cpl",
    "csh",
    "deb",
    "diagcab",
    "dll",
    "dylib",
    "elf",
    "ex",
    "ex_",
    "exe",
    "fish",
    "gadget",
    "hta",
    "inf",
    "ins",
    "iqy",
    "isp",
    "jar",
    "jnlp",
    "job",
    "js",
    "jse",
    "ko",
    "ksh",
    "mam",
    "mde",
    "mjs",
    "msc",
    "msh",
    "msi",
    "msix",
    "msixbundle",
    "msp",
    "mst",
    "nsh",
    "ocx",
    "one",
    "onepkg",
    "oqy",
    "pif",
    "pkg",
    "ps1",
    "ps1xml",
    "ps2",
    "psc1",
    "psd1",
    "psm1",
    "rdp",
    "reg",
    "rpm",
    "run",
    "scr",
    "sct",
    "settingcontent-ms",
    "sh",
    "shb",
    "slk",
    "so",
    "sys",
    "terminal",
    "theme",
    "themepack",
    "tool",
    "vb",
    "vbe",
    "vbs",
    "vxd",
    "wasm",
    "workflow",
    "ws",
    "wsc",
    "wsf",
    "wsh",
    "xbap",
    "xla",
    "xll",
    "zsh",
];
/// Endings of documents that may run macros.
const MACROS: [&str; 13] =
    ["docm", "dotm", "otm", "potm", "ppa", "ppam", "ppsm", "pptm", "sldm", "wiz", "xlam", "xlsm", "xltm"];
/// Endings of images of disks, which are opened as a drive with anything in it.
const DISKS: [&str; 16] = [
    "dmg",
    "img",
    "iso",
    "isz",
    "nrg",
    "qcow2",
    "sparsebundle",
    "sparseimage",
    "toast",
    "udf",
    "vdi",
    "vhd",
    "vhdx",
    "vmdk",
    "wim",
    "xva",
];
/// Endings of files that lead elsewhere.
const SHORTCUTS: [&str; 12] = [
    "desktop",
    "fileloc",
    "inetloc",
    "library-ms",
    "lnk",
    "mad",
    "mat",
    "scf",
    "search-ms",
    "searchconnector-ms",
    "url",
    "webloc",
];

/// Why a file with this name is not taken.
pub(super) fn refused(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    // Letters of another width are the same to people; a stream of a file is the file to Windows; some end at a zero.
    let plain: String = last.nfkc().collect::<String>().to_lowercase();
    let stream = plain.split([':', '\0']).next().unwrap_or_default();
    [plain.as_str(), stream].into_iter().find_map(|plain| by_ending(plain, last))
}

fn by_ending(plain: &str, name: &str) -> Option<String> {
    // Windows leaves dots and blanks at the end of a name away.
    let bare = plain.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    let (before, ending) = bare.rsplit_once('.')?;
    let what = of_ending(ending.trim())?;
    let shown = one_line(name);
    Some(match before.rsplit_once('.') {
        Some((_, disguise)) if (2..=5).contains(&disguise.trim().len()) => {
            format!("`{shown}` is {what} behind the ending `.{}`", one_line(disguise))
        }
        _ => format!("`{shown}` has the ending of {what}"),
    })
}

fn of_ending(ending: &str) -> Option<&'static str> {
    let lists: [(&[&str], &str); 4] = [
        (&PROGRAMS, "a program"),
        (&MACROS, "a document with macros"),
        (&DISKS, "a disk image"),
        (&SHORTCUTS, "a shortcut"),
    ];
    lists.into_iter().find(|(list, _)| list.contains(&ending)).map(|(_, what)| what)
}
