//! Notifications of the desktop (`org.freedesktop.Notifications` on the session's bus). They are shown, taken away, and say
//! when they were clicked; what a click means is for whoever shows them.

use crate::wire::dbus::{Bus, Method, Value, Writer};

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
/// The action that a click on the notification itself stands for.
const CLICK: &str = "default";
/// It stays until it is clicked, closed or taken away.
const NEVER: u32 = 0;

/// What is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// One line.
    pub summary: String,
    /// What is below it, as plain text.
    pub body: String,
}

/// The desktop of this session.
pub struct Desktop {
    bus: Bus,
}

impl Desktop {
    /// The desktop, where there is one that shows notifications.
    #[must_use]
    pub fn connect() -> Option<Self> {
        let mut bus = Bus::connect().ok()?;
        bus.call(&method("GetCapabilities"), "", Writer::default()).ok()?;
        Some(Self { bus })
    }

    /// Shows a notification in the place of an earlier one (0: in a place of its own); its number.
    #[must_use]
    pub fn show(&mut self, notification: &Notification, instead_of: u32) -> Option<u32> {
        let mut body = Writer::default();
        body.text("mailkeep");
        body.number(instead_of);
        body.text("mail-unread");
        body.text(&notification.summary);
        body.text(&escaped(&notification.body));
        body.array(4, |actions| [CLICK, "Open"].into_iter().for_each(|word| actions.text(word)));
        body.array(8, |hints| {
            hints.align(8);
            hints.text("category");
            hints.variant("s", "email");
        });
        body.number(NEVER);
        let answer = self.bus.call(&method("Notify"), "susssasa{sv}i", body).ok()?;
        number(&answer)
    }

    /// Takes a notification away. It does not matter if the person has done so.
    pub fn close(&mut self, number: u32) {
        let mut body = Writer::default();
        body.number(number);
        let _ = self.bus.call(&method("CloseNotification"), "u", body);
    }

    /// Calls `clicked` with the number of each notification that is clicked, as long as the desktop is there.
    pub fn on_click(mut self, clicked: impl Fn(u32)) {
        const SIGNAL: &str = "ActionInvoked";
        if self.bus.listen(NAME, PATH, SIGNAL).is_err() || self.bus.wait_for_ever().is_err() {
            return;
        }
        while let Ok(signal) = self.bus.wait_for(PATH, SIGNAL) {
            let is_click = signal.get(1).and_then(Value::text) == Some(CLICK);
            if let Some(number) = number(&signal).filter(|_| is_click) {
                clicked(number);
            }
        }
    }
}

fn method(member: &str) -> Method<'_> {
    Method { destination: NAME, path: PATH, interface: NAME, member }
}

fn number(values: &[Value]) -> Option<u32> {
    values.first().and_then(Value::number).and_then(|number| u32::try_from(number).ok())
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
