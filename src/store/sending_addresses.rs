//! Who mail of an account may be from: its address with the name the owner chose, and the aliases the owner allowed.

use rusqlite::params;

use crate::model::{AccountKey, Address};
use crate::store::{Reader, StoreError, WriteTransaction};

impl WriteTransaction<'_> {
    /// Names the owner of an account; an empty name takes it away.
    pub fn set_display_name(&self, account: AccountKey, name: &str) -> Result<(), StoreError> {
        const UPDATE: &str = "UPDATE accounts SET display_name = nullif(?2, '') WHERE id = ?1";
        self.transaction.execute(UPDATE, params![account.0, name])?;
        Ok(())
    }

    /// Allows an address to write from; without a name it has the account's.
    pub fn put_alias(&self, account: AccountKey, alias: &Address) -> Result<(), StoreError> {
        const PUT: &str = "
            INSERT INTO aliases (account, address, name) VALUES (?1, ?2, nullif(?3, ''))
            ON CONFLICT (account, address) DO UPDATE SET address = excluded.address, name = excluded.name";
        self.transaction.execute(PUT, params![account.0, alias.address, alias.name])?;
        Ok(())
    }

    /// Takes the permission back; says whether there was one.
    pub fn remove_alias(&self, account: AccountKey, address: &str) -> Result<bool, StoreError> {
        const DELETE: &str = "DELETE FROM aliases WHERE account = ?1 AND address = ?2 COLLATE NOCASE";
        Ok(self.transaction.execute(DELETE, params![account.0, address])? > 0)
    }
}

impl Reader {
    /// Who mail of an account may be from, each with the name it shows: the account's own address first.
    pub fn sending_addresses(&self, account: AccountKey) -> Result<Vec<Address>, StoreError> {
        const SELECT: &str = "
            SELECT 0 AS place, address, coalesce(display_name, '') FROM accounts WHERE id = ?1
            UNION ALL
            SELECT 1, l.address, coalesce(l.name, a.display_name, '')
            FROM aliases l JOIN accounts a ON a.id = l.account WHERE l.account = ?1
            ORDER BY 1, 2";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let shown =
            |row: &rusqlite::Row<'_>| Ok(Address::new(row.get::<_, String>(2)?, row.get::<_, String>(1)?));
        Ok(statement.query_map([account.0], shown)?.collect::<Result<_, _>>()?)
    }
}
