//! Passwords and tokens in one encrypted file. Its random key is kept by the desktop's keyring where there is one;
//! else it stands beside it, for its owner only, and protects copies of the home that do not carry it (a backup, a
//! synced folder), not against who can read both.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chacha20poly1305::aead::{Aead, AeadCore, OsRng};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};

use crate::account::{AccountError, keyring};
use crate::model::SecretStore;
use crate::secret::Secret;
use crate::wire::WireError;

const MAGIC: &[u8] = b"mailkeep secrets 1\n";
const NONCE: usize = 24;
/// What the key's file says when the keyring keeps the key; its name there follows.
const IN_KEYRING: &str = "keyring ";

/// The secrets of one home.
pub struct Secrets {
    path: PathBuf,
    store: SecretStore,
}

/// Who keeps the key.
enum Key {
    File(Vec<u8>),
    Keyring(String),
}

type Entries = BTreeMap<String, String>;

impl Secrets {
    /// Secrets in this file, which need not exist yet; their key is where the owner wants it.
    #[must_use]
    pub const fn at(path: PathBuf, store: SecretStore) -> Self {
        Self { path, store }
    }

    /// Secrets in a file of their own beside this one, with a key of their own: who opens it sees none of these.
    #[must_use]
    pub fn apart(&self, file: &str) -> Self {
        Self { path: self.path.with_file_name(file), store: self.store }
    }

    /// The secret with this name; names are the same in any case, as addresses are.
    pub fn get(&self, name: &str) -> Result<Option<Secret<String>>, AccountError> {
        Ok(self.read()?.remove(&name.to_lowercase()).map(Secret::new))
    }

    /// Keeps a secret, in the place of one that has the name. On the disk when this returns.
    pub fn set(&self, name: &str, value: &Secret<String>) -> Result<(), AccountError> {
        self.change(|entries| {
            entries.insert(name.to_lowercase(), value.reveal().clone());
        })
    }

    /// Keeps a secret unless one has the name; gives the one that is kept.
    pub fn set_if_absent(&self, name: &str, value: &Secret<String>) -> Result<Secret<String>, AccountError> {
        let name = name.to_lowercase();
        let mut kept = value.reveal().clone();
        self.change(|entries| kept = entries.entry(name).or_insert(kept.clone()).clone())?;
        Ok(Secret::new(kept))
    }

    /// Forgets a secret.
    pub fn remove(&self, name: &str) -> Result<(), AccountError> {
        if !self.path.exists() {
            return Ok(());
        }
        self.change(|entries| {
            entries.remove(&name.to_lowercase());
        })
    }

    /// Waits until no other process is at this, and keeps them away until the guard is dropped. A wait that may be
    /// long: it ends when we are told to stop.
    pub fn lock_for(&self, purpose: &str, stop: &AtomicBool) -> Result<File, AccountError> {
        let (path, file) = self.lock_file(purpose)?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(source)) => return Err(AccountError::File { path, source }),
                Err(TryLockError::WouldBlock) if stop.load(Ordering::Relaxed) => {
                    return Err(WireError::Stopped.into());
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    fn lock(&self) -> Result<File, AccountError> {
        let (path, file) = self.lock_file("lock")?;
        file.lock().map_err(|source| AccountError::File { path, source })?;
        Ok(file)
    }

    fn lock_file(&self, purpose: &str) -> Result<(PathBuf, File), AccountError> {
        let path = self.beside(purpose);
        let file = private(&path, OpenOptions::new().write(true).create(true).truncate(false))?;
        Ok((path, file))
    }

    fn change(&self, edit: impl FnOnce(&mut Entries)) -> Result<(), AccountError> {
        let _lock = self.lock()?;
        self.settle()?;
        let mut entries = self.read()?;
        edit(&mut entries);
        self.write(&entries)
    }

    fn read(&self) -> Result<Entries, AccountError> {
        let sealed = match fs::read(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Entries::new()),
            other => other.map_err(|source| self.failed(source))?,
        };
        let unreadable = || AccountError::Undecipherable { path: self.path.clone() };
        let body = sealed.strip_prefix(MAGIC).filter(|body| body.len() > NONCE).ok_or_else(unreadable)?;
        let (nonce, text) = body.split_at(NONCE);
        let cipher = self.cipher()?.ok_or_else(unreadable)?;
        let plain = cipher.decrypt(XNonce::from_slice(nonce), text).map_err(|_| unreadable())?;
        serde_json::from_slice(&plain).map_err(|_| unreadable())
    }

    fn write(&self, entries: &Entries) -> Result<(), AccountError> {
        let cipher = match self.cipher()? {
            Some(cipher) => cipher,
            None => self.make_key()?,
        };
        let nonce = XChaCha20Poly1305::generate_nonce(&mut OsRng);
        let plain = serde_json::to_vec(entries).expect("a map of strings is JSON");
        let text = cipher.encrypt(&nonce, plain.as_slice()).expect("a few kilobytes can be encrypted");
        self.replace(&self.path, &[MAGIC, &nonce[..], &text].concat())
    }

