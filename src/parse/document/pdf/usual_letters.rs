//! What letters usually look like: how wide they are, and which fonts have them.

/// The widths of the letters of Helvetica from the blank to the tilde, in thousandths of their size.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// Letters that are all of one width are narrower than the widest of others.
const WIDEST: f32 = 0.7;

/// About how much room a letter needs, in parts of its size.
pub(super) fn room_of(letter: char) -> f32 {
    let number = (letter as usize).checked_sub(32).and_then(|at| WIDTHS.get(at));
    match letter {
        _ if letter.is_whitespace() || letter.is_control() => 0.0,
        '\u{300}'..='\u{36f}' => 0.0,
        '\u{2e80}'..='\u{ff60}' => WIDEST,
        _ => match number {
            Some(width) => (f32::from(*width) / 1000.0).min(WIDEST),
            None if letter.is_alphanumeric() => 0.45,
            None => 0.2,
        },
    }
}

/// Beginnings of the names of fonts with usual letters, which programs have or take others like them for.
const FAMILIES: &str = "\
    arial helvetica times courier calibri cambria verdana georgia tahoma trebuchet palatino bookantiqua garamond century \
    consolas segoeui- segoeui, myriad minion lucida geneva optima futura franklin candara constantia corbel univers \
    frutiger liberation dejavu nimbus noto opensans roboto lato aptos bookman avantgarde newcentury sourcesans \
    sourceserif ubuntu inter msgothic msmincho simsun";

/// Whether a font that the document does not bring has usual letters under its name.
pub(super) fn has_usual_letters(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_lowercase().replace([' ', '_'], "");
    let name = name.split_once('+').map_or(name.as_str(), |(_, name)| name);
    let odd =
        ["symbol", "dingbat", "wingding", "emoji", "ornament", "icon", "barcode", "extra", "blank", "math"];
    let is_known =
        FAMILIES.split_ascii_whitespace().any(|family| name.starts_with(family)) || name == "segoeui";
    is_known && !odd.iter().any(|odd| name.contains(odd))
}
