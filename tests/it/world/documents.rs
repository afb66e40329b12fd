//! The smallest documents of each kind that hold some words.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A file to attach: its name, its media type, its bytes.
pub(crate) type Document = (&'static str, &'static str, Vec<u8>);

/// One document of every kind that can be read, each with the word `kindword` + its ending.
pub(crate) fn of_every_kind() -> Vec<Document> {
    vec![
        ("a.txt", "text/plain", b"kindwordtxt".to_vec()),
        ("a.html", "text/html", b"<p>kindwordhtml</p>".to_vec()),
        ("a.csv", "text/csv", b"name,kindwordcsv\n".to_vec()),
        (
            "a.ics",
            "text/calendar",
            b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:kindwordics\nEND:VEVENT\nEND:VCALENDAR\n".to_vec(),
        ),
        ("a.json", "application/json", b"{\"k\": \"kindwordjson\"}".to_vec()),
        ("a.xml", "application/xml", b"<a><b>kindwordxml</b></a>".to_vec()),
        ("a.pdf", "application/pdf", pdf("kindwordpdf")),
        (
            "a.docx",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            archive(&[(
                "word/document.xml",
                "<w:document><w:body><w:p><w:r><w:t>kindworddocx</w:t></w:r></w:p></w:body></w:document>",
            )]),
        ),
        ("a.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", xlsx("kindwordxlsx")),
        (
            "a.pptx",
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            archive(&[(
                "ppt/slides/slide1.xml",
                "<p:sld><p:cSld><p:spTree><p:sp><p:spPr><a:xfrm><a:off x='914400' y='914400'/>\
                 <a:ext cx='4572000' cy='914400'/></a:xfrm></p:spPr><p:txBody><a:p><a:r><a:t>kindwordpptx</a:t></a:r></a:p>\
                 </p:txBody></p:sp></p:spTree></p:cSld></p:sld>",
            )]),
        ),
        (
            "a.odt",
            "application/vnd.oasis.opendocument.text",
            archive(&[(
                "content.xml",
                "<office:document-content><office:body><office:text><text:p>kindwordodt</text:p>\
                 </office:text></office:body></office:document-content>",
            )]),
        ),
    ]
}

/// A zip archive of these parts.
fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn xlsx(word: &str) -> Vec<u8> {
    const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const SHEET: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
    let relation = |kind: &str, target: &str| {
        format!(
            "<Relationships xmlns='{PACKAGE}'><Relationship Id='rId1' Type='{OFFICE}/{kind}' Target='{target}'/>\
             </Relationships>"
        )
    };
    archive(&[
        ("_rels/.rels", &relation("officeDocument", "xl/workbook.xml")),
        (
            "xl/workbook.xml",
            &format!(
                "<workbook xmlns='{SHEET}' xmlns:r='{OFFICE}'><sheets>\
                 <sheet name='Sheet' sheetId='1' r:id='rId1'/></sheets></workbook>"
            ),
        ),
        ("xl/_rels/workbook.xml.rels", &relation("worksheet", "worksheets/sheet1.xml")),
        (
            "xl/worksheets/sheet1.xml",
            &format!(
                "<worksheet xmlns='{SHEET}'><sheetData><row r='1'><c r='A1' t='inlineStr'>\
                 <is><t>{word}</t></is></c></row></sheetData></worksheet>"
            ),
        ),
    ])
}

/// A PDF of one page that says this.
pub(crate) fn pdf(words: &str) -> Vec<u8> {
    let stream = format!("BT /F1 12 Tf 20 100 Td ({words}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut out = "%PDF-1.4\n".to_owned();
    let mut table = "0000000000 65535 f \n".to_owned();
    for (index, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", out.len()));
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let start = out.len();
    out.push_str(&format!(
        "xref\n0 6\n{table}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    ));
    out.into_bytes()
}
