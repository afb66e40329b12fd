//! The keyring of the desktop: Secret Service, Keychain or Credential Manager. It keeps one key for each home. It may
//! be locked and ask the person; we wait for that, but not for ever.

use std::sync::mpsc;
use std::time::Duration;

/// How long the person may take to unlock it.
const WITHIN: Duration = Duration::from_secs(30);
const SERVICE: &str = "mailkeep";

/// Whether there is one to ask. On Linux it is reached over the session's bus, which machines without a desktop lack.
pub(super) fn is_there() -> bool {
    if !cfg!(all(unix, not(target_os = "macos"))) {
        return true;
    }
    let named = std::env::var_os("DBUS_SESSION_BUS_ADDRESS").filter(|name| !name.is_empty());
    let usual = std::env::var_os("XDG_RUNTIME_DIR").map(|place| std::path::Path::new(&place).join("bus"));
    named.is_some() || usual.is_some_and(|socket| socket.exists())
}

/// Keeps a key, and makes sure that it comes back.
pub(super) fn keep(name: &str, key: &[u8]) -> Result<(), String> {
    let (name, key) = (name.to_owned(), key.to_vec());
    asked(move || {
        desktop::write(&name, &key)?;
        let back = desktop::read(&name)?;
        if back == key { Ok(()) } else { Err("it gives back something else".to_owned()) }
    })
}

/// The key with this name.
pub(super) fn get(name: &str) -> Result<Vec<u8>, String> {
    let name = name.to_owned();
    asked(move || desktop::read(&name))
}

/// Forgets a key. It does not matter if it stays.
pub(super) fn forget(name: &str) {
    let name = name.to_owned();
    let _ = asked(move || desktop::delete(&name));
}

/// Asks on a thread of its own, which is left behind when no answer comes.
fn asked<T: Send + 'static>(
    question: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    if !is_there() {
        return Err("this machine has none that can be reached".to_owned());
    }
    let (sender, answer) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = sender.send(question());
    });
    answer.recv_timeout(WITHIN).unwrap_or_else(|_| Err("it did not answer".to_owned()))
}

#[cfg(all(unix, not(target_os = "macos")))]
mod desktop {
    use super::SERVICE;
    use crate::account::secret_service::{Attributes, SecretService};

    pub(super) fn write(name: &str, key: &[u8]) -> Result<(), String> {
        SecretService::open()?.keep(item(name), key)
    }

    pub(super) fn read(name: &str) -> Result<Vec<u8>, String> {
        SecretService::open()?.secret(item(name))
    }

    pub(super) fn delete(name: &str) -> Result<(), String> {
        SecretService::open()?.delete(item(name))
    }

    fn item(name: &str) -> Attributes<'_> {
        Attributes { service: SERVICE, username: name }
    }
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
mod desktop {
    use super::SERVICE;

    pub(super) fn write(name: &str, key: &[u8]) -> Result<(), String> {
        entry(name)?.set_secret(key).map_err(|error| error.to_string())
    }

    pub(super) fn read(name: &str) -> Result<Vec<u8>, String> {
        entry(name)?.get_secret().map_err(|error| error.to_string())
    }

    pub(super) fn delete(name: &str) -> Result<(), String> {
        entry(name)?.delete_credential().map_err(|error| error.to_string())
    }

    fn entry(name: &str) -> Result<keyring::Entry, String> {
        if let Err(error) = keyring::Entry::store_status() {
            return Err(error.to_string());
        }
        keyring::Entry::new(SERVICE, name).map_err(|error| error.to_string())
    }
}
