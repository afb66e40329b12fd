//! Text of slides, sheets, pages and calendars that is written and not seen, each way beside a twin that must be read.

use super::DocumentKind;
use super::hidden_tests::{SECRET, assert_hidden, odt, pptx};
use super::tests::{archive, relations, shape};

#[test]
fn slides_keep_out_what_overflows_is_replaced_or_covered() {
    let plain = shape(SECRET);
    let body = |said: &str, text: &str| shape(text).replace("<a:bodyPr/>", &format!("<a:bodyPr {said}/>"));
    let space = |points: u32| {
        plain
            .replace("<a:p>", &format!("<a:p><a:pPr><a:spcBef><a:spcPts val='{points}'/></a:spcBef></a:pPr>"))
    };
    let lines = |said: &str| {
        let tea = "<a:p><a:r><a:t>Tea at noon</a:t></a:r></a:p>".repeat(12);
        body(said, SECRET)
            .replace("</p:txBody>", &format!("{tea}</p:txBody>"))
            .replace("y='914400'", "y='300000'")
    };
    let field = |kind: &str| {
        plain
            .replace("<a:r>", &format!("<a:{kind} type='slidenum'>"))
            .replace("</a:r>", &format!("</a:{kind}>"))
    };
    let line = |width: u32| {
        format!(
            "{plain}<p:cxnSp><p:spPr><a:xfrm><a:off x='0' y='1300000'/><a:ext cx='9144000' cy='0'/></a:xfrm>\
             <a:ln w='{width}'><a:solidFill><a:srgbClr val='FFFFFF'/></a:solidFill></a:ln></p:spPr></p:cxnSp>"
        )
    };
    let chart = |y: u32| {
        format!(
            "{plain}<p:graphicFrame><p:xfrm><a:off x='0' y='{y}'/><a:ext cx='9144000' cy='2000000'/></p:xfrm>\
             <a:graphic><a:graphicData/></a:graphic></p:graphicFrame>"
        )
    };
    let marked = |y: u32| {
        let look = "<a:rPr sz='1800'><a:highlight><a:srgbClr val='FFFF00'/></a:highlight></a:rPr>";
        let over =
            shape("Tea").replace("<a:rPr sz='1800'/>", look).replace("y='914400'", &format!("y='{y}'"));
        format!("{plain}{over}")
    };
    let long = format!("{} {SECRET}", "tea and cake ".repeat(20));
    for (what, hidden, twin) in [
        ("far below its box", space(158_400), space(600)),
        ("pushed up out of its box", lines("anchor='b'"), lines("anchor='t'")),
        ("a line that is not broken", body("wrap='none'", &long), body("wrap='square'", &long)),
        ("the number of the slide", field("fld"), field("r")),
        ("a thick line over it", line(2_000_000), line(12_700)),
        ("a chart over it", chart(700_000), chart(4_000_000)),
        ("marked words over it", marked(914_400), marked(4_000_000)),
    ] {
        assert_hidden(DocumentKind::Pptx, what, &pptx(&hidden), &pptx(&twin));
    }
}

/// A workbook of two sheets: the first says Lunch, the second is this, with these styles and texts.
fn workbook(window: &str, styles: &str, strings: &str, second: &str) -> Vec<u8> {
    let names = "xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main' \
                 xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'";
    let first =
        "<sheetData><row r='1'><c r='A1' t='inlineStr'><is><t>Lunch at noon</t></is></c></row></sheetData>";
    let sheet = |inner: &str| format!("<worksheet {names}>{inner}</worksheet>");
    let list = format!(
        "<workbook {names}><bookViews><workbookView {window}/></bookViews><sheets><sheet name='S' sheetId='1' r:id='rId1'/>\
         <sheet name='T' sheetId='2' r:id='rId2'/></sheets></workbook>"
    );
    let leads = relations(&[
        ("rId1", "worksheet", "sheet1.xml"),
        ("rId2", "worksheet", "sheet2.xml"),
        ("rId3", "styles", "styles.xml"),
        ("rId4", "sharedStrings", "sharedStrings.xml"),
    ]);
    archive(&[
        ("_rels/.rels", relations(&[("rId1", "officeDocument", "xl/workbook.xml")]).as_bytes()),
        ("xl/workbook.xml", list.as_bytes()),
        ("xl/_rels/workbook.xml.rels", leads.as_bytes()),
        ("xl/styles.xml", format!("<styleSheet {names}>{styles}</styleSheet>").as_bytes()),
        ("xl/sharedStrings.xml", format!("<sst {names}>{strings}</sst>").as_bytes()),
        ("xl/sheet1.xml", sheet(first).as_bytes()),
        ("xl/sheet2.xml", sheet(second).as_bytes()),
    ])
}

const STYLES: &str = "<fonts><font><sz val='11'/></font></fonts><fills><fill/></fills>\
    <cellXfs><xf/><xf><alignment wrapText='1'/></xf></cellXfs>";
