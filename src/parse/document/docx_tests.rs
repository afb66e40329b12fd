//! Text of Word and of Rich Text that is written and not seen, each way beside a twin that must be read.

use super::DocumentKind;
use super::hidden_tests::{SECRET, assert_hidden, docx, run};
use super::tests::{archive, relations};

fn words(words: &str) -> String {
    format!("<w:r><w:t>{words}</w:t></w:r>")
}

fn paragraph(properties: &str, run: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t>{SECRET}</w:t></w:r></w:p>")
}

/// A document with other parts, by kind, that its first and second paragraph lead to.
fn with_parts(body: &str, parts: &[(&str, &str, &str)]) -> Vec<u8> {
    let text =
        format!("<w:document><w:body><w:p>{}</w:p>{body}</w:body></w:document>", words("Lunch at noon"));
    let names: Vec<String> = parts.iter().map(|(kind, _, _)| format!("{kind}.xml")).collect();
    let list: Vec<(&str, &str, &str)> =
        parts.iter().zip(&names).map(|((kind, id, _), name)| (*id, *kind, name.as_str())).collect();
    let list = relations(&list);
    let paths: Vec<String> = names.iter().map(|name| format!("word/{name}")).collect();
    let mut all =
        vec![("word/document.xml", text.as_bytes()), ("word/_rels/document.xml.rels", list.as_bytes())];
    all.extend(parts.iter().zip(&paths).map(|((_, _, text), path)| (path.as_str(), text.as_bytes())));
    archive(&all)
}

#[test]
fn word_shows_of_fields_only_what_stays_as_it_was_written() {
    let field = |name: &str, gives: &str| {
        let mark = |kind: &str| format!("<w:r><w:fldChar w:fldCharType='{kind}'/></w:r>");
        let instruction = format!("<w:r><w:instrText> {name} </w:instrText></w:r>");
        let whole = [&mark("begin"), &instruction, &mark("separate"), &words(gives), &mark("end")];
        format!("<w:p>{}</w:p>", whole.map(String::as_str).concat())
    };
    let twin = docx(&field("HYPERLINK x", SECRET), "");
    for name in ["DATE", "PAGE", "NUMPAGES", "FORMCHECKBOX", "FILENAME", "TITLE", "STYLEREF x"] {
        assert_hidden(DocumentKind::Docx, name, &docx(&field(name, SECRET), ""), &twin);
    }
    let dates = format!("{}{}", field("DATE", "19 November 2026"), field("DATE", SECRET));
    assert_hidden(DocumentKind::Docx, "a second date", &docx(&dates, ""), &twin);
    let ordinary = format!(
        "{}{}{}",
        field("DATE", "Thursday, November 19, 2026"),
        field("PAGE", "12"),
        field("NUMPAGES \\* roman", "xiv")
    );
    let seen = super::read(DocumentKind::Docx, &docx(&ordinary, "")).unwrap();
    assert!(seen.text.contains("November 19") && seen.text.ends_with("xiv"), "{seen:?}");
    assert!(seen.findings.flags.is_empty(), "{seen:?}");
}

