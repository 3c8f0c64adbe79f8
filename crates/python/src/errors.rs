//! Exceptions: every typed error of the Rust side has one class in `cyclotron.errors`, which
//! carries the error's values as attributes.

use cyclotron_engine::EngineError;
use cyclotron_ring::RingError;
use cyclotron_schemes::Error;
use cyclotron_schemes::bfv_pow2::DeviceError;
use cyclotron_schemes::bgv_word::{BgvDeviceError, CommandError};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A class of `cyclotron.errors` with a message and attributes.
pub struct Exception<'py> {
    py: Python<'py>,
    class: &'static str,
    message: String,
    fields: Bound<'py, PyDict>,
}

impl<'py> Exception<'py> {
    /// An exception without attributes yet.
    pub fn new(py: Python<'py>, class: &'static str, message: impl Into<String>) -> Self {
        Self { py, class, message: message.into(), fields: PyDict::new(py) }
    }

    /// With an attribute. One that cannot be set is left out: the message has all values.
    pub fn with(self, name: &str, value: impl IntoPyObject<'py>) -> Self {
        if let Ok(value) = value.into_bound_py_any(self.py) {
            let _ = self.fields.set_item(name, value);
        }
        self
    }

    /// Ready to be raised.
    pub fn error(self) -> PyErr {
        let made = || -> PyResult<PyErr> {
            let module = self.py.import("cyclotron.errors")?;
            let value = module.getattr(self.class)?.call1((&self.message,))?;
            for (name, field) in &self.fields {
                value.setattr(name.extract::<&str>()?, field)?;
            }
            Ok(PyErr::from_value(value))
        };
        made().unwrap_or_else(|failed| failed)
    }
}

/// The exception of an error of the schemes.
pub fn scheme(error: Error) -> PyErr {
    Python::attach(|py| {
        let message = error.to_string();
        let new = |class| Exception::new(py, class, message.as_str());
        match error {
            Error::Engine(error) => return engine_error(py, &error),
            Error::Ring(error) => return ring_error(py, &error),
            Error::Device(error) => return device_error(py, &error),
            Error::BgvDevice(error) => return bgv_error(py, &error),
            Error::Parameter { what, value, remedy } => {
                new("ParameterError").with("what", what).with("value", value).with("remedy", remedy)
            }
            Error::Insecure { log_qp, limit, bits, degree, table } => {
                new("InsecureParametersError")
                    .with("log_qp", log_qp)
                    .with("limit", limit)
                    .with("security", bits)
                    .with("degree", degree)
                    .with("table", table)
            }
            Error::NoParameters { request, reason } => {
                new("NoParametersError").with("request", request).with("reason", reason)
            }
            Error::ParameterMismatch { what, found, expected } => new("ParameterMismatchError")
                .with("what", what)
                .with("found", found)
                .with("expected", expected),
            Error::NoiseExhausted { operation, bound, capacity } => new("NoiseExhaustedError")
                .with("operation", operation)
                .with("bound", bound)
                .with("capacity", capacity),
            Error::NoiseMeasured { fraction, limit, claimed } => new("NoiseMeasuredError")
                .with("fraction", fraction)
                .with("limit", limit)
                .with("claimed", claimed),
            Error::LevelMismatch { operation, left, right } => new("LevelMismatchError")
                .with("operation", operation)
                .with("left", left)
                .with("right", right),
            Error::FactorMismatch { operation, left, right } => new("FactorMismatchError")
                .with("operation", operation)
                .with("left", left)
                .with("right", right),
            Error::LevelOutOfRange { level, min, max } => {
                new("LevelOutOfRangeError").with("level", level).with("min", min).with("max", max)
            }
            Error::NotLinear { operation, parts } => {
                new("NotLinearError").with("operation", operation).with("parts", parts)
            }
            Error::MissingKey { operation, wanted, present, remedy } => new("MissingKeyError")
                .with("operation", operation)
                .with("wanted", wanted)
                .with("present", present)
                .with("remedy", remedy),
            Error::ValueOutOfRange { index, value, min, max } => new("ValueOutOfRangeError")
                .with("index", index)
                .with("value", integer(py, &value))
                .with("min", integer(py, &min))
                .with("max", integer(py, &max)),
            Error::TooManyValues { found, capacity } => {
                new("TooManyValuesError").with("found", found).with("capacity", capacity)
            }
            Error::EncodingMismatch { operation, left, right } => new("EncodingMismatchError")
                .with("operation", operation)
                .with("left", left)
                .with("right", right),
            Error::NoSlots { modulus, degree } => {
                new("NoSlotsError").with("modulus", modulus).with("degree", degree)
            }
            Error::File { what, reason } => {
                new("FileFormatError").with("what", what).with("reason", reason)
            }
            _ => new("CyclotronError"),
        }
        .error()
    })
}

