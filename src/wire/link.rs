//! A byte stream to a server: TCP, TLS on it, compression on that. Every wait ends: with bytes, after the time that
//! was given, or when we are told to stop.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress};
use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::model::{Endpoint, IoLimits, Tls};
use crate::wire::WireError;

/// How often a wait looks whether it should end.
const SLICE: Duration = Duration::from_millis(100);

/// A connection to a server.
pub struct Link {
    stream: Stream,
    server: String,
    limits: IoLimits,
}

enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
    Deflated(Box<Deflated>),
    Gone,
}

impl Link {
    /// Connects. With implicit TLS the handshake is part of it.
    pub fn connect(endpoint: &Endpoint, limits: IoLimits) -> Result<Self, WireError> {
        let tcp = dial(endpoint, None, &limits)?;
        Self::over(tcp, endpoint, limits)
    }

    /// The same at exactly this address: the name is looked up no more, and only the certificate has to fit it.
    pub fn connect_at(endpoint: &Endpoint, at: SocketAddr, limits: IoLimits) -> Result<Self, WireError> {
        let tcp = dial(endpoint, Some(at), &limits)?;
        Self::over(tcp, endpoint, limits)
    }

    fn over(tcp: TcpStream, endpoint: &Endpoint, limits: IoLimits) -> Result<Self, WireError> {
        let server = endpoint.to_string();
        let configured =
            tcp.set_nodelay(true).and_then(|()| tcp.set_read_timeout(Some(SLICE.min(limits.silence))));
        configured
            .and_then(|()| tcp.set_write_timeout(Some(limits.silence)))
            .map_err(|error| WireError::Unreachable { server: server.clone(), detail: error.to_string() })?;
        let mut link = Self { stream: Stream::Plain(tcp), server, limits };
        if endpoint.tls == Tls::Implicit {
            link.protect(&endpoint.host)?;
        }
        Ok(link)
    }

    /// Host and port, for messages.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// How long a silence may be.
    #[must_use]
    pub fn limits(&self) -> &IoLimits {
        &self.limits
    }

    /// Turns a plain connection into a protected one.
    pub fn protect(&mut self, host: &str) -> Result<(), WireError> {
        let refused = |detail: String| WireError::Tls { server: self.server.clone(), detail };
        let name = ServerName::try_from(host.to_owned()).map_err(|error| refused(error.to_string()))?;
        let client = ClientConnection::new(tls_config(), name).map_err(|error| refused(error.to_string()))?;
        let Stream::Plain(tcp) = std::mem::replace(&mut self.stream, Stream::Gone) else {
            return Err(refused("it is protected already".to_owned()));
        };
        let mut tls = Box::new(StreamOwned::new(client, tcp));
        let until = Instant::now() + self.limits.silence;
        while tls.conn.is_handshaking() {
            match tls.conn.complete_io(&mut tls.sock) {
                Err(error) if is_wait(&error) => self.keep_waiting(until)?,
                Err(error) => return Err(self.handshake_error(&error)),
                Ok(_) => {}
            }
        }
        self.stream = Stream::Tls(tls);
        Ok(())
    }

    /// Compresses both directions from here on (RFC 4978).
    pub fn deflate(&mut self) {
        let inner = std::mem::replace(&mut self.stream, Stream::Gone);
        self.stream = Stream::Deflated(Box::new(Deflated {
            inner,
            inflate: Decompress::new(false),
            deflate: Compress::new(Compression::fast(), false),
            packed: vec![0; 64 << 10],
            filled: 0,
            taken: 0,
        }));
    }

    /// Reads what is there, waiting for the first byte at most `silence`.
    pub fn read(&mut self, buffer: &mut [u8], silence: Duration) -> Result<usize, WireError> {
        let until = Instant::now() + silence;
        loop {
            match self.stream.read(buffer) {
                Ok(0) => return Err(self.closed("")),
                Ok(count) => return Ok(count),
                Err(error) if is_wait(&error) => {
                    if Instant::now() >= until {
                        return Err(WireError::Timeout { server: self.server.clone(), after: silence });
                    }
                    self.check_stop()?;
                }
                Err(error) => return Err(self.failed(&error)),
            }
        }
    }