#[test]
fn word_cuts_off_what_does_not_fit_into_fixed_room() {
    let long = "<w:p><w:r><w:t>Some line of tea</w:t></w:r></w:p>".repeat(3);
    let row = |height: u32| {
        format!(
            "<w:tbl><w:tr><w:trPr><w:trHeight w:val='{height}' w:hRule='exact'/></w:trPr><w:tc>{long}{}</w:tc></w:tr></w:tbl>",
            run("")
        )
    };
    let frame = |rule: &str| paragraph(&format!("<w:framePr w:w='8000' w:h='280' w:hRule='{rule}'/>"), "");
    let boxed = |height: u32| {
        format!(
            "<w:p><w:r><w:drawing><wp:inline><wp:extent cx='4000000' cy='{height}'/><wps:wsp><wps:txbx><w:txbxContent>{long}{}\
             </w:txbxContent></wps:txbx></wps:wsp></wp:inline></w:drawing></w:r></w:p>",
            run("")
        )
    };
    let grid = |width: u32| {
        format!(
            "<w:tbl><w:tblGrid><w:gridCol w:w='{width}'/></w:tblGrid><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>",
            run("")
        )
    };
    let line = |height: u32, more: &str| {
        paragraph(&format!("<w:spacing w:line='{height}' w:lineRule='exact'/>"), more)
    };
    for (what, hidden, twin) in [
        ("a fixed row", row(320), row(2_000)),
        (
            "space before it in a fixed row",
            row(2_000).replace(&run(""), &paragraph("<w:spacing w:before='2000'/>", "")),
            row(2_000),
        ),
        ("a fixed frame", frame("exact"), frame("atLeast")),
        ("a low box", boxed(300_000), boxed(1_500_000)),
        ("a narrow column", grid(10), grid(4_000)),
        ("large letters in low lines", line(200, "<w:sz w:val='60'/>"), line(600, "<w:sz w:val='60'/>")),
        (
            "raised letters in low lines",
            line(240, "<w:position w:val='50'/>"),
            line(240, "<w:position w:val='6'/>"),
        ),
    ] {
        assert_hidden(DocumentKind::Docx, what, &docx(&hidden, ""), &docx(&twin, ""));
    }
}

#[test]
fn word_takes_back_only_what_a_style_says_itself() {
    let cell = |ground: &str, inner: &str| {
        format!(
            "<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:val='clear' w:fill='{ground}'/></w:tcPr>{inner}</w:tc></w:tr></w:tbl>"
        )
    };
    let black = "<w:color w:val='000000'/>";
    let by_run = run(&format!("{black}<w:shd w:val='clear' w:fill='auto'/>"));
    let by_mark = run(&format!("{black}<w:highlight w:val='none'/>"));
    let by_paragraph = paragraph("<w:shd w:val='clear' w:fill='auto'/>", black);
    for inner in [&by_run, &by_mark, &by_paragraph] {
        let (hidden, twin) = (docx(&cell("000000", inner), ""), docx(&cell("DDEEFF", inner), ""));
        assert_hidden(DocumentKind::Docx, inner, &hidden, &twin);
    }
    let styles = |of_letters: &str| {
        format!(
            "<w:style w:type='paragraph' w:styleId='P'><w:rPr><w:vanish/></w:rPr></w:style>\
             <w:style w:type='character' w:styleId='C'><w:rPr>{of_letters}</w:rPr></w:style>"
        )
    };
    let turned = |direct: &str| paragraph("<w:pStyle w:val='P'/>", &format!("<w:rStyle w:val='C'/>{direct}"));
    assert_hidden(
        DocumentKind::Docx,
        "a style that turns another round",
        &docx(&turned(""), &styles("<w:vanish w:val='0'/>")),
        &docx(&turned("<w:vanish w:val='0'/>"), &styles("")),
    );
    let both = |style: &str, direct: &str| {
        docx(
            &paragraph("<w:pStyle w:val='P'/>", &format!("<w:color w:val='FFFFFF'/>{direct}")),
            &format!("<w:style w:type='paragraph' w:styleId='P'><w:rPr>{style}</w:rPr></w:style>"),
        )
    };
    let dark = "<w:shd w:val='clear' w:fill='203864'/>";
    assert_hidden(
        DocumentKind::Docx,
        "white on a ground that is taken back",
        &both(dark, "<w:shd w:val='clear' w:fill='auto'/>"),
        &both(dark, ""),
    );
}

