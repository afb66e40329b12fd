//! What the desktop is told about what waits, on a bus of its own with a desktop that writes down what it is asked to show.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zbus::blocking::{Connection, connection};
use zbus::zvariant::OwnedValue;

use super::Site;
use super::opens::{seen, with_browser, written};
use crate::world::skipped;

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";

/// What was asked of the desktop: `show INSTEAD_OF SUMMARY BODY`, `close NUMBER`.
type Asked = Arc<Mutex<Vec<String>>>;

struct Desktop(Asked);

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Desktop {
    fn get_capabilities(&self) -> Vec<String> {
        vec!["actions".to_owned(), "body".to_owned()]
    }

    #[expect(clippy::too_many_arguments, reason = "as the specification has them")]
    fn notify(
        &self,
        _program: &str,
        instead_of: u32,
        _icon: &str,
        summary: &str,
        body: &str,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _milliseconds: i32,
    ) -> u32 {
        let click: [String; 2] = actions.try_into().expect("a click, and nothing that decides");
        assert_eq!(click[0], "default");
        self.0.lock().unwrap().push(format!("show {instead_of} {summary} | {body}"));
        7
    }

    fn close_notification(&self, number: u32) {
        self.0.lock().unwrap().push(format!("close {number}"));
    }
}

/// A bus that ends with it.
struct Bus {
    daemon: Child,
    address: String,
}

impl Bus {
    fn start() -> Option<Self> {
        let mut command = Command::new("dbus-daemon");
        command
            .args(["--session", "--nofork", "--print-address"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut daemon = command.spawn().ok()?;
        let mut address = String::new();
        BufReader::new(daemon.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Some(Self { daemon, address: address.trim().to_owned() })
    }

    /// A desktop on it.
    fn desktop(&self) -> (Connection, Asked) {
        let asked = Asked::default();
        let connection = connection::Builder::address(self.address.as_str()).unwrap();
        let connection = connection.serve_at(PATH, Desktop(Arc::clone(&asked))).unwrap().name(NAME).unwrap();
        (connection.build().unwrap(), asked)
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// What was asked of the desktop as soon as it is so much.
fn asked_for(asked: &Asked, count: usize) -> Vec<String> {
    for _ in 0..1200 {
        let now = asked.lock().unwrap().clone();
        if now.len() >= count {
            return now;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{:?}", asked.lock().unwrap());
}

#[test]
fn the_desktop_tells_what_waits_and_a_click_opens_the_page_and_nothing_else() {
    let Some(bus) = Bus::start() else {
        return skipped("the_desktop_tells_what_waits", "needs dbus-daemon");
    };
    let (desktop, asked) = bus.desktop();
    let site = Site::started("", |serve, world| {
        with_browser(serve, world);
        serve.env("DBUS_SESSION_BUS_ADDRESS", &bus.address);
    });

    let first = site.proposed("<b>Yes</b>, at noon.");
    let code = site.json(&["outbox", "show", &first])["code"].as_str().unwrap().to_owned();
    let told = asked_for(&asked, 1);
    // Clicks on what others show, and a program that only says it is the desktop, open nothing.
    let stranger = connection::Builder::address(bus.address.as_str()).unwrap().build().unwrap();
    for (from, number) in [(&desktop, 8u32), (&stranger, 7)] {
        from.emit_signal(None::<&str>, PATH, NAME, "ActionInvoked", &(number, "default")).unwrap();
    }
    std::thread::sleep(Duration::from_secs(1));
    assert!(!seen(&site.world).exists(), "nobody clicked on ours");
    desktop.emit_signal(None::<&str>, PATH, NAME, "ActionInvoked", &(7u32, "default")).unwrap();

    assert_eq!(told, [format!("show 0 mailkeep: something waits for your yes | {code}  Lunch")]);
    assert_eq!(written(&seen(&site.world)), format!("http://{}/outbox", site.host()));
    assert_eq!(site.state(&first), "pending_approval");

    let second = site.proposed("Or at one?");
    assert!(asked_for(&asked, 2)[1].starts_with("show 7 "), "in the place of the first");
    for item in [&first, &second] {
        site.json(&["outbox", "reject", item]);
    }
    assert_eq!(asked_for(&asked, 3)[2], "close 7");
}

#[test]
fn an_owner_who_wants_no_notices_gets_none() {
    let Some(bus) = Bus::start() else {
        return skipped("an_owner_who_wants_no_notices", "needs dbus-daemon");
    };
    let (_desktop, asked) = bus.desktop();
    let site = Site::started("[outbox]\nnotices = false\n", |serve, _| {
        serve.env("DBUS_SESSION_BUS_ADDRESS", &bus.address);
    });

    site.proposed("Yes, at noon.");
    std::thread::sleep(Duration::from_secs(3));

    assert!(asked.lock().unwrap().is_empty());
}
