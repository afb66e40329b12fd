//! What counts: the configuration where it is stricter than what the person confirmed, else what they confirmed. So no
//! file and no variable makes anything weaker: that takes the person, and the factor that counted until then.

use serde_json::{Value, json};

use crate::model::{Factor, PolicySettings};
use crate::outbox::OutboxError;
use crate::outbox::approval::Seal;
use crate::outbox::policy::{stricter_of, weaknesses};
use crate::store::Confirmed;

/// What the configuration asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// `[policy]`.
    pub policy: PolicySettings,
    /// `[approval] factor`.
    pub factor: Factor,
}

/// What the person confirmed, as far as it can be believed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// The weakest policy that counts.
    pub policy: PolicySettings,
    /// The weakest factor that counts.
    pub factor: Factor,
    /// Argon2id of the PIN.
    pub pin: Option<String>,
    /// Fingerprints of the keys that sign a yes.
    pub passkeys: Vec<String>,
    /// Whether it was changed by somebody else: its seal is wrong, or the audit chain tells otherwise. Then the
    /// stricter of both counts.
    pub is_broken: bool,
}

/// What there is to believe or not.
pub(in crate::outbox) struct Kept {
    /// The row of the store.
    pub(in crate::outbox) row: Confirmed,
    /// What the audit chain says about it last.
    pub(in crate::outbox) told: Option<String>,
    /// What the file beside the store says.
    pub(in crate::outbox) marker: Option<Confirmed>,
}

/// What counts now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InForce {
    /// The policy.
    pub policy: PolicySettings,
    /// The factor.
    pub factor: Factor,
    /// A PIN or a key that the configuration asks for before there is one: nobody can say yes until it is set up.
    pub missing: Option<Factor>,
    /// Whether there is a PIN.
    pub has_pin: bool,
    /// How many keys can sign a yes.
    pub passkeys: usize,
    /// What the configuration would weaken, and the person has not confirmed.
    pub waits: Vec<String>,
    /// Whether what was confirmed cannot be believed: nobody can say yes until the person has seen to it.
    pub is_broken: bool,
}

impl Known {
    /// Believes a row with a good seal that the audit chain tells of too, and the row of a home where nothing was ever
    /// confirmed: neither the store nor the file beside it tells of anything.
    pub(in crate::outbox) fn read<'a>(
        kept: &Kept,
        seal: impl FnOnce() -> Result<&'a Seal, OutboxError>,
    ) -> Result<Self, OutboxError> {
        let Kept { row, told, marker } = kept;
        let usual = Self::default();
        if usual.is_row(row) && row.seal.is_none() && told.is_none() && marker.is_none() {
            return Ok(usual);
        }
        let told: Option<Value> = told.as_deref().and_then(|body| serde_json::from_str(body).ok());
        let seal = seal()?;
        let sealed = |row: &Confirmed| Self::parse(row).filter(|_| seal.is_good_confirmed(row));
        match sealed(row) {
            Some(known) if told.as_ref().is_some_and(|told| known.is_told_by(told)) => Ok(known),
            of_row => {
                let of_marker = marker.as_ref().and_then(sealed);
                Ok(Self::broken(row, of_row.or(of_marker), &told.unwrap_or_default()))
            }
        }
    }

    /// The stricter of what a row with a good seal, in the store or beside it, and the chain say. Whichever still knows a
    /// PIN keeps it: neither an entry that is gone nor a row that was changed takes it away.
    fn broken(row: &Confirmed, sealed: Option<Self>, told: &Value) -> Self {
        let sealed = sealed.unwrap_or_default();
        let factor = told["factor"].as_str().and_then(Factor::parse).unwrap_or_default();
        let policy = serde_json::from_value(told["policy"].clone()).unwrap_or_default();
        let policy = stricter_of(&stricter_of(&PolicySettings::default(), &policy), &sealed.policy);
        let told_pin = told["pin"].as_str().map(str::to_owned);
        let pin = sealed.pin.or(told_pin).or_else(|| row.pin.clone());
        let told_keys = serde_json::from_value(told["passkeys"].clone()).unwrap_or_default();
        let passkeys = if sealed.passkeys.is_empty() { told_keys } else { sealed.passkeys };
        Self { policy, factor: sealed.factor.max(factor), pin, passkeys, is_broken: true }
    }

    fn parse(row: &Confirmed) -> Option<Self> {
        let policy = row.policy.as_deref().map(serde_json::from_str).transpose().ok()?.unwrap_or_default();
        let factor = Factor::parse(&row.factor)?;
        let passkeys = row.passkeys.as_deref().map(serde_json::from_str).transpose().ok()?;
        let passkeys = passkeys.unwrap_or_default();
        Some(Self { policy, factor, pin: row.pin.clone(), passkeys, is_broken: false })
    }

    /// The row that says this, without its seal.
    pub(in crate::outbox) fn row(&self) -> Confirmed {
        let policy = (self.policy != PolicySettings::default()).then(|| self.policy.kept().to_string());
        let passkeys = (!self.passkeys.is_empty()).then(|| json!(self.passkeys).to_string());
        let (factor, pin) = (self.factor.name().to_owned(), self.pin.clone());
        Confirmed { policy, factor, pin, passkeys, seal: None }
    }

    fn is_row(&self, row: &Confirmed) -> bool {
        Confirmed { seal: None, ..row.clone() } == self.row()
    }

    /// What the audit chain keeps of it.
    pub(in crate::outbox) fn told(&self) -> Value {
        let mut told = json!({ "policy": self.policy.kept(), "factor": self.factor.name(), "pin": self.pin });
        if !self.passkeys.is_empty() {
            told["passkeys"] = json!(self.passkeys);
        }
        told
    }

    fn is_told_by(&self, told: &Value) -> bool {
        let own = self.told();
        ["policy", "factor", "pin", "passkeys"].iter().all(|field| told[field] == own[field])
    }

    /// The same, with everything in which the configuration is stricter.
    pub(in crate::outbox) fn tightened(&self, wanted: &Wanted) -> Self {
        Self {
            policy: stricter_of(&wanted.policy, &self.policy),
            factor: self.factor.max(self.possible(wanted.factor)),
            ..self.clone()
        }
    }

    /// Neither a PIN nor a key can be asked for before there is one.
    pub(in crate::outbox) fn possible(&self, factor: Factor) -> Factor {
        match factor {
            Factor::Passkey if !self.passkeys.is_empty() => Factor::Passkey,
            Factor::Pin | Factor::Passkey if self.pin.is_some() => Factor::Pin,
            _ => Factor::Click,
        }
    }
}

