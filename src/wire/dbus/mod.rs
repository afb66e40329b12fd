//! D-Bus, the session's bus: one connection, one call at a time. Knows the part of it that a caller of methods needs, on a
//! socket of this machine.

mod wire_format;

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use wire_format::Reader;
pub use wire_format::{Value, Writer};

/// How long one answer may take; the person may be asked for a password in between.
const PATIENCE: Duration = Duration::from_secs(60);
/// No answer of a keyring is longer.
const LONGEST: usize = 1 << 20;

const METHOD_RETURN: u8 = 2;
const ERROR: u8 = 3;
const SIGNAL: u8 = 4;

/// A method of an object.
#[derive(Clone, Copy)]
pub struct Method<'a> {
    /// The name of who has it.
    pub destination: &'a str,
    /// The object.
    pub path: &'a str,
    /// What the method belongs to.
    pub interface: &'a str,
    /// Its name.
    pub member: &'a str,
}

/// A message that came in.
struct Message {
    kind: u8,
    reply_to: Option<u64>,
    path: String,
    member: String,
    error_name: String,
    body: Vec<Value>,
}

/// A connection that the bus has let in.
pub struct Bus {
    stream: UnixStream,
    serial: u32,
    /// Signals that came while an answer was waited for.
    signals: Vec<Message>,
}

impl Bus {
    /// Connects to the session's bus.
    pub fn connect() -> Result<Self, String> {
        let stream =
            open_socket().map_err(|error| format!("the session's bus cannot be reached: {error}"))?;
        let mut bus = Self { stream, serial: 0, signals: Vec::new() };
        bus.authenticate().map_err(|error| format!("the session's bus does not let us in: {error}"))?;
        bus.call(&of_the_bus("Hello"), "", Writer::default())?;
        Ok(bus)
    }

    /// Says who we are; the bus asks the system whether that is so.
    fn authenticate(&mut self) -> io::Result<()> {
        self.stream.set_read_timeout(Some(PATIENCE))?;
        self.stream.set_write_timeout(Some(PATIENCE))?;
        let user = rustix::process::getuid().as_raw().to_string();
        let user: String = user.bytes().map(|digit| format!("{digit:02x}")).collect();
        self.stream.write_all(format!("\0AUTH EXTERNAL {user}\r\n").as_bytes())?;
        let answer = self.line()?;
        if !answer.starts_with("OK ") {
            return Err(io::Error::other(answer));
        }
        self.stream.write_all(b"BEGIN\r\n")
    }

    fn line(&mut self) -> io::Result<String> {
        let (mut line, mut byte) = (Vec::new(), [0]);
        while !line.ends_with(b"\r\n") && line.len() < 1000 {
            self.stream.read_exact(&mut byte)?;
            line.push(byte[0]);
        }
        Ok(String::from_utf8_lossy(&line).trim().to_owned())
    }

    /// Calls a method and waits for what it returns.
    pub fn call(&mut self, method: &Method<'_>, signature: &str, body: Writer) -> Result<Vec<Value>, String> {
        self.serial += 1;
        let serial = self.serial;
        let message = method_call(serial, method, signature, &body.finish());
        self.stream.write_all(&message).map_err(|error| error.to_string())?;
        loop {
            let message = self.receive()?;
            match (message.kind, message.reply_to) {
                (METHOD_RETURN, Some(number)) if number == u64::from(serial) => return Ok(message.body),
                (ERROR, Some(number)) if number == u64::from(serial) => return Err(message.complaint()),
                (SIGNAL, _) => self.signals.push(message),
                _ => {}
            }
        }
    }

    /// Has the signals of an object sent to us, those of the program that has this name and of no other.
    pub fn listen(&mut self, sender: &str, path: &str, member: &str) -> Result<(), String> {
        let mut body = Writer::default();
        body.text(&format!("type='signal',sender='{sender}',path='{path}',member='{member}'"));
        self.call(&of_the_bus("AddMatch"), "s", body).map(|_| ())
    }

    /// Waits for a signal of an object.
    pub fn wait_for(&mut self, path: &str, member: &str) -> Result<Vec<Value>, String> {
        loop {
            let is_it = |signal: &Message| signal.path == path && signal.member == member;
            if let Some(at) = self.signals.iter().position(is_it) {
                return Ok(self.signals.swap_remove(at).body);
            }
            let message = self.receive()?;
            self.signals.extend(Some(message).filter(|message| message.kind == SIGNAL));
        }
    }

    /// Waits for signals as long as it takes: the person's, not a program's.
    pub fn wait_for_ever(&mut self) -> io::Result<()> {
        self.stream.set_read_timeout(None)
    }

    fn receive(&mut self) -> Result<Message, String> {
        let bytes = self.read_message().map_err(|error| error.to_string())?;
        read(&bytes).ok_or_else(|| "the session's bus sent something unreadable".to_owned())
    }

