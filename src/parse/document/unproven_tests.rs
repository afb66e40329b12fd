//! Forms of hiding that no single property names: what acts on text and is not proven harmless keeps it out, and each has a
//! harmless twin that must be read.

use super::DocumentKind;
use super::hidden_tests::{SECRET, assert_hidden, docx, odt, page, pptx, run};
use super::tests::{archive, pdf_of, pdf_page, relations, shape};

fn row(table: &str, cell: &str) -> String {
    format!("<w:tbl><w:tblPr>{table}</w:tblPr><w:tr><w:tc>{cell}</w:tc></w:tr></w:tbl>")
}

#[test]
fn word_keeps_out_what_its_letters_and_tables_may_hide() {
    let shaded = |fill: &str| {
        let style = format!(
            "<w:style w:type='table' w:styleId='T'><w:tcPr><w:shd w:val='clear' w:fill='{fill}'/></w:tcPr></w:style>"
        );
        docx(&row("<w:tblStyle w:val='T'/>", &run("<w:color w:val='000000'/>")), &style)
    };
    let table = |properties: &str| docx(&row(properties, &run("")), "");
    for (what, hidden, twin) in [
        (
            "tiny letters of other scripts",
            docx(&run("<w:cs/><w:sz w:val='24'/><w:szCs w:val='2'/>"), ""),
            docx(&run("<w:cs/><w:sz w:val='24'/><w:szCs w:val='20'/>"), ""),
        ),
        ("a property that nobody knows", docx(&run("<w:dissolve/>"), ""), docx(&run("<w:smallCaps/>"), "")),
        ("a style that shades its table", shaded("000000"), shaded("DDEEFF")),
        (
            "a table left of the page",
            table("<w:tblInd w:w='-20000' w:type='dxa'/>"),
            table("<w:tblInd w:w='-108' w:type='dxa'/>"),
        ),
        (
            "a table that stands elsewhere",
            table("<w:tblpPr w:tblpX='-20000' w:tblpY='1'/>"),
            table("<w:tblpPr w:tblpX='1200' w:tblpY='1'/>"),
        ),
        (
            "a style that moves its paragraphs",
            docx(
                &format!("<w:p><w:pPr><w:pStyle w:val='P'/></w:pPr><w:r><w:t>{SECRET}</w:t></w:r></w:p>"),
                "<w:style w:type='paragraph' w:styleId='P'><w:pPr><w:ind w:left='-20000'/></w:pPr></w:style>",
            ),
            docx(
                &format!("<w:p><w:pPr><w:pStyle w:val='P'/></w:pPr><w:r><w:t>{SECRET}</w:t></w:r></w:p>"),
                "<w:style w:type='paragraph' w:styleId='P'><w:pPr><w:ind w:left='720'/></w:pPr></w:style>",
            ),
        ),
        (
            "a cell that another one goes on in",
            docx(&row("", &format!("<w:tcPr><w:vMerge/></w:tcPr>{}", run(""))), ""),
            docx(&row("", &format!("<w:tcPr><w:vMerge w:val='restart'/></w:tcPr>{}", run(""))), ""),
        ),
    ] {
        assert_hidden(DocumentKind::Docx, what, &hidden, &twin);
    }
}

#[test]
fn word_keeps_out_what_fields_and_bindings_replace() {
    let mark = |kind: &str| format!("<w:r><w:fldChar w:fldCharType='{kind}'/></w:r>");
    let words = |words: &str| format!("<w:r><w:t>{words}</w:t></w:r>");
    let field = |first: &str, name: &str, second: &str| {
        let instruction = format!("<w:r><w:instrText> {name} x </w:instrText></w:r>");
        let parts = [&mark("begin"), first, &instruction, &mark("separate"), second, &mark("end")];
        docx(&format!("<w:p>{}</w:p>", parts.map(String::from).concat()), "")
    };
    let control = |properties: &str| {
        docx(
            &format!(
                "<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>",
                run("")
            ),
            "",
        )
    };
    let secret = words(SECRET);
    for (what, hidden, twin) in [
        ("an instruction", field(&secret, "REF", ""), field("", "REF", &secret)),
        ("a field that shows nothing", field("", "SET", &secret), field("", "HYPERLINK", &secret)),
        (
            "bound data",
            control("<w:dataBinding w:xpath='/a' w:storeItemID='x'/>"),
            control("<w:alias w:val='Name'/>"),
        ),
    ] {
        assert_hidden(DocumentKind::Docx, what, &hidden, &twin);
    }
}

