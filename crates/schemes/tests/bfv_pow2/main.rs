//! BFV modulo a power of two: devices, noise, evaluation and files, against plain models.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod algebra;
mod device;
mod files;
mod golden;
mod independent;
mod lab;
mod noise;
mod randomness;
