//! What whoever asked should know beside the answer: how the query was read, and names in it that stand for nothing,
//! which most often are a slip.

use crate::query::known_names::{known_names, shown_name};
use crate::query::language::{Leaf, Query, Scope, Understood};
use crate::query::search::{WordCount, facts};
use crate::query::{Archive, QueryError};

impl Archive {
    /// What to say to whoever counts or exports what matches a query.
    pub fn remarks(
        &mut self,
        text: &str,
        account: Option<&str>,
        total: u64,
    ) -> Result<Vec<String>, QueryError> {
        let understood = self.read_query(text, account)?;
        self.notes(&understood, total, &[])
    }

    /// A sentence for each thing that is worth saying about a query that `total` messages match. Where words may be
    /// missing, `counts` says how often each occurs.
    pub(in crate::query) fn notes(
        &mut self,
        understood: &Understood,
        total: u64,
        counts: &[WordCount],
    ) -> Result<Vec<String>, QueryError> {
        let mut missing = Vec::new();
        for leaf in understood.query.leaves() {
            if !is_of_delivered_to(leaf, &understood.query) {
                missing.extend(self.missing_name(leaf)?);
            }
        }
        if total == 0 && missing.is_empty() {
            missing = self.suggestions(&understood.query, !counts.is_empty())?;
        }
        missing.extend(words_found(total, counts));
        Ok(understood.notes.iter().cloned().chain(missing).collect())
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
            Leaf::Label(name) if facts::system_label(name).is_none() => {
                ("label", name, self.names("SELECT DISTINCT name FROM label_names ORDER BY name")?)
            }
            Leaf::Account(name) => {
                const NAMES: &str = "
                    SELECT address FROM accounts WHERE kind NOT IN ('whatsapp', 'linkedin') ORDER BY address";
                ("account", name, self.names(NAMES)?)
            }
            _ => return Ok(None),
        };
        let dashed = |name: &str| name.replace([' ', '/'], "-").to_lowercase();
        if known
            .iter()
            .any(|known| known.to_lowercase() == name.to_lowercase() || dashed(known) == name.to_lowercase())
        {
            return Ok(None);
        }
        let there_is = if known.is_empty() {
            "there are none".to_owned()
        } else {
            format!("there are: {}", known_names(name, &known))
        };
        Ok(Some(format!("there is no {kind} `{}`; {there_is}", shown_name(name))))
    }

    fn names(&self, sql: &str) -> Result<Vec<String>, QueryError> {
        let mut statement = self.reader.connection().prepare_cached(sql)?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Whether an account is only looked for because whoever has it gets mail: `deliveredto:` looks for recipients as well.
fn is_of_delivered_to(leaf: &Leaf, query: &Query) -> bool {
    let Leaf::Account(account) = leaf else { return false };
    let is_recipient =
        |leaf: &&Leaf| matches!(leaf, Leaf::Text { scope: Scope::To, text, .. } if text == account);
    query.leaves().iter().any(is_recipient)
}

/// Why matches follow that lack some of the words.
fn words_found(total: u64, counts: &[WordCount]) -> Option<String> {
    let each: Vec<_> = counts.iter().map(|count| format!("{} {}", count.word, count.messages)).collect();
    let all = match total {
        0 => "no message has".to_owned(),
        1 => "only 1 message has".to_owned(),
        _ => format!("only {total} messages have"),
    };
    let each = each.join(", ");
    (!counts.is_empty()).then(|| format!("{all} all these words; with some of them: {each}"))
}