    /// The bytes of a message, whose beginning says how many they are.
    fn read_message(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; 16];
        self.stream.read_exact(&mut bytes)?;
        if bytes[0] != b'l' {
            return Err(io::Error::other("the bus speaks with the high byte first"));
        }
        let number =
            |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
        let whole = (16 + number(12)).next_multiple_of(8) + number(4);
        if whole > LONGEST {
            return Err(io::Error::other("the answer is too long"));
        }
        bytes.resize(whole, 0);
        self.stream.read_exact(&mut bytes[16..])?;
        Ok(bytes)
    }
}

impl Message {
    /// What an error says.
    fn complaint(&self) -> String {
        let text = self.body.first().and_then(Value::text).unwrap_or_default();
        if text.is_empty() { self.error_name.clone() } else { text.to_owned() }
    }
}

fn of_the_bus(member: &str) -> Method<'_> {
    Method {
        destination: "org.freedesktop.DBus",
        path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus",
        member,
    }
}

fn method_call(serial: u32, method: &Method<'_>, signature: &str, body: &[u8]) -> Vec<u8> {
    const METHOD_CALL: u8 = 1;
    const VERSION: u8 = 1;
    let mut message = Writer::default();
    [b'l', METHOD_CALL, 0, VERSION].into_iter().for_each(|byte| message.byte(byte));
    message.number(u32::try_from(body.len()).unwrap_or(u32::MAX));
    message.number(serial);
    let fields = [
        (1, "o", method.path),
        (2, "s", method.interface),
        (3, "s", method.member),
        (6, "s", method.destination),
        (8, "g", signature),
    ];
    message.array(8, |array| {
        for (code, kind, value) in fields.into_iter().filter(|(_, _, value)| !value.is_empty()) {
            array.align(8);
            array.byte(code);
            array.variant(kind, value);
        }
    });
    message.align(8);
    let mut message = message.finish();
    message.extend(body);
    message
}

fn read(bytes: &[u8]) -> Option<Message> {
    let mut reader = Reader::new(bytes);
    let head = reader.values("yyyyuua(yv)")?;
    let field = |code: u64| {
        head[6].list().iter().find_map(|field| match field.list() {
            [Value::Number(found), Value::Variant(value)] if *found == code => Some(value.as_ref()),
            _ => None,
        })
    };
    let text = |code| field(code).and_then(Value::text).unwrap_or_default().to_owned();
    let (path, member, error_name, signature) = (text(1), text(3), text(4), text(8));
    let (kind, reply_to) = (u8::try_from(head[1].number()?).ok()?, field(5).and_then(Value::number));
    reader.align(8)?;
    let body = reader.values(&signature)?;
    Some(Message { kind, reply_to, path, member, error_name, body })
}

/// The socket of the session's bus: where the session says, or where it usually is.
fn open_socket() -> io::Result<UnixStream> {
    let named = std::env::var("DBUS_SESSION_BUS_ADDRESS").unwrap_or_default();
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in named.split(';').filter_map(|address| address.strip_prefix("unix:")) {
        match connect_to(address) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    if named.is_empty() { UnixStream::connect(usual_socket()?) } else { Err(last) }
}

fn usual_socket() -> io::Result<PathBuf> {
    let place = std::env::var_os("XDG_RUNTIME_DIR").ok_or(io::ErrorKind::NotFound)?;
    Ok(PathBuf::from(place).join("bus"))
}

/// Connects to what stands behind `unix:` in an address.
fn connect_to(address: &str) -> io::Result<UnixStream> {
    let mut keys = address.split(',').filter_map(|pair| pair.split_once('='));
    let (key, value) = keys
        .find(|(key, _)| matches!(*key, "path" | "abstract" | "runtime"))
        .ok_or_else(|| io::Error::other("its address is of an unknown kind"))?;
    let value: Vec<u8> = percent_encoding::percent_decode_str(value).collect();
    match key {
        "runtime" => UnixStream::connect(usual_socket()?),
        "abstract" => connect_abstract(&value),
        _ => {
            use std::os::unix::ffi::OsStringExt;
            UnixStream::connect(PathBuf::from(std::ffi::OsString::from_vec(value)))
        }
    }
}

#[cfg(target_os = "linux")]
fn connect_abstract(name: &[u8]) -> io::Result<UnixStream> {
    use std::os::linux::net::SocketAddrExt;
    UnixStream::connect_addr(&std::os::unix::net::SocketAddr::from_abstract_name(name)?)
}

#[cfg(not(target_os = "linux"))]
fn connect_abstract(_: &[u8]) -> io::Result<UnixStream> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::{Method, method_call, read};

    #[test]
    fn a_call_is_written_as_a_bus_reads_it() {
        let method = Method { destination: "a.b", path: "/p", interface: "i.f", member: "M" };

        let message = read(&method_call(7, &method, "s", &[1, 0, 0, 0, b'x', 0])).unwrap();

        assert_eq!((message.kind, message.path.as_str(), message.member.as_str()), (1, "/p", "M"));
        assert_eq!(message.body[0].text(), Some("x"));
    }
}
