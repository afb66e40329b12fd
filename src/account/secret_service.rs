//! The Secret Service of the desktop (GNOME Keyring, KWallet, KeePassXC), as freedesktop.org describes it: finds, keeps and
//! deletes one item. Secrets cross the bus as they are: it is a socket that only this user can open, and whoever can,
//! may ask the keyring for them.

use crate::wire::dbus::{Bus, Method, Value, Writer};

const DESTINATION: &str = "org.freedesktop.secrets";
const ROOT: &str = "/org/freedesktop/secrets";
const OF_SERVICE: &str = "org.freedesktop.Secret.Service";
const OF_COLLECTION: &str = "org.freedesktop.Secret.Collection";
const OF_ITEM: &str = "org.freedesktop.Secret.Item";
const OF_PROMPT: &str = "org.freedesktop.Secret.Prompt";
/// The path of no object.
const NONE: &str = "/";

/// What an item is found by.
#[derive(Clone, Copy)]
pub(super) struct Attributes<'a> {
    pub(super) service: &'a str,
    pub(super) username: &'a str,
}

/// A session with the desktop's keyring.
pub(super) struct SecretService {
    bus: Bus,
    session: String,
}

impl SecretService {
    /// Reaches the keyring.
    pub(super) fn open() -> Result<Self, String> {
        let mut bus = Bus::connect()?;
        let mut body = Writer::default();
        body.text("plain");
        body.variant("s", "");
        let answer = bus.call(&method(ROOT, OF_SERVICE, "OpenSession"), "sv", body)?;
        let session = path(&answer, 1)?;
        Ok(Self { bus, session })
    }

    /// The secret of an item.
    pub(super) fn secret(&mut self, item: Attributes<'_>) -> Result<Vec<u8>, String> {
        let found = self.find(item)?.ok_or("it does not know this key")?;
        let mut body = Writer::default();
        body.text(&self.session);
        let answer = self.bus.call(&method(&found, OF_ITEM, "GetSecret"), "o", body)?;
        match answer.first().map(Value::list) {
            Some([_, _, Value::Bytes(secret), _]) => Ok(secret.clone()),
            _ => Err("its answer holds no secret".to_owned()),
        }
    }

    /// Keeps a secret, in the place of one that has the same attributes.
    pub(super) fn keep(&mut self, item: Attributes<'_>, secret: &[u8]) -> Result<(), String> {
        let collection = self.default_collection()?;
        self.unlock(&collection)?;
        let mut body = Writer::default();
        body.array(8, |properties| {
            properties.align(8);
            properties.text("org.freedesktop.Secret.Item.Label");
            properties.variant("s", &format!("{} ({})", item.service, item.username));
            properties.align(8);
            properties.text("org.freedesktop.Secret.Item.Attributes");
            properties.signature("a{ss}");
            properties.texts(&item.pairs());
        });
        body.align(8);
        body.text(&self.session);
        body.bytes(&[]);
        body.bytes(secret);
        body.text("application/octet-stream");
        body.number(1);
        let create = method(&collection, OF_COLLECTION, "CreateItem");
        let answer = self.bus.call(&create, "a{sv}(oayays)b", body)?;
        self.finish_prompt(&path(&answer, 1)?).map(|_| ())
    }

    /// Deletes an item; it is no mistake if there is none.
    pub(super) fn delete(&mut self, item: Attributes<'_>) -> Result<(), String> {
        let Some(found) = self.find(item)? else { return Ok(()) };
        let answer = self.bus.call(&method(&found, OF_ITEM, "Delete"), "", Writer::default())?;
        self.finish_prompt(&path(&answer, 0)?).map(|_| ())
    }

    /// The item with these attributes, unlocked.
    fn find(&mut self, item: Attributes<'_>) -> Result<Option<String>, String> {
        let mut body = Writer::default();
        body.texts(&item.pairs());
        let answer = self.bus.call(&method(ROOT, OF_SERVICE, "SearchItems"), "a{ss}", body)?;
        let first = |at: usize| answer.get(at)?.list().first()?.text().map(str::to_owned);
        if let Some(found) = first(0) {
            return Ok(Some(found));
        }
        let Some(locked) = first(1) else { return Ok(None) };
        self.unlock(&locked)?;
        Ok(Some(locked))
    }

    /// Unlocks an item or a collection; the desktop may ask the person for that.
    fn unlock(&mut self, object: &str) -> Result<(), String> {
        let mut body = Writer::default();
        body.array(4, |array| array.text(object));
        let answer = self.bus.call(&method(ROOT, OF_SERVICE, "Unlock"), "ao", body)?;
        self.finish_prompt(&path(&answer, 1)?).map(|_| ())
    }

    /// The collection that applications use, made when there is none.
    fn default_collection(&mut self) -> Result<String, String> {
        let mut body = Writer::default();
        body.text("default");
        let answer = self.bus.call(&method(ROOT, OF_SERVICE, "ReadAlias"), "s", body)?;
        let found = path(&answer, 0)?;
        if found != NONE {
            return Ok(found);
        }
        let mut body = Writer::default();
        body.array(8, |properties| {
            properties.text("org.freedesktop.Secret.Collection.Label");
            properties.variant("s", "Default");
        });
        body.text("default");
        let answer = self.bus.call(&method(ROOT, OF_SERVICE, "CreateCollection"), "a{sv}s", body)?;
        let made = path(&answer, 0)?;
        let prompted = self.finish_prompt(&path(&answer, 1)?)?;
        Ok(if made == NONE { prompted.unwrap_or(made) } else { made })
    }

    /// Has the desktop ask the person, where it wants to, and gives back the object that came of it.
    fn finish_prompt(&mut self, prompt: &str) -> Result<Option<String>, String> {
        if prompt == NONE {
            return Ok(None);
        }
        self.bus.listen(DESTINATION, prompt, "Completed")?;
        let mut window = Writer::default();
        window.text("");
        self.bus.call(&method(prompt, OF_PROMPT, "Prompt"), "s", window)?;
        let answer = self.bus.wait_for(prompt, "Completed")?;
        match answer.as_slice() {
            [Value::Number(0), Value::Variant(made)] => Ok(made.text().map(str::to_owned)),
            _ => Err("the person did not unlock it".to_owned()),
        }
    }
}

impl Attributes<'_> {
    fn pairs(&self) -> [(&str, &str); 2] {
        [("service", self.service), ("username", self.username)]
    }
}

fn method<'a>(path: &'a str, interface: &'a str, member: &'a str) -> Method<'a> {
    Method { destination: DESTINATION, path, interface, member }
}

/// The path that stands in an answer.
fn path(answer: &[Value], at: usize) -> Result<String, String> {
    let found = answer.get(at).and_then(Value::text);
    found.map(str::to_owned).ok_or_else(|| "its answer cannot be understood".to_owned())
}
