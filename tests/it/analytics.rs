//! Promise: the db tools give what their document says. The right answers stand here as they were worked out by hand
//! from the messages below, or are asked of SQLite in plain words.

mod answers;
mod arrival;
mod details;
mod edges;
mod fixture;
mod large;
mod protocol;
mod words;