/// Nothing of a document is shown, and it says so; its twin is read whole.
fn assert_all_in_doubt(kind: DocumentKind, what: &str, hidden: &[u8], twin: &[u8]) {
    let found = super::read(kind, hidden).unwrap();
    assert!(found.text.is_empty(), "{what} leaks: {}", found.text);
    assert!(found.findings.flags.contains(&crate::model::Flag::DoubtfulText), "{what} is not flagged");
    let twin = super::read(kind, twin).unwrap();
    assert!(twin.text.contains(SECRET) && twin.findings.flags.is_empty(), "the twin of {what}: {twin:?}");
}

#[test]
fn word_is_in_doubt_under_what_lies_over_or_behind_all_of_it() {
    let with = |more: &str| docx(&format!("{}<w:p><w:r>{more}</w:r></w:p>", run("")), "");
    let drawing = |how: &str, wrap: &str| {
        with(&format!(
            "<w:drawing><wp:anchor {how}><wp:extent cx='7000000' cy='9000000'/>{wrap}</wp:anchor></w:drawing>"
        ))
    };
    let old = |style: &str| with(&format!("<w:pict><v:rect style='{style}' fillcolor='white'/></w:pict>"));
    let painted = |color: &str| {
        let text = format!(
            "<x:document><x:background x:color='{color}'/><x:body><x:p><x:r><x:rPr><x:color x:val='000000'/></x:rPr>\
             <x:t>{SECRET}</x:t></x:r></x:p></x:body></x:document>"
        );
        archive(&[("word/document.xml", text.as_bytes())])
    };
    for (what, hidden, twin) in [
        (
            "a drawing before the text",
            drawing("behindDoc='false'", "<wp:wrapNone/>"),
            drawing("behindDoc='true'", "<wp:wrapNone/>"),
        ),
        ("a drawing that text runs into", drawing("", "<wp:wrapTight/>"), drawing("", "<wp:wrapSquare/>")),
        (
            "an older shape",
            old("position:absolute;width:600pt;z-index:9"),
            old("position:absolute;width:600pt;z-index:-251658240"),
        ),
        ("a black page", painted("000000"), painted("FFFFFF")),
    ] {
        assert_all_in_doubt(DocumentKind::Docx, what, &hidden, &twin);
    }
}

#[test]
fn rich_text_keeps_out_what_it_does_not_understand() {
    let rtf = |text: &str| {
        format!("{{\\rtf1\\ansi{{\\colortbl;\\red0\\green0\\blue0;}}{{\\stylesheet{{\\s0 Normal;}}{{\\s7\\v Gone;}}}}Lunch at noon\\par {text}}}")
            .into_bytes()
    };
    let group = |look: &str| rtf(&format!("{{{look} {SECRET}}}"));
    let cell = |look: &str| rtf(&format!("\\trowd{look}\\cellx9000\\pard\\intbl\\cf1 {SECRET}\\cell\\row"));
    let field = |name: &str| rtf(&format!("{{\\field{{\\*\\fldinst {name} x}}{{\\fldrslt {SECRET}}}}}"));
    for (what, hidden, twin) in [
        (
            "what stands for a shape",
            rtf(&format!("{{\\shp{{\\*\\shpinst x}}{{\\shprslt {SECRET}}}}}")),
            group(""),
        ),
        ("what is for old programs", group(r"\nonesttables"), group(r"\b")),
        ("a header of a first page that is none", group(r"\headerf"), group(r"\titlepg\headerf")),
        ("a low row", cell(r"\trrh-20"), cell(r"\trrh-280")),
        ("a black cell", cell(r"\clcbpat1"), cell(r"\clcbpat0")),
        ("a merged cell", cell(r"\clvmrg"), cell(r"\clvmgf")),
        ("shading in full", group(r"\cf1\chshdng10000\chcfpat1"), group(r"\cf1\chshdng0")),
        (
            "an indent that a change of letters keeps",
            rtf(&format!("\\pard\\li-20000\\plain {SECRET}")),
            rtf(&format!("\\pard\\li720\\plain {SECRET}")),
        ),
        ("a hidden style", group(r"\s7"), group(r"\s0")),
        ("a word that nobody knows", group(r"\dissolve"), group(r"\scaps")),
        ("a field that shows nothing", field("SET"), field("REF")),
        (
            "a long number",
            rtf(&format!("{{\\listtext 123456789 {SECRET}}}")),
            rtf(&format!("{{\\listtext 1.}}{SECRET}")),
        ),
    ] {
        assert_hidden(DocumentKind::Rtf, what, &hidden, &twin);
    }
}

