//! Spreadsheets: cells separated by tabs, rows by line ends, one sheet after the other.

use std::io::Cursor;

use calamine::{Data, DataRef, ExcelDateTime, Reader, Xls, Xlsb, Xlsx};

use crate::parse::visible_text::Verdict;

use super::DocumentError;
use super::archive::Archive;
use super::open_document;
use super::text::Text;
use super::xlsx::{Sheet, Workbook};

/// Adds what can be seen of a workbook, whichever program wrote it.
pub(super) fn read(bytes: &[u8], out: &mut Text) -> Result<(), DocumentError> {
    let input = Cursor::new(bytes);
    if !bytes.starts_with(b"PK") {
        return read_sheets(Xls::new(input).map_err(calamine::Error::from)?, out);
    }
    let archive = Archive::open(bytes)?;
    let is_open_document = !archive.names(|name| name == "content.xml").is_empty();
    let is_binary = !archive.names(|name| name == "xl/workbook.bin").is_empty();
    archive.check_size()?;
    match (is_open_document, is_binary) {
        (true, _) => open_document::read(bytes, out),
        (_, true) => read_sheets(Xlsb::new(input).map_err(calamine::Error::from)?, out),
        _ => read_xlsx(Xlsx::new(input).map_err(calamine::Error::from)?, &Workbook::read(bytes)?, out),
    }
}

/// Old and binary workbooks: what their cells look like is not known, so all of them are in doubt.
fn read_sheets<'a, R>(mut workbook: R, out: &mut Text) -> Result<(), DocumentError>
where
    R: Reader<Cursor<&'a [u8]>>,
    calamine::Error: From<R::Error>,
{
    let mut length = 0;
    for name in workbook.sheet_names() {
        let range = workbook.worksheet_range(&name).map_err(calamine::Error::from)?;
        let cells = range.rows().flatten().filter(|cell| **cell != Data::Empty);
        length += cells.map(|cell| cell.to_string().len()).sum::<usize>();
    }
    out.leave_out(length, Verdict::Doubtful("old format"));
    Ok(())
}

/// Cell by cell: a range is a rectangle, and two cells in far corners would make it fill all memory.
fn read_xlsx(
    mut workbook: Xlsx<Cursor<&[u8]>>,
    seen: &Workbook,
    out: &mut Text,
) -> Result<(), DocumentError> {
    for name in workbook.sheet_names() {
        let Ok(mut cells) = workbook.worksheet_cells_reader(&name) else {
            continue;
        };
        let sheet = seen.sheet(&name);
        let verdict = sheet.map_or(Verdict::Doubtful("sheets"), Sheet::verdict);
        out.put(&format!("{name}\n"), verdict);
        let mut last_row = 0;
        while let Some(cell) = cells.next_cell().map_err(calamine::Error::from)? {
            if out.is_full() {
                return Ok(());
            }
            let (row, _) = cell.get_position();
            if row != std::mem::replace(&mut last_row, row) {
                out.push("\n");
            }
            let known = sheet.and_then(|sheet| sheet.cell(cell.get_position()));
            let own = match (verdict, known) {
                (Verdict::Shown, Some(known)) => known.verdict,
                (verdict, _) => verdict,
            };
            match known.filter(|known| own == Verdict::Shown && !known.pieces.is_empty()) {
                Some(known) => known.pieces.iter().for_each(|(piece, seen)| out.put(piece, *seen)),
                None => out.put(&value(cell.get_value()), own),
            }
            out.push("\t");
        }
        out.push("\n");
    }
    Ok(())
}

fn value(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::SharedString(text) => (*text).to_owned(),
        other => match Data::from(other.clone()) {
            Data::Empty => String::new(),
            Data::DateTime(moment) => date(&moment),
            other => other.to_string(),
        },
    }
}

fn date(moment: &ExcelDateTime) -> String {
    if !moment.is_datetime() {
        return moment.to_string();
    }
    let (year, month, day, hour, minute, _, _) = moment.to_ymd_hms_milli();
    match (hour, minute) {
        (0, 0) => format!("{year:04}-{month:02}-{day:02}"),
        _ => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}"),
    }
}