    /// Sends everything.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        let written = self.stream.write_all(bytes).and_then(|()| self.stream.flush());
        written.map_err(|error| match is_wait(&error) {
            true => WireError::Timeout { server: self.server.clone(), after: self.limits.silence },
            false => self.failed(&error),
        })
    }

    /// Waits so long from here on.
    pub fn set_silence(&mut self, silence: Duration) {
        self.limits.silence = silence;
        if let Some(tcp) = self.stream.tcp() {
            let _ = tcp.set_write_timeout(Some(silence));
        }
    }

    /// Sends everything to a server that may be slow to take it: for at most `patience` without taking anything, and
    /// not beyond a stop. Not for a compressed stream.
    pub fn write_slowly(&mut self, bytes: &[u8], patience: Duration) -> Result<(), WireError> {
        self.set_write_slice(SLICE.min(patience));
        let written = self.write_in_slices(bytes, patience);
        self.set_write_slice(self.limits.silence);
        written
    }

    fn set_write_slice(&self, slice: Duration) {
        if let Some(tcp) = self.stream.tcp() {
            let _ = tcp.set_write_timeout(Some(slice));
        }
    }

    fn write_in_slices(&mut self, mut bytes: &[u8], patience: Duration) -> Result<(), WireError> {
        let mut until = Instant::now() + patience;
        loop {
            let written = match bytes {
                [] => self.stream.flush().map(|()| 0),
                _ => self.stream.write(bytes),
            };
            match written {
                Ok(0) if bytes.is_empty() => return Ok(()),
                Ok(0) => return Err(self.closed("")),
                Ok(count) => {
                    bytes = &bytes[count..];
                    until = Instant::now() + patience;
                    self.check_stop()?;
                }
                Err(error) if is_wait(&error) => {
                    self.check_stop()?;
                    if Instant::now() >= until {
                        return Err(WireError::Timeout { server: self.server.clone(), after: patience });
                    }
                }
                Err(error) => return Err(self.failed(&error)),
            }
        }
    }

    /// Whether the connection is open and nothing waits to be read, as it is between two questions.
    pub fn is_quiet(&mut self) -> bool {
        let Some(tcp) = self.stream.tcp() else { return false };
        if tcp.set_nonblocking(true).is_err() {
            return false;
        }
        let heard = self.stream.read(&mut [0]);
        let is_quiet = matches!(heard, Err(error) if error.kind() == io::ErrorKind::WouldBlock);
        is_quiet && self.stream.tcp().is_some_and(|tcp| tcp.set_nonblocking(false).is_ok())
    }

    fn keep_waiting(&self, until: Instant) -> Result<(), WireError> {
        self.check_stop()?;
        if Instant::now() < until {
            return Ok(());
        }
        Err(WireError::Timeout { server: self.server.clone(), after: self.limits.silence })
    }

    fn check_stop(&self) -> Result<(), WireError> {
        if self.limits.stop.load(Ordering::Relaxed) { Err(WireError::Stopped) } else { Ok(()) }
    }

    /// The connection ended.
    #[must_use]
    pub fn closed(&self, detail: &str) -> WireError {
        WireError::Closed { server: self.server.clone(), detail: detail.to_owned() }
    }

    fn failed(&self, error: &io::Error) -> WireError {
        self.closed(&format!(": {error}"))
    }

    fn handshake_error(&self, error: &io::Error) -> WireError {
        let server = self.server.clone();
        match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(rustls::Error::InvalidCertificate(reason)) => {
                WireError::Certificate { server, detail: explain(reason) }
            }
            Some(other) => WireError::Tls { server, detail: other.to_string() },
            None => self.failed(error),
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Stream::Plain(tcp) = &self.stream {
            let _ = tcp.shutdown(Shutdown::Both);
        }
    }
}

