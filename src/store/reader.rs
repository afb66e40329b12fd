//! Reads the store over a connection that cannot write. Never migrates: an older or newer schema is an error.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use roaring::RoaringTreemap;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};

use crate::model::{
    ContentHash, DateSource, Flags, MessageDate, MessageKey, PlacementKey, ShortId, ThreadKey,
};
use crate::store::codec::StoredFrame;
use crate::store::open::{prepare, require_version, version, wait_for_turn};
use crate::store::{Codec, Envelope, Frame, Store, StoreError, threads};

/// From so many texts on, a second thread earns more than it costs.
const WORTH_SHARING: usize = 12;

/// So much is looked at of a text of which only a line is shown.
const MOST_TEXT: usize = 1 << 20;

/// As many bytes of packed contents are held at a time.
const MOST_AT_ONCE: usize = 1 << 20;

/// A read-only view of the store.
pub struct Reader {
    connection: Connection,
    codec: Codec,
    /// How SQLite opens the file again; `None` for an empty store that stands in for one.
    uri: Option<String>,
}

/// A message as its columns tell it, without its content.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMessage {
    /// Its row.
    pub key: MessageKey,
    /// The id people see.
    pub id: ShortId,
    /// Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// Its thread.
    pub thread: ThreadKey,
    /// When it was written.
    pub date: MessageDate,
    /// The sender as written.
    pub from: String,
    /// The sender's name; empty when there is none.
    pub from_name: String,
    /// The sender's address in lower case.
    pub from_address: String,
    /// The subject.
    pub subject: String,
    /// Raw bytes.
    pub size: i64,
    /// Whether it has an attachment.
    pub has_attachments: bool,
    /// Its mailing list.
    pub list_id: Option<String>,
}

/// A part of a stored message that is not body text.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// IMAP part number.
    pub part: String,
    /// File name.
    pub name: Option<String>,
    /// Media type.
    pub content_type: String,
    /// Bytes after decoding.
    pub size: i64,
    /// SHA-256 of the decoded bytes, in hexadecimal digits.
    pub sha256: String,
    /// Whether it counts for `has:attachment`.
    pub counts: bool,
}

/// Where a message is placed.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// Its row.
    pub key: PlacementKey,
    /// The account's address.
    pub account: String,
    /// The mailbox's name.
    pub mailbox: String,
    /// Flags there.
    pub flags: Flags,
    /// Labels there.
    pub labels: Vec<String>,
    /// Since when the server does not show it there any more, in seconds since 1970.
    pub gone: Option<i64>,
}

/// Where a message is in the first place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Standing {
    /// The account's address.
    pub account: String,
    /// The mailbox's name.
    pub mailbox: String,
    /// Since when no server shows it any more, in seconds since 1970.
    pub gone: Option<i64>,
}

const COLUMNS: &str = "
    m.id, m.hash, m.message_id, m.thread, m.epoch, m.date_source, s.display, s.name, s.address,
    m.subject, m.size, m.has_attachments, m.list_id
    FROM messages m JOIN senders s ON s.id = m.sender";

