//! What an assistant reads: nothing that is withheld, nothing that a person could not have seen.

pub(crate) mod audience;
mod economy;
mod injection;
mod red_team;
mod released;
mod secrets;
mod shield;
