//! The byte format: what is written is read again, what is damaged or hostile is refused, and the
//! files of every version that was ever released stay readable.

mod damage;
mod golden;
mod hostile;
mod lab;
mod round_trip;
mod saving;
mod selected;