impl Reader {
    /// Opens the store at `path` for reading.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if !StoreError::is_there(path)? {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        let (connection, uri) = open_read_only(path)?;
        require_version(&connection, path)?;
        let codec = prepare(&connection)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(Self { connection, codec, uri: Some(uri) })
    }

    /// Opens the store at `path`; where there is none yet, an empty one answers.
    pub fn open_or_empty(path: &Path) -> Result<Self, StoreError> {
        match Self::open(path) {
            Err(StoreError::Missing { .. }) => Self::empty(),
            other => other,
        }
    }

    /// A store without messages.
    pub fn empty() -> Result<Self, StoreError> {
        let (connection, codec) = Store::in_memory()?.into_connection();
        Ok(Self { connection, codec, uri: None })
    }

    /// Whether this is an empty store that answers for one that is not there yet.
    #[must_use]
    pub fn is_stand_in(&self) -> bool {
        self.uri.is_none()
    }

    /// The connection, for questions that `query` words itself.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Unpacks the contents of this store.
    pub(super) fn codec(&self) -> &Codec {
        &self.codec
    }

    /// Another connection that reads the same store, under a schema name that the caller chooses. An empty store that
    /// stands in for a missing one is `main` there. Returns the name it has.
    pub fn attached(&self, name: &str) -> Result<(Connection, String), StoreError> {
        let Some(uri) = &self.uri else {
            let (connection, _) = Store::in_memory()?.into_connection();
            return Ok((connection, "main".to_owned()));
        };
        let mut connection = Connection::open_in_memory()?;
        connection.busy_handler(Some(wait_for_turn))?;
        connection.execute(&format!("ATTACH DATABASE ?1 AS {name}"), [uri])?;
        connection.pragma_update(Some(name), "mmap_size", 1_i64 << 32)?;
        prepare(&connection)?;
        Ok((connection, name.to_owned()))
    }

    /// Another reader of the same store.
    pub fn again(&self) -> Result<Self, StoreError> {
        let Some(uri) = &self.uri else { return Self::empty() };
        let connection = open_uri(uri)?;
        let codec = prepare(&connection)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(Self { connection, codec, uri: Some(uri.clone()) })
    }

    /// Which store this is; an index says which one it follows.
    pub fn identity(&self) -> Result<String, StoreError> {
        Ok(self.connection.query_row("SELECT id FROM identity", [], |row| row.get(0))?)
    }

    /// Answers what is asked while the guard lives from one state of the store, which also makes each answer cheaper.
    pub fn snapshot(&self) -> Result<impl Sized + '_, StoreError> {
        Ok(self.connection.unchecked_transaction()?)
    }

    /// Whether this content is stored.
    pub fn knows(&self, hash: &ContentHash) -> Result<bool, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT 1 FROM messages WHERE hash = ?1")?;
        Ok(statement.exists([hash.0])?)
    }

    /// The rows of all messages.
    pub fn rows(&self) -> Result<RoaringTreemap, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT id FROM messages")?;
        let rows = statement.query_map([], |row| row.get::<_, i64>(0).map(i64::cast_unsigned))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// One message.
    pub fn message(&self, key: MessageKey) -> Result<Option<StoredMessage>, StoreError> {
        let mut statement = self.connection.prepare_cached(&format!("SELECT {COLUMNS} WHERE m.id = ?1"))?;
        Ok(statement.query_row([key.0], read_message).optional()?)
    }

    /// The messages of a thread, oldest first.
    pub fn thread(&self, thread: ThreadKey) -> Result<Vec<StoredMessage>, StoreError> {
        let Some(root) = threads::root(&self.connection, thread)? else {
            return Ok(Vec::new());
        };
        let sql = format!("SELECT {COLUMNS} WHERE m.thread = ?1 ORDER BY m.epoch, m.id");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map([root.0], read_message)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The thread that this one was joined to, or itself; `None` when there is no such thread.
    pub fn current_thread(&self, thread: ThreadKey) -> Result<Option<ThreadKey>, StoreError> {
        threads::root(&self.connection, thread)
    }

    /// Messages that an id of any kind names: short id, placement number, Message-ID, Gmail id.
    pub fn resolve(&self, id: &str) -> Result<Vec<MessageKey>, StoreError> {
        let id = id.trim();
        if let Some(short) = ShortId::parse(id) {
            let (low, high) = short.hash_range();
            let found =
                self.keys("SELECT id FROM messages WHERE hash BETWEEN ?1 AND ?2", params![low, high])?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if let Ok(number) = id.parse::<i64>() {
            let found = self.keys("SELECT message FROM placements WHERE id = ?1", [number])?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if let Ok(gmail) = u64::from_str_radix(id, 16) {
            let found = self.keys("SELECT id FROM messages WHERE x_gm_msgid = ?1", [gmail.cast_signed()])?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let bare = id.trim_start_matches('<').trim_end_matches('>');
        self.keys("SELECT id FROM messages WHERE message_id = ?1 ORDER BY id", [bare])
    }

    fn keys(&self, sql: &str, params: impl rusqlite::Params) -> Result<Vec<MessageKey>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(params, |row| row.get(0).map(MessageKey))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What a person would read.
    pub fn text(&self, key: MessageKey) -> Result<String, StoreError> {
        self.text_up_to(key, usize::MAX)
    }

    /// The first bytes of what a person would read, at most `most`, up to a whole character.
    pub fn text_up_to(&self, key: MessageKey, most: usize) -> Result<String, StoreError> {
        match StoredFrame::read(&self.connection, key)? {
            StoredFrame::Short(frame) => self.codec.text_up_to(&frame, most),
            StoredFrame::Long(frame) => self.codec.long_text(&self.connection, &frame, most),
        }
    }

    /// What `each` makes of the visible texts of these messages, or of the first megabyte of long ones; it is told the
    /// number of each. Holds few contents at a time, however large they are.
    pub fn map_texts<T: Send>(
        &self,
        keys: &[MessageKey],
        each: impl Fn(usize, &str) -> T + Sync,
    ) -> Result<Vec<T>, StoreError> {
        let mut mapped = Vec::with_capacity(keys.len());
        let (mut frames, mut bytes) = (Vec::new(), 0);
        for (number, key) in keys.iter().enumerate() {
            let mut long = None;
            match StoredFrame::read(&self.connection, *key)? {
                StoredFrame::Short(frame) => {
                    bytes += frame.bytes.len();
                    frames.push((number, frame));
                }
                StoredFrame::Long(frame) => {
                    long = Some(self.codec.long_text(&self.connection, &frame, MOST_TEXT)?)
                }
            }
            if bytes >= MOST_AT_ONCE || long.is_some() {
                mapped.extend(map_frames(&self.codec, &frames, &each)?);
                frames.clear();
                bytes = 0;
            }
            mapped.extend(long.map(|text| each(number, &text)));
        }
        mapped.extend(map_frames(&self.codec, &frames, &each)?);
        Ok(mapped)
    }

    /// The raw bytes, as received.
    pub fn raw(&self, key: MessageKey) -> Result<Vec<u8>, StoreError> {
        match StoredFrame::read(&self.connection, key)? {
            StoredFrame::Short(frame) => self.codec.raw(&frame),
            StoredFrame::Long(frame) => self.codec.long_raw(&self.connection, &frame, None),
        }
    }

    /// Writes the raw bytes; a long message is never held whole.
    pub fn write_raw(&self, key: MessageKey, out: &mut dyn std::io::Write) -> Result<(), StoreError> {
        match StoredFrame::read(&self.connection, key)? {
            StoredFrame::Short(frame) => {
                out.write_all(&self.codec.raw(&frame)?).map_err(|error| StoreError::content(&error))
            }
            StoredFrame::Long(frame) => self.codec.write_long_raw(&self.connection, &frame, out),
        }
    }

    /// The first bytes of the raw message, at most `most`.
    pub fn raw_up_to(&self, key: MessageKey, most: usize) -> Result<Vec<u8>, StoreError> {
        match StoredFrame::read(&self.connection, key)? {
            StoredFrame::Short(frame) => self.codec.raw_up_to(&frame, most),
            StoredFrame::Long(frame) => self.codec.long_raw(&self.connection, &frame, Some(most)),
        }
    }

    /// Whether a message has a subject at all: an empty one is one, too. Looks through the first 64 KB of its header.
    pub fn has_subject(&self, key: MessageKey) -> Result<bool, StoreError> {
        const SIZE: &str = "SELECT header_size FROM messages WHERE id = ?1";
        let size: usize = self.connection.prepare_cached(SIZE)?.query_row([key.0], |row| row.get(0))?;
        let header = self.raw_up_to(key, size.min(64 << 10))?;
        let mut names =
            header.split(|byte| *byte == b'\n').filter_map(|line| line.split(|b| *b == b':').next());
        Ok(names.any(|name| name.trim_ascii_end().eq_ignore_ascii_case(b"subject")))
    }

    /// Recipients and references.
    pub fn envelope(&self, key: MessageKey) -> Result<Envelope, StoreError> {
        let envelope = match StoredFrame::read(&self.connection, key)? {
            StoredFrame::Short(frame) => self.codec.envelope(&frame),
            StoredFrame::Long(frame) => self.codec.long_envelope(&self.connection, &frame),
        };
        Envelope::from_json(&envelope?)
    }

    /// The parts that are not body text.
    pub fn parts(&self, key: MessageKey) -> Result<Vec<Part>, StoreError> {
        const SELECT: &str = "
            SELECT part, name, content_type, size, lower(hex(hash)), counts FROM parts WHERE message = ?1";
        let mut statement = self.connection.prepare_cached(SELECT)?;
        let rows = statement.query_map([key.0], |row| {
            Ok(Part {
                part: row.get(0)?,
                name: row.get(1)?,
                content_type: row.get(2)?,
                size: row.get(3)?,
                sha256: row.get(4)?,
                counts: row.get(5)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What is wrong with the message.
    pub fn defects(&self, key: MessageKey) -> Result<Vec<String>, StoreError> {
        let mut statement =
            self.connection.prepare_cached("SELECT defect FROM defects WHERE message = ?1")?;
        let rows = statement.query_map([key.0], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Where the message is in the first place: where it is gone only when it is nowhere else.
    pub fn first_placement(&self, key: MessageKey) -> Result<Option<Standing>, StoreError> {
        const SELECT: &str = "
            SELECT a.address, coalesce(g.mailbox, b.name), g.epoch
            FROM placements p JOIN mailboxes b ON b.id = p.mailbox JOIN accounts a ON a.id = b.account
            LEFT JOIN gone g ON g.placement = p.id
            WHERE p.message = ?1 ORDER BY g.epoch IS NOT NULL, p.mailbox LIMIT 1";
        let mut statement = self.connection.prepare_cached(SELECT)?;
        let standing =
            |row: &Row<'_>| Ok(Standing { account: row.get(0)?, mailbox: row.get(1)?, gone: row.get(2)? });
        Ok(statement.query_row([key.0], standing).optional()?)
    }

    /// Where the message is placed.
    pub fn placements(&self, key: MessageKey) -> Result<Vec<Placement>, StoreError> {
        const SELECT: &str = "
            SELECT p.id, a.address, coalesce(g.mailbox, b.name), p.flags,
                   (SELECT json_group_array(l.name) FROM placement_labels pl JOIN label_names l ON l.id = pl.label
                     WHERE pl.placement = p.id),
                   g.epoch
            FROM placements p JOIN mailboxes b ON b.id = p.mailbox JOIN accounts a ON a.id = b.account
            LEFT JOIN gone g ON g.placement = p.id
            WHERE p.message = ?1 ORDER BY p.id";
        let mut statement = self.connection.prepare_cached(SELECT)?;
        let rows = statement.query_map([key.0], |row| {
            let labels: String = row.get(4)?;
            Ok(Placement {
                key: PlacementKey(row.get(0)?),
                account: row.get(1)?,
                mailbox: row.get(2)?,
                flags: Flags::from_bits(row.get(3)?),
                labels: serde_json::from_str(&labels).unwrap_or_default(),
                gone: row.get(5)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// A home that cannot be written has no place for SQLite's shared memory: there the file is read as it stands.
/// Returns the connection and the URI that opens it again.
fn open_read_only(path: &Path) -> Result<(Connection, String), StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_handler(Some(wait_for_turn))?;
    if let Err(error @ StoreError::ReadOnly { .. }) =
        version(&connection).or_else(|_| recovered(path, &connection))
    {
        if beside(path, "-wal").metadata().is_ok_and(|log| log.len() > 0) {
            return Err(error);
        }
        let uri = format!("file:{escaped}?mode=ro&immutable=1");
        return Ok((Connection::open_with_flags(&uri, flags)?, uri));
    }
    connection.pragma_update(None, "mmap_size", 1_i64 << 32)?;
    Ok((connection, format!("file:{escaped}?mode=ro")))
}

/// Opens what was opened before under this name.
fn open_uri(uri: &str) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let mut connection = Connection::open_with_flags(uri, flags)?;
    connection.busy_handler(Some(wait_for_turn))?;
    connection.pragma_update(None, "mmap_size", 1_i64 << 32)?;
    Ok(connection)
}

/// A kill may leave something to roll back, which a connection that can only read cannot do.
fn recovered(path: &Path, connection: &Connection) -> Result<i64, StoreError> {
    let mut writable = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    writable.busy_handler(Some(wait_for_turn))?;
    version(&writable)?;
    version(connection)
}

/// A file of SQLite's beside the store.
pub(super) fn beside(store: &Path, ending: &str) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn read_message(row: &Row<'_>) -> rusqlite::Result<StoredMessage> {
    Ok(StoredMessage {
        key: MessageKey(row.get(0)?),
        id: ShortId::of(&ContentHash(row.get(1)?)),
        message_id: row.get(2)?,
        thread: ThreadKey(row.get(3)?),
        date: MessageDate { epoch: row.get(4)?, source: date_source(row.get(5)?) },
        from: row.get(6)?,
        from_name: row.get(7)?,
        from_address: row.get(8)?,
        subject: row.get(9)?,
        size: row.get(10)?,
        has_attachments: row.get(11)?,
        list_id: row.get(12)?,
    })
}

fn date_source(number: i64) -> DateSource {
    match number {
        0 => DateSource::Header,
        1 => DateSource::Received,
        2 => DateSource::MboxLine,
        3 => DateSource::FileTime,
        _ => DateSource::Unknown,
    }
}

/// Two threads share the work when there is enough of it: unpacking takes most of the time of a page of hits.
fn map_frames<T: Send>(
    codec: &Codec,
    frames: &[(usize, Frame)],
    each: &(impl Fn(usize, &str) -> T + Sync),
) -> Result<Vec<T>, StoreError> {
    let map = |frames: &[(usize, Frame)]| -> Result<Vec<T>, StoreError> {
        let text = |(number, frame): &(usize, Frame)| {
            codec.text_up_to(frame, MOST_TEXT).map(|text| each(*number, &text))
        };
        frames.iter().map(text).collect()
    };
    if frames.len() < WORTH_SHARING {
        return map(frames);
    }
    let (own, other) = frames.split_at(frames.len() / 2);
    thread::scope(|scope| {
        let helper = scope.spawn(|| map(other));
        let mut mapped = map(own)?;
        mapped.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic))?);
        Ok(mapped)
    })
}
