//! Walks the audit chain and checks every signature in it, with nothing but the chain: the keys as they were enrolled, what
//! each signed, and that nothing that needed a signature went without one.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::Value;

use super::assertion::Assertion;
use super::base64url::Base64Url;
use super::challenge::{Purpose, SignedItem};
use super::keys::{KeyProblem, Keys};
use crate::model::{Factor, PolicySettings};
use crate::outbox::OutboxError;
use crate::outbox::policy::{self, weaknesses};
use crate::store::{AuditRow, Reader};

/// Rows that are read at a time.
const ROWS: usize = 1_000;

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SignatureReport {
    /// Fingerprints of the keys that are enrolled at the end.
    pub keys: Vec<String>,
    /// Signatures that are good.
    pub signatures: usize,
    /// What is wrong, in the order of the chain; then what the rest of the store says otherwise.
    pub problems: Vec<KeyProblem>,
}

/// Checks all signatures of a home.
pub(in crate::outbox::approval) fn check(reader: &Reader) -> Result<SignatureReport, OutboxError> {
    let mut walk = Walk::default();
    let mut last = 0;
    loop {
        let rows = reader.audit_rows(last, ROWS)?;
        let Some(end) = rows.last().map(|row| row.id) else { break };
        rows.iter().for_each(|row| walk.step(row));
        last = end;
    }
    walk.compare(reader)?;
    Ok(walk.report)
}

/// What is known while walking.
#[derive(Default)]
struct Walk {
    report: SignatureReport,
    keys: Keys,
    factor: Factor,
    policy: PolicySettings,
    pin: Value,
    /// Numbers that were signed, each with the item it was used for.
    spent: HashSet<(Base64Url, String)>,
    counters: HashMap<Base64Url, (Base64Url, u32)>,
    /// What was signed about each item.
    yes: HashMap<String, Vec<Assertion>>,
}

impl Walk {
    fn step(&mut self, row: &AuditRow) {
        let body: Value = serde_json::from_str(&row.body).unwrap_or_default();
        let outcome = match row.kind.as_str() {
            "passkey" => self.key(row, &body),
            "policy" => self.rules(row, &body),
            "approved" => self.approved(row, &body),
            "resumed" => self.act(row, &body, &[Purpose::Resume]),
            "signed_in" => self.act(row, &body, &[Purpose::SignIn]),
            _ => Ok(()),
        };
        if let Err(problem) = outcome {
            self.report.problems.push(KeyProblem { link: Some(row.id), problem });
        }
    }

    fn key(&mut self, row: &AuditRow, body: &Value) -> Result<(), String> {
        if body["did"] == "removed" && self.factor == Factor::Passkey && body["assertion"].is_null() {
            return Err("a key was removed without a signature, while the passkey counted".to_owned());
        }
        let before = self.keys.clone();
        self.keys.step(row)?;
        match assertion(body) {
            Some(assertion) => self.count(&before, &assertion, row),
            None => Ok(()),
        }
    }

    /// Rules that got weaker, or a PIN that was changed, while the passkey counted.
    fn rules(&mut self, row: &AuditRow, body: &Value) -> Result<(), String> {
        let factor = body["factor"].as_str().and_then(Factor::parse).unwrap_or_default();
        let policy: PolicySettings = serde_json::from_value(body["policy"].clone()).unwrap_or_default();
        let is_weaker = factor < self.factor || !weaknesses(&self.policy, &policy).is_empty();
        let (needs, pin) = (self.factor == Factor::Passkey, body["pin"].clone());
        let other_pin = pin != self.pin;
        (self.factor, self.pin) = (factor, pin);
        let wanted = Purpose::Confirm { settings: super::settings(&policy, factor) };
        self.policy = policy;
        if assertion(body).is_some() {
            self.signed(row, body, &[wanted, Purpose::Renew, Purpose::SetPin])?;
        } else if needs && (is_weaker || other_pin) {
            return Err(
                "the rules or the PIN were changed without a signature, while the passkey counted".to_owned()
            );
        }
        self.named(body)
    }

