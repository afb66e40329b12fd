//! What an assistant reads: nothing that is withheld, nothing that a person could not have seen.

mod audience;
mod economy;
mod injection;
mod red_team;
mod secrets;
mod shield;
