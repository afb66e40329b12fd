//! What of Word is understood and leaves letters readable. Whatever else acts on them leaves them in doubt.

use super::xml::Tag;

/// Elements that may stand around text.
const AROUND: &str = "\
    acc AlternateContent anchor bar body borderBox box br Choice comment commentReference comments cr customXml endnoteReference footnoteReference d deg del den dir \
    document drawing e endnote endnotes eqArr f fldSimple fName footnote footnotes ftr func graphic graphicData \
    groupChr hdr hyperlink inline ins instrText lim limLow limUpp m moveFrom moveTo mr nary num oMath \
    oMathPara p pict posOffset r rad rt ruby rubyBase sdt sdtContent smartTag sPre sSub sSubSup sSup sub sup t \
    tbl tc tr txbx txbxContent wsp";

/// Properties of letters that never hide them, or whose values are looked at (`Said::hear`).
const OF_LETTERS: &str = "\
    b bCs bdr brk caps cntxtAlts color cs dstrike em fitText highlight i iCs ins kern lang \
    ligatures lit moveTo noProof nor numForm numSpacing oMath outline position rFonts rStyle rtl scr shadow shd \
    smallCaps snapToGrid spacing strike sty styleSet stylisticSets sz szCs u vanish vertAlign w \
    webHidden";

/// Properties of paragraphs, tables, rows and cells that never hide text, or whose values are looked at.
const OF_BLOCKS: &str = "\
    adjustRightInd autoSpaceDE autoSpaceDN bar between bidi bidiVisual bottom cantSplit cellIns cnfStyle \
    collapsed contextualSpacing del divId end framePr gridAfter gridBefore gridSpan header headers hidden \
    hideMark hMerge ilvl ind ins insideH insideV jc keepLines keepNext kinsoku left mirrorIndents noWrap \
    numberingChange numId numPr outlineLvl overflowPunct pageBreakBefore pBdr pPr pStyle right shd snapToGrid \
    spacing start suppressAutoHyphens suppressLineNumbers suppressOverlap tab tabs tblBorders tblCaption \
    tblCellMar tblCellSpacing tblDescription tblHeader tblInd tblLayout tblLook tblOverlap tblpPr tblPr tblPrEx \
    tblStyle tblStyleColBandSize tblStyleRowBandSize tblW tcBorders tcMar tcPr tcW textAlignment \
    textboxTightWrap textDirection tl2br top topLinePunct tr2bl trHeight trPr vAlign vMerge wAfter wBefore \
    widowControl wordWrap \
    col cols docGrid endnotePr footerReference footnotePr formProt headerReference lnNumType noEndnote numFmt numRestart \
    numStart paperSrc pgBorders pgMar pgNumType pgSz pos printerSettings rtlGutter sectPr titlePg type";

/// Fields that give a text which stays as it was written, by the first word of their instruction.
const TEXTS: &str = "\
    ADDIN ADDRESSBLOCK BIBLIOGRAPHY CITATION FORMTEXT GREETINGLINE HYPERLINK INDEX MERGEFIELD NOTEREF QUOTE REF TOA TOC";
/// Fields that give a number, which may be another one when the document is opened.
const NUMBERS: &str = "\
    = EDITTIME FILESIZE NUMCHARS NUMPAGES NUMWORDS PAGE PAGEREF REVNUM SECTION SECTIONPAGES SEQ MERGEREC MERGESEQ";
/// Fields that give a date or a time, which may be another one.
const DATES: &str = "CREATEDATE DATE PRINTDATE SAVEDATE TIME";

/// What a field gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Given {
    Text,
    Number,
    Date,
    /// Something else than was written, perhaps.
    #[default]
    Unknown,
}

/// Whether a name is in a list of names.
pub(super) fn is_in(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == name)
}

/// Whether text in this element is seen as far as the element goes.
pub(super) fn is_around(name: &str) -> bool {
    is_in(AROUND, name)
}

/// Whether a property of letters is understood.
pub(super) fn is_of_letters(name: &str) -> bool {
    is_in(OF_LETTERS, name)
}

/// Whether a property of a paragraph, a table, a row or a cell is understood.
pub(super) fn is_of_blocks(name: &str) -> bool {
    is_in(OF_BLOCKS, name)
}

/// What a field gives where it stands.
pub(super) fn given_by(instruction: &str) -> Given {
    let instruction = instruction.trim_start();
    let word = instruction.split(|c: char| c.is_whitespace() || c == '\\').next().unwrap_or_default();
    let word = word.to_ascii_uppercase();
    match () {
        () if is_in(TEXTS, &word) => Given::Text,
        () if instruction.starts_with('=') || is_in(NUMBERS, &word) => Given::Number,
        () if is_in(DATES, &word) => Given::Date,
        () => Given::Unknown,
    }
}

/// What the value of a property of paragraphs, tables, rows and cells may do to the text in them.
pub(super) fn odd_block(tag: &Tag<'_>, name: &str) -> Option<&'static str> {
    let any_beyond =
        |names: &[&str], low: f32, high: f32| names.iter().any(|name| beyond(tag, name, low, high));
    let says = |name: &str, value: &str| tag.attribute(name).as_deref() == Some(value);
    // Twentieths of a point, where nothing else is said.
    let doubt = match name {
        "ind"
            if any_beyond(&["left", "start", "right", "end", "firstLine", "hanging"], -3_000.0, 9_000.0) =>
        {
            "indent"
        }
        // Hundredths of a letter.
        "ind" if any_beyond(&["leftChars", "startChars", "rightChars", "endChars"], -1_500.0, 4_000.0) => {
            "indent"
        }
        "ind" if any_beyond(&["firstLineChars", "hangingChars"], -1_500.0, 4_000.0) => "indent",
        "tblInd" | "wBefore" if beyond(tag, "w", -1_500.0, 9_000.0) => "indent",
        "tab" if beyond(tag, "pos", -1_500.0, 16_000.0) => "indent",
        "left" | "start" | "right" | "end" | "top" | "bottom" if beyond(tag, "w", -300.0, 3_000.0) => {
            "indent"
        }
        "tblpPr" if any_beyond(&["tblpX", "tblpY"], -1_000.0, 17_000.0) => "position",
        "framePr" if any_beyond(&["x", "y"], -1_000.0, 17_000.0) => "position",
        "framePr" if any_beyond(&["w", "h"], 100.0, 1e6) => "size",
        "tcW" if says("type", "dxa") && beyond(tag, "w", 100.0, 1e6) => "size",
        "tblCellSpacing" if beyond(tag, "w", 0.0, 1_000.0) => "size",
        "spacing" if says("lineRule", "exact") && beyond(tag, "line", 80.0, 1e5) => "line-height",
        "spacing" if !says("lineRule", "exact") && beyond(tag, "line", 140.0, 1e5) => "line-height",
        "spacing" if any_beyond(&["before", "after"], 0.0, 8_000.0) => "line-height",
        "tblW" if says("type", "dxa") && beyond(tag, "w", 200.0, 1e6) && !says("w", "0") => "size",
        "tcFitText" => "width of letters",
        _ => return None,
    };
    Some(doubt)
}

/// Whether a number is given, and none that is usual; what is no number is not.
pub(super) fn beyond(tag: &Tag<'_>, name: &str, low: f32, high: f32) -> bool {
    tag.attribute(name).is_some_and(|value| {
        value.trim().trim_end_matches('%').parse().map_or(true, |value: f32| !(low..=high).contains(&value))
    })
}
