//! How tools are reached.
