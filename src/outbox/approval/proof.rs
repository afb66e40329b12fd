//! What shows that a yes is the person's. One that needs a secret is made only by checking it.

use crate::model::Factor;
use crate::outbox::OutboxError;
use crate::outbox::approval::passkey::Assertion;
use crate::outbox::policy::InForce;

/// A factor that was given.
#[derive(Debug)]
pub struct Proof(Given);

#[derive(Debug)]
enum Given {
    Click,
    /// Somebody typed what the terminal showed.
    Code,
    Pin,
    Passkey(Box<Assertion>),
}

impl Proof {
    /// The person did it: on their terminal, with the code of the item, or on their page.
    #[must_use]
    pub const fn click() -> Self {
        Self(Given::Click)
    }

    /// Only for who has checked a PIN.
    pub(super) const fn pin() -> Self {
        Self(Given::Pin)
    }

    /// Only for who has checked the code for a first passkey.
    pub(super) const fn code() -> Self {
        Self(Given::Code)
    }

    /// Only for who has checked a signature. It counts for what was signed.
    pub(super) fn passkey(assertion: Assertion) -> Self {
        Self(Given::Passkey(Box::new(assertion)))
    }

    pub(super) const fn is_pin(&self) -> bool {
        matches!(self.0, Given::Pin)
    }

    pub(super) const fn is_code(&self) -> bool {
        matches!(self.0, Given::Code)
    }

    /// What a key signed.
    pub(super) const fn assertion(&self) -> Option<&Assertion> {
        if let Given::Passkey(assertion) = &self.0 { Some(assertion) } else { None }
    }

    /// What was given.
    #[must_use]
    pub const fn factor(&self) -> Factor {
        match self.0 {
            Given::Click | Given::Code => Factor::Click,
            Given::Pin => Factor::Pin,
            Given::Passkey(_) => Factor::Passkey,
        }
    }

    /// Whether it is enough for what is in force.
    pub(super) fn satisfies(&self, in_force: &InForce) -> Result<(), OutboxError> {
        match in_force.missing {
            Some(factor) if !in_force.is_broken => Err(OutboxError::NotSetUp { factor }),
            _ => self.sets_up(in_force),
        }
    }

    /// Whether it is enough to set up a PIN or a key, which may be the one that is missing.
    pub(super) fn sets_up(&self, in_force: &InForce) -> Result<(), OutboxError> {
        if in_force.is_broken {
            return Err(OutboxError::Broken);
        }
        if self.factor() >= in_force.factor {
            return Ok(());
        }
        let (given, asked) = (self.factor().name(), in_force.factor.name());
        Err(OutboxError::Factor(format!("`{given}` is not enough: a yes needs the `{asked}`")))
    }
}
