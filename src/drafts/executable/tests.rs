//! Programs in every disguise, and files that only look like them.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;

use super::refuse;
use crate::drafts::attachment::Attached;

fn file(name: &str, content_type: &str, bytes: impl Into<Vec<u8>>) -> Attached {
    Attached { name: name.to_owned(), content_type: content_type.to_owned(), bytes: bytes.into() }
}

fn plain(name: &str, bytes: impl Into<Vec<u8>>) -> Attached {
    file(name, "application/octet-stream", bytes)
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        archive.append_data(&mut header, name, *bytes).unwrap();
    }
    archive.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// Sets the bit that says that an entry is encrypted, at both places where it stands.
fn encrypted(mut zip: Vec<u8>) -> Vec<u8> {
    for (signature, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let places: Vec<usize> = memchr::memmem::find_iter(&zip, signature).collect();
        places.into_iter().for_each(|at| zip[at + flags] |= 1);
    }
    zip
}

#[test]
fn programs_are_refused_by_name_type_and_beginning() {
    for file in [
        plain("setup.exe", "x"),
        plain("SETUP.EXE", "x"),
        plain("setup.exe. ", "x"),
        plain("invoice.pdf.exe", "x"),
        plain("invoice.pdf     .scr", "x"),
        plain("run.sh", "x"),
        plain("macro.vbs", "x"),
        plain("site.js", "x"),
        file("invoice", "application/x-msdownload", "x"),
        file("invoice.pdf", "application/x-dosexec", "x"),
        file("page", "text/javascript", "x"),
        plain("invoice.pdf", b"MZ\x90\0\x03\0"),
        plain("notes", b"\x7fELF\x02\x01"),
        plain("picture.png", b"\xcf\xfa\xed\xfe\x07"),
        plain("picture.png", b"\xca\xfe\xba\xbe\0"),
        plain("notes.txt", "#!/bin/sh\nrm -rf ~\n"),
    ] {
        assert!(refuse(&file).is_err(), "{} {}", file.name, file.content_type);
    }
    let told = refuse(&plain("invoice.pdf.exe", "x")).unwrap_err().to_string();
    assert!(told.contains("a program behind the ending `.pdf`"), "{told}");
}

#[test]
fn ordinary_files_are_taken() {
    for file in [
        file("report.pdf", "application/pdf", "%PDF-1.7"),
        file("notes.txt", "text/plain", "MZ is a province of Mozambique?\n"),
        file("table.csv", "text/csv", "#!x? no: a;b\n".trim_start_matches("#!")),
        plain("www.example.com.pdf", "%PDF"),
        plain("no ending", "text"),
        plain("", ""),
        plain("report.docx", zip(&[("word/document.xml", b"<w/>"), ("word/media/image1.png", b"x")])),
        plain("photos.zip", zip(&[("a/b.jpg", b"x"), ("c.jpg", b"y")])),
        plain("photos.tar.gz", gzip(&tar(&[("a/b.jpg", b"x")]))),
        plain("notes.txt.gz", gzip(b"text")),
        plain("both.zip", zip(&[("inner.zip", &zip(&[("a.jpg", b"x")]))])),
        plain("locked.zip", encrypted(zip(&[("a.jpg", b"x")]))),
    ] {
        assert!(refuse(&file).is_ok(), "{}: {}", file.name, refuse(&file).unwrap_err());
    }
}

#[test]
fn programs_are_found_in_archives_and_in_archives_within() {
    let program: (&str, &[u8]) = ("deep/run.EXE", b"x");
    let long = format!("{}/run.exe", "directory".repeat(20));
    let inner = zip(&[program]);
    for file in [
        plain("a.zip", zip(&[("a.txt", b"x"), program])),
        plain("a.bin", zip(&[program])),
        plain("a.docx", zip(&[program])),
        plain("a.zip", encrypted(zip(&[program]))),
        plain("a.tar", tar(&[program])),
        plain("a.tar", tar(&[(&long, b"x")])),
        plain("a.tgz", gzip(&tar(&[program]))),
        plain("data", gzip(&tar(&[program]))),
        plain("run.exe.gz", gzip(b"x")),
        plain("picture.gz", gzip(b"MZ\x90\0")),
        plain("a.zip", zip(&[("b.zip", &inner)])),
        plain("a.zip", zip(&[("b.tar.gz", &gzip(&tar(&[program])))])),
        plain("a.tar", tar(&[("b.zip", &inner)])),
        plain("a.zip", zip(&[("b.txt.lnk", b"x")])),
    ] {
        assert!(refuse(&file).is_err(), "{}", file.name);
    }
}

