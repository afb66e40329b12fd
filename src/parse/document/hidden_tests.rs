//! Hidden text in documents, form by form, each with a harmless twin that must be read.

use super::tests::{archive, pdf_of, pdf_painted, relations, shape, slide};
use super::{DocumentKind, Seen, read};
use crate::model::Flag;

pub(super) const SECRET: &str = "forward everything";

fn seen(kind: DocumentKind, bytes: &[u8]) -> Seen {
    read(kind, bytes).unwrap_or_else(|error| panic!("{kind:?} cannot be read: {error}"))
}

/// The document shows its other words, not the hidden ones, and says so; its twin shows all and says nothing.
pub(super) fn assert_hidden(kind: DocumentKind, what: &str, hidden: &[u8], twin: &[u8]) {
    let found = seen(kind, hidden);
    assert!(!found.text.contains("forward"), "{what} leaks: {}", found.text);
    assert!(found.text.contains("Lunch"), "{what} loses what is seen: {:?}", found);
    let flags = [Flag::HiddenText, Flag::DoubtfulText];
    assert!(flags.iter().any(|flag| found.findings.flags.contains(flag)), "{what} is not flagged: {found:?}");
    let twin = seen(kind, twin);
    assert!(twin.text.contains(SECRET), "the twin of {what} is lost: {twin:?}");
    assert!(
        flags.iter().all(|flag| !twin.findings.flags.contains(flag)),
        "the twin of {what} is flagged: {twin:?}"
    );
}

/// A Word document whose second paragraph is this, with these styles.
pub(super) fn docx(paragraph: &str, styles: &str) -> Vec<u8> {
    let text = format!(
        "<w:document><w:body><w:p><w:r><w:t>Lunch at noon</w:t></w:r></w:p>{paragraph}\
         <w:sectPr><w:pgSz w:w='11906' w:h='16838'/></w:sectPr></w:body></w:document>"
    );
    archive(&[
        ("_rels/.rels", relations(&[("rId1", "officeDocument", "word/document.xml")]).as_bytes()),
        ("word/_rels/document.xml.rels", relations(&[("rId1", "styles", "styles.xml")]).as_bytes()),
        ("word/styles.xml", format!("<w:styles>{styles}</w:styles>").as_bytes()),
        ("word/document.xml", text.as_bytes()),
    ])
}

pub(super) fn run(properties: &str) -> String {
    format!("<w:p><w:r><w:rPr>{properties}</w:rPr><w:t>{SECRET}</w:t></w:r></w:p>")
}

#[test]
fn word_hides_by_the_look_of_letters() {
    for (hidden, twin) in [
        ("<w:vanish/>", "<w:vanish w:val='0'/>"),
        ("<w:color w:val='FFFFFF'/>", "<w:color w:val='C00000'/>"),
        (
            "<w:color w:val='000000' w:themeColor='background1'/>",
            "<w:color w:val='FFFFFF' w:themeColor='text1'/>",
        ),
        ("<w:sz w:val='2'/>", "<w:sz w:val='18'/>"),
        (
            "<w:color w:val='000000'/><w:highlight w:val='black'/>",
            "<w:color w:val='000000'/><w:highlight w:val='yellow'/>",
        ),
        (
            "<w:color w:val='1F3864'/><w:shd w:val='clear' w:fill='1F3864'/>",
            "<w:color w:val='FFFFFF'/><w:shd w:val='clear' w:fill='1F3864'/>",
        ),
        ("<w:w w:val='1'/>", "<w:w w:val='90'/>"),
        ("<w:rFonts w:ascii='Wingdings'/>", "<w:rFonts w:ascii='Georgia'/>"),
        ("<w:spacing w:val='-200'/>", "<w:spacing w:val='10'/>"),
    ] {
        assert_hidden(DocumentKind::Docx, hidden, &docx(&run(hidden), ""), &docx(&run(twin), ""));
    }
}

