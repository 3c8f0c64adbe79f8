//! What stands in for the simulated devices in a build without the feature `sim`.

use crate::bus::{Bus, BusError, BusResult, Done, Limit};
use std::fmt;

/// A simulated device. This build has none.
#[derive(Debug, Clone, Copy)]
pub enum SimModel {}

/// A running simulated device. This build has none.
#[derive(Debug)]
pub enum SimBus {}

fn absent(name: &str) -> BusError {
    BusError::Unavailable {
        what: format!("no simulated device {name:?}: built without the feature `sim`"),
        remedy: "build cyclotron-devices with it (the default)".to_owned(),
    }
}

/// How to build with models that were left out.
pub fn build_with(names: &[&str]) -> String {
    absent(&names.join(",")).to_string()
}

impl SimModel {
    /// Every model: none.
    #[must_use]
    pub fn all() -> &'static [SimModel] {
        &[]
    }

    /// Names of the models that a variable kept out of this build: none, the feature did.
    #[must_use]
    pub fn left_out() -> &'static [&'static str] {
        &[]
    }

    /// Finds a model by name.
    ///
    /// # Errors
    /// Always [`BusError::Unavailable`].
    pub fn find(name: &str) -> BusResult<SimModel> {
        Err(absent(name))
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &'static str {
        match *self {}
    }

    /// Name of the configuration in `rtl/configs.yaml`.
    #[must_use]
    pub fn configuration(&self) -> &'static str {
        match *self {}
    }

    /// Whether this is the size of the paper.
    #[must_use]
    pub fn is_full(&self) -> bool {
        match *self {}
    }
}

impl fmt::Display for SimModel {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl SimBus {
    /// Switches a model on.
    ///
    /// # Errors
    /// Cannot be called: there is no model.
    pub fn open(model: SimModel) -> BusResult<Self> {
        match model {}
    }

    /// Switches on the model of this name.
    ///
    /// # Errors
    /// Always [`BusError::Unavailable`].
    pub fn open_named(name: &str) -> BusResult<Self> {
        Err(absent(name))
    }
}

impl Bus for SimBus {
    fn read32(&mut self, _: u32) -> BusResult<u32> {
        match *self {}
    }
    fn write32(&mut self, _: u32, _: u32) -> BusResult<()> {
        match *self {}
    }
    fn read_block(&mut self, _: u32, _: &mut [u32]) -> BusResult<()> {
        match *self {}
    }
    fn write_block(&mut self, _: u32, _: &[u32]) -> BusResult<()> {
        match *self {}
    }
    fn wait(&mut self, _: Done, _: Limit) -> BusResult<u32> {
        match *self {}
    }
    fn name(&self) -> String {
        match *self {}
    }
}
