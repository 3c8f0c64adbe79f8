//! Accelerators in RTL behind a bus, and their drivers.
//!
//! * [`bus`]: the five calls that a driver needs; [`sim`] makes them to a Verilated model in this
//!   process, [`uio`] to a board under Linux;
//! * [`registers`]: register maps, generated from the same source as the RTL;
//! * [`bfv_crypt`]: BFV encryption and decryption on a systolic array, a
//!   [`CryptDevice`](cyclotron_schemes::bfv_pow2::CryptDevice);
//! * [`bfv_mini`]: the same for degrees 4, 8 and 16, on a two-dimensional array;
//! * [`bgv_core`]: leveled BGV circuits, a [`BgvDevice`](cyclotron_schemes::bgv_word::BgvDevice);
//! * [`registry`]: devices by name, the processor among them;
//! * [`attack`]: what the paper's own randomness gives away.
//!
//! `docs/devices.md` is the guide. The same driver runs a simulation and a board; cycles are those
//! of the clock of the device, in a simulation and on a board alike.

pub mod attack;
pub mod bfv_crypt;
pub mod bfv_mini;
pub mod bgv_core;
pub mod bus;
mod link;
pub mod registers;
pub mod registry;
pub mod sim;
#[cfg(unix)]
pub mod uio;

pub use bfv_crypt::BfvCrypt;
pub use bfv_mini::BfvMini;
pub use bgv_core::BgvCore;
pub use bus::{Bus, BusError, BusResult, Done, Limit};
pub use registry::{
    BgvConfiguration, BgvListing, DeviceListing, bgv_devices, devices, open, open_bgv,
    open_bgv_core,
};
pub use sim::{SimBus, SimModel};
