//! BGV modulo a word: the device against a slow model and vectors, its refusals, its noise.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod circuits;
mod failures;
mod lab;
mod noise;
mod refusals;
mod vectors;