#[test]
fn archives_that_cannot_be_looked_into_are_refused() {
    let inner = zip(&[("a.txt", b"x")]);
    let nested = |inner: &[u8]| zip(&[("b.zip", inner)]);
    let deep = nested(&nested(&nested(&nested(&inner))));
    for file in [
        plain("a.rar", b"Rar!\x1a\x07"),
        plain("a.7z", b"7z\xbc\xaf\x27\x1c"),
        plain("renamed.pdf", b"Rar!\x1a\x07"),
        plain("a.tar.xz", b"\xfd7zXZ\0"),
        plain("a.zip", "not a zip"),
        plain("a.zip", encrypted(zip(&[("b.zip", &inner)]))),
        plain("a.zip", deep),
        plain("bomb.gz", gzip(&vec![0; 65 << 20])),
    ] {
        let told = refuse(&file).unwrap_err().to_string();
        assert!(told.contains("cannot look into"), "{told}");
    }
}

/// A compound file whose directory has this name in it.
fn compound(name: &str) -> Vec<u8> {
    let mut bytes = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    bytes.resize(512, 0);
    bytes.extend(name.encode_utf16().flat_map(u16::to_le_bytes));
    bytes.resize(1024, 0);
    bytes
}

#[test]
fn documents_with_macros_are_refused_whatever_they_are_called() {
    let types: &[u8] =
        b"<Types><Default Extension='bin' ContentType='application/vnd.ms-office.vbaProject'/></Types>";
    let wide: Vec<u8> = String::from_utf8_lossy(types).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let none: &[u8] = b"<Types/>";
    let sheet = [&b"\x85\0\x0e\0\x10\x20\0\0\0\x01\x06\0"[..], b"Macro1"].concat();
    let excel4 = [compound("Workbook"), sheet].concat();
    let document = |name: &str, types: &[u8]| zip(&[("[Content_Types].xml", types), (name, b"x")]);
    for file in [
        plain("a.docm", "x"),
        plain("a.XLSM", "x"),
        plain("a.pptm", "x"),
        plain("a.docx", document("word/vbaProject.bin", none)),
        plain("a.docx", document("word/VBAPROJECT.BIN", none)),
        plain("a.xlsx", document("xl/macrosheets/sheet1.xml", none)),
        plain("a.docx", document("word/harmless.bin", types)),
        plain("a.docx", document("word/harmless.bin", &wide)),
        plain("a.pdf", document("word/harmless.bin", types)),
        plain("a.odt", zip(&[("META-INF/manifest.xml", b"x"), ("Basic/script-lc.xml", b"x")])),
        plain("a.zip", zip(&[("b.docx", &document("word/vbaProject.bin", none))])),
        plain("a.doc", compound("_VBA_PROJECT")),
        plain("a.xls", compound("_VBA_PROJECT_CUR")),
        plain("a.txt", compound("Macros")),
        plain("a.xls", excel4),
        plain(
            "a.docx",
            zip(&[("[Content_Types].xml", none), ("word/embeddings/o.bin", &compound("_VBA_PROJECT"))]),
        ),
        plain("a.doc", compound("EncryptedPackage")),
    ] {
        let told = refuse(&file).unwrap_err().to_string();
        assert!(told.contains("macros"), "{told}");
    }
    for file in [
        plain(
            "a.docx",
            document("word/document.xml", b"<Types ContentType='wordprocessingml.document.main+xml'/>"),
        ),
        plain("a.xls", compound("Workbook")),
        plain("a.xlsx", compound("EncryptedPackage")),
        plain("a.zip", zip(&[("b.docx", &document("word/document.xml", none))])),
    ] {
        assert!(refuse(&file).is_ok(), "{}: {}", file.name, refuse(&file).unwrap_err());
    }
}

