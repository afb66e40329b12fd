//! What is said about a sync is how it is: no failure among good news, nothing called behind that is found, every
//! account with a time of its own.

use std::io::{BufRead, BufReader};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::message;
use super::serves::{Serving, wait_until};
use crate::world::dovecot::{Dovecot, free_port};
use crate::world::fault_proxy::{Fault, FaultProxy};
use crate::world::{ACCOUNT, World, list};

/// A way to a server that can be shut and opened again.
struct Door {
    port: u16,
    shut: Arc<AtomicBool>,
    ways: Arc<Mutex<Vec<TcpStream>>>,
}

impl Door {
    fn to(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (shut, ways) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (closed, open) = (Arc::clone(&shut), Arc::clone(&ways));
        thread::spawn(move || {
            for client in listener.incoming().flatten().filter(|_| !closed.load(Ordering::SeqCst)) {
                let server = TcpStream::connect(("127.0.0.1", target)).unwrap();
                let both = |stream: &TcpStream| stream.try_clone().unwrap();
                open.lock().unwrap().extend([both(&client), both(&server)]);
                let (mut up, mut down) = ((both(&client), both(&server)), (server, client));
                thread::spawn(move || std::io::copy(&mut up.0, &mut up.1));
                thread::spawn(move || std::io::copy(&mut down.0, &mut down.1));
            }
        });
        Self { port, shut, ways }
    }

    fn shut(&self) {
        self.shut.store(true, Ordering::SeqCst);
        for way in self.ways.lock().unwrap().drain(..) {
            let _ = way.shutdown(Shutdown::Both);
        }
    }

    fn open(&self) {
        self.shut.store(false, Ordering::SeqCst);
    }
}

/// A watch whose words are heard, ended with the test.
struct Heard {
    child: Child,
    lines: std::sync::mpsc::Receiver<String>,
}

