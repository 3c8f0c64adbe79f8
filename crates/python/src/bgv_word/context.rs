//! `bgv_word.Context` and `bgv_word.Keys`: parameters, what they allow, keys.

use super::device::BgvDevice;
use crate::errors;
use crate::options::json_error;
use crate::stored::refuse_pickle;
use cyclotron_ring::sample::{SecretRng, SecretSeed};
use cyclotron_schemes::Result;
use cyclotron_schemes::bgv_word::{
    Circuit, FailureStudy, KeySet, WordContext, WordParameters, WordPreset,
};
use cyclotron_schemes::rlwe::SecurityPolicy;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::sync::Arc;

/// BGV with `Q = q_0 ... q_L < 2^27` and `p = 2^log_p`: parameters of the circuits that devices run
/// (docs/bgv-word.md). Immutable; threads may share it.
///
/// `Context(preset)` takes a name of `bgv_word.presets()`. The `PAPER_*` and `TOY_*` sets are not
/// secure: they want `acknowledge_insecure=True`.
///
/// Raises `ParameterError` for an unknown name, `InsecureParametersError`.
///
/// >>> word = cy.bgv_word.Context("PAPER_128_P2", acknowledge_insecure=True)
/// >>> word
/// bgv_word.Context(n=128, Q=257 * 257 * 257, p=2, 13 bits a digit, insecure)
#[pyclass(frozen, name = "Context", module = "cyclotron.bgv_word")]
pub struct BgvContext {
    pub inner: Arc<WordContext>,
}

#[pymethods]
impl BgvContext {
    #[new]
    #[pyo3(signature = (preset, *, acknowledge_insecure = false))]
    fn new(py: Python<'_>, preset: &str, acknowledge_insecure: bool) -> PyResult<Self> {
        let open = || {
            let preset = WordPreset::named(preset)?;
            let literal =
                if acknowledge_insecure { preset.acknowledged() } else { preset.literal() };
            WordContext::new(&WordParameters::new(literal)?)
        };
        Self::open(py, open)
    }

    /// Parameters spelled out in a dictionary: `degree`, `factors`, `log_p`, `digit_bits`, and
    /// `digits` ("signed", the default, or "unsigned"), `error` ("binomial", the default, or
    /// "ternary"), `root`.
    ///
    /// Raises what `Context` raises.
    ///
    /// >>> small = {"degree": 16, "factors": [257, 257, 257], "log_p": 1, "digit_bits": 13}
    /// >>> cy.bgv_word.Context.from_literal(small, acknowledge_insecure=True).degree
    /// 16
    #[staticmethod]
    #[pyo3(signature = (literal, *, acknowledge_insecure = false))]
    fn from_literal(literal: &Bound<'_, PyAny>, acknowledge_insecure: bool) -> PyResult<Self> {
        let py = literal.py();
        let text: String = py.import("json")?.call_method1("dumps", (literal,))?.extract()?;
        let parse = || -> serde_json::Result<_> {
            let mut value: Value = serde_json::from_str(&text)?;
            if let Value::Object(fields) = &mut value {
                let policy = if acknowledge_insecure {
                    SecurityPolicy::InsecureAcknowledged
                } else {
                    SecurityPolicy::default()
                };
                for (name, default) in [
                    ("root", Value::Null),
                    ("digits", json!("signed")),
                    ("error", json!("binomial")),
                    ("security", json!(policy)),
                ] {
                    fields.entry(name).or_insert(default);
                }
            }
            serde_json::from_value(value)
        };
        let open = || WordContext::new(&WordParameters::new(parse().map_err(json_error)?)?);
        Self::open(py, open)
    }