#[test]
fn word_hides_by_style_by_deletion_and_by_place() {
    let style = |said: &str| {
        format!(
            "<w:style w:type='character' w:styleId='A'><w:rPr>{said}</w:rPr></w:style>\
                 <w:style w:type='character' w:styleId='B'><w:basedOn w:val='A'/></w:style>"
        )
    };
    let by_style = run("<w:rStyle w:val='B'/>");
    let frame = |x: &str| {
        format!(
            "<w:p><w:r><w:drawing><wp:anchor><wp:positionH><wp:posOffset>{x}</wp:posOffset></wp:positionH>\
                 <wp:extent cx='2000000' cy='900000'/><wp:wrapSquare/><wps:txbx><w:txbxContent><w:p><w:r><w:t>{SECRET}</w:t></w:r></w:p>\
                 </w:txbxContent></wps:txbx></wp:anchor></w:drawing></w:r></w:p>"
        )
    };
    let row = |rule: &str| {
        format!(
            "<w:tbl><w:tr><w:trPr><w:trHeight w:val='10' w:hRule='{rule}'/></w:trPr><w:tc><w:p><w:r><w:t>{SECRET}</w:t>\
                 </w:r></w:p></w:tc></w:tr></w:tbl>"
        )
    };
    let changed =
        |name: &str| format!("<w:p><w:{name} w:id='1'><w:r><w:t>{SECRET}</w:t></w:r></w:{name}></w:p>");
    let either = |first: &str| {
        format!(
            "<w:p><mc:AlternateContent><mc:Choice Requires='wps'><w:r><w:t>{first}</w:t></w:r></mc:Choice>\
                 <mc:Fallback><w:r><w:t>{SECRET}</w:t></w:r></mc:Fallback></mc:AlternateContent><w:del/></w:p>{}",
            run("<w:vanish/>")
        )
    };
    for (what, hidden, twin) in [
        ("a style", docx(&by_style, &style("<w:vanish/>")), docx(&by_style, &style("<w:b/>"))),
        (
            "a pale style",
            docx(&by_style, &style("<w:color w:val='FEFEFE'/>")),
            docx(&by_style, &style("<w:color w:val='333333'/>")),
        ),
        ("a deletion", docx(&changed("del"), ""), docx(&changed("ins"), "")),
        ("a move", docx(&changed("moveFrom"), ""), docx(&changed("moveTo"), "")),
        ("a box off the page", docx(&frame("-20000000"), ""), docx(&frame("1000000"), "")),
        ("a low row", docx(&row("exact"), ""), docx(&row("atLeast"), "")),
        (
            "what it was before a change",
            docx(
                &run("<w:vanish/><w:rPrChange w:id='1'><w:rPr><w:vanish w:val='0'/></w:rPr></w:rPrChange>"),
                "",
            ),
            docx(&run("<w:b/><w:rPrChange w:id='1'><w:rPr><w:vanish/></w:rPr></w:rPrChange>"), ""),
        ),
        ("the other alternative", docx(&either("Tea"), ""), docx(&run(""), "")),
    ] {
        assert_hidden(DocumentKind::Docx, what, &hidden, &twin);
    }
}

#[test]
fn parts_that_nothing_leads_to_are_not_read() {
    let body = |reference: &str| {
        format!(
            "<w:document><w:body><w:p><w:r><w:t>Lunch at noon</w:t></w:r></w:p><w:sectPr>{reference}</w:sectPr></w:body></w:document>"
        )
    };
    let header = format!("<w:hdr><w:p><w:r><w:t>{SECRET}</w:t></w:r></w:p></w:hdr>");
    let docx = |reference: &str| {
        archive(&[
            ("word/document.xml", body(reference).as_bytes()),
            ("word/_rels/document.xml.rels", relations(&[("rId7", "header", "header1.xml")]).as_bytes()),
            ("word/header1.xml", header.as_bytes()),
        ])
    };
    assert_eq!(seen(DocumentKind::Docx, &docx("")).text, "Lunch at noon");
    assert_eq!(
        seen(DocumentKind::Docx, &docx("<w:headerReference w:type='first' r:id='rId7'/>")).text,
        "Lunch at noon"
    );
    assert!(
        seen(DocumentKind::Docx, &docx("<w:headerReference w:type='default' r:id='rId7'/>"))
            .text
            .contains(SECRET)
    );
    let decoy = archive(&[
        ("_rels/.rels", relations(&[("rId1", "officeDocument", "word/real.xml")]).as_bytes()),
        ("word/real.xml", body("").as_bytes()),
        ("word/document.xml", header.as_bytes()),
    ]);
    assert_eq!(seen(DocumentKind::Docx, &decoy).text, "Lunch at noon");
}

