//! Browsers that were let in to the person's pages, and the links that let them in. Secrets stand here as hashes only.

use rusqlite::{OptionalExtension, params};

use crate::model::ContentHash;
use crate::store::{Reader, StoreError, WriteTransaction};

/// A browser that was let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageSession {
    /// SHA-256 of its cookie.
    pub hash: ContentHash,
    /// The part of every address that only this browser knows.
    pub path: String,
    /// When it was let in, in seconds since 1970.
    pub since: i64,
    /// It is let in no longer than until then.
    pub until: i64,
}

impl WriteTransaction<'_> {
    /// Remembers a link that lets one browser in until then; forgets those that are over.
    pub fn put_page_link(&self, hash: &ContentHash, now: i64, until: i64) -> Result<(), StoreError> {
        const INSERT: &str = "INSERT INTO page_links (hash, until_epoch) VALUES (?1, ?2)";
        self.transaction.execute("DELETE FROM page_links WHERE until_epoch <= ?1", [now])?;
        self.transaction.execute(INSERT, params![hash.0, until])?;
        Ok(())
    }

    /// Uses a link up; whether it was good.
    pub fn take_page_link(&self, hash: &ContentHash, now: i64) -> Result<bool, StoreError> {
        const TAKE: &str = "DELETE FROM page_links WHERE hash = ?1 AND until_epoch > ?2";
        Ok(self.transaction.execute(TAKE, params![hash.0, now])? == 1)
    }

    /// Lets a browser in; forgets those whose time is over.
    pub fn put_page_session(&self, session: &PageSession) -> Result<(), StoreError> {
        const INSERT: &str =
            "INSERT INTO page_sessions (hash, path, since_epoch, until_epoch) VALUES (?1, ?2, ?3, ?4)";
        let PageSession { hash, path, since, until } = session;
        self.transaction.execute("DELETE FROM page_sessions WHERE until_epoch <= ?1", [since])?;
        self.transaction.execute(INSERT, params![hash.0, path, since, until])?;
        Ok(())
    }

    /// Lets a browser in no more.
    pub fn end_page_session(&self, path: &str) -> Result<(), StoreError> {
        self.transaction.execute("DELETE FROM page_sessions WHERE path = ?1", [path])?;
        Ok(())
    }

    /// Lets no browser in any more, and no link.
    pub fn end_page_sessions(&self) -> Result<usize, StoreError> {
        self.transaction.execute("DELETE FROM page_links", [])?;
        Ok(self.transaction.execute("DELETE FROM page_sessions", [])?)
    }
}

impl Reader {
    /// The browser that was let in under this path, if its time is not over.
    pub fn page_session(&self, path: &str, now: i64) -> Result<Option<PageSession>, StoreError> {
        const SELECT: &str = "
            SELECT hash, path, since_epoch, until_epoch FROM page_sessions
            WHERE path = ?1 AND until_epoch > ?2";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let read = |row: &rusqlite::Row<'_>| {
            let hash = ContentHash(row.get(0)?);
            Ok(PageSession { hash, path: row.get(1)?, since: row.get(2)?, until: row.get(3)? })
        };
        Ok(statement.query_row(params![path, now], read).optional()?)
    }
}
