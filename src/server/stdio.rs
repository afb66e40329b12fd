//! The server on standard input and output. One thread reads, one writes, the dispatcher's threads work. The end of the
//! input, or a signal, ends it when what is under way is answered.

use std::collections::VecDeque;
use std::io::{BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::server::framing::{self, Frame, FrameReader, Framing};
use crate::server::{Answer, Dispatcher, Level, ResponseSink, RpcError, Session, json_rpc, wire_order};

/// The two ends of the conversation.
pub struct Frames<R, W> {
    /// Where the client writes.
    pub input: R,
    /// Where it reads.
    pub output: W,
}

/// Answers may wait for a slow reader up to this size.
const MOST_UNREAD: usize = 8 << 20;
/// Answers are handed on in pieces of about this size.
const PIECE: usize = 64 << 10;
/// At the end, if nothing has left for this long, nothing more is waited for. No call may take longer.
const LAST_CALL: Duration = Duration::from_secs(35);

/// Tells a conversation that it is over.
pub struct Ending {
    tell: SyncSender<()>,
    told: Receiver<()>,
}

impl Default for Ending {
    fn default() -> Self {
        // The client may leave and a signal come; whoever tells does not wait.
        let (tell, told) = sync_channel(2);
        Self { tell, told }
    }
}

impl Ending {
    /// For whoever ends it.
    #[must_use]
    pub fn teller(&self) -> SyncSender<()> {
        self.tell.clone()
    }
}

/// Serves one client. Returns at the end of its input, or when somebody says that it is over.
pub fn serve<R, W>(dispatcher: &Arc<Dispatcher>, frames: Frames<R, W>, ending: Ending)
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    dispatcher.log().write(Level::Info, "transport", "started");
    let session = Arc::new(Session::default());
    let sink = Arc::new(Output::default());
    let writer = {
        let sink = Arc::clone(&sink);
        thread::spawn(move || sink.write_all_to(frames.output))
    };
    let Ending { tell: ended, told: end } = ending;
    session.on_leave(ended.clone());
    {
        let (dispatcher, session, sink) = (Arc::clone(dispatcher), Arc::clone(&session), Arc::clone(&sink));
        let reader = FrameReader::new(BufReader::with_capacity(64 << 10, frames.input));
        thread::spawn(move || {
            read_all(reader, &dispatcher, &session, &sink);
            let _ = ended.try_send(());
        });
    }
    let _ = end.recv();
    sink.ending.store(true, Ordering::Relaxed);
    dispatcher.log().write(Level::Info, "transport", "ending: finishing what is under way");
    finish(dispatcher, &sink, writer);
}

/// Waits for what is under way as long as something moves: a client that reads no more must not keep us.
fn finish(dispatcher: &Arc<Dispatcher>, sink: &Arc<Output>, writer: thread::JoinHandle<()>) {
    let (done, all_done) = sync_channel(1);
    {
        let (dispatcher, sink) = (Arc::clone(dispatcher), Arc::clone(sink));
        thread::spawn(move || {
            dispatcher.finish();
            sink.close();
            let _ = writer.join();
            let _ = done.send(());
        });
    }
    let mut pieces = sink.pieces.load(Ordering::Relaxed);
    while all_done.recv_timeout(LAST_CALL) == Err(RecvTimeoutError::Timeout) {
        let before = std::mem::replace(&mut pieces, sink.pieces.load(Ordering::Relaxed));
        if pieces == before {
            return;
        }
    }
}

fn read_all<R: Read>(
    mut reader: FrameReader<BufReader<R>>,
    dispatcher: &Arc<Dispatcher>,
    session: &Arc<Session>,
    sink: &Arc<Output>,
) {
    loop {
        let frame = reader.next();
        sink.set_framing(reader.framing());
        match frame {
            // After a signal nothing new is begun.
            _ if sink.ending.load(Ordering::Relaxed) => return,
            Err(error) => {
                dispatcher.log().write(Level::Error, "transport", &format!("cannot read: {error}"));
                return;
            }
            Ok(Frame::End) => return,
            Ok(Frame::Garbage) => refuse(sink, "Parse error"),
            Ok(Frame::TooLong) => refuse(sink, "Parse error: the message is longer than 16 MiB"),
            Ok(Frame::Message(bytes)) => take(bytes, dispatcher, session, sink),
        }
    }
}

/// Hands a message on. Waits while too much is under way: who writes faster than it reads is slowed down by its own pipe.
fn take(bytes: Vec<u8>, dispatcher: &Arc<Dispatcher>, session: &Arc<Session>, sink: &Arc<Output>) {
    let weight = match json_rpc::weigh(&bytes) {
        Ok(weight) => weight,
        Err(error) => return sink.answer(Answer::failed(&Value::Null, &error)),
    };
    let held = dispatcher.requests().take(weight);
    let read = wire_order::read(&bytes);
    drop(bytes);
    match read {
        Ok(value) => dispatcher.receive(value, held, session, Arc::clone(sink) as Arc<dyn ResponseSink>),
        Err(error) => refuse(sink, &format!("Parse error: {error}")),
    }
}

fn refuse(sink: &Output, message: &str) {
    sink.answer(Answer::failed(&Value::Null, &RpcError::new(RpcError::PARSE, message)));
}

/// Answers on their way out.
#[derive(Default)]
struct Output {
    framing: AtomicU8,
    ending: AtomicBool,
    pieces: AtomicUsize,
    state: Mutex<Unread>,
    changed: Condvar,
}

#[derive(Default)]
struct Unread {
    frames: VecDeque<Vec<u8>>,
    /// What the frames hold together, with those that are being written.
    bytes: usize,
    closed: bool,
}

impl Output {
    fn set_framing(&self, framing: Framing) {
        self.framing.store(u8::from(framing == Framing::Headers), Ordering::Relaxed);
    }

    /// Waits while too much waits to be read.
    fn send(&self, body: String) {
        let framing =
            if self.framing.load(Ordering::Relaxed) == 1 { Framing::Headers } else { Framing::Lines };
        let mut frame = Vec::with_capacity(body.len() + 64);
        let _ = framing::write(&mut frame, framing, body.as_bytes());
        drop(body);
        let mut state = self.lock();
        while state.bytes > 0 && state.bytes + frame.len() > MOST_UNREAD && !state.closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !state.closed {
            state.bytes += frame.len();
            state.frames.push_back(frame);
        }
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Unread> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Writes what comes until it is closed, or until nobody reads any more.
    fn write_all_to(&self, mut output: impl Write) {
        while let Some(bytes) = self.next() {
            for piece in bytes.chunks(PIECE) {
                if output.write_all(piece).and_then(|()| output.flush()).is_err() {
                    self.close();
                    return;
                }
                self.pieces.fetch_add(1, Ordering::Relaxed);
            }
            self.lock().bytes -= bytes.len();
            self.changed.notify_all();
        }
    }

    /// The next frame, or several short ones together; `None` when there will be no more.
    fn next(&self) -> Option<Vec<u8>> {
        let mut state = self.lock();
        while state.frames.is_empty() && !state.closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let mut bytes = state.frames.pop_front()?;
        while let Some(frame) = state.frames.pop_front_if(|frame| bytes.len() + frame.len() <= PIECE) {
            bytes.extend_from_slice(&frame);
        }
        Some(bytes)
    }
}

impl ResponseSink for Output {
    fn say(&self, message: Value) {
        self.send(message.to_string());
    }

    fn answer(&self, answer: Answer) {
        self.send(answer.text);
    }
}