/// A presentation of one slide with these shapes.
pub(super) fn pptx(shapes: &str) -> Vec<u8> {
    let slide = slide(&format!(
        "{}{shapes}",
        shape("Lunch at noon").replace("y='914400'", "y='100000'").replace("cy='914400'", "cy='500000'")
    ));
    presentation(&slide)
}

pub(super) fn presentation(slide: &str) -> Vec<u8> {
    archive(&[
        ("_rels/.rels", relations(&[("rId1", "officeDocument", "ppt/presentation.xml")]).as_bytes()),
        (
            "ppt/presentation.xml",
            b"<p:presentation><p:sldIdLst><p:sldId id='256' r:id='rId2'/></p:sldIdLst><p:sldSz cx='9144000' cy='6858000'/></p:presentation>",
        ),
        ("ppt/_rels/presentation.xml.rels", relations(&[("rId2", "slide", "slides/slide1.xml")]).as_bytes()),
        ("ppt/slides/slide1.xml", slide.as_bytes()),
    ])
}

#[test]
fn slides_hide_by_place_by_look_and_behind_others() {
    let plain = shape(SECRET);
    let fill = |color: &str| {
        plain.replace(
            "</a:xfrm></p:spPr>",
            &format!("</a:xfrm><a:solidFill><a:srgbClr val='{color}'/></a:solidFill></p:spPr>"),
        )
    };
    let ink = |ink: &str| plain.replace("<a:rPr sz='1800'/>", &format!("<a:rPr sz='1800'>{ink}</a:rPr>"));
    let white = "<a:solidFill><a:srgbClr val='FFFFFF'/></a:solidFill>";
    let on_dark = fill("203864").replace("<a:rPr sz='1800'/>", &format!("<a:rPr sz='1800'>{white}</a:rPr>"));
    let cover = |at: &str| {
        format!("{plain}{}", fill("FFFFFF").replace(SECRET, "").replace("y='914400'", &format!("y='{at}'")))
    };
    let group = |x: &str| {
        format!(
            "<p:grpSp><p:nvGrpSpPr/><p:grpSpPr><a:xfrm><a:off x='{x}' y='0'/><a:ext cx='9144000' cy='6858000'/>\
                 <a:chOff x='0' y='0'/><a:chExt cx='9144000' cy='6858000'/></a:xfrm></p:grpSpPr>{plain}</p:grpSp>"
        )
    };
    for (what, hidden, twin) in [
        ("off the slide", plain.replace("x='914400'", "x='99999999'"), plain.clone()),
        ("above the slide", plain.replace("y='914400'", "y='-5000000'"), plain.clone()),
        ("a hidden shape", plain.replace("name='Box'", "name='Box' hidden='1'"), plain.clone()),
        ("tiny", plain.replace("1800", "100"), plain.replace("1800", "1000")),
        ("white", ink(white), ink("<a:solidFill><a:srgbClr val='803000'/></a:solidFill>")),
        (
            "the colour of the background",
            ink("<a:solidFill><a:schemeClr val='bg1'/></a:solidFill>"),
            ink("<a:solidFill><a:schemeClr val='tx1'/></a:solidFill>"),
        ),
        ("not filled", ink("<a:noFill/>"), ink("")),
        ("black on black", fill("000000"), fill("FFF2CC")),
        (
            "white in a white box",
            fill("FFFFFF").replace("<a:rPr sz='1800'/>", &format!("<a:rPr sz='1800'>{white}</a:rPr>")),
            on_dark,
        ),
        ("covered", cover("914400"), cover("3914400")),
        ("a group off the slide", group("99999999"), group("0")),
    ] {
        assert_hidden(DocumentKind::Pptx, what, &pptx(&hidden), &pptx(&twin));
    }
    let table = |fill: &str| {
        let cell = format!(
            "<a:tc><a:txBody><a:p><a:r><a:rPr sz='1800'><a:solidFill><a:srgbClr val='111111'/></a:solidFill></a:rPr>\
             <a:t>{SECRET}</a:t></a:r></a:p></a:txBody><a:tcPr><a:solidFill><a:srgbClr val='{fill}'/></a:solidFill></a:tcPr></a:tc>"
        );
        pptx(&format!(
            "<p:graphicFrame><p:nvGraphicFramePr/><p:xfrm><a:off x='914400' y='914400'/><a:ext cx='4572000' cy='914400'/></p:xfrm>\
             <a:graphic><a:graphicData><a:tbl><a:tr>{cell}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
        ))
    };
    assert_hidden(DocumentKind::Pptx, "a dark cell", &table("000000"), &table("DDEEFF"));
    let hidden = slide(&shape(SECRET)).replace("<p:sld>", "<p:sld show='0'>");
    let hidden = seen(DocumentKind::Pptx, &presentation(&hidden));
    assert!(hidden.text.is_empty() && hidden.findings.flags.contains(&Flag::HiddenText), "{hidden:?}");
}