impl InForce {
    /// What counts, of what is known and what the configuration asks for.
    #[must_use]
    pub fn of(known: &Known, wanted: &Wanted) -> Self {
        let both = known.tightened(wanted);
        let mut waits = weaknesses(&known.policy, &wanted.policy);
        if wanted.factor < known.factor {
            waits.push(format!("`factor` from `{}` to `{}`", known.factor.name(), wanted.factor.name()));
        }
        Self {
            policy: stricter_of(&known.policy, &wanted.policy),
            factor: both.factor,
            missing: Some(wanted.factor)
                .filter(|wanted| *wanted > both.factor && both.factor == Factor::Click),
            has_pin: known.pin.is_some(),
            passkeys: known.passkeys.len(),
            waits,
            is_broken: known.is_broken,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{InForce, Known, Wanted};
    use crate::model::{Factor, PolicySettings, SendRule};

    fn wanted(send: SendRule, factor: Factor) -> Wanted {
        Wanted { policy: PolicySettings { send, ..PolicySettings::default() }, factor }
    }

    #[test]
    fn the_configuration_alone_makes_nothing_weaker() {
        let pin = Some("x".to_owned());
        let known = Known { factor: Factor::Pin, pin, ..Known::default() };

        let in_force = InForce::of(&known, &wanted(SendRule::Direct, Factor::Click));

        assert_eq!((in_force.policy.send, in_force.factor), (SendRule::Approve, Factor::Pin));
        assert_eq!(in_force.waits, ["`send` from `approve` to `direct`", "`factor` from `pin` to `click`"]);
    }

    #[test]
    fn what_is_stricter_counts_at_once() {
        let weak = wanted(SendRule::Direct, Factor::Click);
        let known = Known { policy: weak.policy, pin: Some("x".to_owned()), ..Known::default() };

        let in_force = InForce::of(&known, &wanted(SendRule::Approve, Factor::Pin));

        assert_eq!((in_force.policy.send, in_force.factor), (SendRule::Approve, Factor::Pin));
        assert_eq!(in_force.waits, [""; 0]);
    }

    #[test]
    fn a_pin_that_is_asked_for_before_there_is_one_is_missing() {
        let in_force = InForce::of(&Known::default(), &wanted(SendRule::Approve, Factor::Pin));

        assert_eq!((in_force.factor, in_force.missing), (Factor::Click, Some(Factor::Pin)));
    }
}