#[test]
fn open_documents_keep_out_what_their_styles_and_frames_may_hide() {
    let style = |family: &str, said: &str| {
        format!(
            "<style:style style:name='A' style:family='{family}'><style:text-properties {said}/></style:style>"
        )
    };
    let letters = |said: &str| {
        let span = format!("<text:p><text:span text:style-name='A'>{SECRET}</text:span></text:p>");
        odt(&style("text", said), &span)
    };
    let both = |first: &str, second: &str| {
        let span = format!("<text:p><text:span text:style-name='A'>{SECRET}</text:span></text:p>");
        odt(&format!("{}{}", style("text", first), style("paragraph", second)), &span)
    };
    let frame = |x: &str, wrap: &str| {
        odt(
            &format!(
                "<style:style style:name='F' style:family='graphic'><style:graphic-properties {wrap}/></style:style>"
            ),
            &format!(
                "<text:p><draw:frame draw:style-name='F' svg:x='{x}' svg:y='10pt' svg:width='200pt' svg:height='50pt'>\
                 <draw:text-box><text:p>{SECRET}</text:p></draw:text-box></draw:frame></text:p>"
            ),
        )
    };
    let paragraph = |hides: &str| odt("", &format!("<text:p>{SECRET}{hides}</text:p>"));
    for (what, hidden, twin) in [
        (
            "a paragraph that hides itself",
            paragraph("<text:hidden-paragraph text:is-hidden='true'/>"),
            paragraph("<text:bookmark/>"),
        ),
        ("a style of the same name", both("text:display='none'", ""), both("", "text:display='none'")),
        (
            "letters made small",
            letters("style:text-position='0% 1%'"),
            letters("style:text-position='super 58%'"),
        ),
        (
            "letters without opacity",
            letters("loext:opacity='0%'"),
            letters("style:use-window-font-color='true' loext:opacity='0%'"),
        ),
        ("a property that nobody knows", letters("loext:dissolve='1'"), letters("fo:font-weight='bold'")),
        ("a frame beside the page", frame("900pt", ""), frame("100pt", "")),
    ] {
        assert_hidden(DocumentKind::OpenDocument, what, &hidden, &twin);
    }
    assert_all_in_doubt(
        DocumentKind::OpenDocument,
        "a frame before the text",
        &frame("10pt", "style:wrap='run-through' style:run-through='foreground'"),
        &frame("10pt", "style:wrap='run-through' style:run-through='background'"),
    );
}

#[test]
fn slides_keep_out_what_acts_on_letters_and_cells() {
    let plain = shape(SECRET);
    let look = |said: &str| plain.replace("<a:rPr sz='1800'/>", &format!("<a:rPr sz='1800'>{said}</a:rPr>"));
    let ink = |change: &str| {
        look(&format!("<a:solidFill><a:srgbClr val='000000'>{change}</a:srgbClr></a:solidFill>"))
    };
    let marked = |color: &str| {
        let black = "<a:solidFill><a:srgbClr val='000000'/></a:solidFill>";
        look(&format!("{black}<a:highlight><a:srgbClr val='{color}'/></a:highlight>"))
    };
    let run = |said: &str| plain.replace("<a:rPr sz='1800'/>", &format!("<a:rPr sz='1800' {said}/>"));
    let body = |said: &str| plain.replace("<a:bodyPr/>", &format!("<a:bodyPr {said}/>"));
    let paragraph = |said: &str| plain.replace("<a:p>", &format!("<a:p><a:pPr {said}/>"));
    let cell = |merged: &str| {
        format!(
            "<p:graphicFrame><p:xfrm><a:off x='914400' y='914400'/><a:ext cx='4572000' cy='914400'/></p:xfrm><a:tbl><a:tr>\
             <a:tc {merged}><a:txBody><a:p><a:r><a:t>{SECRET}</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>"
        )
    };
    let tiles = |from: u32| {
        let tile = |x: u32| {
            let at =
                format!("<a:off x='{}' y='914400'/><a:ext cx='1143000' cy='914400'/>", from + x * 1_143_000);
            format!(
                "<p:sp><p:spPr><a:xfrm>{at}</a:xfrm><a:solidFill><a:srgbClr val='FFFFFF'/></a:solidFill></p:spPr></p:sp>"
            )
        };
        format!("{plain}{}", (0..4).map(tile).collect::<String>())
    };
    for (what, hidden, twin) in [
        ("marked in its colour", marked("000000"), marked("FFFF00")),
        ("turned to white", ink("<a:inv/>"), ink("<a:lumMod val='75000'/>")),
        ("without opacity", ink("<a:alphaMod val='0'/>"), ink("<a:alpha val='100000'/>")),
        ("letters upon each other", run("spc='-4000'"), run("spc='-50'")),
        ("pushed out of its box", body("lIns='20000000' wrap='none'"), body("lIns='91440' wrap='none'")),
        ("a margin past the slide", paragraph("marL='20000000'"), paragraph("marL='342900'")),
        ("a merged cell", cell("hMerge='1'"), cell("gridSpan='2'")),
        ("tiles over it", tiles(914_400), tiles(5_486_400)),
        ("an effect that nobody knows", look("<a:dissolve/>"), look("<a:latin typeface='Arial'/>")),
    ] {
        assert_hidden(DocumentKind::Pptx, what, &pptx(&hidden), &pptx(&twin));
    }
}