    /// The context pinned by `to_json`, checked anew.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        Self::open(py, || WordContext::new(&WordParameters::from_json(text)?))
    }

    /// The parameters as JSON text: the dictionary of `from_literal`.
    fn to_json(&self) -> PyResult<String> {
        self.parameters().to_json().map_err(errors::scheme)
    }

    /// Fresh keys, from the operating system's randomness. `insecure_seed` repeats keys, for tests
    /// alone.
    #[pyo3(signature = (*, insecure_seed = None))]
    fn keygen(&self, py: Python<'_>, insecure_seed: Option<u64>) -> PyResult<BgvKeys> {
        let generate = || -> Result<KeySet> {
            let mut rng = match insecure_seed {
                Some(number) => SecretRng::from_seed(seed_of(number)),
                None => SecretRng::from_os()?,
            };
            KeySet::generate(&self.inner, &mut rng)
        };
        let keys = py.detach(generate).map_err(errors::scheme)?;
        Ok(BgvKeys { keys })
    }

    /// Opens a device for these parameters: a name of `bgv_word.devices()`, or one configuration
    /// such as "bgv-core:toy16". Every device gives the same words for the same keys, seed, run
    /// counter, messages and commands.
    ///
    /// Raises `DeviceUnsupportedError` for an unknown name, `DeviceMismatchError` when the device
    /// was built for others.
    ///
    /// >>> cy.bgv_word.Context("N1024_Q26").open("cpu").buffers
    /// 16
    #[pyo3(name = "open", signature = (device = "cpu"))]
    fn open_device(&self, py: Python<'_>, device: &str) -> PyResult<BgvDevice> {
        BgvDevice::open(py, &self.inner, device)
    }

    /// How often products decrypt wrongly, on the processor, also where strict bounds refuse them:
    /// `circuit` is "product" (`a b`), "product-by-fresh" (`(a b) c`) or "product-of-products"
    /// (`(a b)(c d)`), the latter two decrypted one level down; `per_key` operations share keys.
    /// A dictionary: `operations`, `wrong`, `deviation` of the noise, `predicted`, `worst_key`
    /// (largest deviation under one set of keys, of the prediction), `largest` (noise, of what
    /// decrypts).
    ///
    /// Raises `ParameterError`, `LevelOutOfRangeError` where the parameters have one level.
    #[pyo3(signature = (circuit, *, operations, per_key = 20, insecure_seed = 1))]
    fn count_failures<'py>(
        &self,
        py: Python<'py>,
        circuit: &str,
        operations: u64,
        per_key: u64,
        insecure_seed: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let count = py.detach(|| {
            let study = FailureStudy { circuit: Circuit::from_name(circuit)?, operations, per_key };
            study.run(&self.inner, *seed_of(insecure_seed).expose())
        });
        let count = count.map_err(errors::scheme)?;
        let found = PyDict::new(py);
        found.set_item("operations", count.operations)?;
        found.set_item("wrong", count.wrong)?;
        found.set_item("deviation", count.deviation)?;
        found.set_item("predicted", count.predicted)?;
        found.set_item("worst_key", count.worst_key)?;
        found.set_item("largest", count.largest)?;
        Ok(found)
    }

    /// Ring degree n: coefficients of a message.
    #[getter]
    fn degree(&self) -> usize {
        self.parameters().degree()
    }

    /// The factors `q_0, ..., q_L` of the ciphertext modulus; one goes with every mod switch.
    #[getter]
    fn factors(&self) -> Vec<u64> {
        self.parameters().chain().factors().to_vec()
    }

    /// The level of fresh ciphertexts, L.
    #[getter]
    fn top_level(&self) -> usize {
        self.parameters().chain().top_level()
    }

    /// p: coefficients of messages are in `[0, p)`.
    #[getter]
    fn plaintext_modulus(&self) -> u64 {
        self.parameters().plain_modulus()
    }

    /// Bits of a digit of the key switch.
    #[getter]
    fn digit_bits(&self) -> u32 {
        self.parameters().digit_bits()
    }

    /// Identity of the parameters, in hexadecimal: the same for equal parameters everywhere.
    #[getter]
    fn id(&self) -> String {
        let id = self.parameters().id();
        id.bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn __repr__(&self) -> String {
        let literal = self.parameters().literal();
        let factors: Vec<String> = literal.factors.iter().map(u64::to_string).collect();
        let security = match literal.security {
            SecurityPolicy::Table { level, table } => {
                format!("{} bits by {}", level.bits(), table.name())
            }
            SecurityPolicy::InsecureAcknowledged => "insecure".to_owned(),
        };
        format!(
            "bgv_word.Context(n={}, Q={}, p={}, {} bits a digit, {security})",
            literal.degree,
            factors.join(" * "),
            self.plaintext_modulus(),
            literal.digit_bits
        )
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let same = |other: &Bound<'_, Self>| other.get().parameters() == self.parameters();
        other.cast::<Self>().is_ok_and(same)
    }

    fn __hash__(&self) -> u64 {
        let mut word = [0; 8];
        word.copy_from_slice(&self.parameters().id().bytes()[..8]);
        u64::from_le_bytes(word)
    }
}

impl BgvContext {
    fn open(
        py: Python<'_>,
        open: impl FnOnce() -> Result<Arc<WordContext>> + Send,
    ) -> PyResult<Self> {
        Ok(Self { inner: py.detach(open).map_err(errors::scheme)? })
    }

    fn parameters(&self) -> &WordParameters {
        self.inner.parameters()
    }
}

/// A seed that is a number: its first eight bytes, least significant first.
fn seed_of(number: u64) -> SecretSeed {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    SecretSeed::new(bytes)
}

/// A secret key with its public and relinearisation keys, for `Device.load_keys`. Never printed,
/// wiped from memory when the last reference goes, and not pickled.
#[pyclass(frozen, name = "Keys", module = "cyclotron.bgv_word")]
pub struct BgvKeys {
    pub keys: KeySet,
}

#[pymethods]
impl BgvKeys {
    fn __repr__(&self) -> String {
        format!("bgv_word.Keys(parameters {}, contents hidden)", self.keys.secret.id())
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<()> {
        Err(refuse_pickle(py, "bgv_word.Keys"))
    }
}
