//! Options as Python gives them: rotations, encodings, parameter literals.

use crate::errors;
use cyclotron_schemes::Error;
use cyclotron_schemes::rlwe::{ErrorDistribution, ParametersLiteral, SecurityPolicy};
use cyclotron_schemes::vector::{Encoding, Rotations};
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde_json::{Value, json};

/// What `rotations=` may be: "sums", `None` (given explicitly) or a list of steps.
pub struct RotationsArgument(pub Rotations);

impl Default for RotationsArgument {
    fn default() -> Self {
        Self(Rotations::Sums)
    }
}

impl<'py> FromPyObject<'_, 'py> for RotationsArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_none() {
            return Ok(Self(Rotations::None));
        }
        if let Ok(name) = object.cast::<PyString>() {
            if name == "sums" {
                return Ok(Self(Rotations::Sums));
            }
        } else if let Ok(steps) = object.extract::<Vec<i64>>() {
            return Ok(Self(Rotations::Steps(steps)));
        }
        Err(errors::scheme(Error::Parameter {
            what: "rotations",
            value: object.repr()?.to_string(),
            remedy: "give \"sums\", None, or a list of steps such as [1, 2, -3]".to_owned(),
        }))
    }
}

/// `encoding=` of encryption.
pub fn parse_encoding(name: &str) -> Result<Encoding, Error> {
    match name {
        "slots" => Ok(Encoding::Slots),
        "coefficients" => Ok(Encoding::Coefficients),
        _ => Err(Error::Parameter {
            what: "encoding",
            value: format!("{name:?}"),
            remedy: "choose \"slots\" or \"coefficients\"".to_owned(),
        }),
    }
}

/// The name of an encoding.
pub fn encoding_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Slots => "slots",
        Encoding::Coefficients => "coefficients",
    }
}

/// A literal from JSON, with the defaults that `from_literal` documents.
pub fn parse_literal(text: &str) -> Result<ParametersLiteral, Error> {
    let mut value: Value = serde_json::from_str(text).map_err(json_error)?;
    if let Value::Object(fields) = &mut value {
        let special = fields
            .entry("special_moduli")
            .or_insert_with(|| json!([]))
            .as_array()
            .map_or(0, Vec::len);
        fields.entry("digits").or_insert_with(|| json!({ "limbs": special.max(1) }));
        let error = ErrorDistribution::DEFAULT;
        fields.entry("error").or_insert_with(|| json!(error));
        fields.entry("security").or_insert_with(|| json!(SecurityPolicy::default()));
    }
    serde_json::from_value(value).map_err(json_error)
}

/// A literal that is not what `from_literal` documents.
pub fn json_error(error: serde_json::Error) -> Error {
    Error::Parameter {
        what: "parameter literal",
        value: error.to_string(),
        remedy: "give the fields that Context.from_literal documents".to_owned(),
    }
}