/// Whether a host is this very machine.
#[must_use]
pub fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Connects on a thread of its own: neither the search for an address nor a connection that hangs can be told to stop.
/// What it comes to after a stop is dropped, before anything was said.
fn dial(endpoint: &Endpoint, at: Option<SocketAddr>, limits: &IoLimits) -> Result<TcpStream, WireError> {
    let (connected, outcome) = mpsc::sync_channel(1);
    let (asked, silence) = (endpoint.clone(), limits.silence);
    let dialling = move || drop(connected.send(reach(&asked, at, silence)));
    let failed = |detail: String| WireError::Unreachable { server: endpoint.to_string(), detail };
    thread::Builder::new().spawn(dialling).map_err(|error| failed(error.to_string()))?;
    loop {
        match outcome.recv_timeout(SLICE) {
            Ok(reached) => return reached,
            Err(RecvTimeoutError::Disconnected) => return Err(failed("it could not be tried".to_owned())),
            Err(RecvTimeoutError::Timeout) if limits.stop.load(Ordering::Relaxed) => {
                return Err(WireError::Stopped);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Tries the address that is given, or all addresses of the host.
fn reach(endpoint: &Endpoint, at: Option<SocketAddr>, silence: Duration) -> Result<TcpStream, WireError> {
    let unreachable = |detail: String| WireError::Unreachable { server: endpoint.to_string(), detail };
    let addresses = match at {
        Some(at) => vec![at],
        None => addresses(&endpoint.host, endpoint.port).map_err(|error| unreachable(error.to_string()))?,
    };
    let mut last = "the name has no address".to_owned();
    for address in addresses {
        match TcpStream::connect_timeout(&address, silence) {
            Ok(tcp) => return Ok(tcp),
            Err(error) => last = error.to_string(),
        }
    }
    Err(unreachable(last))
}

/// All addresses of a host.
pub fn addresses(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Ok((host, port).to_socket_addrs()?.collect())
}

fn is_wait(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// Why a certificate was refused, for a person.
fn explain(reason: &CertificateError) -> String {
    match reason {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired".to_owned(),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it belongs to another host name".to_owned()
        }
        CertificateError::Revoked => "it has been revoked".to_owned(),
        CertificateError::BadEncoding => "it cannot be read".to_owned(),
        // An unknown signer, or one that only bears the name of a known one.
        _ => "it is not signed by an authority this machine trusts".to_owned(),
    }
}

/// Trusts what this machine trusts.
fn tls_config() -> Arc<ClientConfig> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    Arc::clone(CONFIG.get_or_init(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("ring speaks the default versions of TLS");
        Arc::new(config.with_root_certificates(roots).with_no_client_auth())
    }))
}

impl Stream {
    fn tcp(&self) -> Option<&TcpStream> {
        match self {
            Self::Plain(tcp) => Some(tcp),
            Self::Tls(tls) => Some(&tls.sock),
            Self::Deflated(_) | Self::Gone => None,
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.read(buffer),
            Self::Tls(tls) => tls.read(buffer),
            Self::Deflated(deflated) => deflated.read(buffer),
            Self::Gone => Ok(0),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.write(bytes),
            Self::Tls(tls) => tls.write(bytes),
            Self::Deflated(deflated) => deflated.write(bytes),
            Self::Gone => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(tcp) => tcp.flush(),
            Self::Tls(tls) => tls.flush(),
            Self::Deflated(deflated) => deflated.inner.flush(),
            Self::Gone => Ok(()),
        }
    }
}

/// A stream that is compressed in both directions.
struct Deflated {
    inner: Stream,
    inflate: Decompress,
    deflate: Compress,
    packed: Vec<u8>,
    filled: usize,
    taken: usize,
}

impl Deflated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let (read_before, written_before) = (self.inflate.total_in(), self.inflate.total_out());
            let packed = &self.packed[self.taken..self.filled];
            self.inflate
                .decompress(packed, buffer, FlushDecompress::None)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            self.taken += usize::try_from(self.inflate.total_in() - read_before).unwrap_or(0);
            let written = usize::try_from(self.inflate.total_out() - written_before).unwrap_or(0);
            if written > 0 || buffer.is_empty() {
                return Ok(written);
            }
            self.taken = 0;
            self.filled = 0;
            self.filled = self.inner.read(&mut self.packed)?;
            if self.filled == 0 {
                return Ok(0);
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut out = Vec::with_capacity(bytes.len() + 64);
        self.deflate
            .compress_vec(bytes, &mut out, FlushCompress::Sync)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        self.inner.write_all(&out)?;
        Ok(bytes.len())
    }
}
