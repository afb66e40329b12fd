//! Notifications of the desktop (`org.freedesktop.Notifications` on the session's bus). They are shown, taken away, and say
//! when they were clicked; what a click means is for whoever shows them.

use std::collections::HashMap;

use zbus::blocking::{Connection, Proxy};
use zbus::zvariant::Value;

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
/// The action that a click on the notification itself stands for.
const CLICK: &str = "default";
/// It stays until it is clicked, closed or taken away.
const NEVER: i32 = 0;

/// What is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// One line.
    pub summary: String,
    /// What is below it, as plain text.
    pub body: String,
}

/// The desktop of this session.
#[derive(Clone)]
pub struct Desktop {
    proxy: Proxy<'static>,
}

impl Desktop {
    /// The desktop, where there is one that shows notifications.
    #[must_use]
    pub fn connect() -> Option<Self> {
        let proxy = Proxy::new(&Connection::session().ok()?, NAME, PATH, NAME).ok()?;
        let desktop = Self { proxy };
        desktop.proxy.call_method("GetCapabilities", &()).ok().map(|_| desktop)
    }

    /// Shows a notification in the place of an earlier one (0: in a place of its own); its number.
    #[must_use]
    pub fn show(&self, notification: &Notification, instead_of: u32) -> Option<u32> {
        let (summary, body) = (&notification.summary, escaped(&notification.body));
        let hints = HashMap::from([("category", Value::from("email"))]);
        let actions = [CLICK, "Open"];
        let shown = ("mailkeep", instead_of, "mail-unread", summary, body, &actions[..], hints, NEVER);
        self.proxy.call("Notify", &shown).ok()
    }

    /// Takes a notification away. It does not matter if the person has done so.
    pub fn close(&self, number: u32) {
        let _: zbus::Result<()> = self.proxy.call("CloseNotification", &number);
    }

    /// Calls `clicked` with the number of each notification that is clicked, as long as the desktop is there.
    pub fn on_click(&self, clicked: impl Fn(u32)) {
        let Ok(signals) = self.proxy.receive_signal("ActionInvoked") else { return };
        for signal in signals {
            if let Ok((number, action)) = signal.body().deserialize::<(u32, String)>()
                && action == CLICK
            {
                clicked(number);
            }
        }
    }
}

/// Text as the markup of a notification: some desktops read a body as markup, and all of them read these.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strangers_text_is_no_markup() {
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=\"x\"&gt;&amp;");
    }
}
