//! A wire that breaks: forwards to a server until something happens to it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::world::random::Random;

/// What happens to a connection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    /// The server's side ends after so many bytes.
    CutDown(usize),
    /// Our side ends after so many bytes.
    CutUp(usize),
    /// The server's side goes silent after so many bytes.
    Stall(usize),
    /// Nothing arrives at all: the connection is closed at once.
    Refuse,
    /// Bytes come in segments of this size.
    Split(usize),
    /// Every segment comes this many milliseconds later.
    Latency(u64),
    /// One bit in so many segments is turned, from this many bytes on.
    Garble(usize),
    /// Nothing happens.
    None,
}

/// A proxy in front of a port of this machine.
pub(crate) struct FaultProxy {
    pub(crate) port: u16,
    stop: Arc<AtomicBool>,
}

impl FaultProxy {
    /// Lets this happen to each connection to `target`.
    pub(crate) fn start(target: u16, fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                if fault == Fault::Refuse {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else { continue };
                join(&client, &server, fault);
            }
        });
        Self { port, stop }
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn join(client: &TcpStream, server: &TcpStream, fault: Fault) {
    let pair = |from: &TcpStream, to: &TcpStream| (from.try_clone().unwrap(), to.try_clone().unwrap());
    let (up, down) = (pair(client, server), pair(server, client));
    let (up_limit, down_limit) = match fault {
        Fault::CutUp(limit) => (limit, usize::MAX),
        Fault::CutDown(limit) | Fault::Stall(limit) => (usize::MAX, limit),
        _ => (usize::MAX, usize::MAX),
    };
    thread::spawn(move || {
        pump(up.0, up.1, up_limit, if matches!(fault, Fault::CutUp(_)) { fault } else { Fault::None })
    });
    thread::spawn(move || pump(down.0, down.1, down_limit, fault));
}

/// Forwards one direction until its limit.
fn pump(mut from: TcpStream, mut to: TcpStream, limit: usize, fault: Fault) {
    let size = if let Fault::Split(size) = fault { size } else { 65536 };
    let mut buffer = vec![0; size];
    let mut random = Random::new(7);
    let mut sent = 0;
    while let Ok(count) = from.read(&mut buffer) {
        let count = count.min(limit - sent);
        if count == 0 {
            break;
        }
        if let Fault::Garble(start) = fault
            && sent >= start
        {
            let place = random.below(count);
            buffer[place] ^= 1 << random.below(8);
        }
        if let Fault::Latency(milliseconds) = fault {
            thread::sleep(Duration::from_millis(milliseconds));
        }
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
        sent += count;
        if sent == limit {
            break;
        }
    }
    if sent == limit && matches!(fault, Fault::Stall(_)) {
        thread::sleep(Duration::from_secs(20));
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}