impl Heard {
    fn start(world: &World, more: &[&str]) -> Self {
        let mut command = world.command(more);
        command.args(["sync", "--watch", "--poll", "0.3", "--timeout", "5", "--tries", "0"]);
        let mut child = command
            .args(["--retry-delay", "0.02"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = std::sync::mpsc::channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    fn next(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(60)).expect("it says something")
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_watch_says_that_it_watches_and_when_it_lost_the_server_and_got_it_back() {
    let Some(server) = Dovecot::start("a_watch_says_that_it_watches") else { return };
    let door = Door::to(server.port);
    let world = World::with_account(door.port, "ada");
    let watch = Heard::start(&world, &[]);
    assert_eq!(watch.next(), format!("{ACCOUNT}: watching for news; Ctrl-C ends it"));

    door.shut();
    assert_eq!(watch.next(), format!("{ACCOUNT}: lost the server, trying again"));
    // It fails many times meanwhile, and says nothing more about it.
    thread::sleep(Duration::from_secs(1));
    door.open();

    assert_eq!(watch.next(), format!("{ACCOUNT}: the server is back, watching for news"));
    server.client("ada").append("INBOX", "", &message("After"));
    assert!(watch.next().starts_with(&format!("{ACCOUNT}: 1 message fetched")));
}

#[test]
fn a_watch_tells_scripts_the_same_as_events() {
    let Some(server) = Dovecot::start("a_watch_tells_scripts") else { return };
    let door = Door::to(server.port);
    let world = World::with_account(door.port, "ada");
    let watch = Heard::start(&world, &["--json"]);
    let event = || -> Value { serde_json::from_str(&watch.next()).unwrap() };
    let first = event();

    door.shut();
    let lost = event();
    door.open();
    let back = event();

    assert_eq!((&first["event"], &first["address"]), (&"watching".into(), &ACCOUNT.into()));
    assert_eq!(lost["event"], "lost");
    assert!(lost["error"]["message"].is_string(), "{lost}");
    assert_eq!(back["event"], "back");
}

#[test]
fn a_failed_sync_says_only_the_failure() {
    let world = World::with_account(free_port(), "ada");

    let output = world.run(&["sync", "--tries", "0", "--retry-delay", "0.01"]);

    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), b"".as_slice()));
    assert!(told.starts_with("error: ") && told.contains("\nhint: "), "{told}");
    assert!(!told.contains("nothing new") && !told.contains("fetched"), "{told}");
}

#[test]
fn after_a_small_sync_nothing_is_called_behind_that_is_found() {
    let Some(server) = Dovecot::start("after_a_small_sync") else { return };
    server.client("ada").append("INBOX", "", &message("Small"));
    let world = World::with_account(server.port, "ada");
    world.sync();

    let status = world.json(&["status"]);
    let shown = String::from_utf8(world.run(&["status"]).stdout).unwrap();
    let doctor = world.json(&["doctor"]);

    assert_eq!(world.count("small"), 1);
    assert_eq!((&status["not_indexed"], &status["not_searchable"]), (&1.into(), &0.into()));
    assert!(shown.contains("up to date") && !shown.contains("behind"), "{shown}");
    let index = list(&doctor["findings"]).iter().find(|finding| finding["what"] == "text index").unwrap();
    assert_eq!(index["ok"], true, "{doctor}");
    assert!(!doctor.to_string().contains("behind") && !doctor.to_string().contains("missing"), "{doctor}");
}

#[test]
fn a_server_writes_what_searches_look_through_into_the_index_when_nothing_happens() {
    let Some(server) = Dovecot::start("a_server_writes_what_searches") else { return };
    server.client("ada").append("INBOX", "", &message("Tail"));
    let world = World::with_account(server.port, "ada");
    world.sync();
    assert_eq!(world.json(&["status"])["not_indexed"], 1);

    let serving = Serving::start(&world, &["--no-sync"]);

    wait_until("the tail is in the index", || world.json(&["status"])["not_indexed"] == 0);
    assert_eq!(world.count("tail"), 1);
    serving.stop();
    world.assert_sound();
}

#[test]
fn a_running_server_is_shown_with_its_address_as_long_as_it_runs() {
    let world = World::holding(&crate::world::mail::mboxrd(&crate::world::mail::many(1)));
    let running = || list(&world.json(&["status"])["running"]).to_vec();
    assert!(running().is_empty());
    let serving = Serving::start(&world, &["--no-sync"]);

    wait_until("it is shown", || running().len() == 1);
    let shown = running()[0].clone();
    let text = String::from_utf8(world.run(&["status"]).stdout).unwrap();
    serving.stop();

    let url = shown["url"].as_str().unwrap();
    assert!(
        url.starts_with("http://127.0.0.1:") && text.contains(&format!("running   serve at {url}")),
        "{text}"
    );
    assert!(shown["process"].as_u64().is_some());
    assert!(running().is_empty());
}

#[test]
fn each_account_has_the_time_of_its_own_sync() {
    let Some(server) = Dovecot::start("each_account_has_the_time") else { return };
    let slow = FaultProxy::start(server.port, Fault::Latency(250));
    let world = World::with_account(server.port, "ada");
    world.add_account("bob@example.org", &format!("127.0.0.1:{}", slow.port), &["--user", "bob"]);
    let started = Instant::now();

    // The clock goes on here: both must not get the time at which the last of them was done.
    let mut command = world.sync_command(&[]);
    let output = command.env_remove("MAILKEEP_TEST_NOW").output().unwrap();

    assert!(output.status.success(), "{}", crate::world::told(&output));
    let accounts = list(&world.json(&["status"])["accounts"]).to_vec();
    let time = |at: usize| accounts[at]["synced_at"].as_str().unwrap().to_owned();
    assert!(started.elapsed() > Duration::from_secs(2), "the slow one is slow: {:?}", started.elapsed());
    assert!(time(0) < time(1), "{accounts:?}");
}
