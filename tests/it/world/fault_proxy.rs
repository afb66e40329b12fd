//! A wire that breaks: forwards to a server until something happens to it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::world::random::Random;

/// What happens to a connection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    /// The server's side ends after so many bytes.
    CutDown(usize),
    /// The same, without a goodbye: the connection is reset.
    ResetDown(usize),
    /// Our side ends after so many bytes.
    CutUp(usize),
    /// The server's side goes silent after so many bytes.
    Stall(usize),
    /// Nothing arrives at all: the connection is closed at once.
    Refuse,
    /// The server's side ends after so much time.
    Cutoff(Duration),
    /// Bytes come in segments of this size.
    Split(usize),
    /// Every segment comes this many milliseconds later.
    Latency(u64),
    /// The server's side brings this many bytes in a second.
    Slow(usize),
    /// The server's side ends when it says these words.
    CutAt(&'static str),
    /// One bit in so many segments is turned, from this many bytes on.
    Garble(usize),
    /// Nothing happens.
    None,
}

/// A proxy in front of a port of this machine.
pub(crate) struct FaultProxy {
    pub(crate) port: u16,
    stop: Arc<AtomicBool>,
    said: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl FaultProxy {
    /// Lets this happen to each connection to `target`.
    pub(crate) fn start(target: u16, fault: Fault) -> Self {
        Self::by_connection(target, move |_| fault)
    }

    /// Lets what is given for its number, from 0 on, happen to a connection.
    pub(crate) fn by_connection(target: u16, fault: impl Fn(usize) -> Fault + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        thread::spawn(move || {
            for (number, client) in listener.incoming().flatten().enumerate() {
                let fault = fault(number);
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                if fault == Fault::Refuse {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else { continue };
                join(&client, &server, fault, &heard);
            }
        });
        Self { port, stop, said }
    }

    /// What got through from the server, one entry a connection.
    pub(crate) fn said(&self) -> Vec<Vec<u8>> {
        self.said.lock().unwrap().clone()
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn join(client: &TcpStream, server: &TcpStream, fault: Fault, said: &Arc<Mutex<Vec<Vec<u8>>>>) {
    let pair = |from: &TcpStream, to: &TcpStream| (from.try_clone().unwrap(), to.try_clone().unwrap());
    let (up, down) = (pair(client, server), pair(server, client));
    let (up_limit, down_limit) = match fault {
        Fault::CutUp(limit) => (limit, usize::MAX),
        Fault::CutDown(limit) | Fault::ResetDown(limit) | Fault::Stall(limit) => (usize::MAX, limit),
        _ => (usize::MAX, usize::MAX),
    };
    let connection = {
        let mut all = said.lock().unwrap();
        all.push(Vec::new());
        all.len() - 1
    };
    let said = Arc::clone(said);
    if let Fault::Cutoff(time) = fault {
        let both = pair(client, server);
        thread::spawn(move || {
            thread::sleep(time);
            let _ = both.0.shutdown(Shutdown::Both);
            let _ = both.1.shutdown(Shutdown::Both);
        });
    }
    thread::spawn(move || {
        let own = if matches!(fault, Fault::CutUp(_)) { fault } else { Fault::None };
        pump(up, up_limit, own, |_| {});
    });
    thread::spawn(move || {
        pump(down, down_limit, fault, |bytes| said.lock().unwrap()[connection].extend_from_slice(bytes));
    });
}

/// Forwards one direction until its limit.
fn pump((mut from, mut to): (TcpStream, TcpStream), limit: usize, fault: Fault, hear: impl Fn(&[u8])) {
    let size = match fault {
        Fault::Split(size) => size,
        Fault::Slow(rate) => rate / 50 + 1,
        _ => 65536,
    };
    let mut buffer = vec![0; size];
    let mut random = Random::new(7);
    let mut sent = 0;
    let mut said = Vec::new();
    while let Ok(count) = from.read(&mut buffer) {
        let count = count.min(limit - sent);
        if count == 0 {
            break;
        }
        match fault {
            Fault::Garble(start) if sent >= start => {
                let place = random.below(count);
                buffer[place] ^= 1 << random.below(8);
            }
            Fault::Latency(milliseconds) => thread::sleep(Duration::from_millis(milliseconds)),
            Fault::Slow(_) => thread::sleep(Duration::from_millis(20)),
            _ => {}
        }
        // Heard before it is passed on, so that nobody can know more than stands here.
        hear(&buffer[..count]);
        said.extend_from_slice(&buffer[..count]);
        if let Fault::CutAt(words) = fault
            && memchr::memmem::find(&said, words.as_bytes()).is_some()
        {
            break;
        }
        said.drain(..said.len().saturating_sub(100));
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
        sent += count;
        if sent == limit {
            break;
        }
    }
    match fault {
        Fault::Stall(_) if sent == limit => thread::sleep(Duration::from_secs(20)),
        Fault::ResetDown(_) if sent == limit => {
            // A socket that closes at once, with bytes from us unread or not, resets the connection.
            let _ = socket2::SockRef::from(&to).set_linger(Some(Duration::ZERO));
            let _ = to.shutdown(Shutdown::Read);
            let _ = from.shutdown(Shutdown::Both);
            return;
        }
        _ => {}
    }
    let _ = to.shutdown(Shutdown::Both);
    // With a goodbye there is no reset.
    let goodbye = if is_linger_off(&from) { Shutdown::Read } else { Shutdown::Both };
    let _ = from.shutdown(goodbye);
}

fn is_linger_off(stream: &TcpStream) -> bool {
    matches!(socket2::SockRef::from(stream).linger(), Ok(Some(Duration::ZERO)))
}