#[test]
fn names_of_colours_are_those_of_the_master() {
    let deck = |map: &str| {
        let lunch = shape("Lunch at noon").replace(
            "<a:rPr sz='1800'/>",
            "<a:rPr sz='1800'><a:solidFill><a:srgbClr val='C00000'/></a:solidFill></a:rPr>",
        );
        let slide =
            super::tests::slide(&format!("{}{}", lunch.replace("y='914400'", "y='3000000'"), shape(SECRET)));
        let names = [("rId1", "slideMaster", "../slideMasters/slideMaster1.xml")];
        archive(&[
            ("_rels/.rels", relations(&[("rId1", "officeDocument", "ppt/presentation.xml")]).as_bytes()),
            (
                "ppt/presentation.xml",
                b"<p:presentation><p:sldIdLst><p:sldId r:id='rId2'/></p:sldIdLst></p:presentation>",
            ),
            (
                "ppt/_rels/presentation.xml.rels",
                relations(&[("rId2", "slide", "slides/slide1.xml")]).as_bytes(),
            ),
            ("ppt/slides/slide1.xml", slide.as_bytes()),
            (
                "ppt/slides/_rels/slide1.xml.rels",
                relations(&[("rId1", "slideLayout", "../slideLayouts/slideLayout1.xml")]).as_bytes(),
            ),
            ("ppt/slideLayouts/slideLayout1.xml", b"<p:sldLayout/>"),
            ("ppt/slideLayouts/_rels/slideLayout1.xml.rels", relations(&names).as_bytes()),
            (
                "ppt/slideMasters/slideMaster1.xml",
                format!("<p:sldMaster><p:clrMap {map}/></p:sldMaster>").as_bytes(),
            ),
        ])
    };

    assert_hidden(
        DocumentKind::Pptx,
        "text in the colour of paper",
        &deck("tx1='lt1' bg1='lt1'"),
        &deck("tx1='dk1' bg1='lt1'"),
    );
}

