use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{HttpClient, HttpRequest};
use crate::model::IoLimits;
use crate::secret::Secret;
use crate::wire::WireError;

/// A peer that does the same with every connection; counts them.
struct Peer {
    url: String,
    connections: Arc<AtomicUsize>,
}

impl Peer {
    fn new(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let (connections, serve) = (Arc::new(AtomicUsize::new(0)), Arc::new(serve));
        let counted = Arc::clone(&connections);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::Relaxed);
                let serve = Arc::clone(&serve);
                thread::spawn(move || serve(stream));
            }
        });
        Self { url, connections }
    }

    /// Answers every request with these bytes.
    fn answering(answer: &'static [u8]) -> Self {
        Self::new(move |stream| {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut stream = stream;
            while read_request(&mut reader).is_some() {
                stream.write_all(answer).unwrap();
            }
        })
    }
}

/// The head of a request and its body; `None` at the end of the connection.
fn read_request(reader: &mut BufReader<TcpStream>) -> Option<(String, Vec<u8>)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head
        .to_lowercase()
        .split_once("content-length: ")
        .map_or(0, |(_, rest)| rest.split("\r\n").next().and_then(|digits| digits.parse().ok()).unwrap_or(0));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

fn limits(silence: u64) -> IoLimits {
    IoLimits { silence: Duration::from_millis(silence), stop: Arc::new(AtomicBool::new(false)) }
}

fn fetch(peer: &Peer, silence: u64) -> Result<Vec<u8>, WireError> {
    HttpClient::new(limits(silence)).send(&HttpRequest::get(&peer.url)).map(|answer| answer.body)
}

#[test]
fn what_is_sent_arrives_and_one_connection_serves_several_questions() {
    let peer = Peer::new(|stream| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut stream = stream;
        while let Some((head, body)) = read_request(&mut reader) {
            let text = format!("{}|{}", head.lines().next().unwrap(), String::from_utf8(body).unwrap());
            let token = head.contains("Bearer sesame");
            let length = text.len();
            write!(
                stream,
                "HTTP/1.1 404 Not Found\r\nX-Token: {token}\r\nContent-Length: {length}\r\n\r\n{text}"
            )
            .unwrap();
        }
    });
    let client = HttpClient::new(limits(5000));
    let request = HttpRequest::post(format!("{}a?b=c", peer.url), "text/plain", "hello");

    let answer = client.send(&request.with_token(&Secret::new("sesame".to_owned()))).unwrap();
    client.send(&HttpRequest::get(&peer.url)).unwrap();
    client.clone().send(&HttpRequest::get(&peer.url)).unwrap();

    assert_eq!((answer.status, answer.is_success()), (404, false));
    assert_eq!(answer.body, b"POST /a?b=c HTTP/1.1|hello");
    assert_eq!(answer.header("x-token"), Some("true"));
    assert_eq!(peer.connections.load(Ordering::Relaxed), 1);
}

#[test]
fn silence_and_a_drip_both_end() {
    let silent = Peer::new(|stream| {
        thread::sleep(Duration::from_secs(3));
        drop(stream);
    });
    let dripping = Peer::new(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        while stream.write_all(b".").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    for peer in [silent, dripping] {
        let started = Instant::now();

        let outcome = fetch(&peer, 200);

        assert!(matches!(outcome, Err(WireError::Timeout { .. })), "{outcome:?}");
        assert!(started.elapsed() < Duration::from_secs(2));
    }
}

#[test]
fn a_wait_ends_when_we_are_told_to_stop() {
    let peer = Peer::new(|stream| {
        thread::sleep(Duration::from_secs(5));
        drop(stream);
    });
    let limits = limits(10_000);
    let stop = Arc::clone(&limits.stop);
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        stop.store(true, Ordering::Relaxed);
    });

    let outcome = HttpClient::new(limits).send(&HttpRequest::get(&peer.url));

    assert!(matches!(outcome, Err(WireError::Stopped)), "{outcome:?}");
}

#[test]
fn an_answer_that_is_cut_off_is_no_answer() {
    let cut: [&[u8]; 4] = [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive5",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfive5\r\n",
    ];
    for part in cut {
        let peer = Peer::new(move |mut stream| {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(part);
        });

        let outcome = fetch(&peer, 2000);

        assert!(
            matches!(&outcome, Err(error @ WireError::Closed { .. }) if error.can_retry()),
            "{} {outcome:?}",
            String::from_utf8_lossy(part)
        );
    }
}

#[test]
fn an_answer_without_end_and_one_of_nonsense_are_refused() {
    let endless = Peer::new(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 65536]).is_ok() {}
    });
    let nonsense = Peer::answering(b"* OK IMAP4rev1 ready\r\n\r\n");
    let headers = Peer::new(|mut stream| while stream.write_all(b"HTTP/1.1 200 OK\r\nX: ").is_ok() {});
    let client = HttpClient::new(limits(2000));
    for peer in [endless, nonsense, headers] {
        let outcome = client.send(&HttpRequest::get(&peer.url).at_most(1 << 20));

        assert!(matches!(outcome, Err(WireError::Protocol { .. })), "{outcome:?}");
    }
}

#[test]
fn a_redirect_is_an_answer_and_nobody_follows_it() {
    let elsewhere = Peer::answering(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let location = elsewhere.url.clone();
    let peer = Peer::new(move |mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = write!(stream, "HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
    });
    let request = HttpRequest::get(&peer.url).with_token(&Secret::new("sesame".to_owned()));

    let answer = HttpClient::new(limits(2000)).send(&request).unwrap();

    assert_eq!(answer.status, 302);
    assert_eq!(elsewhere.connections.load(Ordering::Relaxed), 0);
}

#[test]
fn other_machines_are_spoken_to_over_https_only() {
    let client = HttpClient::new(limits(200));
    let outcome = |url: &str| client.send(&HttpRequest::get(url)).unwrap_err();

    assert!(matches!(outcome("http://mail.example.org/"), WireError::Tls { .. }));
    for url in ["", "mail.example.org", "ftp://127.0.0.1/", "http://", "/path"] {
        assert!(matches!(outcome(url), WireError::Unreachable { .. }), "{url}");
    }
}

#[test]
fn a_connection_the_server_closed_between_questions_is_made_anew() {
    let (sender, closed) = std::sync::mpsc::channel();
    let peer = Peer::new(move |mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        drop(stream);
        let _ = sender.send(());
    });
    let client = HttpClient::new(limits(2000));
    for _ in 0..3 {
        assert_eq!(client.send(&HttpRequest::get(&peer.url)).unwrap().body, b"ok");
        closed.recv().unwrap();
    }

    assert_eq!(peer.connections.load(Ordering::Relaxed), 3);
}