const CELL: &str = "<c r='A3' t='s'><v>0</v></c>";

fn book(window: &str, second: &str) -> Vec<u8> {
    let text = format!("<si><t>{SECRET}</t></si><si><t>x</t></si>");
    workbook(window, STYLES, &text, second)
}

fn plain_book(window: &str) -> Vec<u8> {
    book(window, &format!("<sheetData><row r='3'>{CELL}</row></sheetData>"))
}

#[test]
fn workbooks_keep_out_what_windows_rows_and_conditions_do_not_show() {
    let rows = |before: &str, cells: &str| {
        book("", &format!("{before}<sheetData><row r='3'>{cells}</row></sheetData>"))
    };
    let frozen = |rows: u32| {
        let view =
            format!("<sheetViews><sheetView><pane ySplit='{rows}' state='frozen'/></sheetView></sheetViews>");
        book(
            "",
            &format!(
                "{view}<sheetData><row r='1'><c r='A1' t='s'><v>1</v></c></row><row r='90'><c r='A90' t='s'><v>0</v></c></row></sheetData>"
            ),
        )
    };
    let own_look = |at: &str| {
        format!(
            "<sheetData><row r='3'>{CELL}</row></sheetData><extLst><ext><x14:conditionalFormatting><x14:cfRule type='expression'>\
             <x14:dxf><font><color rgb='FFFFFFFF'/></font></x14:dxf></x14:cfRule><xm:sqref>{at}</xm:sqref></x14:conditionalFormatting></ext></extLst>"
        )
    };
    let low = |height: u32| {
        let long = format!("<si><t>{} {SECRET}</t></si>", "tea and cake ".repeat(4));
        workbook(
            "",
            STYLES,
            &long,
            &format!(
                "<sheetData><row r='3' ht='{height}'><c r='A3' s='1' t='s'><v>0</v></c></row></sheetData>"
            ),
        )
    };
    let beside = |other: &str| {
        rows(
            "<cols><col min='1' max='1' width='0.8'/></cols>",
            &format!("{CELL}<c r='{other}' t='s'><v>1</v></c>"),
        )
    };
    for (what, hidden, twin) in [
        ("a sheet without tabs", plain_book("showSheetTabs='0'"), plain_book("")),
        ("a frozen part larger than a window", frozen(400), frozen(1)),
        ("a look beside its condition", book("", &own_look("A1:Z9")), book("", &own_look("C1:Z9"))),
        ("a low row of broken lines", low(15), low(150)),
        ("cut off by a neighbour", beside("B3"), beside("C3")),
    ] {
        assert_hidden(DocumentKind::Spreadsheet, what, &hidden, &twin);
    }
}

#[test]
fn workbooks_keep_out_what_formulas_gave_and_how_texts_are_spoken() {
    let given = |formula: &str| {
        workbook(
            "",
            STYLES,
            "<si><t>x</t></si>",
            &format!(
                "<sheetData><row r='3'><c r='A3' t='str'><f>{formula}</f><v>{SECRET}</v></c></row></sheetData>"
            ),
        )
    };
    let spoken = |name: &str| {
        let texts = format!(
            "<si><r><rPr><color rgb='FFFFFFFF'/></rPr><t>pale</t></r><r><t>x</t></r><{name}><t>{SECRET}</t></{name}></si>"
        );
        workbook("", STYLES, &texts, &format!("<sheetData><row r='3'>{CELL}</row></sheetData>"))
    };
    for (what, hidden, twin) in [
        ("what a formula gave", given("IF(NOW()&gt;0,\"Total\",A1)"), given(&format!("\"{SECRET}\""))),
        ("how a text is spoken", spoken("rPh"), plain_book("")),
    ] {
        assert_hidden(DocumentKind::Spreadsheet, what, &hidden, &twin);
    }
}