/// A workbook of one sheet with a cell that says Lunch and one that says the secret, with this around them.
fn workbook(styles: &str, strings: &str, cells: &str, around: (&str, &str), drawing: &str) -> Vec<u8> {
    let (before, row) = around;
    let names = "xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main' \
                 xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'";
    let sheet = format!(
        "<worksheet {names}>{before}<sheetData><row r='2' {row}>{cells}</row>\
         <row r='9'><c r='A9' t='inlineStr'><is><t>Lunch at noon</t></is></c></row></sheetData></worksheet>"
    );
    let fixed = "<fonts><font><sz val='11'/></font><font><sz val='11'/><color rgb='FFFFFFFF'/></font></fonts>\
        <fills><fill><patternFill patternType='none'/></fill><fill><patternFill patternType='solid'>\
        <fgColor rgb='FF000000'/></patternFill></fill></fills>\
        <cellXfs><xf/><xf numFmtId='170'/><xf fontId='1' fillId='1'/></cellXfs>";
    archive(&[
        ("_rels/.rels", relations(&[("rId1", "officeDocument", "xl/workbook.xml")]).as_bytes()),
        (
            "xl/workbook.xml",
            format!(
                "<workbook {names}><sheets><sheet name='S' sheetId='1' r:id='rId1'/></sheets></workbook>"
            )
            .as_bytes(),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            relations(&[
                ("rId1", "worksheet", "worksheets/sheet1.xml"),
                ("rId2", "styles", "styles.xml"),
                ("rId3", "sharedStrings", "sharedStrings.xml"),
            ])
            .as_bytes(),
        ),
        ("xl/styles.xml", format!("<styleSheet {names}>{styles}{fixed}</styleSheet>").as_bytes()),
        ("xl/sharedStrings.xml", format!("<sst {names}>{strings}</sst>").as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        (
            "xl/worksheets/_rels/sheet1.xml.rels",
            relations(&[("rId1", "drawing", "../drawings/drawing1.xml")]).as_bytes(),
        ),
        ("xl/drawings/drawing1.xml", format!("<xdr:wsDr>{drawing}</xdr:wsDr>").as_bytes()),
    ])
}

#[test]
fn workbooks_keep_out_what_formats_pieces_views_and_drawings_may_hide() {
    let plain = format!("<si><t>{SECRET}</t></si>");
    let cell = |style: usize| format!("<c r='A2' t='s' s='{style}'><v>0</v></c>");
    let format = |code: &str| {
        let format = format!("<numFmts><numFmt numFmtId='170' formatCode='{code}'/></numFmts>");
        workbook(&format, &plain, &cell(1), ("", ""), "")
    };
    let piece = |look: &str, style: usize| {
        let text = format!("<si><r><t>Tea </t></r><r><rPr>{look}</rPr><t>{SECRET}</t></r></si>");
        workbook("", &text, &cell(style), ("", ""), "")
    };
    let lines = |height: &str| {
        let text = format!("<si><t>Tea\n\n\n\n{SECRET}</t></si>");
        workbook("", &text, &cell(0), ("", height), "")
    };
    let view = |first: &str| {
        let view = format!(
            "<sheetViews><sheetView topLeftCell='{first}'><pane ySplit='2' topLeftCell='A8' state='frozen'/></sheetView></sheetViews>"
        );
        workbook("", &plain, &cell(0), (&view, ""), "")
    };
    let picture = |from: u32| {
        let corner = |name: &str, row: u32| {
            format!(
                "<xdr:{name}><xdr:col>0</xdr:col><xdr:colOff>9</xdr:colOff><xdr:row>{row}</xdr:row><xdr:rowOff>9</xdr:rowOff></xdr:{name}>"
            )
        };
        let anchor = format!(
            "<xdr:twoCellAnchor>{}{}<xdr:pic/></xdr:twoCellAnchor>",
            corner("from", from),
            corner("to", from + 2)
        );
        workbook("", &plain, &cell(0), ("", ""), &anchor)
    };
    for (what, hidden, twin) in [
        ("a format in white", format("[white]@"), format("[red]@")),
        ("a format of other words", format("0;0;0;\"gone\""), format("0;0;0;@")),
        (
            "a black piece in a black cell",
            piece("<color rgb='FF000000'/>", 2),
            piece("<color rgb='FFFFFFFF'/>", 2),
        ),
        (
            "a piece in little pictures",
            piece("<rFont val='Wingdings'/>", 0),
            piece("<rFont val='Arial'/>", 0),
        ),
        ("lines below a low row", lines("ht='15' customHeight='1'"), lines("ht='75' customHeight='1'")),
        ("rows that a frozen view never shows", view("A8"), view("A1")),
        ("a picture over cells", picture(0), picture(20)),
    ] {
        assert_hidden(DocumentKind::Spreadsheet, what, &hidden, &twin);
    }
}

#[test]
fn pages_keep_out_what_lines_strips_and_tiles_cover() {
    let words = format!("BT /F1 12 Tf 20 100 Td ({SECRET}) Tj ET");
    let then = |more: &str| page(&format!("{words} {more}"));
    let strips = |from: f32| {
        (0..12).map(|at| format!("10 {} 280 1.9 re f ", from + at as f32 * 1.9)).collect::<String>()
    };
    let tiles =
        |low: f32| (0..14).map(|at| format!("{} {low} 20 30 re f ", 10 + at * 20)).collect::<String>();
    for (what, hidden, twin) in [
        (
            "thick white lines along its letters",
            page(&format!("2 Tr 1 1 1 RG 14 w {words}")),
            page(&format!("2 Tr 0 0 0 RG 0.4 w {words}")),
        ),
        (
            "a line over it",
            then("1 1 1 RG 40 w 0 104 m 300 104 l S"),
            then("0 0 0 RG 0.6 w 0 98 m 300 98 l S"),
        ),
        ("strips over it", then(&format!("1 g {}", strips(94.0))), then(&format!("1 g {}", strips(40.0)))),
        ("tiles over it", then(&format!("1 g {}", tiles(90.0))), then(&format!("1 g {}", tiles(40.0)))),
        ("a piece of it covered", then("1 g 40 90 40 30 re f"), then("1 g 40 40 40 30 re f")),
        (
            "black on half of black",
            page(&format!("0 g 0 80 70 60 re f {words}")),
            page(&format!("0.9 g 0 80 70 60 re f 0 g {words}")),
        ),
        (
            "a line far below",
            page(&format!("BT /F1 12 Tf 3000 TL 20 100 Td T* ({SECRET}) Tj ET")),
            page(&format!("BT /F1 12 Tf 30 TL 20 100 Td T* ({SECRET}) Tj ET")),
        ),
        (
            "words far apart",
            page(&format!("BT /F1 12 Tf 1000 Tw 20 100 Td ({SECRET}) Tj ET")),
            page(&format!("BT /F1 12 Tf 2 Tw 20 100 Td ({SECRET}) Tj ET")),
        ),
        (
            "words at the end of a line that leaves the page",
            page(&format!("BT /F1 12 Tf 20 100 Td [(a) -26000 ({SECRET})] TJ ET")),
            page(&format!("BT /F1 12 Tf 20 100 Td [(a) -2000 ({SECRET})] TJ ET")),
        ),
    ] {
        assert_hidden(DocumentKind::Pdf, what, &hidden, &twin);
    }
}

#[test]
fn groups_annotations_and_false_meanings_of_letters_are_followed() {
    let (lunch, words) =
        ("BT /F1 12 Tf 20 150 Td (Lunch at noon) Tj ET", format!("BT /F1 12 Tf 20 100 Td ({SECRET}) Tj ET"));
    let layers = ["<< /Type /OCG /Name (a) >>", "<< /Type /OCG /Name (b) >>"];
    let stream = |entries: &str, content: &str| {
        format!("<< {entries} /Length {} >>\nstream\n{content}\nendstream", content.len())
    };
    let inner = format!("/G1 gs {words}");
    let group = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Group << /S /Transparency >> \
         /Resources << /Font << /F1 5 0 R >> /ExtGState << /G1 << /ca 1 >> >> >>",
        &inner,
    );
    let faded = |opacity: &str| {
        let resources = format!("/ExtGState << /G0 << /ca {opacity} >> >> /XObject << /X 8 0 R >>");
        pdf_of(&format!("{lunch} q /G0 gs /X Do Q"), &resources, &[layers[0], layers[1], &group])
    };
    let white = stream("/Type /XObject /Subtype /Form /BBox [0 0 280 40]", "1 g 0 0 280 40 re f");
    let stuck = |low: u32| {
        let annotation = format!(
            "/Annots [<< /Subtype /Square /Rect [10 {low} 290 {}] /F 4 /AP << /N 8 0 R >> >>]",
            low + 40
        );
        pdf_page(&format!("{lunch} {words}"), "", &annotation, &[layers[0], layers[1], &white])
    };
    let meaning = |code: &str, text: &str| {
        let hex: String = text.encode_utf16().map(|unit| format!("{unit:04x}")).collect();
        let map = stream("", &format!("1 beginbfchar <{code}> <{hex}> endbfchar"));
        let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 8 0 R >>";
        let shown = format!("{lunch} BT /F2 12 Tf 20 100 Td ({SECRET}) Tj ET");
        pdf_of(&shown, "/Font << /F1 5 0 R /F2 9 0 R >>", &[layers[0], layers[1], &map, font])
    };
    for (what, hidden, twin) in [
        ("a group without opacity", faded("0"), faded("1")),
        ("a white note stuck on it", stuck(85), stuck(20)),
        ("letters that are said to be others", meaning("66", "g"), meaning("66", "f")),
        ("a letter that is said to be a sentence", meaning("20", "hello"), meaning("20", " ")),
    ] {
        assert_hidden(DocumentKind::Pdf, what, &hidden, &twin);
    }
}
