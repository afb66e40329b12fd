//! Walks the chain of the store and names the first link that is broken; holds it against what else the store says, and
//! against heads that were written somewhere else.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::ContentHash;
use crate::store::{AuditRow, Reader, StoreError};

/// Rows that are read at a time.
const ROWS: usize = 1_000;

/// The end of the chain at some time, to be kept where the home's programs cannot write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Number of the last link.
    pub id: i64,
    /// When it was made, in milliseconds since 1970.
    pub time_ms: i64,
    /// Its hash, as hex digits.
    pub hash: String,
    /// Fingerprints of the passkeys that were enrolled then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passkeys: Vec<String>,
}

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// Number of the link; of the first that is missing where one is missing.
    pub link: i64,
    /// What is wrong with it.
    pub problem: String,
}

/// What a walk along the chain found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Links that were looked at.
    pub links: i64,
    /// The first that is broken.
    pub broken: Option<Broken>,
    /// Heads that it was compared with.
    pub heads: usize,
}

/// The end of the chain; `None` before anything happened.
pub fn head(reader: &Reader) -> Result<Option<Head>, StoreError> {
    let of = |row: AuditRow| Head {
        id: row.id,
        time_ms: row.time_ms,
        hash: row.hash.to_hex(),
        passkeys: Vec::new(),
    };
    Ok(reader.audit_head()?.map(of))
}

/// Walks the whole chain.
pub fn verify(reader: &Reader, heads: &[Head]) -> Result<Verified, StoreError> {
    let mut walk = Walk::new(heads, reader)?;
    let mut last = 0;
    loop {
        let rows = reader.audit_rows(last, ROWS)?;
        let Some(end) = rows.last().map(|row| row.id) else { break };
        for row in &rows {
            if let Some(problem) = walk.step(row) {
                let broken = Some(Broken { link: walk.expected, problem });
                return Ok(Verified { links: walk.expected - 1, broken, heads: heads.len() });
            }
        }
        last = end;
    }
    let broken = walk.end();
    Ok(Verified { links: walk.expected - 1, broken, heads: heads.len() })
}