/// The exception of an engine's error.
pub fn engine(error: EngineError) -> PyErr {
    Python::attach(|py| engine_error(py, &error))
}

/// The exception of an error of the ring arithmetic.
pub fn ring(error: RingError) -> PyErr {
    Python::attach(|py| ring_error(py, &error))
}

fn engine_error(py: Python<'_>, error: &EngineError) -> PyErr {
    match error {
        EngineError::Ring(error) => ring_error(py, error),
        EngineError::OutOfMemory { requested, available, .. } => {
            Exception::new(py, "EngineMemoryError", error.to_string())
                .with("requested", *requested)
                .with("available", *available)
                .error()
        }
        _ => Exception::new(py, "EngineError", error.to_string()).error(),
    }
}

fn device_error(py: Python<'_>, error: &DeviceError) -> PyErr {
    let new = |class| Exception::new(py, class, error.to_string());
    match error {
        DeviceError::Ring(error) => return ring_error(py, error),
        DeviceError::Mismatch { what, found, expected } => new("DeviceMismatchError")
            .with("what", *what)
            .with("found", found)
            .with("expected", expected),
        DeviceError::Unsupported { what, device, remedy } => new("DeviceUnsupportedError")
            .with("what", what)
            .with("device", device)
            .with("remedy", remedy),
        DeviceError::Timeout { operation, waited, remedy } => new("DeviceTimeoutError")
            .with("operation", *operation)
            .with("waited", waited)
            .with("remedy", remedy),
        DeviceError::Refused { code, name, remedy } => {
            new("DeviceRefusedError").with("code", *code).with("name", name).with("remedy", remedy)
        }
        DeviceError::CounterReused { given, next } => {
            new("RunCounterError").with("given", *given).with("next", *next)
        }
        DeviceError::CounterExhausted { given } => new("RunCounterError").with("given", *given),
        _ => new("DeviceError"),
    }
    .error()
}

/// The exception of a BGV device's error: those of the schemes, with the command in the message.
fn bgv_error(py: Python<'_>, error: &BgvDeviceError) -> PyErr {
    let new = |class| Exception::new(py, class, error.to_string());
    let reason = match error {
        BgvDeviceError::Command { reason, .. } | BgvDeviceError::Access(reason) => reason,
        BgvDeviceError::NotLoaded { operation, what } => {
            return new("MissingKeyError")
                .with("operation", *operation)
                .with("wanted", *what)
                .with("present", "")
                .with("remedy", "load_keys or load_seed of the device")
                .error();
        }
        BgvDeviceError::Device(error) => return device_error(py, error),
        _ => return new("DeviceError").error(),
    };
    match reason {
        CommandError::NoiseExhausted { operation, bound, limit } => new("NoiseExhaustedError")
            .with("operation", *operation)
            .with("bound", bound.log2())
            .with("capacity", limit.log2()),
        CommandError::LevelMismatch { operation, left, right } => new("LevelMismatchError")
            .with("operation", *operation)
            .with("left", *left)
            .with("right", *right),
        CommandError::WrongLevel { level, min, max, .. } => {
            new("LevelOutOfRangeError").with("level", *level).with("min", *min).with("max", *max)
        }
        CommandError::WrongParts { operation, found, .. } => {
            new("NotLinearError").with("operation", *operation).with("parts", *found)
        }
        _ => new("DeviceError"),
    }
    .error()
}

fn ring_error(py: Python<'_>, error: &RingError) -> PyErr {
    let class = match error {
        RingError::SimdUnavailable { .. } | RingError::Entropy(_) => "EngineError",
        _ => "ParameterError",
    };
    Exception::new(py, class, error.to_string()).error()
}

/// A decimal number as a Python int; as it is when it is none.
fn integer<'py>(py: Python<'py>, text: &str) -> Option<Bound<'py, PyAny>> {
    match text.parse::<i128>() {
        Ok(value) => value.into_bound_py_any(py).ok(),
        Err(_) => text.into_bound_py_any(py).ok(),
    }
}