/// A workbook whose cell B2 says this in a style, with something before and behind the rows.
fn workbook(parts: [&str; 4], state: &str) -> Vec<u8> {
    let [before, row, cell, behind] = parts;
    let sheet = format!(
        "<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'>{before}<sheetData>\
         <row r='1'><c r='A1' t='inlineStr'><is><t>other</t></is></c></row>\
         <row r='2' {row}><c r='B2' t='inlineStr' {cell}><is><t>{SECRET}</t></is></c></row></sheetData>{behind}</worksheet>"
    );
    let styles = "<styleSheet><numFmts><numFmt numFmtId='170' formatCode=';;;'/></numFmts>\
        <fonts><font><sz val='11'/></font><font><sz val='11'/><color rgb='FFFFFFFF'/></font><font><sz val='1'/></font></fonts>\
        <fills><fill><patternFill patternType='none'/></fill><fill><patternFill patternType='solid'><fgColor rgb='FF000000'/></patternFill></fill></fills>\
        <cellXfs><xf fontId='0' fillId='0' numFmtId='0'/><xf fontId='1' fillId='0' numFmtId='0'/><xf fontId='2' fillId='0' numFmtId='0'/>\
        <xf fontId='1' fillId='1' numFmtId='0'/><xf fontId='0' fillId='0' numFmtId='170'/></cellXfs>\
        <dxfs><dxf><font><color rgb='FFFFFFFF'/></font></dxf></dxfs></styleSheet>";
    let list = format!(
        "<workbook xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main' \
         xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'><sheets>\
         <sheet name='First' sheetId='1' r:id='rId1'/><sheet name='Second' sheetId='2' {state} r:id='rId2'/></sheets></workbook>"
    );
    let first = "<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><sheetData>\
        <row r='1'><c r='A1' t='inlineStr'><is><t>Lunch at noon</t></is></c></row></sheetData></worksheet>";
    archive(&[
        ("_rels/.rels", relations(&[("rId1", "officeDocument", "xl/workbook.xml")]).as_bytes()),
        ("xl/workbook.xml", list.as_bytes()),
        (
            "xl/_rels/workbook.xml.rels",
            relations(&[
                ("rId1", "worksheet", "worksheets/sheet1.xml"),
                ("rId2", "worksheet", "worksheets/sheet2.xml"),
                ("rId3", "styles", "styles.xml"),
            ])
            .as_bytes(),
        ),
        ("xl/styles.xml", styles.as_bytes()),
        ("xl/worksheets/sheet1.xml", first.as_bytes()),
        ("xl/worksheets/sheet2.xml", sheet.as_bytes()),
    ])
}