/// What is known while walking.
struct Walk<'a> {
    expected: i64,
    previous: ContentHash,
    heads: HashMap<i64, &'a Head>,
    /// Facts of the store that a link tells of: `approved` and `attempt`.
    facts: HashSet<(&'static str, Value)>,
    met: HashSet<(&'static str, Value)>,
    /// States of the items that are still there; of others the facts were forgotten.
    states: HashMap<String, String>,
    outcomes: HashMap<(String, i64), String>,
    /// Attempts that went as far as their final dot.
    dots: HashSet<(String, i64)>,
    /// Items that a link says were sent.
    sent: HashSet<String>,
    previews: HashMap<String, bool>,
    is_paused: bool,
}

impl<'a> Walk<'a> {
    fn new(heads: &'a [Head], reader: &Reader) -> Result<Self, StoreError> {
        let approvals = reader.audited_approvals()?.into_iter().map(|fact| ("approved", fact));
        let attempts = reader.audited_attempts()?.into_iter().map(|fact| ("attempt", fact));
        Ok(Self {
            expected: 1,
            previous: ContentHash([0; 32]),
            heads: heads.iter().map(|head| (head.id, head)).collect(),
            facts: approvals.chain(attempts).collect(),
            met: HashSet::new(),
            states: reader.audited_states()?.into_iter().collect(),
            outcomes: reader.audited_outcomes()?,
            dots: reader.audited_dots()?,
            sent: HashSet::new(),
            previews: reader.previews_by_hash()?.into_iter().collect(),
            is_paused: false,
        })
    }

    /// What is wrong with a link, given the ones before.
    fn step(&mut self, row: &AuditRow) -> Option<String> {
        if row.id != self.expected {
            return Some(format!("it is missing; the next one there is {}", row.id));
        }
        if row.previous != self.previous {
            return Some("it does not follow from the one before".to_owned());
        }
        if !row.is_intact() {
            return Some("it was changed after it was written".to_owned());
        }
        if self.heads.get(&row.id).is_some_and(|head| head.hash != row.hash.to_hex()) {
            return Some(
                "it is another one than when the head was exported: the chain was made anew".to_owned(),
            );
        }
        if let Some(problem) = self.contradiction(row) {
            return Some(problem);
        }
        self.expected += 1;
        self.previous = row.hash;
        None
    }

    /// What the rest of the store says otherwise.
    fn contradiction(&mut self, row: &AuditRow) -> Option<String> {
        let body: Value = serde_json::from_str(&row.body).ok()?;
        if body["preview"].as_str().and_then(|hash| self.previews.get(hash)) == Some(&false) {
            return Some("the first characters that are kept for it were changed".to_owned());
        }
        let item = row.item.clone().unwrap_or_default();
        match row.kind.as_str() {
            // A yes is used up by what follows it, so that the row may have gone.
            "approved" => drop(self.met.insert(("approved", approved(&item, &body)))),
            "paused" => self.is_paused = true,
            "resumed" => self.is_paused = false,
            "attempt" if self.is_paused => {
                return Some("it is an attempt while sending was paused".to_owned());
            }
            "attempt" => {
                let fact = ("attempt", attempted(&item, &body));
                let is_lost = !self.facts.contains(&fact) && self.states.contains_key(&item);
                self.met.insert(fact);
                return is_lost.then(|| "the attempt it tells of is not in the store as it says".to_owned());
            }
            "dot" => return self.without_dot(item, &body),
            "sent" | "put_off" | "failed" => return self.otherwise(&row.kind, &item, &body),
            _ => {}
        }
        None
    }

    /// An attempt that went as far as its final dot, and of which the store says that it did not.
    fn without_dot(&self, item: String, body: &Value) -> Option<String> {
        let is_kept = self.states.contains_key(&item);
        let attempt = (item, body["attempt"].as_i64()?);
        (is_kept && !self.dots.contains(&attempt))
            .then(|| format!("the attempt to send {} went further than the store says", attempt.0))
    }

    /// What the store says otherwise about how an attempt ended. `unknown` is left out: who asks later may learn more.
    fn otherwise(&mut self, kind: &str, item: &str, body: &Value) -> Option<String> {
        let state = self.states.get(item)?;
        if kind == "sent" {
            self.sent.insert(item.to_owned());
            if state != "sent" {
                return Some(format!("it says that {item} was sent, and the store that it is `{state}`"));
            }
        }
        let outcome = self.outcomes.get(&(item.to_owned(), body["attempt"].as_i64()?)).map(String::as_str);
        let is_so = match kind {
            "sent" => outcome == Some("sent"),
            // The last try of many ends as the others did.
            "failed" => matches!(outcome, Some("failed" | "later")),
            _ => outcome == Some("later"),
        };
        (!is_so).then(|| format!("the attempt to send {item} ended otherwise in the store than it says"))
    }

    /// What is missing at the end: facts without a link, heads beyond it.
    fn end(&self) -> Option<Broken> {
        let beyond = self.heads.values().filter(|head| head.id >= self.expected).min_by_key(|head| head.id);
        if let Some(head) = beyond {
            let problem = format!("it is missing: a head was exported at link {}", head.id);
            return Some(Broken { link: self.expected, problem });
        }
        let is_untold = |item: &String| self.states[item] == "sent" && !self.sent.contains(item);
        if let Some(item) = self.states.keys().find(|item| is_untold(item)) {
            let problem = format!("no link tells that {item} was sent, as the store says");
            return Some(Broken { link: self.expected, problem });
        }
        let untold = self.facts.iter().find(|fact| !self.met.contains(*fact))?;
        let problem = format!("no link tells of an {} that is in the store: {}", noun(untold.0), untold.1);
        Some(Broken { link: self.expected, problem })
    }
}

fn noun(kind: &str) -> &'static str {
    if kind == "attempt" { "attempt" } else { "approval" }
}

fn approved(item: &str, body: &Value) -> Value {
    let mut fact = serde_json::json!({ "item": item });
    for field in ["revision", "hash", "door", "factor", "send_after"] {
        fact[field] = body[field].clone();
    }
    fact
}

fn attempted(item: &str, body: &Value) -> Value {
    serde_json::json!({ "item": item, "attempt": body["attempt"], "revision": body["revision"] })
}
