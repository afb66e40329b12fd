//! Tables in the help of commands, in lines that fit the terminal as the rest of the help does.

use crate::cli::layout::{filled, width, wrapped};
use crate::cli::terminal;

/// Help is not wider, however wide the terminal.
pub(super) const WIDEST: usize = 100;

/// What fits wherever help goes that is not read on a terminal, manual pages among others.
const USUAL: usize = 72;

/// Names and what they mean; what is too long goes on below itself.
pub(super) fn table<'a>(rows: impl Iterator<Item = (&'a str, &'a str)>, columns: usize) -> String {
    let most = terminal::columns(&std::io::stdout()).map_or(USUAL, |most| most.min(WIDEST));
    let lines = rows.flat_map(|(name, meaning)| row(name, meaning, &Frame { columns, most }));
    lines.collect::<Vec<_>>().join("\n")
}

/// How wide the names of a table are, and the whole of it.
struct Frame {
    columns: usize,
    most: usize,
}

fn row(name: &str, meaning: &str, frame: &Frame) -> Vec<String> {
    let Frame { columns, most } = *frame;
    let start = columns + 4;
    if width(name) <= columns {
        return wrapped(&format!("  {}  {meaning}", filled(name, columns)), most, start);
    }
    let meaning = wrapped(&format!("{}{meaning}", " ".repeat(start)), most, start);
    [format!("  {name}")].into_iter().chain(meaning).collect()
}

#[cfg(test)]
mod tests {
    use super::{Frame, row};

    #[test]
    fn what_is_too_long_goes_on_below_itself() {
        let table = &Frame { columns: 8, most: 30 };
        assert_eq!(row("is:read", "a state", table), ["  is:read   a state"]);
        assert_eq!(
            row("is:read", "a state of the message", table),
            ["  is:read   a state of the", "            message"]
        );
        assert_eq!(row("older_than:7d", "a state", table), ["  older_than:7d", "            a state"]);
    }
}