#[test]
fn open_documents_keep_out_what_is_worked_out_anew_or_cut_off() {
    let field = |name: &str| odt("", &format!("<text:p><text:{name}>{SECRET}</text:{name}></text:p>"));
    let twin = field("span");
    for name in ["page-number", "file-name", "script", "date", "sender-title", "note-citation"] {
        assert_hidden(DocumentKind::OpenDocument, name, &field(name), &twin);
    }
    let tea = "<text:p>Tea at noon</text:p>".repeat(3);
    let frame = |height: &str| {
        odt(
            "",
            &format!(
                "<text:p><draw:frame svg:width='9cm' svg:height='{height}'><draw:text-box>{tea}<text:p>{SECRET}</text:p></draw:text-box></draw:frame></text:p>"
            ),
        )
    };
    let row = |height: &str| {
        odt(
            &format!(
                "<style:style style:name='R' style:family='table-row'><style:table-row-properties style:{height}/></style:style>"
            ),
            &format!(
                "<table:table><table:table-row table:style-name='R'><table:table-cell>{tea}<text:p>{SECRET}</text:p></table:table-cell></table:table-row></table:table>"
            ),
        )
    };
    let label = odt(
        "",
        &format!(
            "<text:list><text:list-item><text:number>{SECRET}</text:number><text:p>Tea</text:p></text:list-item></text:list>"
        ),
    );
    for (what, hidden, twin) in [
        ("a low frame", frame("0.6cm"), frame("6cm")),
        ("a low row", row("row-height='0.6cm'"), row("min-row-height='0.6cm'")),
        ("a number of a list", label, twin),
    ] {
        assert_hidden(DocumentKind::OpenDocument, what, &hidden, &twin);
    }
    let sheet = |cell: &str| {
        let text = format!(
            "<office:document-content><office:body><office:spreadsheet><table:table table:name='S'><table:table-row>\
             <table:table-cell><text:p>Lunch</text:p></table:table-cell>{cell}</table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"
        );
        archive(&[("content.xml", text.as_bytes())])
    };
    let cell =
        |said: &str, inner: &str| sheet(&format!("<table:table-cell {said}>{inner}</table:table-cell>"));
    let text = format!("<text:p>{SECRET} now</text:p>");
    for (what, hidden) in [
        ("a number", cell("office:value-type='float' office:value='5'", &text)),
        ("another text", cell("office:value-type='string' office:string-value='Tea'", &text)),
        ("a formula", cell("office:value-type='string' table:formula='of:=A1'", &text)),
        ("a note under the pointer", cell("", &format!("<office:annotation>{text}</office:annotation>"))),
    ] {
        assert_hidden(DocumentKind::OpenDocument, what, &hidden, &cell("office:value-type='string'", &text));
    }
}

#[test]
fn pages_are_read_in_the_charset_that_they_name() {
    let page = |charset: &str, name: &[u8], class: &[u8]| {
        let head = format!("<meta charset='{charset}'><style>.").into_bytes();
        let middle = b"{display:none}</style><p>Lunch</p><p class='".to_vec();
        [head, name.to_vec(), middle, class.to_vec(), format!("'>{SECRET}</p>").into_bytes()].concat()
    };
    for (charset, name, class) in [
        ("iso-2022-jp", b"ab".as_slice(), b"a\x1b(Bb".as_slice()),
        ("shift_jis", b"\x83\x5c", b"\x83\x5c"),
        ("big5", b"\xa5\x5c", b"\xa5\x5c"),
    ] {
        assert_hidden(
            DocumentKind::Html,
            charset,
            &page(charset, name, class),
            &page(charset, name, b"other"),
        );
    }
}

#[test]
fn xml_that_something_draws_is_not_read_as_text() {
    let html = |look: &str| {
        format!(
            "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body><p>Lunch</p><p style='display:{look}'>{SECRET}</p></body></html>"
        )
    };
    assert_hidden(DocumentKind::Xml, "a page", html("none").as_bytes(), html("block").as_bytes());
    for hidden in [
        format!("<?xml-stylesheet href='data:text/css,b'?><a><b>{SECRET}</b></a>"),
        format!("<a><b xmlns='http://www.w3.org/1999/xhtml'>{SECRET}</b></a>"),
        format!("<a><b xmlns='http://www.w3.org/1999/&#120;html'>{SECRET}</b></a>"),
    ] {
        let seen = super::read(DocumentKind::Xml, hidden.as_bytes()).unwrap();
        assert!(seen.text.is_empty() && !seen.findings.flags.is_empty(), "{seen:?}");
    }
}

#[test]
fn a_file_of_plain_type_that_is_called_a_page_is_one() {
    assert_eq!(super::kind("text/x-foo", Some("page.html")), Some(DocumentKind::Html));
    assert_eq!(super::kind("text/plain", Some("notes.txt")), Some(DocumentKind::Plain));
    assert_eq!(super::kind("text/plain", Some("drawing.svg")), None);
}

#[test]
fn calendars_tell_only_what_their_entries_show() {
    let calendar = |before: &str, inside: &str, behind: &str| {
        format!(
            "BEGIN:VCALENDAR\n{before}BEGIN:VEVENT\nSUMMARY:Lunch\n{inside}END:VEVENT\nEND:VCALENDAR\n{behind}"
        )
    };
    let said = format!("DESCRIPTION:{SECRET}\n");
    let twin = calendar("", &said, "");
    let inside = |name: &str| format!("BEGIN:{name}\n{said}END:{name}\n");
    for (what, hidden) in [
        ("behind the end", calendar("", "", &said)),
        ("in a zone of time", calendar(&inside("VTIMEZONE"), "", "")),
        ("in an alarm", calendar("", &inside("VALARM"), "")),
        ("in something of its own", calendar(&inside("X-FOO"), "", "")),
        ("a second time", calendar("", &format!("DESCRIPTION:Tea\n{said}"), "")),
        ("a comment", calendar("", &said.replace("DESCRIPTION", "COMMENT"), "")),
    ] {
        assert_hidden(DocumentKind::Calendar, what, hidden.as_bytes(), twin.as_bytes());
    }
}