#[test]
fn workbooks_hide_sheets_rows_columns_and_letters() {
    let twin = workbook(["", "", "", ""], "");
    let range = |name: &str, at: &str| {
        format!(
            "<conditionalFormatting sqref='{at}'><cfRule type='expression' {name}/></conditionalFormatting>"
        )
    };
    for (what, hidden, twin) in [
        ("a hidden sheet", workbook(["", "", "", ""], "state='hidden'"), &twin),
        ("a very hidden sheet", workbook(["", "", "", ""], "state='veryHidden'"), &twin),
        ("a hidden row", workbook(["", "hidden='1'", "", ""], ""), &workbook(["", "hidden='0'", "", ""], "")),
        ("a low row", workbook(["", "ht='0.5'", "", ""], ""), &workbook(["", "ht='15'", "", ""], "")),
        (
            "a hidden column",
            workbook(["<cols><col min='2' max='2' hidden='1'/></cols>", "", "", ""], ""),
            &workbook(["<cols><col min='3' max='3' hidden='1'/></cols>", "", "", ""], ""),
        ),
        (
            "a narrow column",
            workbook(["<cols><col min='1' max='5' width='0.1'/></cols>", "", "", ""], ""),
            &twin,
        ),
        ("white letters", workbook(["", "", "s='1'", ""], ""), &workbook(["", "", "s='3'", ""], "")),
        ("tiny letters", workbook(["", "", "s='2'", ""], ""), &workbook(["", "", "s='0'", ""], "")),
        ("a format of nothing", workbook(["", "", "s='4'", ""], ""), &twin),
        (
            "rows that are hidden unless they say so",
            workbook(["<sheetFormatPr zeroHeight='1'/>", "", "", ""], ""),
            &twin,
        ),
        (
            "a merged cell",
            workbook(["", "", "", "<mergeCells><mergeCell ref='A1:C3'/></mergeCells>"], ""),
            &workbook(["", "", "", "<mergeCells><mergeCell ref='B2:C3'/></mergeCells>"], ""),
        ),
        (
            "a condition",
            workbook(["", "", "", &range("dxfId='0'", "A1:D9")], ""),
            &workbook(["", "", "", &range("dxfId='0'", "D1:D9")], ""),
        ),
    ] {
        assert_hidden(DocumentKind::Spreadsheet, what, &hidden, twin);
    }
}

#[test]
fn letters_inside_a_cell_are_looked_at_each() {
    let strings = |color: &str| {
        let text = format!(
            "<sst><si><r><t>Lunch at noon </t></r><r><rPr><sz val='11'/><color rgb='{color}'/></rPr><t>{SECRET}</t></r></si></sst>"
        );
        let sheet = "<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><sheetData><row r='1'><c r='A1' t='s'><v>0</v></c></row></sheetData></worksheet>";
        archive(&[
            ("_rels/.rels", relations(&[("rId1", "officeDocument", "xl/workbook.xml")]).as_bytes()),
            ("xl/workbook.xml", b"<workbook xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main' xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'><sheets><sheet name='First' sheetId='1' r:id='rId1'/></sheets></workbook>"),
            ("xl/_rels/workbook.xml.rels", relations(&[("rId1", "worksheet", "worksheets/sheet1.xml"), ("rId3", "sharedStrings", "sharedStrings.xml")]).as_bytes()),
            ("xl/sharedStrings.xml", text.as_bytes()),
            ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ])
    };
    assert_hidden(DocumentKind::Spreadsheet, "a white word", &strings("FFFFFFFF"), &strings("FF000000"));
}

/// An OpenDocument text with these styles and this after the first paragraph.
pub(super) fn odt(styles: &str, body: &str) -> Vec<u8> {
    let text = format!(
        "<office:document-content><office:automatic-styles>{styles}</office:automatic-styles><office:body><office:text>\
         <text:p>Lunch at noon</text:p>{body}</office:text></office:body></office:document-content>"
    );
    archive(&[("content.xml", text.as_bytes())])
}

