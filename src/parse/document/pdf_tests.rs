//! Letters of pages that are painted and cannot be read, each way beside a twin that must be read.

use super::DocumentKind;
use super::hidden_tests::{SECRET, assert_hidden, page};
use super::tests::pdf_of;

const LUNCH: &str = "BT /F1 12 Tf 20 150 Td (Lunch at noon) Tj ET";
const LAYERS: [&str; 2] = ["<< /Type /OCG /Name (a) >>", "<< /Type /OCG /Name (b) >>"];

fn stream(entries: &str, content: &str) -> String {
    format!("<< {entries} /Length {} >>\nstream\n{content}\nendstream", content.len())
}

/// A page that says the secret in a second font.
fn in_font(font: &str, words: &str, more: &[&str]) -> Vec<u8> {
    let shown = format!("{LUNCH} BT /F2 12 Tf 20 100 Td {words} Tj ET");
    let objects = [&[LAYERS[0], LAYERS[1], font], more].concat();
    pdf_of(&shown, "/Font << /F1 5 0 R /F2 8 0 R >>", &objects)
}

#[test]
fn colours_that_functions_curves_and_defaults_turn_are_not_trusted() {
    let ink = |space: &str, color: &str| {
        let shown = format!("{LUNCH} /C cs {color} BT /F1 12 Tf 20 100 Td ({SECRET}) Tj ET");
        pdf_of(&shown, &format!("/ColorSpace << /C {space} >>"), &LAYERS)
    };
    let tint = |none: &str, all: &str| {
        ink(
            &format!(
                "[/Separation /Black /DeviceGray << /FunctionType 2 /Domain [0 1] /C0 [{none}] /C1 [{all}] /N 1 >>]"
            ),
            "1 scn",
        )
    };
    let curve = |gamma: &str| {
        ink(
            &format!("[/CalRGB << /WhitePoint [0.95 1 1.09] /Gamma [{gamma} {gamma} {gamma}] >>]"),
            "0.2 0.2 0.2 scn",
        )
    };
    let default = |space: &str| {
        let shown = format!("{LUNCH} 0.2 g BT /F1 12 Tf 20 100 Td ({SECRET}) Tj ET");
        pdf_of(
            &shown.replacen("BT", "0 0 0 rg BT", 1),
            &format!("/ColorSpace << /DefaultGray {space} >>"),
            &LAYERS,
        )
    };
    for (what, hidden, twin) in [
        ("an ink called black that is white", tint("0", "1"), tint("1", "0")),
        ("a curve that makes all light", curve("0.01"), curve("2.2")),
        (
            "an ink of a function that is not worked out",
            ink("[/Separation /Black /DeviceGray << /FunctionType 4 >>]", "1 scn"),
            ink("/DeviceGray", "0 sc"),
        ),
        (
            "a gray that stands for another",
            default("[/CalGray << /WhitePoint [0.95 1 1.09] /Gamma 0.01 >>]"),
            default("/DeviceGray"),
        ),
        ("a profile that is none", ink("[/ICCBased 8 0 R]", "0 0 0 scn"), ink("/DeviceRGB", "0 0 0 scn")),
    ] {
        assert_hidden(DocumentKind::Pdf, what, &hidden, &twin);
    }
}

