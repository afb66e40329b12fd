//! What shows that a yes is the person's. One that needs a secret is made only by checking it.

use crate::model::Factor;
use crate::outbox::OutboxError;
use crate::outbox::policy::InForce;

/// A factor that was given.
#[derive(Debug)]
pub struct Proof(Factor);

impl Proof {
    /// The person did it: on their terminal, with the code of the item, or on their page.
    #[must_use]
    pub const fn click() -> Self {
        Self(Factor::Click)
    }

    /// Only for who has checked a PIN.
    pub(super) const fn pin() -> Self {
        Self(Factor::Pin)
    }

    pub(super) fn is_pin(&self) -> bool {
        self.0 == Factor::Pin
    }

    /// What was given.
    #[must_use]
    pub const fn factor(&self) -> Factor {
        self.0
    }

    /// Whether it is enough for what is in force.
    pub(super) fn satisfies(&self, in_force: &InForce) -> Result<(), OutboxError> {
        if in_force.is_broken {
            return Err(OutboxError::Broken);
        }
        match self.0 >= in_force.factor {
            true => Ok(()),
            false => {
                let (given, asked) = (self.0.name(), in_force.factor.name());
                Err(OutboxError::Factor(format!("`{given}` is not enough: a yes needs the `{asked}`")))
            }
        }
    }
}
