use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};

use super::tests::{archive, pdf, text, xlsx};
use super::{DocumentError, DocumentKind, MAX_TEXT};

const ALL: [DocumentKind; 10] = [
    DocumentKind::Plain,
    DocumentKind::Html,
    DocumentKind::Xml,
    DocumentKind::Calendar,
    DocumentKind::Rtf,
    DocumentKind::Pdf,
    DocumentKind::Docx,
    DocumentKind::Pptx,
    DocumentKind::OpenDocument,
    DocumentKind::Spreadsheet,
];

#[test]
fn a_zip_bomb_is_refused() {
    let zeros = vec![b' '; 65 << 20];
    let docx = archive(&[("word/document.xml", &zeros)]);
    let workbook = archive(&[("xl/worksheets/sheet1.xml", &zeros)]);

    assert!(matches!(text(DocumentKind::Docx, &docx), Err(DocumentError::TooLarge)));
    assert!(matches!(text(DocumentKind::Spreadsheet, &workbook), Err(DocumentError::TooLarge)));
}

#[test]
fn an_archive_of_too_many_parts_is_refused() {
    let names: Vec<String> = (0..2_001).map(|n| format!("word/header{n}.xml")).collect();
    let parts: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"".as_slice())).collect();

    assert!(matches!(text(DocumentKind::Docx, &archive(&parts)), Err(DocumentError::TooManyParts(2_001))));
}

#[test]
fn two_cells_in_far_corners_do_not_fill_memory() {
    let workbook =
        xlsx("<row r='1'><c r='A1'><v>1</v></c></row><row r='1048576'><c r='XFD1048576'><v>2</v></c></row>");

    assert_eq!(text(DocumentKind::Spreadsheet, &workbook).unwrap(), "Budget\n1");
}

#[test]
fn entities_are_not_expanded() {
    let mut bomb = "<!DOCTYPE p [<!ENTITY e0 'ha'>".to_owned();
    (1..30).for_each(|n| bomb.push_str(&format!("<!ENTITY e{n} '&e{0};&e{0};'>", n - 1)));
    bomb.push_str("]><p><t>&e29;&lt;seen</t></p>");

    assert_eq!(text(DocumentKind::Xml, bomb.as_bytes()).unwrap(), "<seen");
    let docx = archive(&[("word/document.xml", bomb.as_bytes())]);
    assert_eq!(text(DocumentKind::Docx, &docx).unwrap(), "<seen");
}

#[test]
fn text_stops_at_its_limit() {
    let long = "é".repeat(MAX_TEXT);

    assert!(text(DocumentKind::Plain, long.as_bytes()).unwrap().len() <= MAX_TEXT);
    let xml = format!("<t>{long}</t>");
    assert!(
        text(DocumentKind::Docx, &archive(&[("word/document.xml", xml.as_bytes())])).unwrap().len()
            <= MAX_TEXT
    );
}

#[test]
fn truncated_documents_end_without_a_panic() {
    let whole = [
        (DocumentKind::Pdf, pdf("x")),
        (DocumentKind::Spreadsheet, xlsx("<row><c><v>1</v></c></row>")),
        (DocumentKind::Docx, archive(&[("word/document.xml", b"<w:p><w:t>x</w:t></w:p>")])),
        (DocumentKind::OpenDocument, archive(&[("content.xml", b"<text:p>x</text:p>")])),
    ];

    for (kind, bytes) in whole {
        (0..bytes.len()).step_by(7).for_each(|end| drop(text(kind, &bytes[..end])));
    }
}

#[test]
fn nesting_and_repetition_cost_only_their_length() {
    let soups = [
        "<",
        "<a>",
        "{",
        "\\",
        "{\\*",
        "&",
        "BEGIN:",
        "\n ",
        "<![CDATA[",
        "<!--",
        "<!DOCTYPE a [",
        "\"",
        "[<<",
    ];

    for soup in soups {
        let bytes = soup.repeat((256 << 10) / soup.len());
        ALL.iter().for_each(|kind| drop(text(*kind, bytes.as_bytes())));
    }
}

#[test]
fn deep_xml_in_an_archive_is_read() {
    let xml = format!("{}<w:t>x</w:t>", "<w:p>".repeat(1_000_000));

    assert_eq!(text(DocumentKind::Docx, &archive(&[("word/document.xml", xml.as_bytes())])).unwrap(), "x");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..400)) {
        for kind in ALL {
            prop_assert!(text(kind, &bytes).map_or(true, |text| text.len() <= MAX_TEXT));
        }
    }
}
