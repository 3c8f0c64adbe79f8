//! The byte format: what is written is read again, what is damaged or hostile is refused, and the
//! files of every version that was ever released stay readable.
// Helpers of tests are tests too, though the lints know only functions marked as such.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod damage;
mod golden;
mod hostile;
mod independent;
mod lab;
mod round_trip;
mod saving;
mod selected;
