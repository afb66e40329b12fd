//! A service that is slow, talks, asks and breaks, behind the real dispatcher.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::{Dispatcher, Settings};
use crate::server::service::Service;
use crate::server::{Answer, Handled, RequestContext, RequestLog, ResponseSink, RpcError, Session};

/// What its tools do is told by their names.
#[derive(Default)]
struct Odd {
    stopped: AtomicBool,
    running: AtomicUsize,
    most_running: AtomicUsize,
}

impl Service for Odd {
    fn identity(&self) -> Value {
        json!({ "name": "odd", "version": "1" })
    }

    fn instructions(&self) -> Option<String> {
        None
    }

    fn capabilities(&self, _: &str) -> Value {
        json!({ "tools": {}, "logging": {} })
    }

    fn handle(
        &self,
        method: &str,
        _: Map<String, Value>,
        context: &RequestContext,
    ) -> Result<Handled, RpcError> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_running.fetch_max(running, Ordering::SeqCst);
        let result = match method {
            "sleep" => self.sleep(context),
            "nap" => {
                sleep(Duration::from_millis(20));
                Ok(json!({}))
            }
            "talk" => {
                context.progress(1.0, Some(2.0), Some("half"));
                context.log("info", "odd", &json!("one"));
                context.log("error", "odd", &json!("two"));
                Ok(json!({ "done": true }))
            }
            "ask" => context.ask("roots/list", &json!({})),
            "panic" => panic!("on purpose"),
            _ => Err(RpcError::method_not_found(method)),
        };
        self.running.fetch_sub(1, Ordering::SeqCst);
        result.map(Handled::from)
    }
}

impl Odd {
    /// Until it is told to stop, but not for ever.
    fn sleep(&self, context: &RequestContext) -> Result<Value, RpcError> {
        let cancellation = context.cancellation();
        for _ in 0..2_000 {
            if cancellation.is_cancelled() {
                self.stopped.store(true, Ordering::SeqCst);
                break;
            }
            sleep(Duration::from_millis(5));
        }
        Ok(json!({ "slept": true }))
    }
}

/// Everything that is said to the client, in order.
struct Ear(Mutex<Sender<Value>>);

impl ResponseSink for Ear {
    fn say(&self, message: Value) {
        let _ = self.0.lock().unwrap().send(message);
    }

    fn answer(&self, answer: Answer) {
        self.say(serde_json::from_str(&answer.text).unwrap());
    }
}

struct Conversation {
    service: Arc<Odd>,
    dispatcher: Arc<Dispatcher>,
    session: Arc<Session>,
    ear: Arc<Ear>,
    heard: Receiver<Value>,
}

impl Conversation {
    fn with(settings: &Settings) -> Self {
        let service = Arc::new(Odd::default());
        let shared: Arc<dyn Service> = Arc::clone(&service) as Arc<dyn Service>;
        let (sender, heard) = channel();
        Self {
            service,
            dispatcher: Dispatcher::new(shared, settings, RequestLog::none()),
            session: Arc::default(),
            ear: Arc::new(Ear(Mutex::new(sender))),
            heard,
        }
    }

    fn new() -> Self {
        Self::with(&Settings::default())
    }

    fn send(&self, message: Value) {
        let held = self.dispatcher.requests().take(1);
        self.dispatcher.receive(message, held, &self.session, Arc::clone(&self.ear) as Arc<dyn ResponseSink>);
    }

    fn request(&self, id: u64, method: &str, params: &Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    fn next(&self) -> Value {
        self.heard.recv_timeout(Duration::from_secs(30)).expect("something is said")
    }

    /// Waits until everything is answered; what was said that nobody has heard yet.
    fn rest(self) -> Vec<Value> {
        self.dispatcher.finish();
        self.heard.try_iter().collect()
    }
}

fn cancelled(id: u64) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })
}

#[test]
fn a_call_that_takes_too_long_is_answered_once_and_told_to_stop() {
    let settings = Settings { call_time: Duration::from_millis(50), ..Settings::default() };
    let talk = Conversation::with(&settings);

    talk.request(1, "sleep", &json!({}));
    let answer = talk.next();

    assert_eq!(answer["error"], json!({ "code": -32000, "message": "Request timed out after 0.05 seconds" }));
    let service = Arc::clone(&talk.service);
    assert_eq!(talk.rest(), [] as [Value; 0]);
    assert!(service.stopped.load(Ordering::SeqCst));
}

#[test]
fn a_call_that_waits_for_a_free_thread_has_its_time_when_it_begins() {
    let settings =
        Settings { call_time: Duration::from_millis(200), concurrent_calls: 1, ..Settings::default() };
    let talk = Conversation::with(&settings);

    for id in 0..30 {
        talk.request(id, "nap", &json!({}));
    }

    let answers = talk.rest();
    assert_eq!(answers.len(), 30);
    assert!(answers.iter().all(|answer| answer["result"] == json!({})), "{answers:?}");
}