#[test]
fn letters_upon_each_other_and_out_of_form_are_not_shown() {
    let piled = |back: u32| {
        let letters: Vec<String> = SECRET.chars().map(|letter| format!("({letter})")).collect();
        page(&format!("BT /F1 12 Tf 20 100 Td [{}] TJ ET", letters.join(&format!(" {back} "))))
    };
    let widths = |width: &str| {
        let font = format!(
            "<< /Type /Font /Subtype /TrueType /BaseFont /Arial /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 126 \
             /Widths [{}] >>",
            format!("{width} ").repeat(95)
        );
        in_font(&font, &format!("({SECRET})"), &[])
    };
    let matrix = |matrix: &str| page(&format!("BT /F1 1 Tf {matrix} 20 100 Tm ({SECRET}) Tj ET"));
    let over = |low: u32| {
        page(&format!(
            "BT /F1 12 Tf 20 100 Td ({SECRET}) Tj ET BT /F1 12 Tf 20 {low} Td (MWMWMWMWMWMWMWM) Tj ET"
        ))
    };
    let far = page(&format!("BT /F1 12 Tf 20 100 Td [(Tea is at) 4000 ({SECRET})] TJ ET"));
    for (what, hidden, twin) in [
        ("letters that go back over each other", piled(500), piled(20)),
        ("letters without width", widths("0"), widths("556")),
        ("letters of little width", widths("60"), widths("480")),
        ("letters that lean flat", matrix("12 0 300 12"), matrix("12 0 3 12")),
        ("letters that lean up", matrix("12 0.01 12 0.02"), matrix("12 0.01 0 12")),
        ("mirrored letters", matrix("-12 0 0 12"), matrix("12 0 0 12")),
        ("words upon words", over(100), over(80)),
        ("a line that goes back over itself", far, over(80)),
    ] {
        assert_hidden(DocumentKind::Pdf, what, &hidden, &twin);
    }
}

#[test]
fn words_painted_twice_in_one_place_are_read() {
    let words = format!("BT /F1 12 Tf 20 100 Td ({SECRET}) Tj ET");

    let found = super::tests::text(DocumentKind::Pdf, &page(&format!("{words} {words}"))).unwrap();

    assert!(found.contains(SECRET), "{found}");
}

#[test]
fn layers_that_may_be_switched_by_what_they_say_are_not_trusted() {
    let layer = |usage: &str, listed: &str| {
        let shown = format!("{LUNCH} /OC /L BDC BT /F1 12 Tf 20 100 Td ({SECRET}) Tj ET EMC");
        let group = format!("<< /Type /OCG /Name (b) {usage} >>");
        let document = pdf_of(&shown, "/Properties << /L 7 0 R >>", &[LAYERS[0], &group]);
        String::from_utf8(document).unwrap().replace("[6 0 R 7 0 R]", listed).into_bytes()
    };
    let twin = layer("", "[6 0 R 7 0 R]");
    for (what, hidden) in [
        ("off on the screen", layer("/Usage << /View << /ViewState /OFF >> >>", "[6 0 R 7 0 R]")),
        ("off below a size", layer("/Usage << /Zoom << /min 9 >> >>", "[6 0 R 7 0 R]")),
        ("in no list", layer("", "[6 0 R      ]")),
    ] {
        assert_hidden(DocumentKind::Pdf, what, &hidden, &twin);
    }
}

/// A font of TrueType whose letters, by their numbers from 1 on, have these boxes and lines: lowest, highest, how many.
fn truetype(letters: &[(i16, i16, i16)]) -> String {
    let glyph = |(low, high, lines): &(i16, i16, i16)| match lines {
        0 => Vec::new(),
        lines => {
            [*lines, 0, *low, 500, *high].iter().flat_map(|part| part.to_be_bytes()).collect::<Vec<u8>>()
        }
    };
    let (mut outlines, mut places) = (Vec::new(), vec![0, 0, 0, 0]);
    for letter in letters {
        outlines.extend(glyph(letter));
        places.extend(((outlines.len() / 2) as u16).to_be_bytes());
    }
    let mut head = vec![0; 54];
    head[18..20].copy_from_slice(&1000_u16.to_be_bytes());
    let mut measures = vec![0; 36];
    measures[35] = 1;
    let tables: [(&str, Vec<u8>); 5] = [
        ("head", head),
        ("hhea", measures),
        ("hmtx", vec![2, 8, 0, 0]),
        ("loca", places),
        ("glyf", outlines),
    ];
    let mut font = vec![0, 1, 0, 0, 0, tables.len() as u8, 0, 0, 0, 0, 0, 0];
    let mut at = 12 + 16 * tables.len();
    for (name, table) in &tables {
        font.extend(name.bytes().chain([0; 4]));
        font.extend((at as u32).to_be_bytes().iter().chain(&(table.len() as u32).to_be_bytes()));
        at += table.len();
    }
    tables.iter().for_each(|(_, table)| font.extend(table));
    stream("/Filter /ASCII85Decode", &ascii85(&font))
}

