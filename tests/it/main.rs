//! The promises of mailkeep, kept from the outside: one file a promise, on the real binary.

#[cfg(test)]
mod analytics;
#[cfg(test)]
mod architecture;
#[cfg(test)]
mod arrives;
#[cfg(test)]
mod bounces;
#[cfg(test)]
mod configures;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod connects;
#[cfg(test)]
mod crashes;
#[cfg(test)]
mod decides;
#[cfg(test)]
mod demo;
#[cfg(test)]
mod drafts;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod gmail;
#[cfg(test)]
mod gone;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod keeps;
#[cfg(test)]
mod labels;
#[cfg(test)]
mod lies;
#[cfg(test)]
mod meaning;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod proposes;
#[cfg(test)]
mod reads_safely;
#[cfg(test)]
mod searches;
#[cfg(test)]
mod sends;
#[cfg(test)]
mod speaks_mcp;
#[cfg(test)]
mod signs_in;
#[cfg(test)]
mod sql;
#[cfg(test)]
mod syncs;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod threads;
#[cfg(test)]
mod tools;
#[cfg(test)]
mod transcript;
#[cfg(test)]
mod waits;
#[cfg(test)]
mod world;