#[test]
fn word_shows_notes_and_headers_that_a_page_surely_has() {
    let note =
        format!("<w:footnotes><w:footnote w:id='2'><w:p>{}</w:p></w:footnote></w:footnotes>", words(SECRET));
    let noted = |before: &str, behind: &str| {
        with_parts(
            &format!("<w:p>{before}<w:footnoteReference w:id='2'/></w:r>{behind}</w:p>"),
            &[("footnotes", "r1", &note)],
        )
    };
    let twin = noted("<w:r>", "");
    for (what, hidden) in [
        ("a mark that vanished", noted("<w:r><w:rPr><w:vanish/></w:rPr>", "")),
        ("a mark that was deleted", noted("<w:del w:id='1'><w:r>", "</w:del>")),
    ] {
        assert_hidden(DocumentKind::Docx, what, &hidden, &twin);
    }
    let header = format!("<w:hdr><w:p>{}</w:p></w:hdr>", words(SECRET));
    let headed = |body: &str| with_parts(body, &[("header", "h1", &header)]);
    let named = |kind: &str| format!("<w:headerReference w:type='{kind}' r:id='h1'/>");
    let twin = headed(&format!("<w:sectPr>{}</w:sectPr>", named("default")));
    for (what, hidden) in [
        ("of later pages", headed(&format!("<w:sectPr>{}<w:titlePg/></w:sectPr>", named("default")))),
        (
            "of the first page of another section",
            headed(&format!(
                "<w:p><w:pPr><w:sectPr>{}</w:sectPr></w:pPr></w:p><w:sectPr><w:titlePg/></w:sectPr>",
                named("first")
            )),
        ),
        (
            "of a section that begins in the middle of a page",
            headed(&format!(
                "<w:p><w:pPr><w:sectPr/></w:pPr></w:p><w:sectPr>{}<w:type w:val='continuous'/></w:sectPr>",
                named("default")
            )),
        ),
    ] {
        assert_hidden(DocumentKind::Docx, what, &hidden, &twin);
    }
    let later = format!(
        "<w:p><w:r><w:br w:type='page'/></w:r></w:p><w:sectPr>{}<w:titlePg/></w:sectPr>",
        named("default")
    );
    assert!(super::tests::text(DocumentKind::Docx, &headed(&later)).unwrap().contains(SECRET));
}

#[test]
fn word_shows_boxes_that_surely_stand_free_on_the_page() {
    let boxed = |how: &str, from: &str, x: i32, text: &str| {
        format!(
            "<w:p><w:r><w:drawing><wp:anchor {how}><wp:positionH relativeFrom='{from}'><wp:posOffset>{x}</wp:posOffset></wp:positionH>\
             <wp:positionV relativeFrom='page'><wp:posOffset>900000</wp:posOffset></wp:positionV><wp:extent cx='2000000' cy='900000'/>\
             <wp:wrapSquare/><wps:wsp><wps:txbx><w:txbxContent><w:p>{}</w:p></w:txbxContent></wps:txbx></wps:wsp></wp:anchor></w:drawing></w:r></w:p>",
            words(text)
        )
    };
    let one = |how: &str, from: &str, x: i32| docx(&boxed(how, from, x, SECRET), "");
    let two =
        |x: i32| docx(&format!("{}{}", boxed("", "page", 900_000, SECRET), boxed("", "page", x, "Tea")), "");
    let twin = one("", "page", 900_000);
    for (what, hidden) in [
        ("behind the text", one("behindDoc='1'", "page", 900_000)),
        ("right of the page", one("", "rightMargin", 3_000_000)),
        ("left of the page", one("", "page", -1_950_000)),
        ("from somewhere", one("", "outsideMargin", 0)),
    ] {
        assert_hidden(DocumentKind::Docx, what, &hidden, &twin);
    }
    assert_hidden(DocumentKind::Docx, "below another box", &two(1_000_000), &two(4_000_000));
}