fn ascii85(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(4) {
        let mut four = [0; 4];
        four[..chunk.len()].copy_from_slice(chunk);
        let value = u32::from_be_bytes(four);
        let digits = (0..5).rev().map(|place| char::from(33 + (value / 85_u32.pow(place) % 85) as u8));
        out.extend(digits.take(chunk.len() + 1));
    }
    out + "~>"
}

/// A page that says the secret in a font that it brings, whose letters are made by this.
fn brought(made: impl Fn(char) -> (i16, i16, i16)) -> Vec<u8> {
    let letters: Vec<(i16, i16, i16)> =
        SECRET.chars().map(|letter| if letter == ' ' { (0, 0, 0) } else { made(letter) }).collect();
    let font = "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [9 0 R] /ToUnicode 10 0 R >>";
    let part = "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /DW 520 /FontDescriptor 11 0 R >>";
    let pairs = SECRET.bytes().enumerate().map(|(at, letter)| format!("<{:04X}> <{letter:04X}>\n", at + 1));
    let map = format!(
        "begincodespacerange <0000> <FFFF> endcodespacerange {} beginbfchar {} endbfchar",
        SECRET.len(),
        pairs.collect::<String>()
    );
    let described = "<< /Type /FontDescriptor /FontName /A /Flags 4 /FontFile2 12 0 R >>";
    let words: String = (1..=SECRET.len()).map(|number| format!("{number:04X}")).collect();
    in_font(font, &format!("<{words}>"), &[part, &stream("", &map), described, &truetype(&letters)])
}

fn honest(letter: char) -> (i16, i16, i16) {
    match letter {
        'a' | 'e' | 'o' => (0, 500, 2),
        'd' => (0, 700, 2),
        'f' | 'h' | 't' => (0, 700, 1),
        'i' => (0, 700, 2),
        'g' => (-200, 500, 2),
        'y' => (-200, 500, 1),
        _ => (0, 500, 1),
    }
}

#[test]
fn letters_of_a_font_must_have_outlines_that_fit_to_what_they_are_said_to_be() {
    let twin = brought(honest);
    for (what, hidden) in [
        ("letters without outlines", brought(|_| (0, 0, 0))),
        ("letters all of one form", brought(|_| (0, 500, 1))),
        ("high letters for low ones", brought(|letter| honest(if letter == 'r' { 'd' } else { letter }))),
    ] {
        assert_hidden(DocumentKind::Pdf, what, &hidden, &twin);
    }
}

#[test]
fn fonts_that_are_not_brought_and_not_usual_are_not_trusted() {
    let plain = |name: &str| {
        let font = format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>");
        in_font(&font, &format!("({SECRET})"), &[])
    };
    let hex: String = SECRET.bytes().map(|letter| format!("{letter:04X}")).collect();
    let map = stream("", "1 beginbfrange <0000> <00FF> <0000> endbfrange");
    let composite = in_font(
        "<< /Type /Font /Subtype /Type0 /BaseFont /Arial /Encoding /Identity-H /DescendantFonts [9 0 R] /ToUnicode 10 0 R >>",
        &format!("<{hex}>"),
        &[
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Arial /DW 500 /FontDescriptor << /Flags 4 >> >>",
            &map,
        ],
    );
    for (what, hidden) in [
        ("little pictures", plain("Wingdings")),
        ("signs", plain("Symbol")),
        ("a font that nobody has", plain("Foo")),
        ("numbers of letters in a font that is not there", composite),
    ] {
        assert_hidden(DocumentKind::Pdf, what, &hidden, &plain("Helvetica-Bold"));
    }
}