    /// The cipher with the key that is there.
    fn cipher(&self) -> Result<Option<XChaCha20Poly1305>, AccountError> {
        let key = match self.key()? {
            None => return Ok(None),
            Some(Key::File(key)) => key,
            Some(Key::Keyring(name)) => {
                keyring::get(&name).map_err(|detail| AccountError::Keyring { detail })?
            }
        };
        Ok(XChaCha20Poly1305::new_from_slice(&key).ok())
    }

    fn key(&self) -> Result<Option<Key>, AccountError> {
        let bytes = match fs::read(self.beside("key")) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|source| self.failed(source))?,
        };
        let name = std::str::from_utf8(&bytes).ok().and_then(|text| text.strip_prefix(IN_KEYRING));
        Ok(Some(match name {
            Some(name) => Key::Keyring(name.trim().to_owned()),
            None => Key::File(bytes),
        }))
    }

    fn make_key(&self) -> Result<XChaCha20Poly1305, AccountError> {
        let key = XChaCha20Poly1305::generate_key(&mut OsRng);
        let in_keyring = match self.store {
            SecretStore::File => false,
            SecretStore::Keyring => self.give_to_keyring(&key).map(|()| true)?,
            SecretStore::Auto => keyring::is_there() && self.give_to_keyring(&key).is_ok(),
        };
        if !in_keyring {
            self.replace(&self.beside("key"), &key)?;
        }
        Ok(XChaCha20Poly1305::new(&key))
    }

    fn give_to_keyring(&self, key: &[u8]) -> Result<(), AccountError> {
        let name = uuid::Uuid::new_v4().to_string();
        keyring::keep(&name, key).map_err(|detail| AccountError::Keyring { detail })?;
        self.replace(&self.beside("key"), format!("{IN_KEYRING}{name}\n").as_bytes())
    }

    /// Moves a key that is there to where the owner wants it now.
    fn settle(&self) -> Result<(), AccountError> {
        match (self.store, self.key()?) {
            (SecretStore::Keyring, Some(Key::File(key))) => self.give_to_keyring(&key),
            (SecretStore::File, Some(Key::Keyring(name))) => {
                let key = keyring::get(&name).map_err(|detail| AccountError::Keyring { detail })?;
                self.replace(&self.beside("key"), &key)?;
                keyring::forget(&name);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Puts a file there whole, readable by its owner only.
    fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), AccountError> {
        let directory = path.parent().unwrap_or(Path::new("."));
        let written = tempfile::NamedTempFile::new_in(directory).and_then(|mut file| {
            file.write_all(bytes)?;
            file.as_file().sync_all()?;
            file.persist(path)?;
            File::open(directory)?.sync_all()
        });
        written.map_err(|source| self.failed(source))
    }

    fn beside(&self, ending: &str) -> PathBuf {
        self.path.with_extension(ending)
    }

    fn failed(&self, source: std::io::Error) -> AccountError {
        AccountError::File { path: self.path.clone(), source }
    }
}

fn private(path: &Path, options: &mut OpenOptions) -> Result<File, AccountError> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path).map_err(|source| AccountError::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::Secrets;
    use crate::account::AccountError;
    use crate::model::SecretStore;
    use crate::secret::Secret;

    fn secret(text: &str) -> Secret<String> {
        Secret::new(text.to_owned())
    }

    #[test]
    fn a_secret_comes_back_and_stands_in_no_file() {
        let home = tempfile::tempdir().unwrap();
        let secrets = Secrets::at(home.path().join("secrets"), SecretStore::File);

        secrets.set("ada@example.org", &secret("canary-4711")).unwrap();
        secrets.set("bob@example.org", &secret("other")).unwrap();
        secrets.remove("bob@example.org").unwrap();

        assert_eq!(secrets.get("ada@example.org").unwrap(), Some(secret("canary-4711")));
        assert_eq!(secrets.get("bob@example.org").unwrap(), None);
        for file in std::fs::read_dir(home.path()).unwrap() {
            let path = file.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(6).any(|window| window == b"canary"), "{path:?}");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(path.metadata().unwrap().permissions().mode() & 0o77, 0, "{path:?}");
            }
        }
    }

    #[test]
    fn without_its_key_or_with_one_bit_changed_nothing_is_read() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("secrets");
        let secrets = Secrets::at(path.clone(), SecretStore::File);
        secrets.set("a", &secret("b")).unwrap();
        let sealed = std::fs::read(&path).unwrap();

        for place in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[place] ^= 1;
            std::fs::write(&path, damaged).unwrap();
            assert!(matches!(secrets.get("a"), Err(AccountError::Undecipherable { .. })), "byte {place}");
        }
        std::fs::write(&path, sealed).unwrap();
        std::fs::remove_file(home.path().join("secrets.key")).unwrap();

        assert!(matches!(secrets.get("a"), Err(AccountError::Undecipherable { .. })));
    }
}