#[test]
fn word_reads_names_and_fonts_as_what_they_stand_for() {
    let named = |name: &str, prefix: &str| {
        docx(
            &format!(
                "<w:p><{prefix}:r xmlns:{prefix}='{name}'><{prefix}:t>{SECRET}</{prefix}:t></{prefix}:r></w:p>"
            ),
            "",
        )
    };
    let twin = named("http://schemas.openxmlformats.org/wordprocessingml/2006/main", "w");
    for name in ["urn:w3.org:x", "http://schemas.microsoft.com/office/word/2099/wordml"] {
        assert_hidden(DocumentKind::Docx, name, &named(name, "e"), &twin);
    }
    let font = |name: &str| docx(&run(&format!("<w:rFonts w:ascii='{name}'/>")), "");
    assert_hidden(DocumentKind::Docx, "signs", &font("MT Extra"), &font("Times New Roman"));
    let with = |kind: &str, part: &str| {
        super::read(DocumentKind::Docx, &with_parts(&run(""), &[(kind, "r9", part)])).unwrap()
    };
    for (kind, hidden, twin) in [
        (
            "theme",
            "<a:minorFont><a:latin typeface='Wingdings'/></a:minorFont>",
            "<a:minorFont><a:latin typeface='Calibri'/></a:minorFont>",
        ),
        (
            "fontTable",
            "<w:fonts><w:font w:name='Foo'><w:altName w:val='Wingdings'/></w:font></w:fonts>",
            "<w:fonts><w:font w:name='Foo'><w:altName w:val='Arial'/></w:font></w:fonts>",
        ),
    ] {
        assert!(!with(kind, hidden).text.contains(SECRET), "{kind} leaks");
        assert!(with(kind, twin).text.contains(SECRET), "the twin of {kind} is lost");
    }
}

#[test]
fn rich_text_keeps_out_what_programs_skip_cut_off_or_replace() {
    let rtf = |text: &str| {
        format!(
            "{{\\rtf1\\ansi{{\\fonttbl{{\\f0 Arial;}}{{\\f1 Wingdings;}}{{\\f2 Foo{{\\*\\falt Wingdings}};}}}}\
             {{\\colortbl;\\red0\\green0\\blue0;\\red255\\green255\\blue255;}}\\f0 Lunch at noon\\par {text}}}"
        )
    };
    let group = |look: &str| rtf(&format!("{{{look} {SECRET}}}"));
    let field = |name: &str| rtf(&format!("{{\\field{{\\*\\fldinst {name}}}{{\\fldrslt {SECRET}}}}}"));
    let row = |height: &str| {
        rtf(&format!("\\trowd{height}\\cellx9000\\pard\\intbl Tea\\par Tea\\par {SECRET}\\cell\\row"))
    };
    let lines = |look: &str| rtf(&format!("\\pard{look} {SECRET}\\par"));
    let plain = group("");
    for (what, hidden, twin) in [
        ("text behind the last bracket", format!("{}\n{SECRET}", rtf("")), plain.clone()),
        ("deleted and shown", group("\\deleted\\v0"), group("\\v\\v0")),
        ("white on a ground that many leave out", group("\\cf2\\cb1"), group("\\cf1\\cb2")),
        ("signs by another name", group("\\f2"), plain.clone()),
        ("low lines", lines("\\sl-80\\slmult0\\fs60"), lines("\\sl-600\\slmult0\\fs60")),
        ("raised in low lines", lines("\\sl-240\\up50"), lines("\\sl-240\\up4")),
        ("a fixed row", row("\\trrh-320"), row("\\trrh-1400")),
        ("a fixed frame", lines("\\absw8000\\absh-280"), lines("\\absw8000\\absh280")),
        ("a page number", field("PAGE"), field("HYPERLINK x")),
        (
            "a result before its instruction",
            rtf(&format!("{{\\field{{\\fldrslt {SECRET}}}{{\\*\\fldinst SET a}}}}")),
            plain.clone(),
        ),
    ] {
        assert_hidden(DocumentKind::Rtf, what, hidden.as_bytes(), twin.as_bytes());
    }
    let usual = plain.replace("\\f0 Lunch", "{\\f0 Lunch").replace("noon", "noon}");
    let signs = usual.replace("\\ansi", "\\ansi\\deff1");
    assert_hidden(DocumentKind::Rtf, "a usual font of signs", signs.as_bytes(), usual.as_bytes());
}