    /// Whether the rules name the keys that are enrolled.
    fn named(&self, body: &Value) -> Result<(), String> {
        let named: HashSet<_> =
            body["passkeys"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let keys = self.keys.fingerprints();
        match keys.len() == named.len() && keys.iter().all(|key| named.contains(key.as_str())) {
            true => Ok(()),
            false => Err("the keys that it names are not those that were enrolled".to_owned()),
        }
    }

    fn approved(&mut self, row: &AuditRow, body: &Value) -> Result<(), String> {
        if body["door"] == "rule" {
            let words =
                "a rule is said to have let it leave, and the rules that counted then ask about everything";
            return if policy::allows_anything(&self.policy) { Ok(()) } else { Err(words.to_owned()) };
        }
        let (item, hash) = (row.item.clone().unwrap_or_default(), body["hash"].as_str().unwrap_or_default());
        let items = vec![SignedItem { item: item.clone(), hash: hash.to_owned() }];
        if let Some(assertion) = assertion(body) {
            self.yes.entry(item).or_default().push(assertion);
        }
        self.act(row, body, &[Purpose::Approve { items: items.clone() }, Purpose::Resend { items }])
    }

    /// Something that needs the factor in force.
    fn act(&mut self, row: &AuditRow, body: &Value, wanted: &[Purpose]) -> Result<(), String> {
        let is_signed = body["factor"] == Factor::Passkey.name();
        match (is_signed, self.factor) {
            (false, Factor::Passkey) => Err("it went without the passkey that counted then".to_owned()),
            (false, _) => Ok(()),
            (true, _) => self.signed(row, body, wanted),
        }
    }

    fn signed(&mut self, row: &AuditRow, body: &Value, wanted: &[Purpose]) -> Result<(), String> {
        let assertion = assertion(body);
        let covers = |wanted: &&Purpose| assertion.as_ref().is_some_and(|it| it.purpose.covers(wanted));
        let wanted = wanted.iter().find(covers).or_else(|| wanted.first());
        let wanted = wanted.ok_or("nothing could be signed here")?;
        self.keys.is_signed(assertion.as_ref(), wanted, row.time_ms.div_euclid(1_000))?;
        let keys = self.keys.clone();
        assertion.map_or(Ok(()), |assertion| self.count(&keys, &assertion, row))
    }

    /// Notes a good signature: its number is new, and the key's own count goes up.
    fn count(&mut self, keys: &Keys, assertion: &Assertion, row: &AuditRow) -> Result<(), String> {
        let use_of = (assertion.nonce.clone(), row.item.clone().unwrap_or_default());
        if !self.spent.insert(use_of) {
            return Err("the same signature was used before".to_owned());
        }
        let key = keys.get(&assertion.credential.0).ok_or("it was signed by a key that is not enrolled")?;
        let counter = assertion.check(&key.public_key).map_err(|flaw| flaw.to_string())?;
        let last = self.counters.insert(assertion.credential.clone(), (assertion.nonce.clone(), counter));
        let last = last.filter(|(nonce, _)| *nonce != assertion.nonce).map(|(_, last)| last);
        if last.is_some_and(|last| counter <= last && (counter, last) != (0, 0)) {
            return Err("the key's counter went back: there may be a copy of it".to_owned());
        }
        self.report.signatures += 1;
        Ok(())
    }

    /// Holds the keys and the signatures that the store keeps against what the chain said.
    fn compare(&mut self, reader: &Reader) -> Result<(), OutboxError> {
        let rows = Keys::of(&reader.audit_of_passkeys()?, &reader.passkeys()?);
        self.report.keys = self.keys.fingerprints();
        self.report.problems.extend(rows.problems.into_iter().filter(|it| it.link.is_none()));
        for (item, approval, _) in reader.approvals()? {
            let told = self.yes.get(&item).map(Vec::as_slice).unwrap_or_default();
            let kept = approval.signature.as_deref();
            let is_told = match kept {
                Some(kept) => Assertion::read(kept).is_some_and(|kept| told.contains(&kept)),
                None => approval.factor != Factor::Passkey.name(),
            };
            if !is_told {
                let problem = format!("the signature of a yes to {item} is not the one that the chain holds");
                self.report.problems.push(KeyProblem { link: None, problem });
            }
        }
        Ok(())
    }
}

fn assertion(body: &Value) -> Option<Assertion> {
    serde_json::from_value(body["assertion"].clone()).ok()
}
