//! Which browsers may see the person's pages. A link that is good once, or the PIN, lets one in for thirty days. What it
//! shows is a cookie that only it knows; the store keeps hashes, so that who reads the store cannot come in.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};
use subtle::ConstantTimeEq;

use crate::clock::Clock;
use crate::home::Home;
use crate::model::ContentHash;
use crate::secret::Secret;
use crate::store::{PageSession, Reader, Store, StoreError};

/// A link is good for so many seconds.
const LINK_TIME: i64 = 15 * 60;
/// A browser is let in for so many seconds.
const SESSION_TIME: i64 = 30 * 24 * 3_600;

/// Lets browsers in.
#[derive(Debug, Clone)]
pub struct PageAccess {
    home: Home,
    clock: Clock,
}

/// A browser that is being let in.
#[derive(Debug)]
pub struct Admission {
    /// What it will show.
    pub cookie: Secret<String>,
    /// The part of every address that only it knows.
    pub path: String,
    /// For how many seconds.
    pub seconds: i64,
}

impl PageAccess {
    /// The pages of this home.
    #[must_use]
    pub fn new(home: &Home, clock: Clock) -> Self {
        Self { home: home.clone(), clock }
    }

    /// Makes a link that lets one browser in, once.
    pub fn new_link(&self) -> Result<Secret<String>, StoreError> {
        let (secret, now) = (random::<32>(), self.clock.now().as_second());
        let mut store = Store::open(&self.home.store())?;
        let tx = store.begin()?;
        tx.put_page_link(&ContentHash::of(secret.as_bytes()), now, now + LINK_TIME)?;
        tx.commit()?;
        Ok(Secret::new(secret))
    }

    /// Lets a browser in that shows a link; `None` when the link is used up, too old or none of ours.
    pub fn redeem(&self, link: &str) -> Result<Option<Admission>, StoreError> {
        let mut store = Store::open_existing(&self.home.store())?;
        let tx = store.begin()?;
        if !tx.take_page_link(&ContentHash::of(link.as_bytes()), self.clock.now().as_second())? {
            return Ok(None);
        }
        let admission = self.put(&tx)?;
        tx.commit()?;
        Ok(Some(admission))
    }

    /// Lets a browser in whose person has just proved who they are.
    pub fn admit(&self) -> Result<Admission, StoreError> {
        let mut store = Store::open_existing(&self.home.store())?;
        let tx = store.begin()?;
        let admission = self.put(&tx)?;
        tx.commit()?;
        Ok(admission)
    }

    fn put(&self, tx: &crate::store::WriteTransaction<'_>) -> Result<Admission, StoreError> {
        let (cookie, path, since) = (random::<32>(), random::<16>(), self.clock.now().as_second());
        let (hash, until) = (ContentHash::of(cookie.as_bytes()), since + SESSION_TIME);
        tx.put_page_session(&PageSession { hash, path: path.clone(), since, until })?;
        Ok(Admission { cookie: Secret::new(cookie), path, seconds: SESSION_TIME })
    }

    /// Whether a browser with this cookie is let in under this path.
    pub fn is_admitted(&self, path: &str, cookie: &str) -> Result<bool, StoreError> {
        let reader = Reader::open_or_empty(&self.home.store())?;
        let session = reader.page_session(path, self.clock.now().as_second())?;
        let given = ContentHash::of(cookie.as_bytes());
        Ok(session.is_some_and(|session| bool::from(session.hash.0.ct_eq(&given.0))))
    }

    /// Lets a browser in no more.
    pub fn end(&self, path: &str) -> Result<(), StoreError> {
        let mut store = Store::open_existing(&self.home.store())?;
        let tx = store.begin()?;
        tx.end_page_session(path)?;
        tx.commit()?;
        Ok(())
    }

    /// Lets no browser in any more; how many were.
    pub fn end_all(&self) -> Result<usize, StoreError> {
        let mut store = Store::open_existing(&self.home.store())?;
        let tx = store.begin()?;
        let ended = tx.end_page_sessions()?;
        tx.commit()?;
        Ok(ended)
    }
}

/// So many random bytes, in letters that an address may hold.
fn random<const BYTES: usize>() -> String {
    let mut bytes = [0; BYTES];
    SystemRandom::new().fill(&mut bytes).expect("the system gives random numbers");
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{LINK_TIME, PageAccess, SESSION_TIME};
    use crate::clock::Clock;
    use crate::home::Home;

    fn at(home: &Home, seconds: i64) -> PageAccess {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1_000_000 + seconds);
        PageAccess::new(home, Clock::frozen(now))
    }

    #[test]
    fn a_link_lets_one_browser_in_once_and_for_a_quarter_of_an_hour() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::at(directory.path());
        let (link, late) = (at(&home, 0).new_link().unwrap(), at(&home, 0).new_link().unwrap());

        let first = at(&home, LINK_TIME - 1).redeem(link.reveal()).unwrap();
        let second = at(&home, LINK_TIME - 1).redeem(link.reveal()).unwrap();

        assert!(first.is_some() && second.is_none());
        assert!(at(&home, LINK_TIME).redeem(late.reveal()).unwrap().is_none());
        assert!(at(&home, 0).redeem("").unwrap().is_none());
    }

    #[test]
    fn a_browser_is_let_in_under_its_own_path_until_its_time_is_over_or_ended() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::at(directory.path());
        at(&home, 0).new_link().unwrap();
        let (one, other) = (at(&home, 0).admit().unwrap(), at(&home, 0).admit().unwrap());
        let is_in = |seconds, path: &str, cookie: &str| at(&home, seconds).is_admitted(path, cookie).unwrap();

        assert!(is_in(SESSION_TIME - 1, &one.path, one.cookie.reveal()));
        assert!(!is_in(SESSION_TIME, &one.path, one.cookie.reveal()));
        assert!(!is_in(0, &one.path, other.cookie.reveal()), "the cookie of another");
        assert!(!is_in(0, &one.path, ""));
        at(&home, 0).end(&one.path).unwrap();
        assert!(!is_in(0, &one.path, one.cookie.reveal()));
        assert!(is_in(0, &other.path, other.cookie.reveal()));
        assert_eq!(at(&home, 0).end_all().unwrap(), 1);
        assert!(!is_in(0, &other.path, other.cookie.reveal()));
    }

    #[test]
    fn the_store_holds_no_secret_of_a_browser() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::at(directory.path());
        let link = at(&home, 0).new_link().unwrap();
        let admission = at(&home, 0).admit().unwrap();
        let held: Vec<u8> = std::fs::read_dir(directory.path())
            .unwrap()
            .flat_map(|entry| std::fs::read(entry.unwrap().path()).unwrap_or_default())
            .collect();

        for secret in [link.reveal(), admission.cookie.reveal()] {
            assert!(!held.windows(secret.len()).any(|window| window == secret.as_bytes()));
        }
    }
}
