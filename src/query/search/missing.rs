//! Names in a query that stand for nothing: most often a slip, so the person is told what there is.

use crate::query::language::{self, Leaf};
use crate::query::search::facts;
use crate::query::{Archive, QueryError};

impl Archive {
    /// A sentence for each mailbox, label or account in the query that does not exist.
    pub fn missing_names(&self, text: &str) -> Result<Vec<String>, QueryError> {
        let query = language::parse(text, &self.clock)?;
        let mut sentences = Vec::new();
        for leaf in query.leaves() {
            sentences.extend(self.missing_name(leaf)?);
        }
        Ok(sentences)
    }

    fn missing_name(&self, leaf: &Leaf) -> Result<Option<String>, QueryError> {
        let (kind, name, known) = match leaf {
            Leaf::In(name) if ["gone", "drafts"].iter().any(|own| name.eq_ignore_ascii_case(own)) => {
                return Ok(None);
            }
            Leaf::In(name) if facts::mailboxes(&self.reader, name)?.is_empty() => {
                const NAMES: &str =
                    "SELECT DISTINCT name FROM mailboxes WHERE role IS NOT 'gone' ORDER BY name";
                ("mailbox", name, self.names(NAMES)?)
            }
            Leaf::Label(name) => {
                ("label", name, self.names("SELECT DISTINCT name FROM label_names ORDER BY name")?)
            }
            Leaf::Account(name) => {
                ("account", name, self.names("SELECT address FROM accounts ORDER BY address")?)
            }
            _ => return Ok(None),
        };
        if known.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return Ok(None);
        }
        let there_is = if known.is_empty() {
            "there are none".to_owned()
        } else {
            format!("there are: {}", known.join(", "))
        };
        Ok(Some(format!("there is no {kind} `{name}`; {there_is}")))
    }

    fn names(&self, sql: &str) -> Result<Vec<String>, QueryError> {
        let mut statement = self.reader.connection().prepare_cached(sql)?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
