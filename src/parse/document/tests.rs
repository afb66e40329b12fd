use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{DocumentError, DocumentKind, kind};

/// The text that a person sees.
pub(super) fn text(kind: DocumentKind, bytes: &[u8]) -> Result<String, DocumentError> {
    super::read(kind, bytes).map(|seen| seen.text)
}

/// A zip archive of these parts.
pub(super) fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A PDF of one page that says this.
pub(super) fn pdf(words: &str) -> Vec<u8> {
    pdf_painted(&format!("BT /F1 12 Tf 20 100 Td ({words}) Tj ET"), "")
}

/// A PDF of one page with these operations, and more objects from number 6 on, which its resources name.
pub(super) fn pdf_painted(operations: &str, resources: &str) -> Vec<u8> {
    pdf_of(operations, resources, &[])
}

/// The same with more objects, which are numbered from 6 on.
pub(super) fn pdf_of(operations: &str, resources: &str, more: &[&str]) -> Vec<u8> {
    pdf_page(operations, resources, "", more)
}

/// The same with more entries of the page.
pub(super) fn pdf_page(operations: &str, resources: &str, entries: &str, more: &[&str]) -> Vec<u8> {
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R 7 0 R] /D << /OFF [6 0 R] >> >> >>"
            .to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R \
             /Resources << {} {resources} >> {entries} >>",
            if resources.contains("/Font ") { "" } else { "/Font << /F1 5 0 R >>" }
        ),
        format!("<< /Length {} >>\nstream\n{operations}\nendstream", operations.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    objects.extend(more.iter().map(|object| (*object).to_owned()));
    let mut out = "%PDF-1.4\n".to_owned();
    let mut table = "0000000000 65535 f \n".to_owned();
    for (index, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", out.len()));
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let (start, count) = (out.len(), objects.len() + 1);
    out.push_str(&format!(
        "xref\n0 {count}\n{table}trailer << /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    ));
    out.into_bytes()
}

/// A list of relations: their numbers, kinds and targets.
pub(super) fn relations(list: &[(&str, &str, &str)]) -> String {
    let each = list.iter().map(|(id, kind, target)| {
        format!(
            "<Relationship Id='{id}' Target='{target}' \
             Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}'/>"
        )
    });
    let each: String = each.collect();
    format!(
        "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>{each}</Relationships>"
    )
}

/// A slide of these shapes.
pub(super) fn slide(shapes: &str) -> String {
    format!("<p:sld><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>")
}

/// A shape in the middle of a slide that says this.
pub(super) fn shape(words: &str) -> String {
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id='2' name='Box'/></p:nvSpPr><p:spPr><a:xfrm><a:off x='914400' y='914400'/>\
         <a:ext cx='4572000' cy='914400'/></a:xfrm></p:spPr><p:txBody><a:bodyPr/>\
         <a:p><a:r><a:rPr sz='1800'/><a:t>{words}</a:t></a:r></a:p></p:txBody></p:sp>"
    )
}

/// A workbook of one sheet with these rows in its XML.
pub(super) fn xlsx(rows: &str) -> Vec<u8> {
    let sheet = format!(
        "<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><sheetData>{rows}</sheetData></worksheet>"
    );
    archive(&[
        (
            "_rels/.rels",
            b"<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>\
              <Relationship Id='rId1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument' \
              Target='xl/workbook.xml'/></Relationships>",
        ),
        (
            "xl/workbook.xml",
            b"<workbook xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main' \
              xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'>\
              <sheets><sheet name='Budget' sheetId='1' r:id='rId1'/></sheets></workbook>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            b"<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>\
              <Relationship Id='rId1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet' \
              Target='worksheets/sheet1.xml'/></Relationships>",
        ),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ])
}

#[test]
fn what_lacks_the_mark_of_its_kind_is_told_from_what_may_be_read() {
    let behind_a_banner = [b"sent by a gateway\r\n".as_slice(), &pdf("words")].concat();

    assert!(DocumentKind::Pdf.may_be(&pdf("words")) && DocumentKind::Pdf.may_be(&behind_a_banner));
    assert!(!DocumentKind::Pdf.may_be(b"<html>you must sign in</html>"));
    assert!(!DocumentKind::Docx.may_be(b"{\\rtf1}") && !DocumentKind::Spreadsheet.may_be(b"a,b\n"));
    assert!(DocumentKind::Spreadsheet.may_be(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest"));
    assert!(DocumentKind::Plain.may_be(b""));
}

#[test]
fn the_media_type_decides_and_the_name_helps_out() {
    assert_eq!(kind("Application/PDF; name=x", None), Some(DocumentKind::Pdf));
    assert_eq!(kind("application/octet-stream", Some("Plan.DOCX")), Some(DocumentKind::Docx));
    assert_eq!(kind("application/vnd.oasis.opendocument.text", None), Some(DocumentKind::OpenDocument));
    assert_eq!(
        kind("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", None),
        Some(DocumentKind::Spreadsheet)
    );
    assert_eq!(kind("text/x-python", None), Some(DocumentKind::Plain));
    assert_eq!(kind("image/png", Some("a.png")), None);
    assert_eq!(kind("", None), None);
}

#[test]
fn every_kind_is_found_again_by_its_name() {
    for name in
        ["plain", "html", "xml", "calendar", "rtf", "pdf", "docx", "pptx", "opendocument", "spreadsheet"]
    {
        assert_eq!(DocumentKind::from_name(name).map(DocumentKind::name), Some(name));
    }
}

#[test]
fn plain_files_are_read_in_the_usual_encodings() {
    assert_eq!(text(DocumentKind::Plain, "\u{feff}Grüße\r\n".as_bytes()).unwrap(), "Grüße");
    assert_eq!(text(DocumentKind::Plain, b"\xff\xfeG\0r\0\xfc\0").unwrap(), "Grü");
    assert_eq!(text(DocumentKind::Plain, b"\xfe\xff\0G\0r\0\xfc").unwrap(), "Grü");
    assert_eq!(text(DocumentKind::Plain, b"5 \x80 \x96 \xfc").unwrap(), "5 € – ü");
    assert_eq!(text(DocumentKind::Html, b"<p>a<p>b<script>c</script>").unwrap(), "a\n\nb");
}

#[test]
fn a_calendar_tells_what_where_and_who() {
    let calendar = b"BEGIN:VEVENT\r\nUID:1\r\nSUMMARY;LANGUAGE=en:Tea\\, at\r\n  four\r\n\
        ATTENDEE;CN=\"Ada: L\";ROLE=X:mailto:ada@example.org\r\nDESCRIPTION:a\\nb\r\nEND:VEVENT\r\n";

    assert_eq!(text(DocumentKind::Calendar, calendar).unwrap(), "Tea, at four\nAda: L ada@example.org\na\nb");
}

#[test]
fn xml_gives_its_text_nodes() {
    let xml =
        "<?xml version='1.0'?><a k='no'><b>one &amp; &#116;wo</b> <c><![CDATA[<three>]]></c><!-- no --></a>";

    assert_eq!(text(DocumentKind::Xml, xml.as_bytes()).unwrap(), "one & two\n<three>");
}

#[test]
fn rich_text_gives_its_words() {
    let rtf =
        br"{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\*\generator X;}\b Gr\'fc\u223?e\b0\par caf\{\}{\pict 00ff}}";

    assert_eq!(text(DocumentKind::Rtf, rtf).unwrap(), "Grüße\ncaf{}");
}

#[test]
fn a_word_document_gives_paragraphs_and_notes() {
    let docx = archive(&[
        (
            "word/footnotes.xml",
            b"<w:footnotes><w:footnote w:id='2'><w:p><w:r><w:t>note</w:t></w:r></w:p></w:footnote></w:footnotes>",
        ),
        ("word/_rels/document.xml.rels", relations(&[("rId1", "footnotes", "footnotes.xml")]).as_bytes()),
        (
            "word/document.xml",
            "<w:document><w:body><w:p><w:r><w:t>Dear</w:t><w:tab/><w:t xml:space='preserve'> Ada &amp; B\u{f6}b</w:t>\
             <w:instrText>HYPERLINK</w:instrText></w:r></w:p><w:p><w:r><w:t>Bye</w:t>\
             <w:footnoteReference w:id='2'/></w:r></w:p></w:body></w:document>"
                .as_bytes(),
        ),
    ]);

    assert_eq!(text(DocumentKind::Docx, &docx).unwrap(), "Dear\t Ada & Böb\nBye\n\nnote");
}

#[test]
fn slides_come_in_order() {
    let (two, ten, notes) = (slide(&shape("two")), slide(&shape("ten")), slide(&shape("notes")));
    let pptx = archive(&[
        ("ppt/slides/slide10.xml", ten.as_bytes()),
        ("ppt/slides/slide2.xml", two.as_bytes()),
        (
            "ppt/slides/_rels/slide2.xml.rels",
            relations(&[("rId1", "notesSlide", "../notesSlides/notesSlide2.xml")]).as_bytes(),
        ),
        ("ppt/notesSlides/notesSlide2.xml", notes.as_bytes()),
    ]);

    assert_eq!(text(DocumentKind::Pptx, &pptx).unwrap(), "two\n\nten\n\nnotes");
}

#[test]
fn an_open_document_gives_its_body() {
    let odt = archive(&[(
        "content.xml",
        b"<office:document-content><office:body><office:text><text:h>Plan</text:h><text:p>a<text:s/>b\
          <text:span>c</text:span><text:line-break/>d</text:p></office:text></office:body></office:document-content>",
    )]);

    assert_eq!(text(DocumentKind::OpenDocument, &odt).unwrap(), "Plan\na bc\nd");
}

#[test]
fn a_spreadsheet_gives_sheets_rows_and_cells() {
    let workbook = xlsx(
        "<row r='1'><c r='A1' t='inlineStr'><is><t>Rent</t></is></c><c r='B1'><v>1200.5</v></c></row>\
         <row r='2'><c r='A2' t='inlineStr'><is><t>Tea</t></is></c></row>",
    );

    assert_eq!(text(DocumentKind::Spreadsheet, &workbook).unwrap(), "Budget\nRent\t1200.5\nTea");
}

#[test]
fn a_pdf_gives_its_words() {
    assert_eq!(text(DocumentKind::Pdf, &pdf("Hello from page one")).unwrap(), "Hello from page one");
}
