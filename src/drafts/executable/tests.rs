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
    let twice = zip(&[("b.zip", &inner)]);
    for file in [
        plain("a.rar", b"Rar!\x1a\x07"),
        plain("a.7z", b"7z\xbc\xaf\x27\x1c"),
        plain("renamed.pdf", b"Rar!\x1a\x07"),
        plain("a.tar.xz", b"\xfd7zXZ\0"),
        plain("a.zip", "not a zip"),
        plain("a.zip", encrypted(zip(&[("b.zip", &inner)]))),
        plain("a.zip", zip(&[("twice.zip", &twice)])),
        plain("bomb.gz", gzip(&vec![0; 65 << 20])),
    ] {
        let told = refuse(&file).unwrap_err().to_string();
        assert!(told.contains("cannot look into"), "{told}");
    }
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
}