#[test]
fn what_is_cancelled_is_not_answered_and_stops() {
    let talk = Conversation::new();

    talk.request(1, "sleep", &json!({}));
    while talk.service.running.load(Ordering::SeqCst) == 0 {
        sleep(Duration::from_millis(1));
    }
    talk.send(cancelled(2));
    talk.send(cancelled(1));
    talk.request(3, "nap", &json!({}));

    let service = Arc::clone(&talk.service);
    let answers = talk.rest();
    assert_eq!(answers.iter().map(|answer| answer["id"].clone()).collect::<Vec<_>>(), [json!(3)]);
    assert!(service.stopped.load(Ordering::SeqCst));
}

#[test]
fn what_is_cancelled_before_it_begins_never_does() {
    let talk = Conversation::with(&Settings { concurrent_calls: 1, ..Settings::default() });

    talk.request(1, "nap", &json!({}));
    talk.request(2, "sleep", &json!({}));
    talk.send(cancelled(2));

    let service = Arc::clone(&talk.service);
    let begin = Instant::now();
    assert_eq!(talk.rest().len(), 1);
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert!(!service.stopped.load(Ordering::SeqCst), "it did not even run");
}

#[test]
fn progress_is_told_to_who_gave_a_token_and_logs_from_the_level_on() {
    let talk = Conversation::new();
    talk.request(1, "logging/setLevel", &json!({ "level": "error" }));
    talk.next();

    talk.request(2, "talk", &json!({ "_meta": { "progressToken": "t" } }));
    let progress = talk.next();
    let log = talk.next();
    let answer = talk.next();

    assert_eq!(progress["method"], "notifications/progress");
    assert_eq!(
        progress["params"],
        json!({ "progressToken": "t", "progress": 1.0, "total": 2.0, "message": "half" })
    );
    assert_eq!((&log["method"], &log["params"]["data"]), (&json!("notifications/message"), &json!("two")));
    assert_eq!((&answer["id"], &answer["result"]["done"]), (&json!(2), &json!(true)));
}

#[test]
fn the_modern_era_is_silent_unless_asked_to_log() {
    let meta = |level: Option<&str>| {
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        if let Some(level) = level {
            meta["io.modelcontextprotocol/logLevel"] = json!(level);
        }
        json!({ "_meta": meta })
    };
    let talk = Conversation::new();

    talk.request(1, "talk", &meta(None));
    let quiet = talk.next();
    talk.request(2, "talk", &meta(Some("debug")));
    let loud: Vec<_> = (0..3).map(|_| talk.next()).collect();

    assert_eq!((&quiet["id"], &quiet["result"]["resultType"]), (&json!(1), &json!("complete")));
    assert_eq!(loud[0]["method"], "notifications/message");
    assert_eq!(loud[2]["id"], 2);
}

#[test]
fn a_question_to_the_client_is_answered_by_its_response() {
    let talk = Conversation::new();

    talk.request(1, "ask", &json!({}));
    let question = talk.next();
    talk.send(json!({ "jsonrpc": "2.0", "id": 99, "result": { "wrong": true } }));
    talk.send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": [] } }));

    assert_eq!(question["method"], "roots/list");
    assert_eq!(talk.next()["result"], json!({ "roots": [] }));
}

#[test]
fn what_breaks_is_an_internal_error_and_the_next_call_works() {
    let talk = Conversation::with(&Settings { concurrent_calls: 1, ..Settings::default() });

    talk.request(1, "panic", &json!({}));
    talk.request(2, "nap", &json!({}));

    let answers = talk.rest();
    assert_eq!(answers[0]["error"]["code"], RpcError::INTERNAL);
    assert!(!answers[0].to_string().contains("on purpose"), "how it broke is for the log");
    assert_eq!(answers[1]["id"], 2);
}

#[test]
fn no_more_calls_run_at_once_than_allowed() {
    let talk = Conversation::with(&Settings { concurrent_calls: 3, ..Settings::default() });

    for id in 0..30 {
        talk.request(id, "nap", &json!({}));
    }

    let service = Arc::clone(&talk.service);
    assert_eq!(talk.rest().len(), 30);
    assert!((2..=3).contains(&service.most_running.load(Ordering::SeqCst)));
}

#[test]
fn a_batch_with_a_cancelled_call_is_answered_without_it() {
    let talk = Conversation::new();
    let call = |id: u64, method: &str| json!({ "jsonrpc": "2.0", "id": id, "method": method });

    talk.send(json!([call(1, "sleep"), call(2, "nap")]));
    sleep(Duration::from_millis(50));
    talk.send(cancelled(1));

    let answers = talk.next();
    assert_eq!(answers.as_array().unwrap().len(), 1);
    assert_eq!(answers[0]["id"], 2);
}
