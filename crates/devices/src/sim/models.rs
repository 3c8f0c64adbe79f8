//! The models of this build.

use super::ffi::SimOps;
use crate::bus::{BusError, BusResult};
use std::fmt;

/// One device of `rtl/` in one of the configurations of `rtl/configs.yaml`.
#[derive(Clone, Copy)]
pub struct SimModel {
    device: &'static str,
    configuration: &'static str,
    full: bool,
    pub(super) ops: unsafe extern "C" fn() -> *const SimOps,
}

include!(concat!(env!("OUT_DIR"), "/models.rs"));

impl SimModel {
    /// Every model, small configurations of a device before large ones.
    #[must_use]
    pub fn all() -> &'static [SimModel] {
        MODELS
    }

    /// Names of the models that the variable `CYCLOTRON_SIM_MODELS` kept out of this build.
    #[must_use]
    pub fn left_out() -> &'static [&'static str] {
        LEFT_OUT
    }

    /// Finds a model by name: `bfv-crypt:toy16`, or `bfv-crypt` for the largest configuration.
    ///
    /// # Errors
    /// [`BusError::Unavailable`] with the names that there are.
    pub fn find(name: &str) -> BusResult<SimModel> {
        let (device, configuration) = match name.split_once(':') {
            Some((device, configuration)) => (device, Some(configuration)),
            None => (name, None),
        };
        let found = MODELS.iter().rev().find(|model| {
            model.device == device && configuration.is_none_or(|name| model.configuration == name)
        });
        found.copied().ok_or_else(|| BusError::Unavailable {
            what: format!("no simulated device {name:?}"),
            remedy: if LEFT_OUT.contains(&name) {
                build_with(&[name])
            } else {
                let names: Vec<String> = MODELS.iter().map(ToString::to_string).collect();
                format!("choose one of {}", names.join(", "))
            },
        })
    }

    /// The device: `bfv-crypt`, `bfv-mini`.
    #[must_use]
    pub fn device(&self) -> &'static str {
        self.device
    }

    /// Name of the configuration in `rtl/configs.yaml`.
    #[must_use]
    pub fn configuration(&self) -> &'static str {
        self.configuration
    }

    /// Whether this is the size of the paper.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.full
    }
}

/// How to build with models that were left out.
pub fn build_with(names: &[&str]) -> String {
    format!(
        "not built in, as CYCLOTRON_SIM_MODELS named other models: build again with that variable \
         unset, or with {} in its list",
        names.join(",")
    )
}

impl fmt::Display for SimModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.device, self.configuration)
    }
}

impl fmt::Debug for SimModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimModel({self})")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may panic")]
    use super::*;

    #[test]
    fn models_are_found_by_name() {
        assert!(!SimModel::all().is_empty());
        for model in SimModel::all() {
            assert_eq!(SimModel::find(&model.to_string()).unwrap().to_string(), model.to_string());
        }
        for name in SimModel::left_out() {
            let error = SimModel::find(name).unwrap_err().to_string();
            assert!(error.contains("CYCLOTRON_SIM_MODELS") && error.contains(name), "{error}");
        }
        if option_env!("CYCLOTRON_SIM_MODELS").is_some() {
            return; // some models were left out on purpose
        }
        assert!(SimModel::left_out().is_empty());
        let default = SimModel::find("bfv-crypt").unwrap();
        assert_eq!(default.configuration(), "paper_1024");
        assert!(default.is_full());
        assert!(!SimModel::find("bfv-crypt:toy16").unwrap().is_full());
    }

    #[test]
    fn unknown_names_list_the_known_ones() {
        for name in ["bfv-crypt:huge", "bgv", "", ":", "bfv-crypt:"] {
            let error = SimModel::find(name).unwrap_err().to_string();
            assert!(error.contains("bfv-crypt:toy16"), "{error}");
        }
    }
}