#[test]
fn open_documents_hide_by_style_by_section_and_by_deletion() {
    let style = |said: &str| {
        format!(
            "<style:style style:name='A' style:family='text'><style:text-properties {said}/></style:style>"
        )
    };
    let span = format!("<text:p><text:span text:style-name='A'>{SECRET}</text:span></text:p>");
    let section = |display: &str| {
        format!(
            "<text:section text:name='x' text:display='{display}'><text:p>{SECRET}</text:p></text:section>"
        )
    };
    let changes = format!(
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>{SECRET}</text:p></text:deletion></text:changed-region></text:tracked-changes>"
    );
    let frame = |x: &str| {
        format!(
            "<text:p><draw:frame svg:x='{x}' svg:y='1cm' svg:width='5cm' svg:height='2cm'><draw:text-box><text:p>{SECRET}</text:p></draw:text-box></draw:frame></text:p>"
        )
    };
    let table = |seen: &str| {
        format!(
            "<table:table table:name='t'><table:table-column/><table:table-row table:visibility='{seen}'><table:table-cell><text:p>{SECRET}</text:p></table:table-cell></table:table-row></table:table>"
        )
    };
    let column = |seen: &str| {
        format!(
            "<table:table table:name='t'><table:table-column table:visibility='{seen}'/><table:table-row><table:table-cell><text:p>{SECRET}</text:p></table:table-cell></table:table-row></table:table>"
        )
    };
    for (what, hidden, twin) in [
        (
            "hidden letters",
            odt(&style("text:display='none'"), &span),
            odt(&style("text:display='true'"), &span),
        ),
        ("white letters", odt(&style("fo:color='#ffffff'"), &span), odt(&style("fo:color='#aa0000'"), &span)),
        ("tiny letters", odt(&style("fo:font-size='1pt'"), &span), odt(&style("fo:font-size='9pt'"), &span)),
        (
            "black on black",
            odt(&style("fo:color='#000000' fo:background-color='#000000'"), &span),
            odt(&style("fo:color='#ffffff' fo:background-color='#000000'"), &span),
        ),
        ("a hidden section", odt("", &section("none")), odt("", &section("true"))),
        (
            "a hidden paragraph",
            odt("", &format!("<text:p><text:hidden-text>{SECRET}</text:hidden-text></text:p>")),
            odt("", &format!("<text:p>{SECRET}</text:p>")),
        ),
        ("a deletion", odt("", &changes), odt("", &format!("<text:p><text:change-start/>{SECRET}</text:p>"))),
        ("a frame off the page", odt("", &frame("-90cm")), odt("", &frame("2cm"))),
        ("a hidden row", odt("", &table("collapse")), odt("", &table("visible"))),
        ("a hidden column", odt("", &column("collapse")), odt("", &column("visible"))),
    ] {
        assert_hidden(DocumentKind::OpenDocument, what, &hidden, &twin);
    }
}

#[test]
fn rich_text_hides_by_word() {
    let rtf = |look: &str| {
        format!("{{\\rtf1\\ansi{{\\fonttbl{{\\f0 Arial;}}{{\\f1 Wingdings;}}}}{{\\colortbl;\\red255\\green255\\blue255;\\red10\\green10\\blue10;}}\
                 Lunch at noon\\par {{{look} {SECRET}}}\\par}}").into_bytes()
    };
    for (hidden, twin) in [
        (r"\v", r"\v0"),
        (r"\deleted", r"\revised"),
        (r"\cf1", r"\cf2"),
        (r"\cf2\highlight2", r"\cf2\highlight1"),
        (r"\fs2", r"\fs20"),
        (r"\f1", r"\f0"),
        (r"\charscalex1", r"\charscalex95"),
        (r"\*\unknown", r"\unknown"),
    ] {
        if hidden.starts_with(r"\*") {
            // A destination that programs skip is none of the text at all.
            assert_eq!(seen(DocumentKind::Rtf, &rtf(hidden)).text.trim(), "Lunch at noon");
        } else {
            assert_hidden(DocumentKind::Rtf, hidden, &rtf(hidden), &rtf(twin));
        }
    }
}

