//! Connections: how many there may be, and how long each may take over its part. Who holds one without getting anywhere
//! is told so and hung up on, so that the others find room.

use std::convert::Infallible;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout};

use crate::clock::Clock;
use crate::server::RpcError;
use crate::server::http::policy::HEADERS;
use crate::server::http::{Bounds, Listeners, rest};

/// The longest head of a request: its first line and its fields.
const LONGEST_HEAD: usize = 32 << 10;
/// What is read of a request before we have dealt with what was read before.
const READ_AHEAD: usize = 64 << 10;
/// So many of those who are refused are told why at the same time.
const MOST_REFUSALS: usize = 512;
/// Who is refused because there is too much to do may come again after so many seconds.
pub(super) const COME_AGAIN: &str = "1";
/// When the system has no connection for us, the next try is made so much later.
const PAUSE: Duration = Duration::from_millis(50);
/// One for whom there is no place has so much time to say what it wants.
const FIRST_WORD: Duration = Duration::from_millis(250);
/// One who is refused has so much time to read why.
const LAST_WORD: Duration = Duration::from_secs(1);

/// Serves connections until it is told to stop, and those it has to their end.
pub(super) async fn serve(
    listeners: &Listeners,
    router: Router,
    bounds: Bounds,
    rest: Option<Clock>,
    mut stopped: watch::Receiver<bool>,
) {
    let words = Arc::new(LastWords { rest });
    let places = Arc::new(Semaphore::new(bounds.connections));
    let refusals = Arc::new(Semaphore::new(MOST_REFUSALS));
    loop {
        let stream = tokio::select! {
            accepted = listeners.accept() => accepted,
            () = told(&mut stopped) => break,
        };
        let Ok(stream) = stream else {
            sleep(PAUSE).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            let line = Arc::new(Line::new(stream));
            let words = Arc::clone(&words);
            let (router, stopped) = (router.clone(), stopped.clone());
            let one = async move { serve_one(&line, router, bounds.patience, stopped, &words).await };
            tokio::spawn(async move {
                one.await;
                drop(place);
            });
        } else if let Ok(place) = Arc::clone(&refusals).try_acquire_owned() {
            let words = Arc::clone(&words);
            tokio::spawn(async move {
                turn_away(stream, bounds.connections, &words).await;
                drop(place);
            });
        }
    }
    let all = u32::try_from(bounds.connections).unwrap_or(u32::MAX);
    let _ = places.acquire_many(all).await;
}

async fn serve_one(
    line: &Arc<Line>,
    router: Router,
    patience: Duration,
    mut stopped: watch::Receiver<bool>,
    words: &LastWords,
) {
    let io = TokioIo::new(Patient { line: Arc::clone(line), patience, stalled: None });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(patience);
    builder.max_header_size(LONGEST_HEAD).max_buf_size(READ_AHEAD);
    let service = Answering { router: TowerToHyperService::new(router), line: Arc::clone(line) };
    let mut connection = Box::pin(builder.serve_connection(io, service));
    let ended = tokio::select! {
        ended = connection.as_mut() => Some(ended),
        () = told(&mut stopped) => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            connection.as_mut().graceful_shutdown();
            connection.as_mut().await
        }
    };
    drop(connection);
    let half_sent = line.begun.load(Ordering::Relaxed);
    if ended.is_err_and(|error| error.is_timeout()) && half_sent {
        let message =
            format!("the head of the request did not come within {} seconds", patience.as_secs_f64());
        let is_call = line.is_call.load(Ordering::Relaxed);
        let _ = line.stream.try_write(words.plain("408 Request Timeout", &message, is_call).as_bytes());
    }
}

/// Waits until it is told to stop, or nobody is left to tell it.
async fn told(stopped: &mut watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// Tells one for whom there is no place why, in the shape of what it asks for. What it sends further is read and forgotten:
/// closing before would take our words back.
async fn turn_away(stream: TcpStream, most: usize, words: &LastWords) {
    let mut unread = [0; 4096];
    let begun = timeout(FIRST_WORD, read_some(&stream, &mut unread)).await.unwrap_or_default();
    let is_call = rest::is_call(&unread[..begun]);
    let message = format!("there are {most} connections already, which is the limit; try again later");
    let answer = words.plain("503 Service Unavailable", &message, is_call);
    let _ = stream.try_write(answer.as_bytes());
    let _ = socket2::SockRef::from(&stream).shutdown(Shutdown::Write);
    let rest = async { while read_some(&stream, &mut unread).await > 0 {} };
    let _ = timeout(LAST_WORD, rest).await;
}

/// What comes next; nothing at the end.
async fn read_some(stream: &TcpStream, buffer: &mut [u8]) -> usize {
    while stream.readable().await.is_ok() {
        match stream.try_read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            read => return read.unwrap_or_default(),
        }
    }
    0
}

/// What is told to those with whom no request was begun.
struct LastWords {
    /// The time, where plain programs are served too.
    rest: Option<Clock>,
}

