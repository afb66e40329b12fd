//! The terminal that this process belongs to, whatever its standard input is: questions that only a person may answer are
//! asked there. A pipe, a file or a process without a terminal cannot answer them.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};

use anstream::AutoStream;
use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, tcflush, tcgetattr, tcsetattr,
};

use crate::cli::failure::Failure;
use crate::cli::layout::wrapped;
use crate::cli::terminal;
use crate::secret::Secret;

/// Where it is.
const PATH: &str = "/dev/tty";

/// The controlling terminal.
pub(super) struct ControllingTerminal {
    input: BufReader<File>,
    output: AutoStream<File>,
    columns: usize,
}

impl ControllingTerminal {
    /// Opens it; `what` cannot be done without.
    pub(super) fn open(what: &str) -> Result<Self, Failure> {
        let open = || -> std::io::Result<Self> {
            let input = OpenOptions::new().read(true).write(true).open(PATH)?;
            let output = input.try_clone()?;
            let columns = terminal::columns(&output).unwrap_or(usize::MAX);
            Ok(Self { input: BufReader::new(input), output: AutoStream::auto(output), columns })
        };
        open().map_err(|_| {
            let hint = "run it yourself, in a terminal window: no program can answer for you";
            Failure::new("no_terminal", format!("{what} needs a terminal with a person at it"), hint)
        })
    }

    /// Prints lines; long ones go on below.
    pub(super) fn say(&mut self, text: &str) -> Result<(), Failure> {
        for line in text.split('\n') {
            let indent = line.len() - line.trim_start_matches(' ').len();
            for part in wrapped(line, self.columns, indent) {
                writeln!(self.output, "{part}")?;
            }
        }
        Ok(())
    }

    /// Asks for a line; `None` at the end of input. What was typed before the question was there does not count.
    pub(super) fn ask(&mut self, question: &str) -> Result<Option<String>, Failure> {
        self.forget_what_was_typed();
        write!(self.output, "{question}")?;
        self.output.flush()?;
        let mut line = String::new();
        match self.input.read_line(&mut line) {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(line.trim().to_owned())),
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Ok(Some(String::new())),
            Err(error) => Err(error.into()),
        }
    }

    /// Asks for something that is not shown while it is typed; `None` when it was broken off.
    pub(super) fn ask_hidden(&mut self, question: &str) -> Result<Option<Secret<String>>, Failure> {
        self.forget_what_was_typed();
        let shown = tcgetattr(self.input.get_ref()).map_err(std::io::Error::from)?;
        let mut hidden = shown.clone();
        // Ctrl-C comes as a character, so that the terminal is never left without echo.
        hidden.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        hidden.special_codes[SpecialCodeIndex::VMIN] = 1;
        hidden.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(self.input.get_ref(), OptionalActions::Now, &hidden).map_err(std::io::Error::from)?;
        write!(self.output, "{question}")?;
        self.output.flush()?;
        let typed = self.typed();
        let restored = tcsetattr(self.input.get_ref(), OptionalActions::Now, &shown);
        writeln!(self.output)?;
        restored.map_err(std::io::Error::from)?;
        Ok(typed?.map(Secret::new))
    }

    fn typed(&mut self) -> Result<Option<String>, Failure> {
        const INTERRUPT: u8 = 3;
        const END: u8 = 4;
        let mut typed = Vec::new();
        let mut byte = [0];
        loop {
            match self.input.read(&mut byte)? {
                0 => return Ok(None),
                _ => match byte[0] {
                    INTERRUPT | END => return Ok(None),
                    b'\r' | b'\n' => return Ok(Some(String::from_utf8_lossy(&typed).into_owned())),
                    8 | 127 => drop(typed.pop()),
                    other => typed.push(other),
                },
            }
        }
    }

    fn forget_what_was_typed(&mut self) {
        let waiting = self.input.buffer().len();
        self.input.consume(waiting);
        let _ = tcflush(self.input.get_ref(), QueueSelector::IFlush);
    }
}