#[test]
fn disk_images_and_shortcuts_are_refused_whatever_they_are_called() {
    let iso = [vec![0; 0x8001], b"CD001".to_vec(), vec![0; 100]].concat();
    let trailed = |sign: &[u8]| [vec![1; 2048], sign.to_vec(), vec![0; 512 - sign.len()]].concat();
    for file in [
        plain("a.iso", "x"),
        plain("a.img", "x"),
        plain("a.vhd", "x"),
        plain("a.vhdx", "x"),
        plain("a.dmg", "x"),
        plain("a.lnk", "x"),
        plain("a.url", "x"),
        plain("a.scf", "x"),
        plain("a.one", "x"),
        plain("a.bin", iso),
        plain("a.bin", trailed(b"koly")),
        plain("a.bin", trailed(b"conectix")),
        plain("a.bin", "vhdxfile"),
        plain("a.bin", b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1"),
        plain("a.pdf", b"L\0\0\0\x01\x14\x02\0\0\0"),
        plain("a.txt", "\n[internetshortcut]\nURL=file://evil.example/x"),
        plain("a.txt", "\u{feff}[Desktop Entry]\nExec=x"),
        plain("a.zip", zip(&[("b.iso", b"x")])),
        plain("a.zip", zip(&[("b.dat", b"L\0\0\0\x01\x14\x02\0")])),
    ] {
        assert!(refuse(&file).is_err(), "{}", file.name);
    }
}

#[test]
fn names_that_end_otherwise_for_others_are_refused() {
    for name in [
        "a.exe ",
        "a.exe. .",
        "a.exe\u{a0}",
        "ａ.ｅｘｅ",
        "a.exe:stream.txt",
        "a.exe::$DATA",
        "a.exe\0.txt",
        "a.pdf .exe",
    ] {
        assert!(refuse(&plain(name, "x")).is_err(), "{name}");
        assert!(refuse(&plain("b.zip", zip(&[(name, b"x")]))).is_err(), "{name}");
    }
    assert!(refuse(&plain("Re: your order.pdf", "x")).is_ok());
}

#[test]
fn a_zip_that_reads_in_two_ways_is_refused() {
    let listed = zip(&[("aaaaa.txt", b"x"), ("bbbbb.txt", b"y")]);
    let places: Vec<usize> = memchr::memmem::find_iter(&listed, b"aaaaa.txt").collect();
    let renamed = |at: usize| [&listed[..at], b"aaaaa.exe", &listed[at + 9..]].concat();
    let harmless = |at: usize| [&listed[..at], b"aaaaa.pdf", &listed[at + 9..]].concat();
    let other = zip(&[("run.exe", b"x")]);
    // The directory of one archive behind the files of two, with offsets that fit.
    let directory = memchr::memmem::find(&listed, b"PK\x01\x02").unwrap();
    let end = memchr::memmem::find(&listed, b"PK\x05\x06").unwrap();
    let extra = &other[..memchr::memmem::find(&other, b"PK\x01\x02").unwrap()];
    let mut hidden = [&listed[..directory], extra, &listed[directory..]].concat();
    let moved = u32::try_from(directory + extra.len()).unwrap().to_le_bytes();
    hidden[end + extra.len() + 16..end + extra.len() + 20].copy_from_slice(&moved);
    for bytes in [
        renamed(places[0]),
        renamed(places[1]),
        harmless(places[0]),
        harmless(places[1]),
        [other.as_slice(), &listed].concat(),
        [listed.as_slice(), &other].concat(),
        [b"junk before".as_slice(), &listed].concat(),
        [listed.as_slice(), b"junk behind"].concat(),
        hidden,
    ] {
        assert!(refuse(&plain("a.zip", bytes)).is_err());
    }
    assert!(refuse(&plain("a.zip", listed)).is_ok());
}

#[test]
fn programs_in_archives_are_found_by_how_they_begin() {
    for file in [
        plain("a.zip", zip(&[("photo.jpg", b"MZ\x90\0")])),
        plain("a.tar", tar(&[("photo.jpg", b"\x7fELF")])),
        plain("a.zip", zip(&[("data.bin", &zip(&[("run.exe", b"x")]))])),
        plain("a.zip", zip(&[("mail.eml", b"Content-Disposition: attachment; filename=run.exe\r\n\r\nx")])),
    ] {
        assert!(refuse(&file).is_err(), "{}", file.name);
    }
}

#[test]
fn many_archives_in_one_cannot_unpack_more_than_one_may() {
    let bomb = gzip(&vec![0; 40 << 20]);
    let file = plain("a.zip", zip(&[("a.gz", &bomb), ("b.gz", &bomb)]));

    let told = refuse(&file).unwrap_err().to_string();

    assert!(told.contains("too large to be looked through"), "{told}");
}

#[test]
fn a_message_takes_no_program_along() {
    let message = |name: &str| {
        format!(
            "From: x@y.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n\
             hi\r\n--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; \
             filename=\"{name}\"\r\n\r\nx\r\n--b--\r\n"
        )
    };

    assert!(refuse(&plain("a.eml", message("photo.jpg"))).is_ok());
    assert!(refuse(&plain("a.eml", message("photo.jpg.exe"))).is_err());
    assert!(refuse(&file("note.txt", "message/rfc822", message("photo.jpg.exe"))).is_err());
    assert!(refuse(&plain("a.mht", message("photo.jpg.exe"))).is_err());
}