impl LastWords {
    /// A whole response; `is_call` where it was one of a plain program.
    fn plain(&self, status: &str, message: &str, is_call: bool) -> String {
        let body = match self.rest.as_ref().filter(|_| is_call) {
            Some(clock) => rest::not_now(message, clock),
            None => {
                RpcError::new(RpcError::UNAVAILABLE, message).response(&serde_json::Value::Null).to_string()
            }
        };
        let length = body.len();
        let later =
            if status.starts_with("503") { format!("retry-after: {COME_AGAIN}\r\n") } else { String::new() };
        let guards = guards();
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{later}{guards}connection: close\r\n\r\n{body}"
        )
    }
}

/// What a browser must keep to, as lines of a head.
fn guards() -> String {
    HEADERS.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect()
}

/// A connection that can still be written to when HTTP has given it up.
struct Line {
    stream: TcpStream,
    /// Whether something was read since something was last written: a request is under way.
    begun: AtomicBool,
    /// Whether that request is one of a plain program.
    is_call: AtomicBool,
    /// Requests that are being answered.
    answering: AtomicUsize,
    /// Whether all answers are written: what is written next is no answer of ours, but a refusal of what was no request.
    idle: AtomicBool,
}

impl Line {
    const fn new(stream: TcpStream) -> Self {
        let (begun, answering) = (AtomicBool::new(false), AtomicUsize::new(0));
        Self { stream, begun, is_call: AtomicBool::new(false), answering, idle: AtomicBool::new(true) }
    }

    /// The head of a refusal that is not ours, with what is on ours.
    fn refusal(&self, pieces: &[IoSlice<'_>]) -> Option<Vec<u8>> {
        if !self.idle.load(Ordering::Relaxed) {
            return None;
        }
        let head = pieces.iter().flat_map(|piece| piece.iter().copied()).collect::<Vec<_>>();
        let fields = head.strip_suffix(b"\r\n").filter(|fields| fields.ends_with(b"\r\n"))?;
        Some([fields, guards().as_bytes(), b"\r\n"].concat())
    }
}

/// Answers requests, and says so on the line for as long as it does.
struct Answering {
    router: TowerToHyperService<Router>,
    line: Arc<Line>,
}

impl Service<Request<Incoming>> for Answering {
    type Response = Response<Watched>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let under_way = UnderWay::on(&self.line);
        let answer = self.router.call(request);
        Box::pin(async move { Ok(answer.await?.map(|body| Watched { body, _under_way: under_way })) })
    }
}

/// As long as it is there, a request is being answered.
struct UnderWay(Arc<Line>);

impl UnderWay {
    fn on(line: &Arc<Line>) -> Self {
        line.answering.fetch_add(1, Ordering::Relaxed);
        line.idle.store(false, Ordering::Relaxed);
        Self(Arc::clone(line))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.answering.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The body of an answer that is under way until all of it is taken.
struct Watched {
    body: Body,
    _under_way: UnderWay,
}

impl HttpBody for Watched {
    type Data = <Body as HttpBody>::Data;
    type Error = <Body as HttpBody>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A connection whose other side must go on reading.
struct Patient {
    line: Arc<Line>,
    patience: Duration,
    /// When we give up on one who does not read.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    /// Writes when it can be written; an error when nothing could for too long.
    fn poll_written(
        &mut self,
        context: &mut Context<'_>,
        write: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        while self.line.stream.poll_write_ready(context)?.is_ready() {
            match write(&self.line.stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                other => {
                    self.stalled = None;
                    self.line.begun.store(false, Ordering::Relaxed);
                    return Poll::Ready(other);
                }
            }
        }
        let until = Instant::now() + self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep_until(until)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.line.stream.poll_read_ready(context))?;
            match self.line.stream.try_read(buffer.initialize_unfilled()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
                Ok(length) => {
                    if !self.line.begun.swap(true, Ordering::Relaxed) {
                        let begun = &buffer.initialize_unfilled()[..length];
                        self.line.is_call.store(rest::is_call(begun), Ordering::Relaxed);
                    }
                    buffer.advance(length);
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}

impl AsyncWrite for Patient {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let Some(refusal) = self.line.refusal(pieces) else {
            return self.poll_written(context, |stream| stream.try_write_vectored(pieces));
        };
        let given = pieces.iter().map(|piece| piece.len()).sum();
        let written = ready!(self.poll_written(context, |stream| stream.try_write(&refusal)))?;
        // Nothing follows it: where not even a head finds room, nobody reads.
        Poll::Ready(if written == refusal.len() { Ok(given) } else { Err(io::ErrorKind::WriteZero.into()) })
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.line.answering.load(Ordering::Relaxed) == 0 {
            self.line.idle.store(true, Ordering::Relaxed);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(socket2::SockRef::from(&self.line.stream).shutdown(Shutdown::Write))
    }
}
