//! The `cyclotron` command.
fn main() {}