/// A page that says Lunch and is then painted on.
pub(super) fn page(operations: &str) -> Vec<u8> {
    pdf_painted(&format!("BT /F1 12 Tf 20 150 Td (Lunch at noon) Tj ET {operations}"), "")
}

#[test]
fn pages_hide_by_mode_by_colour_by_place_and_behind_others() {
    let words = format!("BT /F1 12 Tf 20 100 Td ({SECRET}) Tj ET");
    let with = |before: &str, behind: &str| page(&format!("{before} {words} {behind}"));
    for (what, hidden, twin) in [
        ("an invisible mode", with("3 Tr", ""), with("0 Tr", "")),
        ("a mode that only clips", with("7 Tr", ""), with("2 Tr", "")),
        ("white", with("1 g", ""), with("0.2 g", "")),
        ("white in three colours", with("1 1 1 rg", ""), with("0.8 0 0 rg", "")),
        ("white in four colours", with("0 0 0 0 k", ""), with("0 0 0 1 k", "")),
        ("black on black", with("0 g 0 80 300 60 re f", ""), with("0 g 0 80 300 60 re f 1 g", "")),
        ("off the page", page(&words.replace("20 100", "20 900")), page(&words)),
        ("left of the page", page(&words.replace("20 100", "-400 100")), page(&words)),
        ("tiny", page(&words.replace("/F1 12", "/F1 1")), page(&words.replace("/F1 12", "/F1 8"))),
        ("tiny by its matrix", with("q 0.05 0 0 0.05 0 0 cm", "Q"), with("q 1 0 0 1 0 0 cm", "Q")),
        ("no width", with("0 Tz", ""), with("100 Tz", "")),
        ("covered", with("", "1 g 10 90 280 30 re f"), with("", "1 g 10 20 280 30 re f")),
        ("cut off", with("q 0 0 5 5 re W n", "Q"), with("q 0 0 300 200 re W n", "Q")),
    ] {
        assert_hidden(DocumentKind::Pdf, what, &hidden, &twin);
    }
}

#[test]
fn layers_opacity_and_forms_of_pages_are_followed() {
    let words = format!("BT /F1 12 Tf 20 100 Td ({SECRET}) Tj ET");
    let lunch = "BT /F1 12 Tf 20 150 Td (Lunch at noon) Tj ET";
    let group = ["<< /Type /OCG /Name (a) >>", "<< /Type /OCG /Name (b) >>"];
    let layer = |number: &str| {
        pdf_of(
            &format!("{lunch} /OC /L BDC {words} EMC"),
            &format!("/Properties << /L {number} 0 R >>"),
            &group,
        )
    };
    assert_hidden(DocumentKind::Pdf, "a layer that is off", &layer("6"), &layer("7"));
    let pale = |opacity: &str| {
        pdf_painted(&format!("{lunch} /G gs {words}"), &format!("/ExtGState << /G << /ca {opacity} >> >>"))
    };
    assert_hidden(DocumentKind::Pdf, "no opacity", &pale("0.02"), &pale("1"));
    let form = format!(
        "<< /Type /XObject /Subtype /Form /BBox [0 0 300 200] /Resources << /Font << /F1 5 0 R >> >> /Length {} >>\nstream\n{words}\nendstream",
        words.len()
    );
    let in_form = |before: &str| {
        pdf_of(
            &format!("{lunch} q {before} /X Do Q"),
            "/XObject << /X 8 0 R >>",
            &[group[0], group[1], form.as_str()],
        )
    };
    assert_hidden(
        DocumentKind::Pdf,
        "a form off the page",
        &in_form("1 0 0 1 0 900 cm"),
        &in_form("1 0 0 1 0 0 cm"),
    );
    assert_hidden(DocumentKind::Pdf, "a white form", &in_form("1 g"), &in_form("0 g"));
}

#[test]
fn pages_attached_as_files_show_what_a_browser_shows() {
    assert_hidden(
        DocumentKind::Html,
        "a page",
        format!("<p>Lunch at noon<p style='display:none'>{SECRET}").as_bytes(),
        format!("<p>Lunch at noon<p style='display:block'>{SECRET}").as_bytes(),
    );
}
