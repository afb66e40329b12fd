//! Spreadsheets: cells separated by tabs, rows by line ends, one sheet after the other.

use std::fmt::Display;
use std::io::Cursor;

use calamine::{Data, DataRef, ExcelDateTime, Ods, Reader, Xls, Xlsb, Xlsx};

use super::DocumentError;
use super::archive::Archive;
use super::text::Text;

/// Adds all sheets of a workbook, whichever program wrote it.
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
        (true, _) => read_sheets(Ods::new(input).map_err(calamine::Error::from)?, out),
        (_, true) => read_sheets(Xlsb::new(input).map_err(calamine::Error::from)?, out),
        _ => read_xlsx(Xlsx::new(input).map_err(calamine::Error::from)?, out),
    }
}

fn read_sheets<'a, R>(mut workbook: R, out: &mut Text) -> Result<(), DocumentError>
where
    R: Reader<Cursor<&'a [u8]>>,
    calamine::Error: From<R::Error>,
{
    for name in workbook.sheet_names() {
        let range = workbook.worksheet_range(&name).map_err(calamine::Error::from)?;
        title(&name, out);
        for row in range.rows() {
            if out.is_full() {
                return Ok(());
            }
            row.iter().for_each(|cell| value(cell, out));
            out.push("\n");
        }
    }
    Ok(())
}

/// Cell by cell: a range is a rectangle, and two cells in far corners would make it fill all memory.
fn read_xlsx(mut workbook: Xlsx<Cursor<&[u8]>>, out: &mut Text) -> Result<(), DocumentError> {
    for name in workbook.sheet_names() {
        let Ok(mut cells) = workbook.worksheet_cells_reader(&name) else {
            continue;
        };
        title(&name, out);
        let mut last_row = 0;
        while let Some(cell) = cells.next_cell().map_err(calamine::Error::from)? {
            if out.is_full() {
                return Ok(());
            }
            let (row, _) = cell.get_position();
            if row != std::mem::replace(&mut last_row, row) {
                out.push("\n");
            }
            shared_value(cell.get_value(), out);
        }
        out.push("\n");
    }
    Ok(())
}

fn title(name: &str, out: &mut Text) {
    out.push(name);
    out.push("\n");
}

fn shared_value(cell: &DataRef<'_>, out: &mut Text) {
    match cell {
        DataRef::SharedString(text) => put(text, out),
        other => value(&Data::from(other.clone()), out),
    }
}

fn value(cell: &Data, out: &mut Text) {
    match cell {
        Data::Empty => {}
        Data::DateTime(moment) => put(date(moment), out),
        other => put(other, out),
    }
}

fn put(value: impl Display, out: &mut Text) {
    out.push(&value.to_string());
    out.push("\t");
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
