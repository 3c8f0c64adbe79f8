//! (being written)
/// Meter
pub struct Meter;
